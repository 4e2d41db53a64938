"""A model that a lease waits for is made ready in the background, by whoever the policy names; no lease waits for it."""

from __future__ import annotations

import threading
from collections.abc import Callable

from capacity.values.seats import Candidate

Load = Callable[[str, str], None]
"""Makes a model of a pool ready, and waits until it is."""


class Loader:
    """Begins to make models ready, each once at a time.

    Args:
        load: makes one ready.
    """

    def __init__(self, load: Load) -> None:
        self._load = load
        self._running: dict[tuple[str, str], threading.Thread] = {}

    def begin(self, candidate: Candidate) -> None:
        """Begin, unless it is being made ready here already."""
        key = candidate.pool, candidate.model
        running = self._running.get(key)
        if running is not None and running.is_alive():
            return
        # A daemon: loading takes minutes, and no program should have to wait for it at its end. The next lease asks anew.
        thread = threading.Thread(target=self._load, args=key, name=f"capacity loads {candidate.model}", daemon=True)
        self._running[key] = thread
        thread.start()
