"""Laws of the reader over wires that drift: members missing, null, misspelt, reordered, extra, or of another type.

No input raises; a figure that nobody told is never there; a scoped cap is never unscoped; every instant is aware.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from capacity.ports import Document, Limit, Reading
from capacity_claude import reader
from hypothesis import given
from hypothesis import strategies as st

from .documents import AT, SAMPLES

WORDS = st.sampled_from(["Zephyr", "Mistral Lite", "squall", "SQUALL"])
JUNK: st.SearchStrategy[Any] = st.sampled_from([None, True, False, -1, float("nan"), "", "n/a", [], {}])
USED = st.integers(1, 120)  # never 0: a zero that is found was not told
SPELT = st.one_of(USED, USED.map(float), USED.map(str), USED.map(" {}.0 ".format))
FIGURES = SPELT | JUNK

SPELLINGS = st.sampled_from(
    [
        datetime.isoformat,
        lambda at: at.isoformat().replace("+00:00", "Z"),
        lambda at: at.replace(tzinfo=None).isoformat(),  # naive: nobody's moment
        lambda at: at.timestamp(),
        lambda at: int(at.timestamp() * 1000),
        lambda at: str(int(at.timestamp())),
    ]
)
MOMENTS = JUNK | st.builds(lambda days, spell: spell(AT + timedelta(days=days)), st.integers(-40, 40), SPELLINGS)

MODELS = WORDS | WORDS.map(lambda word: {"id": None, "display_name": word}) | JUNK
SCOPES = st.one_of(
    st.none(), JUNK, st.builds(lambda model, surface: {"model": model, "surface": surface}, MODELS, st.none() | WORDS)
)
KINDS = st.sampled_from(["session", "weekly_all", "lunar_cycle", "weekly_scoped", "monthly_scoped"])
ANY = {"resets_at": MOMENTS, "reset_at": MOMENTS, "severity": JUNK, "is_active": JUNK, "surprise": JUNK}
ROWS = st.fixed_dictionaries({}, optional={"kind": KINDS, "percent": FIGURES, "scope": SCOPES, "group": JUNK, **ANY})
WHOLE_ROWS = st.fixed_dictionaries({"kind": KINDS, "percent": SPELT, "scope": SCOPES}, optional=ANY)
WINDOWS = JUNK | st.fixed_dictionaries({}, optional={"utilization": FIGURES, "locked_reason": JUNK, **ANY})
PURSES = JUNK | st.fixed_dictionaries(
    {"is_enabled": JUNK, "monthly_limit": FIGURES, "used_credits": FIGURES},
    optional={"utilization": FIGURES, "currency": st.just("USD") | JUNK, "decimal_places": st.just(2) | JUNK},
)
KEYS = ["five_hour", "seven_day", "seven_day_Zephyr", "seven_day_squall", "seven_day_cowork", "brand_new"]


@st.composite
def bodies(draw: st.DrawFn) -> dict[str, Any]:
    """A usage body in either shape, or in both, with its members in any order."""
    body: dict[str, Any] = draw(st.fixed_dictionaries({}, optional=dict.fromkeys(KEYS, WINDOWS)))
    if draw(st.booleans()):
        body["limits"] = draw(st.lists(WHOLE_ROWS | ROWS | JUNK, min_size=1, max_size=5))
    if draw(st.booleans()):
        body["extra_usage"] = draw(PURSES)
    return dict(draw(st.permutations(list(body.items()))))


def read(body: Any) -> Reading:
    """The reading of a body that is known to be the endpoint's."""
    doc = Document(json.dumps(body).encode(), AT, asked="/api/oauth/usage", status=200)
    (reading,) = reader().readings(doc) or ()
    return reading


def figure(told: Any) -> float | None:
    """What a figure means, where it is one."""
    try:
        return float(told) if not isinstance(told, bool) and float(told) > 0 else None
    except (TypeError, ValueError):
        return None


def texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value."""
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts(inner)
    if isinstance(value, str):
        yield value.casefold()


@given(bodies())
def test_a_body_is_a_reading_or_unrecognised(body: dict[str, Any]) -> None:
    """Nothing raises, names stand once, and limits come with `ok` and only with it."""
    reading = read(body)
    names = [limit.name for limit in reading.limits]

    assert reading.state in {"ok", "unrecognised"}
    assert (reading.state == "ok") == bool(names)
    assert len(set(names)) == len(names)


@given(bodies())
def test_nothing_is_zero_that_was_not_told(body: dict[str, Any]) -> None:
    """These wires tell no zero, so none is read."""
    for limit in read(body).limits:
        assert limit.percent != 0
        assert all(limit.cap.values())


@given(FIGURES, FIGURES)
def test_what_is_left_is_told_by_two_figures(used: Any, cap: Any) -> None:
    """Without the whole and what was used of it nothing is said to be left."""
    purse = {"is_enabled": True, "used_credits": used, "monthly_limit": cap, "utilization": 1, "currency": "USD"}
    (limit,) = read({"extra_usage": purse}).limits

    assert bool(limit.left) == bool(figure(used) and figure(cap))


OWN = {"session": "5h", "five_hour": "5h", "weekly_all": "weekly", "seven_day": "weekly", "lunar_cycle": "lunar_cycle"}


def owned(body: dict[str, Any]) -> set[tuple[str | None, float | None]]:
    """Name and figure of everything the account's own windows, and its rows of unscoped kinds, tell."""
    listed = body.get("limits")
    rows = [row for row in listed if isinstance(row, dict)] if isinstance(listed, list) else []
    told = [(row.get("kind"), row.get("percent")) for row in rows]
    told += [(key, window.get("utilization")) for key, window in body.items() if isinstance(window, dict)]
    return {(OWN.get(str(source)), figure(used)) for source, used in told}


@given(bodies())
def test_a_scoped_cap_keeps_its_scope(body: dict[str, Any]) -> None:
    """Unscoped is only what the account's own row or window, a kind nobody knows, or a purse tells."""
    for limit in read(body).limits:
        if limit.name == "extra-usage":
            continue
        if limit.scope is None:
            assert (limit.name, limit.percent) in owned(body)
        else:
            assert limit.name.endswith(f":{limit.scope.name}")


@given(bodies())
def test_a_scope_word_is_one_that_was_told(body: dict[str, Any]) -> None:
    """Words come from the wire, casefolded, and from nowhere else."""
    told = {*texts(body), *(key.removeprefix("seven_day_").casefold() for key in body)}

    for limit in read(body).limits:
        assert limit.scope is None or limit.name == "extra-usage" or limit.scope.name in told


@given(bodies())
def test_every_instant_is_aware(body: dict[str, Any]) -> None:
    """A reset is UTC or unknown; a moment without an offset is nobody's."""
    for limit in read(body).limits:
        assert limit.resets_at is None or timedelta(0) == limit.resets_at.utcoffset()


@given(bodies(), st.randoms(use_true_random=False))
def test_order_means_nothing(body: dict[str, Any], chance: Any) -> None:
    """Rows and members in another order tell the same limits."""
    shuffled = dict(chance.sample(list(body.items()), len(body)))
    if isinstance(body.get("limits"), list):
        shuffled["limits"] = chance.sample(body["limits"], len(body["limits"]))

    assert sorted(read(body).limits, key=_name) == sorted(read(shuffled).limits, key=_name)


def _name(limit: Limit) -> str:
    return limit.name


@given(SPELT, st.booleans())
def test_a_figure_is_the_same_in_every_spelling(used: Any, listed: bool) -> None:
    """Integer, fraction or string, in a row or in a window."""
    body = {"limits": [{"kind": "session", "percent": used}]} if listed else {"five_hour": {"utilization": used}}

    assert [float(used)] == [limit.percent for limit in read(body).limits]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(["limits", "five_hour", "data"]), inner)
    ),
    max_leaves=20,
)


@given(
    st.one_of(st.binary(), JSON.map(lambda value: json.dumps(value).encode())), st.sampled_from([None, 200, 403, 429])
)
def test_no_document_raises(body: bytes, status: int | None) -> None:
    """Whatever the bytes, whatever they claim to answer, the reader gives values or None."""
    for asked in (None, "/api/oauth/usage", "/v1/models", "~/.claude/.credentials.json"):
        doc = Document(body, AT, asked=asked, status=status)
        for reading in reader().readings(doc) or ():
            assert status in {None, 200} or reading.state != "ok" or reading.source == "credentials"
        reader().failure(doc)
        listing = reader().listing(doc)
        assert listing is None or (listing.authority == "unknown") == (listing.models == ())


@given(st.sampled_from(sorted(SAMPLES.glob("*.json"))), st.data())
def test_a_torn_sample_tells_nothing(path: Any, data: st.DataObject) -> None:
    """A recorded body broken off anywhere is unrecognised or not ours; no figure is saved from it."""
    body = path.read_bytes().strip()
    torn = body[: data.draw(st.integers(0, len(body) - 1))]

    assert {"unrecognised"} >= {reading.state for reading in reader().readings(Document(torn, AT)) or ()}
    assert reader().listing(Document(torn, AT)) is None
