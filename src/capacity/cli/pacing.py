"""`pace`: how fast each pool is spent, where that leads, and what is left to do about it; or a recorded case, worked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from capacity.cli.call import Call
from capacity.cli.documents import capped
from capacity.cli.exits import Code
from capacity.cli.screen import Page, Table
from capacity.core.pacing import landing
from capacity.core.sentences import instant
from capacity.ports import Snapshot
from capacity.values.decision import PoolPace
from capacity.values.limits import Estimate, LimitHeadroom, PoolHeadroom
from capacity.values.policy import Policy, PoolPolicy

File = Annotated[Path | None, Argument(metavar="FILE", help="A recorded case, or several. [else the store]")]
Plot = Annotated[
    Path | None, Option("--plot", metavar="FILE", help="Draw each window against its ideal line, as .svg or .png.")
]

CELLS = 12
"""Cells of a burn-down bar."""


def pace(call: Call, file: File = None, plot: Plot = None) -> Code:
    """Show how fast each pool is spent, against how fast it may be, and where that leads. Nobody is asked."""
    if file is not None:
        return _cases(call, file)
    policy = call.load_policy()
    with call.engine(policy) as engine:
        snapshot = engine.snapshot()
        courses = engine.courses() if plot else {}
    if plot is not None:
        from capacity.cli.plotting import draw

        draw(plot, courses, snapshot.as_of)
    if call.json:
        for pool in snapshot.pools:
            call.answer(pool)
    else:
        call.screen.turn(
            Page(f"as of {instant(snapshot.as_of)}", (paces_table(snapshot, policy), windows_table(snapshot)))
        )
    return Code.FINE


def _cases(call: Call, file: Path) -> Code:
    from capacity.cli.cases import answer, cases

    for case in cases(file, capped(file)):
        found = answer(case)
        if call.json:
            call.screen.write((json.dumps(found, sort_keys=True, separators=(",", ":")) + "\n").encode())
        else:
            call.screen.say("\n".join(_told(found)))
    return Code.FINE


def _told(found: Mapping[str, Any]) -> Iterator[str]:
    pool = found["pool"]
    yield f"pool: {pool['verdict']}" + (f", bound by {pool['binding']}" if pool["binding"] else "")
    for name, one in found["windows"].items():
        word = one["verdict"] if one["reason"] is None else f"{one['verdict']} ({one['reason']})"
        yield f"  {name}: {word}; rate {_bounds(one['rate'])}, allowed {_bounds(one['allowed'])} %/h"


def _bounds(three: list[Any] | None) -> str:
    if three is None:
        return "not known"
    low, middle, high = (one if isinstance(one, str) else f"{one:.3g}" for one in three)
    return f"{middle} ({low} to {high})"


# --- from the store -----------------------------------------------------------------------------


def paces_table(snapshot: Snapshot, policy: Policy) -> Table:
    """One line a pool: its word, a bar, where it leads, and who spends it."""
    steered = {pace.pool: pace for pace in snapshot.paces}
    rows = (
        (
            pool.pool,
            word(pool, steered.get(pool.pool)),
            "" if pool.pressure is None else f"{pool.pressure.middle:.2f}",
            *_binding(pool, snapshot.as_of),
            consumers(steered.get(pool.pool), policy.pools.get(pool.pool), policy),
        )
        for pool in snapshot.pools
        if any(one.pace for one in pool.limits)
    )
    return Table(
        "pace", ("pool", "pace", "pressure", "bound by", "burn-down", "leads to", "who spends it"), tuple(rows)
    )


def word(pool: PoolHeadroom, steered: PoolPace | None) -> str:
    """A pool's word, with the direction in which it is saturated, or why it is still learning."""
    if steered is not None and steered.direction is not None and pool.pace in ("over", "under"):
        return f"saturated ({steered.direction})"
    whys = sorted({one.why for one in pool.limits if one.why is not None})
    return f"learning ({', '.join(whys)})" if pool.pace == "learning" and whys else pool.pace


def _binding(pool: PoolHeadroom, as_of: datetime) -> tuple[str, str, str]:
    paced = [one for one in pool.limits if one.pace]
    one = next((one for one in paced if one.limit.name == pool.binding), paced[0])
    return one.limit.name, bar(one, as_of), landed(one, as_of)


def bar(one: LimitHeadroom, as_of: datetime) -> str:
    """How much is used, and a line where the time has got to: `####|.......` is behind it, `####|##.....` ahead."""
    limit = one.limit
    if one.used is None or limit.resets_at is None or limit.window is None:
        return ""
    used = round(min(one.used.low, 100.0) / 100 * CELLS)
    gone = round(min(max(1 - (limit.resets_at - as_of) / limit.window, 0.0), 1.0) * CELLS)
    cells = "#" * used + "." * (CELLS - used)
    return f"{cells[:gone]}|{cells[gone:]}"


def landed(one: LimitHeadroom, as_of: datetime) -> str:
    """Where a limit ends, in words; nothing where it has."""
    end = None if one.pace == "exhausted" else landing(one, as_of)
    if end is None:
        return ""
    if end.empty_at is None or end.early is None:
        return f"resets with {end.unspent:.0f} % unspent"
    return f"empty at {instant(end.empty_at)}, {end.early.total_seconds() / 3600:.1f} h before reset"


def consumers(steered: PoolPace | None, rules: PoolPolicy | None, policy: Policy) -> str:
    """How many seats are ours to pace, what levers they have, and what share others are said to spend."""
    declared = None if rules is None else rules.uncontrolled
    assumed = policy.pacing.share / (1 + policy.pacing.share)
    others = f"others {100 * assumed:.0f} % assumed" if declared is None else f"others {100 * declared:.0f} % declared"
    if steered is None or not steered.seats:
        return f"no seat of ours; {others}"
    levers = f"{steered.demotable} demotable, {steered.slowable} to slow"
    return f"{steered.seats} of ours ({levers}); {others}"


def windows_table(snapshot: Snapshot) -> Table:
    """Each limit that can be paced: what is spent an hour, what may be, and how long it has to last."""
    rows = (
        (
            pool.pool,
            one.limit.name,
            one.pace,
            per_hour(one.rate),
            per_hour(one.allowed_rate),
            "" if one.limit.resets_at is None else hours(one.limit.resets_at, snapshot.as_of),
            landed(one, snapshot.as_of),
        )
        for pool in snapshot.pools
        for one in pool.limits
        if one.pace
    )
    return Table("windows", ("pool", "limit", "pace", "spent", "allowed", "left", "leads to"), tuple(rows))


def per_hour(known: Estimate | None) -> str:
    """A rate with its bounds."""
    return "" if known is None else f"{known.middle:.3g} %/h ({known.low:.3g} to {known.high:.3g})"


def hours(at: datetime, as_of: datetime) -> str:
    """How long until an instant."""
    return f"{max((at - as_of).total_seconds() / 3600, 0.0):.1f} h"
