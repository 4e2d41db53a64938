"""Models, listings and the inventory: what can run, and who says so with which authority."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from functools import cached_property
from typing import Literal

from attrs import field, frozen

from capacity.values import _check

Authority = Literal["authoritative", "partial", "unknown"]
Residency = Literal["resident", "sleeping", "loading", "loadable", "failed", "absent"]


@frozen
class Model:
    """One thing a pool can run.

    Attributes:
        id: the string a harness is given.
        name: the display name, None = not told.
        names: every string its backend uses or accepts for it, casefolded, the id among them; made by the source.
        pool: the part it belongs to (`""`), or the full pool name once published.
        efforts: effort words; `()` = takes none; None = unknown.
        context: tokens per request (per slot where it is local); None = unknown.
        modalities: what it takes in (`text`, `image`, `audio`); None = unknown.
        tools: whether it calls tools; None = unknown.
        residency: only for local models: `resident` and `sleeping` serve, `loading` waits, `loadable` and
            `failed` could be loaded, `absent` is still downloading; None = not local, or not told.
        hidden: the list marks it as not for pickers; None = not told.
    """

    id: str
    name: str | None = None
    names: frozenset[str] = field(factory=frozenset, converter=_check.casefolded)
    pool: str = ""
    efforts: tuple[str, ...] | None = None
    context: int | None = None
    modalities: tuple[str, ...] | None = field(default=None, converter=_check.ordered_or_none)
    tools: bool | None = None
    residency: Residency | None = None
    hidden: bool | None = None

    def __attrs_post_init__(self) -> None:
        if self.id.casefold() not in self.names:
            object.__setattr__(self, "names", self.names | {self.id.casefold()})


def _by_id(models: Iterable[Model]) -> tuple[Model, ...]:
    """Models in the order of pool and id."""
    return tuple(sorted(models, key=lambda model: (model.pool, model.id)))


@frozen
class Listing:
    """What one source said one account can run.

    Attributes:
        account: the login's fingerprint; None where nobody could tell.
        authority: `authoritative` may reject a name; `partial` knows only part of the list; `unknown` is no sample.
        source: which wire told it.
        observed_at: when it was true, UTC.
        usual: the usual cadence of the source's budget; None = made by hand.
        models: sorted by (pool, id).
    """

    account: str | None
    authority: Authority
    source: str
    observed_at: datetime = field(converter=_check.utc)
    usual: timedelta | None = None
    models: tuple[Model, ...] = field(default=(), converter=_by_id)


@frozen
class Missed:
    """A model that was listed once and is not any more.

    Attributes:
        model: as it was last listed.
        misses: authoritative listings in a row without it, 1 and up (0 in the index of an inventory: it is listed).
    """

    model: Model
    misses: int


def _missed_by_id(missed: Iterable[Missed]) -> tuple[Missed, ...]:
    """Missed models in the order of their ids."""
    return tuple(sorted(missed, key=lambda one: one.model.id))


@frozen
class PoolInventory:
    """What one pool can run, as known at an instant.

    Attributes:
        pool: full name.
        authority: of the newest listing that may speak for the pool.
        fresh: whether that listing is younger than twice its source's usual cadence.
        observed_at: when it was true, UTC.
        models: what it lists, sorted by id.
        missed: what it lists no more, sorted by id.
    """

    pool: str
    authority: Authority
    fresh: bool
    observed_at: datetime = field(converter=_check.utc)
    models: tuple[Model, ...] = field(default=(), converter=_by_id)
    missed: tuple[Missed, ...] = field(default=(), converter=_missed_by_id)

    @property
    def rejects(self) -> bool:
        """Only an authoritative, fresh inventory may say that a model does not exist."""
        return self.fresh and self.authority == "authoritative"

    @cached_property
    def answering(self) -> Mapping[str, tuple[Missed, ...]]:
        """Name, casefolded → the models that answer to it, with their misses (0 = listed); an index, made once."""
        index: dict[str, list[Missed]] = {}
        for one in (*(Missed(model, 0) for model in self.models), *self.missed):
            for name in one.model.names:
                index.setdefault(name, []).append(one)
        return {name: tuple(found) for name, found in index.items()}

    def find(self, name: str) -> tuple[Missed, ...]:
        """The models that answer to a name in any case; one whose id it is comes alone."""
        found = self.answering.get(name.casefold(), ())
        if len(found) < 2:
            return found
        exact = tuple(one for one in found if one.model.id.casefold() == name.casefold())
        return exact or found


@frozen
class Inventory:
    """What every pool can run, as known at one instant.

    Attributes:
        as_of: the instant, UTC.
        pools: pool name → its inventory, sorted by name; a pool nobody listed is not in it.
    """

    as_of: datetime = field(converter=_check.utc)
    pools: Mapping[str, PoolInventory] = field(factory=dict, converter=_check.by_key)
