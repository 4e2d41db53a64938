"""The texts in which the harness says that a limit was hit, and the moments they name."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from attrs import evolve
from capacity.ports import Document, Scope
from capacity_claude import reader
from capacity_claude._resets import Reset, reset
from capacity_claude._texts import hit

from .documents import AT, SAMPLES, shown

DOC = Document(b"", AT)
WEEK, SESSION = timedelta(days=7), timedelta(hours=5)
TABLE = [line.split("\t") for line in (SAMPLES / "limit_texts.txt").read_text("utf-8").splitlines()[1:]]


@pytest.mark.parametrize(("line", "kind", "ends"), TABLE, ids=shown)
def test_a_recorded_text_is_a_refusal_or_is_not(line: str, kind: str, ends: str) -> None:
    """Those of a quota name their limit and, where they can, its end; all others are no matter of a limit."""
    found = hit(line, DOC)

    assert (kind == "quota") == (found is not None)
    if found is not None and ends.startswith("past"):
        assert () == found.limits
    elif found is not None:
        told = found.limit.resets_at
        assert found.limit.blocked
        assert ends == (f"{told:%Y-%m-%dT%H:%M:%SZ}" if told else ends)
        assert ends.startswith("wall clock") == (told is None)


@pytest.mark.parametrize(
    ("line", "name", "scope"),
    [
        ("You've hit your limit", "service", None),
        ("You’ve reached your usage limit", "service", None),
        ("You've hit your org's monthly usage limit", "service", None),
        ("You're out of extra usage", "service", None),
        ("Claude AI usage limit reached", "service", None),
        ("5-hour limit reached", "5h", None),
        ("You've hit your session limit", "5h", None),
        ("Weekly limit reached ∙ resets 3pm", "weekly", None),
        ("Zephyr weekly limit reached ∙ resets 3pm", "weekly:zephyr", Scope("model", "zephyr")),
        ("You've hit your Zephyr Lite limit · resets 3pm", "weekly:zephyr lite", Scope("model", "zephyr lite")),
    ],
)
def test_a_text_names_its_limit(line: str, name: str, scope: Scope | None) -> None:
    """A window by its word, a model by its name, and otherwise the whole account."""
    found = hit(line, DOC)

    assert found is not None
    assert (name, scope, True) == (found.limit.name, found.limit.scope, found.limit.blocked)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "Context limit reached · /compact or /clear to continue",
        "Output token limit reached",
        "You've hit your rate limit · resets 3pm",
        "Concurrency limit reached",
        "Zephyr limit reached",
        "I would say that you've hit your weekly limit.",
        "You've hit your usage limit. Upgrade, or try again at Sep 24th, 2026 4:05 PM.",
        "You've hit your weekly limit\nand here is the next line of a poem",
        "You've hit your weekly limit" + " " * 400,
    ],
    ids=shown,
)
def test_another_text_is_none(line: str) -> None:
    """Limits of a request, other programs' wording, and what a model writes about limits."""
    assert hit(line, DOC) is None


@pytest.mark.parametrize(
    ("line", "mine"),
    [
        ("You've hit your weekly limit · resets 3pm", True),
        ("Claude usage limit reached", True),
        ("You've hit your usage limit", False),
        ("Weekly limit reached", False),
        ("5-hour limit reached · resets 3pm\nand more", False),
    ],
)
def test_a_bare_text_must_be_surely_ours(line: str, mine: bool) -> None:
    """Without an envelope a line counts only where no other program could have printed it."""
    assert mine == bool(reader().readings(Document(f"{line}\n".encode(), AT)))


def test_a_text_without_a_zone_is_read_in_its_host_s() -> None:
    """The clock on the wall is that of the machine it was shown on; without one nobody knows the moment."""
    line = "Claude usage limit reached. Your limit resets at 5:00pm"
    there = hit(line, evolve(DOC, zone="Europe/Berlin"))

    assert there is not None
    assert datetime(2026, 9, 20, 15, tzinfo=UTC) == there.limit.resets_at


def test_a_text_whose_window_is_over_is_no_evidence() -> None:
    """A refusal kept from before its own reset is known for what it is, and refuses nothing."""
    for line in ("Claude AI usage limit reached|1789905600", "5-hour limit reached · resets 1pm (Europe/Berlin)"):
        (told,) = reader().readings(Document(line.encode(), AT)) or ()
        assert ("unrecognised", ()) == (told.state, told.limits)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("3pm (America/Bogota)", "2026-09-20T20:00"),
        ("5am (Europe/Berlin)", "2026-09-21T03:00"),
        ("12am (UTC)", "2026-09-21T00:00"),
        ("12pm (UTC)", "2026-09-21T12:00"),
        ("17:30 (UTC)", "2026-09-20T17:30"),
        ("Sep 24 at 4pm (Europe/Berlin)", "2026-09-24T14:00"),
        ("Sep24at4pm(Europe/Berlin)", "2026-09-24T14:00"),
        ("Sep 22, 5:59am (America/Los_Angeles)", "2026-09-22T12:59"),
        ("September 24, 2026, 10:59pm (UTC)", "2026-09-24T22:59"),
        ("Sep 24 (UTC)", "2026-09-25T00:00"),
        ("  sep 24 AT 4PM (UTC) ", "2026-09-24T16:00"),
    ],
)
def test_a_moment_is_the_next_one_it_can_mean(text: str, moment: str) -> None:
    """A clock time today or tomorrow, a day this year or next, and a day without a clock time at its end."""
    assert Reset(datetime.fromisoformat(f"{moment}Z")) == reset(text, AT, None, WEEK)


def test_the_year_turns() -> None:
    """At the end of December a day in January is next year's."""
    seen = datetime(2026, 12, 30, 12, tzinfo=UTC)

    assert Reset(datetime(2027, 1, 2, 12, tzinfo=UTC)) == reset("Jan 2 at 12pm (UTC)", seen, None, WEEK)


def test_of_two_moments_the_later_counts() -> None:
    """When clocks are set back an hour of the night is there twice."""
    seen = datetime(2026, 10, 24, 22, tzinfo=UTC)

    assert Reset(datetime(2026, 10, 25, 1, 30, tzinfo=UTC)) == reset("2:30am (Europe/Berlin)", seen, None, SESSION)


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("1pm (Europe/Berlin)", SESSION),
        ("Sep 19 at 4pm (UTC)", WEEK),
        ("Sep 19 at 4pm (UTC)", None),
        ("Jan 2, 2026, 10:59pm (UTC)", WEEK),
        ("Nov 27 (UTC)", WEEK),
    ],
)
def test_a_moment_beyond_its_window_has_passed(text: str, window: timedelta | None) -> None:
    """No window ends later than its own length from now, so such a text is an old one."""
    assert Reset(past=True) == reset(text, AT, None, window)


@pytest.mark.parametrize(
    "text",
    [
        *["", "soon", "3pm", "Sep 24 at 4pm", "3pm (Nowhere/Town)", "3pm (../../etc/passwd)", "3pm (/etc/passwd)"],
        *["13pm (UTC)", "0am (UTC)", "24:00 (UTC)", "7 (UTC)", "Foo 24 at 4pm (UTC)", "Sep 31 at 4pm (UTC)", "(UTC)"],
    ],
)
def test_what_is_no_moment_is_unknown(text: str) -> None:
    """Neither guessed nor past."""
    assert Reset() == reset(text, AT, None, WEEK)
