"""`lease` and what follows it: a place for one turn, its renewal, its end, and what came of it. The broker decides."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated

from attrs import evolve
from typer import Argument, Option

from capacity.cli.call import Call
from capacity.cli.classifying import Asked, Ended, ExitCode, Text, transport_word
from capacity.cli.documents import Given
from capacity.cli.exits import Code, UsageFault
from capacity.cli.reading import HeaderFile, Status
from capacity.cli.turns import choice_text, lease_line, none_line, reply_line
from capacity.cli.watching import typed_span
from capacity.codec.faults import nearest, quoted
from capacity.core.lanes import CLASSIFIER, settled, tier_of
from capacity.engine import Broker, Reply
from capacity.ports import Document
from capacity.values.leases import Amount, Lease, Told, Usage, Wait
from capacity.values.policy import Policy
from capacity.values.seats import Candidate, Need

Session = Annotated[str, Argument(metavar="SESSION", help="Names the session; no two that run at once share a name.")]
Id = Annotated[str, Argument(metavar="LEASE", help="The lease's id, as `capacity lease` told it.")]


def lease(
    call: Call,
    session: Session,
    tier: Annotated[str | None, Option("--tier", metavar="TIER", help="Where the turn belongs.")] = None,
    agent: Annotated[str, Option("--agent", metavar="AGENT", help="Who runs it: the policy tells the tier.")] = "",
    parent: Annotated[str | None, Option("--parent", metavar="TIER", help="Tier of the turn it was called in.")] = None,
    text: Annotated[
        str, Option("--text", metavar="TEXT", help="What is asked: the policy's phrases may raise the tier.")
    ] = "",
    profile: Annotated[str | None, Option("--profile", metavar="PROFILE", help="The wall for what leaves.")] = None,
    context: Annotated[int | None, Option("--context", metavar="N", min=0, help="Tokens of its prompt.")] = None,
    team: Annotated[str, Option("--team", metavar="TEAM", help="Who it is charged to.")] = "",
    local: Annotated[bool, Option("--local", help="Only local places will do.")] = False,
    waited: Annotated[
        str | None, Option("--waited", metavar="SPAN", help="How long it has waited: 90s, 5m. [not at all]")
    ] = None,
    offer: Annotated[bool, Option("--offer", help="Only offer it; `capacity renew` claims it.")] = False,
    preview: Annotated[bool, Option("--preview", help="Only tell what would be chosen.")] = False,
) -> Code:
    """Lease a place for one turn of a session."""
    with _broker(call) as broker:
        need = _need(broker.policy, tier, agent, parent, text)
        need = evolve(
            need,
            profile=profile,
            context=context,
            team=team,
            local=local,
            waited=typed_span(waited) if waited else timedelta(0),
        )
        if preview:
            return _previewed(call, broker, session, need)
        told = broker.offer(session, need) if offer else broker.lease(session, need)
    if call.json:
        call.answer(told)
    elif isinstance(told, Lease):
        call.screen.say(lease_line(told))
    else:
        call.screen.complain(f"capacity: {none_line(told)}")
    return Code.FINE if isinstance(told, Lease) else Code.WAIT if isinstance(told, Wait) else Code.REFUSED


def leases(call: Call) -> Code:
    """Show the leases in flight, offered or claimed."""
    with _broker(call) as broker:
        found = broker.leases()
    if call.json:
        call.answer(list(found))
    else:
        call.screen.say("\n".join(map(lease_line, found)) or "nothing is leased")
    return Code.FINE


def renew(call: Call, lease: Id) -> Code:
    """Claim an offer, or hold on to a lease for another life."""
    with _broker(call) as broker:
        held = broker.renew(broker.find(lease))
    if held is None:
        call.screen.complain(f"capacity: lease {lease} has lapsed, or was taken back; the turn should stop")
        return Code.REFUSED
    if call.json:
        call.answer(held)
    else:
        call.screen.say(lease_line(held))
    return Code.FINE


def settle(
    call: Call,
    lease: Id,
    requests: Annotated[int | None, Option("--requests", metavar="N", min=0, help="Requests made.")] = None,
    input_: Annotated[int | None, Option("--input", metavar="N", min=0, help="Tokens read that no cache held.")] = None,
    output: Annotated[int | None, Option("--output", metavar="N", min=0, help="Tokens written.")] = None,
    cache_read: Annotated[
        int | None, Option("--cache-read", metavar="N", min=0, help="Tokens read from a cache.")
    ] = None,
    cache_write: Annotated[
        int | None, Option("--cache-write", metavar="N", min=0, help="Tokens written to one.")
    ] = None,
    money: Annotated[
        list[str] | None, Option("--money", metavar="UNIT=AMOUNT", help="What was charged; may be given again.")
    ] = None,
    estimated: Annotated[
        bool, Option("--estimated", help="The figures are an estimate, not what was reported.")
    ] = False,
) -> Code:
    """End a lease whose turn went well. What is not told is not known, which is not nothing."""
    word: Told = "estimated" if estimated else "reported"
    tokens = _amount(input_, word), _amount(output, word), _amount(cache_read, word), _amount(cache_write, word)
    paid = {unit: Amount(amount, word) for unit, amount in map(_paid, money or ())}
    usage = Usage(_amount(requests, word), *tokens, paid)
    with _broker(call) as broker:
        return _ended(call, broker.settle(broker.find(lease), usage))


def release(call: Call, lease: Id) -> Code:
    """Give a lease back unused."""
    with _broker(call) as broker:
        return _ended(call, broker.release(broker.find(lease)))


def failure(
    call: Call,
    lease: Id,
    answer: Annotated[
        Path | None, Option("--from", metavar="FILE", help="What was answered or printed. - is standard input.")
    ] = None,
    text: Text = "",
    status: Status = None,
    headers: HeaderFile = None,
    exit_code: ExitCode = None,
    transport: Ended = None,
    provider: Asked = "",
) -> Code:
    """End a lease whose turn failed; tell whose fault it was and whether to try again."""
    ended = transport_word(transport)
    given = Given.of(call, None, status, headers, None)
    seen = given.document(answer) if answer else Document(b"", given.now, status=status, headers=given.headers)
    with _broker(call) as broker:
        found = broker.find(lease)
        document = evolve(seen, exit_code=exit_code)
        return _ended(call, broker.fail(found, document, text=text, transport=ended, provider=provider))


def _ended(call: Call, reply: Reply) -> Code:
    if call.json:
        call.answer(reply)
    else:
        call.screen.say(reply_line(reply))
    return Code.FINE


def _previewed(call: Call, broker: Broker, session: str, need: Need) -> Code:
    choice = broker.preview(session, need)
    if call.json:
        call.answer(choice)
    else:
        call.screen.say(choice_text(choice))
    return Code.FINE


def _need(policy: Policy, tier: str | None, agent: str, parent: str | None, text: str) -> Need:
    """What a turn asks for, by what the policy says of its agent and of what is asked.

    Raises:
        UsageFault: the policy has no such tier.
    """
    word = tier or tier_of(policy, agent, parent)
    if word == CLASSIFIER:
        return Need(lane=CLASSIFIER)
    if word is not None and word not in policy.tiers.names:
        near = nearest(word, policy.tiers.names)
        raise UsageFault(f"the policy has no tier {quoted(word)}" + (f" ({near})" if near else ""))
    return Need(tier=settled(policy, word, text))


def _amount(figure: int | None, word: Told) -> Amount | None:
    return None if figure is None else Amount(Decimal(figure), word)


def _paid(text: str) -> tuple[str, Decimal]:
    """An amount of money as it is typed.

    Raises:
        UsageFault: it is none.
    """
    unit, _, figure = text.partition("=")
    try:
        amount = Decimal(figure)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not unit or not amount.is_finite() or amount < 0:
        raise UsageFault(f"--money {text!r} is no amount: write it like USD=0.12")
    return unit, amount


@contextmanager
def _broker(call: Call) -> Iterator[Broker]:
    """A broker over the store; what a lease waits for is loaded by a process of its own, for this one ends at once."""
    with call.engine() as engine, Broker(engine.policy, engine=engine, load=lambda one: _load(call, one)) as broker:
        yield broker


def _load(call: Call, candidate: Candidate) -> None:
    words = ["models", "prepare", candidate.pool, candidate.model]
    files = ["--policy", str(call.policy_file.absolute()), "--store", str(call.store_file.absolute())]
    _detached([sys.executable, "-m", "capacity.cli", *files, *words])


def _detached(argv: Sequence[str]) -> None:
    quiet = subprocess.DEVNULL
    subprocess.Popen(argv, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
