"""A fleet that a hive runs: one look at all its agents, then one call for each seat that changes.

What was last seen is what a change is held against. It is looked at anew when it is too old, and always after an answer
that does not tell what was done; nothing is sent a second time here.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from attrs import define, evolve, field
from capacity.errors import CapacityError
from capacity.ports import Ability, Candidate, Fleet, Outcome, Pause, Placement, Seat, Snapshot

from capacity_hive._answers import DONE, OURS, at, body_of, flipped, judge, placed, refused, together
from capacity_hive._hive import STATUS, Hive, segment, told, why
from capacity_hive._parked import note, parked
from capacity_hive._published import Publisher
from capacity_hive._status import Agent, Status, status

ABILITIES: frozenset[Ability] = frozenset({"move", "effort", "cadence", "park", "reads-back"})

SETTLED = timedelta(seconds=15)
"""How long a status may still show what was before a change: more than ten seconds were seen."""

OLD = timedelta(minutes=1)
"""Age at which a look is taken anew. A whole status can take half of it to be had."""

NOW = Pause(timedelta(0))
"""Asks for the instant and nothing else."""


@define(kw_only=True, eq=False)
class HiveActuator:
    """Reads and writes one hive.

    Attributes:
        name: the fleet's name.
        hive: where it is and how it is spoken to.
        pools: backend → the pool its agents draw on.
        path: the file of the seats we paused.
        modes: the governor's modes a cadence is set for; `()` = the one it is in.
        settle: how long a status may be behind.
        publisher: writes what we know where a hive looks for it; None = that is off.
    """

    name: str
    hive: Hive
    pools: Mapping[str, str]
    path: str
    modes: tuple[str, ...] = ()
    settle: timedelta = SETTLED
    publisher: Publisher | None = None
    _seen: Status | None = field(default=None, init=False, repr=False)

    @property
    def abilities(self) -> frozenset[Ability]:
        """What it can do; a report only where the policy switched it on."""
        return ABILITIES | {"report"} if self.publisher else ABILITIES

    @property
    def deadline(self) -> timedelta:
        """What one flow may take: a look at everything, and a change."""
        return STATUS + self.hive.patience + self.settle

    async def fleet(self) -> Fleet:
        """The agents as seats, as of when that was surely true.

        Raises:
            WireError: the hive does not answer, or its token is not there.
            CapacityError: its answer tells no agents; zero agents are an empty list.
        """
        seen = await self._look()
        seats = tuple(agent.seat for agent in seen.agents.values())
        return Fleet(self.name, seen.seen_at - self.settle, seats, refuses=seen.refuses)

    async def apply(self, placement: Placement) -> Outcome:
        """One call for one seat, where it still is as expected."""
        try:
            seen = await self._recent()
        except CapacityError as error:  # nothing was sent yet
            return Outcome("rejected", str(error))
        if seen.refuses:
            return Outcome("rejected", seen.refuses, seen.told_at)
        agent = seen.agents.get(placement.seat)
        answer = judge(agent.seat if agent else None, placement)
        if answer is not None or agent is None:
            return evolve(answer or Outcome("gone"), at=seen.told_at)
        try:
            outcome = await self._carry_out(agent.seat, placement)
        except CapacityError as error:  # it may have been done all the same
            outcome = Outcome("indeterminate", str(error))
        if outcome.word not in DONE:
            self._seen = None
        return outcome

    async def prepare(self, candidate: Candidate) -> Outcome:
        """Not offered: a hive loads nothing ahead."""
        return Outcome("rejected", f"a hive cannot prepare {candidate.model}")

    async def report(self, snapshot: Snapshot) -> Outcome:
        """Write what is left of each account where a hive looks for it."""
        if self.publisher is None:
            return Outcome("rejected", f"the fleet {self.name} takes no reports; its option `report` switches them on")
        return await self.publisher.publish(snapshot)

    # --- looking --------------------------------------------------------------------------------

    async def _look(self) -> Status:
        """All there is to see: the agents, the breaker, and which pauses are ours."""
        self._seen = None
        reply = await self.hive.get("/api/status", STATUS)
        seen = status(reply, self.name, self.pools)
        breaker = await self.hive.get("/api/breaker")
        if breaker.status == 200 and told(breaker).get("engaged") is True:
            seen = evolve(seen, refuses="the hive's breaker is engaged")
        elif breaker.status != 404 and not isinstance(told(breaker).get("engaged"), bool):
            seen = evolve(seen, refuses=f"the hive does not tell whether its breaker is engaged ({why(breaker)})")
        self._seen = (await parked(self.path)).over(seen)
        return self._seen

    async def _recent(self) -> Status:
        seen, now = self._seen, (await NOW).at
        return seen if seen is not None and now - seen.told_at <= OLD else await self._look()

    def _saw(self, seat: Seat) -> None:
        """Note a change of ours, so that the next one is held against it."""
        if self._seen is not None:
            self._seen = self._seen.after(seat)

    # --- changing -------------------------------------------------------------------------------

    async def _carry_out(self, seat: Seat, placement: Placement) -> Outcome:
        """What is to be done, one after another; nothing after a step that was not taken."""
        there, span = placement.candidate, placement.cadence
        if placement.act == "park":
            return await self._park(seat)
        done = Outcome("unchanged")
        if there is not None and not at(seat, there):
            done = await self._place(seat, there)
            seat = _placed(seat, there, self.pools)
        if seat.paused_by == OURS and done.word in DONE:
            done = together((done, await self._resume(seat)))
        if span not in (None, seat.cadence) and done.word in DONE:
            done = together((done, await self._pace(seat.name, span)))
        return done

    async def _place(self, seat: Seat, there: Candidate) -> Outcome:
        """Backend and model in one call: two calls can leave an agent with a model its backend does not know."""
        body = body_of(there, seat)
        if isinstance(body, Outcome):
            return body
        outcome = placed(await self.hive.send("PUT", f"/api/config/agent/{segment(seat.name)}/models", body))
        if outcome.word == "unverified":
            return await self._verified(seat, there, outcome)
        if outcome.word in DONE:
            self._saw(_placed(seat, there, self.pools))
        return outcome

    async def _verified(self, seat: Seat, there: Candidate, outcome: Outcome) -> Outcome:
        """An old hive saves a place and may launch another: it is looked at once, and never started again."""
        agent = await self._after_settling(seat.name)
        if agent is None or not at(agent.seat, there):
            return outcome
        return Outcome("applied", "read back: the hive launches it there", outcome.at)

    async def _after_settling(self, name: str) -> Agent | None:
        await Pause(self.settle)
        try:
            return (await self._look()).agents.get(name)
        except CapacityError:  # it was sent; only whether it took is not known
            return None

    async def _park(self, seat: Seat) -> Outcome:
        """A pause that is noted as ours before it is asked for, and no more where it was somebody else's first."""
        try:
            await note(self.path, seat, (await NOW).at)
        except CapacityError as error:
            return Outcome("rejected", f"{error}; a pause that is not noted would never end")
        reply = await self.hive.send("POST", f"/api/pause/{segment(seat.name)}")
        changed = flipped(reply)
        if changed is True:
            self._saw(evolve(seat, paused_by=OURS))
            return await self._stands(seat.name, paused=True)
        if changed is False:
            await note(self.path, seat, None)
            return Outcome("conflict", f"{seat.name} was paused by somebody else first", reply.at)
        if changed.word != "indeterminate":
            await note(self.path, seat, None)
        return changed

    async def _resume(self, seat: Seat) -> Outcome:
        """The end of a pause of ours; where somebody else ended it first, only the note goes."""
        reply = await self.hive.send("POST", f"/api/resume/{segment(seat.name)}")
        changed = flipped(reply)
        if isinstance(changed, Outcome):
            return changed
        await note(self.path, seat, None)
        self._saw(evolve(seat, paused_by=None))
        return await self._stands(seat.name, paused=False) if changed else Outcome("unchanged", at=reply.at)

    async def _stands(self, name: str, *, paused: bool) -> Outcome:
        """What the hive's own account of one agent says after a pause or a resume; its status lags behind that."""
        reply = await self.hive.get(f"/api/agent-state/{segment(name)}")
        if reply.status == 200 and told(reply).get("paused") is paused:
            return Outcome("applied", at=reply.at)
        word = "paused" if paused else "running"
        return Outcome("indeterminate", f"the hive does not say that {name} is {word} ({why(reply)})", reply.at)

    async def _pace(self, name: str, span: timedelta) -> Outcome:
        """One mode in each call, then a look: a hive answers 200 for a mode it does not know, and keeps the old one."""
        seen = await self._recent()
        before = seen.agents[name].cadences
        modes = self.modes or ((seen.mode,) if seen.mode else ())
        unknown = sorted({*modes} - before.keys())
        if unknown or not modes:
            words = f"{name} has no cadence for {', '.join(unknown) or 'the mode of its hive'}"
            return Outcome("rejected", f"{words}; it has {', '.join(sorted(before)) or 'none'}", seen.told_at)
        for mode in modes:
            body = {mode: int(span.total_seconds())}
            reply = await self.hive.send("PUT", f"/api/config/agent/{segment(name)}/cadences", body)
            if reply.status != 200:
                return refused(reply)
        agent = await self._after_settling(name)
        if agent is None:
            return Outcome("unverified", f"nobody could see whether the cadence of {name} took")
        missed = [mode for mode in modes if agent.cadences.get(mode) != span]
        was = ", ".join(f"{mode} was {before[mode] or 'paused'}" for mode in modes)
        if missed:
            return Outcome("rejected", f"the hive took no cadence of {name} for {', '.join(missed)} ({was})")
        return Outcome("applied", was)


def _placed(seat: Seat, there: Candidate, pools: Mapping[str, str]) -> Seat:
    """A seat once it is in a place, as a status will show it."""
    effort = None if at(evolve(seat, harness=there.harness, model=there.model, effort=None), there) else there.effort
    return evolve(seat, harness=there.harness, model=there.model, effort=effort, pool=pools.get(there.harness))
