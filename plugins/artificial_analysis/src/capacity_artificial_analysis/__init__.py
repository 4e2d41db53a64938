"""Artificial Analysis for `capacity`: its indices of models, with a key of one's own.

Importing this and calling its factory asks nobody anything; the policy alone makes it a source.
"""

from __future__ import annotations

from typing import Literal

from capacity.ports import Env, Key, TierSource

from capacity_artificial_analysis._source import BASE_URL, KEY, Indices

__all__ = ["tiers"]


def tiers(
    *, credentials: Key | None = None, base_url: str = BASE_URL, plan: Literal["free", "pro"] = "free"
) -> TierSource:
    """Asks for the indices of every model.

    Args:
        credentials: where the key is; None = the variable `ARTIFICIAL_ANALYSIS_API_KEY`. Without a key nothing is asked.
        base_url: where the API is, `http(s)://host[:port]/path`.
        plan: what the key was given for: `free` or `pro`.

    Raises:
        ValueError: `base_url` is no such address, or `plan` none of the two.
    """
    return Indices(credentials=credentials or Env(KEY), base_url=base_url, plan=plan)
