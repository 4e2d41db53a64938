"""What a llama.cpp body about slots may look like, and what it must never become."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from capacity.ports import Document, Limit, Reading, Scope
from capacity_llama_cpp import reader
from hypothesis import given
from hypothesis import strategies as st

AT = datetime(2026, 9, 20, 12, tzinfo=UTC)
PATHS = ("/health", "/props", "/slots", "/metrics")
GARBAGE = {
    "empty": b"",
    "truncated": b'{"default_generation_settings": {"n_ctx": 163',
    "html": b"<!doctype html><title>Bad gateway</title>",
    "binary": bytes(range(256)),
    "deep": b"[" * 100_000,
    "deep slots": b'[{"n_ctx": ' + b"[" * 100_000 + b"]" * 100_000 + b"}]",
    "large": b'[{"n_ctx": "' + b"x" * 9_000_000 + b'"}]',
    "large metrics": b"llamacpp:requests_processing 0\n" * 300_000,
    "no slots": b"[]",
    "slots of no kind": b'[{"id": 0}, 7]',
    "a number": b"17",
    "null": b"null",
    "another object": b'{"success": true}',
    "another exporter": b"# TYPE go_goroutines gauge\ngo_goroutines 7\n",
}


def asked(body: Any, path: str | None = None, **more: Any) -> Document:
    """A body as the answer to a path."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Document(raw, AT, asked=path, **more)


def one(doc: Document) -> Reading:
    """The one reading of a document."""
    (reading,) = reader().readings(doc) or ()
    return reading


def limit(doc: Document) -> Limit:
    """The one limit of the one reading."""
    (found,) = one(doc).limits
    return found


def slot(busy: Any = False, **more: Any) -> dict[str, Any]:
    """A slot as an idle one is told."""
    return {"id": 0, "n_ctx": 4096, "speculative": False, "is_processing": busy, **more}


# --- slots ------------------------------------------------------------------------------------


def test_slots_carry_what_is_free_and_how_many_there_are() -> None:
    """No percent, no reset, no word of the provider: a slot is free or it is not."""
    found = limit(asked([slot(True), slot(), slot()]))

    assert Limit("slots", left={"slots": Decimal(2)}, cap={"slots": Decimal(3)}) == found
    assert "release" == found.frees_on


@pytest.mark.parametrize("path", ["/slots?model=Org%2FBig&autoload=false", "/x/slots?autoload=false&model=Org%2FBig"])
def test_a_routers_slots_bind_the_model_asked_about(path: str) -> None:
    """The question names the model; the limit is scoped to it, casefolded."""
    found = limit(asked([slot()], path))

    assert ("slots:org/big", Scope("model", "Org/Big")) == (found.name, found.scope)


@pytest.mark.parametrize("path", [None, "/slots", "/slots?fail_on_no_slot=1"])
def test_a_single_servers_slots_bind_everything(path: str | None) -> None:
    """A question that names no model is about the only one there is."""
    assert ("slots", None) == (limit(asked([slot()], path)).name, limit(asked([slot()], path)).scope)


@pytest.mark.parametrize(("state", "free"), [(0, 1), (1, 0)])
def test_slots_of_2024_told_a_state(state: int, free: int) -> None:
    """Older builds said `state` 0 or 1 where newer ones say `is_processing`."""
    assert {"slots": Decimal(free)} == limit(asked([{"id": 0, "n_ctx": 512, "state": state}])).left


@pytest.mark.parametrize("busy", [None, "true", 2, [], {}])
def test_a_slot_that_does_not_say_leaves_the_free_ones_unknown(busy: Any) -> None:
    """How many there are is still told; how many are free is not guessed."""
    reading = one(asked([slot(busy), slot()]))

    assert ({}, {"slots": Decimal(2)}) == (reading.limits[0].left, reading.limits[0].cap)
    assert "does not say" in (reading.detail or "")


# --- props, metrics, health -------------------------------------------------------------------


@pytest.mark.parametrize("total", [2, "2"], ids=repr)
def test_props_tell_how_many_slots_there_are(total: Any) -> None:
    """The total alone is a cap without anything left: unknown, not full."""
    body = {"default_generation_settings": {"n_ctx": 16384}, "total_slots": total}
    found = limit(asked(body, "/props?model=m&autoload=false"))

    assert ("slots:m", {}, {"slots": Decimal(2)}) == (found.name, found.left, found.cap)
    assert "release" == found.frees_on


@pytest.mark.parametrize("total", [None, 0, -1, "two", 2.5, True, []])
def test_props_without_a_total_only_say_that_it_serves(total: Any) -> None:
    """No number of slots, or an impossible one: the server answered, and that is all."""
    reading = one(asked({"default_generation_settings": {"n_ctx": 1}, "total_slots": total}))

    assert (Limit("service", blocked=False),) == reading.limits
    assert reading.detail


def test_a_routers_own_props_are_dummies() -> None:
    """Its `n_ctx` of 0 and any total beside it are not figures."""
    body = {"role": "router", "default_generation_settings": {"n_ctx": 0}, "total_slots": 0, "max_instances": 4}

    assert (Limit("service", blocked=False),) == one(asked(body)).limits


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("llamacpp:requests_processing 2\nllamacpp:requests_deferred 1\n", "running: 2, waiting: 1;"),
        ('llamacpp:requests_processing{model="m"} 2.0\n', "running: 2, waiting: unknown;"),
        ("llamacpp:requests_processing many\n", "running: unknown, waiting: unknown;"),
    ],
)
def test_metrics_tell_requests_and_not_slots(text: str, detail: str) -> None:
    """Without the number of slots nothing is left or used; what was told is said."""
    reading = one(asked(text.encode()))

    assert (Limit("service", blocked=False),) == reading.limits
    assert detail in (reading.detail or "")


@pytest.mark.parametrize("status", [None, 503])
@pytest.mark.parametrize("message", ["Loading model", "loading model (37 %)"])
def test_loading_waits(status: int | None, message: str) -> None:
    """A server that loads neither serves nor refuses."""
    reading = one(asked({"error": {"code": 503, "message": message, "type": "unavailable_error"}}, status=status))

    assert ("ok", (Limit("service"),)) == (reading.state, reading.limits)
    assert "loading" in (reading.detail or "")


# --- errors and garbage -----------------------------------------------------------------------


@pytest.mark.parametrize("path", [*PATHS, "/models", "/v1/models"])
@pytest.mark.parametrize(
    ("status", "state"),
    [(401, "login-required"), (429, "throttled"), (500, "unreachable"), (501, "unsupported"), (503, "unreachable")],
)
def test_an_error_that_answers_a_question_is_a_state(path: str, status: int, state: str) -> None:
    """It has no limits, and names the status; only a throttled one says when to come again."""
    reading = one(asked({"error": {"message": "?"}}, path, status=status))

    assert (state, ()) == (reading.state, reading.limits)
    assert str(status) in (reading.detail or "")
    assert (AT + timedelta(seconds=15) if state == "throttled" else None) == reading.retry_at


@pytest.mark.parametrize(("header", "seconds"), [("0", 15), ("60", 60), ("-5", 15), ("9" * 30, 86400), ("soon", 15)])
def test_throttled_waits_the_usual_time_at_least(header: str, seconds: int) -> None:
    """A Retry-After is believed where it asks for more, and up to a day."""
    reading = one(asked(b"", "/slots", status=429, headers=(("retry-after", header),)))

    assert AT + timedelta(seconds=seconds) == reading.retry_at


@pytest.mark.parametrize("status", [400, 404])
def test_a_question_about_the_wrong_model_says_nothing(status: int) -> None:
    """A model that is not resident or not known is no state of the server."""
    assert (
        reader().readings(asked({"error": {"message": "model is not loaded"}}, "/slots?model=m", status=status)) is None
    )


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("body", GARBAGE.values(), ids=GARBAGE)
def test_garbage_where_figures_were_asked_is_unrecognised(body: bytes, path: str) -> None:
    """A known question answered in a shape nobody knows has no limits at all, never a zero."""
    reading = one(asked(body, path))

    assert ("unrecognised", ()) == (reading.state, reading.limits)


@pytest.mark.parametrize("path", [None, "/models", "/v1/chat/completions"])
@pytest.mark.parametrize("body", GARBAGE.values(), ids=GARBAGE)
def test_other_garbage_is_not_ours(body: bytes, path: str | None) -> None:
    """Neither slots nor models are made of it."""
    assert reader().readings(asked(body, path)) is None
    assert reader().listing(asked(body, path)) is None


# --- properties -------------------------------------------------------------------------------

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
slot_lists = st.lists(
    st.fixed_dictionaries(
        {"n_ctx": anything},
        optional={"id": anything, "is_processing": st.booleans() | anything, "state": anything, "next_token": anything},
    ),
    min_size=1,
    max_size=6,
)
props_bodies = st.fixed_dictionaries(
    {"default_generation_settings": st.just({"n_ctx": 512})},
    optional={
        key: st.integers(-1, 9) | anything
        for key in ("total_slots", "modalities", "is_sleeping", "role", "chat_template_caps")
    },
)


@given(slot_lists, st.booleans())
def test_free_slots_never_outnumber_the_slots(told: list[dict[str, Any]], backwards: bool) -> None:
    """Whatever each slot says, what is left lies between none and all, in any order of them."""
    found = limit(asked(told))

    assert {"slots": Decimal(len(told))} == found.cap
    assert 0 <= found.left.get("slots", Decimal(0)) <= len(told)
    assert found == limit(asked(told[::-1]))


@given(props_bodies)
def test_any_props_are_a_reading(body: dict[str, Any]) -> None:
    """Whatever is missing, null, of another type or added: one good reading, and nothing is said to be left."""
    reading = one(asked(body))

    assert "ok" == reading.state
    assert {} == reading.limits[0].left


@given(
    st.binary(max_size=200) | anything.map(lambda value: json.dumps(value).encode()),
    st.sampled_from([None, *PATHS, "/models", "/slots?model=%ff"]),
    st.sampled_from([None, 200, 404, 503]),
)
def test_any_body_is_survived(body: bytes, path: str | None, status: int | None) -> None:
    """No body makes the reader raise, and none of chance has slots or models."""
    doc = asked(body, path, status=status)

    assert [] == [limit for reading in reader().readings(doc) or () for limit in reading.limits]
    assert not (listing := reader().listing(doc)) or not listing.models
