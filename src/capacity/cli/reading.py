"""`read`: what a backend's reader makes of recorded answers. The pools bear the backend's name: nobody's account is known."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from attrs import evolve
from typer import Argument, Option

from capacity.cli.call import Call
from capacity.cli.documents import Given
from capacity.cli.exits import Code
from capacity.cli.lines import reading_line
from capacity.errors import Fault, FormError, PluginError
from capacity.plugins import READERS, load_plugins
from capacity.plugins.factories import said
from capacity.ports import Document, Failure, Listing, Reader, Reading

UNREADABLE = (FormError, ValueError, RecursionError)
"""What a reader raises on an answer that is its own and cannot be read."""

Backend = Annotated[str, Argument(metavar="BACKEND", help="Whose answer it is; `capacity plugins` lists them.")]
Files = Annotated[
    list[Path], Option("--from", metavar="FILE", help="A recorded answer; may be given again. - is standard input.")
]
More = Annotated[list[Path] | None, Argument(metavar="FILE", help="More of them, as if after --from.")]
At = Annotated[
    str | None, Option("--at", metavar="INSTANT", help="When it was answered. [else its Date header, else now]")
]
Status = Annotated[int | None, Option("--status", metavar="N", help="HTTP status of a bare body.")]
HeaderFile = Annotated[Path | None, Option("--headers", metavar="FILE", help="Header lines of a bare body.")]
Asked = Annotated[str | None, Option("--asked", metavar="TEXT", help="What it answers: path and query, argv, or file.")]


def read(
    call: Call,
    backend: Backend,
    files: Files,
    more: More = None,
    at: At = None,
    status: Status = None,
    headers: HeaderFile = None,
    asked: Asked = None,
) -> Code:
    """Show what a backend's reader makes of a recorded answer, one reading a line."""
    reader, code = reader_of(backend), Code.FINE
    given = Given.of(call, at, status, headers, asked)
    for path in (*files, *(more or ())):
        readings = readings_of(reader, backend, given.document(path), path)
        if not readings:
            code = not_mine(call, backend, path)
        for reading in readings or ():
            if call.json:
                call.answer(reading)
            else:
                call.screen.say(reading_line(reading))
    return code


def reader_of(backend: str) -> Reader:
    """The reader of a backend.

    Raises:
        PluginError: nobody offers it, or it does not work.
    """
    reader: Reader = load_plugins().require(READERS, backend).factory()
    return reader


def readings_of(reader: Reader, backend: str, doc: Document, path: Path) -> tuple[Reading, ...] | None:
    """The readings in a document, pools named after the backend; None = not its own.

    Raises:
        PluginError: the reader broke its contract.
    """
    try:
        found = reader.readings(doc)
    except UNREADABLE as error:
        return (Reading(backend, "unrecognised", "read", doc.at, detail=said(error)),)
    except Exception as error:
        raise _broken(backend, path, error) from error
    return None if found is None else tuple(evolve(one, pool=_full(backend, one.pool)) for one in found)


def listing_of(reader: Reader, backend: str, doc: Document, path: Path) -> Listing | None:
    """The listing in a document, pools named after the backend; None = not its own.

    Raises:
        FormError: it is its own and cannot be read.
        PluginError: the reader broke its contract.
    """
    try:
        found = reader.listing(doc)
    except UNREADABLE as error:
        raise FormError(str(path), (Fault("", f"the listing of {backend} cannot be read: {said(error)}"),)) from error
    except Exception as error:
        raise _broken(backend, path, error) from error
    if found is None:
        return None
    return evolve(found, models=tuple(evolve(one, pool=_full(backend, one.pool)) for one in found.models))


def failure_of(reader: Reader, backend: str, doc: Document, path: Path) -> Failure | None:
    """The failure that a reader sees in a document; None = not its own, or it cannot read it.

    Raises:
        PluginError: the reader broke its contract.
    """
    try:
        return reader.failure(doc)
    except UNREADABLE:
        return None
    except Exception as error:
        raise _broken(backend, path, error) from error


def not_mine(call: Call, backend: str, path: Path) -> Code:
    """Say that a reader does not take a document."""
    call.screen.complain(f"capacity: not mine: the reader of {backend} does not take {path}")
    return Code.NOT_MINE


def _broken(backend: str, path: Path, error: Exception) -> PluginError:
    return PluginError(f"{path}: the reader of {backend} broke its contract: {said(error)}")


def _full(backend: str, part: str) -> str:
    return f"{backend}/{part}" if part else backend
