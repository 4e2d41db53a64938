"""A thousand situations from a seed. The digest of what is recorded is kept, so that nobody measures others by accident.

A situation is what happens one after another in the deployment, in seconds since its beginning: pools that are read or
cannot be, own counts, leases in flight, stops, failures, and turns that ask for a place.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from benchmarks.side_by_side.deployment import DAY, DEPLOYMENT, HOUR, is_local, pool_of
from benchmarks.side_by_side.failures import FAILURES

T = TypeVar("T")
Event = Mapping[str, Any]
Situation = Mapping[str, Any]

COUNT = 1_000
SEED = "one thousand turns"
DIGEST = "efe328818a6196319dd8021387c7069d8bad2279972141cf04b3d33e11011c2d"
"""SHA-256 of the record of `COUNT` situations."""

POOLS = tuple(DEPLOYMENT["pools"])
CLOUD = tuple(name for name in DEPLOYMENT["models"] if not is_local(name))
NOW = 2 * DAY
"""When turns ask: two days after a situation begins, so that there is a past."""


class Chance:
    """Draws. Only `random()` is used, whose sequence every Python promises."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed).random

    def one_in(self, count: float) -> bool:
        """True once in so many draws."""
        return self._random() * count < 1.0

    def between(self, least: int, most: int) -> int:
        """A whole number, both ends included."""
        return least + int(self._random() * (most - least + 1))

    def of(self, several: Sequence[T]) -> T:
        """One of several."""
        return several[int(self._random() * len(several))]

    def some(self, several: Sequence[T], count: int) -> list[T]:
        """So many of several, in a drawn order."""
        drawn = sorted((self._random(), at) for at in range(len(several)))
        return [several[at] for _, at in drawn[:count]]


# --- what happens ---------------------------------------------------------------------------------


def read(pool: str, at: int, short: int, weekly: int, chance: Chance, **caps: int) -> Event:
    """A pool that is read: windows as [name, percent used, seconds at which it resets]."""
    ends = at + chance.between(1, 6) * DAY
    windows = [["5h", short, at + chance.between(600, 5 * HOUR)], ["weekly", weekly, ends]]
    return {
        "at": at,
        "read": pool,
        "windows": [*windows, *([f"weekly:{name}", used, ends] for name, used in caps.items())],
    }


def ask(at: int, lane: str, size: int | None = 10_000, *, local: bool = False, times: int = 1) -> Event:
    """So many turns that ask, each of which ends before the next one begins."""
    return {"at": at, "ask": lane, "size": size, "local": local, "times": times}


def unread(pool: str, at: int, chance: Chance) -> list[Event]:
    """A pool nobody can read: it never was, or was a while ago; our own count of it may be known."""
    events: list[Event] = []
    if chance.one_in(2):
        events.append(
            read(pool, chance.between(0, NOW - 3 * HOUR), chance.between(0, 30), chance.between(0, 40), chance)
        )
    if chance.one_in(2):
        events.append({"at": at, "spent": pool, "percent": chance.between(0, 60)})
    return [*events, {"at": at, "unread": pool}]


def any_read(pool: str, at: int, chance: Chance) -> Event:
    """A pool that was read just now, somewhere between empty and full."""
    weekly = 100 if chance.one_in(8) else chance.between(0, 96)
    short = 100 if chance.one_in(10) else chance.between(0, 96)
    caps = (
        {}
        if DEPLOYMENT["pools"][pool] != "scoped" or chance.one_in(2)
        else {
            chance.of([name for name in CLOUD if pool_of(name) == pool]): 100
            if chance.one_in(2)
            else chance.between(0, 80)
        }
    )
    return read(pool, at, short, weekly, chance, **caps)


def flight(at: int, chance: Chance) -> Event:
    """Leases in flight, model by model."""
    models = chance.some(tuple(DEPLOYMENT["models"]), chance.between(0, 4))
    return {"at": at, "leases": {name: 1 if name == "big" else chance.between(1, 3) for name in sorted(models)}}


def resident(at: int, chance: Chance) -> Event:
    """Local models that are loaded."""
    return {"at": at, "resident": [name for name in ("nine", "big") if not chance.one_in(4)]}


# --- families ------------------------------------------------------------------------------------


def moment(chance: Chance) -> Iterator[Event]:
    """Anything at once, and a turn in any lane."""
    for pool in POOLS:
        if chance.one_in(5):
            yield from unread(pool, NOW - 60, chance)
        else:
            yield any_read(pool, NOW - 60, chance)
    if chance.one_in(4):
        name = chance.of((*POOLS, *CLOUD))
        yield {"at": NOW - 30, "stop": name, "until": None if chance.one_in(2) else NOW + chance.between(60, DAY)}
    yield resident(NOW, chance)
    yield flight(NOW, chance)
    size = None if chance.one_in(8) else chance.between(500, 120_000)
    yield ask(NOW, chance.of(tuple(DEPLOYMENT["lanes"])), size, local=chance.one_in(10))


def caps(chance: Chance) -> Iterator[Event]:
    """Caps of single models that are full while their pool has much left."""
    for pool in POOLS:
        owned = [name for name in CLOUD if pool_of(name) == pool]
        capped = {name: 100 for name in owned if not chance.one_in(3)} if DEPLOYMENT["pools"][pool] == "scoped" else {}
        yield read(
            pool, NOW - 60, chance.between(0, 60), 100 if chance.one_in(3) else chance.between(0, 90), chance, **capped
        )
    yield ask(NOW, chance.of(("smart", "build", "worker", "review", "amber-first")))


def blind(chance: Chance) -> Iterator[Event]:
    """Pools nobody can read beside some that can be, and several turns."""
    hidden = chance.some(POOLS, chance.between(1, 3))
    for pool in POOLS:
        if pool in hidden:
            yield from unread(pool, NOW - 60, chance)
        else:
            yield read(pool, NOW - 60, chance.between(0, 60), chance.between(5, 85), chance)
    yield ask(NOW, chance.of(("smart", "build", "worker")), times=chance.between(1, 6))


def walls(chance: Chance) -> Iterator[Event]:
    """Turns that may not leave, while everything outside is free and little at home is."""
    for pool in POOLS:
        yield read(pool, NOW - 60, 0, chance.between(0, 20), chance)
    yield resident(NOW, chance)
    yield {"at": NOW, "leases": {"nine": chance.between(0, 3), "big": chance.between(0, 1)}}
    size = None if chance.one_in(6) else chance.between(500, 120_000)
    lane = chance.of(("private", "offline", "memory", "worker", "review"))
    yield ask(NOW, lane, size, local=lane in ("worker", "review"))


def unlock(chance: Chance) -> Iterator[Event]:
    """A window is full for long and another ends soon; in between nobody can read the pool, or is due to."""
    lane = chance.of(("amber-first", "opal-first", "quartz-first"))
    full, other = (pool_of(part[0]) for part in DEPLOYMENT["lanes"][lane]["parts"])
    soon = chance.one_in(2)  # within the minute for which any page is believed, or after nobody could read it again
    ends = 30 if soon else chance.between(1, 5) * HOUR
    short = 100 if not chance.one_in(3) or DEPLOYMENT["pools"][full] != "paired" else chance.between(5, 95)
    windows = [["5h", short, NOW + ends], ["weekly", 100, NOW + chance.between(1, 6) * DAY]]
    yield {"at": NOW, "read": full, "windows": windows}
    yield ask(NOW + 1, lane)
    if not soon:
        yield {"at": NOW + ends - 20, "unread": full}
        yield read(other, NOW + ends - 20, 100 if chance.one_in(3) else 10, chance.between(0, 90), chance)
    yield ask(NOW + ends + 15, lane)


def runs(chance: Chance) -> Iterator[Event]:
    """Many turns of one lane while some of its pools are level and the others much fuller."""
    lane = chance.of(("worker", "worker", "smart", "build"))
    pools = sorted({pool_of(name) for name in DEPLOYMENT["lanes"][lane]["parts"][0] if not is_local(name)})
    level, used = chance.some(pools, chance.between(2, len(pools))), chance.between(10, 50)
    for pool in POOLS:
        yield read(
            pool, NOW - 60, 5, used + chance.between(0, 1) if pool in level else used + chance.between(15, 30), chance
        )
    yield {"at": NOW, "resident": ["nine"] if not chance.one_in(4) else []}
    yield ask(NOW, lane, times=chance.between(24, 60))


def blame(chance: Chance) -> Iterator[Event]:
    """A turn fails, and others ask right after it and somewhat later."""
    for pool in POOLS:
        yield read(pool, NOW - 60, chance.between(0, 20), chance.between(0, 60), chance)
    one, lane = chance.of(FAILURES), chance.of(("smart", "build", "amber-first", "opal-first"))
    model = chance.of(DEPLOYMENT["lanes"][lane]["parts"][0])
    told = {"status": one.status, "code": one.code, "message": one.message, "transport": one.transport}
    until = NOW + one.lasts if one.lasts else None
    yield {"at": NOW, "failed": model, "failure": told, "blames": one.blames, "until": until}
    yield ask(NOW + 5, lane, times=4)
    if until is not None:
        yield {"at": until - HOUR, "unread": pool_of(model)}
        yield ask(until - HOUR, lane)


FAMILIES: Mapping[str, tuple[int, Callable[[Chance], Iterator[Event]]]] = {
    "moment": (35, moment),
    "caps": (10, caps),
    "blind": (15, blind),
    "walls": (10, walls),
    "unlock": (10, unlock),
    "runs": (10, runs),
    "blame": (10, blame),
}
"""Family → of a hundred situations so many, and what happens in them."""


def situations(count: int = COUNT) -> Iterator[Situation]:
    """So many situations, always the same ones."""
    order = [name for name, (share, _) in FAMILIES.items() for _ in range(share)]
    for number in range(count):
        family = order[number * 37 % len(order)]  # coprime: every hundred has its shares, in a mixed order
        events = FAMILIES[family][1](Chance(f"{SEED} {number}"))
        yield {"number": number, "family": family, "events": sorted(events, key=lambda event: int(event["at"]))}


def record(count: int = COUNT) -> str:
    """The deployment and its situations, one a line."""
    rows = [{"deployment": DEPLOYMENT}, *situations(count)]
    return "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)


def digest(text: str) -> str:
    """What tells one record from another."""
    return hashlib.sha256(text.encode()).hexdigest()
