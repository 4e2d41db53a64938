"""What a source said, judged: values to publish, whether it told anything, and whose fault it is where it did not.

Pure. No answer is `unreachable`, an answer nobody could read is `unrecognised`, and anything else a plugin raises or
returns is a fault of the plugin. Each is published for every pool of the account, beside what was known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from attrs import evolve, field, frozen

from capacity.core.catalogue import join, serves
from capacity.core.circuits import LONGEST
from capacity.engine.backends import Source, failing
from capacity.errors import FormError, WireError
from capacity.plugins.factories import said as told_of
from capacity.ports import Authority, Listing, Model, Reading
from capacity.values.conditions import Fact
from capacity.values.limits import State

SILENT: frozenset[State] = frozenset({"throttled", "unreachable", "unrecognised"})
"""States that tell nothing: while a source answers with these alone, its interval grows."""

UNREADABLE = (FormError, ValueError, RecursionError)
"""What a reader raises on an answer it cannot read."""


@frozen
class Login:
    """One account as it is known now.

    Attributes:
        account: its name in the policy.
        fingerprint: of its login; its name where nobody could tell.
        pools: full names of its pools in the policy; its own name where it has none.
        alias: what the same login may have gone by a moment ago: the name while nobody could tell, or the fingerprint
            before that; None = nothing.
        serves: full name of a pool → globs over the names of the models it serves, as the policy says.
    """

    account: str
    fingerprint: str
    pools: tuple[str, ...]
    alias: str | None = None
    serves: Mapping[str, tuple[str, ...]] = field(factory=dict)

    @property
    def is_divided(self) -> bool:
        """Whether it is no pool itself: what names no part then speaks of all its pools, or of nobody knows which."""
        return self.account not in self.pools


@frozen
class Said:
    """An answer, ready to be published.

    Attributes:
        readings: with full pool names.
        listings: with full pool names, pages joined.
        good: whether it told anything.
        retry_at: not before this may the source be asked again, UTC; None = it set no such instant.
        refused_at: when the source was known to refuse such questions, UTC; None = it does not.
        fault: the plugin's, where it broke its contract.
    """

    readings: tuple[Reading, ...] = ()
    listings: tuple[Listing, ...] = ()
    good: bool = False
    retry_at: datetime | None = None
    refused_at: datetime | None = None
    fault: Fact | None = None


def said(source: Source, answer: Any, login: Login, at: datetime) -> Said:
    """The answer of a source, or the exception in its place, as values.

    Args:
        source: who was asked.
        answer: what its flow returned or raised.
        login: whose answer it is.
        at: when it was known, UTC.
    """
    form = Reading if source.kind == "probe" else Listing
    usual = source.budget.usual
    if isinstance(answer, tuple) and answer and all(isinstance(one, form) for one in answer):
        return told(answer, login, at, usual)
    error = _trouble(source, answer)
    ours = isinstance(error, (WireError, *UNREADABLE))
    fault = None if ours else failing(source.plugin, source.name, told_of(error))
    if source.kind == "listing":
        blank = Listing(login.fingerprint, "unknown", source.plugin.name, at, usual)
        return Said(listings=(blank,), fault=fault)
    return Said(unread(login, source.plugin.name, error, at, usual), fault=fault)


def told(values: Iterable[Reading | Listing], login: Login, at: datetime, usual: timedelta | None) -> Said:
    """Values of a reader, qualified and stamped.

    Nothing can have been true later than it was known, an empty listing is no sample of what does not exist, and no source
    is believed that it must not be asked for longer than the longest circuit lasts.

    Args:
        values: readings and listings that name pools by their part.
        login: whose.
        at: when they were known, UTC.
        usual: the usual cadence of their source; None = nobody's.
    """
    values = tuple(values)
    readings = tuple(
        _reading(one, pool, login, at, usual)
        for one in values
        if isinstance(one, Reading)
        for pool in _spoken_of(login, one.pool)
    )
    listings = join(_listing(one, login, at, usual) for one in values if isinstance(one, Listing))
    good = any(one.state not in SILENT for one in readings) or any(one.authority != "unknown" for one in listings)
    instants = [one.retry_at for one in readings if one.retry_at is not None]
    refused = any(one.state == "throttled" for one in readings)
    return Said(readings, listings, good, max(instants, default=None), at if refused else None)


def unread(
    login: Login, source: str, error: BaseException, at: datetime, usual: timedelta | None
) -> tuple[Reading, ...]:
    """A reading of every pool that says why nothing was read."""
    state: State = "unrecognised" if isinstance(error, UNREADABLE) else "unreachable"
    blank = Reading(
        "", state, source, at, account=login.fingerprint, published_at=at, detail=told_of(error), usual=usual
    )
    return tuple(evolve(blank, pool=pool) for pool in login.pools)


def _spoken_of(login: Login, part: str) -> tuple[str, ...]:
    """The pools a reading speaks of: its part's, or all of an account that is no pool itself."""
    return login.pools if login.is_divided and not part else (_qualified(login, part),)


def _reading(reading: Reading, pool: str, login: Login, at: datetime, usual: timedelta | None) -> Reading:
    again = reading.retry_at
    return evolve(
        reading,
        pool=pool,
        account=login.fingerprint,
        observed_at=min(reading.observed_at, at),
        published_at=at,
        retry_at=None if again is None or again <= at else min(again, at + LONGEST),
        usual=usual,
    )


def _listing(listing: Listing, login: Login, at: datetime, usual: timedelta | None) -> Listing:
    models = tuple(placed for model in listing.models for placed in _placed(model, login))
    authority: Authority = listing.authority if models else "unknown"
    if authority == "authoritative" and login.is_divided and any(model.pool == login.account for model in models):
        authority = "partial"  # a model that is in no pool may belong to any, so of none is the list known to be whole
    return evolve(
        listing,
        account=login.fingerprint,
        authority=authority,
        observed_at=min(listing.observed_at, at),
        usual=usual,
        models=models,
    )


def _placed(model: Model, login: Login) -> tuple[Model, ...]:
    """A model in its pool; one without a part in every pool that serves it by the policy, else under the account."""
    pools = (pool for pool, globs in login.serves.items() if serves(globs, model.names))
    found = tuple(pools) if login.is_divided and not model.pool else ()
    return tuple(evolve(model, pool=pool) for pool in found or (_qualified(login, model.pool),))


def _qualified(login: Login, part: str) -> str:
    return f"{login.account}/{part}" if part else login.account


def _trouble(source: Source, answer: Any) -> BaseException:
    if isinstance(answer, BaseException):
        return answer
    if answer == ():
        return ValueError("the answer told nothing")
    return TypeError(f"the {source.kind} returned {type(answer).__name__}, not a tuple of values")
