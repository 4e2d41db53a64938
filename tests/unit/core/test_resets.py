"""Every way in which a reset is written: what is told, guessed, over, in an unknown zone, or no word of it at all."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from capacity.core.resets import Reset, field_reset, fields_reset, latest, reset, reset_in

NOON = datetime(2026, 9, 20, 12, tzinfo=UTC)
FORMATS = Path(__file__).parents[2] / "samples" / "common" / "reset_formats.txt"

WRITTEN = {
    "retry-after: 120": "2026-09-20T12:02:00Z",
    "retry-after: 0": None,
    "retry-after: -1": "invalid",
    "retry-after: Sun, 20 Sep 2026 12:05:00 GMT": "2026-09-20T12:05:00Z",
    "retry-after-ms: 504641000": "2026-09-26T08:10:41Z",
    "1789912800": "2026-09-20T14:00:00Z",
    "1789912800000": "2026-09-20T14:00:00Z",
    "2026-09-20T14:00:00Z": "2026-09-20T14:00:00Z",
    "2026-09-20T14:00:00.317709+00:00": "2026-09-20T14:00:00.317709Z",
    "2026-09-20T12:05:00.123456789+02:00": "past",
    "2026-09-20 22:00:00": "2026-09-20T14:00:00Z",
    "12ms": "2026-09-20T12:00:00.012Z",
    "7.66s": "2026-09-20T12:00:07.660Z",
    "6m0s": "2026-09-20T12:06:00Z",
    "2m59.56s": "2026-09-20T12:02:59.560Z",
    "479.417207ms": "2026-09-20T12:00:00.479417Z",
    "1h43m56s": "2026-09-20T13:43:56Z",
    "25h20m26.179915352s": "2026-09-21T13:20:26.179915Z",
    "167h 57m": "2026-09-27T11:57:00Z",
    "3h 21min": "2026-09-20T15:21:00Z",
    "1 day, 19 hours": "2026-09-22T07:00:00Z",
    "3 days 4 hours 12 minutes": "2026-09-23T16:12:00Z",
    "less than a minute": "guessed 2026-09-20T12:01:00Z",
    "6:44 PM": "2026-09-20T18:44:00Z",
    "11:30 AM": "2026-09-21T11:30:00Z",
    "14:25": "2026-09-20T14:25:00Z",
    "09:10 on 12 Nov": "2026-11-12T09:10:00Z",
    "04:01 on Nov 27": "2026-11-27T04:01:00Z",
    "00:05 on 1 Jan": "2027-01-01T00:05:00Z",
    "Sep 24th, 2026 9:05 PM": "2026-09-24T21:05:00Z",
    "September 24, 2026 at 9:00 PM": "2026-09-24T21:00:00Z",
    "3pm (America/Bogota)": "2026-09-20T20:00:00Z",
    "12:59pm (Europe/Paris)": "2026-09-21T10:59:00Z",
    "Sep 24 at 4pm (Europe/Berlin)": "2026-09-24T14:00:00Z",
    "Jan 2, 2027, 10:59pm (Europe/Helsinki)": "2027-01-02T20:59:00Z",
    "5am (Nowhere/Zone)": "zoneless",
    "1970-01-01T00:00:00Z": None,
}
"""Each line of the recorded formats; a header stands before its value, and a naive instant is Beijing's."""


def told(written: str | None) -> Reset | None:
    """`past`, `invalid` and `zoneless` as they are; `guessed INSTANT` and INSTANT."""
    if written is None or written in ("past", "invalid", "zoneless"):
        return None if written is None else Reset(written)  # type: ignore[arg-type]  # one of the words above
    word, _, instant = written.rpartition(" ")
    return Reset("guessed" if word else "known", datetime.fromisoformat(instant))


def test_every_recorded_format_is_in_the_table() -> None:
    """A new line of the samples needs a meaning here."""
    lines = FORMATS.read_text(encoding="utf-8").splitlines()

    assert [line.split("\t")[0] for line in lines if not line.startswith("#")] == list(WRITTEN)


@pytest.mark.parametrize("text", WRITTEN)
def test_a_recorded_format_is_read(text: str) -> None:
    """The instant that is meant, or why there is none."""
    name, colon, value = text.partition(": ")
    zone = "Asia/Shanghai" if text == "2026-09-20 22:00:00" else "UTC"
    found = field_reset(name, value, NOON, zone=zone) if colon else reset(text, NOON, zone=zone)

    assert told(WRITTEN[text]) == found


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("resets_at", 1789912800, "2026-09-20T14:00:00Z"),
        ("resetsAt", "1789912800000", "2026-09-20T14:00:00Z"),
        ("reset_at", "2026-09-20T14:00:00Z", "2026-09-20T14:00:00Z"),
        ("renew_at", "Sep 24 at 4pm (Europe/Berlin)", "2026-09-24T14:00:00Z"),
        ("quotaResetTimeStamp", "2026-09-21T13:20:26Z", "2026-09-21T13:20:26Z"),
        ("quotaResetDelay", "25h20m26s", "2026-09-21T13:20:26Z"),
        ("resets_in_seconds", 7200, "2026-09-20T14:00:00Z"),
        ("retryDelay", "90.5s", "2026-09-20T12:01:30.5Z"),
        ("retryDelay", "0s", None),
        ("retry_after_ms", "1500", "2026-09-20T12:00:01.5Z"),
        ("x-ratelimit-reset-requests", "6m0s", "2026-09-20T12:06:00Z"),
        ("x-ratelimit-reset", "60", "2026-09-20T12:01:00Z"),
        ("anthropic-ratelimit-unified-5h-reset", "1789914600", "2026-09-20T14:30:00Z"),
        ("resets_at", 0, None),
        ("resets_at", None, None),
        ("resets_at", True, None),
        ("resets_at", float("nan"), "invalid"),
        ("resets_at", float("inf"), "invalid"),
        ("resets_at", 10**30, "invalid"),
        ("resets_at", "0001-01-01T00:00:00Z", None),
        ("resets_at", "2031-01-01T00:00:00Z", "invalid"),
        ("created_at", 1789912800, None),
    ],
)
def test_a_field_is_read_as_its_name_says(name: str, value: object, expected: str | None) -> None:
    """Instants, spans in either unit, limits' headers; zeros tell nothing, nonsense is invalid, other fields are no resets."""
    assert told(expected) == field_reset(name, value, NOON)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("resets at 2026-10-05T15:00:00Z", "2026-10-05T15:00:00Z"),
        ("limit resets in 3 hours", "2026-09-20T15:00:00Z"),
        ("available again in 2 days", "2026-09-22T12:00:00Z"),
        ("resets at 2026-09-05T15:00:00Z", "past"),
        ("retry after 37 seconds", "2026-09-20T12:00:37Z"),
        ("Retry-After: 37", "2026-09-20T12:00:37Z"),
        ("resets in 2h 30m", "2026-09-20T14:30:00Z"),
        ("resets at 15:00 (Europe/Berlin)", "2026-09-20T13:00:00Z"),
        ("resets_in_seconds: 3600", "2026-09-20T13:00:00Z"),
        ("limit reached|1789912800", "2026-09-20T14:00:00Z"),
        ("will reset at 1789912800.", "2026-09-20T14:00:00Z"),
        ("will reset at 2026-09-20 22:00:00", "zoneless"),
        ("will reset at 2026-09-20 22:00:00 (Beijing time)", "2026-09-20T14:00:00Z"),
        ("will reset at 2026-09-20 22:00:00 Beijing time", "2026-09-20T14:00:00Z"),
        ("resets 10am UTC+8", "2026-09-21T02:00:00Z"),
        ("resets 10:00 +05:30", "2026-09-21T04:30:00Z"),
        ("resets Oct 7, 9am (UTC)", "2026-10-07T09:00:00Z"),
        ("resets 9pm UTC on Sep 24", "2026-09-24T21:00:00Z"),
        ("resets Monday at 3pm (UTC)", "2026-09-21T15:00:00Z"),
        ("resets tomorrow at 9:00 UTC", "2026-09-21T09:00:00Z"),
        ("resets at midnight UTC", "2026-09-21T00:00:00Z"),
        ("resets at noon UTC", "2026-09-21T12:00:00Z"),
        ("resets on Nov 27 (UTC)", "guessed 2026-11-28T00:00:00Z"),
        ("resets Sep 19 3pm (UTC)", "past"),
        ("resets 3pm", "zoneless"),
        ("resets 3pm (local time)", "zoneless"),
        ("blocked until Sun, 20 Sep 2026 12:05:00 GMT", "2026-09-20T12:05:00Z"),
        ("wait 30 seconds", "2026-09-20T12:00:30Z"),
        ("try again in about 5 minutes", "2026-09-20T12:05:00Z"),
        ("try again in less than a minute", "guessed 2026-09-20T12:01:00Z"),
        ("try again in a minute", None),
        ("try again in a few minutes", None),
        ("try again later", None),
        ("resets soon, 5 models left", None),
        ("resets 10", None),
        ("resets 2/3", None),
        ("resets at 25:00 UTC", None),
        ("resets on Feb 30 (UTC)", None),
        ("resets at 2026-13-45T00:00:00Z", None),
        ("presets 5 minutes", None),
    ],
)
def test_a_sentence_tells_its_reset(text: str, expected: str | None) -> None:
    """Behind a word that speaks of an end, and nowhere else."""
    assert told(expected) == reset_in(text, NOON)


def test_a_clock_without_a_zone_is_the_hosts() -> None:
    """With the host's zone it is an instant; the zone beside the clock wins."""
    assert told("2026-09-20T22:00:00Z") == reset("5pm", NOON, zone="America/Bogota")
    assert told("2026-09-20T15:00:00Z") == reset("5pm (Europe/Berlin)", NOON, zone="America/Bogota")
    assert told("zoneless") == reset("5pm", NOON, zone="../etc/passwd")


def test_of_an_hour_that_comes_twice_the_later_counts() -> None:
    """Nothing opens too early in the night in which the clock goes back."""
    before = datetime(2026, 10, 24, 20, tzinfo=UTC)

    assert told("2026-10-25T01:30:00Z") == reset("2:30 (Europe/Berlin)", before)


def test_what_lies_beyond_its_window_is_over() -> None:
    """A reset further off than its window is long was kept from an earlier one."""
    five = timedelta(hours=5)

    assert told("past") == reset_in("resets 8:30pm (Asia/Tokyo)", NOON, window=five)
    assert told("2026-09-20T17:10:00Z") == reset_in("resets in 5h 10m", NOON, window=five)


def test_of_several_fields_the_best_way_counts_and_of_it_the_latest() -> None:
    """A reset beats the time until it, and both beat a wish to be left alone; of two windows the later opens."""
    fields = [("retryDelay", "3s"), ("resets_in_seconds", 60), ("resets_at", 1789912800), ("reset_at", 1789916400)]

    assert told("2026-09-20T15:00:00Z") == fields_reset(fields, NOON)
    assert told("2026-09-20T12:01:00Z") == fields_reset(fields[:2], NOON)
    assert told("past") == fields_reset([("resets_at", 1700000000), ("created", 5)], NOON)
    assert latest([]) is None
    assert told("past") == latest([None, Reset("past"), Reset("invalid")])


@pytest.mark.parametrize(
    "text", ["resets " * 300, "resets " + "1h " * 600, "retry " + "after " * 340, "until " + "9" * 2000]
)
def test_a_hostile_text_ends(text: str) -> None:
    """Long runs of what it looks for are read, and tell what they tell."""
    found = reset_in(text, NOON)

    assert found is None or found.told in ("known", "invalid")
