"""How the demo says things: seats in ranges, moments of the week, what was read, and what was done with whom.

Every reason is the core's own sentence; nothing here explains a decision in words of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from itertools import groupby

from capacity.core.explain import figure
from capacity.core.sentences import sentence
from capacity.ports import Limit, Placement, Reading
from capacity.values.conditions import Condition
from capacity.values.decision import WRITES
from capacity.values.limits import Interval
from capacity.values.seats import Candidate


def moment(at: datetime) -> str:
    """A moment of the week."""
    return f"{at:%a %H:%M}"


def group_of(seat: str) -> str:
    """The group a seat belongs to: its name without its number."""
    return seat.rpartition("-")[0]


def names(seats: Iterable[str]) -> str:
    """Seats as a person lists them: `lead-1 … lead-4, scribe-2`."""
    numbered = sorted((group_of(seat), int(seat.rpartition("-")[2])) for seat in seats)
    runs = groupby(enumerate(numbered), key=lambda one: (one[1][0], one[1][1] - one[0]))
    return ", ".join(_run([f"{group}-{number}" for _, (group, number) in run]) for _, run in runs)


def _run(seats: list[str]) -> str:
    return ", ".join(seats) if len(seats) < 3 else f"{seats[0]} … {seats[-1]}"


def place(candidate: Candidate) -> str:
    """A place in a few words."""
    return f"{candidate.model} on {candidate.pool}"


def act(placement: Placement) -> str:
    """What is done with a seat."""
    if placement.act == "leave":
        return "leave alone"
    if placement.candidate is None:  # parked
        ends = moment(placement.until) if placement.until else "somebody acts"
        return f"{placement.act} parked until {ends}" if placement.act == "keep" else f"{placement.act} until {ends}"
    if placement.act not in WRITES:
        return placement.act
    return f"{placement.act} to {place(placement.candidate)}"


def done(acts: Mapping[str, Placement], staying: Collection[str]) -> Iterator[tuple[str, str, str]]:
    """Who, what and why, one row for all seats that were decided alike; those nothing is done with as one number.

    Args:
        acts: seat → its act.
        staying: groups that are told of all the same.
    """
    told: dict[tuple[str, str], list[str]] = {}
    others = 0
    for seat, placement in acts.items():
        if placement.act in WRITES or group_of(seat) in staying or seat in staying:
            told.setdefault((act(placement), sentence(placement.fact)), []).append(seat)
        else:
            others += 1
    for (what, why), seats in told.items():
        yield names(seats), what, why
    if others:
        yield f"{'the other' if told else 'all'} {others}", "stay as they are", ""


def told(changed: Iterable[Condition]) -> Iterator[tuple[str, str, str]]:
    """What a person is needed for, and what not any more; not seat by seat."""
    for one in changed:
        if one.loud and "/" not in one.fact.subject:
            yield (
                "operator",
                "is told" if one.status == "raised" else "is told that it ended",
                sentence(one.fact),
            )


def read(reading: Reading | None) -> str:
    """What was read of a pool; None = it was not asked."""
    if reading is None:
        return "not asked"
    if reading.state != "ok":
        return f"read as {reading.state}" + (f": {reading.detail}" if reading.detail else "")
    return "read: " + "; ".join(limit(one) for one in reading.limits)


def limit(one: Limit) -> str:
    """One limit in a few words."""
    used = None if one.percent is None else Interval(one.percent, one.percent)
    return f"{one.name} {figure(one, used)}"
