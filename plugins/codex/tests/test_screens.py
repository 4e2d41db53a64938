"""The `/status` screen: which way figures count, whose rows are whose, and when a clock time is an instant."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from capacity.ports import Document, Limit, Reading, Scope
from capacity_codex import reader

from .documents import AT, SAMPLES, recorded

AMSTERDAM = "Europe/Amsterdam"


def screen(*rows: str, zone: str | None = "UTC", at: datetime = AT) -> Reading:
    (reading,) = reader().readings(Document("\n".join(rows).encode(), at, zone=zone)) or ()
    return reading


def limits(*rows: str, zone: str | None = "UTC", at: datetime = AT) -> dict[str, Limit]:
    return {limit.name: limit for limit in screen(*rows, zone=zone, at=at).limits}


@pytest.mark.parametrize(
    ("row", "name", "used"),
    [
        ("5h limit: [###] 55% left (resets 14:25)", "5h", 45.0),
        ("5h limit: [###] 55% used (resets 14:25)", "5h", 55.0),
        ("Weekly limit: [#] 12.5% left", "weekly", 87.5),
        ("Daily limit: [#] 0% left", "daily", 100.0),
        ("Monthly limit: 100% left", "monthly", 0.0),
        ("annual limit: 3% used", "annual", 3.0),
        ("3h limit: 40% left", "3h", 60.0),
        ("Usage limit: 99% left", "primary", 1.0),
        ("Secondary usage limit: 98% left", "secondary", 2.0),
        ("│ 5h limit:     55% left │", "5h", 45.0),
        ("\x1b[2m5h limit:\x1b[0m \x1b[38;5;208m[##]\x1b[0m 55% left\r", "5h", 45.0),
    ],
)
def test_a_row_is_a_limit(row: str, name: str, used: float) -> None:
    """The word beside the figure says which way it counts; a row of unknown length has the name its slot has elsewhere."""
    assert {name: used} == {limit.name: limit.percent for limit in screen(row).limits}


@pytest.mark.parametrize(
    "row", ["5h limit: [####]", "5h limit: 155% left", "5h limit: 55%", "Context window: 99% left"]
)
def test_a_row_without_its_figure_is_no_limit(row: str) -> None:
    """A narrow terminal drops it; what is left of a context is none; neither is ever 0 %."""
    reading = screen(">_ OpenAI Codex (v0.147.0)", "Weekly limit: [##]", row)

    assert ("unrecognised", ()) == (reading.state, reading.limits)


def test_rows_under_a_name_are_that_models() -> None:
    """The account's stand first; a name may stand in the row itself."""
    found = limits("5h limit: 55% left", "Some-Model limit:", "5h limit: 0% left", "Other Weekly limit: 7% left")

    assert {"5h": None, "5h:some-model": "some-model", "weekly:other": "other"} == {
        name: limit.scope.name if limit.scope else None for name, limit in found.items()
    }
    assert 100.0 == found["5h:some-model"].percent


def test_of_two_rows_of_one_name_the_first_counts() -> None:
    """A lost heading does not give the account a model's full window."""
    assert 45.0 == limits("5h limit: 55% left", "5h limit: 0% left")["5h"].percent


@pytest.mark.parametrize(
    ("text", "zone", "expected"),
    [
        ("14:25", "UTC", "2026-09-20T14:25"),
        ("2:25 PM", "UTC", "2026-09-20T14:25"),
        ("12:05 AM", "UTC", None),
        ("14:25", AMSTERDAM, "2026-09-20T12:25"),
        ("00:30", AMSTERDAM, None),
        ("11:59", "UTC", None),
        ("14:25", None, None),
        ("14:25", "Nowhere/At_All", None),
        ("25:00", "UTC", None),
        ("soon", "UTC", None),
        ("14:25 on Blursday", "UTC", None),
        ("14:25 on 20 Sep", "UTC", "2026-09-20T14:25"),
    ],
)
def test_a_clock_time_is_the_next_one_within_the_window(text: str, zone: str | None, expected: str | None) -> None:
    """In the host's zone; a time that is further away than five hours is stale, and without a zone nobody knows it."""
    found = limits(f"5h limit: 55% left (resets {text})", zone=zone)["5h"].resets_at

    assert expected == (None if found is None else f"{found:%Y-%m-%dT%H:%M}")


@pytest.mark.parametrize(
    ("text", "at", "expected"),
    [
        ("16:21 on 24 Sep", AT, "2026-09-24T16:21"),
        ("16:21 on Sep 24", AT, "2026-09-24T16:21"),
        ("04:01 on 27 Nov", AT, None),
        ("04:01 on 31 Feb", AT, None),
        ("04:01 on 2 Jan", datetime(2026, 12, 30, 12, tzinfo=UTC), "2027-01-02T04:01"),
    ],
)
def test_a_date_has_the_year_that_comes_next(text: str, at: datetime, expected: str | None) -> None:
    """In either order, over the turn of the year, and no further away than the window is long."""
    found = limits(f"Weekly limit: 70% left (resets {text})", at=at)["weekly"].resets_at

    assert expected == (None if found is None else f"{found:%Y-%m-%dT%H:%M}")


def test_an_hour_that_comes_twice_is_the_later_one() -> None:
    """Nothing may open too early: half past two in the night in which clocks go back."""
    night = datetime(2026, 10, 24, 23, tzinfo=UTC)

    assert (
        datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
        == limits("5h limit: 5% left (resets 02:30)", zone=AMSTERDAM, at=night)["5h"].resets_at
    )


def test_a_reset_may_stand_on_the_next_line() -> None:
    """A narrow terminal breaks the row."""
    found = limits("5h limit: [##] 55% left", "│     (resets 14:25)    │")["5h"]

    assert AT.replace(hour=14, minute=25) == found.resets_at


def test_stale_figures_are_as_old_as_the_screen_says() -> None:
    """Its warning comes when they are older than a quarter of an hour."""
    reading = screen("5h limit: 55% left", "Warning: limits may be stale - start new turn to refresh.")

    assert ("ok", AT - timedelta(minutes=15)) == (reading.state, reading.observed_at)
    assert "stale" in (reading.detail or "")


@pytest.mark.parametrize(
    ("row", "left"),
    [
        ("Credits: 557 credits", {"credits": Decimal(557)}),
        ("Credits: 1,234.5 credits", {"credits": Decimal("1234.5")}),
        ("Credits: Unlimited", {}),
        ("Credits: 0 credits", None),
    ],
)
def test_credits_are_shown_and_bind_nothing(row: str, left: dict[str, Decimal] | None) -> None:
    """As everywhere: none in hand are no limit."""
    found = limits(row, "5h limit: 55% left").get("credits")

    assert left == (None if found is None else found.left)
    assert found is None or Scope("feature", "credits") == found.scope


def test_a_cap_on_credits_is_shown_with_what_was_spent() -> None:
    """The line below tells the amounts."""
    found = limits(
        "5h limit: 55% left",
        "Monthly credit limit: [##] 92% left (resets 08:00 on 1 Oct)",
        "  7,761 of 100,000 credits used",
    )
    cap = found["individual_limit"]

    assert (8.0, {"credits": Decimal(92239)}, {"credits": Decimal(100000)}) == (cap.percent, cap.left, cap.cap)
    assert (Scope("feature", "individual_limit"), AT.replace(month=10, day=1, hour=8)) == (cap.scope, cap.resets_at)


def test_the_plan_is_the_screens_own_word() -> None:
    """It stands behind the address, which is nobody's business."""
    reading = screen("Account: person@example.invalid (Plus)", "5h limit: 55% left")

    assert "plus" == reading.plan
    assert "person" not in repr(reading)


@pytest.mark.parametrize("zone", ["UTC", "America/Los_Angeles", "Asia/Kolkata", "Pacific/Kiritimati"])
@pytest.mark.parametrize("name", sorted(path.name for path in SAMPLES.glob("status_tui_*.txt")))
def test_no_reset_is_past_or_further_than_its_window(name: str, zone: str) -> None:
    """Whatever the zone of the host."""
    (reading,) = reader().readings(recorded(name, zone=zone)) or ()
    for limit in reading.limits:
        assert limit.resets_at is None or AT < limit.resets_at <= AT + (limit.window or timedelta(days=366)) * 1.05


def test_gaps_and_long_texts_end() -> None:
    """Blanks within a row are one gap however many there are, and a text longer than any screen is none."""
    gap = " " * 200
    assert {"weekly:some model"} == set(limits(f"Some{gap}Model{gap}Weekly{gap}limit:{gap}7% left"))
    assert reader().readings(Document(b"%" + b" " * 60_000 + b"%", AT)) is None
    assert reader().readings(Document(b"5h limit: 55% left\n" * 10_000, AT)) is None
