"""What a turn of a model says of the account's limits, whoever carries it: headers of the answer, or an event of a stream.

A refusal binds what its claim names and nothing more; where nothing is named it is a word about the whole account.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from attrs import evolve, frozen
from capacity.ports import Limit

from capacity_claude._windows import place
from capacity_claude._wire import word

SERVICE = "service"
"""The limit that a word about the whole account is."""

WORDS: Mapping[str, bool] = {"rejected": True, "allowed": False, "allowed_warning": False}
"""Status of a window or a turn → whether it is refused. Another word says nothing."""


def refuses(status: object) -> bool | None:
    """Whether a status refuses; None = it does not say."""
    return WORDS.get(word(status) or "")


def window(
    key: str, share: float | None = None, resets_at: datetime | None = None, status: object = None
) -> Limit | None:
    """One window as a limit; None where its key is none of a window.

    Args:
        key: as a usage body names it (`five_hour`, `seven_day_<word>`).
        share: percent used.
        resets_at: when it resets, UTC.
        status: the word about it.
    """
    found = place(key)
    if found is None:
        return None
    name, length, scope = found
    name = name if scope is None else f"{name}:{scope.name}"
    return Limit(name, percent=share, blocked=refuses(status), resets_at=resets_at, window=length, scope=scope)


@frozen
class Turn:
    """What was said on one turn.

    Attributes:
        status: the word about the turn.
        claim: the window that word is about; None where it names none.
        resets_at: when that window resets, UTC.
        windows: the windows that were told, each name once.
    """

    status: object
    claim: Limit | None
    resets_at: datetime | None
    windows: tuple[Limit, ...]

    @property
    def limits(self) -> tuple[Limit, ...]:
        """Every limit it tells, its word carried to what that word is about."""
        refused = refuses(self.status)
        if refused is None:
            return self.windows
        return self._refused() if refused else self._served()

    def _served(self) -> tuple[Limit, ...]:
        """A turn that was served contradicts each refusal of the whole account, and none of a model it did not run."""
        unsaid = (one.scope is None and one.blocked is None for one in self.windows)
        served = (evolve(one, blocked=False) if quiet else one for one, quiet in zip(self.windows, unsaid, strict=True))
        return (*served, Limit(SERVICE, blocked=False))

    def _refused(self) -> tuple[Limit, ...]:
        if self.claim is not None:
            named = {one.name: one for one in self.windows}
            claimed = named.get(self.claim.name, self.claim)
            ends_at = claimed.resets_at or self.resets_at
            return tuple({**named, claimed.name: evolve(claimed, blocked=True, resets_at=ends_at)}.values())
        if any(one.blocked for one in self.windows):
            return self.windows
        return (*self.windows, Limit(SERVICE, blocked=True, resets_at=self.resets_at))
