"""The reading of a whole server, from its list of models and from what each resident one said. Pure.

A model that is not resident is told by its residency alone: it has no slots to count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import evolve, frozen
from capacity.ports import Limit, Reading

from capacity_llama_cpp._reader import SERVES, loading, refusal, slots_limit, told_slots, unrecognised
from capacity_llama_cpp._shapes import Answer, Props, Row, rows

SOURCE = "server"
"""The source's name: several questions to one server."""


@frozen
class Look:
    """What one resident model said when it was asked for its slots.

    Attributes:
        row: the model.
        props: its `/props`; None = not told.
        slots: the answer of `/slots` or `/metrics`; None = not asked, or no answer.
        silent: something did not answer in time.
    """

    row: Row
    props: Props | None = None
    slots: Answer | None = None
    silent: bool = False


def server(listed: Answer, looks: Sequence[Look]) -> Reading:
    """The reading of a whole server.

    Args:
        listed: its answer to `/models`.
        looks: what each resident model said.
    """
    told = _unserved(listed, looks) or _served(listed, looks)
    return evolve(told, source=SOURCE)


def _unserved(listed: Answer, looks: Sequence[Look]) -> Reading | None:
    """Why the server tells nothing. Some builds show the list without a key and ask for it only afterwards."""
    if rows(listed) is None:
        return loading(listed) or refusal(listed) or unrecognised(listed)
    keyless = (look.slots for look in looks if look.slots and look.slots.doc.status == 401)
    return next((refusal(refused) for refused in keyless), None)


def _served(listed: Answer, looks: Sequence[Look]) -> Reading:
    told = [_slots(look) for look in looks]
    limits = {limit.name: limit for limit, _ in told if limit}
    detail = "; ".join([*_strange(listed), *(detail for _, detail in told if detail)])
    return Reading("", "ok", SOURCE, listed.doc.at, detail=detail or None, limits=(SERVES, *limits.values()))


def _strange(listed: Answer) -> Iterator[str]:
    """The models of which the router says something nobody here knows: whether those serve is unknown."""
    told = rows(listed)
    for row in told.rows if told else ():
        if row.residency is None:
            word = "no status" if row.status is None else f"the status {row.status!r}, which is not known here"
            yield f"{row.id}: has {word}, so nobody can tell whether it serves"


def _slots(look: Look) -> tuple[Limit | None, str | None]:
    """The slots of one model, and what is not known of them. Silence means busy; how busy is then not known."""
    row, known, told = look.row, look.props or Props(), look.slots
    model = row.id if row.routed else None
    if look.silent:
        return slots_limit(model, known.slots, None), f"{row.id}: did not say in time how many slots are free"
    if known.sleeping:
        return None, None
    if told is None:
        return None, f"{row.id}: asking for its slots would keep it awake; start it with --metrics"
    if told.doc.status == 501:
        return None, f"{row.id}: does not tell its slots; start it with --slots or --metrics"
    limit = told_slots(model, known.slots, told)
    return limit, None if limit else f"{row.id}: answered HTTP {told.doc.status} instead of its slots"
