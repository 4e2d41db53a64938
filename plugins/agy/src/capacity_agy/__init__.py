"""Antigravity for `capacity`: how much of each quota group is left, which models its command line takes.

Three factories, one per port. None of them does any I/O, and neither does importing this module.
"""

from __future__ import annotations

from capacity.ports import InventorySource, Key, Prober

from capacity_agy._cli import PROGRAM, installed
from capacity_agy._flows import ModelSource, UsageProber
from capacity_agy._reader import reader

__all__ = ["inventory", "prober", "reader"]


def prober(*, credentials: Key | None = None, program: str = PROGRAM, home: str | None = None) -> Prober:
    """Asks the command line of one login for its quota.

    Args:
        credentials: none is taken: the command line keeps its own login.
        program: its name on PATH, or its path.
        home: the home folder of another login, absolute; None = the host's own.

    Raises:
        ValueError: an option is wrong.
    """
    return UsageProber(cli=installed(credentials, program, home))


def inventory(*, credentials: Key | None = None, program: str = PROGRAM, home: str | None = None) -> InventorySource:
    """Asks the command line of one login for its models.

    Args:
        credentials: as for `prober`.
        program: likewise.
        home: likewise.

    Raises:
        ValueError: an option is wrong.
    """
    return ModelSource(cli=installed(credentials, program, home))
