"""What an engine works with, made of its policy, its store and what it is given."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

from attrs import frozen

from capacity.engine.actuation import Actuation
from capacity.engine.backends import actuators, backends
from capacity.engine.claims import holder_name
from capacity.engine.ledger import Ledger
from capacity.engine.preparing import Preparing
from capacity.engine.producer import Producer
from capacity.engine.rankings import RankingSources, ranking_sources
from capacity.engine.settings import Settings
from capacity.engine.tick import Works
from capacity.errors import CapacityError
from capacity.plugins import Plugins, made_by
from capacity.ports import Actuator, Clock, Store
from capacity.values.policy import Policy
from capacity.wire import Host

APART = timedelta(seconds=1)
"""How far two looks at one clock may be apart, with room for a slow machine; two clocks are as a rule days apart."""


@frozen(eq=False)
class Given:
    """What an engine is given beside its policy and its store.

    Attributes:
        plugins: what is installed.
        actuators: fleet → actuator, for fleets whose plugin is not to be used.
        host: where flows run.
        settings: lives of claims, and how long things are kept.
        folder: where the names of files in the policy begin.
    """

    plugins: Plugins
    actuators: Mapping[str, Actuator]
    host: Host
    settings: Settings
    folder: Path


def made(policy: Policy, store: Store, given: Given) -> tuple[Works, Preparing]:
    """What a tick works with, and what loads models.

    Args:
        policy: checked against what is installed.
        store: where everything is kept.
        given: the rest.

    Raises:
        PolicyError: a plugin refuses its options.
    """
    plugins, host = given.plugins, given.host
    read, write = backends(policy, plugins), actuators(policy, plugins, given.actuators)
    settings, ledger, holder = given.settings.patient_with(write.values()), Ledger(store), holder_name()
    works = Works(
        policy,
        ledger,
        Producer(policy, read, ledger, host, holder, settings),
        Actuation(policy, write, ledger, host, settings),
        host,
        holder,
        settings,
        made_by(plugins),
        RankingSources(ranking_sources(policy, plugins), ledger, host, holder, settings),
        given.folder,
    )
    return works, Preparing(policy, read, write, ledger, host, holder, settings)


def same_time(clock: Clock, store: Store) -> None:
    """Refuse a store that tells another time than a clock.

    Raises:
        CapacityError: it does.
    """
    here, there = clock.now(), store.now()
    if abs(here - there) > APART:
        raise CapacityError(
            f"the engine's clock tells {here.isoformat()}, its store's {there.isoformat()}; give the store the same clock"
        )
