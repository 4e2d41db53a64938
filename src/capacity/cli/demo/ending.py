"""How the demo ends: what is left and who runs where, what was done, what was asked, and what that proves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

from attrs import evolve, frozen

from capacity.cli.demo import words
from capacity.cli.demo.crew import GROUPS
from capacity.cli.demo.week import Seen, Week
from capacity.cli.lines import age
from capacity.cli.screen import Table
from capacity.cli.tables import pools_table
from capacity.codec import dumps, load_tick
from capacity.core.decide import decide
from capacity.core.sentences import sentence
from capacity.engine.backends import Backend, Source
from capacity.testing.servers import LoopbackServer
from capacity.testing.servers.claude import MODELS, USAGE
from capacity.testing.servers.deepseek import BALANCE

PATHS: Mapping[tuple[str, str], str] = {
    ("claude", "probe"): USAGE,
    ("claude", "listing"): MODELS,
    ("deepseek", "probe"): BALANCE,
    ("deepseek", "listing"): "/models",
    ("llama-cpp", "probe"): "/models",
    ("llama-cpp", "listing"): "/models",
}
"""(Backend, what is asked) → the path its question begins with."""

LOGINS = "logins"
SECRET = b"invented-"
"""How every token and key of the demo begins."""


@frozen
class Asking:
    """How often one source was asked.

    Attributes:
        source: its name.
        path: what was asked for.
        times: in how many ticks.
        closest: the shortest span between two of them; None = it was asked once, or never.
        floor: the shortest its budget allows.
    """

    source: str
    path: str
    times: int
    closest: timedelta | None
    floor: timedelta

    @property
    def within(self) -> bool:
        """Whether the budget was kept, and the source asked at all."""
        return self.times > 0 and (self.closest is None or self.closest >= self.floor)


def askings(week: Week, read: Mapping[str, Backend]) -> tuple[Asking, ...]:
    """How often every source of every account was asked."""
    servers = week.world.servers
    return tuple(_asking(source, servers[name]) for name, backend in read.items() for source in backend.sources)


def _asking(source: Source, server: LoopbackServer) -> Asking:
    path = PATHS[source.plugin.name, source.kind]
    instants = sorted({asked.at for asked in server.asked if urlsplit(asked.path).path == path})
    closest = min((later - sooner for sooner, later in pairwise(instants)), default=None)
    return Asking(source.name, path, len(instants), closest, source.budget.floor)


# --- tables ---------------------------------------------------------------------------------------


def cast() -> Table:
    """Who plays."""
    rows = tuple((group.name, f"{group.place[2]} on {group.place[1]}", group.work) for group in GROUPS)
    return Table("Seats, and what the policy says of them", ("seats", "start on", "may run on"), rows)


def pools(title: str, seen: Seen) -> Table:
    """What is left of every pool, as `capacity status` shows it."""
    tick = seen.report.tick
    return evolve(pools_table(tick.headroom.pools.values(), tick.policy.pools, tick.headroom.as_of), title=title)


def seats(seen: Seen) -> Table:
    """Who runs where now, and since what."""
    places: dict[tuple[str, str], list[str]] = {}
    for name, one in seen.acts.items():
        where = words.place(one.candidate) if one.candidate else "parked"
        places.setdefault((where, sentence(one.fact)), []).append(name)
    rows = tuple((words.names(who), *where) for where, who in places.items())
    return Table("Seats now", ("seats", "run on", "last tick's reason"), rows)


def acts(week: Week) -> Table:
    """What was done in the whole week, and what became of it."""
    done = Counter((f"{one.act}", f"{outcome.word}") for seen in week.seen for one, outcome in seen.report.outcomes)
    decided = sum(len(seen.acts) for seen in week.seen)
    rows = [(act, word, f"{count}") for (act, word), count in sorted(done.items())]
    rows.append(("nothing", "kept or left", f"{decided - done.total()}"))
    return Table(f"What was done with seats, in {len(week.seen)} ticks", ("act", "outcome", "times"), tuple(rows))


def asked(told: tuple[Asking, ...]) -> Table:
    """What was asked, against what the budgets allow."""
    rows = tuple(
        (one.source, one.path, f"{one.times}", age(one.closest) if one.closest else "", age(one.floor)) for one in told
    )
    return Table(
        "What was asked, and how close together", ("source", "asked for", "in ticks", "closest", "allowed"), rows
    )


# --- what holds for the whole week ----------------------------------------------------------------


def whole(week: Week, folder: Path, told: tuple[Asking, ...]) -> Iterator[tuple[str, bool]]:
    """What the whole week promises, and whether it holds."""
    outcomes = {outcome.word for seen in week.seen for _, outcome in seen.report.outcomes}
    yield "every placement was applied, once", outcomes == {"applied"}
    yield "between the incidents no seat was touched", not week.stirred
    yield "no source was asked more often than its budget allows", all(one.within for one in told)
    yield "no request changed anything, and no model was loaded or woken", not _changes(week)
    yield "every tick file, decided once more, gives the decision in it", all(map(_replays, _ticks(folder)))
    yield "no secret is in any file but the logins'", not any(SECRET in body for body in _bodies(folder))


def _changes(week: Week) -> bool:
    rack = week.world.rack
    return bool(rack.loads or rack.woken or any(server.changes for server in week.world.servers.values()))


def _ticks(folder: Path) -> list[Path]:
    return sorted((folder / "ticks").iterdir())


def _replays(path: Path) -> bool:
    tick = load_tick(path)
    return dumps(decide(tick.inventory, tick.headroom, tick.policy, tick.history)) == dumps(tick.decision)


def _bodies(folder: Path) -> Iterator[bytes]:
    for path in folder.rglob("*"):
        if path.is_file() and LOGINS not in path.relative_to(folder).parts:
            yield path.read_bytes()
