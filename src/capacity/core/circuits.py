"""The fold of stops into circuits: what may not be used, on whose word, and until when.

An operator's stop has no end but a word to the contrary; every other circuit has a longest life.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from capacity.values.failures import Circuit, Stop

LONGEST = timedelta(hours=24)
"""Longest life of a circuit no operator opened: a day, so that a forgotten one heals by itself."""


def fuses(stops: Iterable[Stop], as_of: datetime) -> tuple[Circuit, ...]:
    """The circuits in force at one instant, sorted by key.

    Args:
        stops: stops and their liftings, in any order. At one instant a lifting comes after the stop.
        as_of: the instant, aware.
    """
    standing: dict[tuple[str, str, str, str], Circuit] = {}
    for stop in sorted(stops, key=lambda stop: (stop.at, stop.lifted, repr(stop))):
        key = (stop.subject, stop.name, stop.kind, stop.origin)
        if stop.lifted:
            standing.pop(key, None)
        else:
            standing[key] = _circuit(stop)
    return tuple(standing[key] for key in sorted(standing) if _in_force(standing[key], as_of))


def _circuit(stop: Stop) -> Circuit:
    ends_at = stop.until
    if stop.origin != "operator":
        longest = stop.at + LONGEST
        ends_at = longest if ends_at is None else min(ends_at, longest)
    return Circuit(stop.origin, stop.subject, stop.name, stop.kind, stop.at, ends_at, stop.note)


def _in_force(circuit: Circuit, as_of: datetime) -> bool:
    return circuit.opened_at <= as_of and (circuit.ends_at is None or as_of < circuit.ends_at)
