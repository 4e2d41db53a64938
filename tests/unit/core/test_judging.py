"""Which stops a newer reading lifts, and what a stop does to a decision."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from attrs import evolve

from capacity import Decision, Limit, Model, Scope
from capacity.core.advance import advance
from capacity.core.circuits import LONGEST
from capacity.core.conditions import STOPPED
from capacity.core.decide import decide, prepare
from capacity.core.explain import explain
from capacity.core.judging import changed, judged, liftings
from capacity.values.failures import HOLDS, Circuit, FailureKind, Stop, Subject
from capacity.values.models import Missed
from capacity.values.tick import Tick

from .build import LATER, NOW, decided, headroom, history, inventory, place, policy, reading, seat, windows

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
RULES = policy()


def stopped(kind: FailureKind = "quota", minutes: float = 20.0, subject: Subject = "pool", **more: Any) -> Circuit:
    """A refusal of so many minutes ago."""
    name = "north" if subject == "pool" else "cli|north|north-mid-2|"
    at = NOW - minutes * MINUTE
    given: dict[str, Any] = {"ends_at": NOW + HOUR, **more}
    return Circuit("refusal", subject, name, kind, at, **given)


def verdict(circuit: Circuit, **readings: Any) -> str:
    """What becomes of a stop: the code of its line."""
    stock = readings.pop("stock", inventory())
    (found,) = judged([circuit], stock, headroom(RULES, **readings), RULES)
    assert found.lifted is (found.fact.code == "core:stop-lifted")
    return found.fact.code.removeprefix("core:stop-")


def seen(minutes: float, **more: Any) -> Any:
    """A reading of `north` of so many minutes ago."""
    return evolve(reading("north", **more), observed_at=NOW - minutes * MINUTE)


def only(one: Circuit, *seats: Any, **more: Any) -> Decision:
    """A decision with one stop in force."""
    return decided(past=history(*seats, circuits=(one,)), **more)


# --- what a reading says of it ------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["quota", "lapsed", "balance"])
def test_a_refusal_is_lifted_by_a_reading_once_it_has_settled(kind: FailureKind) -> None:
    """A stop fourteen minutes old when it was read: kept; fifteen: lifted. However old the stop is now."""
    assert "unsettled" == verdict(stopped(kind, 15.0), north=seen(1.0))
    assert "lifted" == verdict(stopped(kind, 16.0), north=seen(1.0))
    assert "unsettled" == verdict(stopped(kind, 18.0), north=seen(4.0))


def test_an_older_reading_never_lifts() -> None:
    """It knew nothing of the refusal, whatever it says; one of the very instant likewise."""
    assert "unanswered" == verdict(stopped(minutes=3.0), north=seen(4.0))
    assert "unanswered" == verdict(stopped(minutes=4.0), north=seen(4.0))


def test_a_stale_reading_never_lifts() -> None:
    """Twice its cadence old it is a lower bound, and says nothing of room."""
    assert "unanswered" == verdict(stopped(minutes=90.0), north=seen(30.0))


def test_no_reading_never_lifts() -> None:
    """Nobody could read it, or nothing was told."""
    assert "unanswered" == verdict(stopped(), north=None)
    assert "unanswered" == verdict(stopped(), north=seen(1.0, limits=()))
    failed = evolve(seen(1.0, limits=()), state="throttled")
    assert "unanswered" == verdict(stopped(), north=failed)


def test_a_reading_that_agrees_keeps_it() -> None:
    """One full window of the pool is enough, or one of which nobody can tell."""
    assert "confirmed" == verdict(stopped(), north=seen(1.0, limits=windows(100.0, 12.0)))
    assert "confirmed" == verdict(stopped(), north=seen(1.0, limits=windows(12.0, None)))


def test_a_full_cap_of_one_model_says_nothing_of_its_pool() -> None:
    """It keeps the stop of the model it names, and lifts that of the pool."""
    cap = Limit("weekly:mid", 100.0, resets_at=LATER, window=timedelta(days=7), scope=Scope("model", "mid"))
    told = seen(1.0, limits=windows(20.0, 30.0, cap))
    assert "lifted" == verdict(stopped(), north=told)
    assert "confirmed" == verdict(stopped(subject="candidate"), north=told)
    assert "lifted" == verdict(evolve(stopped(subject="candidate"), name="cli|north|north-big-2|"), north=told)


def test_an_amount_above_its_floor_lifts() -> None:
    """Somebody paid."""
    paid = evolve(stopped("balance"), name="paid")
    assert "lifted" == verdict(paid)
    empty = reading("paid", limits=(Limit("balance", left={"USD": Decimal(0)}),))
    assert "confirmed" == verdict(paid, paid=empty)


@pytest.mark.parametrize("kind", sorted(HOLDS.keys() - {"quota", "lapsed", "balance", "model", "auth"}))
def test_no_reading_ends_what_it_does_not_tell_of(kind: FailureKind) -> None:
    """A page that can be read does not make a server reachable, a burst over, or a login entitled."""
    for subject in ("pool", "candidate"):
        assert "stands" == verdict(stopped(kind, 50.0, subject), north=seen(1.0))  # type: ignore[arg-type]  # from a table


def test_no_reading_ends_an_operators_stop_or_a_quarantine() -> None:
    """One ends by a word, the other by a trial."""
    for origin in ("operator", "evidence"):
        assert "stands" == verdict(evolve(stopped(), origin=origin), north=seen(1.0))


def test_a_login_that_works_again_is_believed_at_once() -> None:
    """The pool was read with it, after it had failed."""
    assert "lifted" == verdict(stopped("auth", 2.0), north=seen(1.0))
    assert "unanswered" == verdict(stopped("auth", 2.0), north=evolve(seen(1.0, limits=()), state="login-required"))
    assert "unanswered" == verdict(stopped("auth", 2.0, "candidate"), north=seen(1.0))


def test_a_listing_that_shows_the_model_lifts() -> None:
    """A newer one; one that is without it does not."""
    assert "lifted" == verdict(stopped("model", subject="candidate"))
    gone = inventory({"north": (Model("north-big-2"),)}, north=(Missed(Model("north-mid-2"), 1),))
    assert "confirmed" == verdict(stopped("model", subject="candidate"), stock=gone)
    old = evolve(inventory().pools["north"], observed_at=NOW - HOUR)
    stock = evolve(inventory(), pools={"north": old})
    assert "unanswered" == verdict(stopped("model", subject="candidate"), stock=stock)


def test_what_was_lifted_is_entered_and_gone() -> None:
    """One lifting for each, at the instant of the decision; the world after it is without the stop."""
    made = only(stopped(minutes=20.0))
    (found,) = made.circuits
    assert found.lifted
    (stop,) = liftings(made.circuits, made.as_of)
    assert (NOW, "refusal", "pool", "north", "quota", True) == (
        stop.at, stop.origin, stop.subject, stop.name, stop.kind, stop.lifted,
    )  # fmt: skip  # two rows to compare
    assert () == advance(history(circuits=(stopped(),)), made).holds.circuits
    assert () == liftings(only(stopped(minutes=2.0)).circuits, NOW)


def test_a_failure_makes_its_pool_worth_asking() -> None:
    """The newest of those that a reading tells of; a burst and an operator's stop do not."""
    stops = [
        Stop(NOW, "refusal", "pool", "north", "quota"),
        Stop(NOW + MINUTE, "refusal", "candidate", "cli|north|m|", "auth"),
        Stop(NOW + HOUR, "refusal", "candidate", "cli|north|m|", "rate"),
        Stop(NOW + HOUR, "operator", "pool", "south"),
    ]
    assert {"north": NOW + MINUTE} == changed(stops)


# --- what it does to a decision -----------------------------------------------------------------


def told(made: Decision) -> tuple[str, str]:
    """The act for the one seat, and the code of its fact."""
    (placement,) = made.placements
    return placement.act, placement.fact.code.removeprefix("core:")


def test_a_refusal_of_the_quota_moves_a_seat_and_a_burst_does_not() -> None:
    """What lasts is a reason to leave; what is over before the seat has settled elsewhere only keeps others away."""
    assert ("move", "circuit") == told(only(stopped(minutes=2.0)))
    for kind in ("rate", "overload", "auth", "other"):
        assert ("keep", "circuit") == told(only(stopped(kind, 2.0, "candidate")))  # type: ignore[arg-type]  # from a table
    assert ("keep", "circuit") == told(only(stopped("connect", 2.0)))


def test_a_stop_that_a_reading_lifts_moves_nobody() -> None:
    """The seat stays, and the decision says why the stop no longer counts."""
    made = only(stopped(minutes=20.0))
    assert ("keep", "legitimate") == told(made)
    assert ["core:stop-lifted"] == [one.fact.code for one in made.circuits]


def answers(one: Circuit, model: str = "north-mid-2", context: int | None = None, models: Any = None) -> str:
    """The answer to one candidate while a stop is in force."""
    rules = policy()
    desk = prepare(inventory(models), headroom(rules), rules, history(circuits=(one,)))
    need = evolve(desk.survey.resolver.ask(seat()).need, context=context)
    found = desk.answers(need).worst[desk.field.groups[desk.field.index[place(model)]]]
    return "yes" if found is None else f"{found.answer} {found.rule}"


def test_what_is_busy_is_waited_for() -> None:
    """A wait, for the candidate alone."""
    one = stopped("busy", 0.05, "candidate", waits=True)
    assert ("wait circuit", "no tier") == (answers(one), answers(one, "north-big-2"))


def test_on_probation_nobody_can_tell() -> None:
    """Before it, no; from then on seats go elsewhere if they can, and a seat that is there stays."""
    trial = Circuit("evidence", "pool", "north", "other", NOW - 31 * MINUTE, NOW + LONGEST, probation_at=NOW - MINUTE)
    assert "cannot-tell circuit" == answers(trial)
    assert "no circuit" == answers(evolve(trial, probation_at=NOW + MINUTE))
    assert ("keep", "stop-tried") == told(only(trial))
    assert ("move", "circuit") == told(only(evolve(trial, probation_at=NOW + MINUTE)))


def test_a_long_context_is_stopped_above_its_window_only() -> None:
    """Needs that fit into what the plan pays for, and those that do not say, are served."""
    wide = {"north": tuple(evolve(model, context=1_000_000) for model in inventory().pools["north"].models)}
    one = stopped("context-tier", 2.0, "candidate", above=200_000)
    found = [answers(one, context=context, models=wide) for context in (None, 200_000, 200_001)]
    assert ["yes", "yes", "no circuit"] == found


@pytest.mark.parametrize(("kind", "subject"), sorted(STOPPED))
def test_what_a_stop_means_is_a_condition_until_it_ends(kind: FailureKind, subject: Subject) -> None:
    """Raised while it is kept, cleared once it is lifted or over."""
    one = stopped(kind, 2.0, subject, ends_at=NOW + HOUR)
    stock, code = inventory(), f"core:{STOPPED[kind, subject]}"
    raised = only(one, north=None).conditions
    (condition,) = [found for found in raised if found.fact.code == code]
    assert ("raised", one.name) == (condition.status, condition.fact.subject)

    rules = policy()
    past = evolve(history(), conditions=raised)
    ended = decide(stock, headroom(rules), rules, past).conditions
    assert ["cleared"] == [found.status for found in ended if found.fact.code == code]


def test_a_quarantine_is_loud_and_names_the_word_that_undoes_it() -> None:
    """Nobody has to find out for himself."""
    trial = Circuit("evidence", "pool", "north", "other", NOW - MINUTE, NOW + LONGEST, probation_at=NOW + HOUR)
    rules, past = policy(), history(circuits=(trial,))
    made = decide(inventory(), headroom(rules), rules, past)
    (condition,) = [one for one in made.conditions if one.fact.code == "core:quarantined"]
    assert condition.loud
    text = explain(Tick(inventory(), headroom(rules), rules, past, made))
    assert "`capacity rearm north` takes that back" in text
    assert "kept: the stop of north (other) stands" in text
    assert "kept: the stop of north" in explain(Tick(inventory(), headroom(rules), rules, past, made), pool="north")
    assert "kept:" not in explain(Tick(inventory(), headroom(rules), rules, past, made), pool="south")


def test_a_guess_is_never_shown_as_a_promise() -> None:
    """An end that a provider told is an end; any other is the next try."""
    for known, words in ((True, "until Sun 2026-09-20 13:00Z"), (False, "to be tried again Sun 2026-09-20 13:00Z")):
        rules, past = policy(), history(circuits=(stopped(minutes=2.0, known=known),))
        assert words in explain(Tick(inventory(), headroom(rules), rules, past))
