"""The host: what flows find where they run, and what one of them may leave for the next. It opens nothing itself.

Two hosts share nothing. The environment is a copy taken when the host is made: what the process changes later, no flow
sees.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Hashable, Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from capacity.errors import NotFound
from capacity.ports import Clock, Reply

if TYPE_CHECKING:
    from ssl import SSLContext

    from capacity.wire.cassette import Recorder

VARIABLE = re.compile(r"\$\{(\w+)(?::-((?:[^{}]|\$\{\w+\})*))?\}")
"""`${NAME}` or `${NAME:-otherwise}`; the otherwise may hold `${NAME}` once more."""

KEPT = 64
"""Answers with an ETag a host keeps; the oldest makes room. Each is one page of one account."""


class SystemClock:
    """The machine's own time."""

    def now(self) -> datetime:
        """The present, UTC."""
        return datetime.now(UTC)

    def sleep(self, span: timedelta) -> None:
        """Block this thread for so long."""
        time.sleep(span.total_seconds())


class Host:
    """Where flows run. May be shared by threads, loops and any number of flows.

    Args:
        clock: stamps every reply and is what `Pause` waits on; None = the machine's. Time-outs and deadlines run on
            real time, whatever it says.
        environ: what `Env`, `${NAME}` in paths and children see; None = the process's own, as it is now.
        agent: how requests name themselves; None = `capacity`.
        recorder: collects every exchange; None = nothing is recorded.
        trust_env: whether HTTP uses the proxies and certificates that the process's own environment names.
    """

    def __init__(
        self,
        *,
        clock: Clock | None = None,
        environ: Mapping[str, str] | None = None,
        agent: str | None = None,
        recorder: Recorder | None = None,
        trust_env: bool = False,
    ) -> None:
        self.clock: Clock = clock or SystemClock()
        self.environ: Mapping[str, str] = dict(os.environ if environ is None else environ)
        self.agent = agent or "capacity"
        self.recorder = recorder
        self.trust_env = trust_env
        self.tls: SSLContext | None = None
        self._kept: dict[Hashable, Reply] = {}
        self._lock = threading.Lock()

    def kept(self, asked: Hashable) -> Reply | None:
        """The last good answer to that request; None where none is kept."""
        return self._kept.get(asked)

    def keep(self, asked: Hashable, reply: Reply) -> None:
        """Keep a good answer until a newer one comes, or until `KEPT` others are newer."""
        with self._lock:
            self._kept.pop(asked, None)
            self._kept[asked] = reply
            while len(self._kept) > KEPT:
                del self._kept[next(iter(self._kept))]

    def path(self, asked: str) -> str:
        """A path with its variables and its `~/` filled in.

        Raises:
            NotFound: it names a variable that is missing or blank, and says nothing else to use.
        """
        path = VARIABLE.sub(lambda found: self._variable(asked, found), asked)
        return self._home(asked) + path[1:] if path == "~" or path.startswith("~/") else path

    def _variable(self, asked: str, found: re.Match[str]) -> str:
        name, otherwise = found.groups()
        value = self.environ.get(name, "")
        if value.strip():
            return value
        if otherwise is None:
            raise NotFound(asked, f"{name} is not set")
        return VARIABLE.sub(lambda inner: self._variable(asked, inner), otherwise)

    def _home(self, asked: str) -> str:
        home = self.environ.get("HOME", "")
        if not home.strip():
            raise NotFound(asked, "HOME is not set")
        return home
