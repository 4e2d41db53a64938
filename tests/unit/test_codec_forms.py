"""The text forms to the byte: what a host, a bug report and a store hold must not move."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from capacity.codec import DOCUMENTS, dump_tick, dumps, load_tick, loads
from capacity.errors import FormError
from capacity.values.conditions import Fact, Figure
from capacity.values.decision import Decision
from capacity.values.failures import Failure
from capacity.values.history import History
from capacity.values.limits import Headroom, Interval, Limit, PoolHeadroom, Reading, Scope
from capacity.values.models import Inventory, Listing, Model
from capacity.values.policy import HighVolume, Policy, SeatRule
from capacity.values.seats import Candidate, Need, Seat
from capacity.values.tick import Tick

NOON = datetime(2026, 9, 20, 12, tzinfo=UTC)
WEEK = timedelta(days=7)


def test_a_reading_is_told_in_these_bytes() -> None:
    """All keys, sorted, without spaces, with one newline behind them."""
    limit = Limit("weekly:big", 100.0, blocked=True, resets_at=NOON, window=WEEK, scope=Scope("model", "Big"))
    reading = Reading("", "ok", "usage", NOON, usual=timedelta(minutes=5), limits=(limit,))

    assert (
        b'{"account":null,"detail":null,"form":1,"limits":[{"blocked":true,"cap":{},"left":{},"name":"weekly:big",'
        b'"percent":100.0,"quantum":1.0,"resets_at":"2026-09-20T12:00:00Z","scope":{"model":"big"},"window_s":604800.0}],'
        b'"observed_at":"2026-09-20T12:00:00Z","plan":null,"pool":"","published_at":null,"retry_at":null,'
        b'"source":"usage","state":"ok","usual_s":300.0}\n'
    ) == dumps(reading)


@pytest.mark.parametrize(
    ("value", "keys"),
    [
        (
            Reading("", "ok", "usage", NOON),
            "form pool account state observed_at published_at source plan detail retry_at usual_s limits",
        ),
        (Limit("5h"), "name percent quantum blocked left cap resets_at window_s scope"),
        (Listing(None, "partial", "list", NOON), "form account authority source observed_at usual_s models"),
        (Model("a"), "id name names pool efforts context modalities tools residency hidden"),
        (Failure("quota", "pool"), "form kind blames hold_s reset_at reset_known indicts facts"),
        (
            Tick(Inventory(NOON), Headroom(NOON), Policy(), History(NOON)),
            "form made_by inventory headroom policy history decision",
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_form_has_these_keys_and_no_others(value: Any, keys: str) -> None:
    """The keys are those the reference promises."""
    assert sorted(keys.split()) == sorted(json.loads(dumps(value)))


@pytest.mark.parametrize(
    ("value", "key"),
    [
        (Failure("rate", "none", hold=WEEK), "hold_s"),
        (HighVolume(WEEK), "cadence_s"),
        (Limit("5h", window=WEEK), "window_s"),
        (Policy(freshness=WEEK), "freshness_s"),
        (Reading("", "ok", "usage", NOON, usual=WEEK), "usual_s"),
        (Seat("main", "a", "cli", "m", cadence=WEEK), "cadence_s"),
        (SeatRule("default", cadence=WEEK), "cadence_s"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_span_says_its_unit(value: Any, key: str) -> None:
    """Spans are told in seconds, under a key that says so."""
    assert 604800.0 == json.loads(dumps(value))[key]


@pytest.mark.parametrize(
    ("instant", "told"),
    [
        (NOON, "2026-09-20T12:00:00Z"),
        (NOON.replace(microsecond=1200), "2026-09-20T12:00:00.001200Z"),
        (datetime(2026, 9, 20, 14, tzinfo=timezone(timedelta(hours=2))), "2026-09-20T12:00:00Z"),
        (datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00Z"),
    ],
)
def test_an_instant_is_told_in_utc(instant: datetime, told: str) -> None:
    """Microseconds are told only where there are any."""
    assert f'"{told}"\n'.encode() == dumps(instant)
    assert instant == loads(datetime, dumps(instant))


@pytest.mark.parametrize(
    ("figure", "told"),
    [(0.1, "0.1"), (5, "5.0"), (-0.0, "0.0"), (1e-9, "1e-09"), (float("inf"), '"inf"'), (float("-inf"), '"-inf"')],
)
def test_a_float_is_told_by_its_shortest_digits(figure: float, told: str) -> None:
    """A whole float keeps its point, nought has no sign, and what has no bound is a word."""
    text = dumps(Interval(figure, figure))

    assert f'{{"high":{told},"low":{told}}}\n'.encode() == text
    assert Interval(figure, figure) == loads(Interval, text)


def test_what_is_not_a_number_is_refused() -> None:
    """No text holds NaN, and none that does is read."""
    with pytest.raises(FormError, match="not a number"):
        dumps(PoolHeadroom("p", wanted=float("nan")))
    with pytest.raises(FormError, match="holds NaN, which is no figure"):
        loads(PoolHeadroom, b'{"pool":"p","wanted":NaN}')


def test_an_amount_keeps_its_digits() -> None:
    """Money is text, exactly as it was told."""
    limit = Limit("balance", left={"USD": Decimal("3.50"), "CNY": Decimal("-0.0001")})

    assert {"CNY": "-0.0001", "USD": "3.50"} == json.loads(dumps(limit))["left"]
    assert "3.50" == str(loads(Limit, dumps(limit)).left["USD"])


def test_a_candidate_is_four_words() -> None:
    """Wherever a candidate stands, it is [harness, pool, model, effort]."""
    place = Candidate("cli", "work", "m", None)

    assert b'["cli","work","m",null]\n' == dumps(place)
    assert ["cli", "work", "m", None] == json.loads(dumps(Need(home=place)))["home"]


@pytest.mark.parametrize("scope", [Scope("model", "big"), Scope("feature", "review"), None])
def test_a_scope_is_told_by_its_kind(scope: Scope | None) -> None:
    """A scope is one key, its kind; none is null."""
    limit = Limit("weekly", scope=scope)

    assert (scope and {scope.kind: scope.name}) == json.loads(dumps(limit))["scope"]
    assert limit == loads(Limit, dumps(limit))


@pytest.mark.parametrize(
    ("value", "kind", "told"),
    [
        (71.0, "number", 71.0),
        (200, "number", 200),
        (float("inf"), "number", "inf"),
        (Decimal("1.00"), "decimal", "1.00"),
        (NOON, "instant", "2026-09-20T12:00:00Z"),
        ("inf", "word", "inf"),
    ],
)
def test_a_figure_tells_the_type_of_its_value(value: Any, kind: str, told: Any) -> None:
    """A word that looks like a number stays a word, a whole number stays whole."""
    figure = Figure("used", value, "percent")

    assert {"name": "used", "type": kind, "unit": "percent", "value": told} == json.loads(dumps(figure))
    assert type(value) is type(loads(Figure, dumps(figure)).value)


@pytest.mark.parametrize("word", ["Größe", "日本", "\x00", "\ud800", 'a"b\\c\n'])
def test_any_text_comes_back(word: str) -> None:
    """Text is UTF-8 as it stands; half of a surrogate pair, which UTF-8 cannot hold, is escaped."""
    text = dumps(Fact(word))

    assert word == loads(Fact, text).code
    assert ("Größe" in text.decode()) == (word == "Größe")


def test_equal_values_have_equal_texts() -> None:
    """The order in which sets, mappings and lists without an order were filled is not told."""
    one = Model("a", names=frozenset(["x", "y", "z"]), modalities=("text", "image"))
    other = Model("a", names=frozenset(["z", "y", "a", "x"]), modalities=("image", "text"))

    assert one == other
    assert dumps(one) == dumps(other)
    assert ["a", "x", "y", "z"] == json.loads(dumps(one))["names"]
    assert dumps(Limit("a", left={"b": Decimal(1), "a": Decimal(2)})) == dumps(
        Limit("a", left={"a": Decimal(2), "b": Decimal(1)})
    )


@pytest.mark.parametrize("cls", DOCUMENTS.values(), ids=lambda cls: cls.__name__)
def test_a_document_tells_its_form(cls: type[Any]) -> None:
    """Without a form, or in another one, nothing is read."""
    with pytest.raises(FormError, match="form: is missing"):
        loads(cls, b"{}")
    with pytest.raises(FormError) as caught:
        loads(cls, b'{"form":2,"anything":1}')

    assert ["form"] == [fault.path for fault in caught.value.faults]


def test_a_part_has_the_same_bytes_wherever_it_stands() -> None:
    """A decision inside a tick file is byte for byte the decision by itself, and so is every other part."""
    tick = Tick(Inventory(NOON), Headroom(NOON), Policy(), History(NOON), Decision("x", NOON, "seats"))
    whole = dump_tick(tick)

    for part in ("inventory", "headroom", "policy", "history", "decision"):
        assert dumps(getattr(tick, part)).strip() in whole


def test_an_older_text_may_lack_what_has_a_default() -> None:
    """A key added later is absent from what was kept before; it then has its default."""
    assert Limit("5h") == loads(Limit, b'{"name":"5h"}')
    assert History(NOON) == loads(History, b'{"form":1,"as_of":"2026-09-20T12:00:00Z"}')


def test_an_instant_may_be_told_in_any_zone() -> None:
    """A hand that writes an offset is understood."""
    assert NOON == loads(datetime, '"2026-09-20T14:00:00+02:00"')


def test_plain_dictionaries_of_values_have_a_text() -> None:
    """What a command prints as JSON need not be one value."""
    assert b'{"form":1,"limits":[' in dumps({"limits": [Limit("5h")], "form": 1})


def test_a_tick_file_comes_back(tmp_path: Any) -> None:
    """What was saved is loaded."""
    tick = Tick(Inventory(NOON), Headroom(NOON), Policy(), History(NOON), made_by={"capacity-core": "0.1.0"})
    (tmp_path / "tick.json").write_bytes(dump_tick(tick))

    assert tick == load_tick(tmp_path / "tick.json")


def test_a_tick_file_that_cannot_be_read_is_named(tmp_path: Any) -> None:
    """The error names the file and what to do."""
    with pytest.raises(FormError, match=r"none\.json: does not exist \(check the path"):
        load_tick(tmp_path / "none.json")
    with pytest.raises(FormError, match="is a folder"):
        load_tick(tmp_path)
