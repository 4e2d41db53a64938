"""The prober: the program's own server, else the usage endpoint with the local login, else the newest session file.

The first that tells is believed; what a refusal is about is not asked a second time. Nothing is refreshed or written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import timedelta

from attrs import evolve, field, frozen
from capacity import ports
from capacity.errors import WireError
from capacity.ports import Budget, File, Get, Key, Limit, List, Read, Reading, Secret

from capacity_codex import _frames, _rollout, _usage
from capacity_codex._login import CODEX_HOME, Held, Home
from capacity_codex._talk import argv, begun
from capacity_codex._told import usable
from capacity_codex._usage import BUDGET, failed
from capacity_codex._windows import unique
from capacity_codex._wire import parsed, word

BASE_URL = "https://chatgpt.com/backend-api"
COMMAND = "codex"

TOLD = frozenset({"ok", "login-required", "unsupported"})
"""States after which nobody else is asked: there are figures, or there can be none."""

REFUSED = frozenset({"throttled", "stale-credentials"})
"""States after which the service is not asked again for now, by whatever way."""

ANSWER = timedelta(seconds=5)
"""For the endpoint's answer: what the program's server leaves of the deadline, less the time to read some files."""

FILES, TAIL = 8, 2**18
"""Session files that are looked into, the last changed first, and bytes from the end of each: the newest events of as
many sessions as run at a time."""

UNPAID = frozenset({"free", "free_workspace", "guest"})
"""The service's words for plans that nobody pays for. What lapses becomes one of them, with windows of its own."""


def address(url: str) -> str:
    """The URL without a slash at its end. It may hold no user, query or fragment: what it holds is shown."""
    if not re.fullmatch(r"https?://[^\s/?#@]+(/[^\s?#@]*)?", url):
        raise ValueError("base_url must be http(s)://host[:port][/path], without user or query")
    return url.rstrip("/")


@frozen(kw_only=True)
class CodexProber:
    """Asks one login how much is left.

    Attributes:
        home: the program's folder.
        command: the program.
        base_url: of the service.
        agent: sent as `User-Agent`; None = the host's own.
        plan: the plan the operator pays for; None = whatever the login was made for.
        budget: how often it may be asked.
    """

    home: Home
    command: tuple[str, ...]
    base_url: str = field(converter=address)
    agent: str | None = None
    plan: str | None = None
    budget: Budget = BUDGET

    async def account(self) -> str:
        """The login's fingerprint, from local files.

        Raises:
            WireError: no local file says whose login it is.
        """
        return await self.home.account()

    async def probe(self) -> tuple[Reading, ...]:
        """One reading: of the first source that tells, or of the last that did not, with what each of them said."""
        held = await self.home.held()
        if held.sure:
            return (held.reading,)
        faults: list[Reading] = []
        for ask in (self._program, self._endpoint):
            reading = await ask(held)
            if reading.state in TOLD:
                return (self._judged(reading, held),)
            faults.append(reading)
            if reading.state in REFUSED:
                break
        return (self._judged(await self._remembered(faults), held),)

    async def _program(self, held: Held) -> Reading:
        try:
            talk, _ = await begun(self.command, self.home)
            answer = await talk.ask(_frames.READ)
        except WireError as error:
            return failed(held.reading.observed_at, "unreachable", str(error), _frames.SOURCE)
        return _frames.answered(answer.frame, answer.at)

    async def _endpoint(self, held: Held) -> Reading:
        if held.bearer is None:
            return held.reading
        url = f"{self.base_url}{_usage.path_of(self.base_url)}"
        try:
            reply = await Get(url, headers=self._sent(held), bearer=held.bearer, timeout=ANSWER)
        except WireError as error:
            return failed(held.reading.observed_at, "unreachable", str(error))
        return _usage.usage(reply.document, parsed(reply.document))

    def _sent(self, held: Held) -> Mapping[str, str | Secret]:
        headers: dict[str, str | Secret] = {"Accept": "application/json"}
        if held.account is not None:
            headers["ChatGPT-Account-Id"] = held.account
        return headers if self.agent is None else {**headers, "User-Agent": self.agent}

    async def _remembered(self, faults: list[Reading]) -> Reading:
        """The newest word in the session files, with why nothing newer is known; else that alone."""
        why = "; ".join(f"{fault.source}: {fault.detail}" for fault in faults)
        last = evolve(faults[-1], detail=why)
        found = await List(f"{self.home.path}/sessions/**/rollout-*.jsonl", most=FILES)
        docs = [file.document for path in found.paths if (file := await _tail(path)) is not None]
        reading = _rollout.remembered(_rollout.events(docs), found.at)
        if reading is None or not usable(reading.limits):
            return last
        detail = "; ".join(filter(None, [why, reading.detail]))
        return evolve(reading, detail=detail, retry_at=last.retry_at)

    def _judged(self, reading: Reading, held: Held) -> Reading:
        """The reading; of a plan that lapsed it says that the account may not be used, whatever its windows are."""
        paid, told = word(self.plan) or held.plan, reading.plan
        if reading.state != "ok" or told not in UNPAID or paid is None or paid in UNPAID:
            return evolve(reading, plan=told or held.plan)
        lapsed = f"the plan {paid} has lapsed, and the account is on {told}: renew it, or declare the plan"
        limits = unique([*reading.limits, Limit("service", blocked=True)])
        return evolve(reading, detail="; ".join(filter(None, [lapsed, reading.detail])), limits=limits)


async def _tail(path: str) -> File | None:
    try:
        return await Read(path, tail=TAIL)
    except WireError:
        return None


def folder(codex_home: str, credentials: Key | None) -> Home:
    """The program's folder, which is the only place of its login."""
    if credentials is not None:
        raise ValueError(
            "credentials: this login is in the program's own folder; leave them out and name it as codex_home"
        )
    return Home(path=codex_home.rstrip("/"))


def prober(
    *,
    credentials: Key | None = None,
    codex_home: str = CODEX_HOME,
    command: str | Iterable[str] = COMMAND,
    base_url: str = BASE_URL,
    user_agent: str | None = None,
    plan: str | None = None,
) -> ports.Prober:
    """A prober of one Codex login.

    Args:
        credentials: none; the login is in the program's own folder.
        codex_home: the program's folder; may hold `~/` and `${NAME}`.
        command: the program, or a list of it and its first arguments.
        base_url: of the service, for when the program cannot be asked.
        user_agent: sent with each request; None = the host's own, honest one.
        plan: the plan that is paid for, in the service's word. Should the account be on one that nobody pays for, it
            has lapsed. None = the plan the login was made for.

    Raises:
        ValueError: `credentials` are given, `base_url` is no address, or `command` is blank.
    """
    home = folder(codex_home, credentials)
    return CodexProber(home=home, command=argv(command), base_url=base_url, agent=user_agent, plan=plan)
