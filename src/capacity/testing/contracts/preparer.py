"""What every preparer owes: it loads what it is asked for and nothing else, waits no longer than it must, and never guesses."""

from __future__ import annotations

import inspect

import pytest

from capacity.errors import TimedOut, WireError
from capacity.ports import Flow, Get, Outcome, Preparer, Run, Send, Start
from capacity.testing.contracts._asking import READING, secrets, shown
from capacity.testing.contracts._contract import Contract
from capacity.testing.contracts._ruin import HOPELESS, STRANGE
from capacity.testing.flows import FakeWorld, play
from capacity.values.decision import TOOK

STRANGER = "nobody-has-such-a-model"
"""A model that no world of a contract knows."""


class PreparerContract(Contract):
    """Subclass it and give `construct` and these fixtures.

    * `preparer`: the preparer.
    * `model`: a name it may be asked for.
    * `world`: a `FakeWorld`, with every secret it needs, in which that model is not loaded, and is once it was asked for.
    * `stuck`: likewise, but the model never gets ready.
    """

    def test_it_takes_one_model(self, preparer: Preparer) -> None:
        """Whom the model is for cannot change how it is loaded."""
        assert len(inspect.signature(preparer.prepare).parameters) == 1

    def test_a_model_becomes_ready(self, preparer: Preparer, world: FakeWorld, model: str) -> None:
        """It serves when the request ends."""
        assert play(preparer.prepare(model), world).word == "applied"

    def test_what_is_ready_is_left_alone(self, preparer: Preparer, world: FakeWorld, model: str) -> None:
        """The same request once more changes nothing and says so."""
        play(preparer.prepare(model), world)
        world.asked.clear()

        assert play(preparer.prepare(model), world).word == "unchanged"
        assert [effect for effect in world.asked if not isinstance(effect, READING)] == []

    def test_a_model_nobody_knows_is_rejected(self, preparer: Preparer, world: FakeWorld) -> None:
        """A name that is not there is not taken for one that is, and the reason is told."""
        outcome = play(preparer.prepare(STRANGER), world)

        assert outcome.word == "rejected"
        assert outcome.detail

    def test_it_does_not_wait_for_ever(self, preparer: Preparer, stuck: FakeWorld, model: str) -> None:
        """What is still on its way after a while is said to be, not to serve."""
        assert play(preparer.prepare(model), stuck).word in {"applied-not-running", "unverified"}

    @pytest.mark.parametrize("status", [401, 403, 429, 500, 503])
    def test_a_refusal_loads_nothing(self, preparer: Preparer, world: FakeWorld, model: str, status: int) -> None:
        """Where it is turned away, nothing counts as done."""
        world.serve(b'{"error": {"message": "no"}}', status)

        assert became(preparer.prepare(model), world).word not in TOOK

    @pytest.mark.parametrize("ruin", sorted({**HOPELESS, **STRANGE}))
    def test_a_ruined_answer_loads_nothing(self, preparer: Preparer, world: FakeWorld, model: str, ruin: str) -> None:
        """Whatever is sent instead of an answer, nothing counts as done."""
        world.serve({**HOPELESS, **STRANGE}[ruin])

        assert became(preparer.prepare(model), world).word not in TOOK

    def test_silence_loads_nothing(self, preparer: Preparer, world: FakeWorld, model: str) -> None:
        """Where nobody answers, nothing counts as done."""
        world.web = lambda request: TimedOut(request.url, "no answer")
        world.program = lambda run: TimedOut(run.argv[0], "no end")

        assert became(preparer.prepare(model), world).word not in TOOK

    def test_without_its_secret_it_asks_nobody(self, preparer: Preparer, world: FakeWorld, model: str) -> None:
        """A missing login loads nothing, and nobody is asked without one."""
        play(preparer.prepare(model), world)
        assert secrets(world), "the world holds no secret: nothing can be missing"
        world.asked.clear()
        world.files.clear()
        world.environ.clear()

        assert became(preparer.prepare(model), world).word not in TOOK
        assert [effect for effect in world.asked if isinstance(effect, Get | Send | Run | Start)] == []

    def test_no_secret_is_shown(self, preparer: Preparer, world: FakeWorld, model: str) -> None:
        """Neither the preparer, nor an outcome, nor any effect it awaits shows a secret, in good health or bad."""
        things: list[object] = [preparer, play(preparer.prepare(model), world)]
        world.serve(b"{}", 401)
        things.append(became(preparer.prepare(model), world))

        assert shown(world, *things) == []


def became(flow: Flow[Outcome], world: FakeWorld) -> Outcome:
    """What a flow gives; what its host makes of it where it gives up."""
    try:
        return play(flow, world)
    except (WireError, ValueError, RecursionError):
        return Outcome("indeterminate")
