"""What a failure opens, and what is in force of all that was opened."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from attrs import evolve

from capacity import Limit, Scope
from capacity.core.circuits import LONGEST, LONGEST_TOLD, fold, fuses, rearmed, stops_for, success
from capacity.values.failures import HOLDS, Circuit, Failure, FailureKind, Stop
from capacity.values.lanes import Circuits, Serving
from capacity.values.limits import Reading

from .build import LATER, NOW, SOON, headroom, place, policy, reading, windows

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
STOP = Stop(NOW, "operator", "pool", "north")
LOGIN = Stop(NOW, "reading", "pool", "north", "auth")
QUOTA = Stop(NOW, "refusal", "pool", "north", "quota", NOW + 15 * MINUTE)


def opened(failure: Failure, *, at: datetime = NOW, rules: Any = None, **more: Any) -> tuple[Stop, ...]:
    """What a failure of a model in `north` opens."""
    rules = rules or policy()
    told: dict[str, Reading | None] = more.pop("readings", {})
    given = {"session": "s", "headroom": headroom(rules, **told), "policy": rules, **more}
    return stops_for(failure, place(), at=at, **given)


def broken(minute: float, model: str = "big", session: str = "a", **more: Any) -> Stop:
    """A failure by the provider's fault, so many minutes from now."""
    name = f"cli|north|{model}|"
    at = NOW + minute * MINUTE
    given: dict[str, Any] = {"until": at + 5 * MINUTE, "indicts": True, "session": session, **more}
    return Stop(at, "refusal", "candidate", name, "other", **given)


CASE = (broken(0), broken(1, "mid"), broken(2, "mid", "b"))
"""Two models failed two sessions within two minutes."""


def quarantine(stops: Any, minute: float, rules: Circuits | None = None) -> Circuit | None:
    """The quarantine of `north` so many minutes from now; None where there is none."""
    found = [one for one in fuses(stops, NOW + minute * MINUTE, rules) if one.origin == "evidence"]
    assert len(found) < 2
    return found[0] if found else None


# --- what stands, and until when ----------------------------------------------------------------


def test_an_operators_stop_ends_by_word_only() -> None:
    """It stands after a year, and is lifted by a lifting."""
    (standing,) = fuses([STOP], NOW + timedelta(days=365))
    assert standing.ends_at is None
    assert () == fuses([evolve(STOP, lifted=True, at=NOW + LONGEST), STOP], NOW + 2 * LONGEST)


def test_every_other_circuit_has_a_longest_life() -> None:
    """Login evidence that nobody takes back heals after a day."""
    assert fuses([LOGIN], NOW + LONGEST - timedelta(seconds=1))
    assert () == fuses([LOGIN], NOW + LONGEST)


def test_a_guess_lives_for_a_day_at_most_and_what_a_provider_told_to_its_end() -> None:
    """A week that somebody guessed is a day; a week that the provider told is a week, but a year is a month."""
    week = evolve(QUOTA, until=NOW + timedelta(days=7))
    year = evolve(QUOTA, until=NOW + timedelta(days=365), known=True)
    assert [NOW + LONGEST] == [one.ends_at for one in fuses([week], NOW)]
    assert [NOW + timedelta(days=7)] == [one.ends_at for one in fuses([evolve(week, known=True)], NOW)]
    assert [NOW + LONGEST_TOLD] == [one.ends_at for one in fuses([year], NOW)]


def test_an_end_that_comes_earlier_is_kept() -> None:
    """A stop until an instant ends there."""
    until = NOW + timedelta(minutes=5)
    assert () == fuses([evolve(LOGIN, until=until)], until)


def test_a_lifting_takes_back_its_own_kind_only() -> None:
    """The operator's word does not lift what a reading said."""
    assert 1 == len(fuses([LOGIN, evolve(STOP, lifted=True)], NOW))


def test_what_has_not_begun_does_not_stand() -> None:
    """A stop of tomorrow stops nothing today, and hides nothing that stands today."""
    assert () == fuses([STOP], NOW - timedelta(days=1))
    assert 1 == len(fuses([QUOTA, evolve(QUOTA, at=NOW + LONGEST, until=None)], NOW))


def test_a_guess_never_takes_the_place_of_what_a_provider_told() -> None:
    """A second refusal that tells no reset neither shortens the first nor lengthens it; once that is over it counts."""
    told = evolve(QUOTA, until=SOON, known=True)
    guess = evolve(QUOTA, at=NOW + MINUTE, until=NOW + 16 * MINUTE)
    late = evolve(guess, at=SOON + MINUTE, until=SOON + 16 * MINUTE)

    assert [(SOON, True)] == [(one.ends_at, one.known) for one in fuses([told, guess], NOW + 2 * MINUTE)]
    assert () == fuses([told, guess], SOON)
    assert [(late.until, False)] == [(one.ends_at, one.known) for one in fuses([told, guess, late], SOON + MINUTE)]


def test_of_two_resets_that_were_told_the_later_one_holds() -> None:
    """The short window is told after the week: the pool is not opened before both have reset."""
    week = evolve(QUOTA, until=LATER, known=True)
    short = evolve(QUOTA, at=NOW + MINUTE, until=SOON, known=True)
    assert [LATER] == [one.ends_at for one in fuses([week, short], NOW + HOUR)]
    assert [LATER] == [one.ends_at for one in fuses([week, short], SOON + MINUTE)]


def test_a_newer_guess_replaces_an_older_one() -> None:
    """The last failure counts from when it came, even where it ends sooner."""
    shorter = evolve(QUOTA, at=NOW + MINUTE, until=NOW + 2 * MINUTE)
    assert [(shorter.at, shorter.until)] == [
        (one.opened_at, one.ends_at) for one in fuses([QUOTA, shorter], NOW + MINUTE)
    ]


def test_busy_and_loading_are_waited_for() -> None:
    """As far as the policy says so; an operator's stop never is."""
    stop = Stop(NOW, "refusal", "candidate", "cli|box|m|", "busy", NOW + MINUTE)
    assert [True] == [one.waits for one in fuses([stop], NOW)]
    holds = {**HOLDS, "busy": evolve(HOLDS["busy"], waits=False)}
    assert [False] == [one.waits for one in fuses([stop], NOW, Circuits(holds))]
    assert [False] == [one.waits for one in fuses([evolve(stop, origin="operator")], NOW)]


# --- evidence -----------------------------------------------------------------------------------


def test_one_session_on_two_models_is_watched_and_a_second_one_puts_the_pool_in_quarantine() -> None:
    """Session a on two models: nothing; session b on one of them: quarantine. The same failure twice is one."""
    assert quarantine(CASE[:2], 1) is None
    assert quarantine([broken(0), broken(0), broken(1), broken(1, session="b")], 1) is None

    found = quarantine(CASE, 2)
    assert found is not None
    assert ("pool", "north", NOW + 2 * MINUTE) == (found.subject, found.name, found.opened_at)
    assert (NOW + 32 * MINUTE, NOW + 2 * MINUTE + LONGEST) == (found.probation_at, found.ends_at)


def test_only_what_comes_from_the_provider_is_evidence() -> None:
    """The same failures without the word that they are its fault put nothing in quarantine."""
    assert quarantine([evolve(one, indicts=False) for one in CASE], 2) is None
    assert quarantine([*CASE[:2], evolve(CASE[2], indicts=False)], 2) is None


@pytest.mark.parametrize(
    ("stops", "why"),
    [
        ((broken(0), broken(16, "mid", "b")), "more than a quarter of an hour apart"),
        ((broken(0, session=""), broken(1, "mid", "")), "of sessions nobody knows"),
        ((broken(0), broken(1, "mid", "")), "of one session and one that nobody knows"),
        ((broken(0), broken(1, "big", "b")), "of one model"),
        ((broken(0), evolve(broken(1, "mid", "b"), name="cli|south|mid|")), "of two pools"),
        ((broken(0), evolve(broken(1, "mid", "b"), origin="operator")), "of an operator's making"),
    ],
)
def test_what_is_no_case(stops: tuple[Stop, ...], why: str) -> None:
    """Two failures are no case where they are too far apart, or where not two models and two sessions failed."""
    assert quarantine(stops, 16) is None, why


def test_the_policy_says_what_makes_a_case() -> None:
    """How many models, how many sessions, within which time, and how long the pool is left alone."""
    rules = Circuits(models=1, sessions=3, within=HOUR, quarantine=MINUTE)
    three = (broken(0), broken(20, session="b"), broken(40, session="c"))
    found = quarantine(three, 40, rules)
    assert found is not None
    assert NOW + 41 * MINUTE == found.probation_at
    assert quarantine(three, 40) is None


def test_a_success_on_probation_ends_it_and_one_from_before_does_not() -> None:
    """A turn that was under way when others failed proves nothing; one that tried the pool does."""
    at = NOW + 40 * MINUTE
    circuits = fuses(CASE, at)
    for began in (0.0, 31.9):
        assert () == success(circuits, place(), began_at=NOW + began * MINUTE, at=at)
    assert () == success(circuits, place("south-mid-1"), began_at=at, at=at)

    taken = success(circuits, place(), began_at=NOW + 32 * MINUTE, at=at)
    assert quarantine((*CASE, *taken), 40) is None
    assert quarantine((*CASE, *taken, broken(41)), 41) is None, "what was over is not held against it again"


def test_new_evidence_puts_it_in_quarantine_again() -> None:
    """On probation one failure is enough, and it is left alone for as long as before."""
    again = quarantine((*CASE, broken(40, session="z")), 41)
    assert again is not None
    assert NOW + 70 * MINUTE == again.probation_at


def test_it_heals_within_a_day_of_the_last_evidence() -> None:
    """Nobody tried it: it is forgotten, and a single failure after that is no case."""
    minutes = LONGEST / MINUTE + 3
    assert quarantine(CASE, minutes) is None
    assert quarantine((*CASE, broken(minutes)), minutes) is None


def test_to_take_a_failure_back_takes_its_evidence_back() -> None:
    """Rearmed, a candidate or a pool stands as if nothing had failed."""
    circuits = fuses(CASE, NOW + 2 * MINUTE)
    lifted = rearmed([one for one in circuits if one.name == CASE[0].name], (), NOW + 3 * MINUTE)
    assert quarantine((*CASE, *lifted), 3) is None
    whole = rearmed((), ["north"], NOW + 3 * MINUTE)
    assert quarantine((*CASE, *whole), 3) is None
    assert () == rearmed(fuses([STOP], NOW), (), NOW), "an operator's stop is not rearmed"


# --- what a failure opens -----------------------------------------------------------------------


@pytest.mark.parametrize("kind", list(HOLDS))
def test_each_kind_blames_whom_its_row_says_and_for_as_long(kind: FailureKind) -> None:
    """Pool, candidate or nobody; nothing full is known, so that a quota is tried again by its hold."""
    hold = HOLDS[kind]
    found = opened(Failure.of(kind))
    if hold.blames == "none":
        assert () == found
        return
    (stop,) = found
    assert hold.span is not None
    name = "north" if hold.blames == "pool" else "cli|north|north-mid-2|"
    assert (hold.blames, name, kind, NOW + hold.span, False) == (
        stop.subject, stop.name, stop.kind, stop.until, stop.known,
    )  # fmt: skip  # two rows to compare


def test_a_reset_that_was_told_is_the_end_and_one_that_is_over_is_none() -> None:
    """A weekly refusal that resets in three hours opens the pool for exactly three."""
    (told,) = opened(Failure.of("quota", reset_at=NOW + 3 * HOUR))
    assert (NOW + 3 * HOUR, True) == (told.until, told.known)
    (past,) = opened(Failure.of("quota", reset_at=NOW - HOUR))
    assert (NOW + 15 * MINUTE, False) == (past.until, past.known)


def test_a_quota_without_a_reset_ends_with_the_last_of_the_full_windows() -> None:
    """Only full ones count, all of them do, and a scoped one does not bind the pool."""
    scoped = Limit("weekly:big", 100.0, resets_at=LATER + HOUR, scope=Scope("model", "big"))
    for short, week, until, known in (
        (100.0, 100.0, LATER, True),
        (100.0, 12.0, SOON, True),
        (12.0, 100.0, LATER, True),
        (12.0, 12.0, NOW + 15 * MINUTE, False),
    ):
        seen = reading("north", limits=windows(short, week, scoped))
        (stop,) = opened(Failure.of("quota"), readings={"north": seen})
        assert (until, known) == (stop.until, stop.known)


def test_a_quota_of_one_model_fences_that_model_alone() -> None:
    """Where the failure blames the candidate, the windows of the pool say nothing of its end."""
    seen = reading("north", limits=windows(100.0, 100.0))
    (stop,) = opened(Failure.of("quota", blames="candidate"), readings={"north": seen})
    assert ("candidate", NOW + 15 * MINUTE) == (stop.subject, stop.until)


def test_a_login_that_somebody_must_renew_stops_its_pool_until_it_is_seen_to_work() -> None:
    """Any other is a minute for one candidate."""
    alone, whole = opened(Failure.of("auth", human=True))
    assert (NOW + MINUTE, "candidate") == (alone.until, alone.subject)
    assert ("pool", "north", None) == (whole.subject, whole.name, whole.until)
    assert 1 == len(opened(Failure.of("auth")))


def test_a_long_context_that_was_refused_stops_long_needs_only() -> None:
    """Above the window the plan pays for, where that is declared; else from the size that was refused."""
    rules = policy()
    pools = {
        **rules.pools,
        "north": evolve(rules.pools["north"], serving=(Serving("NORTH-mid-2", base_context=200_000),)),
    }
    (stop,) = opened(Failure.of("context-tier"), rules=evolve(rules, pools=pools), context=300_000)
    assert 200_000 == stop.above
    assert [299_999] == [one.above for one in opened(Failure.of("context-tier"), context=300_000)]
    assert [None] == [one.above for one in opened(Failure.of("context-tier"))]


def test_evidence_goes_with_the_candidate_it_names() -> None:
    """A failure that indicts is kept with its session; one that blames the pool is no evidence about its models."""
    (stop,) = opened(evolve(Failure.of("other"), indicts=True))
    assert (True, "s") == (stop.indicts, stop.session)
    (pool,) = opened(evolve(Failure.of("quota"), indicts=True))
    assert not pool.indicts


def test_what_a_fold_keeps_does_not_grow_with_what_ended() -> None:
    """A thousand bursts of one candidate leave the last one."""
    bursts = [evolve(QUOTA, kind="rate", at=NOW + n * MINUTE, until=NOW + (n + 5) * MINUTE) for n in range(1000)]
    assert [1] == [len(stops) for stops in fold(bursts).stops.values()]
