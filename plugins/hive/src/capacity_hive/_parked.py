"""Which seats we paused: a file of our own, since a hive cannot say it. Pure, but for two flows that read and write it.

A row is written before the pause is asked for, and is ours only while the pause it stands for lasts: whoever resumes an
agent and pauses it anew has paused it himself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime

from attrs import evolve, frozen
from capacity.errors import CapacityError, NotFound
from capacity.ports import Read, Replace, Seat

from capacity_hive._answers import OURS
from capacity_hive._hive import MUTATE
from capacity_hive._status import API, Agent, Status
from capacity_hive._wire import instant

PATH = "${XDG_STATE_HOME:-~/.local/state}/capacity/hive-%s.json"
"""Beside the store's own file, one for each fleet."""

ATTEMPTS = 3
"""How often the file is read again where somebody else wrote it between our reading and our writing."""


@frozen
class Parked:
    """The file.

    Attributes:
        since: seat → when we asked for its pause, UTC.
        digest: of the file; None = there is none.
    """

    since: Mapping[str, datetime]
    digest: str | None

    def over(self, status: Status) -> Status:
        """A status in which the pauses that are ours say so."""
        agents = {name: self._over(agent) for name, agent in status.agents.items()}
        return evolve(status, agents=agents)

    def _over(self, agent: Agent) -> Agent:
        seat, since = agent.seat, self.since.get(agent.seat.name)
        if since is None or seat.paused_by != API:
            return agent
        ours = agent.paused_at is None or abs(agent.paused_at - since) <= MUTATE
        return evolve(agent, seat=evolve(seat, paused_by=OURS)) if ours else agent

    @property
    def content(self) -> bytes:
        """The file's text."""
        rows = {name: f"{at:%Y-%m-%dT%H:%M:%S}Z" for name, at in sorted(self.since.items())}
        return (json.dumps({"form": 1, "parked": rows}, indent=2, ensure_ascii=False) + "\n").encode()


async def parked(path: str) -> Parked:
    """The file; an empty one where there is none.

    Raises:
        WireError: it may not be read.
        CapacityError: it is not in its form.
    """
    try:
        file = await Read(path)
    except NotFound:
        return Parked({}, None)
    try:
        rows = file.document.json()["parked"]
        since = {name: at for name, written in rows.items() if (at := instant(written)) is not None}
        if len(since) < len(rows):
            raise ValueError
    except (ValueError, KeyError, TypeError, AttributeError):
        raise CapacityError(f"{path}: does not tell which seats we paused; mend it, or take it away") from None
    return Parked(since, file.digest)


async def note(path: str, seat: Seat, at: datetime | None) -> None:
    """Write that we are about to pause a seat, or, without an instant, that no pause of ours stands any more.

    Raises:
        WireError: it may not be read or written.
        CapacityError: it is not in its form, or others write it without end.
    """
    for _ in range(ATTEMPTS):
        known = await parked(path)
        rest = {name: since for name, since in known.since.items() if name != seat.name}
        after = evolve(known, since=rest if at is None else {**rest, seat.name: at})
        if after.since == known.since or (await Replace(path, after.content, known.digest)).done:
            return
    raise CapacityError(f"{path}: changed {ATTEMPTS} times while it was being written; nothing was")
