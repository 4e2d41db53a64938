"""The operator's command is told what changed: argv, no shell, JSON on its standard input, and a bounded time."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from attrs import frozen

from capacity import codec
from capacity.errors import WireError
from capacity.ports import Run
from capacity.values.conditions import Condition
from capacity.wire import Host, run


@frozen
class Notice:
    """What the command reads.

    Attributes:
        tick: id of the decision; None = a probe changed it.
        changed: conditions that were raised or ended.
        form: of this text.
    """

    tick: str | None
    changed: tuple[Condition, ...]
    form: int = 1


def notify(
    argv: tuple[str, ...], tick: str | None, changed: Iterable[Condition], host: Host, deadline: timedelta
) -> str | None:
    """Run the command, if there is one and anything changed.

    Returns:
        One sentence on why it was not told; None = it was, or there was nothing to tell.
    """
    changed = tuple(changed)
    if not argv or not changed:
        return None
    try:
        code = run(_tell(argv, codec.dumps(Notice(tick, changed)), deadline), deadline=deadline, host=host)
    except WireError as error:
        return f"the notify command was not told: {error}"
    return None if code == 0 else f"the notify command {argv[0]} ended with exit code {code}"


async def _tell(argv: tuple[str, ...], text: bytes, timeout: timedelta) -> int:
    done = await Run(argv, stdin=text, timeout=timeout)
    return done.code
