"""EDGE: the `capacity` command. It asks the rooms below and shows what they say; it decides nothing itself.

Nothing heavy is imported before it is needed, and nothing at all of the extra `cli` before it is known to be there.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from capacity.ports import Clock

EXTRA = ("rich", "typer")
"""What the extra `cli` brings."""

__all__ = ["main"]


def main(argv: Sequence[str] | None = None, *, clock: Clock | None = None) -> int:
    """Run the command.

    Args:
        argv: its words, without the program's name; None = those of this process.
        clock: what tells the time; None = the machine's own.

    Returns:
        The exit code; `docs/reference/command.md` says what each means.
    """
    try:
        from capacity.cli.app import run
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in EXTRA:
            raise
        print("capacity: the command needs more than the library; pip install 'capacity-core[cli]'", file=sys.stderr)
        return 2
    return run(sys.argv[1:] if argv is None else argv, clock)
