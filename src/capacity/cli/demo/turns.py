"""How the sessions of the third act have their turns: a lease, a real request, its end; and how that is told.

Whatever a session tells of a turn is counted here too, so that the broker's count can be held against it.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta

from attrs import define, evolve, field, frozen

from capacity.cli.demo import words
from capacity.cli.demo.sessions import Street, need_of, usage_of
from capacity.cli.demo.week import Episode, Line
from capacity.cli.lines import age
from capacity.core.sentences import sentence
from capacity.engine import Broker, Engine
from capacity.engine.leasing import Reply
from capacity.testing.clocks import SettableClock
from capacity.values.leases import Lease, Refused, Usage, Wait

Told = Lease | Wait | Refused


@frozen
class Turn:
    """What became of one turn.

    Attributes:
        told: what its session was told when it asked.
        reply: what it was told at the end; None = it had no lease.
    """

    told: Told
    reply: Reply | None = None

    @property
    def pool(self) -> str:
        """Where it ran; "" = nowhere."""
        return pool_of(self.told)

    @property
    def charged(self) -> tuple[str, str]:
        """The kind of its failure, and whom that blames; ("", "") = it did not fail."""
        failure = None if self.reply is None else self.reply.settled.failure
        return ("", "") if failure is None else (failure.kind, failure.blames)

    @property
    def until(self) -> datetime | None:
        """Until when what it blames is left alone, where its provider told that."""
        return self.reply.until if self.reply is not None and self.reply.known else None

    @property
    def loops(self) -> bool:
        """Whether its session was stopped."""
        return self.reply is not None and self.reply.looping is not None


@define
class Turns:
    """Sessions on a street.

    Attributes:
        street: the servers.
        clock: their clock, and the broker's.
        engine: what the broker shares.
        broker: grants the turns.
        episode: what is told.
        granted: every lease that was granted.
        counts: (pool, `turns` or `tokens`) → what the sessions told.
    """

    street: Street
    clock: SettableClock
    engine: Engine
    broker: Broker
    episode: Episode
    granted: list[Lease] = field(factory=list)
    counts: Counter[tuple[str, str]] = field(factory=Counter)

    # --- one turn ---------------------------------------------------------------------------------

    def turn(self, session: str, *, whole: bool = True, usage: Usage | None = None) -> Turn:
        """A session asks for a turn, and has it."""
        return self.end(self.ask(session), whole=whole, usage=usage)

    def ask(self, session: str) -> Told:
        """A session asks for its next turn."""
        told = self.broker.lease(session, need_of(session))
        if isinstance(told, Lease):
            self.granted.append(told)
            self.tell(session, *self._place(told))
        else:
            self.tell(session, *_nothing(told))
        return told

    def end(self, told: Told, *, whole: bool = True, usage: Usage | None = None) -> Turn:
        """Run the turn a session was granted, if it was, and tell the broker what came of it.

        Args:
            told: what the session was told.
            whole: whether its request is as it has to be.
            usage: what it used; None = what is answered tells.
        """
        if not isinstance(told, Lease):
            return Turn(told)
        pool = told.candidate.pool
        if usage is None:
            answer = self.street.run(told, whole=whole)
            if answer.status != 200:
                self.count(pool, Usage())
                reply = self.broker.fail(told, answer)
                self.tell(told.session, f"answered {answer.status}", _charged(reply))
                return Turn(told, reply)
            usage = usage_of(answer)
        self.count(pool, usage)
        return Turn(told, self.broker.settle(told, usage))

    def count(self, pool: str, usage: Usage) -> None:
        """Count a turn as its session tells of it."""
        told = (one for one in (usage.input, usage.output, usage.cache_write) if one is not None)
        self.counts[pool, "turns"] += 1
        self.counts[pool, "tokens"] += sum(int(one.value) for one in told)

    # --- telling ----------------------------------------------------------------------------------

    def tell(self, who: str, what: str, why: str = "") -> None:
        """A line; who did the same as the one before, at the same time, shares its line."""
        lines, when = self.episode.lines, words.moment(self.clock.now())
        latest = next((line.when for line in reversed(lines) if line.when), "")
        if when == latest and (lines[-1].what, lines[-1].why) == (what, why):
            names = dict.fromkeys([*lines[-1].who.split(", "), who])
            lines[-1] = evolve(lines[-1], who=", ".join(names))
        else:
            lines.append(Line("" if when == latest else when, who, what, why))

    def promise(self, text: str, held: bool) -> None:
        """What should have come of it, and whether it did."""
        self.episode.promises[text] = held

    def later(self, **span: float) -> None:
        """Let time pass."""
        self.clock.advance(timedelta(**span))

    def until(self, hour: int) -> None:
        """Let time pass until an hour of the day."""
        self.clock.set(self.at(hour))

    def at(self, hour: int) -> datetime:
        """An instant of the day."""
        return self.clock.now().replace(hour=hour, minute=0, second=0)

    def _place(self, lease: Lease) -> tuple[str, str]:
        """What is done with a session, and why: what decided last, where it was placed."""
        kept = self.broker.choices(lease.session)
        chosen = next((one for one in kept if (one.id, one.candidate) == (lease.decision, lease.candidate)), None)
        if chosen is None:
            return f"stays: {words.place(lease.candidate)}", ""
        why = chosen.reasons[-1] if chosen.act == "place" and chosen.reasons else chosen.fact
        return f"{chosen.act}: {words.place(lease.candidate)}", sentence(why)


def pool_of(told: Told) -> str:
    """Where a session was sent; "" = nowhere."""
    return told.candidate.pool if isinstance(told, Lease) else ""


def _nothing(told: Wait | Refused) -> tuple[str, str]:
    if isinstance(told, Wait):
        return f"waits{'' if told.span is None else f', {age(told.span)} at the most'}", sentence(told.fact)
    ends = "" if told.until is None else f" until {words.moment(told.until)}"
    return f"refused{ends}: {told.code}", sentence(told.fact)


def _charged(reply: Reply) -> str:
    """The kind of a failure, whom it is charged to, and until when that is left alone."""
    failure = reply.settled.failure
    if failure is None or failure.blames == "none":
        return f"{failure.kind if failure else ''}, charged to nobody"
    span = "" if reply.until is None else f" for {age(reply.until - reply.settled.at)}"
    told = ", as the provider says" if reply.known else ""
    return f"{failure.kind}, charged to its {failure.blames}{span}{told}"
