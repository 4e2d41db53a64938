"""A secret is told apart without being told."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode

import pytest

from capacity.ports.secret import MASK, Secret, masked, reveal

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


def test_a_masked_token_still_says_what_is_plain() -> None:
    """Of what it says only what stands under a plain key is left, unsigned; without such a key nothing is."""
    said = reveal(
        token({"exp": 7, "email": "person@example.invalid", "auth": {"plan": "plus", "user": "someone-else"}})
    )
    body = json.dumps({"tokens": {"access": said}}).encode()
    shown = Secret(masked(body, frozenset({"exp", "plan"})).decode()).part("tokens", "access")

    assert shown is not None
    assert (7, "plus", None, None) == (
        shown.claim("exp"),
        shown.claim("auth", "plan"),
        shown.claim("auth", "user"),
        shown.claim("email"),
    )
    assert not [part for part in said.split(".")[:2] if part in reveal(shown)]
    assert {"tokens": {"access": MASK}} == json.loads(masked(body, frozenset({"other"})))


def test_a_masked_token_shows_no_secret_of_its_file() -> None:
    """What repeats another text of the file is masked, whatever it calls itself."""
    body = json.dumps({"key": "sk-SAMPLE-1", "token": reveal(token({"plan": "sk-SAMPLE-1"}))}).encode()

    assert b"SAMPLE" not in b64(masked(body, frozenset({"plan"})))


def b64(body: bytes) -> bytes:
    """What a masked body holds, with its token's middle decoded."""
    middle = json.loads(body)["token"].split(".")[1]
    return body + urlsafe_b64decode(middle + "=" * (-len(middle) % 4))
