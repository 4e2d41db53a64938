"""The decision: one act for each seat, and why; one table of verdicts for each distinct need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Literal

from attrs import field, frozen

from capacity.values import _check
from capacity.values.conditions import Condition, Fact
from capacity.values.failures import Circuit
from capacity.values.limits import Pace
from capacity.values.seats import Candidate, Egress, Need

Act = Literal["leave", "resume", "keep", "restore", "demote", "move", "adjust", "park"]
Answer = Literal["no", "wait", "cannot-tell", "yes"]
OutcomeWord = Literal[
    "applied", "applied-not-running", "unchanged", "unverified", "rejected", "conflict", "unauthorised", "gone",
    "indeterminate",
]  # fmt: skip  # one closed list, read as rows

WRITES: frozenset[Act] = frozenset({"resume", "restore", "demote", "move", "adjust", "park"})
"""The acts that change something; the others only say why nothing is changed."""

TOOK: frozenset[OutcomeWord] = frozenset({"applied", "applied-not-running", "unchanged", "unverified"})
"""The outcomes after which a placement counts as written."""


@frozen(cache_hash=True)
class Verdict:
    """The answer to one candidate for one need.

    Attributes:
        answer: the worst of `no`, `wait`, `cannot-tell`, `yes` over all rules.
        rule: the first rule, in the documented order, that gave that answer; `""` for yes.
        fact: why; None for yes.
    """

    answer: Answer
    rule: str = ""
    fact: Fact | None = None


@frozen
class Placement:
    """The one act for a seat.

    Attributes:
        id: `<tick>/<fleet>/<seat>`.
        fleet: the fleet's name.
        seat: the seat's name.
        act: what is done.
        fact: why.
        candidate: where the seat is after it; None for a park, or where its place is not known.
        expected: where it was before, as observed; None where that is not known.
        home: where it belongs while it is parked or demoted; None otherwise.
        until: for a park: the earliest known opening, UTC; None = somebody has to act.
        cadence: the cadence commanded; None = not changed.
        own_cadence: the seat's own, while another is commanded; None otherwise.
        egress: how far its requests leave; None where its pool is not known.
    """

    id: str
    fleet: str
    seat: str
    act: Act
    fact: Fact
    candidate: Candidate | None = None
    expected: Candidate | None = None
    home: Candidate | None = None
    until: datetime | None = field(default=None, converter=_check.utc_or_none)
    cadence: timedelta | None = None
    egress: Egress | None = None
    own_cadence: timedelta | None = None

    @property
    def key(self) -> tuple[str, str]:
        """(fleet, seat)."""
        return self.fleet, self.seat


@frozen
class Outcome:
    """What became of an applied placement.

    Attributes:
        word: one of the closed list.
        detail: one sentence, without secrets.
        at: when it was known, UTC; None = the actuator has no clock and the engine fills it in.
        permanent: the place itself was refused, and would be again; only ever with `rejected`.
    """

    word: OutcomeWord
    detail: str = ""
    at: datetime | None = field(default=None, converter=_check.utc_or_none)
    permanent: bool = False


@frozen
class RunnerUp:
    """A candidate that came close.

    Attributes:
        candidate: which.
        by: the first key of the order in which it lost (`observed`, `tier`, `preference`, `load`, `key`).
        margin: by how much, in that key's unit (tiers, places, points of load; 0 for `key`).
    """

    candidate: Candidate
    by: str
    margin: float


@frozen
class SeatDecision:
    """What was decided for one seat.

    Attributes:
        placement: the act.
        need: index into the decision's tables; None where the seat is left before its need is asked.
        origins: part of the need → the rule that gave it (`seat a`, `glob build-*`, `role x`, `default`).
        verdict: the answer to the place it is in now; None where that is not known.
        runners_up: at most two, best first.
    """

    placement: Placement
    need: int | None = None
    origins: Mapping[str, str] = field(factory=dict)
    verdict: Verdict | None = None
    runners_up: tuple[RunnerUp, ...] = ()


@frozen
class Table:
    """One need's answer to every candidate.

    Attributes:
        need: the need.
        verdicts: group of candidates → index into the decision's verdicts.
        refused: fact code → how many candidates it refuses (`no` only).
    """

    need: Need
    verdicts: tuple[int, ...]
    refused: Mapping[str, int] = field(factory=dict, converter=_check.by_key)


@frozen
class PoolPace:
    """How fast one pool is spent, and what is left to do about it.

    Attributes:
        pool: full name.
        pace: its word; `saturated` where nothing is left to do.
        now: fleet → the burn its controlled seats made when it was decided.
        commanded: fleet → the burn they are commanded to make from now on.
        changes: `fleet/seat` → what of it that seat's placement adds, or takes away; seats without a change are left out.
        low: the least they can be commanded to; None where nobody is controlled.
        high: the most.
        seats: how many are controlled.
        demotable: how many of them have a cheaper rung left.
        restorable: how many have a dearer one.
        slowable: how many can be given a slower cadence.
        hastenable: how many can be given a faster one.
        direction: for a saturated pool: `down`, nothing is left to shed; `up`, quota will be destroyed.
        because: for one: `reach`, the levers ran out; `uncontrolled`, what others spend alone empties it.
        leans: the side on which the level that would land it lies out of reach, whether or not its figures prove it now.
        unspent: for one saturated up: percent points that its binding limit will lose at its reset, as it looks now.
    """

    pool: str
    pace: Pace
    now: Mapping[str, float] = field(factory=dict, converter=_check.by_key)
    commanded: Mapping[str, float] = field(factory=dict, converter=_check.by_key)
    changes: Mapping[str, float] = field(factory=dict, converter=_check.by_key)
    low: float | None = None
    high: float | None = None
    seats: int = 0
    demotable: int = 0
    restorable: int = 0
    slowable: int = 0
    hastenable: int = 0
    direction: Literal["down", "up"] | None = None
    because: Literal["reach", "uncontrolled"] | None = None
    leans: Literal["down", "up"] | None = None
    unspent: float | None = None

    @property
    def level(self) -> float:
        """The burn that is commanded from now on, of all fleets together."""
        return sum(self.commanded.values())


def _by_pool(paces: Iterable[PoolPace]) -> tuple[PoolPace, ...]:
    """Paces in the order of their pools."""
    return tuple(sorted(paces, key=lambda pace: pace.pool))


@frozen
class Judged:
    """One stop in force, held against what was read since.

    Attributes:
        circuit: the stop.
        lifted: a newer reading or listing says otherwise, so that it stops nothing any more.
        fact: why it is kept, or lifted.
    """

    circuit: Circuit
    lifted: bool
    fact: Fact


@frozen
class Decision:
    """What a whole fleet should do now.

    Candidates that no rule can tell apart are one *group* and share their verdicts.

    Attributes:
        id: `<as_of>-<turn>`.
        as_of: the instant of its four inputs, UTC.
        order: name of the order candidates were ranked by (`seats`).
        candidates: every candidate, sorted by key.
        groups: candidate → its group.
        verdicts: the distinct verdicts.
        tables: one for each distinct need.
        seats: one for each seat, sorted by (fleet, seat).
        conditions: those that stand, and those that ended now; sorted by (code, subject).
        paces: of the pools that can be paced, sorted by pool.
        circuits: the stops that were in force, sorted by key, each kept or lifted.
    """

    id: str
    as_of: datetime = field(converter=_check.utc)
    order: str
    candidates: tuple[Candidate, ...] = ()
    groups: tuple[int, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    tables: tuple[Table, ...] = ()
    seats: tuple[SeatDecision, ...] = ()
    conditions: tuple[Condition, ...] = ()
    paces: tuple[PoolPace, ...] = field(default=(), converter=_by_pool)
    circuits: tuple[Judged, ...] = ()

    @property
    def placements(self) -> tuple[Placement, ...]:
        """The act of every seat, sorted by (fleet, seat)."""
        return tuple(seat.placement for seat in self.seats)

    def answers(self, need: int) -> Iterator[tuple[Candidate, Verdict]]:
        """Every candidate with its verdict for the need of that index: the flat rows, made when looked at."""
        row = self.tables[need].verdicts
        for candidate, group in zip(self.candidates, self.groups, strict=True):
            yield candidate, self.verdicts[row[group]]
