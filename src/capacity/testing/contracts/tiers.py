"""What every tier source owes: scores with their origin and date, a card that tells what it needs, and no score made up.

A source that did not answer says which of the closed list of states it is in and why, and tells no rows. What was good
before is kept by whoever asked, never by the source.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from math import inf, isfinite

import pytest

from capacity.codec.scores import SPANS
from capacity.errors import TimedOut
from capacity.ports import (
    Budget,
    Document,
    Env,
    Get,
    RankingRow,
    Rankings,
    Read,
    Send,
    SourceCard,
    SourceStatus,
    TierSource,
)
from capacity.testing.contracts._asking import READING, played, retried, shown
from capacity.testing.contracts._contract import Contract
from capacity.testing.contracts._ruin import HOPELESS, STRANGE
from capacity.testing.flows import FakeWorld, play
from capacity.values.rankings import ANSWERED

REFUSED: Mapping[int, SourceStatus] = {
    **dict.fromkeys((500, 503, 410), "unreachable"),
    401: "unauthorised",
    403: "forbidden-tier",
    429: "rate-limited",
}
RUINED: Mapping[str, bytes] = {
    **HOPELESS,
    **STRANGE,
    "an error with a good status": b'{"error": {"code": 429, "message": "Rate limit exceeded"}}',
    "lists of nothing": b'{"data": [], "rows": [], "models": {}, "tree": [], "scores": []}',
}


class TierContract(Contract):
    """Subclass it and give `construct` and these fixtures.

    * `tiers`: the source.
    * `world`: a `FakeWorld` in which it is in good health and knows at least one score.

    What it reads is ruined and taken away where it lies: at its server, and in the files that are not its secrets.
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
        """Every variable and file it asks for stands on its card, so that a missing one can be named without a call."""
        play(tiers.rankings(), world)
        variables = {effect.name for effect in world.asked if isinstance(effect, Env)}
        files = {effect.path for effect in world.asked if isinstance(effect, Read)}

        assert [name for name in variables | files if not any(name in need for need in tiers.about.requires)] == []

    def test_a_source_in_good_health_tells_scores(self, tiers: TierSource, world: FakeWorld) -> None:
        """It knows at least one, or is a catalogue, says who it is, and tells of no day that is still to come."""
        rankings = play(tiers.rankings(), world)

        assert rankings.rows or rankings.known
        assert rankings.source.strip()
        assert rankings.status in ANSWERED
        assert rankings.as_of <= world.at

    def test_every_score_can_be_judged(self, tiers: TierSource, world: FakeWorld) -> None:
        """It names what was measured and in which scale, lies within that, was not measured in the future, stands once."""
        rows = play(tiers.rankings(), world).rows

        assert [row for row in rows if not _can_be_judged(row, world)] == []
        assert len(set(rows)) == len(rows)

    def test_every_score_is_found_again(self, tiers: TierSource, world: FakeWorld) -> None:
        """An id is one row's alone."""
        ids = [row.id for row in play(tiers.rankings(), world).rows if row.id is not None]

        assert len(set(ids)) == len(ids)

    def test_nothing_it_was_told_is_lost(self, tiers: TierSource, world: FakeWorld) -> None:
        """Where it counts, what it left out is counted too, each with a word for why; and the payload has a digest."""
        rankings = play(tiers.rankings(), world)
        known = len(rankings.rows) + len(rankings.excluded) + rankings.failed

        assert rankings.told is None or rankings.told >= known
        assert [row for row in rankings.excluded if not (row.row.strip() and row.why.strip())] == []
        assert rankings.digest

    def test_its_scores_carry_their_licence(self, tiers: TierSource, world: FakeWorld) -> None:
        """Whoever is handed the scores has the licence and the thanks without the card."""
        rankings = play(tiers.rankings(), world)

        assert all(text and text.strip() for text in (rankings.licence, rankings.attribution))

    def test_scores_are_told_alike_twice(self, tiers: TierSource, world: FakeWorld) -> None:
        """The same answers give the same rows, in the same order."""
        once, again = (play(tiers.rankings(), world) for _ in range(2))

        assert once == again

    def test_asking_changes_nothing(self, tiers: TierSource, world: FakeWorld) -> None:
        """It sends nothing and writes nothing: what it knows is a proposal, and nobody's tiers change by it."""
        play(tiers.rankings(), world)

        assert [effect for effect in world.asked if not isinstance(effect, READING)] == []

    @pytest.mark.parametrize("status", sorted(REFUSED))
    def test_a_refusal_is_no_score(self, tiers: TierSource, world: FakeWorld, status: int) -> None:
        """Where it is refused it tells nothing, says which refusal it was, and does not insist."""
        world.serve(b'{"error": {"message": "no"}}', status)

        assert _tells_nothing(played(tiers.rankings(), world), REFUSED[status])
        assert retried(world.asked) == []

    def test_a_refusal_for_now_says_until_when(self, tiers: TierSource, world: FakeWorld) -> None:
        """Asked too often, it says when it may be asked again."""
        world.serve(b"{}", 429, {"retry-after": "7200"})
        told = play(tiers.rankings(), world)

        assert told.retry_at is not None
        assert told.retry_at > told.as_of

    @pytest.mark.parametrize("ruin", sorted(RUINED))
    def test_a_ruined_answer_is_no_score(self, tiers: TierSource, world: FakeWorld, ruin: str) -> None:
        """Whatever comes instead of scores is none, and does not look as in good health."""
        play(tiers.rankings(), world)
        _everywhere(world, RUINED[ruin])

        assert _tells_nothing(played(tiers.rankings(), world))

    def test_a_missing_part_spoils_the_whole(self, tiers: TierSource, world: FakeWorld) -> None:
        """Whichever of its questions is answered with nothing there, the rest is not taken for all there is."""
        play(tiers.rankings(), world)
        questions = sum(isinstance(effect, Get) for effect in world.asked)
        whole = world.web

        for place in range(questions if whole else 0):
            world.web = _without(whole, place) if whole else None
            assert _tells_nothing(played(tiers.rankings(), world)), f"question {place + 1} of {questions}"

    def test_silence_is_no_score(self, tiers: TierSource, world: FakeWorld) -> None:
        """Where nobody answers, nothing is known."""
        play(tiers.rankings(), world)
        _everywhere(world, None)

        assert _tells_nothing(played(tiers.rankings(), world))

    def test_without_what_it_requires_it_asks_nobody(self, tiers: TierSource, world: FakeWorld) -> None:
        """A source that is useless without a key or a file names what is missing, and does not ask without it."""
        world.files.clear()
        world.environ.clear()
        rankings = played(tiers.rankings(), world)

        if tiers.about.required:
            assert _tells_nothing(rankings, "unconfigured")
            assert rankings.missing
            assert [need for need in rankings.missing if need not in tiers.about.requires] == []
            assert [effect for effect in world.asked if isinstance(effect, Get)] == []

    def test_no_secret_is_shown(self, tiers: TierSource, world: FakeWorld) -> None:
        """Neither the source, nor its scores, nor any effect it awaits shows a secret, in good health or bad."""
        things: list[object] = [tiers, play(tiers.rankings(), world)]
        world.serve(b"{}", 401)
        things.append(played(tiers.rankings(), world))

        assert shown(world, *things) == []


def _can_be_judged(row: RankingRow, world: FakeWorld) -> bool:
    named = all(text is None or text.strip() for text in (row.harness, row.model_raw, row.benchmark, row.effort))
    low, high = SPANS.get(row.scale, (inf, -inf))
    fits = isfinite(row.score) and low <= row.score <= high
    past = row.measured_at is None or row.measured_at <= world.at
    explained = row.stderr is None or (isfinite(row.stderr) and row.stderr >= 0 and row.stderr_kind is not None)
    paid = row.cost_usd is None or (row.cost_usd > 0 and row.cost_kind is not None)
    return named and fits and past and explained and paid


def _tells_nothing(told: Rankings | tuple[()], status: SourceStatus | None = None) -> bool:
    """Whether nothing is told: by giving up, which is for the host to call unreachable, or by saying so, and why."""
    if not isinstance(told, Rankings):
        return status in (None, "unreachable")
    right = told.status not in ANSWERED if status is None else told.status == status
    return right and not told.rows and bool(told.detail)


def _without(whole: Callable[[Get | Send], Document | Exception], place: int) -> Callable[[Get | Send], Document]:
    """A server at which nothing is to be found for the question in that place."""
    asked: list[str] = []

    def web(request: Get | Send) -> Document:
        asked.append(request.url)
        answer = whole(request)
        if not isinstance(answer, Document):
            raise answer
        return answer if len(asked) != place + 1 else Document(b"404: Not Found", answer.at, answer.asked, status=404)

    return web


def _everywhere(world: FakeWorld, body: bytes | None) -> None:
    """Give this for an answer wherever the source got one: from its server, and from its files but the secret ones."""
    for path in {effect.path for effect in world.asked if isinstance(effect, Read) and not effect.secret}:
        world.files.pop(path, None)
        if body is not None:
            world.files[path] = body
    if body is not None:
        world.serve(body)
    else:
        world.web = lambda request: TimedOut(request.url, "no answer")
