"""For authors of tier sources: what makes rankings of the answers of a place that publishes scores.

A door of its own, so that nobody else loads it. A source may do without; `TierContract` then asks as much of it.
"""

from capacity.ports.scores._board import DAILY, Board, Told, address
from capacity.ports.scores._fields import Fields
from capacity.ports.scores._pages import Page, pages
from capacity.values.rankings import CostKind, Excluded, KnownModel, Provenance, StderrKind

__all__ = [
    "DAILY",
    "Board",
    "CostKind",
    "Excluded",
    "Fields",
    "KnownModel",
    "Page",
    "Provenance",
    "StderrKind",
    "Told",
    "address",
    "pages",
]
