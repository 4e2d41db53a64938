"""`status`, `plan` and `tick`: what is known, what would be done, and doing it."""

from __future__ import annotations

from typing import Annotated

from typer import Option

from capacity.cli import tables
from capacity.cli.call import Call
from capacity.cli.exits import Code, UsageFault
from capacity.cli.pacing import paces_table
from capacity.cli.remedies import for_policy
from capacity.cli.screen import Page
from capacity.core.sentences import instant
from capacity.engine import Engine, Report
from capacity.ports import Snapshot
from capacity.values.decision import Decision
from capacity.values.policy import Policy
from capacity.values.tick import Tick

Every = Annotated[bool, Option("--all", help="Show every seat, also those that stay as they are.")]


def status(call: Call) -> Code:
    """Show what was published and decided: pools with each limit, models, seats, conditions, stops. Nobody is asked."""
    policy = call.load_policy()
    with call.engine(policy) as engine:
        snapshot = engine.snapshot()
    if call.json:
        call.answer(snapshot)
    else:
        call.screen.turn(snapshot_page(policy, snapshot))
    return Code.FINE


def plan(
    call: Call,
    every: Every = False,
    published: Annotated[bool, Option("--published", help="Ask nobody; decide from what was published.")] = False,
) -> Code:
    """Decide as a tick would, and apply nothing. What is due is asked first, as in a tick."""
    with call.engine() as engine:
        tick = planned(call, engine, probe=not published)
    if call.json:
        call.answer(tick)
    else:
        call.screen.turn(plan_page(tick, every=every))
    return Code.FINE


def tick(
    call: Call,
    every: Every = False,
    accept: Annotated[
        list[str] | None,
        Option("--accept", metavar="FLEET/SEAT", help="Take a seat as it stands first; may be given again."),
    ] = None,
) -> Code:
    """Ask what is due, decide for every fleet, apply where the policy says `enforce`, and keep all of it."""
    with call.engine() as engine:
        for name in accept or ():
            accepted(call, engine, name)
        report = ticked(call, engine)
    if call.json:
        call.answer(report)
    else:
        call.screen.turn(report_page(report, every=every))
    return code_of(call, report)


def planned(call: Call, engine: Engine, *, probe: bool) -> Tick:
    """Plan, and say what is being waited for."""
    with call.screen.progress("asking what is due, and deciding" if probe else "deciding"):
        return engine.plan(probe=probe)


def ticked(call: Call, engine: Engine) -> Report:
    """Tick, and say what is being waited for."""
    with call.screen.progress("asking what is due, deciding, applying"):
        return engine.tick()


def code_of(call: Call, report: Report) -> Code:
    """Whether a person is needed after a tick; who could not be told is complained of."""
    for why in report.untold:
        call.screen.complain(f"capacity: {why}")
    if report.adopted is not None and not call.json:
        call.screen.say(
            f"tiers were adopted by the policy's own rule: {report.adopted.id}; the next tick decides by it"
        )
    return Code.LOUD if report.loud else Code.FINE


def accepted(call: Call, engine: Engine, name: str) -> None:
    """Take a seat as it stands.

    Raises:
        UsageFault: it is not named by fleet and seat.
    """
    fleet, slash, seat = name.partition("/")
    if not slash:
        raise UsageFault(f"{name!r} names no seat: write FLEET/SEAT")
    engine.accept(fleet, seat)
    if not call.json:
        call.screen.say(f"{name}: taken as it stands")


# --- for a person -------------------------------------------------------------------------------


def snapshot_page(policy: Policy, snapshot: Snapshot) -> Page:
    """Everything that is known."""
    decided = f"last decision {snapshot.tick}" if snapshot.tick else "nothing was decided yet"
    return Page(
        "; ".join([f"as of {instant(snapshot.as_of)}", decided, tables.tally(snapshot.placements), *shadow(policy)]),
        (
            tables.pools_table(snapshot.pools, policy.pools, snapshot.as_of),
            paces_table(snapshot, policy),
            tables.models_table(snapshot),
            tables.seats_table(snapshot.placements),
            tables.conditions_table(snapshot.conditions),
            tables.stops_table(snapshot.circuits),
        ),
        (
            *for_policy(policy),
            *(f"tier proposal {id} waits: `capacity tiers diff` shows it" for id in snapshot.proposals),
        ),
    )


def plan_page(tick: Tick, *, every: bool) -> Page:
    """What would be done."""
    decision = decided(tick)
    return Page(
        "; ".join(
            [f"plan {decision.id}", tables.tally(decision.placements), "nothing is applied", *shadow(tick.policy)]
        ),
        (
            tables.pools_table(tick.headroom.pools.values(), tick.policy.pools, tick.headroom.as_of),
            tables.seats_table(decision.placements if every else tables.written(decision.placements)),
            tables.conditions_table(decision.conditions, ended=True),
            tables.conditions_table(decision.conditions),
        ),
        for_policy(tick.policy),
    )


def report_page(report: Report, *, every: bool) -> Page:
    """What was done, and what stands after it."""
    decision, tick = decided(report.tick), report.tick
    outcomes = {placement.id: outcome for placement, outcome in report.outcomes}
    here = {placement.id for placement in decision.placements}
    earlier = [placement for placement, _ in report.outcomes if placement.id not in here]
    placements = decision.placements if every else tables.written(decision.placements)
    return Page(
        "; ".join([f"tick {decision.id}", tables.tally(decision.placements), *shadow(tick.policy)]),
        (
            tables.pools_table(tick.headroom.pools.values(), tick.policy.pools, tick.headroom.as_of),
            tables.seats_table([*earlier, *placements], outcomes),
            tables.conditions_table(report.changed, ended=True),
            tables.conditions_table(report.conditions),
        ),
        for_policy(tick.policy),
    )


def shadow(policy: Policy) -> list[str]:
    """The fleets that are only decided for, in a sentence; none where there is none."""
    names = sorted(name for name, fleet in policy.fleets.items() if fleet.mode == "shadow")
    return [f"in shadow, so nothing is applied to it: {', '.join(names)}"] if names else []


def decided(tick: Tick) -> Decision:
    """The decision of a tick.

    Raises:
        ValueError: it has none yet.
    """
    if tick.decision is None:
        raise ValueError("this tick has not been decided")
    return tick.decision
