"""Logs turned into the present, and kept warm: a log is read once, and then only what was added [L19].

Each step is pure and takes what is new with what was known; `fold(a + b)` is `fold(a)` continued with `b`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Generic, TypeVar

from attrs import evolve, field, frozen

from capacity import codec
from capacity.core.catalogue import Catalogue, Known
from capacity.core.epochs import Sample as Figure
from capacity.core.headroom import Seen, fold, joined
from capacity.engine.documents import Sample, Written
from capacity.ports import Reading, Store
from capacity.values.conditions import Condition
from capacity.values.decision import TOOK, Outcome, OutcomeWord, Placement
from capacity.values.history import Entry, Level, Refusal
from capacity.values.models import Missed

V = TypeVar("V")
S = TypeVar("S")


class Fold(Generic[V, S]):
    """One log of a store as its present.

    Args:
        store: where the log is.
        log: its name.
        form: what its documents are.
        step: new values and the present so far → the present.
        start: the present before the first record that is read.
        since: sequence number of the last record already in `start`.
        read: reads a document, given what to call it; None = as the text form of `form`.
    """

    def __init__(
        self, store: Store, log: str, form: type[V], step: Callable[[Iterable[V], S], S], start: S, since: int = 0,
        read: Callable[[bytes, str], V] | None = None,
    ) -> None:  # fmt: skip  # what it works with, each once
        self._store, self._log, self._step = store, log, step
        self._read = read or (lambda body, source: codec.loads(form, body, source=source))
        self._present = start
        self.since = since

    def present(self) -> S:
        """The log folded up to its newest record.

        Raises:
            FormError: a record cannot be read; the message names the log and the record's number.
        """
        records = self._store.read(self._log, since=self.since)
        if records:
            new = [self._read(one.body, f"{self._log} {one.seq}") for one in records]
            self._present = self._step(new, self._present)
            self.since = records[-1].seq
        return self._present


COUNTS: frozenset[OutcomeWord] = TOOK | {"indeterminate"}
"""The outcomes after which a placement is the last we know of its seat; any other left the seat as it was."""


@frozen
class Told:
    """The journal as its present.

    Attributes:
        entries: (fleet, seat) → our last placement that took, or of which nobody can tell.
        sent: placement id → the intent that has no outcome yet.
        refused: key → the place that was refused, as it was refused last.
    """

    entries: Mapping[tuple[str, str], Entry]
    sent: Mapping[str, Written]
    refused: Mapping[object, Refusal] = field(factory=dict)


def told(new: Iterable[Written], before: Told) -> Told:
    """The step of the journal."""
    entries, sent, refused = dict(before.entries), dict(before.sent), dict(before.refused)
    for written in new:
        if written.outcome is None:
            sent[written.placement.id] = written
        else:
            sent.pop(written.placement.id, None)
            if written.outcome.word in COUNTS:
                entries[written.placement.key] = written.entry
            refusal = _refusal(written.placement, written.outcome, written.outcome.at or written.at)
            if refusal is not None:
                refused[refusal.key] = refusal
    return Told(entries, sent, refused)


def _refusal(act: Placement, outcome: Outcome, at: datetime) -> Refusal | None:
    """What an outcome tells of a place: that its fleet does not take it, or that we left it because of a refusal."""
    if outcome.permanent and act.candidate is not None:
        return Refusal(act.fleet, act.candidate, at)
    if outcome.word in TOOK and act.fact.code == "core:refused" and act.expected is not None:
        return Refusal(act.fleet, act.expected, at, seat=act.seat)
    return None


Standing = Mapping[tuple[str, str], Condition]
"""(code, subject) → the condition that stands."""


def standing(new: Iterable[Condition], before: Standing) -> Standing:
    """The step of the conditions: what was raised and not cleared."""
    after = dict(before)
    for condition in new:
        if condition.status == "raised":
            after[condition.key] = condition
        else:
            after.pop(condition.key, None)
    return after


LEVELS_KEPT = timedelta(days=10)
"""How far back steps of a level are kept: longer than any figure they are held against."""


def leveled(new: Iterable[Level], before: tuple[Level, ...]) -> tuple[Level, ...]:
    """The step of the levels: those of late, and of each pool the last before them."""
    every = sorted((*before, *new), key=lambda one: one.at)
    late = every[-1].at - LEVELS_KEPT if every else None
    last = {one.pool: one for one in every if late is not None and one.at < late}
    return (*last.values(), *(one for one in every if late is not None and one.at >= late))


def resting(seen: Mapping[str, Seen]) -> tuple[Reading, ...]:
    """The newest readings that the fold of readings keeps whole."""
    return tuple(
        reading for one in seen.values() for reading in (*(() if one.last in one.told else (one.last,)), *one.told)
    )


def figures(seen: Mapping[str, Seen]) -> Mapping[str, Mapping[str, tuple[tuple[float, ...], ...]]]:
    """The figures that the fold of readings keeps of the others."""
    return {
        pool: {name: tuple(tuple(figure) for figure in told) for name, told in one.samples.items()}
        for pool, one in seen.items()
        if one.samples
    }


def unmarked(
    readings: Iterable[Reading], figures: Mapping[str, Mapping[str, tuple[tuple[float, ...], ...]]]
) -> dict[str, Seen]:
    """The fold of readings from its documents."""
    seen = fold(readings)
    for pool, told in figures.items():
        marked = {name: [Figure(*figure) for figure in found] for name, found in told.items()}
        seen[pool] = evolve(seen[pool], samples=joined(seen[pool].samples, marked))
    return seen


def sampled(known: Catalogue) -> tuple[Sample, ...]:
    """The fold of listings as documents."""
    return tuple(
        Sample(account, one.newest, one.binding, tuple(Missed(*pair) for pair in one.models.values()))
        for (account, _), one in known.items()
    )


def unsampled(samples: Iterable[Sample]) -> Catalogue:
    """The fold of listings from its documents."""
    return {
        (one.account, one.models[0].model.pool): Known(
            one.newest,
            one.binding,
            {(missed.model.pool, missed.model.id): (missed.model, missed.misses) for missed in one.models},
        )
        for one in samples
    }
