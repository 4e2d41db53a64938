"""The demo's second act: three pools that are paced for a week, each with another end.

`press` would be empty on Friday, and is slowed to land at its reset. `mill` is spent as fast, and has no lever: that is
said. `well` would lose half of its quota, and is hastened as far as it goes. Plugins, store, engine and actuator are the
real ones; what a seat burns is the only thing made up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from datetime import datetime, timedelta
from pathlib import Path
from string import Template
from typing import Any

from attrs import define, field, frozen

from capacity.cli.demo import words
from capacity.cli.demo.crew import PLACE, follow, seats_in, write_table
from capacity.cli.demo.papers import ADOPTED, CLAUDE_ROWS, POLICY
from capacity.cli.demo.week import Episode, Line, tick_file
from capacity.cli.demo.world import MODELS, Login
from capacity.cli.screen import Table
from capacity.codec import dump_tick, dumps, load_policy
from capacity.core.decide import decide
from capacity.core.sentences import sentence
from capacity.engine import Engine, Report
from capacity.plugins import Plugins
from capacity.store import sqlite
from capacity.testing.clocks import SettableClock
from capacity.testing.servers import ClaudeServer

TICK = timedelta(hours=2)
TICKS = 84
"""A week of them."""

BURN: Mapping[str, float] = {"sample-medium-3": 1.0, "sample-small-1": 0.25}
"""What a turn of a seat burns, model by model: what the policy says too."""

DAY, NIGHT = 1.4, 0.6
"""How busy the seats are from eight to eight, and else."""


@frozen
class Well:
    """One pool, and how it would be spent.

    Attributes:
        seats: how many draw on it.
        cadence_s: seconds from turn to turn of each; None = its harness does not tell.
        floor: the least its seats may run on.
        week: percent of its week they would spend at their own pace.
    """

    seats: int
    cadence_s: int | None
    floor: str
    week: float

    @property
    def level(self) -> float:
        """The burn of its seats at their own pace."""
        return self.seats * (3600 / self.cadence_s if self.cadence_s else 1.0)


POOLS: Mapping[str, Well] = {
    "mill": Well(3, None, "mid", 135.0),
    "press": Well(4, 1800, "low", 150.0),
    "well": Well(3, 1800, "mid", 36.0),
}

POLICY_TEXT = Template("""\
# What the operator of the second act wants: three logins of a week each, and their use spread over it.
version = 1

[tiers]
names = ["high", "mid", "low"]
adopted = "adopted.toml"
$accounts
[harnesses.claude]
pools = ["mill", "press", "well"]

[fleets.crew]
actuator = "file"
mode = "enforce"
options = { path = "fleet.json" }

[pacing]
tick_s = 7200                            # the rhythm of this story
rungs = { "sample-medium-3" = 1.0, "sample-small-1" = 0.25 }

[seats.default]
tier = "mid"
floor = "mid"

[seats.globs."press-*"]
floor = "low"                            # these may be lowered
""")

ACCOUNT = Template("""
[accounts.$name]
plugin = "claude"
kind = "subscription"
credentials = { file = "logins/$name/.credentials.json" }
options = { base_url = "$url" }
""")


@define
class Paced:
    """The act: its world, and what was seen of it.

    Attributes:
        folder: where its papers, fleet, store and ticks are.
        clock: its clock.
        servers: pool → the server that tells of it.
        logins: pool → its login.
        used: pool → percent of its week that is spent.
        days: pool → what it was at the end of each day.
        episode: what is told.
        reports: of each tick.
    """

    folder: Path
    clock: SettableClock
    servers: dict[str, ClaudeServer]
    resets_at: datetime
    logins: dict[str, Login] = field(factory=dict)
    used: dict[str, float] = field(factory=lambda: dict.fromkeys(POOLS, 0.0))
    days: dict[str, list[str]] = field(factory=lambda: {name: [] for name in POOLS})
    episode: Episode = field(factory=lambda: Episode(11, "three pools are paced for a week"))
    reports: list[Report] = field(factory=list)
    told: set[tuple[str, str]] = field(factory=set)

    def happen(self, engine: Engine) -> None:
        """The week, tick by tick."""
        for number in range(1, TICKS + 1):
            self._tell_servers()
            report = engine.tick()
            self.reports.append(report)
            self.episode.ticks.append(number)
            tick_file(self.folder, number).write_bytes(dump_tick(report.tick))
            self._tell(report)
            follow(self.folder)
            self.clock.advance(TICK)
            self._burn()
            if number % 12 == 0:
                self._note(report)
        self._promise()

    def _tell_servers(self) -> None:
        for name, server in self.servers.items():
            server.use("weekly_all", round(min(self.used[name], 100.0)), self.resets_at)
            self.logins[name].refresh()

    def _burn(self) -> None:
        """What the seats spent since the last tick."""
        hour = (self.clock.now() - TICK / 2).hour
        busy = DAY if 8 <= hour < 20 else NIGHT
        for row in seats_in(self.folder).values():
            pool = POOLS[row["pool"]]
            if "paused_by" not in row and self.used[row["pool"]] < 100:
                turns = 3600 / row["cadence_s"] if row.get("cadence_s") else 1.0
                share = pool.week / (pool.level * 168) * (TICK / timedelta(hours=1))
                self.used[row["pool"]] += share * BURN[row["model"]] * turns * busy

    def _tell(self, report: Report) -> None:
        """What is done for the first time, and what a person is told."""
        made = report.tick.decision
        when = words.moment(self.clock.now())
        rows = []
        for seat in () if made is None else made.placements:
            pool = seat.expected.pool if seat.expected is not None else "?"
            if seat.act in ("demote", "adjust", "restore", "park") and (pool, seat.act) not in self.told:
                self.told.add((pool, seat.act))
                rows.append((pool, f"first {seat.act}: {words.act(seat)}{_cadence(seat.cadence)}", sentence(seat.fact)))
        rows += words.told(report.changed)
        self.episode.lines += [Line(when if not index else "", *row) for index, row in enumerate(rows)]

    def _note(self, report: Report) -> None:
        paces = {} if report.tick.decision is None else {one.pool: one for one in report.tick.decision.paces}
        for name, days in self.days.items():
            pace = paces[name]
            days.append(
                f"{min(self.used[name], 100.0):.0f} % {pace.pace}{f' ({pace.direction})' if pace.direction else ''}"
            )

    def _promise(self) -> None:
        paces: dict[str, list[str]] = {name: [] for name in POOLS}
        for report in self.reports:
            for one in report.tick.decision.paces if report.tick.decision else ():
                paces[one.pool].append(f"{one.pace} {one.direction or ''}".strip())
        made = self.episode.promises
        made["press was never full, and lands with at most 6 % unspent"] = (
            94 <= self.used["press"] <= 100 and "exhausted" not in paces["press"]
        )
        made["mill was said to be saturated while it still had quota"] = _before(
            paces["mill"], "saturated down", "exhausted"
        )
        made["well was hastened, and what its reset will destroy was said"] = (
            ("well", "adjust") in self.told
            and "saturated up" in paces["well"]
            and self.used["well"] > POOLS["well"].week * 1.5
        )
        made["no seat ran below its floor"] = not any(
            row["model"] == "sample-small-1" and POOLS[row["pool"]].floor == "mid"
            for row in seats_in(self.folder).values()
        )
        made["every tick of it, decided once more, gives the same"] = all(map(_replays, self.reports))

    @property
    def table(self) -> Table:
        """How each pool stood at the end of each day."""
        days = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
        rows = tuple((day, *(self.days[name][index] for name in POOLS)) for index, day in enumerate(days))
        return Table("Spent of the week, at the end of each day", ("day", *POOLS), rows)


def paced(folder: Path, start: datetime, plugins: Plugins, tell: Callable[[Episode], None]) -> Paced:
    """Let the second act happen.

    Args:
        folder: where it is left; it must not exist.
        start: the midnight it begins at.
        plugins: the backends.
        tell: is given its episode.
    """
    (folder / "ticks").mkdir(parents=True)
    clock = SettableClock(start)
    act = Paced(folder, clock, {name: ClaudeServer(clock, MODELS) for name in POOLS}, start + TICK * TICKS)
    with ExitStack() as running:
        for name, server in act.servers.items():
            running.enter_context(server)
            (folder / "logins" / name).mkdir(parents=True)
            act.logins[name] = Login(folder / "logins" / name, server, name)
        policy = load_policy(_papers(folder, act.servers))
        store = running.enter_context(closing(sqlite(path=folder / "capacity.db", clock=clock)))
        act.happen(running.enter_context(Engine(policy, store=store, plugins=plugins, clock=clock)))
    tell(act.episode)
    return act


def _papers(folder: Path, servers: Mapping[str, ClaudeServer]) -> Path:
    accounts = "".join(ACCOUNT.substitute(name=name, url=server.url) for name, server in servers.items())
    (folder / POLICY).write_text(POLICY_TEXT.substitute(accounts=accounts), encoding="utf-8")
    (folder / ADOPTED).write_text(CLAUDE_ROWS, encoding="utf-8")
    rows: dict[str, dict[str, Any]] = {}
    for name, pool in POOLS.items():
        place = dict(zip(PLACE, ("claude", name, "sample-medium-3", "medium"), strict=True))
        told = {} if pool.cadence_s is None else {"cadence_s": pool.cadence_s}
        rows |= {f"{name}-{number}": {**place, **told} for number in range(1, pool.seats + 1)}
    write_table(folder, {"form": 1, "seats": rows})
    return folder / POLICY


def _cadence(cadence: timedelta | None) -> str:
    return "" if cadence is None else f", a turn every {cadence.total_seconds() / 60:.0f} min"


def _before(paces: list[str], one: str, other: str) -> bool:
    return one in paces and (other not in paces or paces.index(one) < paces.index(other))


def _replays(report: Report) -> bool:
    tick = report.tick
    return dumps(decide(tick.inventory, tick.headroom, tick.policy, tick.history)) == dumps(tick.decision)
