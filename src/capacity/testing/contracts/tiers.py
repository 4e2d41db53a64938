"""What every tier source owes: scores with their origin and date, a card that tells what it needs, and no score made up."""

from __future__ import annotations

import inspect
from math import isfinite

import pytest

from capacity.errors import TimedOut
from capacity.ports import Budget, Env, Get, RankingRow, Rankings, SourceCard, TierSource
from capacity.testing.contracts._asking import READING, played, retried, shown
from capacity.testing.contracts._contract import Contract
from capacity.testing.contracts._ruin import HOPELESS, STRANGE
from capacity.testing.flows import FakeWorld, play


class TierContract(Contract):
    """Subclass it and give `construct` and these fixtures.

    * `tiers`: the source.
    * `world`: a `FakeWorld` in which it is in good health and knows at least one score.
    """

    def test_it_takes_no_seat(self, tiers: TierSource) -> None:
        """Whom the scores are for cannot change them: the question has no argument."""
        assert len(inspect.signature(tiers.rankings).parameters) == 0

    def test_it_declares_a_budget(self, tiers: TierSource) -> None:
        """How often it may be asked is known before it is asked."""
        assert isinstance(tiers.budget, Budget)

    def test_its_card_is_filled_in(self, tiers: TierSource) -> None:
        """Where its figures come from, under which licence, and whom to thank is known before it is asked."""
        card = tiers.about

        assert isinstance(card, SourceCard)
        assert all(text.strip() for text in (card.url, card.licence, card.attribution))
        assert card.requires or not card.required

    def test_its_card_names_what_it_needs(self, tiers: TierSource, world: FakeWorld) -> None:
        """Every variable it asks for stands on its card, so that a missing one can be named without a call."""
        play(tiers.rankings(), world)
        asked = {effect.name for effect in world.asked if isinstance(effect, Env)}

        assert [name for name in asked if not any(name in need for need in tiers.about.requires)] == []

    def test_a_source_in_good_health_tells_scores(self, tiers: TierSource, world: FakeWorld) -> None:
        """It knows at least one, says who it is, and tells of no day that is still to come."""
        rankings = play(tiers.rankings(), world)

        assert rankings.rows
        assert rankings.source.strip()
        assert rankings.as_of <= world.at

    def test_every_score_can_be_judged(self, tiers: TierSource, world: FakeWorld) -> None:
        """It names harness, model, benchmark and scale, is finite, was not measured in the future, and stands once."""
        rows = play(tiers.rankings(), world).rows

        assert [row for row in rows if not _can_be_judged(row, world)] == []
        assert len(set(rows)) == len(rows)

    def test_scores_are_told_alike_twice(self, tiers: TierSource, world: FakeWorld) -> None:
        """The same answers give the same rows, in the same order."""
        once, again = (play(tiers.rankings(), world) for _ in range(2))

        assert once == again

    def test_asking_changes_nothing(self, tiers: TierSource, world: FakeWorld) -> None:
        """It sends nothing and writes nothing: what it knows is a proposal, and nobody's tiers change by it."""
        play(tiers.rankings(), world)

        assert [effect for effect in world.asked if not isinstance(effect, READING)] == []

    @pytest.mark.parametrize("status", [401, 403, 429, 500, 503])
    def test_a_refusal_is_no_score(self, tiers: TierSource, world: FakeWorld, status: int) -> None:
        """Where it is refused it knows nothing new, does not look as in good health, and does not insist."""
        well = play(tiers.rankings(), world).status
        world.asked.clear()
        world.serve(b'{"error": {"message": "no"}}', status)

        assert _knows_nothing(played(tiers.rankings(), world), well)
        assert retried(world.asked) == []

    @pytest.mark.parametrize("ruin", sorted({**HOPELESS, **STRANGE}))
    def test_a_ruined_answer_is_no_score(self, tiers: TierSource, world: FakeWorld, ruin: str) -> None:
        """Whatever a server sends instead of scores is none, and does not look as in good health."""
        well = play(tiers.rankings(), world).status
        world.serve({**HOPELESS, **STRANGE}[ruin])

        assert _knows_nothing(played(tiers.rankings(), world), well)

    def test_silence_is_no_score(self, tiers: TierSource, world: FakeWorld) -> None:
        """Where nobody answers, nothing is known."""
        well = play(tiers.rankings(), world).status
        world.web = lambda request: TimedOut(request.url, "no answer")

        assert _knows_nothing(played(tiers.rankings(), world), well)

    def test_without_what_it_requires_it_asks_nobody(self, tiers: TierSource, world: FakeWorld) -> None:
        """A source that is useless without a key or a file does not ask without it."""
        world.files.clear()
        world.environ.clear()
        rankings = played(tiers.rankings(), world)

        if tiers.about.required:
            assert not rankings or rankings.rows == ()
            assert [effect for effect in world.asked if isinstance(effect, Get)] == []

    def test_no_secret_is_shown(self, tiers: TierSource, world: FakeWorld) -> None:
        """Neither the source, nor its scores, nor any effect it awaits shows a secret, in good health or bad."""
        things: list[object] = [tiers, play(tiers.rankings(), world)]
        world.serve(b"{}", 401)
        things.append(played(tiers.rankings(), world))

        assert shown(world, *things) == []


def _can_be_judged(row: RankingRow, world: FakeWorld) -> bool:
    named = all(text is None or text.strip() for text in (row.harness, row.model_raw, row.benchmark, row.scale))
    return named and isfinite(row.score) and (row.measured_at is None or row.measured_at <= world.at)


def _knows_nothing(told: Rankings | tuple[()], well: str) -> bool:
    """Whether nothing is told, either by giving up or by saying so."""
    return not isinstance(told, Rankings) or (not told.rows and told.status != well)
