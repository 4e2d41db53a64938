"""What a name means: six steps in a fixed order, the first that knows it decides, and its step is told.

1 an operator's answer · 2 an id of the inventory · 3 an id of a catalogue · 4 another name a catalogue has for it ·
5 the same words and version numbers as exactly one of them · 6 unresolved. Nothing is ever taken for being similar.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cached_property

from attrs import frozen

from capacity.values.evidence import Alias, Named, Step
from capacity.values.models import Inventory
from capacity.values.rankings import Rankings

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""Words that may be an effort, and may be part of a name (`-max`): which of the two is never decided by the word."""

HARNESSES: Mapping[str, str] = {
    "claude code": "claude",
    "codex cli": "codex",
    "antigravity": "agy",
    "gemini cli": "gemini",
}
"""What boards call a harness → the usual name of its program."""

NEAREST = 3
"""Ids that are shown with a name nobody could resolve."""

DATE = re.compile(r"(?<!\d)(20\d\d)-?(0[1-9]|1[0-2])-?([0-3]\d)(?!\d)")
BRACKETED = re.compile(r"\s*\(([^)]*)\)")
TAIL = re.compile(r"(-v\d+:\d+|[:@].*)$")
REGION = re.compile(r"^(?:[a-z]+\.)+(?=[a-z])")
TOKENS = re.compile(r"[^\W\d_]+|\d+")

Signature = tuple[tuple[str, ...], tuple[str, ...]]


@frozen
class Meaning:
    """What a name means.

    Attributes:
        model: its id; None = unresolved.
        step: which step found it.
        effort: the effort word the name itself holds; None = none.
        since: what stands behind the id is this old at most, UTC; None = not known to have changed.
    """

    model: str | None
    step: Step
    effort: str | None = None
    since: datetime | None = None


def bare(name: str) -> str:
    """A name without provider, region, tail (`:free`, `@default`) and brackets, casefolded."""
    text = BRACKETED.sub("", name.casefold().strip()).rstrip("/").rsplit("/", 1)[-1]
    return REGION.sub("", TAIL.sub("", text))


def signature(name: str) -> Signature:
    """Its words, sorted, and its version numbers in order; dates, and one trailing nought, are left out."""
    tokens = TOKENS.findall(DATE.sub(" ", bare(name)))
    numbers = [token for token in tokens if token.isdigit()]
    if len(numbers) > 1 and not numbers[-1].strip("0"):
        numbers.pop()
    return tuple(sorted(token for token in tokens if not token.isdigit())), tuple(numbers)


def dated(name: str) -> str | None:
    """The date a name holds, as eight digits; None = none."""
    found = DATE.search(name)
    return None if found is None else "".join(found.groups())


class Names:
    """Resolves the names of models.

    Args:
        inventory: its ids come first, and are what a model is called once resolved.
        rankings: their catalogues, and the ids their rows give models.
        aliases: what operators said.
    """

    def __init__(self, inventory: Inventory, rankings: Iterable[Rankings], aliases: Iterable[Alias]) -> None:
        rankings = tuple(rankings)
        known = [one for answer in rankings for one in answer.known]
        told = [row.model_key for answer in rankings for row in answer.rows if row.model_key]
        models = [model for shelf in inventory.pools.values() for model in shelf.models]
        self._listed = {model.id.casefold(): model.id for model in sorted(models, key=lambda model: model.id)}
        self._efforts = {model.id: frozenset(model.efforts or ()) for model in models}
        self._said = newest(aliases, "model")
        ids = sorted({*self._listed.values(), *(one.id for one in known), *told}, key=lambda id: (len(id), id))
        self._keys = {id: (signature(id), dated(id)) for id in ids}
        self._groups = _grouped(self._keys)
        self._homes = self._homed(ids)
        self._others = _unique((alias, self._homes[one.id.casefold()]) for one in known for alias in one.aliases)
        for one in known:
            self._adopt(one.id, one.aliases)
        self._changed: dict[str, datetime] = {}
        for one in known:
            home = self._homes[one.id.casefold()]
            if one.changed_at is not None:
                self._changed[home] = max(one.changed_at, self._changed.get(home, one.changed_at))

    def _homed(self, ids: Sequence[str]) -> dict[str, str]:
        """Id, casefolded → the id its model goes by."""
        homes = {}
        for id in ids:
            sign, date = self._keys[id]
            group = self._groups[sign][date]
            listed = [one for one in group if one.casefold() in self._listed]
            homes[id.casefold()] = (listed or self._snapshots(id) or group)[0]
        return homes

    def _snapshots(self, id: str) -> list[str]:
        """The one listed id that is this one with a date, or without its date."""
        sign, date = self._keys[id]
        others = (one for other, group in self._groups[sign].items() if not (other and date) for one in group)
        listed = [one for one in others if one.casefold() in self._listed]
        return listed if len(listed) == 1 else []

    def _adopt(self, id: str, aliases: Iterable[str]) -> None:
        """A catalogue's model goes by the listed id that the catalogue says is its name too."""
        listed = sorted({self._listed[alias.casefold()] for alias in aliases if alias.casefold() in self._listed})
        if len(listed) == 1 and id.casefold() not in self._listed:
            self._homes[id.casefold()] = listed[0]

    def meaning(self, name: str, key: str | None = None) -> Meaning:
        """What a name means.

        Args:
            name: as its source writes it.
            key: the id the source itself gives the model; None = it gives none.
        """
        said = self._said.get(name.casefold())
        effort = _bracketed_effort(name)
        if said is not None:
            model = self._homes.get(said.means.casefold(), said.means)
            since = max((at for at in (said.since, self._changed.get(model)) if at is not None), default=None)
            return Meaning(model, "operator", effort, since)
        for word in (name, key or name):
            found, step = self._found(word)
            if found is not None:
                return Meaning(found, step, effort, self._changed.get(found))
        return self._with_effort(name) or Meaning(None, "unresolved", effort)

    def _found(self, name: str) -> tuple[str | None, Step]:
        word = name.casefold()
        if word in self._listed:
            return self._listed[word], "inventory"
        if word in self._homes:
            return self._homes[word], "catalogue"
        if word in self._others:
            return self._others[word], "alias"
        groups = self._groups.get(signature(name), {})
        exact = groups.get(dated(name)) or ([] if dated(name) else [one for group in groups.values() for one in group])
        exact = exact or groups.get(None, [])
        homes = {self._homes[one.casefold()] for one in exact}
        return (homes.pop(), "signature") if len(homes) == 1 else (None, "unresolved")

    def _with_effort(self, name: str) -> Meaning | None:
        """A name that ends in a word which the model without it takes as an effort."""
        head, _, word = re.sub(r"[\s_]+", "-", bare(name)).rpartition("-")
        model = self._found(head)[0] if word in EFFORTS and head else None
        if model is None or word not in self._efforts.get(model, ()):
            return None
        return Meaning(model, "signature", word, self._changed.get(model))

    @cached_property
    def _worded(self) -> list[tuple[frozenset[str], str]]:
        return [(_tokens(id), home) for id, home in sorted(self._homes.items())]

    def nearest(self, name: str) -> tuple[str, ...]:
        """The models that share most words and numbers with a name, half of all at least: for a person to choose from."""
        words = _tokens(name)
        alike = {(len(words & own) / len(words | own), home) for own, home in self._worded if words & own}
        best = sorted((one for one in alike if one[0] >= 0.5), key=lambda one: (-one[0], one[1]))
        return tuple(dict.fromkeys(home for _, home in best))[:NEAREST]


def _tokens(name: str) -> frozenset[str]:
    return frozenset(TOKENS.findall(bare(name)))


def _grouped(keys: Mapping[str, tuple[Signature, str | None]]) -> dict[Signature, dict[str | None, list[str]]]:
    """Signature → date → ids, the shortest first."""
    groups: dict[Signature, dict[str | None, list[str]]] = {}
    for id, (sign, date) in keys.items():
        groups.setdefault(sign, {}).setdefault(date, []).append(id)
    return groups


def _unique(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Name, casefolded → what it means, where all agree on it."""
    meant: dict[str, set[str]] = {}
    for name, home in pairs:
        meant.setdefault(name.casefold(), set()).add(home)
    return {name: homes.pop() for name, homes in meant.items() if len(homes) == 1}


def newest(aliases: Iterable[Alias], named: Named) -> dict[str, Alias]:
    """Name, casefolded → the newest answer to it."""
    return {
        one.name.casefold(): one for one in sorted(aliases, key=lambda one: (one.at, one.means)) if one.named == named
    }


def _bracketed_effort(name: str) -> str | None:
    words = [word for found in BRACKETED.findall(name) for word in re.findall(r"[a-z]+", found.casefold())]
    return next((word for word in words if word in EFFORTS), None)


def harness_name(told: str, declared: Iterable[str], said: Mapping[str, Alias]) -> str:
    """A harness by the policy's name where it has one, else by the board's word for it, joined by dashes."""
    word = " ".join(told.casefold().replace("-", " ").replace("_", " ").split())
    answer = said.get(told.casefold())
    if answer is not None:
        return answer.means
    names = {" ".join(name.casefold().replace("-", " ").replace("_", " ").split()): name for name in sorted(declared)}
    return names.get(word) or names.get(HARNESSES.get(word, "")) or word.replace(" ", "-")
