"""Harbor for `capacity`: what pairs of harness and model scored on Terminal-Bench.

Importing this and calling its factory asks nobody anything; the policy alone makes it a source.
"""

from __future__ import annotations

from collections.abc import Sequence

from capacity.ports import TierSource

from capacity_harbor._source import BASE_URL, VERSIONS, Leaderboards

__all__ = ["tiers"]


def tiers(*, base_url: str = BASE_URL, versions: Sequence[str] = VERSIONS) -> TierSource:
    """Reads the Terminal-Bench leaderboards of Harbor's hub.

    Args:
        base_url: where the hub is, `http(s)://host[:port][/path]`.
        versions: of Terminal-Bench: `2.0`, `2.1`, `3.0`, `4.0`. Each is a benchmark of its own.

    Raises:
        ValueError: `base_url` is no such address, or `versions` names one that is not known.
    """
    return Leaderboards(base_url=base_url, versions=versions)
