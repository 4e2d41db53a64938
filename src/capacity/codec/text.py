"""Bytes ↔ trees: the one JSON text of a tree, and what a file or a text holds, or the one fault that kept it from it.

Written: UTF-8, keys sorted, no spaces, one newline. Read: a key that stands twice, NaN and Infinity are faults, since
each of them would lose or invent something.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from pathlib import Path
from typing import Any, NoReturn

from capacity.codec.faults import Faulty, quoted, wrong

TEXT_CAP = 32 * 2**20
"""Bytes a text may have. The tick of 10,000 seats among 4,000 candidates has 10.6 MB; three times that is a mistake."""

TOML_CAP = 4 * 2**20
"""Bytes a TOML file may have: a rule of its own for each of 10,000 seats takes a quarter of it."""

DEEP_KEY = re.compile(r"""(?:[\w"'-]+[ \t]*\.[ \t]*){100}""")
"""A dotted key nobody writes. Its reader takes the square of its parts, so a file of some kilobytes would hold it up."""

Tree = Any
"""What JSON and TOML are made of: dictionaries, lists, texts, numbers, true, false, null."""


def written(tree: Tree) -> bytes:
    """The JSON text of a tree."""
    text = json.dumps(tree, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    # Half of a surrogate pair is no UTF-8; the escape Python writes for it is the one JSON has for it.
    return text.encode("utf-8", "backslashreplace") + b"\n"


def json_tree(body: bytes | str) -> Tree:
    """The tree of a JSON text.

    Raises:
        Faulty: it is none; one fault.
    """
    text = decoded(body)
    try:
        return json.loads(text, parse_constant=_refuse, object_pairs_hook=_distinct)
    except json.JSONDecodeError as error:
        cut = ", where it ends" if error.pos >= len(text.rstrip()) else ""
        raise wrong(f"is no JSON: {error.msg} at line {error.lineno}, column {error.colno}{cut}") from None
    except RecursionError:
        raise wrong("is nested too deeply") from None
    except Faulty:
        raise
    except ValueError as error:
        raise wrong(f"is no JSON: {error}") from None


def toml_tree(body: bytes | str) -> dict[str, Tree]:
    """The tree of a TOML text.

    Raises:
        Faulty: it is none; one fault, with its line and column.
    """
    text = decoded(body, TOML_CAP)
    if DEEP_KEY.search(text):
        raise wrong("has a dotted key of 100 parts or more", "is it the right file?")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line, column = text.count("\n") + 1, len(text) - text.rfind("\n")
        said = str(error).replace("at end of document", f"at line {line}, column {column}, where it ends")
        raise wrong(f"is no TOML: {said}", "mend it there") from None
    except RecursionError:
        raise wrong("is nested too deeply") from None
    except ValueError as error:
        raise wrong(f"is no TOML: {error}") from None


def decoded(body: bytes | str, cap: int | None = None) -> str:
    """The text in some bytes, without a byte order mark.

    Raises:
        Faulty: too many bytes, or no UTF-8.
    """
    cap = TEXT_CAP if cap is None else cap
    if len(body) > cap:
        raise wrong(f"is larger than {cap // 2**20} MiB", "is it the right file?")
    try:
        return body if isinstance(body, str) else body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = body[: error.start].count(b"\n") + 1 if isinstance(body, bytes) else 1
        raise wrong(f"is no UTF-8 text: line {line} holds a byte that cannot be", "save it as UTF-8") from None


def file_bytes(path: Path) -> bytes:
    """What a file holds; never more than one byte over `TEXT_CAP`, whatever the path leads to.

    Raises:
        Faulty: it cannot be read; the fault says why and what to do.
    """
    try:
        with path.open("rb") as file:
            return file.read(TEXT_CAP + 1)
    except FileNotFoundError:
        raise wrong("does not exist", "check the path, or write the file") from None
    except IsADirectoryError:
        raise wrong("is a folder", "name the file in it") from None
    except PermissionError:
        raise wrong("may not be read by this user", "change its permissions or its owner") from None
    except (OSError, ValueError) as error:
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
        raise wrong(f"cannot be read: {reason}", "check the path") from None


def _refuse(constant: str) -> NoReturn:
    raise wrong(f"holds {constant}, which is no figure", 'unknown is null, unbounded is "inf"')


def _distinct(pairs: list[tuple[str, Tree]]) -> dict[str, Tree]:
    table = dict(pairs)
    if len(table) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]  # add gives None
        raise wrong(f"the key {quoted(twice)} stands twice in one object", "keep one of them")
    return table
