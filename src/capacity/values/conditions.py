"""Conditions: lasting facts about a pool, seat or source that an operator acts on. Facts: what every reason is made of."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Literal

from attrs import field, frozen

from capacity.values import _check

Status = Literal["raised", "cleared"]


@frozen(cache_hash=True)
class Figure:
    """One typed number of a fact.

    Attributes:
        name: what it is (`used`, `line`, `resets_at`).
        value: a number, a decimal, an instant (UTC), or a word.
        unit: `percent`, `tokens`, `USD`, `instant`, `word`, …
    """

    name: str
    value: float | int | Decimal | datetime | str
    unit: str


@frozen(cache_hash=True)
class Fact:
    """Why something is so. Made once per pool, model or need, and shared; its sentence is derived, never kept.

    Attributes:
        code: `owner:word`; the core's own are in `CODES`, a plugin's pass through unharmed.
        subject: the pool, limit, model, tier or seat it is about.
        figures: the numbers it rests on, in the order the sentence needs them.
    """

    code: str
    subject: str = ""
    figures: tuple[Figure, ...] = ()

    def figure(self, name: str) -> float | int | Decimal | datetime | str | None:
        """The value of the figure of that name, None where there is none."""
        return next((f.value for f in self.figures if f.name == name), None)


@frozen
class Reason:
    """A fact with the sentence derived from it.

    Attributes:
        fact: the fact.
        sentence: for a person; not stable, never parsed.
    """

    fact: Fact
    sentence: str


@frozen
class Condition:
    """A lasting fact somebody acts on.

    Attributes:
        fact: code, subject and figures.
        status: `raised`, or `cleared` for the one decision in which it ended.
        since: when it was raised (or cleared), UTC.
        ends: what ends it, a word: `reset`, `payment`, `login`, `listing`, `reading`, `release`, `operator`, …
        loud: a person is needed; `tick` exits with its own code while one stands.
    """

    fact: Fact
    status: Status
    since: datetime = field(converter=_check.utc)
    ends: str
    loud: bool = False

    @property
    def key(self) -> tuple[str, str]:
        """(code, subject): what makes two of them the same condition."""
        return self.fact.code, self.fact.subject


CONDITIONS: Mapping[str, tuple[str, bool]] = {
    # code → (what ends it, whether it is loud: whether waiting alone does not end it)
    "core:pool-exhausted": ("reset", False),
    "core:pool-empty": ("payment", True),
    "core:model-capped": ("reset", False),
    "core:scope-unanswered": ("listing", False),
    "core:login-required": ("login", True),
    "core:pool-refused": ("reset", False),
    "core:plan-lapsed": ("payment", True),
    "core:not-entitled": ("operator", True),
    "core:quarantined": ("trial", True),
    "core:probe-failing": ("reading", False),
    "core:unplaced-part": ("operator", False),
    "core:inventory-unknown": ("listing", False),
    "core:model-invalid": ("operator", True),
    "core:nothing-eligible": ("room", True),
    "core:below-tier": ("room", False),
    "core:partly-controlled": ("operator", False),
    "core:saturated-down": ("reset", True),
    "core:saturated-up": ("reset", True),
    "core:saturated-by-others": ("reset", True),
    "core:conflict": ("operator", True),
    "core:indeterminate": ("operator", True),
    "core:not-applied": ("operator", True),
    "core:fleet-refuses": ("operator", True),
    "core:second-controller": ("release", True),
    "core:untold": ("report", False),
    "core:duplicate-account": ("operator", True),
    "core:plugin-failing": ("operator", True),
    "core:no-tiers": ("operator", True),
    "core:tier-empty": ("operator", True),
    "core:nothing-interchangeable": ("adoption", False),
    "core:tiers-stale": ("adoption", True),
    "core:source-failing": ("answer", True),
    "core:source-ending": ("operator", False),
    "core:proposal-waiting": ("ruling", False),
}
