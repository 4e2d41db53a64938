"""From the policy's seat rules to a need: most specific first, part by part, each part keeping its origin.

The order of rules is: name (`fleet/seat` before `seat`), the longest glob, role, default. Flags are a union.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from fnmatch import translate
from typing import Any

from attrs import frozen

from capacity.values.policy import Policy, SeatRule
from capacity.values.seats import Need, Seat

PARTS = ("tier", "floor", "context", "capabilities", "profile", "effort", "harnesses", "pools", "models", "rise")
"""The parts of a need that a seat rule may give."""

KEPT_SEATS = 65_536
"""Seats whose needs are kept with a policy: more than any fleet, less than memory."""


@frozen
class Asked:
    """What a seat asks for, and on whose word.

    Attributes:
        need: the need.
        origins: part → the rule that gave it.
        pinned: a rule pins it.
        held: a rule holds it.
    """

    need: Need
    origins: Mapping[str, str]
    pinned: bool
    held: bool


class Resolver:
    """Resolves seats against one policy; seats that match the same rules share one `Asked`."""

    def __init__(self, policy: Policy) -> None:
        self._line = policy.high_volume.cadence
        self._names = {rule.pattern: rule for rule in policy.seats if rule.match == "name"}
        self._roles = {rule.pattern: rule for rule in policy.seats if rule.match == "role"}
        self._defaults = tuple(rule for rule in policy.seats if rule.match == "default")
        globs = [rule for rule in policy.seats if rule.match == "glob"]
        globs.sort(key=lambda rule: (-len(rule.pattern), rule.pattern))
        self._globs = tuple((re.compile(translate(rule.pattern)).match, rule) for rule in globs)
        self._asked: dict[tuple[tuple[str, ...], bool], Asked] = {}
        self._seats: dict[tuple[str, str, str | None, timedelta | None], Asked] = {}

    def ask(self, seat: Seat) -> Asked:
        """What that seat asks for."""
        key = (seat.fleet, seat.name, seat.role, seat.cadence)
        asked = self._seats.get(key)
        if asked is None:
            if len(self._seats) >= KEPT_SEATS:
                self._seats.clear()
            asked = self._seats[key] = self._ask(seat)
        return asked

    def _ask(self, seat: Seat) -> Asked:
        rules = self._rules(seat)
        often = self._often(seat, rules)
        key = (tuple([rule.match + rule.pattern for rule in rules]), often)
        asked = self._asked.get(key)
        if asked is None:
            asked = self._asked[key] = _resolved(rules, often)
        return asked

    def _rules(self, seat: Seat) -> list[SeatRule]:
        full = f"{seat.fleet}/{seat.name}"
        found = [self._names[name] for name in (full, seat.name) if name in self._names]
        found += [rule for match, rule in self._globs if match(seat.name) or match(full)]
        if seat.role is not None and seat.role in self._roles:
            found.append(self._roles[seat.role])
        found += self._defaults
        return found

    def _often(self, seat: Seat, rules: list[SeatRule]) -> bool:
        if self._line is None:
            return False
        cadence = seat.cadence
        if cadence is None:
            cadence = next((rule.cadence for rule in rules if rule.cadence is not None), None)
        return cadence is not None and timedelta(0) <= cadence <= self._line


def _resolved(rules: list[SeatRule], often: bool) -> Asked:
    parts: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for rule in rules:
        origin = f"{rule.match} {rule.pattern}".strip()
        for part in PARTS:
            value = getattr(rule, part)
            if value is not None and part not in parts:
                parts[part] = value
                origins[part] = origin
    need = Need(**parts, high_volume=often)
    return Asked(
        need, dict(sorted(origins.items())), any(rule.pinned for rule in rules), any(rule.held for rule in rules)
    )
