"""What every reader owes that says whose fault a refused turn was: the same word each time, and never more than was told."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve

from capacity.ports import Document, Failure, Reader
from capacity.testing.contracts._contract import Contract
from capacity.testing.contracts._drift import AN_AGE, Case, through
from capacity.testing.contracts._ruin import HOPELESS, STRANGE, cut, drifted

HUSHED = "hush-hush-invented-secret"
"""What stands beside each text of a refusal, and must not come out with it."""

_CODE = re.compile(r"[a-z0-9_.-]+:[a-z0-9-]+")


class FailureContract(Contract):
    """Subclass it and give `construct` and these fixtures.

    * `reader`: the reader.
    * `refusals`: errors with which turns were refused, each of which it knows; at least one. What is a reading too, as
      headers may be, belongs to `ReaderContract`.
    """

    def test_refusals_are_failures(self, reader: Reader, refusals: Sequence[Document]) -> None:
        """Each known refusal is a failure, and the same one whenever it is asked about."""
        twice = [[reader.failure(refusal) for refusal in refusals] for _ in range(2)]

        assert refusals
        assert None not in twice[0]
        assert twice[0] == twice[1]

    def test_refusals_are_no_readings(self, reader: Reader, refusals: Sequence[Document]) -> None:
        """The error of a turn is not about quota or models, whoever asks."""
        told = [(reader.readings(refusal), reader.listing(refusal)) for refusal in refusals]

        assert [(None, None)] * len(refusals) == told

    def test_failures_are_sound(self, reader: Reader, refusals: Sequence[Document]) -> None:
        """A wait is one, an end is to come, a fact has an owner; evidence against the provider is for the core to find."""
        for refusal in refusals:
            _assert_sound(reader.failure(refusal), refusal)

    @pytest.mark.parametrize("ruin", sorted({**HOPELESS, **STRANGE}))
    def test_ruined_refusals_break_nothing(self, reader: Reader, refusals: Sequence[Document], ruin: str) -> None:
        """Whatever became of its body, a refusal is a sound failure or none; unlike a parser's, no error escapes."""
        for refusal in refusals:
            ruined = evolve(refusal, body={**HOPELESS, **STRANGE}[ruin])
            _assert_sound(reader.failure(ruined), ruined)

    def test_torn_refusals_break_nothing(self, reader: Reader, refusals: Sequence[Document]) -> None:
        """Broken off, or with any single part gone or null."""
        for refusal in refusals:
            for body in (*cut(refusal.body), *drifted(refusal.body)):
                torn = evolve(refusal, body=body)
                _assert_sound(reader.failure(torn), torn)

    def test_drifted_refusals_are_sound(self, reader: Reader, refusals: Sequence[Document]) -> None:
        """As they may come one day: members of another type, instants in another spelling, headers lost."""

        def check(_: Document, changed: Document) -> None:
            _assert_sound(reader.failure(changed), changed)

        through([Case(refusal) for refusal in refusals], check)

    def test_a_failure_holds_nothing_secret(self, reader: Reader, refusals: Sequence[Document]) -> None:
        """Services quote keys in their errors: what a failure rests on are words and figures that were looked for."""
        for refusal in refusals:
            headers = (*refusal.headers, ("authorization", HUSHED))
            for body in (refusal.body, *_beside(refusal.body)):
                assert HUSHED not in repr(reader.failure(evolve(refusal, body=body, headers=headers))), body


def _assert_sound(failure: Failure | None, document: Document) -> None:
    if failure is None:
        return
    assert failure.hold is None or timedelta(0) < failure.hold < AN_AGE, failure
    assert failure.reset_known == (failure.reset_at is not None), failure
    if failure.reset_at is not None:
        assert document.at < failure.reset_at < document.at + AN_AGE, failure
    assert [fact.code for fact in failure.facts if not _CODE.fullmatch(fact.code)] == [], failure
    assert not failure.indicts, failure


def _beside(body: bytes) -> Iterator[bytes]:
    """The body with a secret behind each of its texts in turn, in each object, or at the end of each line."""
    try:
        root = [json.loads(body)]
    except ValueError:
        lines = body.splitlines()
        for place, line in enumerate(lines):
            yield b"\n".join([*lines[:place], line + f" {HUSHED}".encode(), *lines[place + 1 :]])
        return
    for path in _places(root):
        changed = copy.deepcopy(root)
        inside: Any = changed
        for step in path[:-1]:
            inside = inside[step]
        told = inside[path[-1]]
        inside[path[-1]] = f"{told} {HUSHED}" if isinstance(told, str) else {**told, "key": HUSHED}
        yield json.dumps(changed[0]).encode()


def _places(tree: Any, so_far: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where texts and objects stand."""
    steps = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for step, inner in steps:
        if isinstance(inner, str | dict):
            yield (*so_far, step)
        yield from _places(inner, (*so_far, step))
