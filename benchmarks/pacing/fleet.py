"""The agents of a pool as one lever: a level goes in, the library's ladder says who runs on what and how often.

Every controller that sets a level shares it, so that only their laws are compared.
"""

from __future__ import annotations

from benchmarks.pacing.scenario import Pool
from benchmarks.pacing.world import Setup
from capacity.core.ladders import Ladder, Rung, Spread


class Fleet:
    """A pool's agents and how they run now: at first on their dearest rungs at nominal cadence, as if nobody paced them."""

    def __init__(self, pool: Pool) -> None:
        self._ladders = [
            Ladder(tuple(Rung(rung.burn, rung.value) for rung in agent.rungs), agent.cadences) for agent in pool.agents
        ]
        self.setup: Setup = dear(pool)
        self.level = self._level()
        self.reach = Spread(self._ladders, [rung for rung, _ in self.setup]).reach

    def command(self, level: float) -> Setup:
        """How everybody runs from now on. The very same object where nothing changes."""
        spread = Spread(self._ladders, [rung for rung, _ in self.setup]).at(self.reach.clip(level))
        if spread != self.setup:
            self.setup = spread
            self.level = self._level()
        return self.setup

    def _level(self) -> float:
        pairs = zip(self._ladders, self.setup, strict=True)
        return sum(ladder.rungs[rung].burn * cadence for ladder, (rung, cadence) in pairs)


def dear(pool: Pool) -> Setup:
    """Everybody on the dearest rung at nominal cadence."""
    return tuple((len(agent.rungs) - 1, 1.0) for agent in pool.agents)
