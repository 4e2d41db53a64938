"""What is wrong with a pick, by rules stated in the README and by nobody's code but this.

Where two readings of a rule differ, only what is wrong by both is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import define, field

from benchmarks.side_by_side.deployment import DAY, DEPLOYMENT, is_local, pool_of
from benchmarks.side_by_side.generate import Event, Situation

KINDS = (
    "wall crossed", "exhausted chosen", "early unlock", "capped model leased", "stopped place chosen",
    "unreadable drained", "uneven rotation", "wrong blame", "nothing chosen",
)  # fmt: skip  # one list, read as rows
"""What is counted. Of one pick the first that applies."""

READ_FOR = 900
"""Seconds for which a reading tells what a pool has left. No situation has one between these and three hours."""

LEVEL = 2.0
"""Points within which pools count as level."""

IN_FLIGHT = 5.0
"""Points that a lease in flight counts for at the most."""

OPEN = 90.0
"""Percent used under which a pool is open by anybody's line."""

AT_LEAST = 10
"""Seconds for which anything that is blamed is left alone, whatever the failure was."""


@define
class Known:
    """What is known at one instant of a situation.

    Attributes:
        now: the instant.
        read: pool → its last reading.
        spent: pool → percent by our own count.
        leases: model → leases in flight.
        resident: local models that are loaded.
        stops: model or pool → until when it is stopped.
        doubted: models and pools that failed, for which nothing is certain.
    """

    now: int = 0
    read: dict[str, Event] = field(factory=dict)
    spent: dict[str, float] = field(factory=dict)
    leases: Mapping[str, int] = field(factory=dict)
    resident: Sequence[str] = ()
    stops: dict[str, float] = field(factory=dict)
    doubted: set[str] = field(factory=set)

    def learn(self, event: Event) -> None:
        """Take in what happened."""
        self.now = event["at"]
        if "read" in event:
            self.read[event["read"]] = event
        elif "spent" in event:
            self.spent[event["spent"]] = event["percent"]
        elif "leases" in event:
            self.leases = event["leases"]
        elif "resident" in event:
            self.resident = event["resident"]
        elif "stop" in event:
            self.stops[event["stop"]] = DAY * 99 if event["until"] is None else event["until"]
        elif "failed" in event:
            self._failed(event)

    def _failed(self, event: Event) -> None:
        self.doubted |= {event["failed"], pool_of(event["failed"])}
        if event["blames"] != "none":
            name = event["failed"] if event["blames"] == "candidate" else pool_of(event["failed"])
            self.stops[name] = max(event["at"] + AT_LEAST, event["until"] or 0)

    def windows(self, pool: str) -> Sequence[tuple[str, float, int]]:
        """The windows of a pool's last reading that are not over."""
        told = self.read.get(pool, {}).get("windows", ())
        return [(name, used, ends) for name, used, ends in told if ends > self.now]

    def is_read(self, pool: str) -> bool:
        """Whether it is known what a pool has left."""
        told = self.read.get(pool)
        weekly = any(name == "weekly" for name, _, _ in self.windows(pool))
        return told is not None and self.now - told["at"] < READ_FOR and weekly

    def used(self, pool: str) -> tuple[float, float]:
        """The least and the most that a pool which is read may be taken for, in percent."""
        whole = {name: used for name, used, _ in self.windows(pool) if ":" not in name}
        return whole["weekly"], max(whole.values())

    def is_stopped(self, model: str) -> bool:
        """Whether a stop on it or its pool is in force."""
        return any(self.stops.get(name, 0) > self.now for name in (model, pool_of(model)))


# --- one pick ---------------------------------------------------------------------------------------


def wrong(known: Known, asked: Event, pick: str | None) -> str | None:
    """The kind of what is wrong with one pick; None where nothing is."""
    if pick is None:
        return (
            "nothing chosen" if any(certain(known, asked, model) for part in parts(asked) for model in part) else None
        )
    if not may_reach(asked, pick):
        return "wall crossed"
    windows = known.windows(pool_of(pick))
    if any(used >= 100 and ":" not in name for name, used, _ in windows):
        over = len(windows) < len(known.read[pool_of(pick)]["windows"])
        return "early unlock" if over else "exhausted chosen"
    if any(used >= 100 and name == f"weekly:{pick}" for name, used, _ in windows):
        return "capped model leased"
    if known.is_stopped(pick):
        return "stopped place chosen"
    return "unreadable drained" if drained(known, asked, pick) else None


def parts(asked: Event) -> Sequence[Sequence[str]]:
    """The parts of the lane that is asked."""
    found: Sequence[Sequence[str]] = DEPLOYMENT["lanes"][asked["ask"]]["parts"]
    return found


def may_reach(asked: Event, model: str) -> bool:
    """Whether the wall of the lane, or of the turn itself, lets a request through to a model."""
    lane = DEPLOYMENT["lanes"][asked["ask"]]
    walled = asked["local"] or (lane.get("wall") and pool_of(model) not in lane.get("allow", ()))
    return is_local(model) or not walled


def certain(known: Known, asked: Event, model: str) -> bool:
    """Whether a model can serve beyond any doubt."""
    if not may_reach(asked, model) or known.is_stopped(model) or known.doubted & {model, pool_of(model)}:
        return False
    size, said = asked["size"], DEPLOYMENT["models"][model]
    if is_local(model):
        room = said["window"] - said["reserve"] if "reserve" in said else said["window"] * 0.6
        fits = size is not None and said.get("least", 0) <= size <= room
        return fits and model in known.resident and known.leases.get(model, 0) < said["slots"]
    binding = [used for name, used, _ in known.windows(pool_of(model)) if name in ("5h", "weekly", f"weekly:{model}")]
    return known.is_read(pool_of(model)) and max(binding) < OPEN and (size or 0) <= said["window"] * 0.85


def drained(known: Known, asked: Event, pick: str) -> bool:
    """Whether a pool nobody can read was taken before one that is known to have more left.

    It may count for as little as our own count and the mean of the pools that were read say, over all of them or over
    those that can serve, whichever is less.
    """
    pool = pool_of(pick)
    if is_local(pick) or known.is_read(pool):
        return False
    part = next(part for part in parts(asked) if pick in part)
    able = {pool_of(model) for model in part if not is_local(model) and certain(known, asked, model)}
    if not able:
        return False
    every = [known.used(name)[0] for name in DEPLOYMENT["pools"] if known.is_read(name)]
    serving = [known.used(name)[0] for name in able]
    least = max(known.spent.get(pool, 0.0), min(sum(every) / len(every), sum(serving) / len(serving)))
    flight = Counter[str]()
    for model, count in known.leases.items():
        flight[pool_of(model)] += count
    return any(known.used(name)[1] + IN_FLIGHT * flight[name] + LEVEL < least for name in able)


# --- a run of picks -------------------------------------------------------------------------------


def uneven(known: Known, asked: Event, picks: Sequence[str | None]) -> bool:
    """Whether level pools did not get the same, or the local share not its own, give or take one lease.

    Only asked of a run in which nothing changes and everything in the lane is certain.
    """
    lane = DEPLOYMENT["lanes"][asked["ask"]]
    models = [model for model in parts(asked)[0] if certain(known, asked, model)]
    pools = {pool_of(model) for model in models if not is_local(model)}
    if (
        len(picks) < 4 * len(pools)
        or len(pools) < 2
        or known.leases
        or not all(map(known.is_read, DEPLOYMENT["pools"]))
    ):
        return False
    least = min(known.used(pool)[1] for pool in pools)
    level = [pool for pool in pools if known.used(pool)[1] <= least + LEVEL]
    shares = any(map(is_local, models)) and "local_share" in lane
    home = len(picks) / lane["local_share"] if shares else 0.0
    each = (len(picks) - home) / len(level)
    found = Counter(None if pick is None else pool_of(pick) for pick in picks)
    return abs(found["box"] - home) > 1.0 or any(abs(found[pool] - each) > 1.0 for pool in level)


def judged(situation: Situation, answers: Sequence[Any]) -> Iterator[str]:
    """The kinds of what is wrong in one situation, one for each thing that is wrong.

    Args:
        situation: what happened.
        answers: whom each failure was blamed on, and what was picked for each turn, in order; None = nothing.
    """
    known, left = Known(), iter(answers)
    for event in situation["events"]:
        known.learn(event)
        if "failed" in event and next(left) != event["blames"]:
            yield "wrong blame"
        if "ask" in event:
            picks = [next(left) for _ in range(event["times"])]
            yield from (kind for kind in (wrong(known, event, pick) for pick in picks) if kind is not None)
            if uneven(known, event, picks):
                yield "uneven rotation"
