"""Leases, choices and what came of them, for a person."""

from __future__ import annotations

from collections.abc import Iterator

from capacity.cli.lines import age, failure_line, soon
from capacity.core.explain import place
from capacity.core.sentences import instant, sentence
from capacity.engine import Reply
from capacity.values.choice import Choice
from capacity.values.leases import Lease, Refused, Wait


def lease_line(lease: Lease) -> str:
    """A lease: its id, where it runs, until when, and where its session belongs if not there."""
    told = [f"{lease.id}: {place(lease.candidate)}", f"egress {lease.egress}"]
    told.append(f"{'' if lease.claimed else 'offered, '}until {soon(lease.expires_at, lease.offered_at)}")
    if lease.home is not None:
        back = "" if lease.returns_at is None else f", which may be had again {instant(lease.returns_at)}"
        told.append(f"away from {place(lease.home)}{back}")
    if lease.unread:
        told.append("its pool was due to be asked and did not answer in time")
    return ", ".join(told)


def none_line(told: Wait | Refused) -> str:
    """Why there is no lease, and when there may be one."""
    why = sentence(told.fact)
    if isinstance(told, Wait):
        span = "" if told.span is None else f", {age(told.span)} at the most"
        return f"wait ({told.code}{span}): {why}"
    until = "" if told.until is None else f" until {instant(told.until)}" + ("" if told.known else ", which is a guess")
    return f"refused ({told.code}{until}): {why}"


def reply_line(reply: Reply) -> str:
    """The end of a lease, and what follows from it."""
    ended = reply.settled
    told = [f"{ended.lease} ended: {ended.ending}"]
    if ended.failure is not None:
        told.append(failure_line(ended.failure))
        told.append("another lease is worth asking for" if reply.retry else "the same request would fail again")
    if reply.looping is not None:
        told.append(f"the session has to stop: {sentence(reply.looping)}")
    return "\n  ".join(told)


def choice_text(choice: Choice) -> str:
    """A choice: what was done, why, what came after it, and what was refused."""
    return "\n".join(_told(choice))


def _told(choice: Choice) -> Iterator[str]:
    where = "" if choice.candidate is None else f" {place(choice.candidate)}"
    code = "" if choice.code is None else f" ({choice.code})"
    yield f"{choice.id}: {choice.act}{where}{code}: {sentence(choice.fact)}"
    yield from (f"  {sentence(reason)}" for reason in choice.reasons)
    if choice.gain is not None:
        yield f"  going home is worth {choice.gain:,} tokens and would read {choice.cost or 0:,} anew"
    if choice.home is not None:
        yield f"  it belongs on {place(choice.home)}"
    if choice.opens_at is not None:
        yield f"  that may be had {instant(choice.opens_at)}" + ("" if choice.known else ", which is a guess")
    yield from (f"  then {place(one.candidate)}, behind by {one.by}" for one in choice.runners_up)
    yield from (f"  {count} refused: {code}" for code, count in sorted(choice.table.refused.items()))
    yield from (f"  {sentence(one.fact)}" for one in choice.circuits)
