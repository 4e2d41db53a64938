"""What the evidence would change: who comes in, moves, leaves, is renamed, and what opens no proposal at all."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve

from capacity import Model
from capacity.core.tiering import identity, propose, unchanged
from capacity.values.evidence import Alias
from capacity.values.methods import Method
from capacity.values.proposals import Docket
from capacity.values.rankings import Excluded, KnownModel
from capacity.values.tiers import TierRow, Tiers, TierSet

from .scene import DAY, LADDER, NOW, SPREAD, adopted, answer, changes, inventory, policy, proposal, row, tiers


def test_a_first_proposal_places_everybody() -> None:
    """Cuts are made, each measured pair has its tier, and a pair nobody measured comes in where it could run."""
    made = proposal()

    assert {
        "cli/alpha-1": "high", "cli/beta-1": "high", "cli/gamma-1": "mid", "cli/delta-1": "mid", "cli/eta-1": "low",
        "cli/theta-1": "low",
    } == {pair: tier for pair, tier in tiers(made).items() if pair.startswith("cli")}  # fmt: skip  # one value
    assert {"tui/alpha-1", "tui/beta-1", "tui/gamma-1", "tui/eta-1"} == {
        str(one.pair) for one in made.estimates if one.standing == "borrowed"
    }
    assert (2, "refresh", "") == (len(made.diff.cuts_after), made.kind, made.ruling or "")
    assert made.base == identity(TierSet())
    assert 10 == len(made.diff.add)


def test_the_constants_are_echoed() -> None:
    """Whoever reads a proposal sees by what it was made, and at which benchmark its scores are told."""
    made = proposal(policy=policy(Method(certainty=0.9)))

    assert 0.9 == made.method.certainty
    assert ("board@1", LADDER) == (made.benchmark, made.ladder)
    assert made.expires_at == NOW + Method().proposal_life


def test_scores_are_told_at_the_surest_of_the_largest_benchmarks() -> None:
    """Not at one of few tasks because of its name; where the policy names one, at that."""
    small = [evolve(one, benchmark="aaa", benchmark_version=None, n=16) for one in SPREAD]

    assert "board@1" == proposal([*SPREAD, *small]).benchmark
    assert "aaa" == proposal([*SPREAD, *small], policy=policy(Method(reference="aaa"))).benchmark


def test_the_same_evidence_in_another_order_and_at_another_time_has_one_id() -> None:
    """Order, the hour of the fetch and the payload's own stamp are no evidence."""
    once = proposal()
    again = proposal(reversed(SPREAD), told=[answer(*reversed(SPREAD), at=NOW + DAY, digest="another")], at=NOW + DAY)

    assert (once.id, once.content) == (again.id, again.content)


def test_the_same_evidence_opens_no_second_proposal() -> None:
    """A refresh without news gives the last proposal again, whatever the source's stamp; it agrees with itself once more."""
    once = proposal()
    told, docket = [answer(*reversed(SPREAD), at=NOW + DAY)], Docket(previous=once)
    again = propose(told, docket, inventory(), policy(), NOW + DAY)

    assert unchanged(told, docket, inventory(), policy(), NOW + DAY)
    assert (once.id, once.created_at, once.estimates) == (again.id, again.created_at, again.estimates)
    assert (1, 2) == (once.agreeing, again.agreeing)
    assert (NOW, NOW + DAY) == (once.sources[0].asked_at, again.sources[0].asked_at)


@pytest.mark.parametrize(
    "news",
    [
        {"told": [answer(row("alpha-1", 84.9), *SPREAD[1:])]},
        {"told": [evolve(answer(*SPREAD), status="unreachable")]},
        {"told": [answer(*SPREAD, methodology="another window")]},
        {"inventory": inventory("alpha-1", "theta-1")},
        {"policy": policy(Method(certainty=0.9))},
        {"at": NOW + 31 * DAY},
        {"at": NOW + 171 * DAY},
    ],
)
def test_what_is_news(news: dict[str, Any]) -> None:
    """Another score, a source that fell silent, another inventory or method, a void proposal, a row that grew too old."""
    told = news.get("told", [answer(*SPREAD)])
    asked = news.get("inventory", inventory()), news.get("policy", policy()), news.get("at", NOW)

    assert not unchanged(told, Docket(previous=proposal()), *asked)


def test_a_rejected_content_is_not_proposed_again() -> None:
    """The same changes for the same reasons are born rejected."""
    once = proposal()

    assert "rejected" == proposal(docket=Docket(rejected=(once.content,))).state


def test_what_was_adopted_stays() -> None:
    """The same evidence against the set it made would change nothing."""
    made = proposal(docket=adopted())

    assert ([], 10, True) == (changes(made), made.diff.keep, made.diff.empty)


def test_a_bump_of_the_version_is_another_benchmark() -> None:
    """Twelve points more at a repaired benchmark move nobody: they are no comparison with the scores before."""
    repaired = [evolve(one, benchmark_version="1.1", score=one.score + 12) for one in SPREAD[2:]]
    made = proposal([*SPREAD, *repaired], adopted(inventory=inventory("x")), inventory=inventory("x"))

    assert [] == changes(made)
    assert {"board@1", "board@1.1"} == {one.benchmark for one in made.evidence}


def test_two_rows_of_one_pair_that_differ_are_one_uncertain_cell() -> None:
    """Neither is preferred: the estimate lies between, as uncertain as half of what is between them."""
    made = proposal([*SPREAD, row("gamma-1", 60.0, id="rerun")])
    one = next(one for one in made.estimates if str(one.pair) == "cli/gamma-1")

    assert 60 < one.score < 70
    assert 100 * one.stderr * 0.65 * 0.35 > 3.5
    assert 2 == one.rows


def test_a_rename_is_no_move() -> None:
    """The same row under a new name of the model: one line that says so, its tier kept."""
    rows = [evolve(one, id=str(place)) for place, one in enumerate(SPREAD)]
    listed = inventory("other-9")
    docket = adopted(rows, inventory=listed)
    renamed = [evolve(rows[0], model_raw="omega-2", model_key="omega-2"), *rows[1:]]
    made = proposal(renamed, docket, inventory=listed, at=NOW + 9 * DAY)

    assert [("cli/alpha-1", "cli/omega-2")] == [(str(one.was), str(one.to)) for one in made.diff.rename]
    assert [] == changes(made)


def test_an_alias_that_was_re_pointed_expires_what_it_named() -> None:
    """The pair has no evidence any more, and its place is proposed for removal; nothing is averaged."""
    said = Alias("model", "alpha-1", "alpha-1", "ann", NOW, since=NOW - DAY)
    made = proposal(docket=evolve(adopted(), aliases=(said,)))

    assert ("cli/alpha-1", "high", None, "expired") in changes(made)
    assert ["expired"] == [one.use for one in made.evidence if one.model_raw == "alpha-1"]


def test_an_unresolved_name_is_listed_and_places_nobody() -> None:
    """With its rows and what it resembles; no edit distance decides."""
    stray = row("alpha-1-thinking", 90.0, model_key=None, id="7")
    made = proposal([*SPREAD, stray])

    assert [("alpha-1-thinking", ("made:7",), ("alpha-1",))] == [
        (one.name, one.rows, one.candidates[:1]) for one in made.unresolved
    ]
    assert not any("thinking" in str(one.pair) for one in made.estimates)


def test_an_answer_resolves_the_name() -> None:
    """Its step is told with the row."""
    stray = row("alpha-1-thinking", 90.0, model_key=None, id="7", effort="high")
    said = Alias("model", "Alpha-1-Thinking", "alpha-1", "ann", NOW)
    made = proposal([*SPREAD, stray], Docket(aliases=(said,)))

    assert () == made.unresolved
    assert ["operator"] == [one.step for one in made.evidence if one.id == "made:7"]
    assert "cli/alpha-1@high" in tiers(made)


def test_who_falls_silent_moves_nobody() -> None:
    """A source without an answer leaves the adopted set as it is, and says so."""
    silent = evolve(answer(), status="unreachable", detail="no answer")
    made = proposal(told=[silent], docket=adopted())

    assert [] == changes(made)
    assert [("made", "unreachable", True)] == [(one.name, one.status, one.required) for one in made.sources]


def test_a_withdrawn_row_leaves_after_a_second_look() -> None:
    """Once is an accident of the source; twice from a source that answers is the owner's word. It is no score of nought."""
    rest = [one for one in SPREAD if one.model_raw not in ("theta-1", "eta-1")]
    docket = adopted()
    first = proposal(rest, docket)
    second = proposal([*rest, row("zeta-1", 60.0)], evolve(docket, previous=first))

    assert [] == changes(first)
    assert ("cli/theta-1", "low", None, "withdrawn") in changes(second)


def test_an_old_row_decides_nothing_and_removes_nobody() -> None:
    """Half a year on all rows only inform: nothing is placed anew, and who was adopted stays."""
    made = proposal(docket=adopted(), at=NOW + 200 * DAY)

    assert [] == changes(made)
    assert {"informs"} == {one.use for one in made.evidence}
    assert {"unranked"} == {one.standing for one in made.estimates}


def test_an_index_informs_and_never_decides() -> None:
    """A figure without trials is shown with what it might mean, and moves nothing, however good it is."""
    index = [row(one.model_raw, 99.0, None, benchmark="index", scale="index", n=None) for one in SPREAD[4:]]
    plain, told = proposal(), proposal([*SPREAD, *index])

    assert tiers(plain) == tiers(told)
    assert {str(one.pair): one.theta for one in plain.estimates} == {str(one.pair): one.theta for one in told.estimates}


def test_a_quarantined_pair_is_told_of() -> None:
    """A cell that all others speak against is kept out, named in the difference, with what was due instead."""
    boards = [
        evolve(one, benchmark=name, benchmark_version=None, score=one.score + more)
        for name, more in (("one", 3.0), ("two", -5.0), ("three", -15.0), ("four", 6.0)) for one in SPREAD
    ]  # fmt: skip  # one comprehension
    broken = evolve(boards[0], score=12.0, id="broken")
    made = proposal([broken, *boards[1:]])
    found = next(one for one in made.evidence if one.id == "made:broken")

    assert (("made:broken",), "quarantined", "residual") == (made.diff.quarantine, found.use, found.why)
    assert (found.predicted or 0) > 70
    assert "high" == tiers(made)["cli/alpha-1"]


def test_a_borderline_newcomer_is_placed_in_the_lower_tier() -> None:
    """On the cut with either chance even: the certain one of the two, and a line that says so."""
    docket = adopted()
    made = proposal([*SPREAD, row("zeta-1", 77.5)], docket)
    (line,) = [one for one in made.diff.borderline if str(one.pair) == "cli/zeta-1"]

    assert ("mid", "borderline") == (line.to, line.why)


def test_what_a_model_costs_changes_nothing() -> None:
    """Neither does any other word beside the score."""
    priced = [
        evolve(one, cost_usd=place + 1, cost_kind="run-total", url="https://x.invalid")
        for place, one in enumerate(SPREAD)
    ]

    assert proposal().id == proposal(priced).id
    assert proposal().estimates == proposal(priced).estimates


# --- what a place rests on ------------------------------------------------------------------------

FAMILY = (
    KnownModel("alpha-1", family="alpha", released_at=NOW - 99 * DAY),
    KnownModel("alpha-2", family="alpha", released_at=NOW - 9 * DAY),
)


def test_a_new_model_is_provisional_by_its_family() -> None:
    """As its predecessor, never above it, unsure by six points, for thirty days."""
    listed, careful = inventory("alpha-1", "alpha-2"), policy(Method(certainty=0.9))
    made = proposal(told=[answer(*SPREAD, known=FAMILY)], inventory=listed, policy=careful)
    old, new = (
        next(one for one in made.estimates if str(one.pair) == f"cli/{name}") for name in ("alpha-1", "alpha-2")
    )

    assert ("provisional", "high", ("after-alpha-1",)) == (new.standing, new.tier, new.flags)
    assert new.stderr > old.stderr
    assert ("high", "mid") == (old.proven, new.proven)


def test_a_provisional_place_ends() -> None:
    """After thirty days without a row of its own it is proposed for removal."""
    more = {"told": [answer(*SPREAD, known=FAMILY)], "inventory": inventory("alpha-1", "alpha-2")}
    docket = adopted(**more)
    later = proposal(docket=docket, at=NOW + 28 * DAY, **more)

    assert "provisional" == next(one.standing for one in docket.adopted.rows if one.model == "alpha-2")
    assert ("cli/alpha-2", "high", None, "expired") in changes(later)


def test_a_model_without_family_or_rows_is_nowhere() -> None:
    """Unknown is not the middle."""
    assert "cli/stranger-1" not in tiers(proposal(inventory=inventory("alpha-1", "stranger-1")))


def test_a_pinned_pair_stays_until_the_pin_ends() -> None:
    """Whatever the evidence says; afterwards it goes where that says."""
    pinned = TierRow("high", "cli", "eta-1", standing="pinned", expires_at=NOW + DAY)
    docket = Docket(
        evolve(adopted().adopted, rows=[*(one for one in adopted().adopted.rows if one.key != pinned.key), pinned])
    )
    during, after = (proposal(docket=docket, at=NOW + days * DAY) for days in (0, 2))

    assert [] == [one for one in changes(during) if one[0] == "cli/eta-1"]
    assert ("cli/eta-1", "high", "low", "pin-ended") in changes(after)


def test_a_row_written_by_hand_is_a_place_like_any_other() -> None:
    """Found under any name the model answers to; the evidence may speak against it, and never removes it for being silent."""
    listed = inventory(Model("alpha-1", names={"the big one"}), "gamma-1")
    rows = [TierRow("low", "cli", "The Big One"), TierRow("mid", "cli", "unheard-of-3")]
    made = proposal(docket=Docket(TierSet(rows)), inventory=listed)

    assert ("cli/alpha-1", "low", "high", "recut") in changes(made)
    assert not any("unheard-of" in line[0] for line in changes(made))
    assert {"cli/The Big One": "alpha-1"} == made.spelled


def test_a_move_needs_a_margin() -> None:
    """Half a point past the cut changes nothing; five do."""
    docket = adopted()
    near, far = (
        proposal([row("alpha-1", score), *SPREAD[1:]], evolve(docket, previous=None)) for score in (77.0, 68.0)
    )

    assert "cli/alpha-1" not in [line[0] for line in changes(near)]
    assert ("cli/alpha-1", "high", "mid", "worse") in changes(far)


def test_a_harness_that_no_policy_declares_is_shown_and_not_proposed() -> None:
    """It can be looked at, and no seat could run in it."""
    made = proposal([*SPREAD, row("alpha-1", 88.0, "Strange Tool")])

    assert "strange-tool/alpha-1" in tiers(made)
    assert not any(line[0].startswith("strange") for line in changes(made))


# --- cuts -----------------------------------------------------------------------------------------


def test_cuts_are_kept_until_somebody_asks() -> None:
    """A refresh estimates pairs anew and leaves the boundaries; a recut is asked for, and is a kind of its own."""
    docket = evolve(adopted(), previous=None)
    news = [*SPREAD, row("zeta-1", 95.0), row("iota-1", 95.5)]
    kept, anew = proposal(news, docket), proposal(news, evolve(docket, recut=True))

    assert docket.adopted.cuts == kept.diff.cuts_after
    assert ("refresh", "recut") == (kept.kind, anew.kind)
    assert kept.diff.cuts_after != anew.diff.cuts_after


def test_a_tier_of_one_pair_is_told_of() -> None:
    """Its cuts rest on that pair alone."""
    made = proposal(SPREAD[:5])

    assert "low holds one measured pair alone: its cuts are soft" in made.warnings
    assert not any("alone" in sentence for sentence in proposal().warnings)


def test_another_ladder_is_a_recut() -> None:
    """Other names, or more of them, are other tiers."""
    made = proposal(docket=adopted(), policy=policy(tiers=Tiers(("a", "b", "c"))))

    assert {"recut"} == {why for _, was, _, why in changes(made) if was is not None}
    assert "recut" == proposal(docket=adopted(), policy=policy(tiers=Tiers(("a", "b")))).kind
    assert {"a", "b", "c"} == set(tiers(made).values())


def test_without_tiers_nothing_is_placed() -> None:
    """And the proposal says what to do."""
    made = proposal(policy=policy(tiers=Tiers()))

    assert ({}, []) == (tiers(made), changes(made))
    assert "the policy names no tiers, so nothing can be placed: give [tiers] its names" in made.warnings


def test_another_set_of_sources_is_a_kind_of_its_own() -> None:
    """Whoever reads it sees that not the models changed, but who was asked."""
    docket = Docket(previous=proposal())

    assert "source-change" == proposal(told=[answer(*SPREAD), answer(source="more", at=NOW)], docket=docket).kind


def test_no_row_at_all_is_no_fault() -> None:
    """Nothing to say is said."""
    made = proposal(told=[])

    assert ((), None, True) == (made.estimates, made.benchmark, made.diff.empty)
    assert made.warnings


def test_a_source_tells_what_it_left_out() -> None:
    """Its own exclusions count beside ours."""
    told = answer(*SPREAD, row("alpha-1", 99.0, attempts=5, id="5"), excluded=(Excluded("x", "multi-model"),), failed=2)
    report = proposal(told=[told]).sources[0]

    assert (10, 6, 2, 2) == (report.told, report.used, report.excluded, report.failed)


@pytest.mark.parametrize(("days", "status"), [(100, "fresh"), (121, "dormant")])
def test_a_source_without_a_newer_row_is_dormant(days: int, status: str) -> None:
    """However promptly it answers."""
    at = NOW - 10 * DAY + timedelta(days=days)

    assert status == proposal(at=at).sources[0].status


def test_pairs_that_share_nothing_are_told_apart() -> None:
    """Two islands are compared through the prior alone, and each has its number."""
    far = [row(name, score, "tui", benchmark="island") for name, score in (("eta-1", 50.0), ("theta-1", 40.0))]
    made = proposal([*SPREAD[:4], *far], inventory=inventory("x"))

    assert 2 == len({one.component for one in made.estimates})


# --- nothing to tell apart ------------------------------------------------------------------------

ALIKE = tuple(row(f"alike-{number}", 70.0 + number) for number in range(3))


def test_where_no_cut_can_be_made_a_person_is_told_and_asked() -> None:
    """Whatever comes in would be of the best tier, proven: that is said, and nothing adopts it by itself."""
    made = proposal(ALIKE)

    assert {"high"} == {line[2] for line in changes(made)}
    assert "the evidence tells no two tiers apart, so whatever comes in goes into high" in made.warnings
    assert "cuts-changed" in [one.veto for one in made.objections]


def test_cuts_that_could_not_be_made_are_made_once_they_can() -> None:
    """A first set without cuts does not leave everything in the best tier for ever; it is a recut, which a person sees."""
    base = adopted(ALIKE)
    made = proposal([*ALIKE, *SPREAD], evolve(base, previous=None))

    assert () == base.adopted.cuts
    assert 2 == len(made.diff.cuts_after)
    assert "recut" == made.kind


@pytest.mark.parametrize("age", [1, 90, 170])
@pytest.mark.parametrize("trials", [100, 2000])
def test_a_better_score_is_never_worth_less(trials: int, age: int) -> None:
    """Up to the end of the scale, where an error in points would be endlessly wide in logits: all solved is not the worst."""
    told = [
        one.theta
        for score in (80.0, 90.0, 94.0, 97.0, 98.5, 99.5, 100.0)
        for one in proposal([row("alpha-1", score, n=trials, measured_at=NOW - age * DAY), *SPREAD[1:]]).estimates
        if str(one.pair) == "cli/alpha-1"
    ]

    assert 7 == len(told)
    assert told == sorted(told)
