"""L15: structure(unstructure(x)) == x for every value."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import capacity.values
from capacity.codec import DOCUMENTS, dumps, loads
from capacity.testing.strategies import value


def classes() -> Iterator[type[Any]]:
    """Every attrs class of the ground floor, so that a new one is under the law from its first day."""
    for found in pkgutil.iter_modules(capacity.values.__path__, "capacity.values."):
        for thing in vars(importlib.import_module(found.name)).values():
            if isinstance(thing, type) and attrs.has(thing) and thing.__module__ == found.name:
                yield thing


CLASSES = sorted(set(classes()), key=lambda cls: cls.__name__)
every_class = pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)


def test_the_law_is_held_against_every_document() -> None:
    """The classes are found: all that are kept or handed over by themselves are among them."""
    assert set(DOCUMENTS.values()) <= set(CLASSES)
    assert 30 < len(CLASSES)


@every_class
@given(data=st.data())
def test_a_value_survives_its_text(cls: type[Any], data: st.DataObject) -> None:
    """What is written is read back as an equal value, which has the same text."""
    told = data.draw(value(cls))

    text = dumps(told)
    back = loads(cls, text)

    assert told == back
    assert text == dumps(back)
