"""Codex for `capacity`: how much of each limit is used, what credits are left, which models there are.

Three factories, one per port. None of them does any I/O, and neither does importing this module.
"""

from __future__ import annotations

from capacity_codex._inventory import inventory
from capacity_codex._prober import prober
from capacity_codex._reader import reader

__all__ = ["inventory", "prober", "reader"]
