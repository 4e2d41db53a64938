"""`demo`: a shortened week of a fleet and some acts after it, through the real plugins, store and actuator.

Servers on loopback stand in for the providers, and a stepped clock for the week; nothing is needed but the plugins. The
demo sees to its own promises: its exit code says whether every incident came out as it should.
"""

from __future__ import annotations

import shlex
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

from typer import Option

from capacity.cli.call import Call
from capacity.cli.demo import ending, story
from capacity.cli.demo.crew import people, write_fleet
from capacity.cli.demo.leasing import leased
from capacity.cli.demo.paced import paced
from capacity.cli.demo.pages import Out, Show, in_lines, legend, outcome_of, promises, table_of
from capacity.cli.demo.papers import POLICY, write_papers
from capacity.cli.demo.ranked import ranked
from capacity.cli.demo.week import Episode, Played, Week, tick_file
from capacity.cli.demo.world import World
from capacity.cli.exits import Code, UsageFault
from capacity.cli.screen import Table
from capacity.codec import load_policy
from capacity.engine import Engine
from capacity.engine.backends import backends
from capacity.errors import PluginError
from capacity.plugins import INVENTORIES, PROBERS, Plugins, load_plugins
from capacity.store import sqlite

BACKENDS = ("claude", "deepseek", "llama-cpp")
STORE = "capacity.db"
SEATS = 22
LENGTH = timedelta(days=5)
"""From the Monday of the story to its end."""

ACTS: Mapping[str, Callable[[Path, datetime, Plugins, Callable[[Episode], None]], Played]] = {
    "paced": paced,
    "leased": leased,
    "ranked": ranked,
}
"""Folder of an act after the week → what lets it happen there, from a midnight on."""


def demo(
    call: Call,
    folder: Annotated[
        Path | None, Option("--folder", metavar="FOLDER", help="Where everything is left; a new one if not said.")
    ] = None,
    seats: Annotated[int, Option("--seats", metavar="N", help="How many seats the fleet has.")] = SEATS,
) -> Code:
    """Show a week of a fleet with ten incidents, a paced week, and leased turns. Needs no login and no network."""
    screen = call.screen
    if not call.json:
        return Code(run(folder=folder, seats=seats, out=screen.say, show=screen.show if screen.is_terminal else None))
    home = _folder(folder)
    code = run(folder=home, seats=seats, out=screen.complain)
    call.answer({"folder": f"{home}", "held": code == Code.FINE, "ticks": len(list((home / "ticks").iterdir()))})
    return Code(code)


def run(
    *, folder: Path | None = None, seats: int = SEATS, out: Out, show: Show | None = None, start: datetime | None = None
) -> int:
    """Let the week happen, and tell it.

    Args:
        folder: where policy, fleet, store and ticks are left; None = a new temporary one.
        seats: how many seats the fleet has.
        out: is given each text.
        show: shows a table on a terminal; None = tables are given to `out` in lines.
        start: the Monday it begins on, aware; None = the last one whose week is over.

    Returns:
        0 where every promise held, else 1.

    Raises:
        UsageFault: the folder holds something, or there are too few seats for the story.
        PluginError: a plugin is missing; the message says how to install it.
    """
    plugins, crew = _plugins(), people(seats)
    home, monday = _folder(folder), start or last_monday(datetime.now(UTC))
    write_fleet(home, crew)
    show = _apart(show or in_lines(out), out)

    def tell(episode: Episode) -> None:
        show(table_of(episode))
        out(outcome_of(episode))

    with World(home, monday.replace(hour=8)) as world:
        policy = load_policy(write_papers(home, world.addresses))
        with (
            closing(sqlite(path=home / STORE, clock=world.clock)) as store,
            Engine(policy, store=store, plugins=plugins, clock=world.clock) as engine,
        ):
            week = Week(world, engine, home, tell)
            _opening(week, home, out, show)
            story.tell(week)
    acts = []
    for name, happens in ACTS.items():
        acts.append(happens(home / name, monday, plugins, tell))
        show(acts[-1].table)
    broken = _closing(week, acts, plugins, home, out, show)
    out(_next(week, home))
    return Code.FAILED if broken else Code.FINE


def _apart(show: Show, out: Out) -> Show:
    """What shows a table with a blank line above it."""

    def apart(table: Table) -> None:
        out("")
        show(table)

    return apart


def last_monday(now: datetime) -> datetime:
    """Midnight of the last Monday whose week in the story is over."""
    monday = (now - LENGTH).replace(hour=0, minute=0, second=0, microsecond=0)
    return monday - timedelta(days=monday.weekday())


def _plugins() -> Plugins:
    """What the demo needs, and nothing else that may be installed."""
    plugins = load_plugins(only=BACKENDS)
    lacking = [name for name in BACKENDS if any(plugins.get(group, name) is None for group in (PROBERS, INVENTORIES))]
    if lacking:
        command = shlex.join(["python", "-m", "pip", "install", *(f"capacity-{name}" for name in lacking)])
        failed = [str(failure) for failure in plugins.failed if failure.name in lacking]
        raise PluginError("; ".join([f"the demo needs {', '.join(lacking)}: {command}", *failed]))
    return plugins


def _folder(folder: Path | None) -> Path:
    if folder is None:
        return Path(tempfile.mkdtemp(prefix="capacity-demo-"))
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageFault(f"{folder} is not an empty folder; name one that is empty, or none at all")
    folder.mkdir(parents=True, exist_ok=True)
    return folder.absolute()


def _opening(week: Week, folder: Path, out: Out, show: Show) -> None:
    seats = len(week.begin().acts)
    out(f"A shortened week of {seats} seats on four pools, in {folder}.")
    out(
        "The clock is stepped and the providers are servers on this machine; plugins, store and actuator are the real ones."
    )
    for table in (ending.cast(), legend(), ending.pools("Pools, as they were first read", week.seen[0])):
        show(table)


def _closing(week: Week, acts: Sequence[Played], plugins: Plugins, folder: Path, out: Out, show: Show) -> list[str]:
    """Tell how it ended; the promises that did not hold."""
    last = week.seen[-1]
    asked = ending.askings(week, backends(last.report.tick.policy, plugins))
    for table in (ending.pools("Pools now", last), ending.seats(last), ending.acts(week), ending.asked(asked)):
        show(table)
    whole = dict(ending.whole(week, folder, asked))
    told = (*week.episodes, *(act.episode for act in acts))
    made = [*(one for episode in told for one in episode.promises.items()), *whole.items()]
    broken = [text for text, held in made if not held]
    out(promises(whole))
    out(f"\n{len(made)} promises, {f'{len(broken)} BROKEN: ' + '; '.join(broken) if broken else 'all of them held'}.")
    return broken


def _next(week: Week, folder: Path) -> str:
    """Four commands to try, with the first tick in which a seat was parked."""
    parked = ((number, min(seen.did("park"))) for number, seen in enumerate(week.seen, 1) if seen.did("park"))
    number, seat = next(parked, (1, "lead-1"))
    tick = f"{tick_file(folder, number)}"
    program = _program()
    session = [program, "explain", "--session", "code-2", *_at(folder / "leased")]
    commands = {
        "why a seat was parked, with every rule that was looked at": [program, "explain", tick, seat],
        "the same tick, decided once more": [program, "decide", tick, "--json"],
        "where a session was sent turn by turn, and why": session,
        "what the store knows; the week is over, so nothing in it is fresh": [program, "status", *_at(folder)],
    }
    told = (f"  # {why}\n  {shlex.join(words)}" for why, words in commands.items())
    return "\n".join(["\nTry next:", *told])


def _at(folder: Path) -> list[str]:
    """Options that name the policy and the store of a folder."""
    return ["--policy", f"{folder / POLICY}", "--store", f"{folder / STORE}"]


def _program() -> str:
    """The command as it can be typed here again: the README's shell has it in a folder that is on no search path."""
    running = Path(sys.argv[0])
    if running.name != "capacity":
        return "capacity"
    return str(running.relative_to(Path.cwd()) if running.is_relative_to(Path.cwd()) else running)
