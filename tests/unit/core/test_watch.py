"""The watch stops a session that rewrites its prompt again and again, and nobody else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from capacity.core.watch import looping
from capacity.values.lanes import Watch
from capacity.values.leases import Amount, Settled, Usage
from capacity.values.policy import Policy, PoolPolicy
from capacity.values.seats import Candidate

NOON = datetime(2026, 9, 20, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
POLICY = Policy(pools={"p": PoolPolicy("p", "p", "subscription"), "home": PoolPolicy("home", "home", "local")})


def turn(ago: timedelta, fresh: int = 400_000, cached: int | None = 0, pool: str = "p") -> Settled:
    """One turn that read so many tokens anew, and so many from a cache."""
    half = Amount(Decimal(fresh) / 2)
    read = None if cached is None else Amount(cached)
    usage = Usage(input=half, output=Amount(9), cache_read=read, cache_write=half)
    return Settled(f"s-{ago}", "s", Candidate("h", pool, "m"), NOON - ago, usage=usage)


def turns(count: int, fresh: int = 400_000, cached: int | None = 0, pool: str = "p") -> list[Settled]:
    """So many turns of the last minutes, one a minute."""
    return [turn(MINUTE * ago, fresh, cached, pool) for ago in range(count)]


def test_four_rewrites_of_a_large_prompt_are_a_loop() -> None:
    """What it says is who, how often, and how much was read anew."""
    found = looping(iter(turns(4)), POLICY, NOON)

    assert found is not None
    assert ("core:looping", "s", 4, 1_600_000) == (
        found.code,
        found.subject,
        found.figure("rewrites"),
        found.figure("fresh"),
    )


@pytest.mark.parametrize(
    "settled",
    [
        [],
        turns(3, 800_000),
        turns(4, 370_000),
        turns(5, 90_000),
        turns(5, 400_000, 500_000),
        turns(5, 400_000, None),
        turns(5, 400_000, pool="home"),
        [turn(MINUTE * 2 * ago) for ago in range(5)],
        [turn(-MINUTE * ago) for ago in range(1, 6)],
    ],
    ids=[
        "nothing", "three of any size", "four of too little", "small prompts", "mostly cached", "cache not told", "local",
        "too slow", "not yet",
    ],
)  # fmt: skip  # names of the rows above
def test_what_is_no_loop(settled: list[Settled]) -> None:
    """Volume alone is none, nor what nobody can tell from a first prompt, nor what costs nobody's quota."""
    assert looping(settled, POLICY, NOON) is None


def test_a_loop_is_found_among_ordinary_turns() -> None:
    """Turns that read their cache neither hide a loop nor add to it."""
    mixed = [*turns(4), *(turn(MINUTE * ago, 1_000, 600_000) for ago in range(4))]

    found = looping(mixed, POLICY, NOON)
    assert found is not None
    assert 1_600_000 == found.figure("fresh")


def test_a_stop_is_not_held_against_a_session_twice() -> None:
    """While it rests nothing is said again; afterwards only what came after the stop counts."""
    policy = Policy(pools=POLICY.pools, watch=Watch(span=timedelta(hours=1), rest=MINUTE * 5))
    old = [turn(MINUTE * 10 + MINUTE * ago) for ago in range(4)]

    assert looping(old, policy, NOON) is not None
    assert looping(old, policy, NOON, stopped_at=NOON - MINUTE * 10) is None
    assert looping([*old, *turns(3)], policy, NOON, stopped_at=NOON - MINUTE * 10) is None
    assert looping([*old, *turns(4)], policy, NOON, stopped_at=NOON - MINUTE * 10) is not None
    assert looping(turns(4), policy, NOON, stopped_at=NOON - MINUTE * 4) is None


def test_without_a_watch_nobody_is_stopped() -> None:
    """The policy may switch it off."""
    assert looping(turns(9), Policy(pools=POLICY.pools, watch=None), NOON) is None


def test_a_pool_the_policy_dropped_is_looked_at_all_the_same() -> None:
    """Only what is known to be local is spared."""
    assert looping(turns(4), Policy(), NOON) is not None
