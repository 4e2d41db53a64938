"""The policy file's tiers: ladder, method and sources, and the rows of the adopted set it names."""

from __future__ import annotations

from pathlib import Path

from attrs import evolve

from capacity.codec import leaves
from capacity.codec.adopted import drafted
from capacity.codec.declared import Declared
from capacity.codec.draft import Draft, Place, Tree
from capacity.codec.faults import Faulty, gathered, quoted, wrong
from capacity.codec.policy_accounts import with_file, with_path
from capacity.codec.policy_checks import checked
from capacity.codec.text import file_bytes, toml_tree
from capacity.errors import Fault
from capacity.values.methods import Method, TierSourcePolicy
from capacity.values.policy import Policy
from capacity.values.tiers import Tiers


def tiers(draft: Draft, tree: Tree, folder: Path) -> tuple[str | None, Tiers]:
    """The file of the adopted set as the policy names it, and the ladder without its rows."""
    table = draft.table(tree, "tiers", ("names", "adopted", "adoption", "method", "sources"))
    given = table.pop("adopted", None)
    adopted = None if given is None else draft.read(leaves.text, given, Place("tiers.adopted"))
    if "names" in table:
        table["names"] = list(draft.read(_ladder, table["names"], Place("tiers.names")) or ())
    told = {
        "method": draft.value(Method, table.pop("method", {}), Place("tiers.method")) or Method(),
        "sources": _sources(draft, table.pop("sources", {}), folder),
    }
    return adopted, draft.value(Tiers, table, Place("tiers"), file=adopted, rows=[], stale_at=None, **told) or Tiers()


def _sources(draft: Draft, tree: Tree, folder: Path) -> dict[str, TierSourcePolicy]:
    sources = draft.named(TierSourcePolicy, tree, "tiers.sources")
    return {name: with_path(with_file(source, folder), folder) for name, source in sources.items()}


def _ladder(tree: Tree) -> list[str]:
    """Names of tiers, best first: each a text that is not blank, and in one place only."""
    names = leaves.items(tree)

    def rung(index: int) -> str:
        name = leaves.text(names[index])
        if not name.strip():
            raise wrong("a tier has no name", "name it, or take it out")
        if name in names[:index]:
            raise wrong(f"{quoted(name)} stands there twice", "a tier has one rank")
        return name

    return gathered((index, rung, index) for index in range(len(names)))


def _at_home(path: str) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise wrong("begins with a home that nobody has", "write the path in full") from None


def with_rows(draft: Draft, policy: Policy, adopted: str, folder: Path, declared: Declared) -> Policy:
    """The policy with the rows of the adopted set, whose faults are told by the file they stand in."""
    name = f'"{adopted}"'
    try:
        tree = toml_tree(file_bytes(folder / _at_home(adopted)))
    except Faulty as error:
        draft.faults += [Fault("tiers.adopted", f"{name} {fault.wrong}", fault.remedy) for fault in error.faults]
        return policy
    sheet = Draft()
    found = drafted(sheet, tree)
    sheet.check(checked(sheet.parts, declared))
    draft.faults += [Fault(f"{adopted}: {fault.path}", fault.wrong, fault.remedy) for fault in sheet.faults]
    return evolve(policy, tiers=evolve(policy.tiers, rows=found.rows, stale_at=found.stale_at))
