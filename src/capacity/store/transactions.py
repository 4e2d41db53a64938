"""One transaction per thread: the outermost block begins and ends it, the blocks inside join it.

An exception that leaves any block undoes all of them, even where it is caught further out: what was written before it
may be half of something.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
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

    @contextmanager
    def block(self, durable: bool = False) -> Iterator[W]:
        """One block: the outermost of this thread, or one that joins it.

        Raises:
            StoreError: it is durable and the one it joins is not, or a block inside has failed.
        """
        opened = self._opened()
        with self._outermost(durable) if opened is None else self._joined(opened, durable) as within:
            yield within

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
                self._whole(opened)
            finally:
                self._here.opened = None

    @contextmanager
    def _joined(self, opened: _Open[W], durable: bool) -> Iterator[W]:
        self._whole(opened)
        try:
            if durable and not opened.durable:
                raise StoreError(
                    f"{self._name}: a durable transaction cannot join one that is not; open the outermost one durable"
                )
            yield opened.within
        except BaseException:
            opened.failed = True
            raise

    def _whole(self, opened: _Open[W]) -> None:
        if opened.failed:
            raise StoreError(
                f"{self._name}: something inside this transaction failed, so all of it is undone; "
                "let the exception out, and begin again"
            )
