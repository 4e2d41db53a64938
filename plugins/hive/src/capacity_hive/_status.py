"""`/api/status` as seats. Pure.

An answer without its list of agents is no fleet of none: it is refused. `repos`, nine tenths of the body, is not looked
at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from attrs import evolve, field, frozen
from capacity.errors import CapacityError
from capacity.ports import Reply, Seat

from capacity_hive._hive import told, why
from capacity_hive._wire import cadence, instant, names, pick, rows, text

API = "dashboard-api"
"""Who paused an agent that was paused over the API, by us or by anybody else."""

SOMEBODY = "somebody"
"""Who paused an agent of which a hive does not say that."""

SUFFIXED = "agy"
"""The backend whose models carry their effort as a suffix: sent with another effort it runs another model."""

TAILED = "pi"
"""The backend whose model strings carry the effort behind a colon."""

EFFORTS = frozenset({"off", "minimal", "low", "medium", "high", "xhigh", "max"})
"""Words for an effort that may stand at the end of a model's name."""

_SUFFIX = re.compile(r"-(minimal|low|medium|high)$")
_TAIL = re.compile(rf"^(.+):({'|'.join(sorted(EFFORTS))})$")


@frozen
class Agent:
    """One agent.

    Attributes:
        seat: it as a seat; paused by whom its hive says.
        paused_at: since when it is paused, UTC; None = it runs, or nobody tells.
        cadences: mode → how often it starts a turn; None = not by itself.
    """

    seat: Seat
    paused_at: datetime | None = None
    cadences: Mapping[str, timedelta | None] = field(factory=dict)


@frozen
class Status:
    """A hive at an instant.

    Attributes:
        told_at: when it answered, UTC.
        seen_at: when that was put together, by its own word, UTC.
        mode: the governor's; None = not told.
        agents: name → agent.
        refuses: why it may not be written to; None = it may.
    """

    told_at: datetime
    seen_at: datetime
    mode: str | None
    agents: Mapping[str, Agent]
    refuses: str | None = None

    def after(self, seat: Seat, **parts: Any) -> Status:
        """It once a seat was changed."""
        agent = evolve(self.agents[seat.name], seat=seat, **parts)
        return evolve(self, agents={**self.agents, seat.name: agent})


def status(reply: Reply, fleet: str, pools: Mapping[str, str]) -> Status:
    """What an answer says.

    Args:
        reply: the answer.
        fleet: whose seats they are.
        pools: backend → the pool its agents draw on, where that is declared.

    Raises:
        CapacityError: it holds no list of agents.
    """
    body = told(reply)
    if reply.status != 200 or not isinstance(body.get("agents"), list):
        raise CapacityError(f"the hive's status tells no agents ({why(reply)}); they are left alone until it does")
    limited = _limited(body)
    matrix = {text(row.get("agent")): row for row in rows(body.get("cadenceMatrix"))}
    agents = (_agent(row, name, fleet, pools, limited, matrix) for row in rows(body["agents"]) if (name := _name(row)))
    governor = body.get("governor")
    return Status(
        reply.at,
        min(instant(body.get("timestamp")) or reply.at, reply.at),
        text(governor.get("mode")) if isinstance(governor, dict) else None,
        {agent.seat.name: agent for agent in agents},
        _refusal(body),
    )


def _name(row: Mapping[str, Any]) -> str | None:
    return text(row.get("name")) or text(row.get("id"))


def _agent(
    row: Mapping[str, Any],
    name: str,
    fleet: str,
    pools: Mapping[str, str],
    limited: Callable[[str], str | None],
    matrix: Mapping[Any, Mapping[str, Any]],
) -> Agent:
    """One agent: where the governor launches it, not where its old process still runs."""
    backend = text(row.get("cli")) or text(row.get("govBackend")) or ""
    model, effort = _model(backend, text(row.get("govModel")) or text(row.get("model")) or "", _effort(row))
    seat = Seat(
        fleet,
        name,
        backend,
        model,
        effort=effort,
        pool=pools.get(backend),
        cadence=cadence(row.get("cadence")),
        pinned=any(row.get(f"pinned{what}") is True for what in ("", "Cli", "Model", "Both")),
        held=row.get("onDemand") is True or row.get("enabled") is False,
        paused_by=(text(row.get("pausedTrigger")) or SOMEBODY) if row.get("paused") is True else None,
        refused=limited(name) or ("its provider's quota" if pick(row, "quota_exhausted") is True else None),
    )
    told_of = {mode: cadence(value) for mode, value in matrix.get(name, {}).items() if mode != "agent"}
    return Agent(seat, instant(row.get("pausedAt")), told_of)


def _effort(row: Mapping[str, Any]) -> str | None:
    return text(pick(row, "reasoning_effort")) or text(row.get("effort"))


def _model(backend: str, model: str, effort: str | None) -> tuple[str, str | None]:
    """Model and effort as they are compared: an effort the model's own name carries is told once."""
    tail = _TAIL.match(model) if backend == TAILED else None
    if tail:
        return tail[1], effort or tail[2]
    return model, None if backend == SUFFIXED and effort == suffix(model) else effort


def suffix(model: str) -> str | None:
    """The effort a model's name ends in; None where it ends in none."""
    found = _SUFFIX.search(model)
    return found[1] if found else None


def limits(body: Mapping[str, Any]) -> tuple[str | None, bool, frozenset[str]]:
    """What a status or a heartbeat says of a provider's refusal: why, whether all are meant, and who is."""
    reason = text(pick(body, "provider_limit_reason"))
    wide = pick(body, "provider_limit_hive_wide") is True
    return reason, wide, names(pick(body, "provider_limit_agents"))


def _limited(body: Mapping[str, Any]) -> Callable[[str], str | None]:
    """From an agent's name to why its provider refused it: only those named, unless all are meant."""
    reason, wide, named = limits(body)
    return lambda name: (reason or "its provider's quota") if wide or name in named else None


def _refusal(body: Mapping[str, Any]) -> str | None:
    budget = body.get("budget")
    if isinstance(budget, dict) and str(budget.get("BUDGET_EXHAUSTED")).casefold() == "true":
        return "the hive's own budget for the week is exhausted"
    return None
