"""What every prober owes: it asks once, changes nothing, depends on no consumer, and a bad answer is never a figure."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from datetime import datetime, timedelta
from email.utils import format_datetime

import pytest

from capacity.errors import TimedOut, WireError
from capacity.ports import Budget, Get, Prober
from capacity.testing.contracts._asking import LOCAL, READING, played, retried, secrets, shown
from capacity.testing.contracts._contract import Contract
from capacity.testing.contracts._ruin import HOPELESS, STRANGE, zeros
from capacity.testing.flows import FakeWorld, play

NAMED, DAY = timedelta(hours=1), timedelta(days=1)
"""The wait that a refusal names here, and the longest one that anybody is believed."""

WAITS: Mapping[str, str | None] = {
    "nothing": None,
    "nought": "0",
    "the past": "-60",
    "seconds": "3600",
    "a date": None,
    "for ever": "9" * 30,
    "a word": "soon",
}
"""How a refusal says when to come again → its `Retry-After`; that of a date is made from the world's clock."""


class ProberContract(Contract):
    """Subclass it and give `construct` and these fixtures.

    * `prober`: the prober.
    * `world`: a `FakeWorld` in which its source is in good health, with every secret it needs.
    """

    def test_it_takes_no_seat(self, prober: Prober) -> None:
        """Whom the answer is for cannot change it: neither question has an argument."""
        assert [len(inspect.signature(ask).parameters) for ask in (prober.probe, prober.account)] == [0, 0]

    def test_it_declares_a_budget(self, prober: Prober) -> None:
        """How often it may be asked is known before it is asked."""
        assert isinstance(prober.budget, Budget)

    def test_a_source_in_good_health_is_ok(self, prober: Prober, world: FakeWorld) -> None:
        """It gives at least one reading, and all are `ok`."""
        assert {"ok"} == {reading.state for reading in play(prober.probe(), world)}

    def test_probing_changes_nothing(self, prober: Prober, world: FakeWorld) -> None:
        """It sends nothing and writes nothing."""
        play(prober.probe(), world)

        assert [effect for effect in world.asked if not isinstance(effect, READING)] == []

    def test_its_account_is_told_from_local_files(self, prober: Prober, world: FakeWorld) -> None:
        """Which login it is needs no network and no child, is always the same, and is not the secret itself."""
        twice = {play(prober.account(), world) for _ in range(2)}

        assert [effect for effect in world.asked if not isinstance(effect, LOCAL)] == []
        assert len(twice) == 1
        assert set() == twice & secrets(world)

    @pytest.mark.parametrize("told", sorted(WAITS))
    def test_too_many_requests_is_throttled(self, prober: Prober, world: FakeWorld, told: str) -> None:
        """A 429 is told as `throttled`, with no figure, and is not asked again before the time it asks for, however it
        says so; where it says nothing of use, the budget knows. Nobody waits for more than a day.
        """
        dated = {"date": _http_date(world.at), "retry-after": _http_date(world.at + NAMED)}
        headers = dated if told == "a date" else {} if WAITS[told] is None else {"retry-after": str(WAITS[told])}
        world.serve(b'{"error": {"message": "slow down"}}', 429, headers)
        readings = play(prober.probe(), world)
        least = NAMED if told in {"a date", "seconds"} else prober.budget.floor

        assert readings
        assert [("throttled", ())] * len(readings) == [(reading.state, reading.limits) for reading in readings]
        waits = [reading.retry_at - reading.observed_at for reading in readings if reading.retry_at is not None]
        assert [wait for wait in waits if least <= wait <= DAY] == waits
        assert len(waits) == len(readings)
        assert retried(world.asked) == []

    @pytest.mark.parametrize("ruin", sorted({**HOPELESS, **STRANGE}))
    def test_a_ruined_answer_is_no_figure(self, prober: Prober, world: FakeWorld, ruin: str) -> None:
        """Whatever a server sends instead of an answer is never `ok`, and never a zero."""
        world.serve({**HOPELESS, **STRANGE}[ruin])
        readings = played(prober.probe(), world)

        assert "ok" not in {reading.state for reading in readings}
        assert set() == zeros(readings)

    def test_silence_is_no_figure(self, prober: Prober, world: FakeWorld) -> None:
        """Where nobody answers, it gives up or says so; it does not guess."""
        world.web = lambda request: TimedOut(request.url, "no answer")

        assert "ok" not in {reading.state for reading in played(prober.probe(), world)}

    def test_without_its_secret_it_asks_nobody(self, prober: Prober, world: FakeWorld) -> None:
        """A missing login is not taken for an empty pool, and the source is not asked without one."""
        play(prober.probe(), world)
        assert secrets(world), "the world holds no secret: nothing can be missing"
        world.asked.clear()
        world.files.clear()
        world.environ.clear()
        try:
            states = {reading.state for reading in play(prober.probe(), world)}
        except WireError:
            states = {"unreachable"}

        assert states <= {"login-required", "stale-credentials", "unsupported", "unreachable"}
        assert [effect for effect in world.asked if isinstance(effect, Get)] == []

    def test_no_secret_is_shown(self, prober: Prober, world: FakeWorld) -> None:
        """Neither the prober, nor a reading, nor any effect it awaits shows a secret, in good health or bad."""
        things: list[object] = [prober, play(prober.account(), world), play(prober.probe(), world)]
        world.serve(b"{}", 401)
        things.append(played(prober.probe(), world))

        assert shown(world, *things) == []


def _http_date(at: datetime) -> str:
    """An instant as HTTP writes it."""
    return format_datetime(at, usegmt=True)
