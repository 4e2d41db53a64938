"""The policy's accounts and fleets become ports; what nobody offers is refused, what fails stands still."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from attrs import evolve

from capacity.engine.backends import actuators, backends, check
from capacity.errors import CapacityError, PolicyError
from capacity.plugins import ACTUATORS, INVENTORIES, PROBERS, READERS, Plugin, PluginFailure, Plugins
from capacity.ports import Env, Key, Read
from capacity.testing.fakes import FakeInventory, FakeProber, FakeReader
from capacity.testing.flows import play
from capacity.values.policy import AccountPolicy, Credentials, FleetPolicy, Policy


def plugins(failed: tuple[PluginFailure, ...] = (), **makers: Any) -> Plugins:
    groups = {"reader": READERS, "prober": PROBERS, "inventory": INVENTORIES, "actuator": ACTUATORS}
    return Plugins(
        [Plugin(groups[word], "fake", "capacity-fake", "1.2", make) for word, make in makers.items()], failed
    )


def policy(credentials: Credentials | None = None, **options: Any) -> Policy:
    account = AccountPolicy("a", "fake", credentials, options)
    return Policy(accounts={"a": account}, fleets={"f": FleetPolicy("f", "fake", options=options)})


def asker(*, credentials: Key | None) -> FakeProber:
    return FakeProber()


def inventory(*, credentials: Key | None) -> FakeInventory:
    return FakeInventory()


def test_an_account_is_what_its_plugin_offers() -> None:
    """What a backend cannot do it does not offer, and nobody misses it."""
    only_lists = backends(policy(), plugins(inventory=inventory))["a"]
    all_of_it = backends(policy(), plugins(inventory=inventory, prober=asker, reader=FakeReader))["a"]

    assert (None, None, ["a listing"]) == (
        only_lists.reader,
        only_lists.prober,
        [one.name for one in only_lists.sources],
    )
    assert ["a probe", "a listing"] == [one.name for one in all_of_it.sources]
    assert isinstance(all_of_it.reader, FakeReader)


@pytest.mark.parametrize(
    ("credentials", "key"),
    [
        (None, None),
        (Credentials(env="A_KEY"), Env("A_KEY")),
        (Credentials(file="~/key"), Read("~/key", secret=True)),
    ],
)
def test_a_reference_becomes_an_effect(credentials: Credentials | None, key: object) -> None:
    """The plugin is given where the secret is and never the secret; without a reference it knows where to look."""
    given: list[object] = []

    def prober(*, credentials: Key | None) -> FakeProber:
        given.append(credentials)
        return FakeProber()

    backends(policy(credentials), plugins(prober=prober))

    assert [key] == given


def test_names_and_options_nobody_offers_are_refused_together() -> None:
    """Every fault of the policy is told at once, with its path."""

    def prober(*, credentials: Key | None, base_url: str) -> FakeProber:
        return FakeProber()

    with pytest.raises(PolicyError) as refused:
        check(policy(bas_url="x"), plugins(prober=prober), {})

    paths = [fault.path for fault in refused.value.faults]
    assert ["accounts.a.options.bas_url", "accounts.a.options.base_url", "fleets.f.actuator"] == paths


def test_a_value_a_plugin_refuses_is_the_policys_fault() -> None:
    """`base_url = "nowhere"` is told with the account it is written at."""

    def prober(*, base_url: str, credentials: Key | None) -> FakeProber:
        raise ValueError(f"{base_url} is no address")

    with pytest.raises(PolicyError, match=r"accounts\.a\.options: ValueError: nowhere is no address"):
        backends(policy(base_url="nowhere"), plugins(prober=prober))


def test_a_plugin_that_fails_is_told_and_stops_nobody() -> None:
    """One port of an account fails when it is made; the other works, and the fact names the distribution."""

    def prober(*, credentials: Key | None) -> FakeProber:
        raise KeyError("oops")

    wanted, there = evolve(policy(), fleets={}), plugins(prober=prober, inventory=inventory)
    check(wanted, there, {})
    found = backends(wanted, there)["a"]

    assert ["a listing"] == [one.name for one in found.sources]
    assert [("core:plugin-failing", "a", "capacity-fake", "KeyError: 'oops'")] == [
        (one.code, one.subject, one.figure("distribution"), one.figure("because")) for one in found.faults
    ]


def test_a_plugin_that_cannot_be_imported_is_no_fault_of_the_policy() -> None:
    """The account is there, asks nothing, and says why; its fleet says why it cannot be read."""
    failures = tuple(
        PluginFailure(group, "fake", "capacity-fake", "1.2", "ImportError: gone") for group in (PROBERS, ACTUATORS)
    )
    broken = plugins(failures)
    check(policy(), broken, {})
    found, fleets = backends(policy(), broken)["a"], actuators(policy(), broken, {})

    assert ((), ["ImportError: gone"]) == (found.sources, [one.figure("because") for one in found.faults])
    with pytest.raises(CapacityError, match="ImportError: gone"):
        play(fleets["f"].fleet(), answer=lambda effect: effect)


def test_a_given_actuator_needs_no_plugin() -> None:
    """An embedder's own actuator stands in for a plugin nobody installed."""
    fleet = object()
    wanted = evolve(policy(), accounts={})
    given: Mapping[str, Any] = {"f": fleet, "g": object()}
    check(wanted, plugins(), given)

    assert {"f": fleet} == actuators(wanted, plugins(), given)
