"""What the moment adds to a survey: what each pool says now, and what is said now of single candidates.

Scoped caps and stops split groups: the candidates they name leave their group for one of their own.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from attrs import evolve, frozen

from capacity.core import flight
from capacity.core.candidates import Field, Survey, binds, grouped, may_serve
from capacity.core.facts import fact
from capacity.core.findings import Finding, worse, worst
from capacity.core.judging import judged
from capacity.core.orders import Steps
from capacity.core.rules import Asking, Place
from capacity.core.sights import Sight, sights, stop
from capacity.values.conditions import Fact
from capacity.values.history import History
from capacity.values.limits import Headroom
from capacity.values.models import Missed, Model
from capacity.values.seats import Candidate, Need, Seat


@frozen(eq=False, repr=False)
class Spot:
    """Where a seat is.

    Attributes:
        candidate: its candidate; None where its pool is not known.
        place: the place; None likewise.
        group: the group it belongs to; None where no adopted row makes it.
        moment: what is said of it at this moment.
        why: why the pool is not known; None where it is.
    """

    candidate: Candidate | None
    place: Place | None = None
    group: int | None = None
    moment: Sequence[Finding] = ()
    why: Fact | None = None


@frozen(eq=False, repr=False)
class Standing:
    """The answers to one need.

    Attributes:
        asking: the need, made ready.
        worst: group → the finding that decides it; None = yes.
        refused: fact code → how many candidates it refuses.
        steps: the eligible candidates, in steps of the order.
        here: where a seat is → everything said against it; filled as seats are looked at.
        able: what no rule refuses; there once a turn looked.
        numbers: its verdicts' numbers where it is the first need of a decision, and the findings in their order.
    """

    asking: Asking
    worst: Sequence[Finding | None]
    refused: Mapping[str, int]
    steps: Steps
    here: dict[Spot, Sequence[Finding]]
    able: list[flight.Able]
    numbers: list[tuple[tuple[int, ...], Sequence[Finding]]]


class Moment:
    """The survey at one instant; a value in all but name, so it is kept while its inputs are used together.

    Attributes:
        judged: the stops in force, each kept or lifted.
        sights: pool → what it says for itself.
        field: the survey's candidates, with the groups that caps and stops split.
        origins: group → the survey's group it came from.
        worst: group → the worst that is said at this moment to every need; None where nothing is.
        partial: group → what is said to some needs alone.
        needs: what verdicts hang on → the need that is shared for it; filled in by choices.
        told: what stands at this moment whatever is decided; filled in by the conditions, None before.
    """

    def __init__(self, survey: Survey, headroom: Headroom, history: History) -> None:
        self.survey = survey
        self.told: Sequence[Fact] | None = None
        self.needs: dict[tuple[object, ...], Need] = {}
        self._now = now = history.as_of
        held = [one for one in history.holds.circuits if one.ends_at is None or one.ends_at > now]
        self.judged = judged(held, survey.inventory, headroom, survey.policy) if held else ()
        circuits = [one.circuit for one in self.judged if not one.lifted]
        self.sights: dict[str, Sight] = sights(headroom, survey.policy, history, circuits)
        self._stops: dict[str, list[Finding]] = {}
        for one in circuits:
            if one.subject == "candidate":
                self._stops.setdefault(one.name, []).append(stop(one, now))
        self._standing: dict[Need, Standing] = {}
        self._sizes: Sequence[int] = ()
        self._spots: dict[tuple[str, str, str | None, str | None], Spot] = {}
        said = self._said_of_candidates()
        self.field, self.origins = (
            _split(survey.field, said) if said else (survey.field, range(len(survey.field.places)))
        )
        seen = self.sights
        self.worst = [seen[place.pool].worst for place in self.field.places]
        self.partial: dict[int, list[Finding]] = {}
        for group, extra in enumerate(self.field.extras if said else ()):
            self.worst[group] = worse(self.worst[group], worst(one for one in extra if one.general))
        for group, place in enumerate(self.field.places):
            some = [one for one in (*seen[place.pool].partial, *self.field.extras[group]) if not one.general]
            if some:
                self.partial[group] = some

    @cached_property
    def known(self) -> Mapping[str, float]:
        """Pool → percent used of what binds it, where that is freshly read."""
        return {name: flight.bound(sight, self._now) for name, sight in self.sights.items() if flight.read(sight)}

    def size(self, tokens: int) -> int:
        """The largest context that nothing can tell from a given one, so that equal answers are made once."""
        if not self._sizes:
            places = self.field.places
            told = {*(place.context for place in places), *(place.usable for place in places)}
            told |= {place.serving.least - 1 for place in places}
            told |= {one.above for some in self.partial.values() for one in some}
            known = sorted(tokens for tokens in told if tokens is not None)
            self._sizes = (*known, max(known, default=0) + 1)
        return self._sizes[min(bisect_left(self._sizes, tokens), len(self._sizes) - 1)]

    def said(self, group: int) -> Sequence[Finding]:
        """Everything said of a group at this moment."""
        sight = self.sights[self.field.places[group].pool]
        return [*sight.findings, *sight.partial, *self.field.extras[group]]

    def of(self, candidate: Candidate, model: Model, *, listed: bool) -> Sequence[Finding]:
        """Everything said at this moment of a candidate no adopted row makes."""
        sight = self.sights[candidate.pool]
        caps = [said for word, all_said in sight.caps.items() if binds(word, model, listed=listed) for said in all_said]
        return [*sight.findings, *caps, *self._stops.get("|".join(candidate.key), ())]

    def standing(self, need: Need) -> Standing:
        """The answers to a need at this moment."""
        known = self._standing.get(need)
        if known is None:
            known = self._standing[need] = self._stand(need)
        return known

    def _stand(self, need: Need) -> Standing:
        exhausted = need.high_volume and self._metered_exhausted(need)
        asking, settled = self.survey.answers(need, metered_exhausted=exhausted)
        decided = [
            settled[origin] if now is None else worse(settled[origin], now)
            for origin, now in zip(self.origins, self.worst, strict=True)
        ]
        for group, some in self.partial.items():
            decided[group] = worse(decided[group], worst(one for one in some if one.concerns(need)))
        refused: Counter[str] = Counter()
        for finding, size in zip(decided, self.field.sizes, strict=True):
            if finding is not None and finding.answer == "no" and size:
                refused[finding.fact.code] += size
        return Standing(asking, decided, refused, Steps(asking, self.field, self.sights, decided), {}, [], [])

    def spot(self, seat: Seat) -> Spot:
        """Where a seat is: what its fleet says, else the one pool that lists its model, else the one that may serve it."""
        key = (seat.harness, seat.model, seat.effort, seat.pool)
        found = self._spots.get(key)
        if found is None:
            found = self._spots[key] = self._spot(seat)
        return found

    def _spot(self, seat: Seat) -> Spot:
        harness = self.survey.policy.harnesses.get(seat.harness)
        if harness is None:
            return Spot(None, why=fact("harness-unknown", seat.harness))
        answering = (pool for pool in harness.pools if self.survey.found(harness, pool, seat.model))
        meant = harness.aliases.get(seat.model, seat.model)
        pools = [seat.pool] if seat.pool else list(answering) or may_serve(self.survey.policy, harness, meant)
        if len(pools) != 1 or pools[0] not in self.sights:
            return Spot(None, why=fact("pool-unknown", seat.model))
        found = self.survey.found(harness, pools[0], seat.model)
        name = found[0].model.id if found else meant
        return self.at(Candidate(seat.harness, pools[0], name, seat.effort), found)

    def at(self, candidate: Candidate, found: Sequence[Missed]) -> Spot:
        """A candidate as a spot, whether an adopted row makes it or not.

        Args:
            candidate: which.
            found: the models of its pool that answer to its name; the first is meant.
        """
        index = self.field.index.get(candidate)
        if index is not None:
            group = self.field.groups[index]
            return Spot(candidate, self.field.places[group], group, self.said(group))
        one, listed = (found[0], True) if found else (Missed(Model(candidate.model), 0), False)
        row = self.survey.row(candidate, one.model.names)
        place = self.survey.place(
            candidate.harness, candidate.pool, one, row=row, effort=candidate.effort, listed=listed
        )
        return Spot(candidate, place, None, self.of(candidate, one.model, listed=listed))

    def here(self, standing: Standing, spot: Spot) -> Sequence[Finding]:
        """Everything said against a seat's place for a need."""
        if spot.place is None or (spot.group is not None and standing.worst[spot.group] is None):
            return ()
        found = standing.here.get(spot)
        if found is None:
            found = standing.here[spot] = standing.asking.against(spot.place, spot.moment)
        return found

    def _metered_exhausted(self, need: Need) -> bool:
        """Whether the metered places a need may use are full, every one, and there is one."""
        _, settled = self.survey.answers(need)
        metered = [
            group
            for group, place in enumerate(self.field.places)
            if place.kind == "metered" and not _refuses(settled[self.origins[group]])
        ]
        refusals = [[one for one in self.said(group) if one.answer == "no"] for group in metered]
        able = [refusing for refusing in refusals if all(finding.quota for finding in refusing)]
        return bool(able) and all(able)

    def _said_of_candidates(self) -> dict[int, list[Finding]]:
        """Index of a candidate → what caps and stops say of it alone."""
        said: dict[int, list[Finding]] = {}
        for name, sight in self.sights.items():
            for word, findings in sight.caps.items():
                for index in self._bound(name, word) if findings else ():
                    said.setdefault(index, []).extend(findings)
        if self._stops:
            for index, candidate in enumerate(self.survey.field.candidates):
                stopped = self._stops.get("|".join(candidate.key))
                if stopped is not None:
                    said.setdefault(index, []).extend(stopped)
        return said

    def _bound(self, pool: str, word: str) -> Iterator[int]:
        """The candidates of a pool that a model scope binds."""
        field = self.survey.field
        shelf = self.survey.inventory.pools.get(pool)
        for one in () if shelf is None else shelf.answering.get(word, ()):
            yield from field.runs.get((pool, one.model.id), ())
        for index in field.unheard:
            candidate = field.candidates[index]
            if candidate.pool == pool and binds(word, Model(candidate.model), listed=False):
                yield index


def moment(survey: Survey, headroom: Headroom, history: History, use: str = "seats") -> Moment:
    """The survey at the instant of headroom and history, made once while the same ones are used together.

    Args:
        survey: what policy and inventory say.
        headroom: what is left.
        history: what is held.
        use: who uses it; each use has its own.
    """
    slot = f"moment of {use}"
    kept: tuple[Moment, Headroom, object] | None = survey.policy.kept.get(slot)
    held = (history.as_of, history.holds.circuits, history.spent) if _changing(history) else None
    if kept is None or kept[0].survey is not survey or kept[1] is not headroom or kept[2] != held:
        kept = survey.policy.kept[slot] = (Moment(survey, headroom, history), headroom, held)
    return kept[0]


def _changing(history: History) -> bool:
    """Whether what is held changes with the clock alone."""
    return bool(history.holds.circuits or history.spent)


def _refuses(finding: Finding | None) -> bool:
    return finding is not None and finding.answer == "no"


def _split(field: Field, said: dict[int, list[Finding]]) -> tuple[Field, Sequence[int]]:
    """The field with the named candidates in groups of their own, and each group's origin."""
    groups, places = list(field.groups), list(field.places)
    origins, extras = list(range(len(places))), list(field.extras)
    made: dict[tuple[int, ...], int] = {}
    for index in sorted(said):
        key = (groups[index], *map(id, said[index]))
        group = made.get(key)
        if group is None:
            group = made[key] = len(places)
            places.append(places[groups[index]])
            origins.append(groups[index])
            extras.append(tuple(said[index]))
        groups[index] = group
    firsts, sizes = grouped(groups, len(places))
    split = evolve(field, groups=tuple(groups), places=places, firsts=firsts, sizes=sizes, extras=extras)
    return split, origins
