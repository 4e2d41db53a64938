"""A model is made ready by whom the policy says, one at a time for each pool, and never unasked."""

from __future__ import annotations

import sys
from threading import Thread
from typing import Any

import pytest
from attrs import define, evolve, field

from capacity.codec import loads
from capacity.engine import Engine, Settings
from capacity.engine.documents import Prepared
from capacity.errors import NoSuch, PolicyError, Refused, TimedOut
from capacity.ports import Candidate, Outcome, Pause
from capacity.testing.fakes import FakeActuator, FakeInventory, FakePreparer
from capacity.values.policy import Policy

from .scene import HOUR, MODEL, NOON, Scene, listing, policy, seat

A = MODEL.format("a")
PRINTS = "import sys; print(*sys.argv[1:], file=open({!r}, 'w')); print('x\\nno room', file=sys.stderr); sys.exit({})"


def saying(prepare: tuple[str, ...] | bool, mode: str = "enforce", **parts: Any) -> Policy:
    """A policy that says of the pool `a` how its models are loaded."""
    pools = policy().pools
    return policy(mode, pools={**pools, "a": evolve(pools["a"], prepare=prepare)}, **parts)


def notes(scene: Scene) -> list[Prepared]:
    """What was noted, in order."""
    return [loads(Prepared, record.body) for record in scene.store.read("preparations")]


# --- by whom ----------------------------------------------------------------------------------


def test_true_is_the_backends_own_plugin() -> None:
    """It is given the model's id, and what became of it is what it says."""
    scene = Scene(preparer=FakePreparer(Outcome("applied-not-running", "half way")))
    outcome = scene.engine(saying(True)).prepare("a", A)

    assert Outcome("applied-not-running", "half way", NOON) == outcome
    assert scene.preparer is not None
    assert ([A], []) == (scene.preparer.prepared, scene.fleet.prepared)


@pytest.mark.parametrize(("code", "word"), [(0, "applied"), (3, "rejected")])
def test_words_are_the_operators_program(code: int, word: str, tmp_path: Any) -> None:
    """It goes before any plugin; the model stands where the braces are, one word whatever is in it; 0 is done."""
    scene = Scene(preparer=FakePreparer(), inventories={"a": FakeInventory((listing("a", "b c;d"),))})
    said = tmp_path / "said"
    words = (sys.executable, "-c", PRINTS.format(str(said), code), "--model={model}", "{model}")
    engine = scene.engine(saying(words))
    engine.probe()
    outcome = engine.prepare("a", "b c;d")

    assert word == outcome.word
    assert "--model=b c;d b c;d\n" == said.read_text()
    assert scene.preparer is not None
    assert [] == scene.preparer.prepared
    assert code == 0 or outcome.detail.endswith("ended with exit code 3: no room")


def test_a_program_that_is_not_there_never_began() -> None:
    """So it is a refusal, and not something nobody knows."""
    outcome = Scene().engine(saying(("/no/such/program",))).prepare("a", A)

    assert "rejected" == outcome.word
    assert "/no/such/program" in outcome.detail


def test_a_program_that_does_not_end_is_stopped() -> None:
    """Half the life of the claim is what it gets; what it did is not known."""
    settings = Settings(prepare_life=HOUR / 3600 * 2)
    words = (sys.executable, "-c", "import time; time.sleep(60)")

    assert "indeterminate" == Scene().engine(saying(words), settings=settings).prepare("a", A).word


def test_a_fleet_loads_where_no_plugin_does() -> None:
    """It is given a whole candidate, in the first harness that may draw on the pool."""
    scene = Scene()

    assert "applied" == scene.engine(saying(True)).prepare("a", A).word
    assert [Candidate("h", "a", A)] == scene.fleet.prepared


@pytest.mark.parametrize(
    ("prepare", "mode", "abilities", "said"),
    [
        ((), "enforce", ("prepare",), "accounts.a.prepare: nothing says how a model of a is loaded"),
        (True, "shadow", ("prepare",), 'accounts.a.prepare: neither "fake" nor the actuator of a fleet'),
        (True, "enforce", ("move",), 'accounts.a.prepare: neither "fake" nor the actuator of a fleet'),
    ],
)
def test_where_nobody_loads_that_is_said(prepare: tuple[str, ...] | bool, mode: str, abilities: Any, said: str) -> None:
    """A fleet in shadow is not written to for this either, and nobody is asked for what they cannot do."""
    scene = Scene(fleet=FakeActuator(fleet="f", seats=[seat("s1")], abilities=abilities))
    with pytest.raises(PolicyError, match=said):
        scene.engine(saying(prepare, mode)).prepare("a", A)
    assert ([], []) == (scene.fleet.prepared, notes(scene))


# --- what is asked for ------------------------------------------------------------------------


def test_a_pool_nobody_has_is_refused() -> None:
    """The nearest one is named."""
    with pytest.raises(PolicyError, match='no "c" is there'):
        Scene().engine(saying(True)).prepare("c", A)


def test_a_model_nobody_lists_is_refused_where_a_list_may_say_so() -> None:
    """Before there is any listing the name is passed on; afterwards it is held against it."""
    scene = Scene(preparer=FakePreparer())
    engine = scene.engine(saying(True))
    assert "applied" == engine.prepare("a", "model-of-z").word
    engine.probe()
    with pytest.raises(NoSuch, match=f'a lists no model "model-of-z" \\(did you mean "{A}"'):
        engine.prepare("a", "model-of-z")
    assert scene.preparer is not None
    assert ["model-of-z"] == scene.preparer.prepared


def test_a_name_becomes_the_id() -> None:
    """Any name the listing knows will do, if only one model answers to it."""
    twins = [evolve(model, names={"twin", model.id}) for model in listing("a", "other").models]
    short = evolve(twins[0], names={"short", "twin", A})
    scene = Scene(
        preparer=FakePreparer(),
        inventories={"a": FakeInventory((evolve(listing("a"), models=(short, twins[1])),))},
    )
    engine = scene.engine(saying(True))
    engine.probe()

    assert "applied" == engine.prepare("a", "SHORT").word
    assert scene.preparer is not None
    assert [A] == scene.preparer.prepared
    with pytest.raises(NoSuch, match="'twin' names several models of a; say which: model-of-a, other"):
        engine.prepare("a", "twin")


# --- what becomes of it -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "word", "said"),
    [
        (Refused("/models", "nobody listens"), "rejected", "nobody listens"),
        (TimedOut("/models/load", "10 s"), "indeterminate", "10 s"),
        (ZeroDivisionError("by hand"), "indeterminate", "its plugin failed: ZeroDivisionError: by hand"),
    ],
)
def test_what_goes_wrong_is_an_outcome(fault: Exception, word: str, said: str) -> None:
    """Whoever asked is told; what was never begun is known not to have been."""
    scene = Scene(preparer=FakePreparer(fault))
    outcome = scene.engine(saying(True)).prepare("a", A)

    assert word == outcome.word
    assert said in outcome.detail
    assert outcome == notes(scene)[-1].outcome


def test_it_is_noted_before_it_begins_and_after() -> None:
    """Whoever looks later sees what was asked for, of whom, and what became of it."""
    scene = Scene(preparer=FakePreparer())
    outcome = scene.engine(saying(True)).prepare("a", A)

    assert [Prepared("a", A, "plugin", NOON), Prepared("a", A, "plugin", NOON, outcome)] == notes(scene)


@define
class Slow:
    """A preparer that does something else while it is at work."""

    meanwhile: Any
    seen: list[Any] = field(factory=list)

    async def prepare(self, model: str) -> Outcome:
        self.seen.append(self.meanwhile())
        pulse = await Pause(HOUR * 0)
        return Outcome("applied", at=pulse.at)


def test_two_do_not_load_at_once() -> None:
    """A second request for the pool is a conflict that starts nothing, from another engine or a thread of this one."""
    scene = Scene()
    first: Engine = scene.engine(saying(True))
    slow = Slow(lambda: [engine.prepare("a", A).word for engine in (first, scene.engine(saying(True)))])
    scene.preparer = slow  # type: ignore[assignment]  # a preparer of another make
    first = scene.engine(saying(True))

    assert "applied" == first.prepare("a", A).word
    assert [["conflict", "conflict"]] == slow.seen
    assert 2 == len(notes(scene))


def test_a_tick_goes_on_meanwhile() -> None:
    """Loading takes minutes; another thread of the same engine decides and does not wait for it."""
    scene = Scene()

    def ticking() -> int:
        thread = Thread(target=lambda: ticks.append(engine.tick()))
        thread.start()
        thread.join(30)
        return len(ticks)

    ticks: list[Any] = []
    slow = Slow(ticking)
    scene.preparer = slow  # type: ignore[assignment]  # a preparer of another make
    engine = scene.engine(saying(True))

    assert "applied" == engine.prepare("a", A).word
    assert [1] == slow.seen


def test_nothing_else_prepares() -> None:
    """Neither probe, plan, tick nor snapshot, whatever waits."""
    scene = Scene(preparer=FakePreparer())
    loadable = evolve(listing("a"), models=tuple(evolve(one, residency="loadable") for one in listing("a").models))
    scene.inventories["a"] = FakeInventory((loadable,))
    engine = scene.engine(saying(True))
    for call in (engine.probe, engine.plan, engine.tick, engine.snapshot):
        call()

    assert scene.preparer is not None
    assert ([], [], []) == (scene.preparer.prepared, scene.fleet.prepared, notes(scene))
