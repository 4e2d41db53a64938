"""A loop of our own, for callers that have none, or whose loop must not be ours.

It ends when its coroutine has: nobody waits for a thread in which a call hangs.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")


def privately(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in a loop of its own; in a thread of its own where this one has a running loop."""
    if not _in_loop():
        return _in_private_loop(main)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(contextvars.copy_context().run, _in_private_loop, main).result()


def _in_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _in_private_loop(main: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner() as runner:
        runner.get_loop().set_default_executor(_Threads())
        return runner.run(main)


class _Threads(ThreadPoolExecutor):
    """One thread a call, and nobody waits for it.

    A name server that does not answer holds its thread as long as it likes; the pool of the standard library makes both
    its loop and the interpreter wait for that, long after the deadline.
    """

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Call a function in a thread of its own."""
        future: Future[T] = Future()

        def call() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(fn(*args, **kwargs))
            except BaseException as error:  # noqa: BLE001 - whoever awaits the future gets it
                future.set_exception(error)

        threading.Thread(target=call, name="capacity call", daemon=True).start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Wait for nobody."""
