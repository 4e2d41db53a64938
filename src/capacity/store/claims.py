"""What both stores ask before they give out a slot. The rule stands once, so that they cannot differ."""

from __future__ import annotations

from collections.abc import Collection


def free_slot(taken: Collection[int], slots: int) -> int | None:
    """The lowest slot nobody holds; None where as many are held as there may be.

    Holders are counted, whatever slots they hold: after a cap was lowered, those above it still count.
    """
    if len(taken) >= slots:
        return None
    return next(slot for slot in range(slots) if slot not in taken)
