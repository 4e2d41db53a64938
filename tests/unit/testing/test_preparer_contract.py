"""The contract of preparers holds for a well-behaved one, and finds each way of preparing wrongly."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar
from urllib.parse import urlsplit

import pytest
from attrs import define, field, frozen

from capacity.errors import WireError
from capacity.ports import Document, Env, Get, Outcome, Pause, Preparer, Secret, Send
from capacity.ports.secret import reveal
from capacity.testing.contracts import PreparerContract
from capacity.testing.flows import FakeWorld

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
URL = "https://kiln.invalid"


@define
class Kiln:
    """What answers: pots that are cold until they are fired, and hot some looks later.

    Attributes:
        looks: how many; None = never.
        fired: pot → looks so far.
    """

    looks: int | None = 2
    fired: dict[str, int] = field(factory=dict)

    def __call__(self, request: Get | Send) -> Document:
        path = urlsplit(request.url).path
        if isinstance(request, Send):
            self.fired.setdefault(request.body["pot"], 0)
            return Document(b"{}", NOON, asked=path, status=200)
        for pot in self.fired:
            self.fired[pot] += 1
        hot = [pot for pot, looks in self.fired.items() if self.looks is not None and looks > self.looks]
        return Document(json.dumps({"pots": ["bowl", "vase"], "hot": hot}).encode(), NOON, asked=path, status=200)


@frozen
class Fires:
    """A preparer of pots that does everything right; the ways to go wrong are below."""

    async def prepare(self, model: str) -> Outcome:
        secret = await Env("KILN_KEY")
        told = await self.look(secret)
        if told is None:
            return Outcome("rejected", "no list of pots")
        if model not in told["pots"]:
            return self.unknown(model)
        if model in told["hot"]:
            return await self.again(model, secret)
        await Send("POST", url=f"{URL}/fire", body={"pot": model}, bearer=secret)
        return await self.wait(model, secret)

    async def look(self, secret: Secret) -> Any:
        document = (await Get(f"{URL}/pots", bearer=secret)).document
        told = document.json() if document.status == 200 else None
        return told if isinstance(told, dict) and "pots" in told else None

    def unknown(self, model: str) -> Outcome:
        return Outcome("rejected", f"there is no pot {model}")

    async def again(self, model: str, secret: Secret) -> Outcome:
        return Outcome("unchanged")

    async def wait(self, model: str, secret: Secret) -> Outcome:
        for _ in range(20):
            await Pause(timedelta(seconds=1))
            if model in (await self.look(secret))["hot"]:
                return Outcome("applied")
        return Outcome("applied-not-running", "it is still cold")


def kiln(looks: int | None = 2) -> FakeWorld:
    """A world with a kiln."""
    return FakeWorld(NOON, environ={"KILN_KEY": "an-invented-key"}, web=Kiln(looks))


class TestPreparer(PreparerContract):
    construct: ClassVar = "from capacity.ports import Outcome; Outcome('applied')"

    @pytest.fixture
    def preparer(self) -> Preparer:
        return Fires()

    @pytest.fixture
    def world(self) -> FakeWorld:
        return kiln()

    @pytest.fixture
    def stuck(self) -> FakeWorld:
        return kiln(None)

    @pytest.fixture
    def model(self) -> str:
        return "bowl"


# --- the ways to go wrong ---------------------------------------------------------------------


class Seats(Fires):
    """It asks whom the model is for."""

    async def prepare(self, model: str, seat: str = "") -> Outcome:
        return await Fires.prepare(self, model)


class Hurries(Fires):
    """What was asked for is taken for done."""

    async def wait(self, model: str, secret: Secret) -> Outcome:
        return Outcome("applied-not-running")


class Boasts(Fires):
    """What never got ready is said to be."""

    async def wait(self, model: str, secret: Secret) -> Outcome:
        return Outcome("applied", (await Fires.wait(self, model, secret)).detail)


class Waits(Fires):
    """It looks for ever."""

    async def wait(self, model: str, secret: Secret) -> Outcome:
        while model not in (await self.look(secret))["hot"]:
            await Pause(timedelta(seconds=1))
        return Outcome("applied")


class Repeats(Fires):
    """What is hot is fired again."""

    async def again(self, model: str, secret: Secret) -> Outcome:
        await Send("POST", url=f"{URL}/fire", body={"pot": model}, bearer=secret)
        return Outcome("unchanged")


class Shrugs(Fires):
    """Why not is not said."""

    def unknown(self, model: str) -> Outcome:
        return Outcome("rejected")


class Trusts(Fires):
    """Whatever comes back, all is well; without a key it asks all the same."""

    async def prepare(self, model: str) -> Outcome:
        try:
            await Get(f"{URL}/pots", bearer=await self.key())
        except WireError:
            return Outcome("applied")
        return Outcome("applied")

    async def key(self) -> Secret:
        try:
            return await Env("KILN_KEY")
        except WireError:
            return Secret("")


class Leaks(Fires):
    """The key stands in what is said."""

    async def wait(self, model: str, secret: Secret) -> Outcome:
        return Outcome("applied", f"with {reveal(secret)}")


@pytest.mark.parametrize(
    ("preparer", "test", "more"),
    [
        (Seats(), "test_it_takes_one_model", {}),
        (Hurries(), "test_a_model_becomes_ready", {"world": kiln, "model": "bowl"}),
        (Repeats(), "test_what_is_ready_is_left_alone", {"world": kiln, "model": "bowl"}),
        (Trusts(), "test_what_is_ready_is_left_alone", {"world": kiln, "model": "bowl"}),
        (Shrugs(), "test_a_model_nobody_knows_is_rejected", {"world": kiln}),
        (Trusts(), "test_a_model_nobody_knows_is_rejected", {"world": kiln}),
        (Boasts(), "test_it_does_not_wait_for_ever", {"stuck": lambda: kiln(None), "model": "bowl"}),
        (Waits(), "test_it_does_not_wait_for_ever", {"stuck": lambda: kiln(None), "model": "bowl"}),
        (Trusts(), "test_a_refusal_loads_nothing", {"world": kiln, "model": "bowl", "status": 401}),
        (Trusts(), "test_a_ruined_answer_loads_nothing", {"world": kiln, "model": "bowl", "ruin": "empty"}),
        (Trusts(), "test_silence_loads_nothing", {"world": kiln, "model": "bowl"}),
        (Trusts(), "test_without_its_secret_it_asks_nobody", {"world": kiln, "model": "bowl"}),
        (Leaks(), "test_no_secret_is_shown", {"world": kiln, "model": "bowl"}),
    ],
)
def test_a_wrong_preparer_is_found(preparer: Preparer, test: str, more: dict[str, Any]) -> None:
    """Each way of preparing wrongly breaks its test of the contract."""
    given = {name: value() if callable(value) else value for name, value in more.items()}
    with pytest.raises(AssertionError):
        getattr(TestPreparer(), test)(preparer, **given)
