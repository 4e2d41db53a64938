"""The OpenHands index for `capacity`: what pairs of harness and model scored on its benchmarks.

Importing this and calling its factory asks nobody anything; the policy alone makes it a source.
"""

from __future__ import annotations

from capacity.ports import TierSource

from capacity_openhands_index._source import API_URL, BRANCH, RAW_URL, REPOSITORY, Index

__all__ = ["tiers"]


def tiers(
    *, api_url: str = API_URL, raw_url: str = RAW_URL, repository: str = REPOSITORY, branch: str = BRANCH
) -> TierSource:
    """Reads the results out of the index's repository: who has any, and then each of them.

    Args:
        api_url: where the list of files is asked, `http(s)://host[:port][/path]`.
        raw_url: where the files are.
        repository: owner and name.
        branch: or tag, or commit.

    Raises:
        ValueError: one of the addresses is none, or `repository` or `branch` is no such name.
    """
    return Index(api_url=api_url, raw_url=raw_url, repository=repository, branch=branch)
