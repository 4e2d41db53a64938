"""Effects and replies as plain JSON and back, for cassettes: form 1.

A value is an object with its class under `is`; what equals its default is left out, so a field that is added later
changes no old cassette. Bytes are `{"text": …}`, or `{"base64": …}` where they are no UTF-8. A secret is never written:
only whether it is blank. How long something may take, how large it may be, and what ends it is not what was asked, and is left out.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence, Set
from datetime import datetime, timedelta
from typing import Any

from attrs import Attribute, evolve, fields

from capacity.errors import Ended, NotFound, Refused, TimedOut, TooLarge, WireError
from capacity.ports import Child, Document, Effect, Exit, File, Line, Paths, Pulse, Replaced, Reply, Secret
from capacity.ports.secret import MASK
from capacity.wire.redaction import DROPPED, Redaction

LIMITS = frozenset({"cap", "keep", "retry", "timeout", "until"})
"""Fields of an effect that say how it is performed, and not what is asked."""

KINDS: Mapping[str, type[Any]] = {
    kind.__name__: kind for kind in (Child, Document, Exit, File, Line, Paths, Pulse, Replaced, Reply)
}
FAULTS: Mapping[str, type[WireError]] = {kind.__name__: kind for kind in (Ended, NotFound, Refused, TimedOut, TooLarge)}


def dump(value: Any, redaction: Redaction) -> Any:
    """A value as JSON that shows no secret.

    Args:
        value: an effect, a reply, a fault, or what is inside one.
        redaction: knows the secrets of the flow it belongs to.
    """
    match value:
        case Secret():
            return {"is": "Secret", "blank": not value}
        case WireError():
            return {"is": type(value).__name__, "asked": redaction.text(value.asked), "why": redaction.text(value.why)}
        case str():
            return redaction.text(value)
        case bytes():
            return _bytes(redaction.record(value))
        case datetime():
            return value.isoformat().replace("+00:00", "Z")
        case timedelta():
            return value.total_seconds()
        case Mapping():
            return {key: dump(value[key], redaction) for key in sorted(value) if key.lower() not in DROPPED}
        case Set():
            return sorted(dump(inner, redaction) for inner in value)
        case Sequence():
            return [dump(inner, redaction) for inner in value]
        case _:
            pass
    return _fields(value, redaction) if hasattr(type(value), "__attrs_attrs__") else value


def load(value: Any) -> Any:
    """A reply or a fault, from its JSON. A secret comes back masked and as blank as it was: its fingerprint is another.

    Raises:
        ValueError, KeyError, TypeError: it is no such JSON.
    """
    match value:
        case list():
            return tuple(load(inner) for inner in value)
        case {"is": "Secret", "blank": bool(blank)}:
            return Secret("" if blank else MASK)
        case {"is": str(kind), "asked": str(asked), "why": str(why)} if kind in FAULTS:
            return FAULTS[kind](asked, why)
        case {"is": str(kind)}:
            inner = {name: _load_field(name, value[name]) for name in value if name != "is"}
            return _with_parts(KINDS[kind](**inner))
        case {"text": str(text)}:
            return text.encode()
        case {"base64": str(text)}:
            return b64decode(text, validate=True)
        case _:
            return value


def _fields(value: Any, redaction: Redaction) -> dict[str, Any]:
    told = [field for field in fields(type(value)) if _told(value, field)]
    return {"is": type(value).__name__, **{field.name: dump(getattr(value, field.name), redaction) for field in told}}


def _told(value: Any, field: Attribute[Any]) -> bool:
    if isinstance(value, Effect) and field.name in LIMITS:
        return False
    made: Any = getattr(field.default, "factory", lambda: field.default)
    return bool(getattr(value, field.name) != made())


def _bytes(body: bytes) -> dict[str, str]:
    try:
        return {"text": body.decode()}
    except UnicodeDecodeError:
        return {"base64": b64encode(body).decode()}


def _load_field(name: str, value: Any) -> Any:
    return datetime.fromisoformat(value) if name == "at" else load(value)


def _with_parts(value: Any) -> Any:
    """A secret file whose masked JSON was kept has the same parts as it had, masked."""
    if isinstance(value, File) and value.secret and value.body:
        return evolve(value, secret=Secret(value.body.decode()))
    return value
