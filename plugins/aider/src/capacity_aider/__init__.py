"""The aider leaderboards for `capacity`: what models scored in aider.

Importing this and calling its factory asks nobody anything; the policy alone makes it a source.
"""

from __future__ import annotations

from collections.abc import Sequence

from capacity.ports import TierSource

from capacity_aider._source import BASE_URL, BOARDS, Leaderboards

__all__ = ["tiers"]


def tiers(*, base_url: str = BASE_URL, boards: Sequence[str] = BOARDS) -> TierSource:
    """Reads the leaderboards out of aider's repository.

    Args:
        base_url: the folder that holds them, `http(s)://host[:port]/path`.
        boards: the first words of their files' names: `polyglot` is `polyglot_leaderboard.yml`.

    Raises:
        ValueError: `base_url` is no such address, or `boards` names none.
    """
    return Leaderboards(base_url=base_url, boards=boards)
