"""`tiers …`: where scores come from, what they would change, and a person's answer. Only an answer changes the adopted set."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from getpass import getuser
from pathlib import Path
from typing import Annotated, Any

from attrs import evolve
from typer import Argument, Option

from capacity.cli import proposals, sourcing
from capacity.cli.call import Call
from capacity.cli.documents import instant as typed_instant
from capacity.cli.exits import Code, UsageFault
from capacity.core.explain import counted
from capacity.core.sentences import instant
from capacity.engine.rankings import Refreshed
from capacity.values.evidence import Named, Pair
from capacity.values.proposals import Proposal
from capacity.values.tiers import TierRow, TierSet


class Kind(StrEnum):
    """What a name is a name of."""

    MODEL = "model"
    HARNESS = "harness"
    BENCHMARK = "benchmark"


Id = Annotated[str | None, Argument(metavar="ID", help="Which proposal. [the one that waits]")]
By = Annotated[str | None, Option("--by", metavar="NAME", help="Who does it. [who is logged in]")]
Reason = Annotated[str | None, Option("--reason", metavar="TEXT", help="Why, for whoever looks later.")]
Plot = Annotated[
    Path | None, Option("--plot", metavar="FILE", help="Draw each pair's score with its interval, as .svg or .png.")
]


def tiers_sources(call: Call) -> Code:
    """Show where scores come from: what each source needs, how it answered last, its terms. Nobody is asked."""
    with call.engine() as engine:
        found = engine.tiers.sources()
    if call.json:
        call.answer([evolve(one, stands=_brief(one.stands)) for one in found])
    else:
        call.screen.turn(sourcing.sources_page(found, _now(call)))
    return Code.FINE


def tiers_refresh(
    call: Call,
    only: Annotated[
        list[str] | None, Option("--source", metavar="NAME", help="Ask this source alone; may be given again.")
    ] = None,
) -> Code:
    """Ask the sources, none sooner than its budget allows, and keep what they say. Changes no tier."""
    with call.engine() as engine:
        sources = engine.policy.tiers.sources
        if not sources:
            raise UsageFault("the policy names no tier source: add a table under [tiers.sources]")
        unknown = sorted(set(only or ()) - sources.keys())
        if unknown:
            raise UsageFault(f"no tier source {unknown[0]!r} is in the policy; it has {', '.join(sources)}")
        with call.screen.progress("asking tier sources"):
            told = engine.tiers.refresh(only or ())
        at = _now(call)
    wanted = [one for one in told if not only or one.source in only]
    if call.json:
        call.answer([_brief(one) for one in wanted])
    else:
        call.screen.turn(sourcing.refreshed_page(wanted, at))
    return _unanswered(call, wanted)


def _unanswered(call: Call, told: list[Refreshed]) -> Code:
    """Whether a refresh has failed: for want of a source that is required, or of any."""
    silent = [one for one in told if not one.answers and (one.required or not any(other.answers for other in told))]
    for one in silent:
        call.screen.complain(f"capacity: {sourcing.silence(one)}; the adopted set is as it was")
    return Code.UNANSWERED if silent else Code.FINE


def tiers_show(call: Call, plot: Plot = None) -> Code:
    """Show the adopted set: each row with what it rests on, what nothing can be run by, and the sets before it."""
    with call.engine() as engine:
        adopted, dropped, chain = engine.tiers.adopted(), engine.tiers.unusable(), engine.tiers.chain()
        computed, at, ladder = engine.tiers.computed(), _now(call), engine.policy.tiers.names
    _draw(plot, computed)
    if call.json:
        call.answer(
            {"adopted": adopted, "chain": list(chain), "unusable": {"|".join(key): why for key, why in dropped.items()}}
        )
    else:
        call.screen.turn(proposals.adopted_page(adopted, ladder, dropped, chain, at))
    return Code.FINE


def tiers_propose(
    call: Call,
    recut: Annotated[
        bool, Option("--recut", help="Make the cuts between tiers anew, instead of keeping those that are adopted.")
    ] = False,
) -> Code:
    """Compute what the evidence would change, and open a proposal where it would change anything. Nobody is asked."""
    with call.engine() as engine, call.screen.progress("weighing the evidence"):
        made = engine.tiers.propose(recut=recut)
        at, stands, models = _now(call), engine.tiers.sources(), engine.snapshot().models
    if call.json:
        call.answer({"outcome": made.outcome, "proposal": made.proposal, "unchanged": made.unchanged})
    else:
        call.screen.say(proposals.outcome(made))
        call.screen.turn(proposals.proposal_page(made.proposal, stands, models, at))
    return Code.FINE


def tiers_diff(call: Call, id: Id = None, plot: Plot = None) -> Code:
    """Show a proposal on one screen: first what it changes for whom, then each change with its evidence."""
    with call.engine() as engine:
        proposal, at, stands = engine.tiers.proposal(id), _now(call), engine.tiers.sources()
        models = engine.snapshot().models
    _draw(plot, proposal)
    if call.json:
        call.answer(proposal)
    else:
        call.screen.turn(proposals.proposal_page(proposal, stands, models, at))
    return Code.FINE


def tiers_adopt(
    call: Call,
    id: Id = None,
    only: Annotated[
        list[str] | None,
        Option("--only", metavar="PAIR", help="Adopt this change alone: harness/model@effort; may be given again."),
    ] = None,
    by: By = None,
    reason: Reason = None,
) -> Code:
    """Adopt a proposal, or a part of it. The next tick decides by it."""
    with call.engine() as engine:
        proposal = engine.tiers.proposal(id)
        part = [_changed(proposal, text) for text in only or ()]
        made = engine.tiers.adopt(proposal.id, by=_who(by), part=part, reason=reason)
    return _told(call, made, f"adopted {proposals.size(proposal, part)}")


def tiers_reject(call: Call, id: Id = None, by: By = None, reason: Reason = None) -> Code:
    """Reject a proposal. The same evidence is not proposed again."""
    with call.engine() as engine:
        proposal = engine.tiers.proposal(id)
        ruling = engine.tiers.reject(proposal.id, by=_who(by), reason=reason)
    if call.json:
        call.answer(ruling)
    else:
        call.screen.say(f"{proposal.id} is rejected; the same evidence will not be proposed again")
    return Code.FINE


def tiers_pin(
    call: Call,
    pair: Annotated[str, Argument(metavar="PAIR", help="What is pinned: harness/model@effort.")],
    tier: Annotated[str, Argument(metavar="TIER", help="Where to.")],
    until: Annotated[
        str | None, Option("--until", metavar="INSTANT", help="When it ends. [as the policy's `stale_after_s`]")
    ] = None,
    by: By = None,
    reason: Reason = None,
) -> Code:
    """Put a pair into a tier by your word, whatever the evidence says, until it ends."""
    with call.engine() as engine:
        ends = _now(call) + engine.policy.tiers.method.stale_after if until is None else typed_instant(until)
        harness, model, effort = _parts(pair)
        row = TierRow(tier, harness, model, effort, standing="pinned", expires_at=ends, reason=reason)
        made = engine.tiers.pin(row, by=_who(by))
    return _told(call, made, f"{pair} is pinned to {tier} until {instant(ends)}")


def tiers_rollback(
    call: Call,
    to: Annotated[str | None, Option("--to", metavar="ID", help="Which set. [the one before]")] = None,
    by: By = None,
    reason: Reason = None,
) -> Code:
    """Put an earlier adopted set in force again; `capacity tiers show` lists them."""
    with call.engine() as engine:
        made = engine.tiers.rollback(by=_who(by), to=to, reason=reason)
    return _told(call, made, "rolled back")


def tiers_resolve(
    call: Call,
    name: Annotated[str, Argument(metavar="NAME", help="A name that nobody could resolve, or the id of a row.")],
    means: Annotated[
        str | None, Argument(metavar="MEANS", help="What it means: a model's id, a harness, a benchmark's key.")
    ] = None,
    kind: Annotated[Kind | None, Option("--kind", help="What it is a name of. [as it was told of]")] = None,
    since: Annotated[
        str | None, Option("--since", metavar="INSTANT", help="From when on it means that; older rows are expired.")
    ] = None,
    accept: Annotated[bool, Option("--accept", help="Let a row in that was kept out, by its id.")] = False,
    by: By = None,
) -> Code:
    """Answer for a name, or let a row in that was kept out. The next proposal takes it into account."""
    if accept is (means is not None):
        raise UsageFault("say what the name means, or let a row in with --accept: one of the two")
    made: Any
    with call.engine() as engine:
        if means is None:
            made, said = engine.tiers.accept(name, by=_who(by)), f"{name} counts from now on"
        else:
            named = _kind(engine.tiers.computed(), name) if kind is None else kind.value
            start = None if since is None else typed_instant(since)
            made = engine.tiers.resolve(named, name, means, by=_who(by), since=start)
            said = f"{name} means {made.named} {means}"
    if call.json:
        call.answer(made)
    else:
        call.screen.say(f"{said}; `capacity tiers propose` takes it into account")
    return Code.FINE


# --- what is typed ------------------------------------------------------------------------------


def _changed(proposal: Proposal, text: str) -> Pair:
    """A pair that a proposal changes, by its name."""
    pairs = {str(one): one for one in proposal.diff.pairs}
    if text not in pairs:
        raise UsageFault(f"{proposal.id} does not change {text!r}; it changes {', '.join(sorted(pairs)) or 'nothing'}")
    return pairs[text]


def _parts(pair: str) -> tuple[str, str, str | None]:
    harness, slash, rest = pair.partition("/")
    model, at, effort = rest.rpartition("@")
    if not slash or not harness or not (model or effort):
        raise UsageFault(f"{pair!r} names no pair: write harness/model, or harness/model@effort")
    return (harness, model, effort) if at else (harness, rest, None)


def _kind(computed: Proposal | None, name: str) -> Named:
    """What an unresolved name was told of as a name of; a model where it was not."""
    found = {one.named for one in (() if computed is None else computed.unresolved) if one.name == name}
    if len(found) > 1:
        raise UsageFault(f"{name!r} is a name of {' and of '.join(sorted(found))}: say which with --kind")
    return next(iter(found), "model")


def _who(by: str | None) -> str:
    """Who does it; somebody without a name in this machine's books is the operator."""
    try:
        return by or getuser()
    except (KeyError, OSError):
        return "operator"


# --- what is told -------------------------------------------------------------------------------


def _told(call: Call, made: TierSet, what: str) -> Code:
    if call.json:
        call.answer(made)
    else:
        call.screen.say(f"{what}: {made.id}, {counted(len(made.rows), 'row')}; the next tick decides by it")
    return Code.FINE


def _brief(one: Refreshed) -> Refreshed:
    """How a source stands, without its rows: they are in the store, and many."""
    return one if one.told is None else evolve(one, told=evolve(one.told, rows=(), known=(), excluded=()))


def _now(call: Call) -> datetime:
    return datetime.now(UTC) if call.clock is None else call.clock.now()


def _draw(plot: Path | None, proposal: Proposal | None) -> None:
    if plot is not None:
        from capacity.cli.plotting import draw_tiers

        draw_tiers(plot, () if proposal is None else proposal.estimates, () if proposal is None else proposal.ladder)
