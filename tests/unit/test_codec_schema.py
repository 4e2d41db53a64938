"""The published schemas say what is written: no more, no less.

Run this file to publish them anew after a form has changed: `python tests/unit/test_codec_schema.py`.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from capacity.codec import DOCUMENTS, dumps, schemas
from capacity.testing.strategies import value
from capacity.values.decision import Decision
from capacity.values.limits import Limit, Reading

PUBLISHED = Path(__file__).parents[2] / "docs" / "reference" / "schemas"
NOON = datetime(2026, 9, 20, 12, tzinfo=UTC)
every_document = pytest.mark.parametrize("name", sorted(DOCUMENTS))


def page(name: str) -> str:
    return json.dumps(schemas()[name], indent=2, sort_keys=True, ensure_ascii=False) + "\n"


@cache
def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(schemas()[name])


def errors(name: str, body: bytes) -> list[str]:
    return [error.message for error in validator(name).iter_errors(json.loads(body))]


@every_document
def test_a_schema_is_a_schema(name: str) -> None:
    """Each is valid under the dialect it names."""
    Draft202012Validator.check_schema(schemas()[name])


@every_document
def test_the_published_schema_is_the_one_in_force(name: str) -> None:
    """What the reference shows is what the classes say."""
    assert page(name) == (PUBLISHED / f"{name}.json").read_text(encoding="utf-8"), f"publish it anew: python {__file__}"


def test_every_document_is_published_and_nothing_else() -> None:
    """No schema of a form that is no more is left behind."""
    assert sorted(f"{name}.json" for name in DOCUMENTS) == sorted(path.name for path in PUBLISHED.iterdir())


@every_document
@given(data=st.data())
@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow])
def test_what_is_written_is_valid(name: str, data: st.DataObject) -> None:
    """Any value's text passes its schema."""
    assert [] == errors(name, dumps(data.draw(value(DOCUMENTS[name]))))


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        (b'"form":1', b'"form":2'),
        (b'"state":"ok"', b'"state":"okay"'),
        (b'"plan":null,', b""),
        (b'"plan":null', b'"plan":null,"plam":null'),
        (b'"percent":1.0', b'"percent":"1.0"'),
        (b'"observed_at":"2026-09-20T12:00:00Z"', b'"observed_at":"2026-09-20T12:00:00"'),
    ],
)
def test_what_is_not_written_is_not_valid(was: bytes, becomes: bytes) -> None:
    """Another form, an unknown word, a missing or an added key, a text for a number, an instant without a zone."""
    text = dumps(Reading("", "ok", "usage", NOON, limits=(Limit("5h", 1.0),)))

    assert was in text
    assert [] == errors("reading", text)
    assert [] != errors("reading", text.replace(was, becomes))


def test_a_decision_is_described_with_its_tables() -> None:
    """A fact is only ever an index, a candidate or a verdict an index or itself."""
    defined = schemas()["decision"]["$defs"]
    placement: Any = defined["PlacementInDecision"]["properties"]

    assert {"type": "integer", "minimum": 0, "description": "why; index into facts"} == placement["fact"]
    assert ["integer", None, "null"] == [option.get("type") for option in placement["candidate"]["anyOf"]]
    assert [] == errors("decision", dumps(Decision("x", NOON, "seats")))


def test_a_schema_explains_itself() -> None:
    """Every key of a reading has its line of the docstring, in the words of JSON."""
    about = {key: told.get("description") for key, told in schemas()["reading"]["properties"].items() if key != "form"}

    assert all(about.values())
    assert "the login's fingerprint, null where nobody could tell" == about["account"]


if __name__ == "__main__":
    PUBLISHED.mkdir(parents=True, exist_ok=True)
    for document in DOCUMENTS:
        (PUBLISHED / f"{document}.json").write_text(page(document), encoding="utf-8")
