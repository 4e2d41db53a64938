"""The demo's third act: sessions that lease their turns, and what becomes of each of them when something goes wrong.

Broker, engine, store and plugins are the real ones, and so are requests and refusals; nobody waits in real time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from datetime import datetime, timedelta
from pathlib import Path

from attrs import frozen

from capacity.cli.demo.sessions import METERS, SPENT, Street
from capacity.cli.demo.turns import Turns, pool_of
from capacity.cli.demo.week import Episode
from capacity.cli.screen import Table
from capacity.codec import load_policy
from capacity.engine import Broker, Engine, Settings
from capacity.plugins import Plugins
from capacity.store import sqlite
from capacity.testing.clocks import SettableClock
from capacity.values.budgets import Spent
from capacity.values.leases import Amount, Lease, Refused, Usage, Wait

MORNING = timedelta(hours=8)
"""When the act begins, after its midnight."""

SEED = b"0"
"""What chance is drawn from: the story is the same each time it is told."""

GUESSED = Usage(Amount(1), Amount(7_500, "estimated"), Amount(400, "estimated"))
"""A turn whose server told nothing, as its session puts it."""

REWRITTEN = Usage(Amount(1), Amount(400_000), Amount(900), Amount(0))
"""A turn that read its whole prompt anew."""


@frozen
class Leased:
    """The act, once it is over.

    Attributes:
        episode: what is told.
        spent: (pool, meter) → our own count.
    """

    episode: Episode
    spent: Mapping[tuple[str, str], Spent]

    @property
    def table(self) -> Table:
        """What the turns used, by our own count."""
        pools = sorted({pool for pool, _ in self.spent})
        rows = tuple((pool, *(_figure(self.spent[pool, meter]) for meter in METERS)) for pool in pools)
        return Table("What the turns used, by our own count", ("pool", *METERS), rows)


def leased(folder: Path, start: datetime, plugins: Plugins, tell: Callable[[Episode], None]) -> Leased:
    """Let the third act happen.

    Args:
        folder: where it is left; it must not exist.
        start: the midnight before it.
        plugins: the backends.
        tell: is given its episode.
    """
    folder.mkdir()
    clock = SettableClock(start + MORNING)
    street = Street(folder, clock)
    episode = Episode(12, "sessions lease their turns")
    with ExitStack() as running:
        policy = load_policy(street.open(running))
        store = running.enter_context(closing(sqlite(path=folder / "capacity.db", clock=clock)))
        store.swap("seed", SEED, None)
        engine = running.enter_context(Engine(policy, store=store, plugins=plugins, clock=clock))
        broker = running.enter_context(Broker(policy, engine=engine))
        spent = happen(Turns(street, clock, engine, broker, episode))
    tell(episode)
    return Leased(episode, spent)


def happen(turns: Turns) -> Mapping[tuple[str, str], Spent]:
    """The whole morning; what it used by our own count."""
    turns.engine.probe()
    six_at_once(turns)
    a_window_fills(turns)
    a_burst(turns)
    a_malformed_request(turns)
    a_refused_turn(turns)
    both_windows_reset(turns)
    a_broken_provider(turns)
    a_killed_holder(turns)
    a_session_that_loops(turns)
    return the_count(turns)


def six_at_once(turns: Turns) -> None:
    """Most headroom first, and level pools take turns."""
    six = [turns.ask(name) for name in ("code-1", "code-2", "code-3", "code-4", "plan-1", "plan-2")]
    others = [turns.ask(name) for name in ("lab-1", "exam-1")]
    even = [pool_of(told) for told in six]
    turns.promise(
        "two level pools get three of six sessions each, the fullest none",
        Counter(even) == {"north": 3, "south": 3} and even[0] != even[1],
    )
    for told in (*six, *others):
        turns.end(told)


def a_window_fills(turns: Turns) -> None:
    """Nobody has read it yet, and no turn goes there all the same."""
    turns.later(minutes=6)
    turns.street.fill("north", 100, turns.at(10))
    turns.tell("north", "its 5 hours are full until 10:00, and nobody has read that yet")
    asked, tried = turns.street.probes("north"), turns.street.turns("north")
    first, new = turns.turn("code-1"), turns.turn("code-5")
    once = (turns.street.probes("north"), turns.street.turns("north")) == (asked + 1, tried)
    turns.promise("the next turn does not get it: the broker asked first", once and first.pool == new.pool == "south")
    lease = first.told
    home = lease.home if isinstance(lease, Lease) else None
    returns = lease.returns_at if isinstance(lease, Lease) else None
    turns.promise(
        "away from home its lease says where that is, and from when",
        home is not None and (home.pool, returns) == ("north", turns.at(10)),
    )


def a_burst(turns: Turns) -> None:
    """A 429 that says nothing of the quota."""
    turns.street.burst("south", seconds=12)
    burst, beside = turns.turn("code-2"), turns.turn("plan-2")
    turns.later(seconds=12)
    again = turns.turn("code-2")
    turns.promise(
        "a burst stops one model for the seconds it says, and moves nobody",
        burst.charged == ("rate", "candidate") and beside.pool == again.pool == "south",
    )


def a_malformed_request(turns: Turns) -> None:
    """A request that is at fault itself."""
    wrong = turns.turn("code-3", whole=False)
    reply = wrong.reply
    turns.promise(
        "a malformed request blames nobody, and is worth no retry",
        wrong.charged == ("payload", "none") and reply is not None and not reply.stops and not reply.retry,
    )


def a_refused_turn(turns: Turns) -> None:
    """A quota that is spent while a turn is on its way."""
    held = turns.ask("code-2")
    turns.street.fill("south", 100, turns.at(11))
    tried = turns.street.turns("south")
    spent = turns.end(held)
    after = [turns.turn("code-2").pool, turns.turn("code-3").pool]
    turns.promise(
        "a spent quota is charged to the pool, until the reset its provider told",
        spent.charged == ("quota", "pool") and spent.until == turns.at(11),
    )
    once = turns.street.turns("south") == tried + 1
    turns.promise("one turn was refused for it, and no second", once and after == ["west", "west"])


def both_windows_reset(turns: Turns) -> None:
    """Whoever was displaced goes home."""
    turns.until(10)
    north = turns.turn("code-1").pool
    turns.until(11)
    south = [turns.turn("code-2").pool, turns.turn("code-3").pool]
    turns.promise("after its reset everybody is home again", [north, *south] == ["north", "south", "south"])


def a_broken_provider(turns: Turns) -> None:
    """Its own fault, seen by two sessions on two models."""
    turns.street.breaks("west", times=2)
    both = [turns.ask("lab-1"), turns.ask("exam-1")]
    failed = {turns.end(told).charged for told in both}
    alone = turns.ask("lab-1")
    stopped = [one.name for one in turns.engine.snapshot().circuits if one.origin == "evidence"]
    turns.promise(
        "errors of two models, seen by two sessions, put a pool aside",
        failed == {("overload", "candidate")} and stopped == ["west"] and not pool_of(alone),
    )
    turns.later(minutes=30)
    first, second = turns.ask("lab-1"), turns.ask("exam-1")
    turns.end(first)
    turns.promise(
        "after half an hour one turn tries it, and the next one follows",
        [pool_of(first), pool_of(second), turns.turn("exam-1").pool] == ["west", "", "west"],
    )


def a_killed_holder(turns: Turns) -> None:
    """The only slot of the house, and nobody gives it back."""
    life = Settings().lease_life
    turns.engine.probe()  # no lease waits for what stays in the house; `capacity watch` keeps that fresh
    dead, waiting = turns.ask("night-1"), turns.ask("night-2")
    busy = isinstance(waiting, Wait) and (waiting.code, waiting.span) == ("candidate-busy", life)
    turns.promise("a slot that is taken is waited for, and it is said how long", busy)
    turns.later(seconds=life.total_seconds())
    turns.tell("night-1", "was killed, and has told nobody")
    follower = turns.turn("night-2", usage=GUESSED)
    turns.count("rack", Usage())
    gone = isinstance(dead, Lease) and turns.broker.renew(dead) is None
    turns.promise("a killed holder's slot is free one life later", gone and follower.pool == "rack")
    reach = {lease.egress for lease in turns.granted if lease.session.startswith("night")}
    turns.promise("what may not leave the house never left it, with room elsewhere", reach == {"lan"})


def a_session_that_loops(turns: Turns) -> None:
    """It reads its whole prompt anew, turn after turn."""
    loops = [turns.turn("code-4", usage=REWRITTEN).loops for _ in range(4)]
    last, beside = turns.ask("code-4"), turns.turn("plan-1").pool
    stopped = isinstance(last, Refused) and last.code == "looping" and loops == [False, False, False, True]
    turns.promise("a session that loops is stopped, and nobody beside it", stopped and beside == "north")


def the_count(turns: Turns) -> Mapping[tuple[str, str], Spent]:
    """What every turn told, once."""
    spent = {(one.pool, one.window): one for one in turns.engine.plan().history.spent}
    ours = {key: one.amount for key, one in spent.items()}
    silent = ours.pop(("rack", "tokens"), None)
    told = {(pool, meter): turns.counts[pool, meter] for pool in (*SPENT, "rack") for meter in METERS}
    guess = told.pop(("rack", "tokens"))
    turns.promise("our own count is what the sessions told, every turn once", ours == told)
    turns.promise("a turn nobody told of counts as the others did, not as nothing", silent == 2 * guess)
    return spent


def _figure(spent: Spent) -> str:
    return f"{spent.amount:,.0f}{', partly estimated' if spent.estimated else ''}"
