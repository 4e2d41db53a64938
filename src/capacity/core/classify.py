"""Whose fault a failure is: kind, blame, hold and reset, by rules in a fixed order. Pure; the same evidence, the same answer.

The rules of `RULES` are asked in their order, and the first that knows decides: what is plainly ours; the backend's reader,
who has seen the codes and knows what they mean there; codes that mean one thing with everybody; headers; whole phrases of
the text; and last what the wire or a status says by itself. What none of them knows is `other`, which fences one candidate.
Only a 5xx or a broken connection of this very request indicts, and only where nothing else explains it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from attrs import evolve, frozen

from capacity.core import phrases
from capacity.core.bodies import SHORT, plain
from capacity.core.codes import EXACT, REPAIRED, VAGUE, indicting, of_status
from capacity.core.evidence import UNIFIED, Evidence, Headers, evidence, told_reset
from capacity.core.facts import fact
from capacity.core.resets import Reset
from capacity.core.wordings import WORDINGS
from capacity.values.conditions import Fact
from capacity.values.failures import HOLDS, NEEDS_HUMAN, Blames, Failure, FailureKind, Hold, Transport

ENDED = frozenset({130, 137, 143, -2, -9, -15})
"""Exit codes of a process that somebody here ended (SIGINT, SIGKILL, SIGTERM; 128 more behind a shell): no failure of its
own."""

TIMED = frozenset({"quota", "lapsed", "balance", "rate", "overload", "busy", "loading"})
"""Kinds that end by themselves when the provider says; a reset beside any other speaks of something else."""

PAID = frozenset({"balance", "lapsed", "entitlement"})
"""Kinds that do not end until a person pays or signs for something, whoever tells them."""

CLAIMS = frozenset({"five_hour", "seven_day", ""})
"""What the headers of a subscription name as the cause where the whole account refuses."""


@frozen
class Finding:
    """What a rule knows.

    Attributes:
        kind: the kind of the failure.
        why: what it rests on.
        blames: whose fault it is; None = what the kind blames.
        human: whether nothing but a person ends it.
        bare: whether nothing explains it but a status or the wire.
    """

    kind: FailureKind
    why: Fact
    blames: Blames | None = None
    human: bool = False
    bare: bool = False


def classify(
    *,
    at: datetime,
    body: bytes | str = b"",
    status: int | None = None,
    headers: Headers = (),
    text: str = "",
    exit_code: int | None = None,
    transport: Transport | None = None,
    zone: str | None = None,
    provider: str = "",
    told: Failure | None = None,
    holds: Mapping[FailureKind, Hold] = HOLDS,
) -> Failure:
    """Classify a failure: what kind it is, whom it blames, until when, and whether it is evidence against the provider.

    Args:
        at: when it happened, aware.
        body: what was answered, printed or streamed.
        status: HTTP status of the answer; None = no answer, or not over HTTP. Nothing but this and `transport` indicts.
        headers: of the answer.
        text: what an error says beside it; whoever gives one says that something failed.
        exit_code: of the process that ran the request.
        transport: how the request ended without an answer, or within it.
        zone: IANA zone of the host whose clock a text shows; None = not known, and such a clock gives no instant.
        provider: the name by which a gateway knows who was asked; "" = not known, and nobody is charged on hearsay.
        told: what the backend's `Reader.failure` says of the same answer.
        holds: kind → whom it blames, and for how long, as the policy says.

    Returns:
        The failure. Where nothing says that anything failed it is `noop` with the fact `core:nothing-failed`.
    """
    seen = evidence(
        at=at, body=body, status=status, headers=headers, text=text, exit_code=exit_code, transport=transport,
        zone=zone, provider=provider, told=told,
    )  # fmt: skip  # the arguments, in their order
    found = next(found for rule in RULES if (found := rule(seen)) is not None)
    reset = _reset(seen, found)
    usual = holds[found.kind]
    ends_at = None if reset is None else reset.at
    return Failure(
        kind=found.kind,
        blames=usual.blames if found.blames is None else found.blames,
        hold=_span(found, told, usual) if ends_at is None else ends_at - at,
        reset_at=ends_at,
        reset_known=reset is not None and reset.told == "known",
        indicts=_indicts(seen, found),
        facts=tuple(_facts(seen, found, reset)),
    )


# --- the rules, in the order in which they are asked --------------------------------------------


def _given_up(seen: Evidence) -> Finding | None:
    """We, or whoever asked, gave it up."""
    if seen.transport == "aborted":
        return Finding("noop", fact("by-transport", seen.transport))
    return Finding("noop", fact("by-status", status=499)) if seen.status == 499 else None


def _elsewhere(seen: Evidence) -> Finding | None:
    """Another than the one asked answered: nothing here is charged for it."""
    answered = seen.answer.provider
    if not (answered and seen.provider) or answered.casefold() == seen.provider.casefold():
        return None
    return Finding("noop", fact("by-another", answered[:64]))


def _ours(seen: Evidence) -> Finding | None:
    """The caller's own storage, a gateway's own words. A 5xx it names of the very provider asked is a short overload."""
    row = phrases.spoken(phrases.OURS, seen.folded, seen.status)
    if row is None:
        return None
    upstream = phrases.UPSTREAM.search(seen.folded)
    if upstream is not None and upstream["who"] == seen.provider.casefold() != "" and upstream["status"] > "499":
        return Finding("overload", fact("by-gateway", seen.provider, status=int(upstream["status"])))
    return Finding("noop", fact("by-words", row.name))


def _told(seen: Evidence) -> Finding | None:
    """The backend's reader, where it knows a kind."""
    told = seen.told
    if told is None or told.kind == "other":
        return None
    usual = HOLDS[told.kind].blames
    return Finding(told.kind, fact("by-reader"), None if told.blames == usual else told.blames, told.needs_human)


def _code(seen: Evidence) -> Finding | None:
    """Codes that mean one thing with everybody; of a quota the text may say that it is one model's."""
    found = _coded(EXACT, seen)
    if found is None or found.kind != "quota":
        return found
    row = _worded(seen)
    return found if row is None or row.kind != "quota" else evolve(found, blames=row.blames)


def _subscription(seen: Evidence) -> Finding | None:
    """Headers that tell whether a subscription refuses; while it serves, a refusal is a burst, which moves no account."""
    said = seen.headers.get(f"{UNIFIED}status", "")
    if not said or seen.status not in (None, 429):
        return None
    why = fact("by-header", f"{UNIFIED}status", said=said[:32])
    if said != "rejected":
        return Finding("rate", why) if seen.status == 429 and _worded(seen) is None else None
    whole = seen.headers.get(f"{UNIFIED}representative-claim", "") in CLAIMS
    return Finding("quota", why, None if whole else "candidate")


def _wording(seen: Evidence) -> Finding | None:
    """Whole phrases of the text, beside a status that does not contradict them."""
    row = _worded(seen)
    return None if row is None else Finding(row.kind, fact("by-words", row.name), row.blames, row.human)


def _wire(seen: Evidence) -> Finding | None:
    """How the request ended without an answer. That our patience ran out is no evidence, but the place is slow for now."""
    if seen.transport is None:
        return None
    kind: FailureKind = "connect" if seen.transport == "unreached" else "overload"
    return Finding(kind, fact("by-transport", seen.transport), bare=seen.transport == "broken")


def _status(seen: Evidence) -> Finding | None:
    """What the status says by itself. A 403 that is a page keeps programs out, and says nothing of the login."""
    page = seen.status == 403 and seen.answer.plain and seen.text.startswith("<")
    kind = None if seen.status is None or page else of_status(seen.status)
    return None if kind is None else Finding(kind, fact("by-status", status=seen.status), bare=True)


def _vague(seen: Evidence) -> Finding | None:
    """Codes that say no more than a status would."""
    return _coded(VAGUE, seen)


def _connection(seen: Evidence) -> Finding | None:
    """What a client says of its connection, where nobody knows more."""
    if seen.status is not None or not seen.claimed:
        return None
    row = phrases.spoken(phrases.WIRE, seen.folded, None)
    return None if row is None else Finding(row.kind, fact("by-words", row.name))


def _nothing(seen: Evidence) -> Finding:
    """Ended on request, or nobody knows, or not failed at all."""
    if seen.exit_code in ENDED:
        return Finding("noop", fact("by-exit", exit_code=seen.exit_code))
    if seen.claimed:
        return Finding("other", fact("unexplained", status=seen.status, exit_code=seen.exit_code))
    return Finding("noop", fact("nothing-failed"))


RULES: Sequence[Callable[[Evidence], Finding | None]] = (
    _given_up,
    _elsewhere,
    _ours,
    _told,
    _code,
    _subscription,
    _wording,
    _wire,
    _status,
    _vague,
    _connection,
    _nothing,
)
"""Every rule; the first that knows decides, and the last always does."""


def _coded(codes: Mapping[str, FailureKind], seen: Evidence) -> Finding | None:
    """The first of an answer's codes that is in a table."""
    for code in seen.answer.codes:
        word = plain(code)
        if word in codes:
            return Finding(codes[word], fact("by-code", code), human=word in REPAIRED)
    return None


def _worded(seen: Evidence) -> phrases.Phrase | None:
    """What the text says; of a text that nothing else says is an error, only while it is short."""
    if not seen.claimed and len(seen.text) > SHORT:
        return None
    return phrases.spoken(WORDINGS, seen.folded, seen.status)


# --- what follows from it -----------------------------------------------------------------------


def _reset(seen: Evidence, found: Finding) -> Reset | None:
    """When it ends: what the reader says, else what the answer does."""
    if found.kind not in TIMED:
        return None
    told = seen.told if found.why.code == "core:by-reader" else None
    if told is None or told.reset_at is None:
        return told_reset(seen)
    if told.reset_at <= seen.at:
        return Reset("past")
    return Reset("known" if told.reset_known else "guessed", told.reset_at)


def _span(found: Finding, told: Failure | None, usual: Hold) -> timedelta | None:
    """How long to stay away where nobody says when it ends: what the reader says by itself, else the policy."""
    if told is None or found.why.code != "core:by-reader" or told.hold == HOLDS[told.kind].span:
        return usual.span
    return told.hold


def _indicts(seen: Evidence, found: Finding) -> bool:
    """Whether it is evidence against the provider: broken there, and nothing says that it is anything else."""
    if not (indicting(seen.direct) or seen.transport == "broken") or found.kind not in ("overload", "other"):
        return False
    unexplained = _code(seen) is None and _wording(seen) is None
    return found.bare or (found.why.code == "core:by-reader" and unexplained)


def _facts(seen: Evidence, found: Finding, reset: Reset | None) -> Iterator[Fact]:
    """What the answer rests on, first what decided."""
    yield found.why
    if seen.told is not None:
        yield from (one for one in seen.told.facts if one.code != NEEDS_HUMAN)
    if reset is not None:
        yield fact(f"reset-{reset.told}", resets_at=reset.at)
    if found.human or found.kind in PAID:
        yield Fact(NEEDS_HUMAN)
