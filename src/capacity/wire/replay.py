"""Replay: step a flow with answers that are there already. No clock, no loop, no I/O; the flow cannot tell."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from capacity.errors import ReplayError, WireError
from capacity.ports import Effect, Flow
from capacity.wire.cassette import Cassette
from capacity.wire.recorded import dump, load
from capacity.wire.redaction import Redaction
from capacity.wire.steps import Returned, step

T = TypeVar("T")


def replay(flow: Flow[T], answers: Cassette | Callable[[Effect[Any]], Any]) -> T:
    """Run a flow against recorded or invented answers.

    Args:
        flow: a coroutine that awaits effects and nothing else.
        answers: a cassette of one flow; or a function from an effect to its reply, which may raise a `WireError`.

    Returns:
        What the flow returned.

    Raises:
        ReplayError: the flow asks something else than the cassette holds; names the first effect that differs.
        WireError: an answer was one, and the flow did not catch it.
        TypeError: the flow awaited something that is no effect.
    """
    try:
        answer = _Tape(answers) if isinstance(answers, Cassette) else answers
        moved = step(flow)
        while not isinstance(moved, Returned):
            moved = step(flow, *_answered(answer, moved))
    finally:
        flow.close()
    if isinstance(answer, _Tape):
        answer.end()
    return moved.value


def _answered(answer: Callable[[Effect[Any]], Any], effect: Effect[Any]) -> tuple[Any, WireError | None]:
    try:
        return answer(effect), None
    except WireError as fault:
        return None, fault.with_traceback(None)


class _Tape:
    """A cassette being played."""

    def __init__(self, cassette: Cassette) -> None:
        if len(cassette.flows) > 1:
            raise ReplayError(f"the cassette holds flows {cassette.flows}; choose one with `.flow(number)`")
        self._exchanges = cassette.exchanges
        self._played = 0

    def __call__(self, effect: Effect[Any]) -> Any:
        asked = dump(effect, Redaction())
        self._played += 1
        if self._played > len(self._exchanges):
            raise self._differs(_short(asked), "has ended")
        exchange = self._exchanges[self._played - 1]
        if asked != exchange.effect:
            raise self._differs(_short(asked), f"holds {_short(exchange.effect)}")
        answer = load(exchange.answer)
        if exchange.failed:
            raise answer
        return answer

    def end(self) -> None:
        """Nothing is left to be asked."""
        if self._played < len(self._exchanges):
            left = self._exchanges[self._played].effect
            self._played += 1
            raise self._differs("nothing more", f"holds {_short(left)}")

    def _differs(self, asked: str, held: str) -> ReplayError:
        return ReplayError(f"effect {self._played}: the flow asks {asked}; the cassette {held}")


def _short(effect: Mapping[str, Any]) -> str:
    """An effect on one line."""
    inner = {name: value for name, value in effect.items() if name != "is"}
    return f"{effect.get('is')} {json.dumps(inner, sort_keys=True, ensure_ascii=False)}"
