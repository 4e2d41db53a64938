"""hive for `capacity`: its agents as seats, what it measures as readings, its model lists, and placements as calls.

Importing this and calling its factories asks nobody anything; the policy alone makes an account or a fleet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from capacity.ports import Actuator, InventorySource, Key, Prober, Reader

from capacity_hive._actuator import SETTLED, HiveActuator
from capacity_hive._flows import HeadroomProber, ModelSource, PublishedProber
from capacity_hive._hive import BASE_URL, MUTATE, Auth, Hive, reference, segment
from capacity_hive._models import PROVIDERS, parts
from capacity_hive._parked import PATH
from capacity_hive._published import DIRECTORY, Publisher
from capacity_hive._reader import HiveReader

__all__ = ["actuator", "inventory", "prober", "reader"]


def reader() -> Reader:
    """What recorded bodies say."""
    return HiveReader()


def prober(
    *,
    credentials: Key | None = None,
    base_url: str = BASE_URL,
    auth: Auth = "internal",
    providers: Mapping[str, Sequence[str]] = PROVIDERS,
    published: Mapping[str, str] | None = None,
    directory: str = DIRECTORY,
) -> Prober:
    """Asks a hive how much is left of the providers it measures, or reads what was published on this machine.

    Args:
        credentials: where the token is. Without one nothing is asked and the reading says `login-required`.
        base_url: where the hive is, `http(s)://host[:port][/path]`.
        auth: how the token is sent: `internal`, `cookie` or `bearer`.
        providers: provider → its backends; a part of the account is named by its provider.
        published: backend → account (`""` where there is one); given, files are read and no hive is asked.
        directory: where those files are.

    Raises:
        ValueError: `base_url` is no such address, or another option cannot be.
    """
    hive = Hive(base_url=base_url, credentials=credentials, auth=auth)
    of = parts(ModelSource(hive=hive, providers=providers).providers)
    if published is None:
        return HeadroomProber(hive=hive)
    return PublishedProber(directory=directory, backends=_words("published", published), of=of)


def inventory(
    *,
    credentials: Key | None = None,
    base_url: str = BASE_URL,
    auth: Auth = "internal",
    providers: Mapping[str, Sequence[str]] = PROVIDERS,
    published: Mapping[str, str] | None = None,  # noqa: ARG001 - every option of an account is given to both
    directory: str = DIRECTORY,  # noqa: ARG001 - likewise
) -> InventorySource:
    """Asks a hive for the models of its backends.

    Args:
        credentials: where the token is.
        base_url: as for `prober`.
        auth: likewise.
        providers: likewise.
        published: not used.
        directory: not used.

    Raises:
        ValueError: as for `prober`.
    """
    return ModelSource(hive=Hive(base_url=base_url, credentials=credentials, auth=auth), providers=providers)


def actuator(
    *,
    fleet: str,
    credentials: Mapping[str, str] | None = None,
    base_url: str = BASE_URL,
    auth: Auth = "internal",
    pools: Mapping[str, str] | None = None,
    modes: Sequence[str] = (),
    path: str | None = None,
    settle_s: float = SETTLED.total_seconds(),
    patience_s: float = MUTATE.total_seconds(),
    report: Mapping[str, str] | None = None,
    directory: str = DIRECTORY,
) -> Actuator:
    """Reads and writes the agents of one hive.

    Args:
        fleet: the fleet's name.
        credentials: where the token is, `{ env = NAME }` or `{ file = PATH }`.
        base_url: where the hive is, `http(s)://host[:port][/path]`.
        auth: how the token is sent: `internal`, `cookie` (the whole header) or `bearer`.
        pools: backend → the pool its agents draw on, where their harness may draw on several.
        modes: the governor's modes a cadence is set for; none = the one it is in.
        path: a file in which we note the seats we paused; by default one beside the store.
        settle_s: seconds for which the status may still show what was before a change; an agent is left alone so
            long after we changed it. 15 by default.
        patience_s: seconds one change may take. 150 by default, since its agent is restarted meanwhile.
        report: account of the policy → the backend it is published as, or `<backend>/<account>`; given, what is left of
            it is written for hives to read.
        directory: where that is written.

    Raises:
        ValueError: an option cannot be.
    """
    spans = (_span("settle_s", settle_s), _span("patience_s", patience_s))
    if isinstance(modes, str) or not all(isinstance(mode, str) for mode in modes):
        raise ValueError(f'fleet {fleet}: modes must be a list of words, like ["busy"]')
    return HiveActuator(
        name=fleet,
        hive=Hive(base_url=base_url, credentials=reference(credentials), auth=auth, patience=spans[1]),
        pools=_words("pools", pools or {}),
        path=PATH % segment(fleet) if path is None else path,
        modes=tuple(modes),
        settle=spans[0],
        publisher=None if report is None else Publisher(accounts=_words("report", report), directory=directory),
    )


def _words(option: str, table: Any) -> Mapping[str, str]:
    if not isinstance(table, Mapping) or not all(isinstance(word, str) for word in table.values()):
        raise ValueError(f"{option} must be a table of words")
    return dict(table)


def _span(option: str, seconds: Any) -> timedelta:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds <= 3600:
        raise ValueError(f"{option} must be seconds, above 0 and at most 3600, not {seconds!r}")
    return timedelta(seconds=seconds)
