"""A budget: how often a source may be asked, and for how long it is left alone once it refused. Declared by the plugin,
kept by the engine.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from math import isfinite

from attrs import field, frozen

from capacity.ports.document import DAY, Document


@frozen(kw_only=True)
class Budget:
    """How often one account of a source may be asked, and what it may take.

    Attributes:
        floor: never more often than this, whoever asks.
        usual: while its pool is in use; stamped on what it publishes, which is fresh for twice as long.
        idle: while nobody runs on it, or it is exhausted. More than twice `usual`, and what is known of a resting pool
            is stale until it is asked again.
        deadline: of one whole flow.
        jitter: share of the interval by which it may be shortened, 0 to 1, so that sources do not fall into step.
        growth: the interval is multiplied by it on each answer in a row that told nothing; 1 and up.
        slowest: what the interval never exceeds.
        wary: for so long after it refused a probe, the interval is grown once even where it answers again.
        wait_least: for how long it is left alone when it refused and named no wait, or none worth the name; `usual`
            where nothing is said.
        wait_margin: added to a wait it names, where it is known not to keep its own word.
        wait_most: what a wait it names never exceeds.

    Raises:
        ValueError: the spans are not in that order, or a figure is outside its bounds.
    """

    floor: timedelta
    usual: timedelta
    idle: timedelta
    deadline: timedelta = timedelta(seconds=10)
    jitter: float = 0.1
    growth: float = 1.5
    slowest: timedelta = timedelta(minutes=30)
    wary: timedelta = timedelta(0)
    wait_least: timedelta = field()
    wait_margin: timedelta = timedelta(0)
    wait_most: timedelta = DAY

    @wait_least.default
    def _usual(self) -> timedelta:
        return min(self.usual, DAY)

    def __attrs_post_init__(self) -> None:
        if not timedelta(0) < self.floor <= self.usual <= self.idle <= self.slowest:
            raise ValueError("a budget needs 0 < floor <= usual <= idle <= slowest")
        if not (0 <= self.jitter <= 1 and self.growth >= 1 and isfinite(self.growth) and self.deadline > timedelta(0)):
            raise ValueError("a budget needs a jitter from 0 to 1, a growth of at least 1, and a deadline")
        if not (
            timedelta(0) <= self.wait_least <= self.wait_most <= DAY
            and min(self.wary, self.wait_margin) >= timedelta(0)
        ):
            raise ValueError("a budget needs 0 <= wait_least <= wait_most <= 24 h, and no span below 0")

    def retry_at(self, refusal: Document) -> datetime:
        """When a source that refused a probe may be asked again.

        Args:
            refusal: its answer; what it asks for is its `retry_after`.

        Returns:
            An instant from `wait_least` to `wait_most` after the answer.
        """
        asked = refusal.retry_after
        wait = self.wait_least if asked is None else max(asked + self.wait_margin, self.wait_least)
        return refusal.at + min(wait, self.wait_most)
