"""Our own ends of a child's pipes. Nothing here waits: a pipe is read or written when its system says it can be.

Who holds the other end, and for how long, is nobody's business: an end is let go of whenever we like.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import IO

CHUNK = 2**16
"""Bytes moved at a time: what a pipe holds on Linux."""


class Ear:
    """The end we hear a child by.

    Args:
        pipe: the end.
        cap: bytes it may say in all; beyond them nobody listens.
        news: called after everything that happens.
    """

    def __init__(self, pipe: IO[bytes], cap: int, news: Callable[[], None]) -> None:
        self._pipe, self._left, self._news = pipe, cap, news
        self.said = bytearray()
        self.full = False
        os.set_blocking(pipe.fileno(), False)
        asyncio.get_running_loop().add_reader(pipe.fileno(), self._listen)

    @property
    def shut(self) -> bool:
        """Whether nothing more will be heard."""
        return self._pipe.closed

    def line(self) -> bytes | None:
        """The next line without its end, None where none is whole; the last one needs no end."""
        end = self.said.find(b"\n")
        if end < 0 and not (self.said and self.shut and not self.full):
            return None
        line = bytes(self.said if end < 0 else self.said[:end])
        del self.said[: len(line) + 1]
        return line.removesuffix(b"\r")

    def drain(self) -> None:
        """Take what is in the pipe now, and let go of it."""
        while not self.shut and self._listen():
            pass
        self.close()

    def close(self) -> None:
        """Let go of the pipe. A child that speaks on is told by its system."""
        if not self.shut:
            asyncio.get_running_loop().remove_reader(self._pipe.fileno())
            self._pipe.close()

    def _listen(self) -> bool:
        """Take one chunk; whether there was one."""
        try:
            chunk = os.read(self._pipe.fileno(), CHUNK)
        except BlockingIOError:
            return False
        self.full = len(chunk) > self._left
        self.said += chunk[: self._left]
        self._left -= len(chunk)
        if self.full or not chunk:
            self.close()
        self._news()
        return bool(chunk)


class Mouth:
    """The end we talk to a child by.

    Args:
        pipe: the end; None = the child hears nothing from the start.
        news: called after everything that happens.
    """

    def __init__(self, pipe: IO[bytes] | None, news: Callable[[], None]) -> None:
        self._pipe, self._news = pipe, news
        self._last = False
        self.unsaid = bytearray()
        if pipe is not None:
            os.set_blocking(pipe.fileno(), False)

    @property
    def shut(self) -> bool:
        """Whether the child hears nothing more."""
        return self._pipe is None or self._pipe.closed

    def say(self, words: bytes, *, last: bool = False) -> None:
        """Say something as soon as the child takes it; after the last of it the pipe is closed."""
        self.unsaid += words
        self._last = last
        if self._pipe is not None and not self._pipe.closed:
            asyncio.get_running_loop().add_writer(self._pipe.fileno(), self._speak, self._pipe.fileno())

    def close(self) -> None:
        """Let go of the pipe."""
        if self._pipe is not None and not self._pipe.closed:
            asyncio.get_running_loop().remove_writer(self._pipe.fileno())
            self._pipe.close()

    def _speak(self, pipe: int) -> None:
        try:
            del self.unsaid[: os.write(pipe, self.unsaid[:CHUNK])]
        except BlockingIOError:
            return
        except OSError:  # the child has closed its end
            self._last = True
            self.close()
        if not self.unsaid:
            self.close() if self._last else asyncio.get_running_loop().remove_writer(pipe)
        self._news()
