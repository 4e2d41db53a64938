"""Findings: what a rule says against a place, and which of several decides.

A candidate's verdict is the worst finding; where several are equally bad the first rule in `RULES` speaks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cached_property

from attrs import frozen

from capacity.values.conditions import Fact
from capacity.values.decision import Answer, Verdict
from capacity.values.seats import Need

RULES = (
    "model", "effort", "circuit", "login", "quota", "cap", "budget", "residency", "headroom",
    "allow", "egress", "lane", "tier", "capability", "context", "volume",
)  # fmt: skip  # the documented order, read as two rows: of a place, of a need

BADNESS: Mapping[Answer, int] = {"no": 0, "wait": 1, "cannot-tell": 2, "yes": 3}
"""Worst first."""


@frozen
class Finding:
    """What one rule says against a place.

    Attributes:
        answer: `no`, `wait` or `cannot-tell`.
        rule: which rule.
        fact: why.
        proof: good enough to make a seat leave the place, not only to keep others from arriving.
        quota: only quota stands in the way; it ends at `opens_at`.
        opens_at: when it ends, UTC; None = not known, or somebody has to act.
        known: whether a provider told that instant.
        above: it speaks only to needs with a larger context than so many tokens; None = to every need.
        team: it speaks only to needs of that team, `""` to those of no team of `named`; None = to every need.
        named: the teams that have a word of their own.
    """

    answer: Answer
    rule: str
    fact: Fact
    proof: bool = False
    quota: bool = False
    opens_at: datetime | None = None
    known: bool = False
    above: int | None = None
    team: str | None = None
    named: frozenset[str] = frozenset()

    @property
    def general(self) -> bool:
        """Whether it speaks to every need."""
        return self.above is None and self.team is None

    def concerns(self, need: Need) -> bool:
        """Whether it speaks to a need."""
        larger = self.above is None or (need.context is not None and need.context > self.above)
        team = need.team if need.team in self.named else ""
        return larger and self.team in (None, team)

    @cached_property
    def verdict(self) -> Verdict:
        """The finding as a verdict."""
        return Verdict(self.answer, self.rule, self.fact)


def by_rule(finding: Finding) -> int:
    """A finding's place in the documented order."""
    return _AT[finding.rule]


_AT: Mapping[str, int] = {rule: at for at, rule in enumerate(RULES)}


def worse(one: Finding | None, other: Finding | None) -> Finding | None:
    """The worse of two; where they are equally bad, the earlier in the documented order."""
    if one is None or other is None:
        return one or other
    a, b = BADNESS[one.answer], BADNESS[other.answer]
    if a == b:
        a, b = _AT[one.rule], _AT[other.rule]
    return one if a <= b else other


def worst(found: Iterable[Finding]) -> Finding | None:
    """The first of the worst findings; None where there is none."""
    chosen: Finding | None = None
    for finding in found:
        if chosen is None or BADNESS[finding.answer] < BADNESS[chosen.answer]:
            chosen = finding
    return chosen


def proof(found: Iterable[Finding]) -> Finding | None:
    """The first finding that is good enough to leave the place; None where there is none."""
    return next((finding for finding in found if finding.proof and finding.answer == "no"), None)


def opening(found: Iterable[Finding]) -> tuple[bool, datetime | None]:
    """Whether nothing but quota refuses a place, and when it opens: the latest end of all that is full.

    The instant is None where one of them ends by nobody knows when (a payment, a guess).
    """
    refusing = [finding for finding in found if finding.answer == "no"]
    if not refusing or not all(finding.quota for finding in refusing):
        return False, None
    instants = [finding.opens_at for finding in refusing]
    known = [instant for instant in instants if instant is not None]
    return True, max(known) if len(known) == len(instants) else None
