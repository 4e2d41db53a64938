"""A secret is told apart without being told."""

from __future__ import annotations

import json

from capacity.ports.secret import MASK, Secret, masked

PURPOSE = "some-key"


def test_fingerprint_tells_secrets_apart() -> None:
    """Equal secrets have one fingerprint, others another, and another purpose gives another one again."""
    mark = Secret("sk-one").fingerprint(PURPOSE)

    assert mark == Secret("sk-one").fingerprint(PURPOSE)
    assert mark != Secret("sk-two").fingerprint(PURPOSE)
    assert mark != Secret("sk-one").fingerprint("other-key")


def test_fingerprint_is_sixteen_digits_of_neither_part() -> None:
    """It is short, hexadecimal, and where purpose ends and secret begins makes a difference."""
    mark = Secret("b").fingerprint("a")

    assert 16 == len(mark)
    assert set(mark) <= set("0123456789abcdef")
    assert mark != Secret("").fingerprint("ab")


def test_fingerprint_ignores_white_space_at_the_ends() -> None:
    """A variable and a file that ends in a newline name one login."""
    assert Secret("sk-one").fingerprint(PURPOSE) == Secret(" sk-one\n").fingerprint(PURPOSE)


def test_fingerprint_takes_any_text_a_variable_can_hold() -> None:
    """Bytes that are no UTF-8 arrive as lone surrogates, and still have a fingerprint."""
    assert 16 == len(Secret("sk-\udc80").fingerprint(PURPOSE))


def test_a_shown_text_that_repeats_a_secret_is_masked() -> None:
    """A key that is shown keeps its words, but never a token over again, in whatever case."""
    body = json.dumps({"token": "sample-TOKEN-1", "plan": "Sample-token-1", "words": ["max", "x sample-token-1 y"]})
    shown = json.loads(masked(body.encode(), frozenset({"plan", "words"})))
    assert {"token": MASK, "plan": MASK, "words": ["max", MASK]} == shown
