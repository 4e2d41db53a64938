"""The contract of failures holds for a well-behaved reader, and finds each way of charging a refusal wrongly."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from attrs import evolve

from capacity.ports import Document, Fact, Failure, Reader
from capacity.testing.contracts import FailureContract

from .sundial import SundialReader

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
CLOUDED = b'{"refused": {"why": "clouded", "ends_at": "2026-03-01T15:00:00Z", "message": "It is cloudy. Key: mine"}}'
REFUSALS = [Document(CLOUDED, NOON, asked="/hours", status=429), Document(CLOUDED, NOON)]


class Dial(SundialReader):
    """It says of one refusal what it blames."""

    def failure(self, doc: Document) -> Failure | None:
        told = self.body(doc).get("refused")
        if not isinstance(told, dict) or told.get("why") != "clouded":
            return None
        return self.clouded(told, doc)

    def clouded(self, told: dict[str, Any], doc: Document) -> Failure:
        ends_at = self.instant(told.get("ends_at"))
        known = ends_at if ends_at is not None and doc.at < ends_at < doc.at + timedelta(days=31) else None
        return Failure.of("quota", reset_at=known, facts=(Fact("sundial:clouded"),))

    def instant(self, told: object) -> datetime | None:
        try:
            at = datetime.fromisoformat(told) if isinstance(told, str) else None
        except ValueError:
            return None
        return None if at is None or at.tzinfo is None else at


class TestDial(FailureContract):
    construct = "from capacity.ports import Failure; Failure.of('quota')"

    @pytest.fixture
    def reader(self) -> Reader:
        return Dial()

    @pytest.fixture
    def refusals(self) -> Sequence[Document]:
        return REFUSALS


class Silent(Dial):
    """It knows no refusal."""

    def failure(self, doc: Document) -> Failure | None:
        return None


class Counts(Dial):
    """Each refusal is kept away from for longer than the last."""

    seen = 0

    def clouded(self, told: dict[str, Any], doc: Document) -> Failure:
        self.seen += 1
        return evolve(super().clouded(told, doc), hold=timedelta(minutes=self.seen))


class Takes(Dial):
    """The error of a turn is the quota."""

    def readings(self, doc: Document) -> Any:
        return super().readings(evolve(doc, asked="/usage", status=200))


class Indicts(Dial):
    """One refusal is evidence against the whole provider."""

    def clouded(self, told: dict[str, Any], doc: Document) -> Failure:
        return evolve(super().clouded(told, doc), indicts=True)


class Remembers(Dial):
    """What has passed is still to come."""

    def clouded(self, told: dict[str, Any], doc: Document) -> Failure:
        return evolve(super().clouded(told, doc), reset_at=NOON - timedelta(hours=1))


class Promises(Dial):
    """A guess is told as a promise."""

    def clouded(self, told: dict[str, Any], doc: Document) -> Failure:
        return evolve(super().clouded(told, doc), reset_at=None)


class Hurries(Dial):
    """A wait of nothing."""

    def clouded(self, told: dict[str, Any], doc: Document) -> Failure:
        return evolve(super().clouded(told, doc), hold=timedelta(0))


class Anonymous(Dial):
    """Nobody's fact."""

    def clouded(self, told: dict[str, Any], doc: Document) -> Failure:
        return evolve(super().clouded(told, doc), facts=(Fact("clouded"),))


class Trusts(Dial):
    """What is there is what it was."""

    def failure(self, doc: Document) -> Failure | None:
        return self.clouded(doc.json()["refused"], doc)


class Believes(Dial):
    """An instant is one in whichever form it comes."""

    def instant(self, told: object) -> datetime | None:
        return datetime.fromisoformat(str(told))


class Quotes(Dial):
    """The message is a fact."""

    def clouded(self, told: dict[str, Any], doc: Document) -> Failure:
        return evolve(super().clouded(told, doc), facts=(Fact("sundial:said", str(told.get("message"))),))


@pytest.mark.parametrize(
    ("reader", "test", "more"),
    [
        (Silent(), "test_refusals_are_failures", {}),
        (Counts(), "test_refusals_are_failures", {}),
        (Takes(), "test_refusals_are_no_readings", {}),
        (Indicts(), "test_failures_are_sound", {}),
        (Remembers(), "test_failures_are_sound", {}),
        (Promises(), "test_failures_are_sound", {}),
        (Hurries(), "test_failures_are_sound", {}),
        (Anonymous(), "test_failures_are_sound", {}),
        (Trusts(), "test_ruined_refusals_break_nothing", {"ruin": "empty"}),
        (Trusts(), "test_ruined_refusals_break_nothing", {"ruin": "table"}),
        (Trusts(), "test_torn_refusals_break_nothing", {}),
        (Believes(), "test_drifted_refusals_are_sound", {}),
        (Quotes(), "test_a_failure_holds_nothing_secret", {}),
    ],
)
def test_a_wrong_reader_is_found(reader: Reader, test: str, more: dict[str, Any]) -> None:
    """Each way of charging wrongly breaks its test of the contract, by its figures or by an error that escapes."""
    with pytest.raises((AssertionError, ValueError, KeyError, TypeError)):
        for seed in range(20 if "drifted" in test else 1):  # one drawing may miss the one member it is wrong about
            random.seed(seed)
            getattr(TestDial(), test)(reader, REFUSALS, **more)


def test_no_refusal_is_no_contract() -> None:
    """A contract that holds nothing holds nobody."""
    with pytest.raises(AssertionError):
        TestDial().test_refusals_are_failures(Dial(), [])


def test_a_secret_in_a_line_is_looked_for() -> None:
    """Refusals that are bare texts are held to it line by line."""

    class Repeats(Dial):
        def failure(self, doc: Document) -> Failure | None:
            return Failure.of("quota", facts=(Fact("sundial:said", doc.text),))

    with pytest.raises(AssertionError):
        TestDial().test_a_failure_holds_nothing_secret(Repeats(), [Document(b"It is cloudy.\nCome again.", NOON)])
