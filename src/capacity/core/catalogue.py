"""The fold of listings into the inventory: what can run, and how often in a row a model was missing.

Only an authoritative listing counts as a sample of what does *not* exist, and only in the pools it names a model of; an
unknown one is no sample at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from fnmatch import fnmatchcase

from attrs import evolve, frozen

from capacity.values.models import Inventory, Listing, Missed, Model, PoolInventory

USUAL = timedelta(seconds=1200)
"""Cadence assumed for a listing nobody stamped: the policy's default for readings."""

Spot = tuple[str, str]
"""(pool, model id)."""


@frozen
class Known:
    """What is known of the models of one pool of an account so far: all a fold keeps of its listings.

    Attributes:
        newest: the newest listing that is a sample, without its models.
        binding: the newest authoritative one, without its models; None = there was none.
        models: spot → the model as last listed, and authoritative listings in a row without it.
    """

    newest: Listing
    binding: Listing | None
    models: Mapping[Spot, tuple[Model, int]]


Catalogue = dict[tuple[str | None, str], Known]
"""(account, pool) → what is known of its models."""


def join(listings: Iterable[Listing]) -> tuple[Listing, ...]:
    """The pages of each (account, source) as one listing: authoritative once a page says that no more follows."""
    whole: dict[tuple[str | None, str], Listing] = {}
    for page in listings:
        key = page.account, page.source
        before = whole.get(key)
        whole[key] = page if before is None else _joined(before, page)
    return tuple(whole[key] for key in sorted(whole, key=lambda key: (key[0] or "", key[1])))


def _joined(one: Listing, other: Listing) -> Listing:
    words = {one.authority, other.authority}
    authority = one.authority
    if "unknown" in words:
        authority = "unknown" if words == {"unknown"} else "partial"
    elif "authoritative" in words:
        authority = "authoritative"
    models = {(model.pool, model.id): model for model in (*one.models, *other.models)}
    observed_at = min(one.observed_at, other.observed_at)
    return evolve(one, authority=authority, observed_at=observed_at, models=tuple(models.values()))


def serves(globs: Iterable[str], names: Iterable[str]) -> bool:
    """Whether one of a pool's globs takes one of a model's names, in any case."""
    folded = [name.casefold() for name in names]
    return any(fnmatchcase(name, glob.casefold()) for glob in globs for name in folded)


def fold(listings: Iterable[Listing], start: Catalogue | None = None) -> Catalogue:
    """(account, pool) → what is known of its models. Listings are taken in the order of their instants."""
    known: Catalogue = dict(start or {})
    for listing in sorted(listings, key=lambda one: (one.observed_at, one.source, repr(one))):
        for pool, models in _by_pool(listing).items() if listing.authority != "unknown" else ():
            key = listing.account, pool
            known[key] = _after(known.get(key), evolve(listing, models=models))
    return known


def _by_pool(listing: Listing) -> Mapping[str, list[Model]]:
    pools: dict[str, list[Model]] = {}
    for model in listing.models:
        pools.setdefault(model.pool, []).append(model)
    return pools


def _after(known: Known | None, listing: Listing) -> Known:
    head = evolve(listing, models=())
    if known is not None and known.newest.observed_at == listing.observed_at and known.newest == head:
        return _merged(known, listing, head, counts=False)  # the same sample told twice is one sample
    return _merged(known, listing, head, counts=listing.authority == "authoritative")


def _merged(known: Known | None, listing: Listing, head: Listing, *, counts: bool) -> Known:
    models = dict(known.models) if known else {}
    if counts:
        models = {spot: (model, misses + 1) for spot, (model, misses) in models.items()}
    models.update({(model.pool, model.id): (model, 0) for model in listing.models})
    binding = head if listing.authority == "authoritative" else known.binding if known else None
    return Known(head, binding, models)


def catalogue(listings: Iterable[Listing], as_of: datetime, *, start: Catalogue | None = None) -> Inventory:
    """What every pool can run at one instant.

    Args:
        listings: with full pool names on their models, pages joined.
        as_of: the instant, aware.
        start: a fold to continue.

    Returns:
        The inventory. A pool speaks with the authority of the newest listing that names a model of it, or of the newest
        authoritative one while that is fresh.
    """
    return Inventory(as_of, {name: _pool(name, known, as_of) for (_, name), known in fold(listings, start).items()})


def _pool(name: str, known: Known, as_of: datetime) -> PoolInventory:
    spoke = known.binding if known.binding and _fresh(known.binding, as_of) else known.newest
    here = [known.models[spot] for spot in sorted(known.models)]
    return PoolInventory(
        name,
        spoke.authority,
        _fresh(spoke, as_of),
        spoke.observed_at,
        tuple(model for model, misses in here if not misses),
        tuple(Missed(model, misses) for model, misses in here if misses),
    )


def _fresh(listing: Listing, as_of: datetime) -> bool:
    return as_of - listing.observed_at < 2 * (listing.usual or USUAL)
