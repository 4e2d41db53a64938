"""The world around the demo: a clock that is stepped, four servers on loopback, two logins, and the seats' harness.

Everything here lives by the one clock. Nothing reaches further than this machine, and nothing here is a secret.
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import Self

from attrs import evolve

from capacity.cli.demo.crew import seats_in
from capacity.testing.clocks import SettableClock
from capacity.testing.servers import (
    ClaudeModel,
    ClaudeServer,
    DeepSeekServer,
    LlamaModel,
    LlamaServer,
    LoopbackServer,
    write_credentials,
)

TOKEN_LIFE = timedelta(hours=16)
"""How long an access token of the demo holds: for an afternoon without a seat, and not for three days."""

REFRESH = timedelta(hours=12)
"""A running harness renews a token that has less than this left."""

MODELS = (
    ClaudeModel("sample-large-2", "Sample Large 2"),
    ClaudeModel("sample-medium-3", "Sample Medium 3"),
    ClaudeModel("sample-small-1", "Sample Small 1"),
)
SWIFT, SWIFTER = "sample-swift-4", "sample-swift-5"
LOCAL = LlamaModel("sample-local-1", slots=8)


class Login:
    """A login as its harness keeps it, and the server that knows it.

    Args:
        folder: of the login.
        server: whose tokens they are.
        account: told to be this one, so that two logins are two.
    """

    def __init__(self, folder: Path, server: ClaudeServer, account: str) -> None:
        self._file = folder / ".credentials.json"
        self._server = server
        self._account = account
        self._count = 0
        self.ends_at = server.clock.now()
        self.blank = True
        self.log_in()
        profile = {"oauthAccount": {"accountUuid": f"account-of-{account}"}}
        (folder / ".claude.json").write_text(json.dumps(profile), encoding="utf-8")

    def log_in(self) -> None:
        """A new token, in the file and at the server."""
        self._count += 1
        self.ends_at, self.blank = self._server.clock.now() + TOKEN_LIFE, False
        self._server.token = f"invented-token-{self._account}-{self._count}"
        self._server.expires_at = self.ends_at
        write_credentials(self._file, self.ends_at, token=self._server.token)

    def wipe(self) -> None:
        """The login is gone: the fields are there, and empty."""
        self.blank = True
        write_credentials(self._file, self.ends_at, blank=True)

    def refresh(self) -> None:
        """What the harness does when a seat runs: a token that is about to end, or has ended, is renewed."""
        if not self.blank and self.ends_at - self._server.clock.now() < REFRESH:
            self.log_in()


class World:
    """Everything that is not `capacity`.

    Args:
        folder: where the logins and the fleet file are.
        start: what the clock shows first.

    Attributes:
        clock: the one clock.
        team: the server of the subscription.
        lab: the server of the second login.
        purse: the server of the prepaid key.
        rack: the local machine.
        logins: account → its login.
    """

    def __init__(self, folder: Path, start: datetime) -> None:
        self._folder = folder
        self._running = ExitStack()
        self.clock = SettableClock(start)
        self.team, self.lab = ClaudeServer(self.clock, MODELS), ClaudeServer(self.clock, MODELS)
        self.purse = DeepSeekServer(self.clock, (SWIFT,))
        self.rack = LlamaServer(self.clock, (LOCAL,))
        for server, session, week in ((self.team, 41, 38), (self.lab, 22, 74)):
            server.use("session", session, start + timedelta(hours=4))
            server.use("weekly_all", week, start + timedelta(days=7))
        self.purse.balance = {"USD": Decimal("12.40")}
        self.logins = {name: self._login(name, server) for name, server in (("team", self.team), ("lab", self.lab))}
        (folder / "logins" / "purse.key").write_text(self.purse.key, encoding="utf-8")

    @property
    def servers(self) -> dict[str, LoopbackServer]:
        """Account → its server."""
        return {"team": self.team, "lab": self.lab, "purse": self.purse, "rack": self.rack}

    @property
    def addresses(self) -> dict[str, str]:
        """Account → where its server listens."""
        return {name: server.url for name, server in self.servers.items()}

    def live(self) -> None:
        """What running seats bring about: their harness keeps its login, and each on the rack takes a slot."""
        running = [row["pool"] for row in seats_in(self._folder).values() if "paused_by" not in row]
        for name, login in self.logins.items():
            if name in running:
                login.refresh()
        for model in self.rack.models:
            self.rack.put(evolve(model, busy=min(running.count("rack"), model.slots)))

    def restart_rack(self, ready_at: datetime) -> None:
        """The local machine starts anew, and loads its model until an instant."""
        self.rack.put(evolve(LOCAL, status="loading", ready_at=ready_at))

    def _login(self, name: str, server: ClaudeServer) -> Login:
        folder = self._folder / "logins" / name
        folder.mkdir(parents=True)
        return Login(folder, server, name)

    def __enter__(self) -> Self:
        with ExitStack() as starting:
            for server in self.servers.values():
                starting.enter_context(server)
            self._running = starting.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._running.close()
