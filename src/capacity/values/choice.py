"""The choice: where one turn of one session runs now, why there, and what was not chosen."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Literal

from attrs import field, frozen

from capacity.values import _check
from capacity.values.conditions import Fact
from capacity.values.decision import Judged, RunnerUp, Table, Verdict
from capacity.values.leases import NoLease
from capacity.values.seats import Candidate, Egress

ChoiceAct = Literal["stay", "return", "place", "move", "last-resort", "wait", "refuse"]


@frozen
class Choice:
    """What was chosen for one need.

    Attributes:
        id: `<as_of>-<turn>`; of one that a broker kept, the instant it was asked for and its session.
        as_of: the instant of its inputs, UTC.
        order: name of the order candidates were ranked by (`leases`).
        act: `stay` where the session is, `return` home, `place` it for the first time, `move` it because it cannot stay,
            `last-resort`: only the size of its prompt is in the way, and the roomiest place takes it; `wait`; `refuse`.
        fact: why.
        candidate: where it runs; None for `wait` and `refuse`.
        reasons: what decided between places that could serve, in the order it was asked.
        code: for `wait` and `refuse`, of the closed lists.
        about: for `wait`, the one candidate that is waited for.
        opens_at: for `wait` and `refuse`, when something may be had; away from home, when home may; UTC; None = not known.
        known: whether a provider told that instant.
        lane: the lane it was chosen in.
        step: 0 = the lane itself, 1 and up = that step of its fallback.
        home: where the session belongs, while it runs elsewhere; None = it is at home.
        egress: how far its requests leave; None where nothing was chosen.
        use: pool → percent it was ranked by; of one that nobody could read what it is taken for.
        tied: pools that were level, sorted.
        gain: tokens worth reading anew for the move or return that was weighed; None = none was.
        cost: tokens that would have to be read anew; None likewise.
        draws: counters that one more is drawn on by granting it.
        runners_up: at most two, best first.
        table: the need's answers.
        candidates: every candidate, sorted by key.
        groups: candidate → its group.
        verdicts: the distinct verdicts.
        circuits: the stops that were in force, sorted by key, each kept or lifted.
    """

    id: str
    as_of: datetime = field(converter=_check.utc)
    act: ChoiceAct
    fact: Fact
    table: Table
    candidate: Candidate | None = None
    order: str = "leases"
    reasons: tuple[Fact, ...] = ()
    code: NoLease | None = None
    about: Candidate | None = None
    opens_at: datetime | None = field(default=None, converter=_check.utc_or_none)
    known: bool = False
    lane: str = ""
    step: int = 0
    home: Candidate | None = None
    egress: Egress | None = None
    use: Mapping[str, float] = field(factory=dict, converter=_check.by_key)
    tied: tuple[str, ...] = field(default=(), converter=_check.ordered)
    gain: int | None = None
    cost: int | None = None
    draws: tuple[str, ...] = ()
    runners_up: tuple[RunnerUp, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    groups: tuple[int, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    circuits: tuple[Judged, ...] = ()

    @property
    def wait(self) -> timedelta | None:
        """How long until something may be had; None = not known, or nothing is waited for."""
        return None if self.opens_at is None else self.opens_at - self.as_of
