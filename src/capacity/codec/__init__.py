"""Text forms: JSON of every value, the policy file, tick files, and the schemas of them all.

Whatever a text is not is told at once: every fault, with its key path and the nearest valid key or word.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from cattrs.errors import ClassValidationError

from capacity.codec.adopted import load_tier_set, loads_tier_set, tier_set_text
from capacity.codec.converter import DOCUMENTS, converter
from capacity.codec.faults import Faulty, faults_of
from capacity.codec.policy import load_policy, policy_template, read_policy
from capacity.codec.schema import schemas
from capacity.codec.text import file_bytes, json_tree, written
from capacity.errors import Fault, FormError
from capacity.values.tick import Tick

V = TypeVar("V")

__all__ = [
    "DOCUMENTS",
    "dump_tick",
    "dumps",
    "load_policy",
    "load_tick",
    "load_tier_set",
    "loads",
    "loads_tier_set",
    "policy_template",
    "read_policy",
    "schemas",
    "tier_set_text",
]


def dumps(value: Any) -> bytes:
    """The JSON text of a value, or of a dictionary or list of values: UTF-8, keys sorted, no spaces, one newline.

    Equal values have equal texts, but for one thing: an amount keeps the digits it was told with (`1.50` is not `1.5`).

    Args:
        value: any value of the house.

    Raises:
        FormError: a figure in it is not a number, or an option in it is nested too deeply.
    """
    try:
        return written(converter().unstructure(value))
    except Faulty as error:
        raise FormError(type(value).__name__, error.faults) from None
    except RecursionError:
        raise FormError(type(value).__name__, (Fault("", "is nested too deeply"),)) from None


def loads(cls: type[V], body: bytes | str, *, source: str = "text") -> V:
    """The value a JSON text tells. What has a default may be left out; nothing may be added.

    Args:
        cls: the class of the value.
        body: the text, UTF-8.
        source: what the text is called in an error: its file, or what sent it.

    Raises:
        FormError: it is no such text; every fault it has.
    """
    try:
        return converter().structure(json_tree(body), cls)
    except (Faulty, ClassValidationError) as error:
        raise FormError(source, tuple(faults_of(error))) from None


def load_tick(path: str | PathLike[str]) -> Tick:
    """The tick a file holds.

    Args:
        path: the file.

    Raises:
        FormError: it cannot be read, or is no tick; every fault it has.
    """
    try:
        body = file_bytes(Path(path))
    except Faulty as error:
        raise FormError(str(path), error.faults) from None
    return loads(Tick, body, source=str(path))


def dump_tick(tick: Tick) -> bytes:
    """What a tick file holds: a decision with everything it was made from.

    Args:
        tick: the tick.

    Raises:
        FormError: a figure in it is not a number.
    """
    return dumps(tick)
