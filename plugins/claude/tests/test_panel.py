"""Captures of the `/usage` panel: torn, coloured, repeated, and full of figures that are none."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from capacity.ports import Document, Limit, Reading, Scope
from capacity_claude import reader

from .documents import AT, recorded, shown

TODAY = "3pm (UTC)"
HEADER = "Settings:  Status   Config   Usage  (tab to cycle)"


def read(*lines: str, zone: str | None = None) -> Reading | None:
    readings = reader().readings(Document("\n".join(lines).encode(), AT, zone=zone))
    return readings[0] if readings else None


def limits(*lines: str) -> dict[str, Limit]:
    told = read(*lines)
    assert told is not None
    return {limit.name: limit for limit in told.limits}


def used(*lines: str) -> dict[str, float | None]:
    return {name: limit.percent for name, limit in limits(*lines).items()}


def test_a_section_is_a_limit() -> None:
    """Its heading names it, its bar fills it, and its own line says when it resets."""
    told = limits(HEADER, "Current session", "█ 2% used", f"Resets {TODAY}", "Current week (all models)", "25% used")

    soon = datetime(2026, 9, 20, 15, tzinfo=UTC)
    assert {
        "5h": Limit("5h", 2.0, resets_at=soon, window=timedelta(hours=5)),
        "weekly": Limit("weekly", 25.0, window=timedelta(days=7)),
    } == told


@pytest.mark.parametrize(
    ("heading", "name", "scope"),
    [
        ("Current week (all models)", "weekly", None),
        ("Currentweek(allmodels)", "weekly", None),
        ("Current week", "weekly", None),
        ("Current week (Zephyr)", "weekly:zephyr", Scope("model", "zephyr")),
        ("Current week (Zephyr only)", "weekly:zephyr", Scope("model", "zephyr")),
        ("Currentweek(Zephyronly)", "weekly:zephyr", Scope("model", "zephyr")),
        ("Curret wek (Zephyr Lite)", "weekly:zephyr lite", Scope("model", "zephyr lite")),
    ],
)
def test_a_label_is_a_scope(heading: str, name: str, scope: Scope | None) -> None:
    """With its blanks or without them, and with a letter or two lost on the way."""
    assert {name: scope} == {one.name: one.scope for one in limits(heading, "7% used").values()}


@pytest.mark.parametrize(
    "heading", ["Current week (", "Current week (Zeph", "Current week ()", "Current weather", "(x)"]
)
def test_a_torn_label_is_no_account_s(heading: str) -> None:
    """What may have named a model never becomes the whole week."""
    told = read("Current session", "2% used", heading, "99% used")

    assert told is not None
    assert {"5h": 2.0} == {limit.name: limit.percent for limit in told.limits}


@pytest.mark.parametrize(
    ("told", "share"), [("2% used", 2.0), ("98% left", 2.0), ("98 % remaining", 2.0), ("0%used", 0.0)]
)
def test_a_panel_counts_in_either_direction(told: str, share: float) -> None:
    """Newer ones say what is used, older ones what is left."""
    assert {"5h": share} == used("Current session", told)


@pytest.mark.parametrize("noise", ["░░░ 0%  ◯ /ide", "+50% used weekly promo", "-3% used", "0%", "used", "1234% used"])
def test_what_is_no_figure_of_the_section_is_none(noise: str) -> None:
    """A status bar, a promotion and a bare percentage are not told as used."""
    told = read("Current session", noise, "Current week (all models)", "7% used")

    assert told is not None
    assert ({"weekly": 7.0}, "no figure for session") == ({one.name: one.percent for one in told.limits}, told.detail)


def test_a_section_keeps_to_its_own_lines() -> None:
    """A section without a reset takes none from the one below it."""
    told = limits("Current session", "2% used", "Current week (all models)", "7% used", "Resets Sep 24 at 4pm (UTC)")

    assert told["5h"].resets_at is None
    assert datetime(2026, 9, 24, 16, tzinfo=UTC) == told["weekly"].resets_at


def test_a_figure_behind_a_reset_belongs_to_a_lost_heading() -> None:
    """The reset is the last line of a section, so what follows it is never that section's."""
    told = read("Current session", "2% used", "Current week (all models)", "Resets Sep 24 at 4pm (UTC)", "99% used")

    assert told is not None
    assert {"5h": 2.0} == {limit.name: limit.percent for limit in told.limits}


@pytest.mark.parametrize("between", [HEADER, "Loading usage data…", "Current session"])
def test_only_the_last_panel_counts(between: str) -> None:
    """A capture that scrolled holds older panels, and a newer one begins where the first section begins again."""
    older = ("Current session", "15% used", "Current week (Zephyr)", "99% used")

    assert {"5h": 16.0} == used(*older, between, "Current session", "16% used")


@pytest.mark.parametrize(
    ("lines", "state"),
    [
        ((HEADER,), "unrecognised"),
        (("Current session",), "unrecognised"),
        (("You are currently using your subscription to power your usage",), "unrecognised"),
        (("Current session", "15% used", "Loading usage data…"), "unreachable"),
        (("Error: Failed to load usage data: timeout",), "unreachable"),
        (('Error: Failed to load usage data: {"error":{"type":"rate_limit_error"}}',), "throttled"),
        (("Current session", "15% used", "Error: Failed to load usage data: Rate limited."), "throttled"),
    ],
    ids=shown,
)
def test_a_panel_without_figures_says_why(lines: tuple[str, ...], state: str) -> None:
    """It is never a zero, and what an older one showed is over."""
    told = read(*lines)

    assert told is not None
    assert (state, ()) == (told.state, told.limits)
    assert (state == "throttled") == (told.retry_at is not None)


def test_extra_usage_beside_windows_binds_nothing() -> None:
    """It pays when one is full; alone it is the account's."""
    alone = ("Extra usage", "35% used")

    assert Scope("feature", "extra-usage") == limits("Current session", "1% used", *alone)["extra-usage"].scope
    assert limits(*alone)["extra-usage"].scope is None
    assert ["5h"] == list(limits("Current session", "1% used", "Extra usage", "Extra usage not enabled"))


def test_an_old_capture_has_no_reset() -> None:
    """Read months later its figures stand, for whoever says that it was now; its moments do not."""
    told = reader().readings(Document(recorded("usage_tui_ansi_cr.txt").body, AT))

    assert told is not None
    assert {None} == {limit.resets_at for limit in told[0].limits}
    assert "a reset it shows has passed" == told[0].detail


@pytest.mark.parametrize(
    "text", ["", "usage", "2% used", "Resets 3pm", "Do you trust the files in this folder?", "\x00Current session"]
)
def test_another_screen_is_not_ours(text: str) -> None:
    """Figures without a panel round them are anybody's."""
    assert read(text) is None


def test_only_the_end_of_a_long_capture_is_looked_at() -> None:
    """The last panel counts, so that what scrolled away long ago is not worked through."""
    assert {"5h": 2.0} == used("\n" * 3_000_000, "Current session", "2% used")
    assert read("Current session", "2% used", "\n" * 3_000_000) is None
