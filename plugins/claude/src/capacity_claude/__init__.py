"""Claude for `capacity`: how much of a subscription is used, which models it lists, whether its login still works.

Three factories, one per port. None of them does any I/O, and neither does importing this module.
"""

from __future__ import annotations

from capacity_claude._inventory import inventory
from capacity_claude._prober import prober
from capacity_claude._reader import reader

__all__ = ["inventory", "prober", "reader"]
