"""The choice for one turn of one session, and the only file that knows its order.

1  stay        a session keeps its place until the place cannot serve it
2  return      a displaced one goes home when home can serve, and what that is worth covers what is read anew
3  place       else the first candidate of the order of `turns`
4  last resort only the size of the prompt is in the way: the roomiest place takes it, so that it can be made smaller
5  wait        something comes by itself, or a slot will be free
6  refuse      with a code of a closed list, and when it may be had

Candidates and verdicts are those of `decide`; only the order is another one.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from attrs import evolve, fields

from capacity.core.decide import of_one_instant, tick_id
from capacity.core.desk import Desk
from capacity.core.facts import fact
from capacity.core.findings import Finding
from capacity.core.orders import step
from capacity.core.refusals import Asked, awaited, opening_of, opens, refusal
from capacity.core.turns import Turns
from capacity.values.choice import Choice, ChoiceAct
from capacity.values.conditions import Fact
from capacity.values.history import History
from capacity.values.leases import NoLease
from capacity.values.limits import Headroom
from capacity.values.models import Inventory
from capacity.values.policy import Policy
from capacity.values.seats import Candidate, Need

SERVES = ("yes", "cannot-tell")
"""The answers with which a session stays."""

FOR_GOOD = frozenset({"model", "effort", "allow", "egress", "lane", "tier", "capability", "context"})
"""Rules whose *no* does not end by itself: a place they refuse is no home to wait for."""


SPENT = 100.0
"""Percent used of a pool of which nothing is left."""

PERSONAL = ("home", "here", "cached", "waited", "pick")
"""What a need tells of its session, and no verdict hangs on."""

DECIDING: Callable[[Need], tuple[object, ...]] = attrgetter(
    *(told.name for told in fields(Need) if told.name not in (*PERSONAL, "context"))
)
"""The rest of a need, without the size of its prompt."""


def choose(need: Need, inventory: Inventory, headroom: Headroom, policy: Policy, history: History) -> Choice:
    """Where one turn runs now. Same inputs, same choice; nothing is granted by it.

    Args:
        need: what the turn asks for, with the place its session runs on (`here`) and belongs to (`home`).
        inventory: what can run.
        headroom: what is left.
        policy: what the operator wants.
        history: what is held and was granted; the session's own lease is no part of it.

    Raises:
        CapacityError: the inputs are not of one instant.
    """
    of_one_instant(inventory.as_of, headroom.as_of, history.as_of)
    desk = Desk(inventory, headroom, policy, history, "leases", need.models or ())
    answers = desk.answers(_shared(need, desk))
    asked = Asked(need, desk, answers, Turns(desk, answers.standing, need))
    profile = policy.profiles.get(need.profile or "")
    if need.pick is not None and profile is not None and profile.manual:
        return _picked(asked, need.pick)
    return _stay(asked) or _place(asked) or _last_resort(asked) or _wait(asked) or _refuse(asked)


def _shared(need: Need, desk: Desk) -> Need:
    """The part of a need that verdicts hang on, its context rounded up as far as nothing can tell: equal ones share."""
    context = None if need.context is None else desk.moment.size(need.context)
    key = context, *DECIDING(need)
    known = desk.moment.needs.get(key)
    if known is None:
        rest = {word: getattr(Need(), word) for word in PERSONAL}
        known = desk.moment.needs[key] = evolve(need, **{**rest, "context": context})
    return known


# --- where it is, and where it belongs ---------------------------------------------------------------


def _stay(asked: Asked) -> Choice | None:
    here, home = asked.need.here, asked.need.home
    if here is None:
        return None
    serves = asked.serves(here) in SERVES
    if home is not None and home != here and asked.serves(home) == "yes":
        gain, cost = _gain(asked, home, here), asked.need.cached
        if gain >= cost or not serves:
            return _made(asked, "return", fact("room", home.pool), home, gain=gain, cost=cost)
        why = fact("cache-kept", here.pool, gain=gain, cost=cost)
        return _made(asked, "stay", why, here, home=home, gain=gain, cost=cost)
    if not serves:
        return None
    return _roomier(asked, here) or _made(
        asked, "stay", fact("serves-on", here.pool), here, home=None if home == here else home
    )


def _gain(asked: Asked, home: Candidate, here: Candidate) -> int:
    """What going home is worth, in tokens that may be read anew for it: the tiers and the headroom that are gained."""
    lanes = asked.desk.policy.lanes
    tiers = max(_away(asked, here) - _away(asked, home), 0)
    points = max(_used(asked, here) - _used(asked, home), 0.0)
    return tiers * lanes.step_tokens + int(points * lanes.points_tokens)


def _used(asked: Asked, candidate: Candidate) -> float:
    """Percent used of its pool. A prepaid one counts as spent: money it takes is gone, what a plan keeps lapses."""
    pool = asked.desk.policy.pools.get(candidate.pool)
    return asked.turns.use.get(candidate.pool, SPENT if pool is not None and pool.kind == "metered" else 0.0)


def _away(asked: Asked, candidate: Candidate) -> int:
    place = asked.place(candidate)
    return 0 if place is None else step(asked.answers.asking, place.rank)


def _roomier(asked: Asked, here: Candidate) -> Choice | None:
    """A prompt that fills most of its window moves to a strictly larger one, if one of the same standing is open."""
    size, place, turns = asked.need.context, asked.place(here), asked.turns
    window = None if place is None else place.context
    if not asked.need.turn or size is None or window is None or size <= asked.desk.policy.lanes.roomy * window:
        return None
    mine = asked.spot(here)
    larger = [
        spot for spot in turns.spots if mine and spot.stands == mine.stands and (spot.place.context or 0) > window
    ]
    if not larger:
        return None
    roomy = evolve(asked, turns=Turns(asked.desk, asked.answers.standing, asked.need, larger))
    return _granted(roomy, "move", fact("roomier", here.pool, size=size, window=window))


def _picked(asked: Asked, pick: Candidate) -> Choice:
    """A session's own pick: checked and counted, never changed."""
    finding, answer = asked.against(pick), asked.serves(pick)
    if answer in SERVES:
        return _made(asked, "stay" if asked.need.here == pick else "place", fact("own-pick", pick.pool), pick)
    why = fact("slots-leased", pick.model) if finding is None else finding.fact
    if answer == "wait":
        return _waiting(asked, "candidate-busy", why, pick)
    code, (at, known) = refusal(asked, [finding] if finding else [])[0], opening_of(asked, pick)
    return _made(asked, "refuse", why, code=code, opens_at=at, known=known)


# --- a new place -------------------------------------------------------------------------------------


def _place(asked: Asked) -> Choice | None:
    here = asked.need.here
    if here is None:
        return _granted(asked, "place")
    finding = asked.against(here)
    return _granted(asked, "move", fact("slots-leased", here.model) if finding is None else finding.fact)


def _granted(asked: Asked, act: ChoiceAct, why: Fact | None = None) -> Choice | None:
    """The first of the order; None where nothing can serve."""
    turns = asked.turns
    if turns.best is None:
        return None
    index, spot = turns.best
    candidate = asked.desk.field.candidates[index]
    home = _home(asked, candidate)
    opens_at, known = (None, False) if home is None else opening_of(asked, home)
    return _made(
        asked,
        act,
        why or fact("chosen", candidate.pool),
        candidate,
        reasons=tuple(turns.reasons),
        step=spot.part,
        home=home,
        tied=turns.tied,
        draws=tuple(turns.draws),
        runners_up=turns.runners_up(),
        opens_at=opens_at,
        known=known,
    )


def _home(asked: Asked, candidate: Candidate) -> Candidate | None:
    """Where the session belongs while it runs there: its home, else the place it is driven from, if that ends by itself."""
    home = asked.need.home or asked.need.here
    if home is None or home == candidate:
        return None
    finding = asked.against(home)
    return None if finding is not None and finding.rule in FOR_GOOD else home


def _last_resort(asked: Asked) -> Choice | None:
    size, field = asked.need.context, asked.desk.field
    if not asked.need.turn or size is None or awaited(asked):
        return None
    found: list[tuple[int, int]] = []
    for group, place in enumerate(field.places):
        if place.kind != "local" and place.context is not None and _only_small(asked.said(group)):
            found += [(-place.context, index) for index in field.members[group]]
    if not found:
        return None
    candidate = field.candidates[min(found)[1]]
    return _made(asked, "last-resort", fact("roomiest", candidate.pool, size=size), candidate, home=asked.need.home)


def _only_small(found: list[Finding]) -> bool:
    refusing = [one for one in found if one.answer in ("no", "wait")]
    return bool(refusing) and all(one.fact.code == "core:context-small" for one in refusing)


# --- nothing now -------------------------------------------------------------------------------------


def _wait(asked: Asked) -> Choice | None:
    waits = awaited(asked)
    if not waits:
        return None
    first = min(waits, key=lambda one: one.rank)
    return _waiting(asked, first.code, first.fact, first.candidate, at=first.opens_at)


def _waiting(asked: Asked, code: NoLease, why: Fact, about: Candidate | None = None, **parts: Any) -> Choice:
    at = parts.get("at")
    if at is None and code == "candidate-busy" and about is not None:
        held = (one.expires_at for one in asked.desk.history.holds.leases if one.candidate.pool == about.pool)
        at = min(held, default=None)
    return _made(asked, "wait", why, code=code, about=about, opens_at=at)


def _refuse(asked: Asked) -> Choice:
    code, why = refusal(asked)
    at, known = opens(asked)
    return _made(asked, "refuse", why, code=code, opens_at=at, known=known)


# --- what is handed over -----------------------------------------------------------------------------


def _made(asked: Asked, act: ChoiceAct, why: Fact, candidate: Candidate | None = None, **parts: Any) -> Choice:
    desk, pool = asked.desk, None if candidate is None else asked.desk.policy.pools.get(candidate.pool)
    return Choice(
        tick_id(desk.history),
        desk.history.as_of,
        act,
        why,
        desk.tables[asked.answers.index],
        candidate,
        lane=asked.turns.lane.name,
        egress=None if pool is None else pool.egress,
        use=asked.turns.use,
        candidates=desk.field.candidates,
        groups=tuple(desk.field.groups),
        verdicts=desk.verdicts,
        circuits=desk.moment.judged,
        **parts,
    )
