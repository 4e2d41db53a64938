"""A budget: how often a source may be asked. Declared by the plugin, kept by the engine."""

from __future__ import annotations

from datetime import timedelta

from attrs import frozen


@frozen(kw_only=True)
class Budget:
    """How often one account of a source may be asked, and what it may take.

    Attributes:
        floor: never more often than this, whoever asks.
        usual: while its pool is in use; stamped on what it publishes.
        idle: while nobody runs on it, or it is exhausted.
        deadline: of one whole flow.
        jitter: share of the interval it is spread by, 0 to 1.
        growth: the interval is multiplied by it on each failure in a row.
        slowest: what the interval never exceeds.
    """

    floor: timedelta
    usual: timedelta
    idle: timedelta
    deadline: timedelta = timedelta(seconds=10)
    jitter: float = 0.1
    growth: float = 1.5
    slowest: timedelta = timedelta(minutes=30)

    def __attrs_post_init__(self) -> None:
        if not timedelta(0) < self.floor <= self.usual <= self.idle <= self.slowest:
            raise ValueError("a budget needs 0 < floor <= usual <= idle <= slowest")
