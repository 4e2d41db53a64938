"""Whose account is whose: the login of each, as local files tell it. Where nobody can tell, the account's name stands for it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import timedelta
from typing import Any

from capacity.core.facts import fact
from capacity.engine.answers import Login
from capacity.engine.backends import Backend, failing
from capacity.engine.ledger import Ledger
from capacity.engine.settings import Settings
from capacity.errors import WireError
from capacity.plugins.factories import said as told_of
from capacity.ports import Flow
from capacity.values.conditions import Fact
from capacity.values.policy import Policy

Run = Callable[[Mapping[str, tuple[Callable[[], Flow[Any]], timedelta]]], Mapping[str, Any]]
"""Runs flows side by side: name → (what makes the flow, its deadline) → name → what it returned or raised."""


class Logins:
    """The logins of one policy's accounts, as far as they were looked at.

    Args:
        backends: account → its ports.
        policy: whose accounts.
        ledger: what was heard of them.
        run: runs flows.
        settings: how long looking may take.
    """

    def __init__(
        self, backends: Mapping[str, Backend], policy: Policy, ledger: Ledger, run: Run, settings: Settings
    ) -> None:
        self._backends, self._ledger, self._run, self._settings = backends, ledger, run, settings
        self._serves = {
            name: {pool.name: pool.models for pool in policy.pools.values() if pool.account == name}
            for name in backends
        }
        self._known: dict[str, Login] = {}

    def get(self, name: str) -> Login | None:
        """The login of an account; None where nobody looked yet."""
        return self._known.get(name)

    def __getitem__(self, name: str) -> Login:
        return self._known[name]

    def identify(self, wanted: Collection[str] = ()) -> list[Fact]:
        """Learn the logins of some accounts, and of those that were never looked at; what is wrong with telling them."""
        names = [name for name in self._backends if name in wanted or name not in self._known]
        probers = {name: one.prober for name in names if (one := self._backends[name]).prober is not None}
        deadline = self._settings.read_deadline
        answers = self._run({name: (prober.account, deadline) for name, prober in probers.items()})
        faults = []
        for name in names:
            backend = self._backends[name]
            answer = answers.get(name)
            fingerprint = answer if isinstance(answer, str) and answer else name
            alias = self._last_known(name) if fingerprint == name else name
            self._known[name] = Login(
                name, fingerprint, tuple(self._serves[name]) or (name,), alias, self._serves[name]
            )
            if answer is not None and fingerprint != answer and not isinstance(answer, WireError):
                why = (
                    told_of(answer) if isinstance(answer, Exception) else f"account() returned {type(answer).__name__}"
                )
                faults.append(failing(backend.sources[0].plugin, f"{name} account", why))
        return faults

    def _last_known(self, name: str) -> str | None:
        """The login of which an account was last heard; None where it never had one that was known."""
        heard = (one.last for pool, one in self._ledger.seen().items() if pool.partition("/")[0] == name)
        last = max(heard, key=lambda one: one.observed_at, default=None)
        return last.account if last is not None and last.account != name else None

    def doubles(self) -> Iterator[Fact]:
        """The accounts whose login another account, first by name, has already."""
        first: dict[tuple[str, str], str] = {}
        for name in sorted(self._backends):
            login = (self._backends[name].account.plugin, self._known[name].fingerprint)
            if first.setdefault(login, name) != name:
                yield fact("duplicate-account", name, account=first[login])
