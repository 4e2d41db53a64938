"""One transaction per thread: the outermost block begins and ends it, the blocks inside join it.

An exception that leaves any block undoes all of them, even where it is caught further out: what was written before it
may be half of something.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Generic, TypeVar

from attrs import define, field

from capacity.errors import StoreError

W = TypeVar("W")


@define
class _Open(Generic[W]):
    within: W
    durable: bool
    failed: bool = False
    pid: int = field(factory=os.getpid)


class Transactions(Generic[W]):
    """The transactions of one store.

    Args:
        name: of the store, for its errors.
        begin: begins a transaction, durable or not, and gives what is written to. Its normal end keeps everything, an
            exception undoes everything.
    """

    def __init__(self, name: str, begin: Callable[[bool], AbstractContextManager[W]]) -> None:
        self._name, self._begin = name, begin
        self._here = threading.local()

    @property
    def within(self) -> W | None:
        """What the transaction of this thread writes to; None where none is open."""
        opened = self._opened()
        return opened.within if opened else None

    def block(self, durable: bool = False) -> AbstractContextManager[W]:
        """One block: the outermost of this thread, or one that joins it. Entering it raises `StoreError` where it is
        durable and the one it joins is not, or where a block inside has failed.
        """
        opened = self._opened()
        return self._outermost(durable) if opened is None else _Joined(self, opened, durable)

    def _opened(self) -> _Open[W] | None:
        opened: _Open[W] | None = getattr(self._here, "opened", None)
        # A process forked inside a transaction has a copy of this thread, but the transaction is its parent's.
        return opened if opened and opened.pid == os.getpid() else None

    @contextmanager
    def _outermost(self, durable: bool) -> Iterator[W]:
        with self._begin(durable) as within:
            opened = self._here.opened = _Open(within, durable)
            try:
                yield within
                self.whole(opened)
            finally:
                self._here.opened = None

    def whole(self, opened: _Open[W]) -> None:
        """Refuse if something inside has failed."""
        if opened.failed:
            raise StoreError(
                f"{self._name}: something inside this transaction failed, so all of it is undone; "
                "let the exception out, and begin again"
            )

    def check(self, opened: _Open[W], durable: bool) -> None:
        """Refuse to join a transaction that is undone, or less durable than what would join it."""
        self.whole(opened)
        if durable and not opened.durable:
            opened.failed = True
            raise StoreError(
                f"{self._name}: a durable transaction cannot join one that is not; open the outermost one durable"
            )


class _Joined(AbstractContextManager[W]):
    """A block inside another. There are a dozen in a verb of the broker, so it is no generator."""

    __slots__ = ("_durable", "_of", "_opened")

    def __init__(self, of: Transactions[W], opened: _Open[W], durable: bool) -> None:
        self._of, self._opened, self._durable = of, opened, durable

    def __enter__(self) -> W:
        self._of.check(self._opened, self._durable)
        return self._opened.within

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self._opened.failed = True
