"""What may not be shown is not shown, and what may be stays as it is."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from capacity.errors import Refused
from capacity.ports import Document, File, Reply, Secret
from capacity.wire.redaction import Redaction, address

AT = datetime(2026, 1, 1, tzinfo=UTC)
KEY = "sk-0123456789"


@pytest.fixture
def redaction():
    redaction = Redaction()
    redaction.open(Secret(KEY))
    return redaction


def test_only_what_was_opened_is_known():
    """A secret that never left is not looked for; one that did is."""
    redaction = Redaction()
    before = redaction.mask(KEY)

    assert KEY == redaction.open(Secret(KEY))
    assert (KEY, "***") == (before, redaction.mask(KEY))


def test_plain_texts_are_no_secrets(redaction):
    """What a flow gives as plain text is put on the wire as it is, and not masked."""
    assert {"a": "plain-text-1", "b": "other-secret"} == redaction.opened(
        {"a": "plain-text-1", "b": Secret("other-secret")}
    )
    assert "plain-text-1 ***" == redaction.mask("plain-text-1 other-secret")


@pytest.mark.parametrize(("text", "masked"), [("0123456", "0123456"), ("01234567", "***")])
def test_short_texts_are_words(text, masked):
    """A key of seven letters would blank out half of an answer; one of eight is masked."""
    redaction = Redaction()
    redaction.open(Secret(text))

    assert masked == redaction.mask(text)
    assert masked.encode() == redaction.body(text.encode())


def test_the_longer_secret_goes_first():
    """Where one secret is a part of another, no rest of the longer one stays."""
    redaction = Redaction()
    for secret in ("01234567", "0123456789"):
        redaction.open(Secret(secret))

    assert "*** ***" == redaction.mask("0123456789 01234567")


@pytest.mark.parametrize(
    "url",
    ["http://me:pw@host:1/a/b?c#d", "http://host:1/a/b?key=x", "http://me@host:1/a/b", "http://host:1/a/b#x@y"],
)
def test_an_address_is_what_may_be_said_of_a_url(url):
    """No user, password, query or fragment."""
    assert "http://host:1/a/b" == address(url)


def test_a_fault_is_made_anew(redaction):
    """Same kind, same words but the secret ones, and none of the old one's baggage."""
    try:
        raise Refused("http://me:pw@host/", f"said {KEY}") from ValueError(KEY)
    except Refused as old:
        new = redaction.fault(old)

    assert "http://host/: said ***" == str(new)
    assert (Refused, None, None, None) == (type(new), new.__traceback__, new.__cause__, new.__context__)


def test_headers_that_are_secrets_by_name_are_dropped(redaction):
    """The others stay, in order."""
    headers = (("a", "1"), ("set-cookie", "x"), ("Authorization", "x"), ("b", KEY))
    reply = redaction.reply(Reply(Document(b"", AT, status=200, headers=headers), AT))

    assert (("a", "1"), ("b", "***")) == reply.document.headers


def test_a_file_stays_what_it_is(redaction):
    """A flow that writes back what it read must not write a mask."""
    file = File("f", KEY.encode(), "", AT)

    assert file is redaction.reply(file)


@pytest.mark.parametrize(
    "name", ["access_token", "accessToken", "refresh_token", "id_token", "api_key", "client_secret"]
)
def test_a_record_hides_what_is_a_secret_by_its_name(redaction, name):
    """In either spelling and with any spaces; numbers, blanks and other members stay."""
    body = f'{{"{name}" : "a\\"b", "eos_token":"</s>","{name}":"","{name}":3}}'.encode()

    assert f'{{"{name}":"***", "eos_token":"</s>","{name}":"","{name}":3}}'.encode() == redaction.record(body)
