"""Whether a model may be set by a name: the check that is made before anybody is given an id. Pure.

Only a fresh, authoritative listing may say no. A bare word that no listing uses may be an alias of somebody's, so
nobody can tell, unless the policy declares it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Literal

from attrs import frozen

from capacity.core.facts import fact
from capacity.core.rules import INVALID_AFTER
from capacity.values.conditions import Fact
from capacity.values.models import Missed, Model, PoolInventory

NEAREST = 3
"""Ids that are told where a name is not among them: enough for a typing error, few enough to read."""


@frozen
class Naming:
    """The answer for one name.

    Attributes:
        answer: `valid`, `invalid` or `cannot-tell`.
        name: what was asked, an alias of the policy's already replaced.
        models: where it is listed: pool → the models that answer to it, sorted by pool.
        facts: why it is not valid, one for each pool; none where it is.
        nearest: ids that resemble it, best first; none where it is valid.
    """

    answer: Literal["valid", "invalid", "cannot-tell"]
    name: str
    models: Mapping[str, tuple[Model, ...]]
    facts: tuple[Fact, ...] = ()
    nearest: tuple[str, ...] = ()


def naming(name: str, pools: Mapping[str, PoolInventory | None], aliases: Mapping[str, str] | None = None) -> Naming:
    """Look a name up.

    Args:
        name: what a harness would be given.
        pools: pool name → its inventory; None = nobody listed it.
        aliases: bare word → the name it stands for, as the policy declares.

    Returns:
        `valid` where any pool lists it now; `invalid` where every pool may say no and does; else `cannot-tell`.
    """
    meant = (aliases or {}).get(name, name)
    found = {pool: shelf.find(meant) for pool, shelf in sorted(pools.items()) if shelf is not None}
    listed = {pool: tuple(one.model for one in ones if not one.misses) for pool, ones in found.items()}
    listed = {pool: models for pool, models in listed.items() if models}
    if listed:
        return Naming("valid", meant, listed)
    said = [_refusal(meant, pool, pools[pool], found.get(pool, ())) for pool in sorted(pools)]
    sure = bool(said) and all(no for no, _ in said)
    answer: Literal["invalid", "cannot-tell"] = "invalid" if sure else "cannot-tell"
    return Naming(answer, meant, {}, tuple(why for _, why in said), _nearest(meant, pools.values()))


def _refusal(name: str, pool: str, shelf: PoolInventory | None, missed: tuple[Missed, ...]) -> tuple[bool, Fact]:
    """Whether a pool says no, and what it says."""
    if shelf is None or not shelf.fresh:
        return False, fact("inventory-unknown", pool)
    if missed:
        misses = min(one.misses for one in missed)
        code = "model-invalid" if misses >= INVALID_AFTER else "model-missing"
        return shelf.rejects, fact(code, name, pool=pool, misses=misses)
    if name.isalpha() and shelf.rejects:
        return False, fact("bare-word", name, pool=pool)
    return shelf.rejects, fact("model-unlisted", name, pool=pool, authority=shelf.authority)


def _nearest(name: str, shelves: Iterable[PoolInventory | None]) -> tuple[str, ...]:
    """The ids whose names are nearest to a name."""
    ids = {word: model.id for shelf in shelves if shelf for model in shelf.models for word in sorted(model.names)}
    close = get_close_matches(name.casefold(), ids, n=2 * NEAREST)
    return tuple(dict.fromkeys(ids[word] for word in close))[:NEAREST]
