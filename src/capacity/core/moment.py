"""What the moment adds to a survey: what each pool says now, and what is said now of single candidates.

Scoped caps and stops split groups: the candidates they name leave their group for one of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import evolve

from capacity.core.candidates import Field, Survey, binds, grouped
from capacity.core.rules import Asking, Finding, worse, worst
from capacity.core.sights import Sight, sights, stop
from capacity.values.conditions import Fact
from capacity.values.history import History
from capacity.values.limits import Headroom
from capacity.values.models import Model
from capacity.values.seats import Candidate, Need


class Moment:
    """The survey at one instant; a value in all but name, so it is kept while its inputs are used together.

    Attributes:
        sights: pool → what it says for itself.
        field: the survey's candidates, with the groups that caps and stops split.
        origins: group → the survey's group it came from.
        worst: group → the worst that is said at this moment; None where nothing is.
        told: what stands at this moment whatever is decided; filled in by the conditions, None before.
    """

    def __init__(self, survey: Survey, headroom: Headroom, history: History) -> None:
        self.survey = survey
        self.told: Sequence[Fact] | None = None
        self.sights: dict[str, Sight] = sights(headroom, survey.policy, history)
        self._stops = {
            one.name: stop(one)
            for one in history.holds.circuits
            if one.subject == "candidate" and (one.ends_at is None or one.ends_at > history.as_of)
        }
        self._decided: dict[Need, tuple[Asking, list[Finding | None]]] = {}
        said = self._said_of_candidates()
        self.field, self.origins = (
            _split(survey.field, said) if said else (survey.field, range(len(survey.field.places)))
        )
        seen = self.sights
        self.worst = [seen[place.pool].worst for place in self.field.places]
        if said:
            self.worst = [worse(now, worst(extra)) for now, extra in zip(self.worst, self.field.extras, strict=True)]

    def said(self, group: int) -> Sequence[Finding]:
        """Everything said of a group at this moment."""
        return [*self.sights[self.field.places[group].pool].findings, *self.field.extras[group]]

    def of(self, candidate: Candidate, model: Model, *, listed: bool) -> Sequence[Finding]:
        """Everything said at this moment of a candidate no adopted row makes."""
        sight = self.sights[candidate.pool]
        caps = [said for word, all_said in sight.caps.items() if binds(word, model, listed=listed) for said in all_said]
        stopped = self._stops.get("|".join(candidate.key))
        return [*sight.findings, *caps, *([stopped] if stopped else [])]

    def answers(self, need: Need) -> tuple[Asking, list[Finding | None]]:
        """The need made ready, and for each group the finding that decides it; None = yes."""
        known = self._decided.get(need)
        if known is None:
            exhausted = need.high_volume and self._metered_exhausted(need)
            asking, standing = self.survey.answers(need, metered_exhausted=exhausted)
            decided = [worse(standing[origin], now) for origin, now in zip(self.origins, self.worst, strict=True)]
            known = self._decided[need] = (asking, decided)
        return known

    def _metered_exhausted(self, need: Need) -> bool:
        """Whether the metered places a need may use are full, every one, and there is one."""
        _, standing = self.survey.answers(need)
        metered = [
            group
            for group, place in enumerate(self.field.places)
            if place.kind == "metered" and not _refuses(standing[self.origins[group]])
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
                    said.setdefault(index, []).append(stopped)
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


def moment(survey: Survey, headroom: Headroom, history: History) -> Moment:
    """The survey at the instant of headroom and history, made once while the same ones are used together.

    With stops in force it is made anew each time, since they end by the clock.
    """
    if history.holds.circuits:
        return Moment(survey, headroom, history)
    key = (survey, headroom)
    kept: tuple[tuple[Survey, Headroom], Moment] | None = survey.policy.kept.get("moment")
    if kept is None or kept[0][0] is not survey or kept[0][1] is not headroom:
        kept = survey.policy.kept["moment"] = (key, Moment(survey, headroom, history))
    return kept[1]


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
