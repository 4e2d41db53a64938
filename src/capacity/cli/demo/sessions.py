"""The world of the demo's third act: three subscriptions, a machine of our own, and the turns that sessions run there.

A turn is a request to the server of its place, by the address and the login that the policy names; what its lease ends
with is what the server said.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path
from string import Template
from typing import Any

from capacity.cli.demo.papers import ADOPTED, CLAUDE_ROWS, LOCAL_ROW, POLICY
from capacity.cli.demo.words import group_of
from capacity.cli.demo.world import MODELS, Login
from capacity.ports import Document, Secret, Send
from capacity.testing.clocks import SettableClock
from capacity.testing.servers import Answer, ClaudeServer, LlamaModel, LlamaServer
from capacity.testing.servers.claude import MESSAGES, USAGE
from capacity.values.leases import Amount, Lease, Usage
from capacity.values.seats import Need
from capacity.wire import Host, run

SPENT: Mapping[str, int] = {"north": 20, "south": 20, "west": 60}
"""Subscription → percent of its five hours that is used when the act begins."""

METERS = ("turns", "tokens")
"""What is counted of each pool."""

RACK = LlamaModel("sample-local-1", slots=1)

NEEDS: Mapping[str, Need] = {
    "code": Need(tier="mid", context=40_000, pools=("north", "south", "west")),
    "plan": Need(tier="high", context=60_000, pools=("north", "south", "west")),
    "lab": Need(tier="mid", context=20_000, pools=("west",)),
    "exam": Need(tier="high", context=20_000, pools=("west",)),
    "night": Need(tier="low", context=8_000, profile="house"),
}
"""Group of sessions → what each turn of theirs asks for."""

POLICY_TEXT = Template("""\
# What the operator of the third act wants: no fleet, a lease for every turn, and a count of what turns use.
version = 1

[tiers]
names = ["high", "mid", "low"]
adopted = "adopted.toml"
$accounts
[accounts.rack]
plugin = "llama-cpp"
kind = "local"
options = { base_url = "$rack" }

[harnesses.claude]
pools = ["north", "south", "west"]

[harnesses.opencode]
pools = ["rack"]

[profiles.house]
egress = "lan"                           # nothing leaves the house
$budgets""")

ACCOUNT = Template("""
[accounts.$name]
plugin = "claude"
kind = "subscription"
credentials = { file = "logins/$name/.credentials.json" }
options = { base_url = "$url" }
""")

BUDGET = Template("""
[budgets.$name]
windows = [
    { name = "turns", length_s = 86400, meter = "requests" },
    { name = "tokens", length_s = 86400, meter = "tokens" },
]
""")

BROKEN = Answer(500, {"type": "error", "error": {"type": "api_error", "message": "Internal server error"}})
PROMPT = "Read this, and say what is wrong with it. " * 40


def need_of(session: str) -> Need:
    """What a turn of a session asks for."""
    return NEEDS[group_of(session)]


class Street:
    """The servers, and their one clock.

    Args:
        folder: where the logins are left.
        clock: the clock.

    Attributes:
        servers: subscription → its server.
        rack: the local machine.
    """

    def __init__(self, folder: Path, clock: SettableClock) -> None:
        self._folder, self._clock = folder, clock
        self._host = Host(clock=clock, environ={})
        self.servers = {name: ClaudeServer(clock, MODELS) for name in SPENT}
        self.rack = LlamaServer(clock, (RACK,))

    def open(self, running: ExitStack) -> Path:
        """Let the servers listen until that is over, and write logins, policy and adopted set; the policy's file."""
        now = self._clock.now()
        running.enter_context(self.rack)
        for name, server in self.servers.items():
            running.enter_context(server)
            (self._folder / "logins" / name).mkdir(parents=True)
            Login(self._folder / "logins" / name, server, name)
            self.fill(name, SPENT[name], now + timedelta(hours=4))
        return self._papers()

    def fill(self, pool: str, percent: int, resets_at: datetime) -> None:
        """From now on the five hours of a subscription are used so far."""
        self.servers[pool].use("session", percent, resets_at)

    def burst(self, pool: str, seconds: int) -> None:
        """The next turn there comes too fast, though the subscription has room."""
        self.servers[pool].burst(1, retry_after=seconds)

    def breaks(self, pool: str, times: int) -> None:
        """The next so many turns there end in an error of the provider's own."""
        self.servers[pool].spoil(MESSAGES, BROKEN, times)

    def probes(self, pool: str) -> int:
        """How often a subscription was asked what is left."""
        return self.servers[pool].times(USAGE)

    def turns(self, pool: str) -> int:
        """How many turns were tried there."""
        return self.servers[pool].times(MESSAGES)

    def run(self, lease: Lease, *, whole: bool = True) -> Document:
        """A turn of a lease on a subscription; what is answered.

        Args:
            lease: where.
            whole: whether the request is as it has to be.
        """
        server = self.servers[lease.candidate.pool]
        body: dict[str, Any] = {"model": lease.candidate.model, "messages": [{"role": "user", "content": PROMPT}]}
        sent = {**body, "max_tokens": 500} if whole else body
        return run(_turn(server.url, server.token, sent), deadline=timedelta(seconds=10), host=self._host)

    def _papers(self) -> Path:
        accounts = (ACCOUNT.substitute(name=name, url=server.url) for name, server in self.servers.items())
        budgets = (BUDGET.substitute(name=name) for name in (*self.servers, "rack"))
        told = POLICY_TEXT.substitute(accounts="".join(accounts), rack=self.rack.url, budgets="".join(budgets))
        (self._folder / POLICY).write_text(told, encoding="utf-8")
        (self._folder / ADOPTED).write_text(CLAUDE_ROWS + LOCAL_ROW, encoding="utf-8")
        return self._folder / POLICY


async def _turn(url: str, token: str, body: Mapping[str, Any]) -> Document:
    sent = {"anthropic-version": "2023-06-01"}
    reply = await Send("POST", url=url + MESSAGES, body=body, headers=sent, bearer=Secret(token))
    return reply.document


def usage_of(document: Document) -> Usage:
    """What a server says that its turn used."""
    told = json.loads(document.body)["usage"]
    return Usage(requests=Amount(1), input=Amount(told["input_tokens"]), output=Amount(told["output_tokens"]))
