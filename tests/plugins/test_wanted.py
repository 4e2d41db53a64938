"""A policy held against what is installed: what nobody offers, and what a plugin does not take."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from capacity.plugins import Plugin, PluginFailure, Plugins, faults
from capacity.ports import Env, Read
from capacity.testing.fakes import FakeActuator
from capacity.values.policy import AccountPolicy, Credentials, FleetPolicy, Policy, PoolPolicy

READERS, PROBERS, INVENTORIES, PREPARERS, ACTUATORS = (
    "capacity.readers", "capacity.probers", "capacity.inventories", "capacity.preparers", "capacity.actuators",
)  # fmt: skip  # one line of five names
SEEN: list[Any] = []


def prober(*, credentials: Any = None, base_url: str = "http://x", retries: int = 1) -> object:
    SEEN.append(credentials)
    if not base_url.startswith("http"):
        raise ValueError(f"base_url {base_url!r} is no address")
    if retries < 0:
        raise ZeroDivisionError("by hand")
    return object()


def inventory(*, credentials: Any = None, base_url: str = "http://x") -> object:
    if not base_url.startswith("http"):
        raise ValueError(f"base_url {base_url!r} is no address")
    return object()


def anything(*, credentials: Any = None, **options: Any) -> object:
    return object()


def file(*, fleet: str, path: str) -> object:
    return object()


def loader(*, credentials: Any = None) -> object:
    return object()


def able(*, fleet: str, abilities: Any) -> FakeActuator:
    return FakeActuator(fleet=fleet, abilities=abilities)


PLUGINS = (
    Plugin(PREPARERS, "loads", "capacity-loads", "1.0", loader),
    Plugin(ACTUATORS, "able", "capacity-able", "1.0", able),
    Plugin(PROBERS, "sample", "capacity-sample", "1.0", prober),
    Plugin(INVENTORIES, "narrow", "capacity-narrow", "1.0", inventory),
    Plugin(PROBERS, "narrow", "capacity-narrow", "1.0", prober),
    Plugin(PROBERS, "wide", "capacity-wide", "1.0", anything),
    Plugin(READERS, "heard", "capacity-heard", "1.0", object),
    Plugin(ACTUATORS, "file", "capacity-core", "0.1.0", file),
)


def told(policy: Policy, **given: Any) -> list[str]:
    return [str(fault) for fault in faults(policy, Plugins(PLUGINS), **given)]


def account(plugin: str, **options: Any) -> Policy:
    return Policy(accounts={"work": AccountPolicy("work", plugin, options=options)})


def fleet(actuator: str, **options: Any) -> Policy:
    return Policy(fleets={"main": FleetPolicy("main", actuator, options=options)})


@pytest.mark.parametrize(
    "policy",
    [
        Policy(),
        account("sample"),
        account("sample", base_url="http://y", retries=2),
        account("narrow", base_url="http://y"),
        account("wide", whatever=1),
        account("heard"),
        fleet("file", path="fleet.json"),
    ],
)
def test_a_policy_that_asks_for_what_is_there_has_no_fault(policy: Policy) -> None:
    """Every option it gives is taken."""
    assert [] == told(policy)


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (account("sampel"), 'accounts.work.plugin: no plugin "sampel" is installed (install capacity-sampel; did you mean "sample"?)'),
        (fleet("fiel", path="x"), 'fleets.main.actuator: no actuator "fiel" is installed (install capacity-fiel; did you mean "file"?)'),
        (account("sample", base_ulr="x"), 'accounts.work.options.base_ulr: the prober "sample" takes no such option (did you mean "base_url"?)'),
        (account("wide", credentials="x"), 'accounts.work.options.credentials: the prober "wide" takes no such option'),
        (fleet("file", path="x", fleet="y"), 'fleets.main.options.fleet: the actuator "file" takes no such option'),
        (account("narrow", retries=1), 'accounts.work.options.retries: the inventory "narrow" takes no such option (known: "base_url")'),
        (account("heard", x=1), 'accounts.work.options: "heard" asks nobody, and takes none (take them out)'),
        (fleet("file", pth="x"), 'fleets.main.options.pth: the actuator "file" takes no such option (did you mean "path"?)'),
        (fleet("file"), 'fleets.main.options.path: is missing; the actuator "file" cannot do without it'),
        (account("sample", base_url="me"), "accounts.work.options: base_url 'me' is no address"),
        (account("sample", retries=-1), "accounts.work.plugin: capacity-sample 1.0 cannot be made: ZeroDivisionError: by hand"),
    ],
)  # fmt: skip  # one row a case
def test_what_a_policy_cannot_have_is_a_fault(policy: Policy, said: str) -> None:
    """Each says where in the policy it is, and what to do."""
    assert any(one.startswith(said) for one in told(policy))


def test_what_several_ports_refuse_is_one_fault() -> None:
    """An option that neither the prober nor the inventory takes is told once, with both; what one of them lacks, of it."""
    assert ["the prober and the inventory"] == [
        one.partition(": ")[2].partition(' "narrow" take no such option (')[0] for one in told(account("narrow", x=1))
    ]
    assert [True] == ["the inventory" in one for one in told(account("narrow", retries=1))]


def test_a_reader_that_wants_options_is_at_fault() -> None:
    """It is given none, because it knows no login: what it cannot do without is told."""

    def demanding(*, key: str) -> None: ...

    plugins = Plugins([Plugin(READERS, "sample", "capacity-sample", "1.0", demanding)])
    assert ['accounts.work.options.key: is missing; the reader "sample" cannot do without it'] == [
        str(fault) for fault in faults(account("sample"), plugins)
    ]


@pytest.mark.parametrize(
    ("plugin", "prepare", "abilities", "said"),
    [
        ("sample", ("load", "{model}"), (), []),
        ("sample", (), (), []),
        ("loads", True, (), []),
        ("sample", True, ("move", "prepare"), []),
        (
            "sample",
            True,
            ("move",),
            ['accounts.work.pools.one.prepare: "sample" loads no models (name a program that does)'],
        ),
    ],
)
def test_who_is_to_load_has_to_be_able_to(
    plugin: str, prepare: Any, abilities: tuple[str, ...], said: list[str]
) -> None:
    """`true` is for a backend or a fleet that loads models; where neither does, seats would wait for ever."""
    made = Policy(
        accounts={"work": AccountPolicy("work", plugin)},
        pools={"work/one": PoolPolicy("work/one", "work", "local", prepare=prepare)},
        fleets={"main": FleetPolicy("main", "able", options={"abilities": abilities})},
    )

    assert said == told(made)
    assert [] == told(evolve(made, fleets={"main": FleetPolicy("main", "x")}), given={"main"})


def test_who_fails_might_have_loaded() -> None:
    """A plugin that is there and fails is told of as such, and is no fault of what the policy wants loaded."""
    made = Policy(
        accounts={"work": AccountPolicy("work", "sample")},
        pools={"work": PoolPolicy("work", "work", "local", prepare=True)},
    )
    failure = PluginFailure(PREPARERS, "sample", "capacity-sample", "1.0", "it ends the program")
    broken = evolve(made, fleets={"main": FleetPolicy("main", "file", options={"pth": "x"})})

    assert ["accounts.work.plugin"] == [fault.path for fault in faults(made, Plugins(PLUGINS, [failure]))]
    assert ["fleets.main.options.path", "fleets.main.options.pth"] == sorted(
        fault.path for fault in faults(broken, Plugins(PLUGINS))
    )


def test_all_faults_are_told_at_once() -> None:
    """One account's fault hides no other's."""
    policy = Policy(
        accounts={name: AccountPolicy(name, name) for name in ("sample", "a", "b")},
        fleets={"main": FleetPolicy("main", "c")},
    )

    assert ["accounts.a.plugin", "accounts.b.plugin", "fleets.main.actuator"] == [
        fault.path for fault in faults(policy, Plugins(PLUGINS))
    ]


def test_what_two_ports_say_alike_is_said_once() -> None:
    """An account's prober and inventory are given the same options, and refuse them in the same words."""
    assert ["accounts.work.options: base_url 'me' is no address"] == told(account("narrow", base_url="me"))


def test_a_plugin_that_failed_is_told_as_such() -> None:
    """Why it cannot be used is said, not that it is missing."""
    failure = PluginFailure(
        PROBERS, "sample", "one, two", "1, 2", "it is offered by one 1 and two 2; uninstall all but one"
    )
    (fault,) = faults(account("sample"), Plugins([], [failure]))

    assert ("accounts.work.plugin", str(failure)) == (fault.path, fault.wrong)


def test_an_actuator_the_host_brings_is_not_looked_for() -> None:
    """An embedding program gives functions that no file could name."""
    assert [] == told(fleet("callback"), given={"main"})


@pytest.mark.parametrize(
    ("credentials", "key"),
    [
        (Credentials(env="NAME"), Env("NAME")),
        (Credentials(file="~/key"), Read("~/key", secret=True)),
        (None, None),
    ],
)
def test_credentials_are_given_as_a_reference(credentials: Credentials | None, key: Any) -> None:
    """The check makes the port as the engine will, and opens nothing."""
    SEEN.clear()

    assert [] == told(Policy(accounts={"work": AccountPolicy("work", "sample", credentials)}))
    assert [key] == SEEN
