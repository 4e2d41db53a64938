"""`stop`, `lift`, `circuits` and `rearm`: what an operator stops, what failures stopped, and the end of either."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from typer import Argument, Option

from capacity.cli.call import Call
from capacity.cli.exits import Code
from capacity.cli.screen import Page
from capacity.cli.tables import stops_table
from capacity.core.sentences import instant


class Subject(StrEnum):
    """What may be stopped."""

    POOL = "pool"
    BACKEND = "backend"
    CANDIDATE = "candidate"


What = Annotated[Subject, Argument(help="What it is.")]
Name = Annotated[str, Argument(metavar="NAME", help="Which; a candidate is harness|pool|model|effort.")]
Note = Annotated[str, Option("--note", metavar="TEXT", help="Why, for whoever looks later.")]


def stop(call: Call, subject: What, name: Name, note: Note = "") -> Code:
    """Let nothing be placed on a pool, a backend or a candidate, until it is lifted."""
    with call.engine() as engine:
        made = engine.stop(subject.value, name, note)
    if call.json:
        call.answer(made)
    else:
        call.screen.say(f"{subject.value} {name} is stopped until it is lifted")
    return Code.FINE


def lift(call: Call, subject: What, name: Name, note: Note = "") -> Code:
    """Take an operator's stop back."""
    with call.engine() as engine:
        made = engine.lift(subject.value, name, note)
    if call.json:
        call.answer(made)
    else:
        call.screen.say(f"{subject.value} {name}: the operator's stop is lifted")
    return Code.FINE


def circuits(call: Call) -> Code:
    """Show everything that is stopped: by whom, by which kind of failure, until when. Nobody is asked."""
    with call.engine() as engine:
        snapshot = engine.snapshot()
    if call.json:
        call.answer(list(snapshot.circuits))
    else:
        told = f"as of {instant(snapshot.as_of)}"
        call.screen.turn(
            Page(told if snapshot.circuits else f"{told}; nothing is stopped", (stops_table(snapshot.circuits),))
        )
    return Code.FINE


def rearm(
    call: Call,
    name: Annotated[
        str, Argument(metavar="NAME", help="A pool, a backend, a candidate (harness|pool|model|effort), or all.")
    ],
) -> Code:
    """Use again what failures stopped. An operator's own stop is left; `capacity lift` ends that."""
    with call.engine() as engine:
        before = {circuit.key: circuit for circuit in engine.snapshot().circuits}
        taken = engine.rearm(name)
        left = engine.snapshot().circuits
    if call.json:
        call.answer(list(taken))
        return Code.FINE
    ended = [before[key] for key in sorted(before.keys() - {one.key for one in left})]
    for one in ended:
        call.screen.say(f"{one.subject} {one.name} may be used again ({one.kind})")
    if not ended:
        call.screen.say(f"{name}: no failure stops anything there")
    for one in left:
        if one.origin == "operator" and name in (one.name, "all"):
            call.screen.say(f"{one.subject} {one.name} stays stopped by the operator: `capacity lift` ends that")
    return Code.FINE
