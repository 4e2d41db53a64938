"""The contract of tier sources holds for a well-behaved one, and finds each way of telling scores wrongly."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from attrs import evolve, frozen

from capacity.errors import NotFound
from capacity.ports import (
    Budget,
    Document,
    Env,
    Get,
    Pause,
    RankingRow,
    Rankings,
    Replace,
    Retry,
    Send,
    SourceCard,
    TierSource,
)
from capacity.ports.secret import reveal
from capacity.testing.contracts import TierContract
from capacity.testing.fakes import BUDGET
from capacity.testing.flows import FakeWorld

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
CARD = SourceCard(
    url="https://judge.invalid",
    licence="CC0-1.0",
    attribution="The Judge",
    requires=("JUDGE_KEY",),
    required=True,
)


def healthy() -> FakeWorld:
    def web(request: Get | Send) -> Document:
        return Document(b'{"scores": {"large-1": 61.5, "small-1": 40}}', NOON, asked="/scores", status=200)

    return FakeWorld(NOON, environ={"JUDGE_KEY": "hush-hush-hush"}, web=web)


@frozen
class Judge:
    """Asks one page of scores, and knows nothing where it is no such page."""

    about: SourceCard = CARD
    budget: Budget = BUDGET

    async def rankings(self) -> Rankings:
        try:
            secret = await Env("JUDGE_KEY")
        except NotFound:
            now = await Pause(timedelta(0))
            return Rankings("judge", "unconfigured", now.at)
        reply = await Get("https://judge.invalid/scores", bearer=secret)
        rows = self.rows(reply.document)
        return Rankings("judge", "fresh" if rows else "invalid", reply.at, rows)

    def rows(self, doc: Document) -> tuple[RankingRow, ...]:
        try:
            scores = doc.json()["scores"].items() if doc.status == 200 else ()
        except (ValueError, KeyError, TypeError, AttributeError):
            return ()
        return tuple(self.row(model, score) for model, score in scores)

    def row(self, model: str, score: float) -> RankingRow:
        return RankingRow("loom", model, "trials", score, "percent", measured_at=NOON - timedelta(days=1))


class TestTiers(TierContract):
    construct = "from capacity.ports import SourceCard; SourceCard(url='u', licence='l', attribution='a')"

    @pytest.fixture
    def tiers(self) -> TierSource:
        return Judge()

    @pytest.fixture
    def world(self) -> FakeWorld:
        return healthy()


class Boundless(Judge):
    """A score that is no figure."""

    def row(self, model: str, score: float) -> RankingRow:
        return evolve(super().row(model, score), score=float("inf"))


class Nameless(Judge):
    """Nobody knows in what it was measured."""

    def row(self, model: str, score: float) -> RankingRow:
        return evolve(super().row(model, score), harness=" ")


class Repeats(Judge):
    """Each score twice."""

    def rows(self, doc: Document) -> tuple[RankingRow, ...]:
        return super().rows(doc) * 2


class Imagines(Judge):
    """Where nothing was told there is a score all the same."""

    def rows(self, doc: Document) -> tuple[RankingRow, ...]:
        return super().rows(doc) or (self.row("large-1", 0.0),)


class Foresees(Judge):
    """It knows tomorrow's."""

    async def rankings(self) -> Rankings:
        told = await Judge.rankings(self)
        return evolve(told, as_of=told.as_of + timedelta(days=1))


class Moods(Judge):
    """Each answer is another."""

    times = 0

    def row(self, model: str, score: float) -> RankingRow:
        Moods.times += 1
        return super().row(model, score + Moods.times)


class Hopes(Judge):
    """It looks well whatever happens, and insists."""

    async def rankings(self) -> Rankings:
        for _ in range(2):
            try:
                await Get("https://judge.invalid/scores", retry=Retry(statuses=frozenset({429})))
            except Exception:
                break
        now = await Pause(timedelta(0))
        return Rankings("judge", "fresh", now.at, (self.row("large-1", 1.0),))


class Adopts(Judge):
    """What it measured is written down as what is so."""

    async def rankings(self) -> Rankings:
        await Replace("adopted.toml", b"", None)
        return await Judge.rankings(self)


class Leaks(Judge):
    """The key is told."""

    async def rankings(self) -> Rankings:
        return evolve(await Judge.rankings(self), source=reveal(await Env("JUDGE_KEY")))


class Asks(Judge):
    """The answer depends on who asks."""

    async def rankings(self, seat: str = "ada") -> Rankings:
        return await Judge.rankings(self)


@pytest.mark.parametrize(
    ("tiers", "test", "more"),
    [
        (Boundless(), "test_every_score_can_be_judged", {}),
        (Nameless(), "test_every_score_can_be_judged", {}),
        (Repeats(), "test_every_score_can_be_judged", {}),
        (Foresees(), "test_a_source_in_good_health_tells_scores", {}),
        (Moods(), "test_scores_are_told_alike_twice", {}),
        (Imagines(), "test_a_ruined_answer_is_no_score", {"ruin": "html"}),
        (Hopes(), "test_silence_is_no_score", {}),
        (Hopes(), "test_a_refusal_is_no_score", {"status": 429}),
        (Hopes(), "test_without_what_it_requires_it_asks_nobody", {}),
        (Adopts(), "test_asking_changes_nothing", {}),
        (Leaks(), "test_no_secret_is_shown", {}),
        (Judge(evolve(CARD, requires=())), "test_its_card_names_what_it_needs", {}),
    ],
)
def test_a_wrong_tier_source_is_found(tiers: TierSource, test: str, more: dict[str, Any]) -> None:
    """Each way of telling scores wrongly breaks its test of the contract."""
    with pytest.raises(AssertionError):
        getattr(TestTiers(), test)(tiers, world=healthy(), **more)


@pytest.mark.parametrize(
    ("tiers", "test"),
    [
        (Asks(), "test_it_takes_no_seat"),
        (Judge(budget=None), "test_it_declares_a_budget"),  # type: ignore[arg-type]  # what is wrong with it
        (Judge(evolve(CARD, licence=" ")), "test_its_card_is_filled_in"),
        (Judge(evolve(CARD, requires=())), "test_its_card_is_filled_in"),
    ],
)
def test_a_wrong_card_is_found(tiers: TierSource, test: str) -> None:
    """What has to be known before it is asked is looked for."""
    with pytest.raises(AssertionError):
        getattr(TestTiers(), test)(tiers)
