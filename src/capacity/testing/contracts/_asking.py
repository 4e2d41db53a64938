"""What a flow that asks a source owes, whichever source: it only reads, asks once, and keeps its secrets."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from capacity.errors import WireError
from capacity.ports import Effect, Env, Flow, Get, Hear, List, Pause, Read, Run, Say, Start
from capacity.testing.flows import FakeWorld, play

READING = (Get, Run, Start, Say, Hear, Read, List, Env, Pause)
"""Effects that change nothing; what a program does that is run or talked to is its own contract."""

LOCAL = (Read, List, Env, Pause)
"""Effects that stay on this machine and start nothing."""

SHORT = 8
"""Characters a text has at least to be looked for as a secret; shorter ones are words and numbers."""


def played(flow: Flow[Any], world: FakeWorld) -> Any:
    """What a flow gives; `()` where it gives up with an error that the host makes a state of."""
    try:
        return play(flow, world)
    except (WireError, ValueError, RecursionError):
        return ()


def retried(asked: list[Effect[Any]]) -> list[str]:
    """The URLs that were asked more than once, or that the driver is told to repeat on a refusal."""
    gets = [effect for effect in asked if isinstance(effect, Get)]
    often = {url for url, times in Counter(get.url for get in gets).items() if times > 1}
    return sorted(often | {get.url for get in gets if get.retry and 429 in get.retry.statuses})


def secrets(world: FakeWorld) -> set[str]:
    """The texts nobody may show: every variable, and what was masked of every file that was read as a secret."""
    found = set(world.environ.values())
    for read in world.asked:
        if isinstance(read, Read) and read.secret and read.path in world.files:
            found |= set(_masked(world.files[read.path], read.plain))
    return {text for text in found if len(text) >= SHORT}


def _masked(body: bytes, plain: frozenset[str]) -> Iterator[str]:
    try:
        yield from _texts(json.loads(body), plain)
    except ValueError:
        yield body.decode(errors="replace").strip()


def _texts(tree: Any, plain: frozenset[str]) -> Iterator[str]:
    if isinstance(tree, dict):
        for key, inner in tree.items():
            if key not in plain:
                yield from _texts(inner, plain)
    elif isinstance(tree, list):
        for inner in tree:
            yield from _texts(inner, plain)
    elif isinstance(tree, str):
        yield tree


def shown(world: FakeWorld, *things: object) -> list[str]:
    """The secrets that can be read in the repr or the text of anything, the effects asked included."""
    text = " ".join(f"{thing!r} {thing}" for thing in (*things, *world.asked))
    return sorted(secret for secret in secrets(world) if secret in text)
