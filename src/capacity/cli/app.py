"""The command line: which commands there are, what every one of them takes, and how any of them ends.

A command is a function of a `Call` that returns a `Code`. Its module is imported when it is called, or when help is
asked for. A command's name may have two words; both stand in one list.
"""

from __future__ import annotations

import inspect
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from importlib import import_module
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from capacity.cli import misuse
from capacity.cli.call import POLICY, STORE, Call
from capacity.cli.exits import MEANINGS, Code, code_of
from capacity.cli.screen import Screen
from capacity.errors import CapacityError, FormError
from capacity.ports import Clock

COMMANDS: Mapping[str, str] = {
    "demo": "demo",
    "status": "fleets",
    "pace": "pacing",
    "plan": "fleets",
    "tick": "fleets",
    "watch": "watching",
    "explain": "decisions",
    "decide": "decisions",
    "ticks": "decisions",
    "ticks export": "decisions",
    "read": "reading",
    "classify": "classifying",
    "models": "models",
    "models check": "models",
    "models prepare": "models",
    "lease": "leases",
    "leases": "leases",
    "renew": "leases",
    "settle": "leases",
    "release": "leases",
    "failure": "leases",
    "stop": "stops",
    "lift": "stops",
    "tiers sources": "tiers",
    "tiers refresh": "tiers",
    "tiers show": "tiers",
    "tiers propose": "tiers",
    "tiers diff": "tiers",
    "tiers adopt": "tiers",
    "tiers reject": "tiers",
    "tiers pin": "tiers",
    "tiers rollback": "tiers",
    "tiers resolve": "tiers",
    "circuits": "stops",
    "rearm": "stops",
    "policy check": "policies",
    "policy show": "policies",
    "policy init": "policies",
    "plugins": "installed",
    "plugins new": "making",
    "doctor": "doctor",
}
"""Command → the module of this room that has it, as a function of the same name with `_` for the blank."""


def _version(asked: bool) -> None:
    if asked:
        from capacity.plugins import made_by

        print("\n".join(f"{name} {number}" for name, number in sorted(made_by().items())))
        raise typer.Exit


VERSION = Parameter(
    "version",
    Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_version, help="Show what is installed.")
    ],
)
COMMON = (
    Parameter(
        "policy",
        Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[
            Path | None,
            typer.Option("--policy", metavar="FILE", help=f"The policy file. [else {POLICY}, else the usual one]"),
        ],
    ),
    Parameter(
        "store",
        Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[
            Path | None,
            typer.Option("--store", metavar="FILE", help=f"The file of the store. [else {STORE}, else the usual one]"),
        ],
    ),
    Parameter(
        "json",
        Parameter.KEYWORD_ONLY,
        default=False,
        annotation=Annotated[bool, typer.Option("--json", help="Answer in a text form, not in words.")],
    ),
    Parameter(
        "debug",
        Parameter.KEYWORD_ONLY,
        default=False,
        annotation=Annotated[bool, typer.Option("--debug", help="Show the traceback of an unexpected error.")],
    ),
)
"""What every command takes, before its name or behind it."""

Body = Callable[..., Code]


class Commands(TyperGroup):
    """The list of commands, each of them loaded when it is asked for."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]  # Typer's own context, by either name
        """Every command, in the order in which a newcomer meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]  # likewise
        """The command of that name; None where there is none."""
        return command(cmd_name) if cmd_name in COMMANDS else None

    def resolve_command(self, ctx: typer.Context, args: list[str]) -> tuple[str | None, Any, list[str]]:  # type: ignore[override]  # likewise
        """The command the first words name: two of them where such a command exists, else one."""
        two = " ".join(args[:2])
        if two in COMMANDS:
            return two, self.get_command(ctx, two), args[2:]
        if args[0] in COMMANDS:
            return args[0], self.get_command(ctx, args[0]), args[1:]
        longer = [name for name in COMMANDS if name.startswith(f"{args[0]} ")]
        near = longer or get_close_matches(two, COMMANDS) or get_close_matches(args[0], COMMANDS)
        return ctx.fail(f"there is no command {args[0]!r}" + (f"; did you mean: {', '.join(near)}?" if near else ""))


def run(argv: Sequence[str], clock: Clock | None) -> int:
    """Run the words of a command line; the exit code."""
    try:
        code = program()(
            args=list(argv) or ["--help"], prog_name="capacity", obj={"clock": clock}, standalone_mode=False
        )
    except misuse.Misuse as error:
        Screen().complain(misuse.sentence(error))
        return int(Code.USAGE)
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) or not ended.code else Code.FAILED
    return int(code or Code.FINE)


def program() -> Any:
    """The whole command, ready to be called or looked at."""
    codes = "; ".join(f"{code.value} {meaning}" for code, meaning in MEANINGS.items())
    app = typer.Typer(cls=Commands, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.callback(epilog=f"Exit codes: {codes}.")(_signed(_root, (VERSION, *COMMON)))
    return typer.main.get_command(app)


def _root(ctx: typer.Context, **given: Any) -> None:
    """How much is left, what can run, what is good enough, who runs where, and how fast: quota for fleets of agents."""
    ctx.obj.update(_told({one.name: given[one.name] for one in COMMON}))


def command(name: str) -> Any:
    """One command by its name, as Typer has it."""
    body: Body = getattr(import_module(f"capacity.cli.{COMMANDS[name]}"), name.replace(" ", "_"))
    alone = typer.Typer(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)
    told = inspect.getdoc(body) or ""
    alone.command(name, help=told, short_help=told.partition(". ")[0].rstrip("."))(
        _signed(_bounded(body), (*_own(body), *COMMON))
    )
    return typer.main.get_command(alone)


def _bounded(body: Body) -> Callable[..., None]:
    """A command inside its boundary: whatever happens in it becomes an exit code and one sentence."""

    def bounded(ctx: typer.Context, **given: Any) -> None:
        common = {parameter.name: given.pop(parameter.name) for parameter in COMMON}
        call = Call(**{**ctx.find_root().obj, **_told(common)})
        raise typer.Exit(int(_ended(call, lambda: body(call, **given))))

    return bounded


def _ended(call: Call, work: Callable[[], Code]) -> Code:
    try:
        return work()
    except KeyboardInterrupt:
        call.screen.complain("")
        return Code.INTERRUPTED
    except CapacityError as error:
        call.screen.complain(_sentence(error))
        return code_of(error)
    except (typer.Exit, typer.BadParameter):
        raise
    except Exception as error:  # noqa: BLE001 - the last boundary: an operator is told a sentence, not a traceback
        from capacity.plugins.factories import said

        if call.debug:
            traceback.print_exc(file=sys.stderr)
        call.screen.complain(f"capacity: unexpected {said(error)}; --debug shows where it came from")
        return Code.FAILED


def _sentence(error: CapacityError) -> str:
    """An error for a person: one line, or where a text has several faults one line for each."""
    if isinstance(error, FormError) and len(error.faults) > 1:
        return "\n".join([f"capacity: {error.source} has {len(error.faults)} faults:", *map(_fault, error.faults)])
    return f"capacity: {error}"


def _fault(fault: object) -> str:
    return f"  {fault}"


def _told(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value}


def _own(body: Body) -> list[Parameter]:
    """What a command takes besides its call."""
    own = inspect.signature(body, eval_str=True).parameters.values()
    return [one.replace(kind=Parameter.KEYWORD_ONLY) for one in own if one.annotation is not Call]


def _signed(function: Callable[..., None], parameters: Sequence[Parameter]) -> Any:
    """The function with the parameters Typer is to see."""
    shown = [Parameter("ctx", Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context), *parameters]
    function.__signature__ = Signature(shown)  # type: ignore[attr-defined]  # what `inspect.signature` looks at first
    function.__annotations__ = {one.name: one.annotation for one in shown}
    return function
