"""A server that speaks like a hive: agents with a place each, model lists, headroom, pauses, cadences, a breaker.

It keeps what a real one keeps, the bad habits too: a status that lags, a saved place that an older override outlives, a
mode it does not know and says nothing of. `Habits` are switched on by a test.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, Literal
from urllib.parse import unquote

from attrs import evolve, field, frozen

from capacity.ports import Clock
from capacity.testing.servers._loopback import Answer, LoopbackServer, Request

TOKEN = "invented-token-of-the-loopback-hive"  # noqa: S105 - it opens nothing but this server
REFUSED = Answer(403, {"error": "owner access required"})
MODES = ("idle", "quiet", "busy", "surge")
NEVER = "0001-01-01T00:00:00Z"
"""How a hive writes an instant that was never set."""


@frozen
class HiveAgent:
    """One agent.

    Attributes:
        name: what it is called.
        cli: the backend it runs in.
        model: the model it runs with.
        effort: its reasoning effort; None = none is set.
        cadence: mode → seconds between two turns; 0 = paused in that mode.
        paused: who or what paused it; None = it runs.
        paused_at: since when.
        pins: dimensions that are pinned: `cli`, `model`.
        on_demand: whether it runs only when asked.
        needs_login: whether its backend waits for a login.
        quota_exhausted: whether its provider refused it.
        override: the place an older start left in memory, which outlives a saved one; None = none.
        restarts: how often it was restarted.
    """

    name: str
    cli: str
    model: str
    effort: str | None = None
    cadence: Mapping[str, int] = field(factory=lambda: dict.fromkeys(MODES, 900))
    paused: str | None = None
    paused_at: datetime | None = None
    pins: frozenset[str] = frozenset()
    on_demand: bool = False
    needs_login: bool = False
    quota_exhausted: bool = False
    override: tuple[str, str] | None = None
    restarts: int = 0

    @property
    def place(self) -> tuple[str, str]:
        """Where it is launched."""
        return self.override or (self.cli, self.model)


@frozen
class Habits:
    """How a hive misbehaves.

    Attributes:
        variant: `new`; `old` saves a place and applies nothing; `v5` takes nothing of whoever has no session.
        lag: looks at the status that still see what was before a change.
        restart_fails: a change is applied, and its agent does not come up.
        slow: real seconds from a change to its answer.
        drops: the connection ends after a change, without an answer.
        forgets: a restart of the hive reverts what was saved.
        rejects: backends and models it takes for no agent.
        body: what a change is answered with although it was made; None = as it should be.
        status: its HTTP status.
    """

    variant: Literal["new", "old", "v5"] = "new"
    lag: int = 0
    restart_fails: bool = False
    slow: float = 0.0
    drops: bool = False
    forgets: bool = False
    rejects: frozenset[str] = frozenset()
    body: bytes | None = None
    status: int = 200


class HiveServer(LoopbackServer):
    """One hive.

    Args:
        clock: what it takes for the present.
        agents: its agents.
        token: what it lets in as its owner.
        habits: how it misbehaves.

    Attributes:
        habits: the same; put other ones there.
        mode: the governor's.
        breaker: whether it is engaged.
        budget_exhausted: whether the week's budget is used up.
        backends: rows of `/api/config/backends`.
        inference: backend → what `/api/inference/models/<backend>` says; one not in it is not configured.
        headroom: what `/api/providers/headroom` says.
        limited: fields about a provider's refusal, beside the agents.
        ballast: bytes of `repos` in its status.
        meanwhile: called once before the next change is carried out, as somebody else would come in between.
        sessions: cookie of a session → its role.
    """

    def __init__(
        self, clock: Clock, agents: Iterable[HiveAgent] = (), *, token: str = TOKEN, habits: Habits | None = None
    ) -> None:
        super().__init__(clock)
        self.token, self.habits = token, habits or Habits()
        self._agents = {agent.name: agent for agent in agents}
        self._saved = dict(self._agents)
        self._shown: deque[dict[str, Any]] = deque()
        self._seq = 1
        self.mode, self.breaker, self.budget_exhausted = "busy", False, False
        self.backends: list[dict[str, Any]] = []
        self.inference: dict[str, dict[str, Any]] = {}
        self.headroom: dict[str, Any] = {"providers": [], "enabled": False, "readings": False}
        self.limited: dict[str, Any] = {}
        self.ballast = 0
        self.meanwhile: Callable[[], None] | None = None
        self.sessions: dict[str, str] = {}

    @property
    def agents(self) -> Mapping[str, HiveAgent]:
        """Its agents as they are now."""
        with self._lock:
            return dict(self._agents)

    def put(self, agent: HiveAgent) -> None:
        """Have an agent as somebody else left it."""
        with self._lock:
            self._agents[agent.name] = agent

    def restart(self) -> None:
        """End and begin anew: what was not saved is lost, and so is every override."""
        with self._lock:
            kept = self._saved if self.habits.forgets else self._agents
            self._agents = {name: evolve(agent, override=None) for name, agent in kept.items()}

    def answer(self, request: Request) -> Answer:
        """As a hive answers."""
        owner = self._owns(request)
        if request.path == "/api/status":
            return Answer(200, self._status())
        if request.path == "/api/breaker":
            return Answer(200, {"ok": True, "engaged": self.breaker, "agents": []})
        if request.path == "/api/config/backends":
            return Answer(200, self.backends)
        if not owner:
            return REFUSED
        if request.path == "/api/providers/headroom":
            return Answer(200, {**self.headroom, "updated_at": written(self.clock.now())})
        parts = [unquote(part) for part in request.path.split("/")[2:]]
        if parts[:2] == ["inference", "models"] and len(parts) == 3:
            told = self.inference.get(parts[2])
            return Answer(200, told) if told else _error(404, f"unknown inference backend: {parts[2]}")
        return self._changed(request, parts) if request.method != "GET" else self._state(parts)

    def _owns(self, request: Request) -> bool:
        """A cookie scopes a request down to its session's role, whatever else it carries."""
        cookie = request.headers.get("cookie")
        if cookie is not None:
            return self.sessions.get(cookie.removeprefix("hive_session=")) == "owner"
        internal = request.headers.get("x-hive-internal") == self.token
        reads = request.method == "GET"
        return (internal and (reads or self.habits.variant != "v5")) or request.bearer() == self.token

    def _state(self, parts: list[str]) -> Answer:
        agent = self._agents.get(parts[1]) if parts[0] == "agent-state" and len(parts) == 2 else None
        if agent is None:
            return _error(404, "agent not found")
        paused = agent.paused is not None
        state = "paused" if paused else "running"
        return Answer(200, {"ok": True, "agent": agent.name, "paused": paused, "state": state, "procState": state})

    def _changed(self, request: Request, parts: list[str]) -> Answer:
        if self.meanwhile is not None:
            come_in, self.meanwhile = self.meanwhile, None
            come_in()
        before = self._status(fresh=True)
        answer = self._routed(request, parts)
        if answer.status in {200, 202}:
            self._shown.extend([before] * self.habits.lag)
            self._seq += 1
            answer = evolve(answer, after=self.habits.slow, cut=self.habits.drops)
            if self.habits.body is not None:
                answer = evolve(answer, status=self.habits.status, body=self.habits.body)
        return answer

    def _routed(self, request: Request, parts: list[str]) -> Answer:
        match request.method, parts:
            case "PUT", ["config", "agent", name, "models"]:
                return self._models(name, json.loads(request.body))
            case "PUT", ["config", "agent", name, "cadences"]:
                return self._cadences(name, json.loads(request.body))
            case "POST", ["pause" | "resume" as what, name]:
                return self._paused(name, pause=what == "pause")
            case "POST", ["switch", name, backend]:
                return self._models(name, {"backend": backend})
            case "POST", ["model", name, model]:
                return self._models(name, {"model": model})
            case "POST", ["kick", name] if name in self._agents:
                return Answer(202, {"ok": True, "status": "queued", "agent": name})
            case _:
                return _error(404, "not found")

    def _models(self, name: str, asked: Mapping[str, str]) -> Answer:
        agent = self._agents.get(name)
        if agent is None:
            return _error(404, "agent not found")
        cli, model = asked.get("backend") or agent.cli, asked.get("model") or agent.model
        refused = self.habits.rejects & {cli, model}
        if refused:
            return _error(400, f"unsupported backend {min(refused)}")
        effort = asked.get("reasoning_effort", agent.effort or "") or None
        after = evolve(agent, cli=cli, model=model, effort=effort)
        if self.habits.variant == "old":
            self._agents[name] = after
            return Answer(200, {"status": "updated", "agent": name})
        changed = (agent.place, agent.effort) != ((cli, model), effort)
        starts = changed and not self.habits.restart_fails
        self._agents[name] = evolve(after, override=None, restarts=agent.restarts + starts)
        told = {"ok": True, "status": "updated", "agent": name, "applied": True, "restarted": starts}
        if changed and not starts:
            told |= {"status": "updated; applied, restart failed", "restart_error": "session did not come up"}
        return Answer(200, {**told, "minStatusSeq": self._seq + 1})

    def _cadences(self, name: str, asked: Mapping[str, Any]) -> Answer:
        agent = self._agents.get(name)
        if agent is None:
            return _error(404, "agent not found")
        known = {mode: max(int(seconds), 0) for mode, seconds in asked.items() if mode in agent.cadence}
        self._agents[name] = evolve(agent, cadence={**agent.cadence, **known})
        return Answer(200, {"ok": True, "status": "updated", "agent": name, "minStatusSeq": self._seq + 1})

    def _paused(self, name: str, *, pause: bool) -> Answer:
        agent = self._agents.get(name)
        if agent is None:
            return _error(400, f"unknown agent {name}")
        changed = (agent.paused is None) is pause
        if changed:
            at = self.clock.now() if pause else None
            self._agents[name] = evolve(agent, paused="dashboard-api" if pause else None, paused_at=at)
        words = ("paused", "paused") if pause else ("resumed", "running")
        told = {"ok": True, "status": words[0], "agent": name, "changed": changed, "state": words[1]}
        return Answer(200, {**told, "minStatusSeq": self._seq + 1})

    def _status(self, *, fresh: bool = False) -> dict[str, Any]:
        if self._shown and not fresh:
            return self._shown.popleft()
        return {
            "hiveId": "loopback",
            "timestamp": written(self.clock.now()),
            "governor": {"active": True, "mode": self.mode},
            "cadenceMatrix": [
                {"agent": name, **{mode: spoken(seconds) for mode, seconds in agent.cadence.items()}}
                for name, agent in self._agents.items()
            ],
            "budget": {"BUDGET_EXHAUSTED": self.budget_exhausted},
            "agents": [_row(agent, self.mode) for agent in self._agents.values()],
            **self.limited,
            "repos": ["x" * self.ballast] if self.ballast else [],
        }


def _row(agent: HiveAgent, mode: str) -> dict[str, Any]:
    cli, model = agent.place
    return {
        "name": agent.name,
        "id": agent.name,
        "cli": cli,
        "model": agent.model,
        "govBackend": cli,
        "govModel": model,
        "reasoningEffort": agent.effort or "",
        "cadence": "on demand" if agent.on_demand else spoken(agent.cadence.get(mode, 0)),
        "state": "paused" if agent.paused else "running",
        "paused": agent.paused is not None,
        "pausedTrigger": agent.paused or "",
        "pausedReason": "manual pause" if agent.paused == "dashboard-api" else "",
        "pausedAt": NEVER if agent.paused_at is None else written(agent.paused_at),
        "onDemand": agent.on_demand,
        "needsLogin": agent.needs_login,
        "pinnedCli": "cli" in agent.pins,
        "pinnedModel": "model" in agent.pins,
        "quotaExhausted": agent.quota_exhausted,
        "enabled": True,
        "restarts": agent.restarts,
    }


def written(at: datetime) -> str:
    """An instant as a hive writes it."""
    return f"{at:%Y-%m-%dT%H:%M:%S}Z"


def spoken(seconds: int) -> str:
    """A cadence as a hive shows it."""
    if seconds <= 0:
        return "paused"
    hours, rest = divmod(seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    return "".join(f"{amount}{unit}" for amount, unit in ((hours, "h"), (minutes, "m"), (seconds, "s")) if amount)


def _error(status: int, message: str) -> Answer:
    return Answer(status, {"error": message})
