"""What a stop does to the choice for one turn."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

from attrs import evolve

from capacity import Limit
from capacity.core.circuits import LONGEST
from capacity.values.choice import Choice
from capacity.values.failures import Circuit
from capacity.values.seats import Candidate

from .turns import NOW, at, chosen, lease, policy, smart, worker

MINUTE = timedelta(minutes=1)


def model(choice: Choice) -> str | None:
    """The model that was chosen."""
    return None if choice.candidate is None else choice.candidate.model


def quarantine(minutes: float) -> Circuit:
    """A quarantine of `opal` of so many minutes ago, which lasts for half an hour."""
    at = NOW - minutes * MINUTE
    return Circuit("evidence", "pool", "opal", "other", at, at + LONGEST, probation_at=at + 30 * MINUTE)


def test_a_pool_in_quarantine_is_never_chosen() -> None:
    """Whatever room it has."""
    assert "amber-large" == model(chosen(smart(), amber=80, opal=5, quartz=95, circuits=(quarantine(29),)))
    stop = Circuit("operator", "pool", "opal", "other", NOW - LONGEST)
    assert "amber-large" == model(chosen(smart(), amber=80, opal=5, quartz=95, circuits=(stop,)))


def test_on_probation_one_turn_at_a_time_tries_it() -> None:
    """After half an hour it is chosen again, but not while another turn is trying it."""
    trial = (quarantine(31),)
    assert "opal-large" == model(chosen(smart(), amber=95, opal=5, quartz=95, circuits=trial))
    trying = (lease("opal-small", "opal"),)
    busy = chosen(smart(), amber=95, opal=5, quartz=95, circuits=trial, leases=trying)
    assert busy.candidate is None
    assert "amber-large" == model(chosen(smart(), amber=80, opal=5, quartz=95, circuits=trial, leases=trying))


def test_a_session_that_was_there_is_no_exception_on_probation() -> None:
    """While another turn tries its pool it goes elsewhere; where there is nothing else it waits until that one has ended."""
    trial, trying = (quarantine(31),), lease("opal-small", "opal")
    here = Candidate("cli", "opal", "opal-large")
    alone = chosen(smart(here=here), amber=80, opal=5, quartz=95, circuits=trial)
    assert ("stay", here) == (alone.act, alone.candidate)
    beside = chosen(smart(here=here), amber=80, opal=5, quartz=95, circuits=trial, leases=(trying,))
    assert ("move", "amber-large", here) == (beside.act, model(beside), beside.home)
    waiting = chosen(smart(here=here), amber=95, opal=5, quartz=95, circuits=trial, leases=(trying,))
    assert ("wait", "candidate-busy", "core:stop-tried") == (waiting.act, waiting.code, waiting.fact.code)
    assert trying.expires_at == waiting.opens_at


def test_what_a_turn_may_not_use_is_no_part_of_its_story() -> None:
    """Where its own places are spent, the code says so, however many others there are that it may not use."""
    choice = chosen(smart(pools=("opal",)), amber=5, opal=95, quartz=5)
    assert ("refuse", "quota-spent", "opal") == (choice.act, choice.code, choice.fact.subject)


def test_a_refusal_is_held_against_the_newest_reading() -> None:
    """Lifted where that is later by a quarter of an hour, kept where it is not; the choice says which."""
    refused = Circuit("refusal", "pool", "opal", "quota", NOW - 20 * MINUTE, NOW + LONGEST, known=True)
    choice = chosen(smart(), amber=80, opal=5, quartz=95, circuits=(refused,))
    assert ("opal-large", [True]) == (model(choice), [one.lifted for one in choice.circuits])

    late = evolve(refused, opened_at=NOW - 10 * MINUTE)
    choice = chosen(smart(), amber=80, opal=5, quartz=95, circuits=(late,))
    assert ("amber-large", [False]) == (model(choice), [one.lifted for one in choice.circuits])


def test_a_session_is_told_when_its_home_opens_and_who_says_so() -> None:
    """A reset the provider told is no guess, and a guess of ours is one."""
    here = Candidate("cli", "opal", "opal-large")
    refused = Circuit("refusal", "pool", "opal", "quota", NOW - MINUTE, NOW + 2 * MINUTE, known=True)
    for known in (True, False):
        choice = chosen(smart(here=here), amber=5, opal=5, circuits=(evolve(refused, known=known),))
        assert ("move", here, NOW + 2 * MINUTE, known) == (choice.act, choice.home, choice.opens_at, choice.known)


def test_a_burst_moves_one_candidate_and_no_pool() -> None:
    """Its sibling in the same pool goes on."""
    burst = Circuit("refusal", "candidate", "cli|opal|opal-large|", "rate", NOW - MINUTE, NOW + 4 * MINUTE)
    assert "amber-large" == model(chosen(smart(), amber=80, opal=5, quartz=95, circuits=(burst,)))
    assert "opal-small" == model(chosen(worker(context=100_000), amber=80, opal=5, circuits=(burst,)))


def test_what_is_busy_is_waited_for_and_not_refused() -> None:
    """Where nothing else serves, with how long it may take."""
    busy = Circuit(
        "refusal", "candidate", "cli|opal|opal-large|", "busy", NOW - MINUTE, NOW + timedelta(seconds=4), waits=True
    )
    choice = chosen(smart(), amber=95, opal=5, quartz=95, circuits=(busy,))
    assert ("wait", "candidate-busy", timedelta(seconds=4)) == (choice.act, choice.code, choice.wait)


def test_a_session_leaves_a_prepaid_pool_as_soon_as_its_plan_serves_again() -> None:
    """However much of its prompt is still cached there: money that is spent is gone, and what a plan keeps lapses."""
    rules = policy()
    rules = evolve(rules, pools={**rules.pools, "opal": evolve(rules.pools["opal"], kind="metered")})
    purse = (Limit("balance", left={"USD": Decimal(9)}),)
    away = smart(here=at("opal-large"), home=at("amber-large"), cached=1_500_000)
    choice = chosen(away, rules, amber=20, opal=purse, quartz=60)
    assert ("return", "amber-large", 1_600_000) == (choice.act, model(choice), choice.gain)

    kept = chosen(evolve(away, cached=1_700_000), rules, amber=20, opal=purse, quartz=60)
    assert ("stay", "opal-large") == (kept.act, model(kept))
