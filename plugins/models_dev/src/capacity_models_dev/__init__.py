"""models.dev for `capacity`: what models scored, with harness and effort where they are told, and which models there are.

Importing this and calling its factory asks nobody anything; the policy alone makes it a source.
"""

from __future__ import annotations

from typing import Literal

from capacity.ports import TierSource

from capacity_models_dev._source import BASE_URL, Catalogue

__all__ = ["tiers"]


def tiers(*, base_url: str = BASE_URL, file: Literal["models.json", "catalog.json"] = "models.json") -> TierSource:
    """Reads the catalogue of models.dev.

    Args:
        base_url: where it is, `http(s)://host[:port][/path]`.
        file: which of its files: `catalog.json` holds the same models, and beside them what providers charge, which is
            not read.

    Raises:
        ValueError: `base_url` is no such address, or `file` none of the two.
    """
    return Catalogue(base_url=base_url, file=file)
