"""Answers drift in every way that is told, in no other, and what reads them wrongly is found."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import pytest
from attrs import evolve
from hypothesis import Phase, given, settings
from hypothesis import find as search
from hypothesis.strategies import SearchStrategy

from capacity.ports import Document, Limit, Reader, Reading, Scope
from capacity.testing.contracts import Case, ReaderContract
from capacity.testing.strategies import instants
from capacity.testing.strategies.wire import drifted, drifted_body, drifted_json, drifted_text, spellings

from .sundial import SundialReader

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
BODY = b'{"used": 42, "free": "17.5", "until": "2026-03-01T15:00:00Z", "rows": [1, 2], "on": true, "off": false, "kind": "all"}'
TEXT = b"Quota\n  used 41%\n  left 0.5 USD\n"


T = TypeVar("T")


def find(strategy: SearchStrategy[T], seen: Callable[[T], bool]) -> T:
    """The first that is drawn and seen; the same each time."""
    once = settings(max_examples=20_000, derandomize=True, database=None, phases=[Phase.generate])
    return search(strategy, seen, settings=once)


@pytest.mark.parametrize(
    "seen",
    [
        lambda tree: "used" not in tree,
        lambda tree: "used" in tree and tree["used"] is None,
        lambda tree: tree.get("used") == "42",
        lambda tree: tree.get("used") == 10**30,
        lambda tree: tree.get("free") == 17.5,
        lambda tree: tree.get("until") == 1772377200,
        lambda tree: tree.get("until") == 1772377200000,
        lambda tree: tree.get("until") == "1772377200",
        lambda tree: tree.get("until") == "2026-03-01T17:00:00+02:00",
        lambda tree: tree.get("until") == "2026-03-01T15:00:00",
        lambda tree: tree.get("rows") == [2, 1],
        lambda tree: next(iter(tree)) == "kind",
        lambda tree: "surprise" in tree,
        lambda tree: "used" not in tree and "surprise" in tree,
    ],
    ids=map(str, range(14)),
)
def test_json_drifts(seen: Callable[[dict[str, Any]], bool]) -> None:
    """Each way in which an answer may change is drawn, and several at once."""
    find(drifted_json(BODY), lambda body: isinstance(tree := json.loads(body), dict) and bool(tree) and seen(tree))


@settings(max_examples=500)
@given(drifted_json(BODY))
def test_no_figure_or_word_is_made_up(body: bytes) -> None:
    """A word stays the word it was, a truth is not turned round, and a list loses no row."""
    tree = json.loads(body)
    if isinstance(tree, dict):
        assert not isinstance(tree.get("kind"), str) or tree["kind"] == "all"
        assert tree.get("on") is not False
        assert tree.get("off") is not True
        assert tree.get("used") != 0
        assert not isinstance(tree.get("rows"), list) or len(tree["rows"]) in {0, 1, 2}


@pytest.mark.parametrize(
    "seen",
    [
        lambda text: b"used" not in text,
        lambda text: text.count(b"41%") == 2,
        lambda text: b"\x1b[1m41%" in text,
        lambda text: b"41%\r\n" in text,
        lambda text: text.endswith(b"left 0.5"),
        lambda text: text == b"",
    ],
    ids=map(str, range(6)),
)
def test_text_drifts(seen: Callable[[bytes], bool]) -> None:
    """Lines are lost, repeated, coloured, returned, and the text breaks off."""
    find(drifted_text(TEXT), seen)


@given(drifted_text(TEXT))
def test_no_text_breaks_off_inside_a_figure(text: bytes) -> None:
    """Half of a figure is another figure, and no reader could tell."""
    plain = re.sub(rb"\x1b[^a-z]*[a-z]?", b"", text, flags=re.IGNORECASE)

    assert not plain.endswith((b"4", b"0", b"0."))


def test_lines_of_json_drift_as_both() -> None:
    """A stream loses a line, or one of its lines changes."""
    stream = b'{"a": 1}\n{"b": 2}\n'

    assert find(drifted_body(stream), lambda body: b'"a"' not in body and b'"b": 2' in body)
    assert find(drifted_body(stream), lambda body: b'{"b": null}' in body and b'"a": 1' in body)


def test_headers_drift() -> None:
    """A header is lost, told as nothing, or its instant in another form; what else is known of the answer stays."""
    document = Document(b"", NOON, "/usage", 429, (("x-used", "42"), ("x-reset", "1772377200")), zone="UTC")
    strategy = drifted(document)

    drawn = [
        find(strategy, lambda one: one.header("x-used") is None),
        find(strategy, lambda one: one.header("x-used") == ""),
        find(strategy, lambda one: one.header("x-reset") == "2026-03-01T15:00:00Z"),
    ]
    assert drawn == [evolve(document, body=one.body, headers=one.headers) for one in drawn]


@given(instants())
def test_an_instant_is_spelt_without_loss(at: datetime) -> None:
    """Every form that holds a zone tells the same moment, to the second at least."""
    zulu, abroad, naive, seconds, exact, thousandths, *_ = spellings(at)

    assert at == datetime.fromisoformat(zulu) == datetime.fromisoformat(abroad)
    assert datetime.fromisoformat(naive).tzinfo is None
    assert (int(at.timestamp()), at.timestamp(), int(at.timestamp() * 1000)) == (seconds, exact, thousandths)


# --- what goes wrong in a reader ----------------------------------------------------------------

GOOD = Case(
    Document(b'{"used": 42.0, "until": 1772377200, "rows": [{"of": "large", "used": 7.0}]}', NOON, "/usage", 200),
    frozenset({"large"}),
)


class Careful(SundialReader):
    """Reads rows, and what it cannot tell it leaves out."""

    def limits(self, doc: Document) -> tuple[Limit, ...]:
        body = self.body(doc)
        rows = body.get("rows")
        told = [self.row(row) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
        own = Limit("daily", figure(body.get("used")), resets_at=self.until(body.get("until")))
        return tuple(limit for limit in (own, *told) if limit is not None and limit.percent is not None)

    def row(self, row: dict[str, Any]) -> Limit | None:
        of = row.get("of")
        return Limit(f"daily:{of}", figure(row.get("used")), scope=Scope("model", of)) if isinstance(of, str) else None

    def until(self, told: Any) -> datetime | None:
        seconds = figure(told)
        return datetime.fromtimestamp(seconds, UTC) if seconds and 10**9 < seconds < 4 * 10**9 else None


def figure(told: Any) -> float | None:
    return float(told) if isinstance(told, int | float) and told is not True and 0 <= told < 10**300 else None


class Trips(Careful):
    """A missing row is a `TypeError`."""

    def limits(self, doc: Document) -> tuple[Limit, ...]:
        return tuple(limit for row in self.body(doc)["rows"] if (limit := self.row(row)))


class Fills(Careful):
    """What is not told is zero."""

    def limits(self, doc: Document) -> tuple[Limit, ...]:
        return (Limit("daily", figure(self.body(doc).get("used")) or 0.0),)


class Widens(Careful):
    """A row whose scope is lost binds all, under its own name or the same."""

    def row(self, row: dict[str, Any]) -> Limit | None:
        return super().row(row) or Limit("row", figure(row.get("used")))


class Trusts(Careful):
    """Any number is seconds."""

    def until(self, told: Any) -> datetime | None:
        return datetime.fromtimestamp(told / 1000 if told > 10**10 else told * 1000 / 10**6, UTC) if told else None


class Backdates(Careful):
    """What changed is told of another instant."""

    def readings(self, doc: Document) -> tuple[Reading, ...] | None:
        late = timedelta(hours="rows" not in self.body(doc))
        return tuple(evolve(one, observed_at=doc.at - late) for one in super().readings(doc) or ())


@pytest.fixture
def _thorough() -> Iterator[None]:
    """Many examples, the same each time: what is searched for here has to be found."""
    before = settings.default
    settings.register_profile("found", max_examples=500, derandomize=True, database=None)
    settings.load_profile("found")
    yield
    settings.register_profile("as-before", before)
    settings.load_profile("as-before")


def held(reader: Reader, test: str) -> None:
    getattr(ReaderContract(), f"test_drifted_answers_{test}")(reader, [GOOD])


TESTS = ("break_nothing", "are_sound", "tell_no_new_zero", "keep_scopes")


@pytest.mark.parametrize("test", TESTS)
def test_a_careful_reader_holds(test: str) -> None:
    """A reader that leaves out what it cannot tell keeps the contract."""
    held(Careful(), test)


@pytest.mark.usefixtures("_thorough")
@pytest.mark.parametrize(
    ("reader", "test", "fault"),
    [
        (Trips(), "break_nothing", (KeyError, TypeError)),
        (Fills(), "tell_no_new_zero", AssertionError),
        (Widens(), "keep_scopes", AssertionError),
        (Backdates(), "are_sound", AssertionError),
        (Trusts(), "are_sound", (AssertionError, TypeError, OverflowError)),
    ],
)
def test_a_careless_reader_is_found(
    reader: Reader, test: str, fault: type[Exception] | tuple[type[Exception], ...]
) -> None:
    """Each way of reading a drifted wire wrongly breaks its test of the contract."""
    kinds = fault if isinstance(fault, tuple) else (fault,)

    with pytest.raises((*kinds, ExceptionGroup)):  # several kinds of fault come as a group
        held(reader, test)


def test_an_integer_no_float_holds_is_no_percent() -> None:
    """It is refused as every other figure that is not finite."""
    with pytest.raises(ValueError, match="finite"):
        Limit("daily", 10**400)
