"""Candidates: adopted row × pool × model, in groups that no rule can tell apart.

A model is compared by membership in its `names` and by nothing else. Only for a model outside the inventory are a
scope's words looked for among the tokens of its id.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple

from attrs import frozen

from capacity.core.facts import fact
from capacity.core.rules import INVALID_AFTER, REACH, Finding, Place
from capacity.core.sights import Sight, stop
from capacity.values.failures import Circuit
from capacity.values.models import Inventory, Missed, Model, PoolInventory
from capacity.values.policy import HarnessPolicy, Policy
from capacity.values.seats import Candidate

FIRST = 3
"""Candidates of a group an order may look at: the best and two runners-up."""


class Traits(NamedTuple):
    """What rules can tell about a model in its pool; equal traits share their group."""

    context: int | None
    modalities: tuple[str, ...] | None
    tools: bool | None
    efforts: tuple[str, ...] | None
    names: frozenset[str]
    findings: tuple[Finding, ...]


@frozen(eq=False)
class Field:
    """Every candidate there is.

    Attributes:
        candidates: sorted by key.
        groups: candidate → group.
        places: group → its place.
        firsts: group → indices of its first candidates.
        sizes: group → how many candidates it has.
        index: candidate → its index.
    """

    candidates: tuple[Candidate, ...]
    groups: tuple[int, ...]
    places: tuple[Place, ...]
    firsts: tuple[tuple[int, ...], ...]
    sizes: tuple[int, ...]
    index: Mapping[Candidate, int]


class Surveyor:
    """Looks at models and places of one decision; what is equal is made once."""

    def __init__(
        self, inventory: Inventory, policy: Policy, sights: Mapping[str, Sight], circuits: Iterable[Circuit],
        asked: frozenset[str],
    ) -> None:  # fmt: skip  # the four values of a decision, and the names any need asks about
        self.inventory = inventory
        self.policy = policy
        self.sights = sights
        self.stops = {one.name: stop(one) for one in circuits if one.subject == "candidate"}
        self._asked = asked
        self._ranks = {name: rank for rank, name in enumerate(policy.tiers.names)}
        self._traits: dict[tuple[str, str], Traits] = {}

    def found(self, harness: HarnessPolicy, pool: str, name: str) -> tuple[Missed, ...]:
        """The models of a pool that answer to a name, aliases of the harness included."""
        shelf = self.inventory.pools.get(pool)
        return () if shelf is None else shelf.find(harness.aliases.get(name, name))

    def traits(self, pool: str, one: Missed, *, listed: bool = True) -> Traits:
        """What rules can tell about a model."""
        key = (pool, one.model.id)
        traits = self._traits.get(key)
        if traits is None:
            traits = self._traits[key] = self._look(pool, one, listed)
        return traits

    def _look(self, pool: str, one: Missed, listed: bool) -> Traits:
        sight, model = self.sights[pool], one.model
        found: list[Finding] = []
        if not listed:
            found.append(unlisted(pool, model.id, self.inventory.pools.get(pool)))
        elif one.misses:
            found.append(missing(pool, one))
        found += [
            said for word, all_said in sight.caps.items() if binds(word, model, listed=listed) for said in all_said
        ]
        waits = residence(sight, model)
        if waits is not None:
            found.append(waits)
        asked = model.names & self._asked if self._asked else frozenset()
        return Traits(model.context, model.modalities, model.tools, model.efforts, asked, tuple(found))

    def place(self, harness: str, pool: str, tier: str | None, effort: str | None, traits: Traits, key: str) -> Place:
        """The place of a candidate."""
        sight = self.sights[pool]
        found = [*traits.findings, *sight.findings]
        offered = effort_finding(effort, traits.efforts)
        if offered is not None:
            found.append(offered)
        if key in self.stops:
            found.append(self.stops[key])
        if len(found) > 1:
            found.sort(key=_order)
        return Place(
            harness, pool, sight.pool.kind, REACH[sight.pool.egress],
            None if tier is None else self._ranks.get(tier), tier, effort,
            traits.context, traits.modalities, traits.tools, traits.names, tuple(found),
        )  # fmt: skip  # in the order of the class


_ORDER = {rule: at for at, rule in enumerate(("model", "effort", "circuit", "login", "quota", "cap", "residency"))}


def _order(finding: Finding) -> int:
    return _ORDER.get(finding.rule, len(_ORDER))


def unlisted(pool: str, name: str, shelf: PoolInventory | None) -> Finding:
    """A name nobody listed: refused where an inventory may reject, else nobody can tell."""
    rejects = shelf is not None and shelf.rejects
    why = fact("model-unlisted", name, pool=pool, authority=shelf.authority if shelf else "none")
    return Finding("no" if rejects else "cannot-tell", "model", why)


def missing(pool: str, one: Missed) -> Finding:
    """A name that was listed once: refused at once, proof to leave after some listings in a row."""
    invalid = one.misses >= INVALID_AFTER
    code = "model-invalid" if invalid else "model-missing"
    return Finding("no", "model", fact(code, one.model.id, pool=pool, misses=one.misses), proof=invalid)


def residence(sight: Sight, model: Model) -> Finding | None:
    """Resident and sleeping serve; loading waits; the rest only where somebody loads on request."""
    where = model.residency
    if where is None or where in ("resident", "sleeping"):
        return None
    waits = where == "loading" or (where in ("loadable", "failed") and bool(sight.pool.prepare))
    return Finding("wait" if waits else "no", "residency", fact("not-resident", model.id, residency=where))


def effort_finding(effort: str | None, efforts: tuple[str, ...] | None) -> Finding | None:
    """An effort the model does not take is refused; of one nobody tells, nobody can tell."""
    if effort is None or (efforts is not None and effort in efforts):
        return None
    if efforts is None:
        return Finding("cannot-tell", "effort", fact("effort-unknown", effort))
    return Finding("no", "effort", fact("effort-refused", effort))


def binds(word: str, model: Model, *, listed: bool = True) -> bool:
    """Whether a model scope binds a model: by its names; outside the inventory by the tokens of its id."""
    if word in model.names:
        return True
    return not listed and set(tokens(word)) <= set(tokens(model.id))


def tokens(text: str) -> list[str]:
    """The letter and digit runs of a name, casefolded."""
    return re.findall(r"[^\W_]+", text.casefold())


def field(surveyor: Surveyor) -> Field:
    """Every candidate of the adopted rows, in groups."""
    places: list[Place] = []
    seen: dict[tuple[object, ...], int] = {}
    stops = surveyor.stops
    rows: dict[tuple[str, str, str, str], tuple[int, str | None]] = {}
    for harness, pool, one, tier, effort, listed in _spots(surveyor):
        at = (harness, pool, one.model.id, effort or "")
        if at in rows:  # a row that names the very id came first
            continue
        traits = surveyor.traits(pool, one, listed=listed)
        key = "|".join(at) if stops else ""
        kind = (harness, pool, tier, effort, traits, key if key in stops else "")
        group = seen.get(kind)
        if group is None:
            group = seen[kind] = len(places)
            places.append(surveyor.place(harness, pool, tier, effort, traits, key))
        rows[at] = (group, effort)
    return _field(rows, places)


def _field(rows: dict[tuple[str, str, str, str], tuple[int, str | None]], places: list[Place]) -> Field:
    ordered = sorted(rows)
    groups = tuple([rows[at][0] for at in ordered])
    candidates = tuple([Candidate(at[0], at[1], at[2], rows[at][1]) for at in ordered])
    firsts: list[list[int]] = [[] for _ in places]
    sizes = [0] * len(places)
    for index, group in enumerate(groups):
        sizes[group] += 1
        if sizes[group] <= FIRST:
            firsts[group].append(index)
    index_of = {candidate: index for index, candidate in enumerate(candidates)}
    return Field(candidates, groups, tuple(places), tuple(tuple(first) for first in firsts), tuple(sizes), index_of)


Spot = tuple[str, str, Missed, str, str | None, bool]
"""(harness, pool, model with its misses, tier, effort, whether anybody ever listed it)."""


def _spots(surveyor: Surveyor) -> Iterable[Spot]:
    """Where each adopted row could run; a row that names the very id comes before one that names a family."""
    loose: list[Spot] = []
    for row in surveyor.policy.tiers.rows:
        harness = surveyor.policy.harnesses.get(row.harness)
        if harness is None:
            continue
        name, answered = harness.aliases.get(row.model, row.model), False
        for pool in harness.pools:
            for one in surveyor.found(harness, pool, row.model) if pool in surveyor.sights else ():
                answered = True
                spot = (row.harness, pool, one, row.tier, row.effort, True)
                if one.model.id.casefold() == name.casefold():
                    yield spot
                else:
                    loose.append(spot)
        if not answered:
            loose += [
                (row.harness, pool, Missed(Model(name), 0), row.tier, row.effort, False)
                for pool in unanswered(surveyor, harness, name)
            ]
    yield from loose


def unanswered(surveyor: Surveyor, harness: HarnessPolicy, name: str) -> list[str]:
    """The pools that may serve a name no listing answers to: those whose policy says so, else the only one."""
    known = [pool for pool in harness.pools if pool in surveyor.sights]
    said = [
        pool for pool in known if any(fnmatchcase(name.casefold(), glob.casefold()) for glob in _globs(surveyor, pool))
    ]
    return said or (known if len(known) == 1 else [])


def _globs(surveyor: Surveyor, pool: str) -> tuple[str, ...]:
    return surveyor.sights[pool].pool.models
