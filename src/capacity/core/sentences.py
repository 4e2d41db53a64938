"""The sentence of a fact, for a person. Derived when it is shown, never stored; nothing may parse it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from shlex import quote

from capacity.values.conditions import Fact, Figure, Reason

SENTENCES: Mapping[str, str] = {
    "above-tier": "tier {subject} is above its own, {tier}, and it may not rise",
    "alternative-preparable": "its place is not usable, and the only alternative is not loaded: `capacity models prepare {pool!} {subject!}` loads it",
    "alternative-waits": "its place is not usable, and the only alternative still has to be waited for",
    "bare-word": "{pool} does not list {subject}, a bare word that may be somebody's alias; the policy declares it nowhere",
    "below-floor": "tier {subject} is below its floor, {floor}",
    "below-tier": "{subject} runs below its tier on {pool} until its home has room again",
    "by-another": "{subject} answered instead of the provider that was asked",
    "by-code": "its code is {subject}",
    "by-deal": "{subject} is cheapest now (x{by})",
    "by-exit": "somebody here ended the process (exit code {exit_code})",
    "by-fit": "its model fits the lane best ({by})",
    "by-gateway": "a gateway says that {subject} answered it with {status}",
    "by-header": "the header {subject} says {said}",
    "by-reader": "the backend's reader knows it",
    "by-status": "it was answered with status {status}",
    "by-transport": "the request ended without an answer: {subject}",
    "by-weight": "{subject} weighs most in its lane ({by})",
    "by-words": "its text says: {subject}",
    "cache-kept": "{subject} still holds its prompt: going home is worth {gain}, and would read {cost} anew",
    "cap-unknown": "nobody can tell how much of {limit} is used in {subject}",
    "capability-unknown": "nobody tells whether it can do {subject}",
    "capped": "{limit} in {subject} is at {used}, full from {line}{refused| although the provider refuses already}{resets_at|, resets }",
    "chosen": "{subject} is the first that can serve it",
    "circuit": "{subject} is stopped by the {origin} ({kind}){until| until }{again_at|, to be tried again }",
    "conflict": "{subject} was changed by somebody else since we wrote it",
    "context-small": "its window of {window} is smaller than the {needed} it needs",
    "context-unknown": "nobody tells whether its window holds {needed}",
    "duplicate-account": "account {subject} is the same login as {account}; only the first is read",
    "effort-refused": "the model does not take effort {subject}",
    "effort-unknown": "nobody tells whether the model takes effort {subject}",
    "egress": "{subject} reaches further than profile {profile} allows",
    "empty": "{limit} of {subject} is used up{left|: }{resets_at|, resets }",
    "evicts": "loading it puts another model of {subject} out, and nobody asks for it alone",
    "exhausted": "{limit} of {subject} is at {used}, full from {line}{refused| although the provider refuses already}{resets_at|, resets }",
    "fallback-step": "nothing before step {step} of lane {subject} can serve",
    "fleet-refuses": "fleet {subject} may not be written to now{because|: }",
    "floor-unproven": "tier {subject} is not certain enough for its floor, {floor}: what is certain is {proven}",
    "harness-unknown": "harness {subject} is not in the policy",
    "headroom-unknown": "nobody can tell how much is left of {subject} ({state}{observed_at|, last good reading })",
    "held": "{subject} is held by the operator",
    "high-volume": "it runs too often for subscription {subject}",
    "indeterminate": "nobody knows whether our last write to {subject} took",
    "inventory-unknown": "no fresh listing tells what {subject} can run",
    "lacks": "it cannot do {subject}",
    "legitimate": "nothing speaks against its place",
    "local-share": "the local share of lane {subject} says: {side}",
    "login-required": "{subject} needs somebody to log in",
    "looped": "session {subject} read its whole prompt anew, again and again, and is left alone{until| until }",
    "looping": "session {subject} read its whole prompt anew {rewrites} times in short order, {fresh} in all",
    "model-capped": "{subject} is at {used}, full from {line}{resets_at|, resets }",
    "model-invalid": "{subject} was missing from {misses} of {pool} in a row",
    "model-missing": "{subject} is missing from {pool} ({misses} in a row)",
    "model-unlisted": "{pool} does not list {subject} (its listing: {authority})",
    "most-headroom": "{subject} has the most headroom left, used {used}",
    "needs-human": "it does not end until somebody does something",
    "no-tier": "it is in no adopted tier",
    "no-tiers": "no tiers are adopted, so nothing can be placed in fleet {subject}",
    "none-in-lane": "nothing is in lane {subject} that it may use",
    "not-allowed": "{subject} is outside what the seat may use",
    "not-applied": "the last write to {subject} was not taken{because|: }",
    "not-drawn-on": "its harness may not draw on {subject}",
    "not-entitled": "this login may not use {subject}{until|, as it looks until }{again_at|, to be tried again }; `capacity rearm {subject!}` tries it now",
    "not-in-lane": "it is not in lane {subject}",
    "not-known-loaded": "nobody can tell whether it is loaded on {subject}, and a turn cannot wait to find out",
    "not-local": "only local places will do, and {subject} is none",
    "not-resident": "{subject} is {residency}",
    "nothing-eligible": "nothing that {subject} may run on is usable now",
    "nothing-failed": "nothing says that anything failed",
    "nothing-interchangeable": "{subject} has nothing of tier {tier} to go to but what it runs on",
    "nothing-observed": "nobody can tell how much is left of any of them",
    "nowhere-better": "its place is not meant for it, but there is no other",
    "other-effort": "effort {subject} is not {demanded}, at which it must run",
    "over-pace": "{subject} would run out before its reset{pressure|, spent at }{limit|, by }",
    "own-pace": "{subject} is no longer paced, so that it is given back its own pace",
    "own-pick": "its session picked {subject} for itself",
    "parked": "it waits for room",
    "parked-by-whom": "{subject} is parked in our name, but our journal does not know of it",
    "partly-controlled": "not ours to move on {subject}: {seats}",
    "paused": "{subject} was paused by somebody else",
    "pinned": "{subject} is pinned by the operator",
    "plan-lapsed": "the plan of {subject} has ended or is not paid{until|, until }{again_at|, to be tried again }; `capacity rearm {subject!}` tries it now",
    "plugin-failing": "plugin {subject} failed{because|: }",
    "pool-empty": "{subject} has nothing left{left|: }",
    "pool-exhausted": "{subject} is exhausted: {limit} at {used}, full from {line}{resets_at|, resets }",
    "pool-refused": "{subject} refuses, its quota is spent{until|, until }{again_at|, to be tried again }",
    "pool-unknown": "nobody can tell which pool {subject} draws on",
    "pools-take-turns": "{among} are level and take turns: {subject}",
    "preparable": "{subject} is {residency}; `capacity models prepare {pool!} {subject!}` loads it",
    "probation": "its park is due and nobody can tell; it tries {subject} for the others",
    "probe-failing": "{subject} cannot be read: {state}",
    "profile-unknown": "profile {subject} is not in the policy, so that nothing may leave",
    "prompt-small": "its prompt of {needed} is smaller than the {least} it is kept for",
    "proposal-waiting": "proposal {subject} waits for an answer{until| until }",
    "quarantined": "{subject} failed several of its models for several sessions, by its own fault, and is left alone; `capacity rearm {subject!}` takes that back",
    "refused": "{subject} refused it, as its fleet tells{because|: }",
    "reset-guessed": "it is guessed to end {resets_at}",
    "reset-invalid": "what it says of its end is not to be believed",
    "reset-known": "the provider says that it ends {resets_at}",
    "reset-past": "what it says of its end is over",
    "reset-zoneless": "it says when it ends by a clock in a zone nobody knows",
    "residency-unknown": "nobody can tell whether {subject} is loaded",
    "room": "there is room in {subject}",
    "roomier": "its prompt of {size} fills most of a window of {window}, and there is a larger one",
    "roomiest": "only its size of {size} is in the way, and {subject} has the largest window",
    "row-expired": "its place in tier {subject} ended{until| }",
    "row-unlisted": "no pool that {subject} may draw on lists {model}",
    "saturated-by-others": "{subject} runs out before its reset whatever we do: what others spend alone empties it; {seats} are ours",
    "saturated-down": "{subject} would run out before its reset, and nothing is left to shed: of {seats} {demotable} demotable, {slowable} to slow",
    "saturated-up": "{subject} would reset with quota unspent{unspent|: }, and nothing is left to raise: of {seats} {restorable} restorable, {hastenable} to hasten",
    "scope-unanswered": "no listed model answers to the scope of {subject}",
    "second-controller": "fleet {subject} is held by another controller",
    "serves-on": "{subject} can serve it, and its session runs there",
    "share-spent": "the share{team| of } of the {budget} budget of {subject} is spent",
    "size-unknown": "nobody tells how large the prompt is, and {subject} only takes what is known to fit",
    "slots-busy": "every slot of {limit} in {subject} is busy",
    "slots-leased": "every slot of {subject} is leased",
    "source-ending": "tier source {subject} ends{until| }",
    "source-failing": "tier source {subject} does not answer: {state}{missing|, for want of }{because|: }{since|; last good answer }",
    "spent": "the {budget} budget of {subject} is spent",
    "step-closed": "the next step of lane {subject} has not opened yet",
    "still-full": "it was due, but nothing has room yet",
    "stop-confirmed": "the stop of {subject} ({kind}) stands{until| until }{again_at|, to be tried again }: what was read {observed_at} does not say that it can be used",
    "stop-lifted": "the stop of {subject} ({kind}) is lifted: what was read {observed_at} says that it can be used",
    "stop-stands": "the stop of {subject} ({kind}) stands{until| until }{again_at|, to be tried again }: no reading ends it",
    "stop-tried": "{subject} is on probation: one lease at a time tries it",
    "stop-unanswered": "the stop of {subject} ({kind}) stands{until| until }{again_at|, to be tried again }: nothing that was read since says otherwise",
    "stop-unsettled": "the stop of {subject} ({kind}) stands{until| until }{again_at|, to be tried again }: what was read {observed_at} says that it can be used, which counts once it is read {settles_at} or later",
    "stop-waits": "{subject} is not free yet ({kind}){until|, to be tried again }",
    "tier-empty": "nothing that is adopted in tier {subject} can be run",
    "tier-unknown": "tier {subject} is not in the policy, so that nothing is known to be good enough",
    "tiers-stale": "the tiers adopted in {subject} are stale{since| since }",
    "under-pace": "{subject} would reset with quota unspent{pressure|, spent at }{limit|, by }",
    "unexplained": "nobody knows what it means{status|, status }{exit_code|, exit code }",
    "unplaced-part": "{subject} is read, but the policy does not list it",
    "unseen": "{subject} was not seen again since we wrote it",
    "untold": "fleet {subject} could not be told what is known{because|: }",
}
"""Code without `core:` → its sentence. `{figure}` is filled in; `{figure|lead}` is the lead and the figure, or nothing;
`{figure!}` is quoted for a shell."""


def sentence(fact: Fact) -> str:
    """One sentence for a person. A code nobody here knows is told with its subject and figures, unharmed."""
    owner, _, word = fact.code.partition(":")
    if owner != "core" or word not in SENTENCES:
        told = ", ".join(f"{figure.name} {shown(figure)}" for figure in fact.figures)
        return f"{fact.code} {fact.subject}".rstrip() + (f" ({told})" if told else "")
    return _filled(SENTENCES[word], fact)


def reason(fact: Fact) -> Reason:
    """A fact with its sentence."""
    return Reason(fact, sentence(fact))


def _filled(template: str, fact: Fact) -> str:
    figures = {figure.name: shown(figure) for figure in fact.figures}
    text, rest = "", template
    while rest:
        before, brace, rest = rest.partition("{")
        name, _, rest = rest.partition("}") if brace else ("", "", "")
        text += before + (_part(name, fact.subject, figures) if brace else "")
    return text


def _part(name: str, subject: str, figures: Mapping[str, str]) -> str:
    name, optional, lead = name.partition("|")
    if name.endswith("!"):
        return quote(_part(name.removesuffix("!"), subject, figures))
    if name == "subject":
        return one_line(subject)
    if not optional:
        return figures.get(name, "?")
    if name not in figures:
        return ""
    return lead if name == "refused" else lead + figures[name]


def shown(figure: Figure) -> str:
    """A figure with its unit, as a person writes it."""
    value, unit = figure.value, figure.unit
    if isinstance(value, datetime):
        return instant(value)
    if unit in ("count", "code"):
        return f"{value}"
    if unit.startswith("times ") and isinstance(value, float | int):
        return f"{value:.3g} {unit}"
    if unit == "percent" and isinstance(value, float | int):
        return f"{value:.4g} %"
    if unit in ("tokens", "seats", "listings") and isinstance(value, float | int):
        return f"{value:,} {unit if value != 1 else unit.removesuffix('s')}"
    return one_line(f"{value}" if unit == "word" else f"{value} {unit}")


def one_line(text: str) -> str:
    """A text without line ends or anything a terminal obeys: names come from strangers."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def instant(at: datetime) -> str:
    """An instant for a person: to the minute, in UTC."""
    return f"{at:%a %Y-%m-%d %H:%M}Z"
