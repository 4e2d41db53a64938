"""What a tick asks of hives is counted by their own logs: one status for each, one call for each seat that changes."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from capacity.testing.clocks import SettableClock
from capacity.testing.servers import HiveServer

from .scene import NOON, Scene, agent, sent, words

SEATS, BALLAST = 41, 3_000_000
FLEETS = ("atoll", "bank", "reef")


def test_a_tick_reads_each_hive_once_and_writes_each_seat_once(tmp_path: Path) -> None:
    """41 seats on three hives whose statuses weigh 3 MB: 20 have to move, by 20 calls, after three looks in all."""
    clock = SettableClock(NOON)
    with ExitStack() as stack:
        hives = {}
        for index, name in enumerate(FLEETS):
            mine = [agent(f"s{seat}", "north" if seat % 2 else "east") for seat in range(SEATS) if seat % 3 == index]
            hives[name] = stack.enter_context(HiveServer(clock, mine))
            hives[name].ballast = BALLAST
        here = Scene(tmp_path, clock, hives, {"settle_s": 30})
        here.use("north", 100)
        report = here.tick()

        assert (20, {"applied"}) == (len(words(report)), set(words(report).values()))
        assert [1, 1, 1] == [hive.times("/api/status") for hive in hives.values()]
        assert [1, 1, 1] == [hive.times("/api/breaker") for hive in hives.values()]
        expected = {f"PUT /api/config/agent/{name}/models" for name in words(report)}
        calls = [call for hive in hives.values() for call in sent(hive)]
        assert (sorted(expected), 20) == (sorted(calls), sum(len(hive.asked) for hive in hives.values()) - 6)

        quiet = here.tick()
        assert ({}, calls) == (words(quiet), [call for hive in hives.values() for call in sent(hive)])
        here.engine.close()
        here.store.close()
