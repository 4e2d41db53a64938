"""Values as rows, for a person. Facts, places, figures and instants are told in the words of `capacity.core`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from capacity.cli.lines import age, soon
from capacity.cli.screen import Table
from capacity.core.explain import counted, figure, place
from capacity.core.headroom import standing
from capacity.core.sentences import instant, sentence
from capacity.ports import Outcome, Placement, Snapshot
from capacity.values.conditions import Condition
from capacity.values.decision import WRITES
from capacity.values.failures import Circuit
from capacity.values.limits import PoolHeadroom
from capacity.values.policy import PoolPolicy


def pools_table(pools: Iterable[PoolHeadroom], policies: Mapping[str, PoolPolicy], as_of: datetime) -> Table:
    """Each limit of each pool: what is used or left, how surely, where it stands, when it resets; and how it was read."""
    columns = ("pool", "pace", "limit", "used or left", "evidence", "stands", "resets", "read", "last answer")
    rows = (row for pool in pools for row in _pool_rows(pool, policies.get(pool.pool), as_of))
    return Table("pools", columns, tuple(rows))


def _pool_rows(pool: PoolHeadroom, rules: PoolPolicy | None, as_of: datetime) -> Iterator[tuple[str, ...]]:
    first: tuple[str, str] = (pool.pool, pool.pace)
    last = answer(pool, as_of)
    if not pool.limits:
        yield (*first, "", "nothing known", "", "", "", _ago(pool.observed_at, as_of), last)
    for known in pool.limits:
        limit = known.limit
        stands = "not placed on" if rules is None else standing(known, rules, pool)
        resets = "" if limit.resets_at is None else instant(limit.resets_at)
        read = _ago(known.observed_at or pool.observed_at, as_of)
        yield (*first, limit.name, figure(limit, known.used), known.evidence, stands, resets, read, last)
        first, last = ("", ""), ""


def _ago(at: datetime | None, as_of: datetime) -> str:
    """How old something is."""
    return "never" if at is None else f"{age(as_of - at)} ago"


def answer(pool: PoolHeadroom, as_of: datetime) -> str:
    """What came of asking last: the state, what was wrong, and when it may be asked again."""
    told = [pool.state or "never asked", *([pool.detail] if pool.detail else [])]
    again = "" if pool.retry_at is None else f", not to be asked before {soon(pool.retry_at, as_of)}"
    return ": ".join(told) + again


def models_table(snapshot: Snapshot) -> Table:
    """What each pool lists, in a line."""
    rows = (
        (
            shelf.pool,
            str(len(shelf.models)),
            ", ".join(sorted({model.residency for model in shelf.models if model.residency})),
            ", ".join(one.model.id for one in shelf.missed),
            shelf.authority if shelf.fresh else f"{shelf.authority}, no longer fresh",
            f"{age(snapshot.as_of - shelf.observed_at)} ago",
        )
        for shelf in snapshot.models
    )
    return Table("models", ("pool", "listed", "residency", "missing", "authority", "read"), tuple(rows))


def seats_table(placements: Iterable[Placement], outcomes: Mapping[str, Outcome] | None = None) -> Table:
    """What is done with each seat, and why.

    Args:
        placements: the acts.
        outcomes: placement → what became of it; None = they were not sent, and no such column is shown.
    """
    columns = ("seat", "act", "is", "goes", *(() if outcomes is None else ("outcome",)), "because")
    rows = (
        (
            f"{one.fleet}/{one.seat}",
            one.act,
            *_whence(one),
            *(() if outcomes is None else (_outcome(outcomes.get(one.id)),)),
            sentence(one.fact),
        )
        for one in placements
    )
    return Table("seats", columns, tuple(rows))


def _whence(one: Placement) -> tuple[str, str]:
    here = "" if one.expected is None else place(one.expected)
    if one.act == "park":
        return here, f"until {instant(one.until) if one.until else 'somebody acts'}"
    return here, place(one.candidate) if one.candidate not in (None, one.expected) else ""


def _outcome(outcome: Outcome | None) -> str:
    if outcome is None:
        return ""
    return f"{outcome.word}: {outcome.detail}" if outcome.detail else outcome.word


def conditions_table(conditions: Iterable[Condition], *, ended: bool = False) -> Table:
    """What stands, since when, what ends it, and whether a person is needed; or what ended.

    Args:
        conditions: of either kind.
        ended: which kind is shown.
    """
    rows = (
        ("loud" if one.loud and not ended else "", instant(one.since), one.ends, sentence(one.fact))
        for one in conditions
        if (one.status == "cleared") is ended
    )
    title, at = ("ended", "at") if ended else ("conditions", "since")
    return Table(title, ("", at, "ends by", "what"), tuple(rows))


def stops_table(circuits: Iterable[Circuit]) -> Table:
    """What is stopped, by whom, until when. An end that nobody told is no promise, and is not shown as one."""
    rows = ((one.subject, one.name, one.origin, one.kind, _ends(one), one.note or _bound(one)) for one in circuits)
    return Table("stops", ("", "what", "by", "kind", "until", "note"), tuple(rows))


def _ends(circuit: Circuit) -> str:
    if circuit.ends_at is None:
        return "it is lifted"
    again = circuit.probation_at or (None if circuit.known or circuit.origin == "operator" else circuit.ends_at)
    return instant(circuit.ends_at) if again is None else f"tried again {instant(again)}"


def _bound(circuit: Circuit) -> str:
    return "" if circuit.above is None else f"only above {circuit.above:,} tokens"


def written(placements: Iterable[Placement]) -> list[Placement]:
    """The acts that change something."""
    return [one for one in placements if one.act in WRITES]


def tally(placements: Iterable[Placement]) -> str:
    """How many seats there are, and what is done with them."""
    acts = Counter(one.act for one in placements)
    told = ", ".join(f"{acts[act]} {act}" for act in sorted(acts, key=lambda act: (act not in WRITES, act)))
    return counted(acts.total(), "seat") + (f": {told}" if told else "")
