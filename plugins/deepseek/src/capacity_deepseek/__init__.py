"""DeepSeek for `capacity`: the balance of a key in each currency, and the models the key may use.

Importing this and calling its factories asks nobody anything; the policy alone makes an account.
"""

from __future__ import annotations

from capacity.ports import InventorySource, Key, Prober, Reader

from capacity_deepseek._flows import BASE_URL, BalanceProber, ModelSource
from capacity_deepseek._reader import DeepSeekReader

__all__ = ["inventory", "prober", "reader"]


def reader() -> Reader:
    """What recorded bodies say."""
    return DeepSeekReader()


def prober(*, credentials: Key | None = None, base_url: str = BASE_URL) -> Prober:
    """Asks for the balance of one key.

    Args:
        credentials: where the key is. Without one nothing is asked and the reading says `login-required`.
        base_url: where the API is, `http(s)://host[:port][/path]`; a `/v1` at its end is left out.

    Raises:
        ValueError: `base_url` is no such address.
    """
    return BalanceProber(credentials=credentials, base_url=base_url)


def inventory(*, credentials: Key | None = None, base_url: str = BASE_URL) -> InventorySource:
    """Asks for the models of one key.

    Args:
        credentials: where the key is.
        base_url: as for `prober`.

    Raises:
        ValueError: `base_url` is no such address.
    """
    return ModelSource(credentials=credentials, base_url=base_url)
