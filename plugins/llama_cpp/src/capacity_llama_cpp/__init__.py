"""llama.cpp for `capacity`: what a server holds or could load, and how many of its slots are free.

Asking never loads, wakes or keeps awake a model; only a preparer loads one, when it is told which. Importing this and calling its factories asks nobody anything.
"""

from __future__ import annotations

from capacity.ports import InventorySource, Key, Preparer, Prober, Reader

from capacity_llama_cpp._flows import BASE_URL, ModelSource, SlotProber
from capacity_llama_cpp._prepare import Loader
from capacity_llama_cpp._reader import LlamaCppReader

__all__ = ["inventory", "preparer", "prober", "reader"]


def reader() -> Reader:
    """What recorded bodies say."""
    return LlamaCppReader()


def prober(*, credentials: Key | None = None, base_url: str = BASE_URL) -> Prober:
    """Asks one server how many slots of each resident model are free.

    Args:
        credentials: where the server's API key is; None = it asks for none.
        base_url: where it listens, `http(s)://host[:port][/path]`; a `/v1` at its end is left out.

    Raises:
        ValueError: `base_url` is no such address.
    """
    return SlotProber(credentials=credentials, base_url=base_url)


def inventory(*, credentials: Key | None = None, base_url: str = BASE_URL) -> InventorySource:
    """Asks one server which models it holds or could load.

    Args:
        credentials: as for `prober`.
        base_url: as for `prober`.

    Raises:
        ValueError: `base_url` is no such address.
    """
    return ModelSource(credentials=credentials, base_url=base_url)


def preparer(*, credentials: Key | None = None, base_url: str = BASE_URL) -> Preparer:
    """Tells one router to load a model, and waits until it has.

    Args:
        credentials: as for `prober`.
        base_url: as for `prober`.

    Raises:
        ValueError: `base_url` is no such address.
    """
    return Loader(credentials=credentials, base_url=base_url)
