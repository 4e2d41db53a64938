"""A source that is due is asked before a lease rests on it. The lease waits for a bounded time; the question goes on.

The question has its own deadline and runs in a thread of its own, so that a slow source is not cut off by a hurried lease
and then counted as failing. One question at a time for each account of a process; other processes hold the same claim.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from datetime import timedelta

from attrs import define, field

Ask = Callable[[str, bool], None]
"""Asks an account what is due; the flag says that the floor alone holds it back."""


@define
class Patience:
    """How long one lease still waits for readings that are due, in real time.

    Attributes:
        most: in all.
        spent: so far.
        asked: accounts it waited for; none is waited for twice.
        late: those that had not answered by then.
    """

    most: timedelta
    spent: timedelta = timedelta(0)
    asked: set[str] = field(factory=set)
    late: set[str] = field(factory=set)

    @property
    def left(self) -> timedelta:
        """What is left of it."""
        return max(self.most - self.spent, timedelta(0))


class Refresher:
    """Asks accounts in the background.

    Args:
        ask: asks one, and waits for whoever is asking it already.
    """

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._running: dict[str, threading.Thread] = {}
        self._lock = threading.Lock()

    def bring(self, accounts: Mapping[str, bool], patience: Patience) -> None:
        """Have accounts asked, and wait as long as there is patience.

        Args:
            accounts: account → whether the floor alone holds it back.
            patience: of one lease; what was waited is taken off it.
        """
        began = time.monotonic()
        end = began + patience.left.total_seconds()
        threads = {account: self._asking(account, sooner) for account, sooner in accounts.items()}
        for thread in threads.values():
            thread.join(max(0.0, end - time.monotonic()))
        patience.asked |= accounts.keys()
        patience.late |= {account for account, thread in threads.items() if thread.is_alive()}
        patience.spent += timedelta(seconds=time.monotonic() - began)

    def begin(self, accounts: Mapping[str, bool]) -> None:
        """Have accounts asked, and wait for none.

        Args:
            accounts: account → whether the floor alone holds it back.
        """
        for account, sooner in accounts.items():
            self._asking(account, sooner)

    def close(self) -> None:
        """Wait for the questions that are under way; each has a deadline."""
        for thread in tuple(self._running.values()):
            thread.join()

    def _asking(self, account: str, sooner: bool) -> threading.Thread:
        with self._lock:
            running = self._running.get(account)
            if running is None or not running.is_alive():
                running = threading.Thread(target=self._ask, args=(account, sooner), name=f"capacity asks {account}")
                self._running[account] = running
                running.start()
            return running
