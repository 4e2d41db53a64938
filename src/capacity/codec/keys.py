"""The keys of the text forms: a class's own names, but a span says its unit (`usual` is `usual_s`, in seconds)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, get_args, get_type_hints

import attrs


def hints_of(cls: type[Any]) -> Mapping[str, Any]:
    """Attribute → type, in the order of the class."""
    hints = get_type_hints(cls)
    return {field.name: hints[field.name] for field in attrs.fields(cls)}


def keys_of(cls: type[Any]) -> Mapping[str, str]:
    """Attribute → key, in the order of the class."""
    return {name: f"{name}_s" if _is_span(hint) else name for name, hint in hints_of(cls).items()}


def _is_span(hint: Any) -> bool:
    return timedelta in (hint, *get_args(hint))
