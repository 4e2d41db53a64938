"""One call of the command: what every command is given besides its own arguments, and what it makes of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from capacity.cli.exits import UsageFault
from capacity.cli.screen import Screen
from capacity.errors import PolicyError

if TYPE_CHECKING:
    from capacity.engine import Engine
    from capacity.ports import Clock, Store
    from capacity.values.policy import Policy

POLICY = "CAPACITY_POLICY"
"""Environment variable that names the policy file."""

STORE = "CAPACITY_STORE"
"""Environment variable that names the store's file."""


@frozen
class Call:
    """One call.

    Attributes:
        policy: the policy file that was named; None = the usual one.
        store: the store's file that was named; None = the usual one.
        json: answer in a text form instead of words.
        debug: show the traceback of an unexpected error.
        clock: what tells the time; None = the machine's own.
        screen: where answers go.
    """

    policy: Path | None = None
    store: Path | None = None
    json: bool = False
    debug: bool = False
    clock: Clock | None = None
    screen: Screen = field(factory=Screen)

    @property
    def policy_file(self) -> Path:
        """The policy file that was named, or `$XDG_CONFIG_HOME/capacity/policy.toml`."""
        named = self.policy or os.environ.get(POLICY)
        if named:
            return Path(named).expanduser()
        config = Path(os.environ.get("XDG_CONFIG_HOME", ""))
        # The specification of these variables says that a relative one counts as none.
        home = config if config.is_absolute() else Path.home() / ".config"
        return home / "capacity" / "policy.toml"

    @property
    def store_file(self) -> Path:
        """The store's file that was named, or the usual one."""
        from capacity.store import usual_path

        named = self.store or os.environ.get(STORE)
        return Path(named).expanduser() if named else usual_path()

    def load_policy(self) -> Policy:
        """The policy.

        Raises:
            UsageFault: there is no policy file.
            PolicyError: it has faults.
        """
        from capacity.codec import load_policy

        if not self.policy_file.exists():
            raise UsageFault(
                f"there is no policy at {self.policy_file}: write one with `capacity policy init`, or name it with --policy"
            )
        return load_policy(self.policy_file)

    @contextmanager
    def open_store(self) -> Iterator[Store]:
        """The store, for as long as it is used."""
        from capacity.store import sqlite

        store = sqlite(path=self.store_file, clock=self.clock)
        try:
            yield store
        finally:
            store.close()

    @contextmanager
    def engine(self, policy: Policy | None = None) -> Iterator[Engine]:
        """An engine over the store.

        Args:
            policy: None = the one in the policy file.
        """
        from capacity.engine import Engine

        wanted = self.load_policy() if policy is None else policy
        try:
            folder = self.policy_file.absolute().parent
            with self.open_store() as store, Engine(wanted, store=store, clock=self.clock, folder=folder) as engine:
                yield engine
        except PolicyError as error:
            if error.source != "policy":
                raise
            raise PolicyError(str(self.policy_file), error.faults) from error  # an engine knows no file

    def answer(self, value: Any) -> None:
        """Write a value in its text form, one line."""
        from capacity.codec import dumps

        self.screen.write(dumps(value))
