"""What a page shows is what was published, decided and held."""

from __future__ import annotations

from datetime import timedelta

from capacity.testing.fakes import FakeProber

from .scene import NOON, Scene, reading


def test_before_anything_happened() -> None:
    """Every pool of the policy is there, and nothing is known of any; nobody is asked."""
    scene = Scene()
    shown = scene.engine().snapshot()

    assert (NOON, None, ["a", "b"]) == (shown.as_of, shown.tick, [pool.pool for pool in shown.pools])
    assert ((), (), (), ()) == (shown.models, shown.placements, shown.conditions, shown.circuits)
    assert 0 == scene.probes()


def test_after_a_tick_and_a_stop() -> None:
    """Another process shows the last decision's acts, what stands and what is stopped."""
    scene = Scene(probers={"a": FakeProber((reading(99.0),), login="a")})
    engine = scene.engine()
    report = engine.tick()
    stop = engine.stop("pool", "b", "maintenance")
    scene.clock.advance(timedelta(minutes=1))
    shown = scene.engine().snapshot()

    assert report.tick.decision is not None
    assert (report.tick.decision.id, report.tick.decision.placements) == (shown.tick, shown.placements)
    assert ["core:pool-exhausted"] == [condition.fact.code for condition in shown.conditions]
    assert [(stop.name, stop.at)] == [(circuit.name, circuit.opened_at) for circuit in shown.circuits]
    assert ["exhausted", "learning"] == [pool.pace for pool in shown.pools]
    assert ["a", "b"] == [shelf.pool for shelf in shown.models]
