"""What the policy file says of tiers: where scores come from, how they become tiers, and the set that was adopted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from capacity import Policy, load_policy
from capacity.codec.keys import keys_of
from capacity.errors import PolicyError
from capacity.values.methods import TRUST, WEIGHTS, Method, Vetoes
from capacity.values.policy import Credentials
from tests.architecture.house import ROOT


def read(folder: Path, text: str, adopted: str = "rows = []") -> Policy:
    (folder / "adopted.toml").write_text(adopted, encoding="utf-8")
    (folder / "policy.toml").write_text(f"version = 1\n{text}", encoding="utf-8")
    return load_policy(folder / "policy.toml")


def faults(folder: Path, text: str) -> list[str]:
    with pytest.raises(PolicyError) as caught:
        read(folder, text)
    return [str(fault) for fault in caught.value.faults]


def test_a_source_is_told_by_its_name(tmp_path: Path) -> None:
    """Its plugin, whether it is required, where its key is; a relative path begins at the file's folder."""
    text = """
    [tiers.sources.board]
    plugin = "file"
    required = true
    options = { path = "scores.toml" }
    [tiers.sources.keyed]
    credentials = { env = "BOARD_KEY" }
    [tiers.sources.filed]
    credentials = { file = "key.txt" }
    """
    sources = read(tmp_path, text).tiers.sources

    assert ["board", "filed", "keyed"] == list(sources)
    assert ("file", True, {"path": str(tmp_path / "scores.toml")}) == (
        sources["board"].plugin, sources["board"].required, sources["board"].options,
    )  # fmt: skip  # one value
    assert (None, False) == (sources["keyed"].plugin, sources["keyed"].required)
    assert [Credentials(env="BOARD_KEY"), Credentials(file=str(tmp_path / "key.txt"))] == [
        sources[name].credentials for name in ("keyed", "filed")
    ]


def test_a_method_is_the_default_but_for_what_is_said(tmp_path: Path) -> None:
    """One trust and one weight leave the others as they are."""
    text = "[tiers.method]\ncertainty = 0.9\nhold_s = 3600\ntrust = { submitter = 0.5 }\nweights = { mine = 0.5 }\n[tiers.method.vetoes]\ntrials = 50"
    method = read(tmp_path, text).tiers.method

    assert (
        Method(
            certainty=0.9,
            hold=timedelta(hours=1),
            trust={"submitter": 0.5},
            weights={"mine": 0.5},
            vetoes=Vetoes(trials=50),
        )
        == method
    )
    assert ({**TRUST, "submitter": 0.5}, {**WEIGHTS, "mine": 0.5}) == (method.trust, method.weights)
    assert Method() == read(tmp_path, "").tiers.method


def test_an_adopted_set_tells_when_it_is_stale(tmp_path: Path) -> None:
    """And what each row rests on; whatever else the file holds is for proposals."""
    adopted = """
    id = "ts-1"
    cuts = [0.5]
    ladder = ["high", "low"]
    stale_at = 2026-11-01T00:00:00Z
    [[rows]]
    tier = "high"
    harness = "cli"
    model = "m"
    standing = "measured"
    proven = "low"
    evidence = ["board:1"]
    """
    text = '[tiers]\nnames = ["high", "low"]\nadopted = "adopted.toml"\n[accounts.a]\nplugin = "x"\nkind = "local"\n[harnesses.cli]\npools = ["a"]'
    tiers = read(tmp_path, text, adopted).tiers

    assert datetime(2026, 11, 1, tzinfo=UTC) == tiers.stale_at
    assert ("measured", "low", ("board:1",)) == (tiers.rows[0].standing, tiers.rows[0].proven, tiers.rows[0].evidence)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[tiers.method]\ncertainty = 0.4", "tiers.method.certainty: 0.4 is out of range (give it from 0.5 to 1)"),
        ("[tiers.method]\ntau_model = 0", "tiers.method.tau_model: must be more than 0"),
        ("[tiers.method]\nstale_after_s = 0", "tiers.method.stale_after_s: must be more than 0"),
        ("[tiers.method]\ncertanty = 0.9", 'tiers.method.certanty: no such key (did you mean "certainty"?)'),
        ("[tiers.method]\nweights = { a = 2 }", "tiers.method.weights.a: 2.0 is out of range (give it from 0 to 1)"),
        ("[tiers.method]\ntrust = { vendor = 1 }", 'tiers.method.trust.vendor: there is no provenance "vendor" (did you mean "model-vendor"?)'),
        ("[tiers.method]\ntrust = { submitter = 99 }", "tiers.method.trust.submitter: 99.0 is out of range (give it from 0 to 10, in logits)"),
        ("[tiers.method.vetoes]\nmoves = 2", "tiers.method.vetoes.moves: 2.0 is out of range (give it from 0 to 1)"),
        ('[tiers.sources."a/b"]', 'tiers.sources."a/b": the name of a source holds a / (names of pools and seats are joined by it; use another sign)'),
        ("[tiers.sources.a]\nkey = 1", 'tiers.sources.a.key: no such key (known: "credentials", "options", "plugin", "required")'),
        ("[tiers.sources.a]\ncredentials = {}", "tiers.sources.a.credentials: must say either env or file (keep the one that holds the secret)"),
        ('[tiers.sources.a]\noptions = { token = "x" }', 'tiers.sources.a.options.token: looks like a secret (the policy holds no secret: say where it is, `credentials = { env = "NAME" }` or `{ file = "PATH" }`)'),
    ],
)  # fmt: skip  # one fault a line
def test_each_fault_names_its_key(tmp_path: Path, text: str, told: str) -> None:
    """With what is wrong and what to do."""
    assert [told] == faults(tmp_path, text)


def test_every_constant_is_on_the_page() -> None:
    """The reference names each key of the method, of the vetoes and of a source."""
    page = (ROOT / "docs" / "reference" / "policy-file.md").read_text(encoding="utf-8")
    keys = {*keys_of(Method).values(), *keys_of(Vetoes).values()} - {"vetoes"}

    assert [] == sorted(key for key in keys if f"`{key}`" not in page)


def test_the_name_of_a_source_is_told_from_the_ids_of_its_rows(tmp_path: Path) -> None:
    """An id is the source's name, a colon, and the row's: with a colon in the name it would be another source's."""
    (fault,) = faults(tmp_path, '[tiers.sources."a:b"]\nplugin = "file"\noptions = { path = "scores.toml" }')

    assert fault.startswith('tiers.sources."a:b"')
    assert "holds a :" in fault
