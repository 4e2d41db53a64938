"""A saved tick, decided once more: what was decided follows from what it was decided from, byte for byte.

A tick file attached to a bug report becomes a regression test in one line: `assert_replays(load_tick(path))`.
"""

from __future__ import annotations

import json
from difflib import unified_diff
from itertools import islice

from capacity.codec import dumps
from capacity.core.decide import decide
from capacity.values.decision import Decision
from capacity.values.tick import Tick

SHOWN = 40
"""Lines of a difference that are shown: enough to see where it begins."""


def replay_tick(tick: Tick) -> Decision:
    """What is decided from a tick's four inputs today.

    Args:
        tick: the tick; the decision in it is not looked at.
    """
    return decide(tick.inventory, tick.headroom, tick.policy, tick.history)


def assert_replays(tick: Tick) -> None:
    """Whether a tick's inputs still give the decision that is in it.

    Args:
        tick: the tick, with its decision.

    Raises:
        AssertionError: they give another one, whose difference is shown; or there is none in it.
    """
    if tick.decision is None:
        raise AssertionError("the tick holds no decision: there is nothing to compare with")
    was, now = dumps(tick.decision), dumps(replay_tick(tick))
    if was != now:
        lines = unified_diff(_lines(was), _lines(now), "decided", "replayed", n=2, lineterm="")
        raise AssertionError("\n".join([f"tick {tick.decision.id} is decided differently now", *islice(lines, SHOWN)]))


def _lines(body: bytes) -> list[str]:
    return json.dumps(json.loads(body), indent=1, sort_keys=True).splitlines()
