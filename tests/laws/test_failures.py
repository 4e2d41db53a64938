"""Laws of blame: nothing that is only said indicts, nothing raises, equal evidence has equal answers, and days only move
instants.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

from attrs import evolve
from hypothesis import example, given
from hypothesis import strategies as st

from capacity import classify
from capacity.core.codes import EXACT, VAGUE
from capacity.core.phrases import OURS, WIRE
from capacity.core.wordings import WORDINGS
from capacity.values.failures import HOLDS, Failure, FailureKind, Transport

NOON = datetime(2026, 9, 20, 12, tzinfo=UTC)

NEEDLES = sorted({needle for row in (*OURS, *WORDINGS, *WIRE) for needle in row.needles})
KEYS = [
    "error",
    "errors",
    "message",
    "code",
    "type",
    "status",
    "detail",
    "data",
    "cause",
    "body",
    "responseBody",
    "headers",
]
KEYS += [
    "name",
    "result",
    "is_error",
    "success",
    "providerID",
    "resets_at",
    "retryDelay",
    "resets_in_seconds",
    "metadata",
]
SPOKEN = [
    "http 500",
    "status 502",
    "upstream x http 503",
    "resets in 2h",
    "retry after 9",
    "socket hang up",
    "500",
    "limit",
]

texts = st.one_of(st.text(max_size=200), st.lists(st.sampled_from([*NEEDLES, *SPOKEN]), max_size=6).map(" ".join))
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**20), 10**20), st.integers(400, 599), st.floats(), texts,
    st.sampled_from([*EXACT, *VAGUE]),
)  # fmt: skip  # one list
trees: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(st.sampled_from(KEYS), st.text(max_size=9)), inner, max_size=5),
    ),
    max_leaves=20,
)
bodies = st.one_of(
    st.binary(max_size=300), texts, trees.map(json.dumps), trees.map(lambda tree: f"data: {json.dumps(tree)}")
)
names = st.one_of(
    st.sampled_from(["retry-after", "Retry-After-Ms", "x-ratelimit-reset", "anthropic-ratelimit-unified-status"]),
    st.text(max_size=20),
)
headers = st.lists(
    st.tuples(names, st.one_of(st.sampled_from(["rejected", "12", "0", "-1"]), st.text(max_size=30))), max_size=6
)
zones = st.one_of(st.none(), st.sampled_from(["UTC", "Europe/Berlin", "Nowhere/Zone"]), st.text(max_size=20))
kinds = st.sampled_from(get_args(FailureKind))
told = st.one_of(
    st.none(), st.builds(lambda kind, indicts: evolve(Failure.of(kind), indicts=indicts), kinds, st.booleans())
)
evidence = st.fixed_dictionaries(
    {
        "body": bodies, "text": texts, "headers": headers, "zone": zones, "provider": st.text(max_size=8), "told": told,
        "exit_code": st.one_of(st.none(), st.integers(-20, 255)),
    }
)  # fmt: skip  # one list
instants = st.integers(-(10**9), 2 * 10**9).map(lambda seconds: NOON + timedelta(seconds=seconds))
EDGES = [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)]
moments = st.one_of(instants, st.sampled_from(EDGES))


@given(evidence, st.one_of(st.none(), st.integers(100, 499), st.sampled_from([503, 529])))
@example({"text": "upstream x http 500", "body": "ECONNRESET"}, None)
def test_nothing_that_is_said_indicts(given: dict[str, Any], status: int | None) -> None:
    """No text, header, body, exit code or reader makes a failure evidence against a provider."""
    for transport in (None, "unreached", "timeout", "aborted"):
        assert not classify(at=NOON, status=status, transport=transport, **given).indicts


@given(evidence, st.one_of(st.none(), st.integers(-5, 999)), st.sampled_from([None, *get_args(Transport)]), moments)
def test_whatever_comes_is_classified(given: dict[str, Any], status: int | None, transport: Any, at: datetime) -> None:
    """It never raises; twice the same is the same; an end that is told lies ahead, and what a kind forbids is not there."""
    failure = classify(at=at, status=status, transport=transport, **given)

    assert failure == classify(at=at, status=status, transport=transport, **given)
    assert failure.reset_at is None or failure.reset_at > at
    assert failure.reset_at is not None or not failure.reset_known
    assert not (failure.indicts and failure.kind not in ("overload", "other"))
    assert (failure.blames == "none") >= (HOLDS[failure.kind].blames == "none")
    assert (failure.hold is None) is (HOLDS[failure.kind].span is None)


@given(texts, st.sampled_from([None, 400, 404, 409, 429]))
def test_a_failure_nobody_knows_fences_one_candidate(text: str, status: int | None) -> None:
    """`other` never blames a pool, whatever came with it."""
    failure = classify(at=NOON, text=text, status=status)

    assert failure.kind != "other" or (failure.blames, failure.hold) == ("candidate", timedelta(minutes=5))


RELATIVE = st.sampled_from(
    ["resets in 2h 30m", "try again in 3 days 4 hours", "resets 3pm (UTC)", "retry after 9", "resets 14:25"]
)


@given(RELATIVE, st.sampled_from(NEEDLES), st.sampled_from([None, 429, 503]), instants, st.integers(-400, 400))
@example("resets in 2h 30m", "weekly limit reached", None, datetime(1999, 12, 31, 23, tzinfo=UTC), 1)
def test_days_move_nothing_but_instants(when: str, needle: str, status: int | None, at: datetime, days: int) -> None:
    """What is told relative to its own moment is the same failure some days later, that much later."""
    by = timedelta(days=days)
    first = classify(at=at, text=f"{needle}, {when}", status=status, zone="UTC")
    later = classify(at=at + by, text=f"{needle}, {when}", status=status, zone="UTC")

    moved: Callable[[Failure], Failure] = lambda one: evolve(one, reset_at=one.reset_at and one.reset_at + by, facts=())
    assert moved(first) == evolve(later, facts=())
    assert [fact.code for fact in first.facts] == [fact.code for fact in later.facts]


@given(trees, st.integers(1, 5), st.sampled_from(["error", "data", "cause", "response"]))
def test_an_envelope_more_changes_no_kind(tree: Any, depth: int, key: str) -> None:
    """The same error inside one envelope or several is the same failure."""
    body = wrapped = {"error": {"code": "usage_limit_reached", "message": "x", "metadata": {"odd": tree}}}
    for _ in range(depth):
        wrapped = {key: wrapped}  # type: ignore[dict-item]  # a tree

    one, other = classify(at=NOON, body=json.dumps(body)), classify(at=NOON, body=json.dumps(wrapped))
    assert (one.kind, one.blames, one.reset_at) == (other.kind, other.blames, other.reset_at)
