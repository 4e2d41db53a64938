"""`models`, `models check` and `models prepare`: what can run, and making one of it ready to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from capacity.cli.call import Call
from capacity.cli.documents import Given
from capacity.cli.exits import Code, UsageFault
from capacity.cli.lines import age, model_traits
from capacity.cli.reading import Asked, At, Backend, HeaderFile, More, Status, listing_of, not_mine, reader_of
from capacity.cli.screen import Table
from capacity.core.catalogue import catalogue, join
from capacity.core.naming import Naming, naming
from capacity.core.sentences import instant, sentence
from capacity.ports import Listing, Model, Outcome
from capacity.values.decision import OutcomeWord
from capacity.values.models import Inventory, PoolInventory
from capacity.values.policy import Policy

Files = Annotated[list[Path] | None, Option("--from", metavar="FILE", help="A recorded page; may be given again.")]

CODES: Mapping[str, Code] = {"valid": Code.FINE, "invalid": Code.INVALID, "cannot-tell": Code.CANNOT_TELL}
"""Answer → exit code."""

READY: Mapping[OutcomeWord, str] = {
    "applied": "ready",
    "unchanged": "was ready already",
    "unverified": "loaded, but nobody could see whether it serves",
}
"""The outcomes after which a model is taken for ready."""


def models(
    call: Call,
    backend: Annotated[str | None, Argument(metavar="BACKEND", help="Whose recorded pages are joined.")] = None,
    more: More = None,
    files: Files = None,
    at: At = None,
    status: Status = None,
    headers: HeaderFile = None,
    asked: Asked = None,
) -> Code:
    """Show what every pool can run, as it was last published; or with BACKEND, what recorded pages list together."""
    pages = [*(files or ()), *(more or ())]
    if backend is None:
        return _published(call)
    if not pages:
        raise UsageFault(f"say which recorded pages of {backend} to read, with --from FILE")
    listings = recorded_listings(call, backend, pages, Given.of(call, at, status, headers, asked))
    for listing in listings:
        if call.json:
            call.answer(listing)
        else:
            call.screen.show(_listing_table(listing))
            if not listing.models:
                call.screen.say(f"{_head(listing)}: no model is in it")
    return Code.FINE if listings else Code.NOT_MINE


def models_check(
    call: Call,
    backend: Backend,
    model: Annotated[str, Argument(metavar="MODEL", help="The name a harness would be given.")],
    more: More = None,
    files: Files = None,
    at: At = None,
    status: Status = None,
    headers: HeaderFile = None,
    asked: Asked = None,
) -> Code:
    """Tell whether a backend's accounts list a model under that name: valid, invalid, or nobody can tell."""
    pages = [*(files or ()), *(more or ())]
    aliases: Mapping[str, str] = {}
    if pages:
        listings = recorded_listings(call, backend, pages, Given.of(call, at, status, headers, asked))
        if not listings:
            return Code.NOT_MINE
        pools: Mapping[str, PoolInventory | None] = shelves(listings, backend)
    else:
        policy = call.load_policy()
        aliases = aliases_for(policy, backend)
        with call.engine(policy) as engine:
            pools = published_shelves(policy, backend, engine.snapshot().models)
    found = naming(model, pools, aliases)
    if call.json:
        call.answer(found)
    else:
        call.screen.say(_told(model, backend, found))
    return CODES[found.answer]


def models_prepare(
    call: Call,
    pool: Annotated[str, Argument(metavar="POOL", help="Whose model it is.")],
    model: Annotated[str, Argument(metavar="MODEL", help="Any name the pool's listing knows it by.")],
) -> Code:
    """Load a model of a pool, in the way its policy says, and wait until it serves. Nothing else ever loads one."""
    with call.engine() as engine, call.screen.progress(f"making {model} ready"):
        outcome = engine.prepare(pool, model)
    ready = outcome.word in READY
    if call.json:
        call.answer({"model": model, "outcome": outcome, "pool": pool})
    elif ready:
        call.screen.say(f"{model} in {pool}: {_became(outcome)}")
    else:
        call.screen.complain(f"capacity: {model} in {pool}: {_became(outcome)}")
    return Code.FINE if ready else Code.FAILED


# --- recorded -----------------------------------------------------------------------------------


def recorded_listings(call: Call, backend: str, pages: list[Path], given: Given) -> tuple[Listing, ...]:
    """The pages joined; `()` where one of them is not the backend's, which is complained of."""
    reader = reader_of(backend)
    found = {path: listing_of(reader, backend, given.document(path), path) for path in pages}
    strange = [path for path, listing in found.items() if listing is None]
    for path in strange:
        not_mine(call, backend, path)
    return () if strange else join(listing for listing in found.values() if listing is not None)


def shelves(listings: tuple[Listing, ...], backend: str) -> Mapping[str, PoolInventory | None]:
    """Pool → its inventory, as of the last page. A listing without a model speaks for no pool."""
    known = catalogue(listings, max(listing.observed_at for listing in listings)).pools
    return known or {backend: None}


# --- published ----------------------------------------------------------------------------------


def published_shelves(
    policy: Policy, backend: str, known: tuple[PoolInventory, ...]
) -> Mapping[str, PoolInventory | None]:
    """Pool → its inventory, for every pool of the backend's accounts.

    Raises:
        UsageFault: the policy has no account of that backend.
    """
    accounts = {name for name, account in policy.accounts.items() if account.plugin == backend}
    if not accounts:
        plugins = sorted({account.plugin for account in policy.accounts.values()})
        raise UsageFault(
            f"the policy has no account of {backend} (it has: {', '.join(plugins) or 'none'}); "
            "add one, or name a recorded listing with --from"
        )
    by_name = {shelf.pool: shelf for shelf in known}
    return {name: by_name.get(name) for name, pool in policy.pools.items() if pool.account in accounts}


def aliases_for(policy: Policy, backend: str) -> Mapping[str, str]:
    """The aliases that harnesses declare which may draw on the backend."""
    pools = {name for name, pool in policy.pools.items() if policy.accounts[pool.account].plugin == backend}
    drawing = [harness for harness in policy.harnesses.values() if pools & set(harness.pools)]
    return {word: name for harness in drawing for word, name in harness.aliases.items()}


def _published(call: Call) -> Code:
    policy = call.load_policy()
    with call.engine(policy) as engine:
        snapshot = engine.snapshot()
    if call.json:
        call.answer(Inventory(snapshot.as_of, {shelf.pool: shelf for shelf in snapshot.models}))
        return Code.FINE
    for shelf in snapshot.models:
        heard = f"{age(snapshot.as_of - shelf.observed_at)} ago"
        title = f"{shelf.pool} ({shelf.authority}{'' if shelf.fresh else ', no longer fresh'}, listed {heard})"
        gone = [(one.model, f"missing, {one.misses} in a row") for one in shelf.missed]
        call.screen.show(_table(title, [*((model, "listed") for model in shelf.models), *gone]))
    for name in sorted(policy.pools.keys() - {shelf.pool for shelf in snapshot.models}):
        call.screen.say(f"{name}: no listing was published yet; `capacity plan` asks for one")
    return Code.FINE


# --- for a person -------------------------------------------------------------------------------


def _listing_table(listing: Listing) -> Table:
    return _table(_head(listing), [(model, model.name or "") for model in listing.models])


def _head(listing: Listing) -> str:
    return f"{listing.authority} listing from {listing.source} at {instant(listing.observed_at)}"


def _table(title: str, rows: list[tuple[Model, str]]) -> Table:
    columns = ("pool", "model", "", "efforts", "context", "takes in", "residency")
    return Table(title, columns, tuple((model.pool, model.id, what, *model_traits(model)) for model, what in rows))


def _became(outcome: Outcome) -> str:
    """What became of a request to make a model ready."""
    words = {**READY, "applied-not-running": "not ready yet; the same command waits on for it"}
    told = words.get(outcome.word, outcome.word)
    return f"{told} ({outcome.detail})" if outcome.detail else told


def _told(asked: str, backend: str, found: Naming) -> str:
    listed = [
        f"{model.id} in {pool}{f', {model.residency}' if model.residency else ''}"
        for pool, models in found.models.items()
        for model in models
    ]
    alias = "" if found.name == asked else f", which stands for {found.name}"
    why = "; ".join([*listed, *map(sentence, found.facts)]) or f"no pool of {backend} is known"
    nearest = f"\nnearest: {', '.join(found.nearest)}" if found.nearest else ""
    return f"{asked}{alias}: {found.answer.replace('-', ' ')}: {why}{nearest}"
