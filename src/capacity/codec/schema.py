"""JSON Schema of every text form, made from the classes themselves: their attributes, types, defaults and docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from capacity.codec import leaves, shapes
from capacity.codec.converter import DOCUMENTS, FORM
from capacity.codec.keys import hints_of, keys_of
from capacity.codec.references import REFERENCES
from capacity.values.conditions import Fact, Figure
from capacity.values.decision import Decision
from capacity.values.limits import Scope
from capacity.values.seats import Candidate

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"

INDEX: Mapping[str, Any] = {"type": "integer", "minimum": 0}
OUTSIDE = ("",)
"""Where no path leads: what stands there refers to no table."""

LEAVES: Mapping[Any, Mapping[str, Any]] = {
    NoneType: {"type": "null"},
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"anyOf": [{"type": "number"}, {"enum": list(leaves.UNBOUNDED)}]},
    Decimal: {"type": "string", "pattern": f"^{leaves.AMOUNT}$"},
    datetime: {"type": "string", "format": "date-time", "pattern": "Z$"},
    timedelta: {"type": "number", "description": "seconds"},
    Any: {},
}


def schemas() -> dict[str, Schema]:
    """Name of a document (`reading`, `decision`, …) → its JSON Schema, draft 2020-12.

    They describe what `dumps` writes: every key is there. `loads` also takes a text without the keys that have a default.
    """
    return {name: _document(name, cls) for name, cls in sorted(DOCUMENTS.items())}


def _document(name: str, cls: type[Any]) -> Schema:
    parts = _Parts()
    root = parts.described(cls, () if cls is Decision else OUTSIDE)
    return {"$schema": DIALECT, "$id": f"{name}.json", "title": name, **root, "$defs": dict(sorted(parts.made.items()))}


class _Parts:
    """The definitions a schema needs.

    Attributes:
        made: name → definition.
    """

    def __init__(self) -> None:
        self.made: dict[str, Schema] = {}

    def of(self, hint: Any, path: tuple[str, ...]) -> Schema:
        """The schema of an annotation that stands at a path of a decision, or outside of one."""
        kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
        table = next((table for table, place in REFERENCES if place == path), None)
        options = [dict(self.plain(kind, path)) for kind in kinds if table != "facts" or kind is NoneType]
        if table is not None:
            options.insert(0, {**INDEX, "description": f"index into {table}"})
        return options[0] if len(options) == 1 else {"anyOf": options}

    def plain(self, hint: Any, path: tuple[str, ...]) -> Mapping[str, Any]:
        """The schema of one kind of value."""
        origin, arguments = get_origin(hint), get_args(hint)
        if hint in LEAVES:
            return LEAVES[hint]
        if origin is Literal:
            return {"enum": list(arguments)}
        if origin in (tuple, frozenset):
            return {"type": "array", "items": self.of(arguments[0], (*path, "*"))}
        if origin is Mapping:
            return {"type": "object", "additionalProperties": self.of(arguments[1], (*path, "*"))}
        return self.reference(hint, path)

    def reference(self, cls: type[Any], path: tuple[str, ...]) -> Schema:
        """A reference to the definition of a class. One that refers to tables has a definition of its own."""
        path = () if cls is Decision else path
        refers = any(place[: len(path)] == path != place for _, place in REFERENCES)
        name = f"{cls.__name__}InDecision" if refers and path else cls.__name__
        if name not in self.made:
            self.made[name] = {}
            self.made[name] = self.described(cls, path if refers else OUTSIDE)
        return {"$ref": f"#/$defs/{name}"}

    def described(self, cls: type[Any], path: tuple[str, ...]) -> Schema:
        """The definition of a class."""
        summary, about = _said(cls)
        if cls in SHAPES:
            return {"description": summary, **SHAPES[cls]}
        keys, hints = keys_of(cls), hints_of(cls)
        properties = {
            keys[name]: _about(self.of(hints[name], (*path, keys[name])), about.get(name, "")) for name in keys
        }
        if cls is Decision:
            facts = self.of(tuple[Fact, ...], OUTSIDE)
            properties["facts"] = _about(facts, "what verdicts, placements and conditions rest on.")
        if cls in DOCUMENTS.values():
            properties["form"] = {"const": FORM}
        return {"description": summary, **_table(properties)}


def _about(schema: Schema, text: str) -> Schema:
    """A schema with what its attribute's docstring says, before what is said of its type."""
    said = [text.rstrip("."), schema.get("description", "")]
    return {**schema, "description": "; ".join(filter(None, said))}


def _table(properties: Mapping[str, Any]) -> Schema:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": sorted(properties),
        "additionalProperties": False,
    }


def _figure(kind: str, *values: Mapping[str, Any]) -> Schema:
    value = values[0] if len(values) == 1 else {"anyOf": list(values)}
    return _table({"name": LEAVES[str], "type": {"const": kind}, "unit": LEAVES[str], "value": value})


SHAPES: Mapping[type[Any], Mapping[str, Any]] = {
    Candidate: {
        "type": "array",
        "prefixItems": [*[{"type": "string"}] * 3, {"type": ["string", "null"]}],
        "items": False,
        "minItems": 4,
    },
    Scope: {"oneOf": [_table({kind: LEAVES[str]}) for kind in shapes.SCOPES]},
    Figure: {
        "oneOf": [
            _figure("decimal", LEAVES[Decimal]),
            _figure("instant", LEAVES[datetime]),
            _figure("number", LEAVES[int], LEAVES[float]),
            _figure("word", LEAVES[str]),
        ]
    },
}
"""The classes whose text is not their attributes."""


def _said(cls: type[Any]) -> tuple[str, dict[str, str]]:
    """What a class's docstring says of it and of each attribute, in the words of JSON."""
    text = inspect.cleandoc(cls.__doc__ or "")
    summary, _, listed = text.partition("Attributes:\n")
    found = re.findall(r"^    (\w+): (.*(?:\n        .*)*)", listed, re.MULTILINE)
    return _in_json(summary), {name: _in_json(about) for name, about in found}


def _in_json(text: str) -> str:
    for python, json in (("None", "null"), ("True", "true"), ("False", "false")):
        text = re.sub(rf"\b{python}\b", json, text)
    return " ".join(text.replace("`()`", "`[]`").split())
