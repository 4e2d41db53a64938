"""Candidates: adopted row × pool × model, in groups that no rule can tell apart.

All here hangs on policy and inventory alone, so it is surveyed once for the two of them and kept with the policy.
A model is compared by membership in its `names` and by nothing else. Only for a model outside the inventory are a
scope's words looked for among the tokens of its id.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from attrs import frozen

from capacity.core.catalogue import serves
from capacity.core.facts import fact
from capacity.core.findings import Finding, worst
from capacity.core.lanes import asked, serving, usable
from capacity.core.needs import Resolver
from capacity.core.rules import INVALID_AFTER, REACH, Asking, Place
from capacity.values.lanes import Serving
from capacity.values.models import Inventory, Missed, Model, PoolInventory
from capacity.values.policy import HarnessPolicy, Policy, PoolPolicy
from capacity.values.seats import Candidate, Need
from capacity.values.tiers import TierRow

FIRST = 3
"""Candidates of a group an order may look at: the best and two runners-up."""

KEPT_NEEDS = 256
"""Needs whose answers are kept with a survey; a fleet has some dozens."""


class Traits(NamedTuple):
    """What rules can tell about a model in its pool; equal traits share their group."""

    context: int | None
    modalities: tuple[str, ...] | None
    tools: bool | None
    efforts: tuple[str, ...] | None
    names: frozenset[str]
    findings: tuple[Finding, ...]
    serving: Serving


@frozen(eq=False, repr=False)
class Field:
    """Every candidate there is.

    Attributes:
        candidates: sorted by key.
        groups: candidate → group.
        places: group → its place.
        firsts: group → indices of its first candidates.
        sizes: group → how many candidates it has.
        extras: group → findings of the moment about its candidates alone; empty until a decision looks.
        index: candidate → its index.
        runs: (pool, model id) → indices of its candidates.
        unheard: indices of candidates whose model nobody listed.
    """

    candidates: tuple[Candidate, ...]
    groups: Sequence[int]
    places: Sequence[Place]
    firsts: Sequence[Sequence[int]]
    sizes: Sequence[int]
    extras: Sequence[tuple[Finding, ...]]
    index: Mapping[Candidate, int]
    runs: Mapping[tuple[str, str], Sequence[int]]
    unheard: Sequence[int]

    @cached_property
    def members(self) -> Sequence[Sequence[int]]:
        """Group → indices of its candidates, every one."""
        found: list[list[int]] = [[] for _ in self.places]
        for index, group in enumerate(self.groups):
            found[group].append(index)
        return found


class Survey:
    """What policy and inventory say of every place, before anything of the moment is looked at."""

    def __init__(self, inventory: Inventory, policy: Policy, names: frozenset[str] = frozenset()) -> None:
        self.inventory = inventory
        self.policy = policy
        self.resolver = Resolver(policy)
        self.rows = policy.tiers.in_force(inventory.as_of)
        self.names = names
        ruled = frozenset(name.casefold() for rule in policy.seats for name in rule.models or ())
        self._asked = names.union(ruled, asked(policy))
        self._ranks = {name: rank for rank, name in enumerate(policy.tiers.names)}
        self._traits: dict[tuple[str, str], Traits] = {}
        self._answers: dict[tuple[Need, bool], tuple[Asking, list[Finding | None]]] = {}
        self.field = _surveyed(self)

    def found(self, harness: HarnessPolicy, pool: str, name: str) -> tuple[Missed, ...]:
        """The models of a pool that answer to a name, aliases of the harness included."""
        shelf = self.inventory.pools.get(pool)
        return () if shelf is None else shelf.find(harness.aliases.get(name, name))

    def row(self, candidate: Candidate, names: frozenset[str]) -> TierRow | None:
        """The adopted row of a place, also where no listing made a candidate of it; None = there is none."""
        harness = self.policy.harnesses.get(candidate.harness)
        aliases = {} if harness is None else harness.aliases
        at = candidate.harness, candidate.effort
        rows = (row for row in self.rows if (row.harness, row.effort) == at)
        return next((row for row in rows if aliases.get(row.model, row.model).casefold() in names), None)

    def place(
        self, harness: str, pool: str, one: Missed, *, row: TierRow | None, effort: str | None, listed: bool = True
    ) -> Place:
        """The place of a candidate."""
        tier = None if row is None else row.tier
        traits = self.traits(pool, one, listed=listed)
        offered = _offered(effort, traits.efforts)
        rules = self.policy.pools[pool]
        return Place(
            harness,
            pool,
            rules.kind,
            rules.preference,
            REACH[rules.egress],
            None if tier is None else self._ranks.get(tier),
            tier,
            None if row is None else row.proven or row.tier,
            effort,
            traits.context,
            traits.modalities,
            traits.tools,
            traits.names,
            traits.findings if offered is None else (*traits.findings, offered),
            traits.serving,
            usable(traits.context, traits.serving, rules.kind),
        )

    def traits(self, pool: str, one: Missed, *, listed: bool = True) -> Traits:
        """What rules can tell about a model."""
        key = (pool, one.model.id)
        traits = self._traits.get(key)
        if traits is None:
            traits = self._traits[key] = self._look(pool, one, listed)
        return traits

    def _look(self, pool: str, one: Missed, listed: bool) -> Traits:
        model = one.model
        found: list[Finding] = []
        if not listed:
            found.append(_unlisted(pool, model.id, self.inventory.pools.get(pool)))
        elif one.misses:
            found.append(_missing(pool, one))
        where = _residence(self.policy.pools[pool], model) if listed else None
        if where is not None:
            found.append(where)
        names = model.names & self._asked if self._asked else self._asked
        said = serving(self.policy.pools[pool].serving, model.names)
        window = model.context if said.context is None else said.context
        return Traits(window, model.modalities, model.tools, model.efforts, names, tuple(found), said)

    def answers(self, need: Need, *, metered_exhausted: bool = False) -> tuple[Asking, list[Finding | None]]:
        """The need made ready, and for each group the finding that decides it as far as nothing of the moment speaks."""
        key = (need, metered_exhausted)
        kept = self._answers.get(key)
        if kept is None:
            if len(self._answers) >= KEPT_NEEDS:
                self._answers.clear()
            asking = Asking(need, self.policy, metered_exhausted=metered_exhausted)
            kept = self._answers[key] = (asking, [worst(asking.against(place)) for place in self.field.places])
        return kept


def survey(inventory: Inventory, policy: Policy, use: str = "seats", names: Iterable[str] = ()) -> Survey:
    """The survey of the two, made once while they are used together.

    Args:
        inventory: what can run.
        policy: what the operator wants; the survey is kept with it.
        use: who uses it; each use has its own, so that none changes what another finds.
        names: model names that a need asks about beside those the policy does.
    """
    slot = f"survey of {use}"
    kept: Survey | None = policy.kept.get(slot)
    known = frozenset() if kept is None or kept.inventory is not inventory else kept.names
    wanted = known.union(name.casefold() for name in names)
    if kept is None or kept.inventory is not inventory or wanted != known:
        kept = policy.kept[slot] = Survey(inventory, policy, wanted)
    return kept


def _unlisted(pool: str, name: str, shelf: PoolInventory | None) -> Finding:
    """A name nobody listed: refused where an inventory may reject, else nobody can tell."""
    rejects = shelf is not None and shelf.rejects
    why = fact("model-unlisted", name, pool=pool, authority=shelf.authority if shelf else "none")
    return Finding("no" if rejects else "cannot-tell", "model", why)


def _missing(pool: str, one: Missed) -> Finding:
    """A name that was listed once: refused at once, proof to leave after some listings in a row."""
    invalid = one.misses >= INVALID_AFTER
    code = "model-invalid" if invalid else "model-missing"
    return Finding("no", "model", fact(code, one.model.id, pool=pool, misses=one.misses), proof=invalid)


def _residence(pool: PoolPolicy, model: Model) -> Finding | None:
    """Resident and sleeping serve; loading waits; the rest only where somebody loads on request."""
    where = model.residency
    if where is None and pool.kind == "local":
        return Finding("cannot-tell", "residency", fact("residency-unknown", model.id))
    if where is None or where in ("resident", "sleeping"):
        return None
    if pool.prepare and where in ("loadable", "failed"):
        return Finding("wait", "residency", fact("preparable", model.id, residency=where, pool=pool.name))
    return Finding("wait" if where == "loading" else "no", "residency", fact("not-resident", model.id, residency=where))


def _offered(effort: str | None, efforts: tuple[str, ...] | None) -> Finding | None:
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
    return not listed and set(_tokens(word)) <= set(_tokens(model.id))


def _tokens(text: str) -> list[str]:
    """The letter and digit runs of a name, casefolded."""
    return re.findall(r"[^\W_]+", text.casefold())


Key = tuple[str, str, str, str]
"""(harness, pool, model id, effort or nothing): what candidates are sorted by."""


def _surveyed(survey: Survey) -> Field:
    """Every candidate of the adopted rows, in groups."""
    places: list[Place] = []
    seen: dict[tuple[object, ...], int] = {}
    rows: dict[Key, tuple[int, str | None, bool]] = {}
    for harness, pool, one, row, listed in _spots(survey):
        effort = row.effort
        at = (harness, pool, one.model.id, effort or "")
        if at in rows:  # a row that names the very id came first
            continue
        kind = (harness, pool, row.tier, row.proven, effort, survey.traits(pool, one, listed=listed))
        group = seen.get(kind)
        if group is None:
            group = seen[kind] = len(places)
            places.append(survey.place(harness, pool, one, row=row, effort=effort, listed=listed))
        rows[at] = (group, effort, listed)
    return _field(rows, places)


def _field(rows: dict[Key, tuple[int, str | None, bool]], places: list[Place]) -> Field:
    ordered = sorted(rows)
    groups = [rows[at][0] for at in ordered]
    candidates = tuple(Candidate(at[0], at[1], at[2], rows[at][1]) for at in ordered)
    runs: dict[tuple[str, str], list[int]] = {}
    for index, at in enumerate(ordered):
        runs.setdefault((at[1], at[2]), []).append(index)
    firsts, sizes = grouped(groups, len(places))
    index_of = {candidate: index for index, candidate in enumerate(candidates)}
    unheard = [index for index, at in enumerate(ordered) if not rows[at][2]]
    return Field(candidates, tuple(groups), places, firsts, sizes, [()] * len(places), index_of, runs, unheard)


def grouped(groups: Sequence[int], count: int) -> tuple[list[list[int]], list[int]]:
    """For each of so many groups, its first candidates and how many it has."""
    firsts: list[list[int]] = [[] for _ in range(count)]
    sizes = [0] * count
    for index, group in enumerate(groups):
        sizes[group] += 1
        if sizes[group] <= FIRST:
            firsts[group].append(index)
    return firsts, sizes


Spot = tuple[str, str, Missed, TierRow, bool]
"""(harness, pool, model with its misses, adopted row, whether anybody ever listed it)."""


def _spots(survey: Survey) -> Iterator[Spot]:
    """Where each adopted row could run; a row that names the very id comes before one that names a family."""
    loose: list[Spot] = []
    for row in survey.rows:
        harness = survey.policy.harnesses.get(row.harness)
        if harness is None:
            continue
        name, answered = harness.aliases.get(row.model, row.model), False
        for pool in harness.pools:
            for one in survey.found(harness, pool, row.model) if pool in survey.policy.pools else ():
                answered = True
                spot = (row.harness, pool, one, row, True)
                if one.model.id.casefold() == name.casefold():
                    yield spot
                else:
                    loose.append(spot)
        if not answered:
            unheard = Missed(Model(name), 0)
            pools = may_serve(survey.policy, harness, name)
            loose += [(row.harness, pool, unheard, row, False) for pool in pools]
    yield from loose


def may_serve(policy: Policy, harness: HarnessPolicy, name: str) -> list[str]:
    """The pools that may serve a name no listing answers to: those whose policy says so, else the only one."""
    known = [pool for pool in harness.pools if pool in policy.pools]
    return [pool for pool in known if serves(policy.pools[pool].models, (name,))] or (known if len(known) == 1 else [])
