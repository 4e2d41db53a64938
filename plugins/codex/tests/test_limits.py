"""Windows, words and purses of any JSON source: what kind a window is, who refuses, what binds whom."""

from __future__ import annotations

import json
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from capacity.ports import Document, Limit, Reading, Scope
from capacity_codex import reader

from .documents import AT

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
FIVE, WEEK = 5 * HOUR, timedelta(days=7)
PATH = "/backend-api/wham/usage"


def window(used: Any = 41, length: timedelta = FIVE, left: timedelta = HOUR, **changes: Any) -> dict[str, Any]:
    told = {"used_percent": used, "limit_window_seconds": length.total_seconds(), "reset_at": (AT + left).timestamp()}
    return {**told, **changes}


def usage(primary: Any = None, secondary: Any = None, *, flags: Any = None, **members: Any) -> Reading:
    """The reading of a body of the endpoint with these windows."""
    limit = {**(flags or {}), "primary_window": primary, "secondary_window": secondary}
    body = {"plan_type": "plus", "rate_limit": limit, **members}
    return read(Document(json.dumps(body).encode(), AT, asked=PATH, status=200))


def read(doc: Document) -> Reading:
    (reading,) = reader().readings(doc) or ()
    return reading


def limits(*windows: Any, **members: Any) -> dict[str, Limit]:
    return {limit.name: limit for limit in usage(*windows, **members).limits}


def server(result: Any) -> dict[str, Limit]:
    """The limits of an answer of the program's server."""
    return {limit.name: limit for limit in read(Document(json.dumps({"id": 2, "result": result}).encode(), AT)).limits}


# --- what kind a window is --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("length", "name"),
    [
        (FIVE, "5h"),
        (299 * MINUTE, "5h"),
        (285 * MINUTE, "5h"),
        (284 * MINUTE, "primary"),
        (315 * MINUTE, "5h"),
        (316 * MINUTE, "primary"),
        (24 * HOUR, "daily"),
        (WEEK, "weekly"),
        (10079 * MINUTE, "weekly"),
        (30 * 24 * HOUR, "monthly"),
        (31 * 24 * HOUR, "monthly"),
        (365 * 24 * HOUR, "annual"),
        (3 * HOUR, "primary"),
    ],
    ids=str,
)
def test_the_length_names_a_window(length: timedelta, name: str) -> None:
    """Within five percent, whichever slot it is in; one of no known length keeps its slot's word, and binds."""
    found = limits(window(length=length, left=length / 2))

    assert (name, length, None) == (*found, found[name].window, found[name].scope)


def test_a_slot_says_nothing() -> None:
    """The week may stand first, and the five hours second or nowhere."""
    assert {"5h", "weekly"} == set(limits(window(length=WEEK), window()))
    assert ["weekly"] == list(limits(window(length=WEEK)))


@pytest.mark.parametrize(
    ("length", "left"),
    [
        (77 * MINUTE, 77 * MINUTE),
        (2000 * MINUTE, 1998 * MINUTE),
        (FIVE, 6 * HOUR),
        (None, HOUR),
        (0, HOUR),
        (FIVE * 10_000, HOUR),
    ],
    ids=str,
)
def test_a_length_that_cannot_be_true_is_unknown(length: Any, left: timedelta) -> None:
    """What is left is no length, nothing resets later than it lasts, and nothing lasts for years."""
    told = window(left=left, limit_window_seconds=length.total_seconds() if length else length)

    assert ("primary", None) == (limits(told)["primary"].name, limits(told)["primary"].window)


def test_a_window_that_has_just_begun_is_one() -> None:
    """All of it is left, and its length is a known one."""
    assert FIVE == limits(window(left=FIVE))["5h"].window


@pytest.mark.parametrize(
    "told",
    [
        {"reset_at": (AT + HOUR).timestamp()},
        {"reset_at": (AT + HOUR).timestamp() * 1000},
        {"reset_at": str(int((AT + HOUR).timestamp()))},
        {"reset_at": "2026-09-20T15:00:00+02:00"},
        {"resetsAt": (AT + HOUR).timestamp(), "reset_at": None},
        {"reset_at": None, "reset_after_seconds": 3600},
        {"reset_at": "soon", "resets_in_seconds": "3600"},
        {"reset_at": 0, "reset_after_seconds": 3600.0},
    ],
)
def test_a_reset_is_read_however_it_is_told(told: dict[str, Any]) -> None:
    """As an instant in any spelling, or as seconds from when it was told."""
    assert AT + HOUR == limits(window(**told))["5h"].resets_at


@pytest.mark.parametrize(
    "told", [None, 0, "", "soon", True, -5, float("nan"), 10**400, "2026-09-20T14:00:00", 4e9, [1]]
)
def test_what_is_no_instant_is_unknown(told: Any) -> None:
    """A moment without an offset, the epoch's zero, and decades from now are None."""
    assert limits(window(reset_at=told))["5h"].resets_at is None


@pytest.mark.parametrize("told", [None, "", "n/a", True, -1, float("nan"), 1001, [3], "1e2"])
def test_a_missing_figure_is_never_nought(told: Any) -> None:
    """A window without its figure is there, and unknown."""
    assert limits(window(told), window(5, WEEK))["5h"].percent is None


def test_nought_that_was_told_is_nought() -> None:
    """Zero, a string of it, and more than the whole are figures."""
    assert [0.0, 102.5] == [limits(window(told))["5h"].percent for told in ("0", 102.5)]


# --- who refuses ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flags", "figures", "blocked"),
    [
        ({"allowed": True, "limit_reached": False}, (29, 57), (False, False)),
        ({"allowed": True}, (100, 57), (False, False)),
        ({"allowed": False, "limit_reached": True}, (97, 40), (True, None)),
        ({"limit_reached": True}, (40, 97), (None, True)),
        ({"allowed": False}, (100, 100), (True, True)),
        ({"allowed": True, "limit_reached": True}, (100, 57), (True, None)),
        ({"allowed": False}, (None, 3), (None, True)),
        ({"allowed": False}, (None, None), (True, True)),
        ({"ordinaryUsageAllowed": False}, (3, 9), (None, True)),
        ({"ordinary_usage_allowed": True}, (3, 9), (False, False)),
        ({"allowed": "no", "limit_reached": None}, (100, 57), (None, None)),
        ({}, (100, 57), (None, None)),
    ],
)
def test_the_services_word_outranks_its_figures(flags: Any, figures: Any, blocked: Any) -> None:
    """A refusal is about the full windows, or the fullest; leave is given to all of them; silence is silence."""
    found = limits(window(figures[0]), window(figures[1], WEEK), flags=flags)

    assert blocked == (found["5h"].blocked, found["weekly"].blocked)


@pytest.mark.parametrize(("allowed", "state"), [(False, "ok"), (True, "ok"), (None, "unrecognised")])
def test_a_word_without_windows_is_about_the_account(allowed: bool | None, state: str) -> None:
    """It stands as `service`; without one there is nothing to go by."""
    reading = usage(flags={"allowed": allowed})

    assert (state, [] if allowed is None else [Limit("service", blocked=not allowed)]) == (
        reading.state,
        [*reading.limits],
    )


@pytest.mark.parametrize(
    ("reached", "blocked"),
    [
        ("rate_limit_reached", True),
        ({"type": "rate_limit_reached"}, True),
        (None, None),
        ("workspace_member_credits_depleted", None),
    ],
)
def test_a_snapshot_says_what_was_reached(reached: Any, blocked: bool | None) -> None:
    """A window that was reached refuses; a workspace that ran out says nothing of its windows."""
    found = server(
        {"rateLimits": {"primary": {"usedPercent": 98, "windowDurationMins": 300}, "rateLimitReachedType": reached}}
    )

    assert blocked == found["5h"].blocked
    assert ("service" in found) == ("workspace" in str(reached))


@pytest.mark.parametrize(
    "reached",
    [
        "workspace_owner_credits_depleted",
        "workspace_member_credits_depleted",
        "workspace_owner_usage_limit_reached",
        "workspace_member_usage_limit_reached",
    ],
)
def test_a_workspace_that_ran_out_waits_for_money(reached: str) -> None:
    """No reset ends it, and the reading says who can."""
    reading = usage(window(100), rate_limit_reached_type={"type": reached, "details": None})
    word = next(limit for limit in reading.limits if limit.name == "service")

    assert (True, None, "payment") == (word.blocked, word.resets_at, word.frees_on)
    assert "whoever owns it" in (reading.detail or "")


@pytest.mark.parametrize("reached", ["rate_limit_reached", {"type": "rate_limit_reached"}])
def test_the_endpoint_says_what_was_reached(reached: Any) -> None:
    """Without a flag its word is enough."""
    assert (True, None) == tuple(
        limit.blocked for limit in usage(window(98), window(3, WEEK), rate_limit_reached_type=reached).limits
    )


def test_the_servers_word_on_ordinary_use_is_about_the_account() -> None:
    """It stands beside the limits, and no limit of one model is refused by it."""
    spark = {"limitName": "Some", "primary": {"usedPercent": 3, "windowDurationMins": 300}}
    own = {"limitId": "codex", "primary": {"usedPercent": 30, "windowDurationMins": 300}}
    found = server({"ordinaryUsageAllowed": False, "rateLimits": own, "rateLimitsByLimitId": {"codex_x": spark}})

    assert {"5h": True, "5h:some": None} == {name: limit.blocked for name, limit in found.items()}


# --- what binds whom --------------------------------------------------------------------------


def additional(**members: Any) -> dict[str, Any]:
    return {
        "limit_name": "Some-Model",
        "metered_feature": "codex_x",
        "rate_limit": {"primary_window": window(100)},
        **members,
    }


@pytest.mark.parametrize(
    ("row", "scope"),
    [
        (additional(), Scope("model", "some-model")),
        (additional(limit_name=None), Scope("model", "codex_x")),
        (additional(metered_feature=None), Scope("model", "some-model")),
        (additional(limit_name="codex"), Scope("model", "codex_x")),
        (additional(limit_name="Code Review"), Scope("feature", "code-review")),
        (additional(limit_name=None, metered_feature="code_review"), Scope("feature", "code-review")),
    ],
)
def test_an_additional_limit_binds_what_it_names(row: Any, scope: Scope) -> None:
    """A model by its name or its id, and a product by the service's word for it."""
    found = limits(window(15), additional_rate_limits=[row])

    assert {"5h": None, f"5h:{scope.name}": scope} == {name: limit.scope for name, limit in found.items()}
    assert 15.0 == found["5h"].percent


@pytest.mark.parametrize(
    "row", [additional(limit_name=None, metered_feature=None), additional(limit_name=7, metered_feature=[]), 7, None]
)
def test_an_additional_limit_without_a_name_is_dropped_aloud(row: Any) -> None:
    """It never passes for the account's."""
    reading = usage(window(15), additional_rate_limits=[row])

    assert ["5h"] == [limit.name for limit in reading.limits]
    assert "not read: additional limit 0 names neither a model nor a product" == reading.detail


def test_a_products_window_binds_nothing_a_seat_runs_on() -> None:
    """Any product's, by the name of its member; alone it is no figure to go by."""
    other = {"primary_window": window(100, WEEK)}
    found = limits(window(15), code_review_rate_limit=other, some_thing_rate_limit=other)

    assert {"code-review", "some-thing"} == {limit.scope.name for limit in found.values() if limit.scope}
    assert {"feature"} == {limit.scope.kind for limit in found.values() if limit.scope}
    assert "unrecognised" == usage(code_review_rate_limit=other).state


@pytest.mark.parametrize("inside", [False, True])
def test_limits_by_their_id_stand_beside_the_accounts_or_inside(inside: bool) -> None:
    """The id they are filed under scopes them, even where they have lost their own."""
    table = {"codex_x": {"primary": {"usedPercent": 100, "windowDurationMins": 300}}}
    own = {
        "primary": {"usedPercent": 3, "windowDurationMins": 300},
        **({"rateLimitsByLimitId": table} if inside else {}),
    }
    found = server({"rateLimits": own, **({} if inside else {"rateLimitsByLimitId": table})})

    assert {"5h": 3.0, "5h:codex_x": 100.0} == {name: limit.percent for name, limit in found.items()}


def test_an_answer_may_be_about_another_limit_than_the_accounts() -> None:
    """By its id or by its name alone it is scoped."""
    for named in ({"limitId": "codex_x"}, {"limitName": "codex_x"}, {"limit_id": "codex", "limit_name": "codex_x"}):
        assert ["5h:codex_x"] == list(
            server({"rateLimits": {**named, "primary": {"usedPercent": 1, "windowDurationMins": 300}}})
        )


def test_a_model_that_is_switched_off_is_refused_until_then() -> None:
    """And one that is on is served; what says neither is no limit."""
    rows = {
        "Some": {"available": False, "available_at": "2026-09-21T00:00:00Z"},
        "other": {"available": True},
        "odd": {},
        "no": 7,
    }
    found = limits(window(20), model_usage=rows)

    assert (
        Limit("service:some", blocked=True, resets_at=AT + 12 * HOUR, scope=Scope("model", "some"))
        == found["service:some"]
    )
    assert {"5h", "service:some", "service:other"} == set(found)
    assert found["service:other"].blocked is False


# --- purses -----------------------------------------------------------------------------------

CREDITS = {"has_credits": True, "unlimited": False, "overage_limit_reached": False, "balance": "38.25"}
ALONE = {"plan_type": "some_usage_based", "rate_limit": None}


def test_credits_beside_windows_bind_nothing() -> None:
    """They pay when a window is full, so they are shown as a feature; none in hand are no limit."""
    found = limits(window(100), credits=CREDITS)

    assert Limit("credits", left={"credits": Decimal("38.25")}, scope=Scope("feature", "credits")) == found["credits"]
    assert ["5h"] == list(limits(window(100), credits={**CREDITS, "has_credits": False, "balance": "0"}))


@pytest.mark.parametrize(
    ("changes", "blocked", "left"),
    [
        ({}, False, {"credits": Decimal("38.25")}),
        ({"balance": 9412.5}, False, {"credits": Decimal("9412.5")}),
        ({"has_credits": False, "balance": "0"}, True, {"credits": Decimal(0)}),
        ({"balance": None}, False, {}),
        ({"has_credits": None}, None, {"credits": Decimal("38.25")}),
        ({"unlimited": True}, False, {}),
        ({"overage_limit_reached": True}, True, {"credits": Decimal("38.25")}),
    ],
)
def test_credits_of_a_plan_without_windows_are_its_limit(changes: Any, blocked: bool | None, left: Any) -> None:
    """They bind every model, with the service's own word on whether they suffice."""
    found = limits(credits={**CREDITS, **changes}, **ALONE)

    assert Limit("credits", blocked=blocked, left=left) == found["credits"]


def test_windows_that_were_not_told_do_not_make_a_plan_without_windows() -> None:
    """Of a plan that has windows, credits alone say nothing: unknown, and neither empty nor free."""
    for had in (CREDITS, {**CREDITS, "has_credits": False, "balance": "0"}):
        assert ("unrecognised", ()) == (
            usage(rate_limit=None, credits=had).state,
            usage(rate_limit=None, credits=had).limits,
        )


CAP = {"limit": "100000", "used": "7761", "remaining_percent": 92, "reset_at": 1790841600}


def test_a_cap_on_spending_is_a_limit_of_such_a_plan() -> None:
    """With its share, what is left of it, and its reset; beside windows it binds nothing."""
    alone = limits(credits=CREDITS, spend_control={"reached": False, "individual_limit": CAP}, **ALONE)[
        "individual_limit"
    ]
    beside = limits(window(), spend_control={"individual_limit": CAP})["individual_limit"]

    assert (8.0, None, {"credits": Decimal(92239)}, {"credits": Decimal(100000)}) == (
        alone.percent,
        alone.blocked,
        alone.left,
        alone.cap,
    )
    assert (None, Scope("feature", "individual_limit")) == (alone.scope, beside.scope)
    assert "2026-10-01T08:00:00+00:00" == f"{alone.resets_at:%Y-%m-%dT%H:%M:%S+00:00}"


@pytest.mark.parametrize(
    ("cap", "reached", "told"),
    [
        (None, True, (None, True, {})),
        ({**CAP, "remaining_percent": 0}, True, (100.0, True, {"credits": Decimal(92239)})),
        ({"remaining_percent": 40}, False, (60.0, None, {})),
        ({"remaining_percent": 140, "limit": 5, "used": 7}, None, (None, None, {"credits": Decimal(-2)})),
        ({"limit": 5}, None, None),
        (None, False, None),
    ],
)
def test_a_cap_tells_what_it_tells(cap: Any, reached: bool | None, told: Any) -> None:
    """What is left is told by two figures; a cap without any is no limit."""
    found = limits(credits=CREDITS, spend_control={"reached": reached, "individual_limit": cap}, **ALONE).get(
        "individual_limit"
    )

    assert told == (None if found is None else (found.percent, found.blocked, found.left))


@pytest.mark.parametrize(("count", "left"), [(1, Decimal(1)), (0, Decimal(0)), (None, None), ("n/a", None)])
def test_resets_in_hand_are_shown(count: Any, left: Decimal | None) -> None:
    """They bind nothing, and nothing here ever spends one."""
    found = limits(window(), rate_limit_reset_credits={"available_count": count}).get("reset-credits")

    assert left == (None if found is None else found.left["reset-credits"])
    assert found is None or Scope("feature", "reset-credits") == found.scope


# --- what the endpoint answers ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "body", "state"),
    [
        (401, b'{"error": {"code": "token_expired"}}', "stale-credentials"),
        (403, b"<!DOCTYPE html><title>Just a moment...</title>", "unreachable"),
        (403, b'{"detail": "no"}', "unreachable"),
        (402, b"{}", "unreachable"),
        (404, b"{}", "unreachable"),
        (502, b"", "unreachable"),
        (429, b"", "throttled"),
        (200, b"<!DOCTYPE html><title>Just a moment...</title>", "unreachable"),
        (200, b"", "unrecognised"),
        (200, b"[]", "unrecognised"),
        (200, b"{}", "unrecognised"),
        (200, b'{"rate_limit": {"primary_window": {"used_percent": 3', "unrecognised"),
    ],
)
@pytest.mark.parametrize("path", [PATH, "/api/codex/usage", f"{PATH}?x=1"])
def test_whatever_the_endpoint_answers_is_a_reading(status: int, body: bytes, state: str, path: str) -> None:
    """None of these says anything of the quota."""
    reading = read(Document(body, AT, asked=path, status=status))

    assert (state, "usage", ()) == (reading.state, reading.source, reading.limits)
    assert reading.detail
    assert (status == 429) == (reading.retry_at is not None)


@pytest.mark.parametrize(
    "doc",
    [
        Document(b'{"rate_limit": {}, "plan_type": "plus"}', AT, asked="/backend-api/wham/accounts/check", status=200),
        Document(b'{"rate_limit": {}, "plan_type": "plus"}', AT, status=403),
        Document(b"<!DOCTYPE html>", AT, status=403),
        Document(b'{"error": {"code": "token_expired"}, "status": 401}', AT, status=401),
        Document(b'{"id": 4, "error": {"code": -32600, "message": "no such model"}}', AT),
        Document(b'{"id": 4, "result": {"data": []}}', AT),
        Document(b'{"method": "account/updated", "params": {"rateLimits": null}}', AT),
        Document(b"", AT),
        Document(b"42", AT),
        Document(b"[]", AT, headers=(("x-codex-plan-type", "plus"),)),
    ],
)
def test_another_answer_is_not_mine(doc: Document) -> None:
    """Another path, a refusal nobody knows the question of, another frame, and nothing at all."""
    assert (None, None) == (reader().readings(doc), reader().failure(doc))


def test_a_torn_body_is_known_by_how_it_begins() -> None:
    """A body that breaks off is unrecognised, and no figure of it is taken."""
    torn = b'{"plan_type": "plus", "rate_limit": {"allowed": true, "primary_window": {"used_percent": 0'

    assert ("unrecognised", ()) == (read(Document(torn, AT)).state, read(Document(torn, AT)).limits)


# --- headers ----------------------------------------------------------------------------------


def headers(**told: str) -> dict[str, Limit]:
    pairs = tuple((f"X-{name.replace('_', '-')}", value) for name, value in told.items())
    return {limit.name: limit for limit in read(Document(b'{"error": {}}', AT, status=429, headers=pairs)).limits}


def test_headers_of_a_turn_tell_the_same() -> None:
    """In any case and order, beside whatever body; another family than the account's is another limit."""
    found = headers(
        Codex_Primary_Used_Percent="100",
        Codex_Primary_Window_Minutes="299",
        Codex_Primary_Reset_After_Seconds="3600",
        Codex_X_Secondary_Used_Percent="3",
        Codex_X_Limit_Name="Some-Model",
        Codex_Credits_Has_Credits="True",
        Codex_Credits_Balance="12",
    )

    assert {"5h", "secondary:some-model", "credits"} == set(found)
    assert (100.0, AT + HOUR) == (found["5h"].percent, found["5h"].resets_at)
    assert Scope("model", "some-model") == found["secondary:some-model"].scope


def test_headers_without_a_figure_are_unrecognised() -> None:
    """Blank ones, and those that break off."""
    doc = Document(b"", AT, headers=(("x-codex-primary-used-percent", ""), ("x-codex-primary-reset-at", "soon")))

    assert "unrecognised" == read(doc).state


# --- session files ----------------------------------------------------------------------------


def event(minutes: float, used: float, **limit: Any) -> str:
    at = AT - minutes * MINUTE
    window = {"used_percent": used, "window_minutes": 300, "resets_at": (AT + HOUR).timestamp()}
    payload = {"type": "token_count", "rate_limits": {"primary": window, **limit}}
    return json.dumps({"timestamp": at.isoformat(), "type": "event_msg", "payload": payload})


def session(*lines: str) -> Reading | None:
    found = reader().readings(Document("\n".join(lines).encode(), AT))
    return found[0] if found else None


def test_the_newest_event_counts_by_its_own_time() -> None:
    """Not the last line; what has no time, no figure or another limit does not count as the account's."""
    reading = session(
        event(5, 30),
        event(2, 41),
        event(3, 35),
        '{"timestamp": "2026',
        event(1, 99).replace("+00:00", ""),
        event(1, 0, primary=None),
        event(0, 3, limit_id="premium", limit_name=None, primary=None),
        "noise",
    )

    assert reading is not None
    assert (AT - 2 * MINUTE, [("5h", 41.0)]) == (
        reading.observed_at,
        [(one.name, one.percent) for one in reading.limits],
    )


@pytest.mark.parametrize(("minutes", "there"), [(16, True), (18, False)])
def test_words_on_several_limits_are_one_picture_for_a_quarter_of_an_hour(minutes: float, there: bool) -> None:
    """What was said of a model long before the newest word is left out."""
    reading = session(event(minutes, 70, limit_id="codex_x"), event(2, 41))

    assert reading is not None
    assert there == ("5h:codex_x" in {limit.name for limit in reading.limits})


def test_a_session_of_one_model_tells_of_that_model() -> None:
    """Its limit is scoped by id, or by name alone."""
    for named in ({"limit_id": "codex_x"}, {"limit_name": "codex_x"}):
        reading = session(event(2, 41, **named))
        assert reading is not None
        assert ["5h:codex_x"] == [limit.name for limit in reading.limits]


def test_a_session_of_the_future_was_true_now() -> None:
    """Clocks differ; nothing can have been true later than it was read."""
    reading = session(event(-3, 41))

    assert reading is not None
    assert AT == reading.observed_at


def test_a_session_without_figures_is_not_mine() -> None:
    """Runs without a screen often note nothing but nulls."""
    assert (
        session('{"timestamp": "2026-09-20T11:41:00Z", "payload": {"type": "token_count", "rate_limits": null}}')
        is None
    )
