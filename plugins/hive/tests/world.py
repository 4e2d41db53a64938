"""The fake hive as a world for flows, without a socket, and as a fleet under an engine, with one."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from attrs import frozen
from capacity.errors import WireError
from capacity.ports import Document, Env, Get, Secret, Send
from capacity.testing.clocks import SettableClock
from capacity.testing.flows import FakeWorld
from capacity.testing.servers import Asked, HiveServer, Request
from capacity.testing.servers.hive import TOKEN

AT = datetime(2026, 9, 20, 12, tzinfo=UTC)
URL = "http://hive.test"


@frozen
class Reached:
    """A web in which there is one hive."""

    server: HiveServer

    def __call__(self, effect: Get | Send) -> Document | WireError:
        parts = urlsplit(effect.url)
        method = effect.method if isinstance(effect, Send) else "GET"
        body = json.dumps(effect.body).encode() if isinstance(effect, Send) else b""
        given = {
            name.lower(): TOKEN if value == Secret(TOKEN) else str(value) for name, value in effect.headers.items()
        }
        asked = Asked(method, parts.path, {}, self.server.clock.now())
        answer = self.server.answered(asked, Request(method, parts.path, {}, given, body))
        return Document(answer.content, self.server.clock.now(), asked=parts.path, status=answer.status)


def world(server: HiveServer, **files: Any) -> FakeWorld:
    """A world in which the hive is in good health, with its token."""
    return FakeWorld(server.clock.now(), environ={"HIVE_TOKEN": TOKEN}, web=Reached(server))


def hive(**parts: Any) -> HiveServer:
    """A hive of its own clock."""
    return HiveServer(SettableClock(AT), **parts)


KEY = Env("HIVE_TOKEN")
