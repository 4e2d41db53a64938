"""What `doctor` finds: what is installed, what the policy says, whether credentials are there, what was published.

Nothing is asked of any backend, and no credential is opened: that one is there is told from its name alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from capacity.cli.call import Call
from capacity.cli.policies import checked
from capacity.errors import CapacityError, Fault, NotFound
from capacity.plugins import PROBERS, TIERS, PluginFailure, Plugins, load_plugins, made_by
from capacity.plugins.ports import BACKEND, PORTS
from capacity.ports import Env, Flow, Key, Prober, Read, Snapshot
from capacity.values.methods import TierSourcePolicy
from capacity.values.policy import AccountPolicy, Credentials, Policy
from capacity.wire import Host

EFFECTS_MOST = 32
"""Effects of a flow that are looked at: a login is looked for in a few places, and a flow may loop."""


@frozen
class Credential:
    """One place where a credential should be.

    Attributes:
        where: the variable's name, or the file's path.
        present: whether it is there, and not blank.
    """

    where: str
    present: bool


@frozen
class Account:
    """One account or tier source of the policy.

    Attributes:
        name: its name.
        plugin: its backend, or the tier source it is.
        offers: the ports its plugin offers and that can be imported.
        credentials: where its credentials should be; none where its plugin looks for none.
        declared: whether the policy says where.
    """

    name: str
    plugin: str
    offers: tuple[str, ...]
    credentials: tuple[Credential, ...]
    declared: bool


@frozen
class Checkup:
    """Everything that was found.

    Attributes:
        installed: distribution → version.
        failed: plugins that cannot be used.
        policy_file: the policy's file.
        policy: what can be read of it.
        faults: what is wrong with it; one that says so where there is none.
        accounts: of the policy, sorted by name.
        sources: its tier sources, likewise.
        store_file: the store's file.
        snapshot: what was published and decided; None where there is no store, or it cannot be read.
        store_fault: why it cannot be read; None where it can, or is not there yet.
    """

    installed: Mapping[str, str]
    failed: tuple[PluginFailure, ...]
    policy_file: Path
    policy: Policy
    faults: tuple[Fault, ...]
    accounts: tuple[Account, ...]
    sources: tuple[Account, ...]
    store_file: Path
    snapshot: Snapshot | None
    store_fault: str | None

    @property
    def needs(self) -> int:
        """How many things need a person."""
        loud = 0 if self.snapshot is None else sum(one.loud for one in self.snapshot.conditions)
        named = (*self.accounts, *self.sources)
        missing = sum(one.declared and not each.present for one in named for each in one.credentials)
        return len(self.failed) + len(self.faults) + missing + loud + (self.store_fault is not None)


def checkup(call: Call) -> Checkup:
    """Look at everything that can be looked at without asking anybody."""
    plugins = load_plugins()
    failed = plugins.tried()
    policy, faults = checked(call.policy_file)
    snapshot, store_fault = _published(call, policy)
    return Checkup(
        made_by(plugins),
        failed,
        call.policy_file,
        policy,
        faults,
        tuple(_account(account, plugins) for account in policy.accounts.values()),
        tuple(_source(source, plugins) for source in policy.tiers.sources.values()),
        call.store_file,
        snapshot,
        store_fault,
    )


def _published(call: Call, policy: Policy) -> tuple[Snapshot | None, str | None]:
    """What the store holds. It is not made for this, and no plugin is needed to read it."""
    if not call.store_file.exists():
        return None, None
    try:
        with call.engine(evolve(policy, accounts={}, fleets={}, tiers=evolve(policy.tiers, sources={}))) as engine:
            return engine.snapshot(), None
    except CapacityError as error:
        return None, str(error)


# --- credentials --------------------------------------------------------------------------------


def _account(account: AccountPolicy, plugins: Plugins) -> Account:
    groups = [group for group in BACKEND if plugins.get(group, account.plugin) is not None]
    declared = account.credentials is not None
    asked = [_declared(account.credentials)] if account.credentials else _looked_for(account, plugins)
    return Account(
        account.name,
        account.plugin,
        tuple(PORTS[group][0] for group in groups),
        tuple(_credential(key) for key in asked),
        declared,
    )


def _source(source: TierSourcePolicy, plugins: Plugins) -> Account:
    """A tier source; what it needs is on its card."""
    name = source.plugin or source.name
    plugin = plugins.get(TIERS, name)
    declared = source.credentials is not None
    asked: tuple[Key, ...] = (_declared(source.credentials),) if source.credentials else ()
    if plugin is not None and not declared:
        try:
            asked = tuple(dict.fromkeys(places(plugin.factory(**source.options).rankings())))
        except Exception:  # noqa: BLE001 - why it cannot be made is among the policy's faults already
            asked = ()
    offers = () if plugin is None else (PORTS[TIERS][0],)
    return Account(source.name, name, offers, tuple(_credential(key) for key in asked), declared)


def _declared(credentials: Credentials) -> Key:
    return Env(credentials.env) if credentials.env is not None else Read(credentials.file or "", secret=True)


def _looked_for(account: AccountPolicy, plugins: Plugins) -> tuple[Key, ...]:
    """Where the plugin itself looks for a credential."""
    plugin = plugins.get(PROBERS, account.plugin)
    if plugin is None:
        return ()
    try:
        prober: Prober = plugin.factory(**account.options)
    except Exception:  # noqa: BLE001 - why it cannot be made is among the policy's faults already
        return ()
    return tuple(dict.fromkeys(places(prober.probe())))


def places(flow: Flow[Any]) -> Iterator[Key]:
    """The secrets a flow asks for while it is told that nothing it asks for is there. Nothing is opened or reached."""
    try:
        effect = flow.send(None)
        for _ in range(EFFECTS_MOST):
            if isinstance(effect, Env) or (isinstance(effect, Read) and effect.secret):
                yield effect
            effect = flow.throw(NotFound("", "nobody looked"))
    except (StopIteration, Exception):  # noqa: BLE001 - however it ends, it has told where it looks
        return
    finally:
        flow.close()


def _credential(key: Key) -> Credential:
    """Whether a credential is there. A variable is looked up, a file is not opened."""
    if isinstance(key, Env):
        return Credential(key.name, bool(os.environ.get(key.name, "").strip()))
    try:
        path = Host().path(key.path)
    except NotFound as error:
        return Credential(str(error), False)
    return Credential(path, os.path.isfile(path) and os.path.getsize(path) > 0)
