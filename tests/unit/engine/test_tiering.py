"""Tiers from evidence, through the engine: asked within budgets, proposed once, adopted by compare-and-set, and undone."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from attrs import define, evolve, field

from capacity import Policy, codec
from capacity.engine import Engine, adopting
from capacity.engine.settings import Settings
from capacity.errors import NoSuch, PolicyError, StaleBase, TimedOut
from capacity.plugins import TIERS, Plugin, Plugins
from capacity.ports import RankingRow, Rankings, Replaced
from capacity.store import memory
from capacity.testing.fakes import BUDGET, Crash, FakeTierSource
from capacity.values.methods import Method, TierSourcePolicy
from capacity.values.tiers import TierRow, TierSet

from .scene import HOUR, NOON, Scene, listing, policy

DAY = timedelta(days=1)
FILE = "adopted.toml"


def row(model: str, score: float, id: str | None = None, **parts: Any) -> RankingRow:
    """A score of a model in the scene's harness, run by the benchmark's owner a day ago."""
    made = RankingRow(
        "h", model, "bench", score, "percent", benchmark_version="1", n=400, id=id or model,
        measured_at=NOON - DAY, provenance="benchmark-owner",
    )  # fmt: skip  # one row
    return evolve(made, **parts)


SCORES = {"model-of-a": 80.0, "model-of-b": 79.0, "good-1": 81.0, "fair-1": 50.0, "fair-2": 51.0, "fair-3": 49.0}


def board(scores: dict[str, float] | None = None, **parts: Any) -> Rankings:
    """What a source in good health tells."""
    rows = tuple(row(model, score) for model, score in (SCORES if scores is None else scores).items())
    return evolve(Rankings("fake", "fresh", NOON, rows), **parts)


@define
class Ladder:
    """A scene with two tier sources, a ladder of two tiers and a tier file.

    Attributes:
        folder: where the file is.
        scene: everything else.
        sources: name → what answers for it.
    """

    folder: Path
    scene: Scene = field(factory=Scene)
    sources: dict[str, FakeTierSource] = field(factory=lambda: {"board": FakeTierSource(board())})
    adoption: str = "offer"
    method: Method = field(factory=Method)
    required: bool = False

    def __attrs_post_init__(self) -> None:
        self.scene.inventories["a"].script.say((listing("a", *SCORES),))
        self.write(TierSet((TierRow("top", "h", "model-of-a"), TierRow("top", "h", "model-of-b"))))

    @property
    def path(self) -> Path:
        """The tier file."""
        return self.folder / FILE

    def write(self, tiers: TierSet) -> None:
        """Adopt by hand."""
        self.path.write_text(codec.tier_set_text(tiers), encoding="utf-8")

    def rules(self) -> Policy:
        """The policy, with the rows of the file."""
        file = codec.load_tier_set(self.path)
        tiers = evolve(
            policy().tiers, names=("top", "low"), rows=file.rows, stale_at=file.stale_at, file=FILE, adoption=self.adoption,
            method=self.method, sources={name: TierSourcePolicy(name, required=self.required) for name in self.sources},
        )  # fmt: skip  # what the policy says of tiers
        return policy(tiers=tiers)

    def plugins(self) -> Plugins:
        """The scene's, and one for each source."""

        def of(name: str) -> Any:
            return lambda: self.sources[name]

        mine = [Plugin(TIERS, name, f"capacity-{name}", "1.0", of(name)) for name in self.sources]
        return Plugins([*self.scene.plugins(), *mine])

    def engine(self) -> Engine:
        """An engine by the policy as it is now."""
        scene = self.scene
        return Engine(
            self.rules(), store=scene.store, plugins=self.plugins(), clock=scene.clock, actuators={"f": scene.fleet},
            settings=Settings(), folder=self.folder,
        )  # fmt: skip  # everything it is made of


@pytest.fixture
def ladder(tmp_path: Path) -> Ladder:
    return Ladder(tmp_path)


def stands(engine: Engine) -> dict[str, str]:
    """Code of each condition about tiers that stands → its subject."""
    codes = ("tiers-stale", "source-failing", "source-ending", "proposal-waiting", "plugin-failing")
    found = {one.fact.code.removeprefix("core:"): one.fact.subject for one in engine.snapshot().conditions}
    return {code: subject for code, subject in found.items() if code in codes}


def refreshed(ladder: Ladder) -> Engine:
    """An engine whose sources were asked."""
    engine = ladder.engine()
    engine.tiers.refresh()
    return engine


def proposed(ladder: Ladder) -> Engine:
    """An engine whose sources were asked and whose proposal waits."""
    engine = ladder.engine()
    engine.probe()
    engine.tiers.refresh()
    assert "opened" == engine.tiers.propose().outcome
    return engine


# --- asking ---------------------------------------------------------------------------------------


def test_a_source_is_asked_within_its_budget_and_no_sooner_than_its_floor(ladder: Ladder) -> None:
    """A tick asks by the usual interval, a person by the floor; neither asks twice in between."""
    source, engine = ladder.sources["board"], ladder.engine()
    engine.tick()
    assert 1 == source.script.told
    assert [False] == [one.asked for one in engine.tiers.refresh()]
    ladder.scene.clock.advance(BUDGET.floor)
    engine.tick()
    assert 1 == source.script.told
    assert [True] == [one.asked for one in engine.tiers.refresh()]
    assert 2 == source.script.told


def test_a_key_that_was_missing_is_tried_as_soon_as_it_is_there(ladder: Ladder) -> None:
    """Without it nobody was asked, so no budget is kept by waiting; what was asked with it keeps the floor again."""
    engine = ladder.engine()
    ladder.sources["board"].script.say(board({}, status="unconfigured", missing=("BOARD_KEY",)), board())

    assert [True, True, False] == [engine.tiers.refresh()[0].asked for _ in range(3)]


def test_two_engines_on_one_store_ask_once(ladder: Ladder) -> None:
    """What one has published the other reads."""
    first, second = ladder.engine(), ladder.engine()
    first.tiers.refresh()
    (told,) = second.tiers.refresh()

    assert (1, False, len(SCORES)) == (ladder.sources["board"].script.told, told.asked, len(told.told.rows))


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (board({}, status="unconfigured", missing=("BOARD_KEY",)), "unconfigured"),
        (board({}, status="unauthorised", detail="no"), "unauthorised"),
        (board({}, status="forbidden-tier", detail="no"), "forbidden-tier"),
        (board({}, status="rate-limited", retry_at=NOON + HOUR), "rate-limited"),
        (board({}, status="empty"), "empty"),
        (board({"model-of-a": 80.0}), "invalid"),
        (TimedOut("board", "no answer"), "unreachable"),
        (ValueError("no JSON"), "invalid"),
        (RuntimeError("a bug"), "invalid"),
    ],
)
def test_an_answer_that_is_no_good_takes_no_good_one_away(ladder: Ladder, answer: Any, status: str) -> None:
    """The last good rows stay with their age, beside what was answered last; nothing is proposed from it."""
    ladder.sources["board"].script.say(board(), answer)
    engine = proposed(ladder)
    engine.tiers.adopt(by="ann")
    before = ladder.path.read_bytes()
    ladder.scene.clock.advance(DAY)
    (told,) = engine.tiers.refresh()

    assert told.told is not None
    assert (status, len(SCORES), NOON, False) == (told.told.status, len(told.told.rows), told.good_at, told.answers)
    assert "nothing" == engine.tiers.propose().outcome
    assert before == ladder.path.read_bytes()


def test_what_a_broken_plugin_did_is_told_with_its_distribution(ladder: Ladder) -> None:
    """So that it can be reported."""
    ladder.sources["board"].script.say(RuntimeError("a bug"))
    (told,) = ladder.engine().tiers.refresh()

    assert told.told is not None
    assert "capacity-board 1.0: RuntimeError: a bug" == told.told.detail


def test_the_death_of_one_source_stops_no_other(ladder: Ladder) -> None:
    """The other is asked, published and proposed from."""
    ladder.sources["dead"] = FakeTierSource(TimedOut("dead", "no answer"))
    engine = proposed(ladder)

    assert {"board": "fresh", "dead": "unreachable"} == {
        one.name: one.status for one in engine.tiers.proposal().sources
    }


def test_a_source_without_its_key_is_told_of_at_once_and_one_that_is_silent_after_three_times(ladder: Ladder) -> None:
    """No waiting ends the first; the second may be a hiccup, unless an answer of it is required."""
    ladder.sources["board"].script.say(board({}, status="unconfigured", missing=("BOARD_KEY",)))
    engine = ladder.engine()
    engine.tiers.refresh()
    (condition,) = [one for one in engine.snapshot().conditions if one.fact.code == "core:source-failing"]
    assert ("board", "unconfigured", "BOARD_KEY", True) == (
        condition.fact.subject, condition.fact.figure("state"), condition.fact.figure("missing"), condition.loud,
    )  # fmt: skip  # what it says
    ladder.sources["board"].script.say(board())
    ladder.scene.clock.advance(DAY)
    engine.tiers.refresh()
    assert {} == stands(engine)
    ladder.sources["board"].script.say(TimedOut("board", "no answer"))
    for expected in ({}, {}, {"source-failing": "board"}):
        ladder.scene.clock.advance(DAY)
        engine.tiers.refresh()
        assert expected == stands(engine)


def test_the_silence_of_a_required_source_is_told_of_at_once(ladder: Ladder) -> None:
    """Nobody wants to wait three days to hear of it; a tick keeps saying it, and since when."""
    ladder.required = True
    ladder.sources["board"].script.say(TimedOut("board", "no answer"))
    engine = ladder.engine()
    engine.tick()
    ladder.scene.clock.advance(timedelta(minutes=20))
    report = engine.tick()

    assert [NOON] == [one.since for one in report.loud if one.fact.code == "core:source-failing"]


def test_the_end_of_a_source_is_told_before_it_comes(ladder: Ladder) -> None:
    """As long before as an adopted set is good for, and no sooner; its card has the day."""
    ends = NOON + Method().stale_after
    ladder.sources["board"].about = evolve(FakeTierSource.about, sunset=ends + timedelta(seconds=1))  # type: ignore[misc]  # a card of its own
    assert {} == {code: name for code, name in stands(refreshed(ladder)).items() if code != "proposal-waiting"}
    ladder.scene.clock.advance(BUDGET.floor)
    assert "board" == stands(refreshed(ladder))["source-ending"]


# --- proposing ------------------------------------------------------------------------------------


def test_the_same_evidence_opens_no_second_proposal(ladder: Ladder) -> None:
    """Asked again, in another order, at another time: the proposal that waits is the one there is."""
    again = board(dict(reversed(SCORES.items())))
    ladder.sources["board"].script.say(board(), again)
    engine = proposed(ladder)
    ladder.scene.clock.advance(DAY)
    engine.tiers.refresh()
    made = engine.tiers.propose()

    assert ("waiting", True) == (made.outcome, made.unchanged)
    assert ["pending"] == [one.state for one in engine.tiers.rulings().values()]


def test_a_newer_proposal_takes_the_place_of_the_one_that_waits(ladder: Ladder) -> None:
    """Only one waits at a time, and the older one says what became of it."""
    ladder.sources["board"].script.say(board(), board({**SCORES, "fair-4": 48.0}))
    ladder.scene.inventories["a"].script.say((listing("a", *SCORES, "fair-4"),))
    engine = proposed(ladder)
    first = engine.tiers.proposal().id
    ladder.scene.clock.advance(DAY)
    engine.tiers.refresh()
    second = engine.tiers.propose()

    assert "opened" == second.outcome
    assert {first: "superseded", second.proposal.id: "pending"} == {
        id: one.state for id, one in engine.tiers.rulings().items()
    }
    with pytest.raises(NoSuch, match="does not wait for an answer any more: it is superseded"):
        engine.tiers.adopt(first, by="ann")


def test_what_was_rejected_is_not_proposed_again(ladder: Ladder) -> None:
    """Neither by the same evidence nor after another look at it; who said no is kept."""
    engine = proposed(ladder)
    engine.tiers.reject(by="ann", reason="not yet")
    ladder.scene.clock.advance(DAY)
    engine.tiers.refresh()
    made = engine.tiers.propose()

    assert ("rejected", {}) == (made.outcome, stands(engine))
    (ruled,) = engine.tiers.rulings().values()
    assert ruled.ruling is not None
    assert ("rejected", "reject", "ann", "not yet") == (
        ruled.state, ruled.ruling.action, ruled.ruling.by, ruled.ruling.reason,
    )  # fmt: skip  # what is kept


def test_a_proposal_nobody_answers_runs_out_and_is_made_anew(ladder: Ladder) -> None:
    """It waits as long as the policy says; the condition ends with it."""
    ladder.method = Method(proposal_life=timedelta(days=2))
    engine = proposed(ladder)
    first = engine.tiers.proposal().id
    assert {"proposal-waiting": first} == stands(engine)
    ladder.scene.clock.advance(timedelta(days=2))
    assert "expired" == engine.tiers.rulings()[first].state
    engine.tiers.refresh()
    assert {} == stands(engine)
    assert "opened" == engine.tiers.propose().outcome


def test_a_proposal_whose_ground_is_gone_waits_no_more(ladder: Ladder) -> None:
    """Its evidence was taken back, and nothing would change any more: it is withdrawn, and comes back with the evidence."""
    less = board({model: score for model, score in SCORES.items() if model != "fair-3"})
    ladder.sources["board"].script.say(less, board(), less, board())
    engine = proposed(ladder)
    engine.tiers.adopt(by="ann")
    outcomes, states = [], []
    for _ in range(3):
        ladder.scene.clock.advance(DAY)
        engine.tiers.refresh()
        made = engine.tiers.propose()
        outcomes.append(made.outcome)
        states.append([one.state for one in engine.tiers.rulings().values()])

    assert ["opened", "nothing", "opened"] == outcomes
    assert [["adopted", "pending"], ["adopted", "withdrawn"], ["adopted", "pending"]] == states


def test_another_adopted_set_supersedes_what_waits(ladder: Ladder) -> None:
    """It was made against the set before, and could not be adopted any more."""
    engine = proposed(ladder)
    engine.tiers.pin(TierRow("low", "h", "fair-1", expires_at=NOON + 9 * DAY), by="ann")

    assert ["superseded", "adopted"] == [one.state for one in engine.tiers.rulings().values()]
    assert {} == stands(engine)


# --- answering ------------------------------------------------------------------------------------


def test_adopting_writes_the_file_and_the_next_tick_decides_by_it(ladder: Ladder) -> None:
    """The file is the set, the chain names the one before, the proposal says who adopted it; a policy read anew agrees."""
    engine = proposed(ladder)
    made = engine.tiers.adopt(by="ann", reason="looks right")

    assert codec.load_tier_set(ladder.path) == made
    assert (made.rows, made.rows) == (engine.policy.tiers.rows, ladder.rules().tiers.rows)
    assert [False, True] == [link.tiers == made for link in engine.tiers.chain()]
    assert ["adopted"] == [one.state for one in engine.tiers.rulings().values()]
    assert made.rows == engine.tick().tick.policy.tiers.rows
    assert {} == stands(engine)


def test_a_part_is_adopted_and_the_rest_is_proposed_anew(ladder: Ladder) -> None:
    """Only the named pair comes in; the others wait in a proposal against the new set."""
    engine = proposed(ladder)
    wanted = next(pair for pair in engine.tiers.proposal().diff.pairs if pair.model == "good-1")
    made = engine.tiers.adopt(by="ann", part=(wanted,))
    assert {"model-of-a", "model-of-b", "good-1"} == {row.model for row in made.rows}
    rest = engine.tiers.propose()
    assert ("opened", {"fair-1", "fair-2", "fair-3"}) == (
        rest.outcome, {pair.model for pair in rest.proposal.diff.pairs},
    )  # fmt: skip  # what is left


def test_a_stale_base_is_refused(ladder: Ladder) -> None:
    """A row that somebody wrote by hand meanwhile is neither overwritten nor forgotten."""
    engine = proposed(ladder)
    ladder.write(TierSet((TierRow("low", "h", "model-of-a"),)))
    before = ladder.path.read_bytes()
    with pytest.raises(StaleBase, match="propose again"):
        engine.tiers.adopt(by="ann")
    assert before == ladder.path.read_bytes()
    assert ["pending"] == [one.state for one in engine.tiers.rulings().values()]


def test_a_file_that_changes_under_the_hand_is_left_alone(ladder: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between reading and writing somebody else was quicker: nothing is entered, nothing is lost."""
    engine = proposed(ladder)
    text = codec.tier_set_text

    def meanwhile(made: TierSet) -> str:
        ladder.path.write_text("# mine\n", encoding="utf-8")
        return text(made)

    monkeypatch.setattr(codec, "tier_set_text", meanwhile)
    with pytest.raises(StaleBase, match="somebody else"):
        engine.tiers.adopt(by="ann")
    assert "# mine\n" == ladder.path.read_text(encoding="utf-8")
    assert ((), ["pending"]) == (engine.tiers.chain(), [one.state for one in engine.tiers.rulings().values()])


def test_a_disk_that_refuses_costs_nothing(ladder: Ladder) -> None:
    """The file cannot be written: the proposal waits as before."""
    engine = proposed(ladder)
    (ladder.folder / f"{FILE}.new").mkdir()
    with pytest.raises(Exception, match="Is a directory"):
        engine.tiers.adopt(by="ann")
    assert ((), ["pending"]) == (engine.tiers.chain(), [one.state for one in engine.tiers.rulings().values()])


def test_a_process_that_dies_between_file_and_store_loses_nothing(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is the new one: the next tick enters it as found, and the proposal that was half adopted waits no more."""
    engine = proposed(ladder)
    half = engine.tiers.proposal().id
    run = adopting.run

    def dying(flow: Any, **parts: Any) -> Any:
        done = run(flow, **parts)
        if isinstance(done, Replaced):
            raise Crash
        return done

    monkeypatch.setattr(adopting, "run", dying)
    with pytest.raises(Crash):
        engine.tiers.adopt(by="ann")
    after = ladder.engine()
    after.tick()
    assert codec.load_tier_set(ladder.path).rows == after.tiers.chain()[-1].rows
    assert "nothing" == after.tiers.propose().outcome
    assert "withdrawn" == after.tiers.rulings()[half].state


def test_without_a_file_nothing_can_be_adopted(ladder: Ladder) -> None:
    """What is proposed can be looked at all the same; the error says which key is missing."""
    rules = ladder.rules()
    with Engine(
        evolve(rules, tiers=evolve(rules.tiers, file=None)), store=ladder.scene.store, plugins=ladder.plugins(),
        clock=ladder.scene.clock, actuators={"f": ladder.scene.fleet},
    ) as engine:  # fmt: skip  # as the ladder's, without the file
        engine.probe()
        engine.tiers.refresh()
        assert "opened" == engine.tiers.propose().outcome
        with pytest.raises(PolicyError, match=r"tiers\.adopted: is missing"):
            engine.tiers.adopt(by="ann")


def test_going_back_is_a_link_forward(ladder: Ladder) -> None:
    """The rows are those of before, also those written by hand; going back again gives what was undone."""
    by_hand = codec.load_tier_set(ladder.path)
    engine = proposed(ladder)
    adopted = engine.tiers.adopt(by="ann")
    back = engine.tiers.rollback(by="bob", reason="too soon")
    assert (by_hand.rows, adopted.id, "bob") == (back.rows, back.parent, back.adopted_by)
    assert codec.load_tier_set(ladder.path) == back
    assert adopted.rows == engine.tiers.rollback(by="ann", to=adopted.id).rows
    with pytest.raises(NoSuch, match="no adopted set 'ts-never'"):
        engine.tiers.rollback(by="ann", to="ts-never")


def test_nothing_can_be_gone_back_to_at_first(ladder: Ladder) -> None:
    """A chain of one has nothing before it."""
    with pytest.raises(NoSuch, match="Sets before this one: none"):
        ladder.engine().tiers.rollback(by="ann")


def test_a_pin_holds_against_the_evidence_until_it_ends(ladder: Ladder) -> None:
    """It is a row of the file, nothing moves it, and after its end it counts for nothing and is proposed on evidence."""
    engine = proposed(ladder)
    engine.tiers.adopt(by="ann")
    ends = NOON + timedelta(days=3)
    pin = TierRow("top", "h", "fair-1", expires_at=ends, reason="good at this")
    made = engine.tiers.pin(pin, by="ann")
    (row,) = [one for one in made.rows if one.model == "fair-1"]
    assert ("top", "pinned", ends, "ann", "good at this") == (
        row.tier, row.standing, row.expires_at, row.adopted_by, row.reason,
    )  # fmt: skip  # what the row says
    ladder.scene.clock.advance(DAY)
    engine.tiers.refresh()
    assert "nothing" == engine.tiers.propose().outcome
    ladder.scene.clock.set(ends)
    engine.tiers.refresh()
    assert ["fair-1"] == [one.pair.model for one in engine.tiers.propose().proposal.diff.changes]
    with pytest.raises(PolicyError, match='no "best" is there'):
        engine.tiers.pin(evolve(pin, tier="best"), by="ann")
    with pytest.raises(NoSuch, match="give it an end that is to come"):
        engine.tiers.pin(pin, by="ann")


def test_an_answer_for_a_name_counts_from_the_next_proposal_on(ladder: Ladder) -> None:
    """It is kept with its author and date, and the row is evidence by it."""
    ladder.sources["board"].script.say(board({**SCORES, "Fair One (new)": 50.5}))
    engine = proposed(ladder)
    (unknown,) = engine.tiers.proposal().unresolved
    alias = engine.tiers.resolve("model", unknown.name, "fair-1", by="ann")
    assert ("ann", NOON) == (alias.by, alias.at)
    made = engine.tiers.propose().proposal
    assert () == made.unresolved
    (found,) = [one for one in made.evidence if one.model_raw == unknown.name]
    assert ("fair-1", "operator") == (found.model, found.step)


def test_a_row_that_is_kept_out_may_be_let_in(ladder: Ladder) -> None:
    """A surprise moves nothing by itself; a person's word lets it in, and a name that is none is refused."""
    ladder.sources["board"].script.say(board(), board({**SCORES, "model-of-a": 48.0}))
    engine = proposed(ladder)
    engine.tiers.adopt(by="ann")
    ladder.scene.clock.advance(HOUR)
    engine.tiers.refresh()
    assert ("nothing", ("board:model-of-a",)) == (
        (made := engine.tiers.propose()).outcome, made.proposal.diff.quarantine,
    )  # fmt: skip  # what came of it
    with pytest.raises(NoSuch, match="Rows kept out: board:model-of-a"):
        engine.tiers.accept("board:never", by="ann")
    assert "ann" == engine.tiers.accept("board:model-of-a", by="ann").by
    after = engine.tiers.propose()
    assert ("opened", [("model-of-a", "top", "low")]) == (
        after.outcome, [(one.pair.model, one.was, one.to) for one in after.proposal.diff.move],
    )  # fmt: skip  # what it moves


# --- without a person -----------------------------------------------------------------------------


def test_nothing_is_adopted_without_a_person_unless_the_policy_says_so(ladder: Ladder) -> None:
    """By default a tick opens a proposal, tells of it, and leaves the file as it is."""
    before = ladder.path.read_bytes()
    report = ladder.engine().tick()

    assert (before, None) == (ladder.path.read_bytes(), report.adopted)
    assert "core:proposal-waiting" in {one.fact.code for one in report.conditions}


def test_the_policy_adopts_once_no_veto_is_left(ladder: Ladder) -> None:
    """Not on the first look: two refreshes have to agree. Then the tick says so, and the next one decides by it."""
    more = {**SCORES, "fair-4": 45.0}
    ladder.scene.inventories["a"].script.say((listing("a", *more),))
    ladder.adoption = "auto"
    engine = proposed(ladder)
    engine.tiers.adopt(by="ann")
    ladder.sources["board"].script.say(board(more))
    ladder.scene.clock.advance(2 * DAY)
    assert engine.tick().adopted is None
    assert ["not-confirmed"] == [one.veto for one in engine.tiers.proposal().objections]
    ladder.scene.clock.advance(DAY)
    report = engine.tick()
    assert report.adopted is not None
    assert ("the policy", 7) == (report.adopted.adopted_by, len(report.adopted.rows))
    assert codec.load_tier_set(ladder.path) == report.adopted
    ladder.scene.clock.advance(HOUR)
    assert report.adopted.rows == engine.tick().tick.policy.tiers.rows


# --- what stands ----------------------------------------------------------------------------------


def test_a_set_past_its_time_stays_in_force_and_is_called_stale(ladder: Ladder) -> None:
    """It is told of, loudly, and decided by all the same."""
    stale_at = NOON + HOUR
    ladder.write(evolve(codec.load_tier_set(ladder.path), stale_at=stale_at))
    engine = ladder.engine()
    engine.tick()
    assert "tiers-stale" not in stands(engine)
    ladder.scene.clock.set(stale_at)
    report = engine.tick()

    (condition,) = [one for one in report.loud if one.fact.code == "core:tiers-stale"]
    assert (FILE, stale_at) == (condition.fact.subject, condition.fact.figure("since"))
    assert report.tick.policy.tiers.rows == codec.load_tier_set(ladder.path).rows


def test_the_snapshot_tells_which_proposal_waits(ladder: Ladder) -> None:
    """So that a page can show it."""
    engine = proposed(ladder)
    assert (engine.tiers.proposal().id,) == engine.snapshot().proposals
    engine.tiers.reject(by="ann")
    assert () == engine.snapshot().proposals


def test_pruning_keeps_what_waits_and_what_was_adopted(ladder: Ladder) -> None:
    """The last good rows outlive any retention, and so does a proposal that is still in use; a rejected one goes."""
    engine = proposed(ladder)
    adopted = engine.tiers.proposal().id
    engine.tiers.adopt(by="ann", part=engine.tiers.proposal().diff.pairs[:1])
    engine.tiers.propose()
    rejected = engine.tiers.proposal().id
    engine.tiers.reject(by="ann")
    ladder.scene.clock.advance(Settings().retention + DAY)
    ladder.sources["board"].script.say(TimedOut("board", "no answer"))
    engine.tick()

    assert adopted == engine.tiers.proposal(adopted).id
    with pytest.raises(NoSuch, match=f"no proposal '{rejected}' is kept"):
        engine.tiers.proposal(rejected)
    (told,) = engine.tiers.sources()
    assert told.stands.told is not None
    assert len(SCORES) == len(told.stands.told.rows)


def test_what_a_policy_asks_of_tier_sources_is_checked(ladder: Ladder) -> None:
    """A plugin that nobody offers, and an option that it does not take, are named by their keys."""
    rules = ladder.rules()
    sources = {"never": TierSourcePolicy("never"), "board": TierSourcePolicy("board", options={"colour": "red"})}
    with pytest.raises(PolicyError) as caught:
        Engine(
            evolve(rules, tiers=evolve(rules.tiers, sources=sources)),
            store=memory(),
            plugins=ladder.plugins(),
            actuators={"f": ladder.scene.fleet},
        )

    assert {"tiers.sources.never.plugin", "tiers.sources.board.options.colour"} == {
        fault.path for fault in caught.value.faults
    }
