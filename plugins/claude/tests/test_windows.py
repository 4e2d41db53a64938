"""Both shapes of a usage body, and every way in which they were seen, or are likely, to drift."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from capacity.ports import Limit, Scope
from capacity_claude._windows import told

WEEK = timedelta(days=7)
RESET = "2026-09-25T16:00:00Z"


def row(kind: str, percent: object = 41, **parts: Any) -> dict[str, Any]:
    return {"kind": kind, "percent": percent, "resets_at": RESET, "scope": None, **parts}


def scoped(name: object, percent: object = 41, kind: str = "weekly_scoped", surface: object = None) -> dict[str, Any]:
    return row(kind, percent, scope={"model": {"id": None, "display_name": name}, "surface": surface})


def limits(body: dict[str, Any]) -> dict[str, Limit]:
    return {limit.name: limit for limit in told(body).limits}


def test_the_list_is_preferred_to_its_twins() -> None:
    """What stands beside a usable list changes no figure and adds nothing unscoped; a scoped word of its own is kept."""
    body = {"five_hour": {"utilization": 99}, "seven_day": {"utilization": 98}, "limits": [row("session", 41)]}

    assert {"5h": 41.0} == {name: limit.percent for name, limit in limits(body).items()}
    assert "window 'seven_day' is not in the list" in (told(body).detail or "")
    body["seven_day_x"] = {"utilization": 97}
    assert {"5h": 41.0, "weekly:x": 97.0} == {name: limit.percent for name, limit in limits(body).items()}


@pytest.mark.parametrize("rows", [None, [], {}, "none", [7], [scoped("Some")], [row("session", None)]])
def test_windows_stand_in_for_a_list_without_the_account(rows: object) -> None:
    """A list that tells no figure for the whole account leaves the windows' figures standing."""
    body = {"five_hour": {"utilization": 41}, "seven_day": {"utilization": 63}, "limits": rows}

    assert (41.0, 63.0) == (limits(body)["5h"].percent, limits(body)["weekly"].percent)


def test_a_scoped_row_is_kept_beside_windows() -> None:
    """Falling back to the windows loses no cap that the list tells."""
    body = {"five_hour": {"utilization": 41}, "limits": [scoped("Some", 100)]}

    assert Scope("model", "some") == limits(body)["weekly:some"].scope


@pytest.mark.parametrize(
    ("key", "scope"),
    [
        ("seven_day_some", Scope("model", "some")),
        ("seven_day_Some_Other", Scope("model", "some_other")),
        ("seven_day_oauth_apps", Scope("feature", "oauth_apps")),
        ("seven_day_cowork", Scope("feature", "cowork")),
    ],
)
def test_a_window_with_a_word_is_scoped_by_it(key: str, scope: Scope) -> None:
    """An unknown word is a model's, that nobody may answer to; a product's is a feature. None is unscoped."""
    assert (
        Limit(f"weekly:{scope.name}", percent=12.0, window=WEEK, scope=scope)
        == limits({key: {"utilization": 12}})[f"weekly:{scope.name}"]
    )


@pytest.mark.parametrize("key", ["brand_new", "seven_day_", "five_hour_x", "seven_days", "seven_day_\n"])
def test_an_unknown_window_is_no_limit_and_said_so(key: str) -> None:
    """A top-level window of another name is left out, and named."""
    body = {key: {"utilization": 99}, "five_hour": {"utilization": 41}}

    assert ["5h"] == list(limits(body))
    assert f"window {key!r} is unknown" in (told(body).detail or "")


def test_an_unscoped_row_of_an_unknown_kind_stays_binding() -> None:
    """Its own word is its name; its window is what its group says, and otherwise not known."""
    found = limits({"limits": [row("Lunar_Cycle", 71, group="lunar"), row("short_burst", 5, group="session")]})

    assert (None, None, 71.0) == (found["lunar_cycle"].scope, found["lunar_cycle"].window, found["lunar_cycle"].percent)
    assert timedelta(hours=5) == found["short_burst"].window


def test_a_scoped_row_of_an_unknown_kind_stays_scoped() -> None:
    """Whatever the kind, what names a model binds that model."""
    found = limits({"limits": [scoped("Some", kind="yearly_special")]})

    assert {"yearly_special:some": Scope("model", "some")} == {name: limit.scope for name, limit in found.items()}


@pytest.mark.parametrize(
    "scope",
    [
        None,
        {},
        {"model": None, "surface": None},
        {"model": {"id": None, "display_name": None}, "surface": None},
        {"model": {"display_name": " "}},
        {"region": "somewhere"},
        "some",
        7,
    ],
)
def test_a_scoped_row_that_names_nothing_is_dropped(scope: object) -> None:
    """It is never taken for the account's, and the reading says that it was dropped."""
    body = {"limits": [row("weekly_scoped", 100, scope=scope), row("session", 41)]}

    assert ["5h"] == list(limits(body))
    assert "not read: row 0 names neither model nor surface" == told(body).detail


def test_a_row_scoped_by_something_unheard_of_is_dropped() -> None:
    """A kind that is not known to be the account's, with a scope that is not empty, is not unscoped."""
    assert [] == list(limits({"limits": [row("yearly", 100, scope={"region": "somewhere"})]}))


def test_the_accounts_own_rows_need_no_readable_scope() -> None:
    """A session row is the account's even where its scope is an empty object."""
    assert limits({"limits": [row("session", scope={"model": {"display_name": None}})]})["5h"].scope is None


def test_a_surface_is_a_feature_and_a_model_wins_over_it() -> None:
    """A row of a product binds no seat; one of a model on a product binds the model."""
    rows = [row("weekly_scoped", scope={"model": None, "surface": "Cowork"}), scoped("Some", surface="Cowork")]

    assert {"weekly:cowork": Scope("feature", "cowork"), "weekly:some": Scope("model", "some")} == {
        name: limit.scope for name, limit in limits({"limits": rows}).items()
    }


def test_an_id_names_a_row_that_has_no_display_name() -> None:
    """The id is used only where nothing else is told."""
    named = row("weekly_scoped", scope={"model": {"id": "some-1", "display_name": None}})

    assert ["weekly:some-1"] == list(limits({"limits": [named]}))


@pytest.mark.parametrize("reverse", [False, True])
def test_a_row_of_all_models_gives_way_to_the_weekly_row(reverse: bool) -> None:
    """It is the same limit once more, wherever it stands."""
    rows = [row("weekly_all", 36), scoped("All models", 41)]

    assert {"weekly": 36.0} == {
        name: limit.percent for name, limit in limits({"limits": rows[::-1] if reverse else rows}).items()
    }


def test_a_row_of_all_models_alone_is_the_weekly_row() -> None:
    """Where nothing else says how much of the week is used, it does, unscoped."""
    found = limits({"limits": [scoped("All models", 41)]})

    assert Limit("weekly", percent=41.0, window=WEEK, resets_at=found["weekly"].resets_at) == found["weekly"]


@pytest.mark.parametrize("rows", [[scoped("Some", 12), scoped("SOME", 90)], [scoped("Some", 90), scoped("some", None)]])
def test_of_two_rows_of_one_name_the_fuller_counts(rows: list[dict[str, Any]]) -> None:
    """A name stands once, and doubt does not make room."""
    assert {"weekly:some": 90.0} == {name: limit.percent for name, limit in limits({"limits": rows}).items()}


def test_of_two_scopes_of_one_word_the_binding_one_counts() -> None:
    """A model and a surface of one name make one limit, and it binds."""
    rows = [scoped("Some", 12), row("weekly_scoped", 90, scope={"surface": "some"})]

    assert Scope("model", "some") == limits({"limits": rows})["weekly:some"].scope


def test_the_alias_of_the_reset_is_read() -> None:
    """`reset_at` stands in where `resets_at` is missing or null."""
    body = {"five_hour": {"utilization": 1, "reset_at": RESET}, "seven_day": {"utilization": 2, "resets_at": None}}

    assert RESET == f"{limits(body)['5h'].resets_at:%Y-%m-%dT%H:%M:%SZ}"
    assert limits(body)["weekly"].resets_at is None


@pytest.mark.parametrize(
    ("window", "blocked"),
    [
        ({"utilization": 100}, None),
        ({"utilization": 100, "locked_reason": None}, False),
        ({"utilization": 58, "locked_reason": None}, None),
        ({"utilization": None, "locked_reason": None}, None),
        ({"utilization": 58, "locked_reason": "policy"}, True),
    ],
)
@pytest.mark.parametrize("listed", [False, True])
def test_a_lock_is_told_by_its_reason(window: dict[str, Any], blocked: bool | None, listed: bool) -> None:
    """A reason refuses, a null one at 100 % serves on, and an absent one says nothing; a list leaves that to the twin."""
    rows = [row("session", window["utilization"]), row("weekly_all", 1)] if listed else []

    assert blocked == limits({"five_hour": window, "limits": rows})["5h"].blocked


def test_a_rows_own_reason_outranks_its_twins() -> None:
    """Should a row begin to say so itself, it is believed."""
    body = {"five_hour": {"utilization": 100, "locked_reason": None}, "limits": [row("session", 9, locked_reason="x")]}

    assert True is limits(body)["5h"].blocked


def test_an_active_scoped_row_caps_its_models_only() -> None:
    """Which row the service marks as active says nothing about the account."""
    rows = [row("session", 37), row("weekly_all", 67), {**scoped("Some", 100), "is_active": True}]

    assert {"5h": 37.0, "weekly": 67.0} == {
        name: limit.percent for name, limit in limits({"limits": rows}).items() if limit.scope is None
    }


def test_many_dropped_rows_make_one_sentence() -> None:
    """The first few are named and the rest is counted."""
    detail = told({"limits": [7] * 9, "five_hour": {"utilization": 1}}).detail

    assert f"not read: {'; '.join(f'row {n} is no object' for n in range(5))}; 4 more" == detail


def test_a_list_without_end_is_cut() -> None:
    """So many rows are no usage answer; those beyond are not read, and that is said."""
    found = told({"limits": [row("session"), *[row(f"kind{n}") for n in range(2000)]]})

    assert 1000 == len(found.limits)
    assert "not read: rows from 1000 on" == found.detail


# --- extra usage ------------------------------------------------------------------------------

PURSE = {"is_enabled": True, "monthly_limit": 5000, "used_credits": 1234, "utilization": 24.68, "currency": "USD"}


def extra(beside: bool = False, **changes: Any) -> Limit | None:
    body = {"five_hour": {"utilization": 1} if beside else None, "extra_usage": {**PURSE, **changes}}
    return limits(body).get("extra-usage")


def test_extra_usage_beside_windows_binds_nothing() -> None:
    """It pays when a window is full, so it is shown as a feature, in whole units of its currency."""
    assert Limit(
        "extra-usage",
        percent=24.68,
        quantum=0.01,
        left={"USD": Decimal("37.66")},
        cap={"USD": Decimal("50.00")},
        scope=Scope("feature", "extra-usage"),
    ) == extra(beside=True)


def test_extra_usage_alone_is_the_accounts_limit() -> None:
    """Where no window exists the same figure binds every model."""
    alone = extra()

    assert alone is not None
    assert alone.scope is None
    assert told({"five_hour": None, "extra_usage": PURSE}).usable


@pytest.mark.parametrize("body", [{}, {"limits": []}, {"five_hour": None, "seven_day": None, "seven_day_some": None}])
def test_an_account_without_windows_says_so(body: dict[str, Any]) -> None:
    """They are null or not there at all, as for those that pay for what they use."""
    assert limits({**body, "extra_usage": PURSE})["extra-usage"].scope is None


@pytest.mark.parametrize(
    "body", [{"limits": None}, {"limits": {}}, {"five_hour": {}}, {"seven_day": 7}, {"limits": [7]}]
)
def test_windows_nobody_can_read_are_no_lack_of_windows(body: dict[str, Any]) -> None:
    """Else money that pays beside a full window would pass for room in it."""
    found = told({**body, "extra_usage": PURSE})

    assert not found.usable
    assert [Scope("feature", "extra-usage")] == [one.scope for one in found.limits if one.name == "extra-usage"]


@pytest.mark.parametrize(
    "changes",
    [
        {"is_enabled": False},
        {"monthly_limit": None, "used_credits": None, "utilization": None},
        {"currency": None, "utilization": None},
        {"monthly_limit": True, "utilization": -4},
        {"decimal_places": "two", "utilization": None},
    ],
)
def test_what_caps_nothing_is_no_limit(changes: dict[str, Any]) -> None:
    """A purse that is switched off, or tells no figure in any currency, is none."""
    assert extra(**changes) is None


def test_a_purse_without_a_cap_serves() -> None:
    """A limit of null beside a sum already spent is the provider's word that nothing is capped."""
    unlimited = extra(monthly_limit=None, utilization=None)

    assert unlimited is not None
    assert (False, {}, {}) == (unlimited.blocked, unlimited.left, unlimited.cap)


def test_what_was_used_is_never_taken_for_nothing() -> None:
    """Without the sum spent there is a cap and no figure left."""
    unspent = extra(used_credits=None)

    assert unspent is not None
    assert ({}, {"USD": Decimal("50.00")}) == (unspent.left, unspent.cap)


def test_more_than_the_whole_is_a_negative_rest() -> None:
    """What was spent beyond the cap is told as it is."""
    overdrawn = extra(used_credits=5100)

    assert overdrawn is not None
    assert {"USD": Decimal("-1.00")} == overdrawn.left


# --- nothing to go by -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"five_hour": None, "seven_day": None, "extra_usage": None},
        {"five_hour": {"utilization": None, "resets_at": RESET}},
        {"five_hour": {"resets_at": RESET}, "extra_usage": {"is_enabled": True, "utilization": 3.0}},
        {"seven_day_cowork": {"utilization": 3.0}},
        {"limits": [row("session", None), row("weekly_all", "n/a")]},
        {"five_hour": 41, "seven_day": "63 %"},
    ],
)
def test_a_body_without_a_figure_is_not_usable(body: dict[str, Any]) -> None:
    """Neither null, nor a purse beside figureless windows, nor a feature says how much the account has left."""
    assert not told(body).usable
