"""`classify`: whose fault a recorded failure is, by the backend's reader and the rules that hold for everybody."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, get_args
from zoneinfo import ZoneInfo

from attrs import evolve
from typer import Argument, Option

from capacity.cli.call import Call
from capacity.cli.documents import Given
from capacity.cli.exits import Code, UsageFault
from capacity.cli.lines import failure_line
from capacity.cli.reading import At, HeaderFile, More, Status, failure_of, reader_of
from capacity.core.classify import classify as judged
from capacity.ports import Document, Failure, Reader
from capacity.values.failures import Transport

NOBODY = "-"
"""In place of a backend: no reader is asked."""

Text = Annotated[str, Option("--text", metavar="TEXT", help="What an error said, beside an answer or without.")]
ExitCode = Annotated[int | None, Option("--exit", metavar="N", help="Exit code of the process that ran the request.")]
Ended = Annotated[
    str | None, Option("--transport", metavar="WORD", help="How it ended without an answer: unreached, broken, …")
]
Asked = Annotated[str, Option("--provider", metavar="NAME", help="The name by which a gateway knows who was asked.")]


def classify(
    call: Call,
    backend: Annotated[
        str | None, Argument(metavar="BACKEND", help="Whose failure it is; - or nothing asks no reader.")
    ] = None,
    more: More = None,
    files: Annotated[
        list[Path] | None,
        Option("--from", metavar="FILE", help="A recorded answer; may be given again. - is standard input."),
    ] = None,
    text: Text = "",
    status: Status = None,
    headers: HeaderFile = None,
    exit_code: ExitCode = None,
    transport: Ended = None,
    provider: Asked = "",
    at: At = None,
    zone: Annotated[
        str | None, Option("--zone", metavar="ZONE", help="Zone of the host whose clock a text shows.")
    ] = None,
) -> Code:
    """Tell whose fault a failure is: its kind, whom it blames, for how long, and when it ends."""
    paths, way = [*(files or ()), *(more or ())], transport_word(transport)
    if not (paths or text or status or headers or exit_code is not None or way):
        raise UsageFault("say what failed, with --from FILE, --text TEXT, --status N, --exit N or --transport WORD")
    reader = None if backend in (None, NOBODY) else reader_of(str(backend))
    given, code = Given.of(call, at, status, headers, None), Code.FINE
    for path in paths or [None]:
        doc = (
            given.document(path) if path else Document(b"", given.at or given.now, status=status, headers=given.headers)
        )
        doc = evolve(doc, exit_code=exit_code, zone=_zone(zone))
        failure = _judged(doc, text, way, provider, reader, str(backend), path)
        code = _told(call, failure, path) or code
    return code


def transport_word(word: str | None) -> Transport | None:
    """How a request ended, as it is typed.

    Raises:
        UsageFault: no such way is known.
    """
    found = next((one for one in get_args(Transport) if one == word), None)
    if word is not None and found is None:
        raise UsageFault(f"--transport {word!r} is none of {', '.join(get_args(Transport))}")
    return found


def _zone(name: str | None) -> str | None:
    """A zone, as it is typed.

    Raises:
        UsageFault: no such zone is known on this machine.
    """
    try:
        return name and ZoneInfo(name).key
    except (ValueError, OSError, KeyError):
        raise UsageFault(f"--zone {name!r} is no zone known here: write it like Europe/Berlin") from None


def _judged(
    doc: Document, text: str, transport: Transport | None, provider: str, reader: Reader | None, backend: str,
    path: Path | None,
) -> Failure:  # fmt: skip  # what was seen, and who judges it
    asked = evolve(doc, body=text.encode("utf-8", "replace")) if text and not doc.body else doc
    told = None if reader is None else failure_of(reader, backend, asked, path or Path("--text"))
    return judged(
        body=doc.body, status=doc.status, headers=doc.headers, text=text, exit_code=doc.exit_code, transport=transport,
        at=doc.at, zone=doc.zone, provider=provider, told=told,
    )  # fmt: skip  # the arguments, in their order


def _told(call: Call, failure: Failure, path: Path | None) -> Code | None:
    """Say it; a code where nothing failed."""
    if any(fact.code == "core:nothing-failed" for fact in failure.facts):
        call.screen.complain(f"capacity: not mine: nothing in {path or 'what was said'} says that anything failed")
        return Code.NOT_MINE
    if call.json:
        call.answer(failure)
    else:
        call.screen.say(failure_line(failure))
    return None
