"""From seat rules to needs."""

from __future__ import annotations

from datetime import timedelta

from capacity.core.needs import Resolver
from capacity.values.policy import HighVolume, SeatRule

from .build import policy, seat


def test_most_specific_first_part_by_part() -> None:
    """Name, then the longest glob, then role, then default; each part keeps the rule that gave it."""
    rules = policy(
        SeatRule("default", tier="good", floor="fair", context=8_000),
        SeatRule("role", "writer", tier="top", context=16_000),
        SeatRule("glob", "a*", context=32_000, effort="low"),
        SeatRule("glob", "ad*", effort="high"),
        SeatRule("name", "ada", floor="good"),
    )
    asked = Resolver(rules).ask(seat("ada", role="writer"))
    assert ("top", "good", 32_000, "high") == (
        asked.need.tier,
        asked.need.floor,
        asked.need.context,
        asked.need.effort,
    )
    assert {"tier": "role writer", "floor": "name ada", "context": "glob a*", "effort": "glob ad*"} == asked.origins


def test_a_name_with_its_fleet_comes_before_a_bare_one() -> None:
    """Where two fleets have an `ada`, one of them can be meant."""
    rules = policy(SeatRule("name", "ada", tier="good"), SeatRule("name", "main/ada", tier="top"))
    assert "top" == Resolver(rules).ask(seat("ada")).need.tier


def test_flags_are_a_union() -> None:
    """One rule that pins is enough, however unspecific."""
    rules = policy(SeatRule("default", pinned=True), SeatRule("name", "ada", held=True))
    asked = Resolver(rules).ask(seat("ada"))
    assert (True, True) == (asked.pinned, asked.held)


def test_a_seat_at_the_line_is_high_volume() -> None:
    """The fleet's cadence counts, else the policy's; at the line is under it."""
    rules = policy(SeatRule("default", cadence=timedelta(minutes=1)), high_volume=HighVolume(timedelta(minutes=5)))
    resolver = Resolver(rules)
    assert resolver.ask(seat(cadence=timedelta(minutes=5))).need.high_volume
    assert resolver.ask(seat()).need.high_volume
    assert not resolver.ask(seat(cadence=timedelta(minutes=6))).need.high_volume


def test_seats_that_match_alike_share_their_need() -> None:
    """Two seats under the same rules have one need, and so one table."""
    resolver = Resolver(policy())
    assert resolver.ask(seat("ada")) is resolver.ask(seat("ben"))
