"""Which stops a newer reading or listing lifts: one from the provider itself, fresh, and later than what it contradicts.

A refusal stands for a while against any page, since pages lag behind gates. What an operator said, what nobody could
reach, and whatever ends by itself within minutes is not for a reading to judge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from attrs import frozen

from capacity.core import headroom as heads
from capacity.core.circuits import lifting, pool_of
from capacity.core.facts import fact
from capacity.values.decision import Judged
from capacity.values.failures import Circuit, FailureKind, Stop
from capacity.values.limits import Headroom, LimitHeadroom
from capacity.values.models import Inventory, Model
from capacity.values.policy import Policy


@frozen
class Word:
    """What a source said of something that is stopped.

    Attributes:
        at: when it was true, UTC; None = nothing is known of it, or not lately enough.
        serves: whether it says that it can be used.
    """

    at: datetime | None = None
    serves: bool = False


@frozen
class Witnesses:
    """The sources, and what each says of a stop.

    Attributes:
        inventory: what was listed.
        headroom: what was read.
        policy: gives the lines.
    """

    inventory: Inventory
    headroom: Headroom
    policy: Policy

    def windows(self, circuit: Circuit) -> Word:
        """Whether everything that binds it is open. The oldest of the figures dates the word; a stale one makes it none."""
        known, rules = self.headroom.pools.get(_pool(circuit)), self.policy.pools.get(_pool(circuit))
        if known is None or rules is None:
            return Word()
        limits = list(_binding(known.limits, self._models(circuit)))
        told = [one.observed_at for one in limits if one.observed_at is not None and one.evidence == "fresh"]
        if not told or len(told) < len(limits):
            return Word()
        return Word(min(told), all(heads.standing(one, rules, known) == "open" for one in limits))

    def login(self, circuit: Circuit) -> Word:
        """Whether the pool could be read with the login it has."""
        known = self.headroom.pools.get(circuit.name) if circuit.subject == "pool" else None
        return Word() if known is None or known.state != "ok" else Word(known.observed_at, serves=True)

    def listing(self, circuit: Circuit) -> Word:
        """Whether the pool lists the candidate's model."""
        shelf = self.inventory.pools.get(_pool(circuit))
        return Word() if shelf is None else Word(shelf.observed_at, bool(self._models(circuit)))

    def _models(self, circuit: Circuit) -> Sequence[Model]:
        """The listed models of a candidate's name; none for a whole pool."""
        shelf = self.inventory.pools.get(_pool(circuit))
        if circuit.subject != "candidate" or shelf is None:
            return ()
        return [one.model for one in shelf.find(circuit.name.split("|")[2]) if one.misses == 0]


ASKED: Mapping[FailureKind, Callable[[Witnesses, Circuit], Word]] = {
    "quota": Witnesses.windows,
    "lapsed": Witnesses.windows,
    "balance": Witnesses.windows,
    "auth": Witnesses.login,
    "model": Witnesses.listing,
}
"""Kind of failure → who can say that it is over; no page tells of the others."""

READ: frozenset[FailureKind] = frozenset(kind for kind in ASKED if kind != "model")
"""Kinds that a reading tells of; of a model a listing does."""

AT_ONCE: frozenset[FailureKind] = frozenset({"auth"})
"""Kinds that a reading ends at once: it was made with the very login that had failed."""


def judged(circuits: Iterable[Circuit], inventory: Inventory, headroom: Headroom, policy: Policy) -> tuple[Judged, ...]:
    """Each stop in force, kept or lifted, in the order of their keys.

    Args:
        circuits: those in force.
        inventory: what was listed.
        headroom: what was read.
        policy: gives the lines, and how long a refusal stands against what a page says.
    """
    witnesses = Witnesses(inventory, headroom, policy)
    return tuple(_judged(one, witnesses) for one in sorted(circuits, key=lambda one: one.key))


def liftings(found: Iterable[Judged], at: datetime) -> tuple[Stop, ...]:
    """What is to be entered of them: the liftings.

    Args:
        found: stops that were judged.
        at: the instant they were judged at, aware.
    """
    return tuple(lifting(one.circuit, at) for one in found if one.lifted)


def awaiting(circuits: Iterable[Circuit]) -> frozenset[str]:
    """The pools that a reading may open before their stop ends by itself.

    Args:
        circuits: those in force.
    """
    return frozenset(_pool(one) for one in circuits if one.origin == "refusal" and one.kind in READ)


def changed(stops: Iterable[Stop]) -> Mapping[str, datetime]:
    """Pool → when a failure last told something of it that a reading would tell better.

    Args:
        stops: as they were entered, in force or not.
    """
    told = [(one.at, pool_of(one)) for one in stops if one.origin == "refusal" and one.kind in READ]
    return {pool: at for at, pool in sorted(told, key=lambda one: one[0]) if pool is not None}


def _judged(circuit: Circuit, witnesses: Witnesses) -> Judged:
    if circuit.probation_at is not None and circuit.probation_at <= witnesses.headroom.as_of:
        return Judged(circuit, False, fact("stop-tried", circuit.name))
    ask = None if circuit.origin in ("operator", "evidence") else ASKED.get(circuit.kind)
    if ask is None:
        return _kept(circuit, "stop-stands")
    word, settle = ask(witnesses, circuit), witnesses.policy.circuits.settle
    if word.at is None or word.at <= circuit.opened_at:
        return _kept(circuit, "stop-unanswered", word.at)
    if not word.serves:
        return _kept(circuit, "stop-confirmed", word.at)
    settles = circuit.origin == "refusal" and circuit.kind not in AT_ONCE
    if settles and word.at - circuit.opened_at < settle:
        return _kept(circuit, "stop-unsettled", word.at, circuit.opened_at + settle)
    return Judged(circuit, True, fact("stop-lifted", circuit.name, kind=circuit.kind, observed_at=word.at))


def _kept(circuit: Circuit, code: str, at: datetime | None = None, settles_at: datetime | None = None) -> Judged:
    figures = {"kind": circuit.kind, "observed_at": at, "settles_at": settles_at, **ends(circuit)}
    return Judged(circuit, False, fact(code, circuit.name, **figures))


def ends(circuit: Circuit) -> Mapping[str, datetime | None]:
    """When it ends, by a name that says whether that is known or it is only tried again then."""
    if circuit.known or circuit.origin == "operator":
        return {"until": circuit.ends_at}
    return {"again_at": circuit.probation_at or circuit.ends_at}


def _pool(circuit: Circuit) -> str:
    return pool_of(circuit) or ""


def _binding(limits: Iterable[LimitHeadroom], models: Sequence[Model]) -> Iterator[LimitHeadroom]:
    """The limits of the whole pool that no release frees, and those of a scope that a model answers to."""
    for one in limits:
        scope = one.limit.scope
        if one.limit.frees_on != "release" and (scope is None or any(scope.name in model.names for model in models)):
            yield one
