"""The engine as an embedder sees it: threads, loops, defaults, and its end."""

from __future__ import annotations

import asyncio
import threading
from datetime import timedelta
from pathlib import Path

import pytest
from attrs import evolve

from capacity.engine import AsyncEngine, Engine
from capacity.engine.claims import holder_name
from capacity.errors import CapacityError, PolicyError, StoreError
from capacity.plugins import Plugins
from capacity.ports import Document
from capacity.store import memory
from capacity.testing.clocks import SettableClock
from capacity.testing.fakes import FakeReader
from capacity.values.policy import Policy

from .scene import MODEL, NOON, Scene, policy, reading


def test_the_store_made_for_it_ends_with_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without a store of the embedder's the usual file is used, and let go of at the end of the block."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with Engine(Policy(), plugins=Plugins()) as engine:
        engine.tick()
        assert (tmp_path / "capacity" / "capacity.db").is_file()

    with pytest.raises(StoreError, match="closed"):
        engine.tick()


def test_a_store_it_was_given_outlives_it() -> None:
    """Whoever made the store ends it."""
    scene = Scene()
    with scene.engine() as engine:
        engine.tick()

    assert engine.ticks() == scene.engine().ticks()


def test_a_policy_that_names_what_is_not_installed_is_refused() -> None:
    """Every name at once, each with what to install."""
    with pytest.raises(PolicyError) as refused:
        Engine(policy(), store=Scene().store, plugins=Plugins())

    assert ["accounts.a.plugin", "accounts.b.plugin", "fleets.f.actuator"] == [one.path for one in refused.value.faults]
    assert "install capacity-fake" in str(refused.value)


def test_threads_share_one_engine() -> None:
    """Sixteen threads tick, look and stop at once: each tick is a decision of its own, and nothing is asked twice."""
    scene = Scene()
    engine = scene.engine()
    threads = [threading.Thread(target=work) for _ in range(4) for work in (engine.tick, engine.snapshot, engine.plan)]
    threads += [threading.Thread(target=engine.stop, args=("pool", "a")) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert 4 == len(set(engine.ticks()))
    assert 2 == scene.probes()


def test_a_loop_uses_it_through_threads() -> None:
    """Every call of the sync engine is there to be awaited, and gives the same."""
    scene = Scene(reader=FakeReader({b"seen": (reading(),)}))

    async def main() -> None:
        pools = {**policy().pools, "a": evolve(policy().pools["a"], prepare=True)}
        async with AsyncEngine(scene.engine(policy(pools=pools))) as engine:
            assert ["a", "b"] == [one.pool for one in await engine.probe()]
            assert ["a"] == [one.pool for one in await engine.observe("a", Document(b"seen", NOON), "x") if one]
            plan, report = await engine.plan(), await engine.tick()
            assert plan.headroom == report.tick.headroom
            (id,) = await engine.ticks()
            assert report.tick == await engine.rebuild(id)
            assert (id, "keep") == ((await engine.snapshot()).tick, (await engine.accept("f", "s1")).act)
            assert "applied" == (await engine.prepare("a", MODEL.format("a"))).word
            assert () == engine.tiers.sources()
            assert (False, True) == ((await engine.stop("pool", "a")).lifted, (await engine.lift("pool", "a")).lifted)

    asyncio.run(main())


def test_the_async_engine_offers_what_the_sync_one_does() -> None:
    """Nothing is missing from the adapter."""
    offered = {name for name in vars(Engine) if not name.startswith("_")}

    assert offered == {name for name in vars(AsyncEngine) if not name.startswith("_")}


def test_it_ticks_inside_a_running_loop() -> None:
    """A sync call from a program that has a loop already does not fail for it."""
    scene = Scene()

    async def main() -> None:
        scene.engine().tick()

    asyncio.run(main())
    assert 2 == scene.probes()


def test_holders_are_told_apart() -> None:
    """Two engines of one process are two holders."""
    assert holder_name() != holder_name()


def test_a_tick_says_what_it_was_made_by() -> None:
    """The library and the plugins, with their versions."""
    made_by = Scene().engine().tick().tick.made_by

    assert "1.2" == made_by["capacity-fake"]
    assert "capacity-core" in made_by


def test_what_one_engine_does_another_sees_at_once() -> None:
    """Two engines on one store keep their folds warm, and neither goes stale."""
    scene = Scene()
    one, other = scene.engine(), scene.engine()
    for _ in range(3):
        scene.clock.advance(timedelta(minutes=20))
        report = one.tick()
        assert report.tick.headroom == other.plan().headroom
        assert (report.tick.decision and report.tick.decision.id) == other.snapshot().tick


def test_a_store_that_tells_another_time_is_refused() -> None:
    """A clock that only half of the engine goes by would make every age wrong."""
    with pytest.raises(CapacityError, match="give the store the same clock"):
        Engine(Policy(), store=memory(), clock=SettableClock(NOON))
