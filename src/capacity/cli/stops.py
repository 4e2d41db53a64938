"""`stop` and `lift`: an operator's word against a candidate, a pool or a backend, and its end."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from typer import Argument, Option

from capacity.cli.call import Call
from capacity.cli.exits import Code


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
