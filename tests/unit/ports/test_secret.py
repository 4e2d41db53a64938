"""A secret is told apart without being told."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode

import pytest

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


def token(claims: object, middle: str | None = None) -> Secret:
    """An unsigned token that says this of itself."""
    said = urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    return Secret(f"eyJhbGciOiJub25lIn0.{said if middle is None else middle}.x")


def test_a_token_says_openly_when_it_ends() -> None:
    """The part that anybody may read is told, by its path; the token itself is not."""
    said = token({"exp": 1790337600, "https://a.invalid/auth": {"plan": "plus"}})

    assert (1790337600, "plus") == (said.claim("exp"), said.claim("https://a.invalid/auth", "plan"))
    assert "eyJ" not in repr(said)


@pytest.mark.parametrize(
    "said",
    [
        Secret(""),
        Secret("no-token"),
        Secret("a.b.c"),
        Secret("a.\u00fc.c"),
        token([]),
        token({"exp": None}),
        token({"exp": True}),
        token({"exp": {"deep": 1}}),
        token({}, middle="["),
    ],
    ids=range(9),
)
def test_what_says_nothing_of_itself_has_no_claim(said: Secret) -> None:
    """No token, a torn one, another type, and a flag: nothing is told, and nothing raises."""
    assert (None, None) == (said.claim("exp"), said.claim("exp", "further"))
