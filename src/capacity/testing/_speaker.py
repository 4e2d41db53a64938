"""What a fake program runs: it notes where it finds itself, then does as its steps say. Standard library only.

Run as `python -I -S _speaker.py FOLDER NAME ARGUMENT...`; `FOLDER/NAME.json` holds its steps. As long as it, or anything
it starts, is running, a lock on `FOLDER/runs/NUMBER` is held: a lock goes with its last holder, and no number is mistaken.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

FOR_EVER = 3600
"""Seconds after which even what waits for ever ends, so that no lost test leaves a process for good."""


def answers(line: str, replies: Mapping[str, Sequence[Any] | None]) -> list[str]:
    """What is said to one JSON-RPC line.

    Args:
        line: the request; one without an id is a notification and has no answer.
        replies: method → the frames said to it, where a frame with `result` or `error` gets the request's id and any
            other is said as it is; a text is said as it stands; None = never an answer. Another method is refused.
    """
    try:
        frame = json.loads(line)
    except ValueError:
        return []
    if not isinstance(frame, dict) or "id" not in frame:
        return []
    unknown = {"error": {"code": -32601, "message": f"unknown method: {frame.get('method')}"}}
    told = replies.get(str(frame.get("method")), [unknown])
    return [said if isinstance(said, str) else json.dumps(_addressed(said, frame["id"])) for said in told or ()]


def _addressed(frame: Any, number: Any) -> Any:
    answer = isinstance(frame, dict) and ("result" in frame or "error" in frame)
    return {**frame, "id": number} if answer else frame


def main(folder: str, name: str, arguments: list[str]) -> None:
    """Note the run and take the steps."""
    _note(folder, name, arguments)
    with open(os.path.join(folder, f"{name}.json"), encoding="utf-8") as file:
        whens = json.load(file)
    for words, steps in whens:
        if all(word in arguments for word in words):
            for kind, value in steps:
                STEPS[kind](value)
            return
    sys.stderr.write(f"{name}: unexpected arguments: {arguments}\n")
    sys.exit(64)  # EX_USAGE


def _note(folder: str, name: str, arguments: list[str]) -> None:
    """Leave a note of the run, with the lock on it held until nobody of this run is left."""
    held = os.open(os.path.join(folder, "runs", str(os.getpid())), os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(held, fcntl.LOCK_EX)
    note = {
        "name": name,
        "arguments": arguments,
        "pid": os.getpid(),
        "leads": os.getsid(0) == os.getpid(),
        "terminal": any(map(_is_terminal, range(3))) or _has_terminal(),
        "environ": sorted(os.environ),
    }
    os.write(held, json.dumps(note).encode())


def _is_terminal(descriptor: int) -> bool:
    return os.isatty(descriptor)


def _has_terminal() -> bool:
    """Whether there is a controlling terminal, whatever the descriptors are."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


def _say(value: Mapping[str, str]) -> None:
    stream = sys.stdout if value["stream"] == "stdout" else sys.stderr
    stream.buffer.write(base64.b64decode(value["text"]))
    stream.buffer.flush()


def _answer(replies: Mapping[str, Sequence[Any] | None]) -> None:
    for line in sys.stdin:
        for said in answers(line, replies):
            sys.stdout.write(said + "\n")
        sys.stdout.flush()


def _flood(stream: str) -> None:
    """Until it is ended, or nobody holds the other end."""
    noise = b"x" * 4095 + b"\n"
    descriptor = 1 if stream == "stdout" else 2
    for _ in _while_young():
        os.write(descriptor, noise)


def _spawn(_: object) -> None:
    """A grandchild that keeps the pipes, and the lock, and outlives its parent if nobody ends it."""
    if os.fork() == 0:
        time.sleep(FOR_EVER)
        os._exit(0)


def _while_young() -> Iterator[None]:
    end = time.monotonic() + FOR_EVER
    while time.monotonic() < end:
        yield


STEPS: Mapping[str, Callable[[Any], object]] = {
    "say": _say,
    "answer": _answer,
    "wait": time.sleep,
    "stop": lambda _: os.kill(os.getpid(), signal.SIGSTOP),
    "flood": _flood,
    "spawn": _spawn,
    "ignore": lambda _: signal.signal(signal.SIGTERM, signal.SIG_IGN),
    "exit": sys.exit,
}

if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
