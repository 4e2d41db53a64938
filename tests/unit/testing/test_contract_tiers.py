"""The contract of tier sources holds for a well-behaved one, and finds each way of telling scores wrongly."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
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
    Read,
    Replace,
    Reply,
    Retry,
    Send,
    SourceCard,
    TierSource,
)
from capacity.ports.scores import Board, Excluded, Fields
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
PAGES = {"/scores/1": b'{"scores": {"large-1": 61.5}}', "/scores/2": b'{"scores": {"small-1": 40}}'}


def healthy() -> FakeWorld:
    def web(request: Get | Send) -> Document:
        path = request.url.removeprefix("https://judge.invalid")
        return Document(PAGES[path], NOON, asked=path, status=200)

    return FakeWorld(NOON, environ={"JUDGE_KEY": "hush-hush-hush"}, web=web)


@frozen
class Judge:
    """Asks two pages of scores, and knows nothing where one is no such page."""

    about: SourceCard = CARD
    budget: Budget = BUDGET

    async def rankings(self) -> Rankings:
        board = Board(source="judge", about=self.about, budget=self.budget)
        try:
            secret = await Env("JUDGE_KEY")
        except NotFound:
            now = await Pause(timedelta(0))
            return board.unconfigured(now.at, "JUDGE_KEY", "the judge needs a key")
        replies: list[Reply] = []
        for path in PAGES:
            reply = await Get(f"https://judge.invalid{path}", bearer=secret)
            told = board.tree(reply, path if replies else None)
            if isinstance(told, Rankings) or not Fields(told).inside("scores"):
                return self.refused(board, reply, told)
            replies.append(reply)
        return board.told(replies, [row for reply in replies for row in self.rows(reply.document)])

    def refused(self, board: Board, reply: Reply, told: object) -> Rankings:
        return told if isinstance(told, Rankings) else board.invalid(reply.at, "told no scores")

    def rows(self, doc: Document) -> tuple[RankingRow, ...]:
        scores = doc.json()["scores"].items()
        return tuple(self.row(model, score) for model, score in scores)

    def row(self, model: str, score: float) -> RankingRow:
        day = NOON - timedelta(days=1)
        return RankingRow("loom", model, "trials", score, "percent", measured_at=day, id=model)


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

    async def rankings(self) -> Rankings:
        told = await Judge.rankings(self)
        return evolve(told, rows=told.rows * 2)


class Imagines(Judge):
    """Where nothing was told there is a score all the same."""

    def refused(self, board: Board, reply: Reply, told: object) -> Rankings:
        return board.told([reply], [self.row("large-1", 0.0)])


class Halves(Judge):
    """The first page is enough for it."""

    def refused(self, board: Board, reply: Reply, told: object) -> Rankings:
        return (
            board.told([reply], [self.row("large-1", 61.5)])
            if "/2" in (reply.document.asked or "")
            else Judge.refused(self, board, reply, told)
        )


class Mumbles(Judge):
    """Whatever happened, it was unreachable, and it does not say why."""

    def refused(self, board: Board, reply: Reply, told: object) -> Rankings:
        return Rankings("judge", "unreachable", reply.at)


class Unsigned(Judge):
    """Nobody is thanked, and nothing tells one payload from another."""

    async def rankings(self) -> Rankings:
        return evolve(await Judge.rankings(self), licence=None, attribution=None, digest=None)


class Sweeps(Judge):
    """It leaves out rows without a word."""

    async def rankings(self) -> Rankings:
        return evolve(await Judge.rankings(self), excluded=(Excluded("7", " "),))


class Crowds(Judge):
    """All its rows go by one id."""

    def row(self, model: str, score: float) -> RankingRow:
        return evolve(super().row(model, score), id="row")


class Overflows(Judge):
    """More than all of it."""

    def row(self, model: str, score: float) -> RankingRow:
        return evolve(super().row(model, score), score=130.0)


class Vague(Judge):
    """An error bar nobody can explain."""

    def row(self, model: str, score: float) -> RankingRow:
        return evolve(super().row(model, score), stderr=1.2)


class Gratis(Judge):
    """What has no price costs nothing."""

    def row(self, model: str, score: float) -> RankingRow:
        return evolve(super().row(model, score), cost_usd=Decimal(0), cost_kind="per-task")


class Rummages(Judge):
    """It looks into a file its card does not name."""

    async def rankings(self) -> Rankings:
        try:
            await Read("~/notes")
        except NotFound:
            pass
        return await Judge.rankings(self)


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
                await Get("https://judge.invalid/scores/1", retry=Retry(statuses=frozenset({429})))
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
        (Overflows(), "test_every_score_can_be_judged", {}),
        (Vague(), "test_every_score_can_be_judged", {}),
        (Gratis(), "test_every_score_can_be_judged", {}),
        (Crowds(), "test_every_score_is_found_again", {}),
        (Unsigned(), "test_nothing_it_was_told_is_lost", {}),
        (Sweeps(), "test_nothing_it_was_told_is_lost", {}),
        (Unsigned(), "test_its_scores_carry_their_licence", {}),
        (Halves(), "test_a_missing_part_spoils_the_whole", {}),
        (Mumbles(), "test_a_refusal_is_no_score", {"status": 401}),
        (Mumbles(), "test_a_refusal_for_now_says_until_when", {}),
        (Mumbles(), "test_a_ruined_answer_is_no_score", {"ruin": "html"}),
        (Rummages(), "test_its_card_names_what_it_needs", {}),
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
