"""What the cells say of each pair: measured, borrowed from its model and its harness met elsewhere, or by its family.

Rows that may not decide are never in the fit that places; where nothing else is known of a pair, they show what it might be.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import pairwise

from attrs import evolve, frozen

from capacity.core.tiering.cells import Cell, Subject
from capacity.core.tiering.chance import Z95, not_worse, share
from capacity.core.tiering.field import Shelf
from capacity.core.tiering.letters import letters
from capacity.core.tiering.model import Fit, Worth
from capacity.values.evidence import Evidence, Pair, PairEstimate
from capacity.values.methods import Method
from capacity.values.rankings import KnownModel
from capacity.values.tiers import Standing


@frozen(eq=False)
class Estimated:
    """One pair with what it is worth.

    Attributes:
        pair: which.
        worth: what it is worth.
        standing: what that rests on.
        cells: the cells that are its own.
        ceiling: the pair whose tier it may not pass; None = none.
        flags: words a reader must know.
    """

    pair: Pair
    worth: Worth
    standing: Standing
    cells: Sequence[Cell] = ()
    ceiling: Pair | None = None
    flags: tuple[str, ...] = ()


def reference(cells: Iterable[Cell], wanted: Sequence[str | None]) -> str:
    """The benchmark that scores are told at: the first wanted one that has cells, else the one with most, the surest of equals.

    Args:
        cells: at least one.
        wanted: keys, the most wanted first.
    """
    noise: dict[str, list[float]] = {}
    for cell in cells:
        noise.setdefault(cell.benchmark, []).append(cell.variance)
    given = next((key for key in wanted if key in noise), None)
    return given or min(noise, key=lambda key: (-len(noise[key]), sum(noise[key]), key))


def ranked(
    fit: Fit | None, wide: Fit | None, shelf: Shelf, known: Sequence[KnownModel], told_at: str, target: str | None
) -> list[Estimated]:
    """Every pair the cells can tell of, best first.

    Args:
        fit: of the cells that decide; None = there are none.
        wide: of these and of those that only inform; None = there are none of those.
        shelf: what could run.
        known: the models of the catalogues.
        told_at: key of the benchmark that worths are told at.
        target: key of the benchmark whose own effect counts; None = general work.
    """
    found = {} if fit is None else _placeable(fit, shelf, known, told_at, target)
    for one in [] if wide is None else _informed(found, fit or wide, wide, told_at, target):
        found[one.pair] = one
    return sorted(found.values(), key=lambda one: (-one.worth.mean, str(one.pair)))


def _placeable(
    fit: Fit, shelf: Shelf, known: Sequence[KnownModel], told_at: str, target: str | None
) -> dict[Pair, Estimated]:
    found = {one.pair: one for one in _measured(fit, told_at, target)}
    subjects = sorted({cell.subject for cell in fit.cells})
    for pair in (pair for subject in subjects for pair in shelf.runnable(subject) if pair not in found):
        found[pair] = Estimated(pair, fit.worth(pair.harness, _subject(pair), told_at, target), "borrowed")
    for one in _by_family(found, shelf, known, fit.method):
        found.setdefault(one.pair, one)
    return found


def _subject(pair: Pair) -> Subject:
    return pair.model, pair.effort or ""


def _measured(fit: Fit, told_at: str, target: str | None) -> list[Estimated]:
    own = _own(fit.cells)
    return [
        Estimated(pair, fit.worth(pair.harness, _subject(pair), told_at, target), "measured", mine)
        for pair, mine in own.items()
    ]


def _own(cells: Iterable[Cell]) -> dict[Pair, list[Cell]]:
    own: dict[Pair, list[Cell]] = {}
    for cell in cells:
        if cell.harness is not None:
            own.setdefault(Pair(cell.harness, cell.subject[0], cell.subject[1] or None), []).append(cell)
    return own


def _informed(
    found: Mapping[Pair, Estimated], fit: Fit, wide: Fit, told_at: str, target: str | None
) -> list[Estimated]:
    """Pairs of which only rows tell that may not decide: shown, and placed nowhere."""
    return [
        Estimated(pair, model.worth(pair.harness, _subject(pair), told_at, target), "unranked", mine)
        for pair, mine in _own(wide.cells).items()
        if pair not in found
        for model in [fit if fit.knows(_subject(pair)) else wide]
    ]


# --- by family ------------------------------------------------------------------------------------


def _by_family(
    found: Mapping[Pair, Estimated], shelf: Shelf, known: Sequence[KnownModel], method: Method
) -> list[Estimated]:
    """Listed models nobody measured: as their predecessor, plus a step, and unsure by as much as such steps differ."""
    before = _predecessors(shelf, known)
    made = []
    for one in found.values():
        for model in sorted(model for model, predecessor in before.items() if predecessor == one.pair.model):
            pair = evolve(one.pair, model=model)
            if shelf.available(pair) and pair not in found and one.standing == "measured":
                made.append(_stepped(pair, one, method))
    return made


def _stepped(pair: Pair, before: Estimated, method: Method) -> Estimated:
    at = share(before.worth.mean)
    unsure = method.step_sd / 100 / max(at * (1 - at), 0.05)
    worth = Worth(before.worth.mean + method.step, before.worth.root, before.worth.variance + unsure**2)
    return Estimated(pair, worth, "provisional", (), before.pair, (f"after-{before.pair.model}",))


def _predecessors(shelf: Shelf, known: Sequence[KnownModel]) -> dict[str, str]:
    """Listed model → the one of its family that came out last before it."""
    lines: dict[str, list[tuple[datetime, str]]] = {}
    for one in known:
        model = shelf.names.meaning(one.id).model
        if one.family is not None and one.released_at is not None and model is not None:
            lines.setdefault(one.family, []).append((one.released_at, model))
    before = {}
    for line in lines.values():
        ordered = sorted(set(line))
        for (earlier, predecessor), (later, model) in pairwise(ordered):
            if earlier < later and predecessor != model:
                before[model] = predecessor
    return before


# --- as values ------------------------------------------------------------------------------------


def told(pairs: Sequence[Estimated], rows: Sequence[Evidence], shelf: Shelf, method: Method) -> list[PairEstimate]:
    """The pairs as values, without tiers, best first.

    Args:
        pairs: of `ranked`.
        rows: the evidence.
        shelf: what could run.
        method: the margin, and how sure an alternative must be.
    """
    by_id = {row.id: row for row in rows}
    compared = [one for one in pairs if one.standing == "measured"]
    signs = dict(zip(compared, letters([one.worth for one in compared], method.cut_alpha), strict=True))
    usable = [one for one in pairs if one.standing in ("measured", "borrowed") and shelf.available(one.pair)]
    parts = _components(compared)
    return [
        evolve(
            _told(one, by_id, shelf),
            letters=signs.get(one, ""),
            component=parts.get(one.pair, 0),
            alternatives=_alternatives(one, usable, method),
        )
        for one in pairs
    ]


def _told(one: Estimated, by_id: Mapping[str, Evidence], shelf: Shelf) -> PairEstimate:
    mean, stderr = one.worth.mean, one.worth.stderr
    ids = sorted({id for cell in one.cells for id in cell.ids})
    rows = [by_id[id] for id in ids]
    return PairEstimate(
        pair=one.pair,
        theta=mean,
        stderr=stderr,
        score=100 * share(mean),
        low=100 * share(mean - Z95 * stderr),
        high=100 * share(mean + Z95 * stderr),
        standing=one.standing,
        benchmarks=len({cell.benchmark for cell in one.cells}),
        rows=len(ids),
        measured_at=max((row.measured_at for row in rows if row.measured_at is not None), default=None),
        evidence=ids,
        available=shelf.available(one.pair),
        flags=[*one.flags, *(flag for row in rows for flag in row.flags)],
    )


def _alternatives(one: Estimated, usable: Sequence[Estimated], method: Method) -> list[str]:
    """Who may replace it: whoever is not worse by the margin, with the policy's certainty; not being told apart is not enough."""
    return [
        str(other.pair)
        for other in usable
        if other.pair != one.pair
        and not_worse(other.worth.mean - one.worth.mean, other.worth.apart(one.worth), method.margin)
        >= method.certainty
    ]


def _components(pairs: Sequence[Estimated]) -> dict[Pair, int]:
    """Pairs in groups that share a model, a harness or a benchmark, from pair to pair; the first group is 1."""
    heads: dict[tuple[str, ...], tuple[str, ...]] = {}

    def head(key: tuple[str, ...]) -> tuple[str, ...]:
        while heads.setdefault(key, key) != key:
            key = heads[key]
        return key

    for one in pairs:
        for cell in one.cells:
            for key in (("harness", one.pair.harness), ("benchmark", cell.benchmark)):
                heads[head(key)] = head(("model", *cell.subject))
    numbers: dict[tuple[str, ...], int] = {}
    return {one.pair: numbers.setdefault(head(("model", *_subject(one.pair))), len(numbers) + 1) for one in pairs}
