"""Files become the documents they record: bodies, whole responses, header lines; capped, dated, completed."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from capacity.cli.call import Call
from capacity.cli.documents import Given, Recorded, capped, dated, instant, recorded
from capacity.cli.exits import UsageFault
from capacity.ports import DOCUMENT_CAP, Document
from capacity.testing.clocks import SettableClock

from .house import NOON

CALL = Call(clock=SettableClock(NOON))
SAMPLES = Path(__file__).parents[2] / "samples"
HEADERS = (("retry-after", "3600"), ("content-type", "text/plain"))


@pytest.mark.parametrize("end", ["\r\n", "\n"])
def test_a_whole_response_is_taken_apart(end: str) -> None:
    """Status, headers with lower-case names, and the body behind the first blank line, whichever way lines end."""
    text = end.join(
        ["HTTP/1.1 429 Too Many Requests", "Retry-After: 3600", "Content-Type:text/plain", "", "a", "", "b"]
    )

    assert Recorded(end.join(["a", "", "b"]).encode(), 429, HEADERS) == recorded(text.encode())


@pytest.mark.parametrize("text", [b"HTTP/2 204", b"HTTP/2 204 \n", b"HTTP/1.0 204 No Content\r\n\r\n"])
def test_a_response_may_end_with_its_head(text: bytes) -> None:
    """No blank line, or nothing behind it, is a response without a body."""
    assert Recorded(b"", 204) == recorded(text)


def test_of_several_heads_the_last_counts() -> None:
    """What a proxy, an interim answer or a redirect leaves in front is not the answer, however much of it there is."""
    before = b"HTTP/1.1 100 Continue\r\n\r\n" * 5000

    assert Recorded(b"{}", 200, (("a", "b"),)) == recorded(before + b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n{}")


def test_header_lines_alone_are_a_response_without_a_body() -> None:
    """Every line is a name, a colon, a blank and a value."""
    assert Recorded(b"", None, HEADERS) == recorded(b"Retry-After: 3600\nContent-Type: text/plain\n\n")


@pytest.mark.parametrize("path", sorted(SAMPLES.rglob("headers_*.txt")), ids=lambda path: path.name)
def test_recorded_header_lines_are_header_lines(path: Path) -> None:
    """Every backend's, whatever signs its names are made of."""
    found = recorded(path.read_bytes())
    assert (b"", len(path.read_text(encoding="utf-8").splitlines())) == (found.body, len(found.headers))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b'{"a": 1}',
        b"llamacpp:requests_processing 0",
        b": keep-alive\n\n",
        b"a: b\n\nc: d",
        b"two words: here",
        b"<html>\na: b",
        b"HTTP is a protocol",
        bytes(range(256)),
    ],
)
def test_anything_else_is_a_body(body: bytes) -> None:
    """A text with one line that is no header line, and what merely looks like a head, is a body, unchanged."""
    assert Recorded(body) == recorded(body)


def test_the_options_complete_a_bare_body(tmp_path: Path) -> None:
    """Status, headers, what was asked and when are given to what does not tell them."""
    (tmp_path / "body").write_bytes(b"{}")
    (tmp_path / "head").write_bytes(b"HTTP/1.1 503 Busy\r\nRetry-After: 3600\r\n")
    given = Given.of(CALL, "2026-09-20T14:00:00+02:00", None, tmp_path / "head", "/usage")

    assert Document(b"{}", NOON, "/usage", 503, HEADERS[:1]) == given.document(tmp_path / "body")
    assert 429 == Given.of(CALL, None, 429, tmp_path / "head", None).document(tmp_path / "body").status


def test_a_response_keeps_what_it_tells_itself(tmp_path: Path) -> None:
    """The options are for what is missing."""
    (tmp_path / "whole").write_bytes(b"HTTP/1.1 200 OK\r\na: b\r\n\r\n{}")
    document = Given(None, NOON, 429, HEADERS, None).document(tmp_path / "whole")

    assert (200, (("a", "b"),)) == (document.status, document.headers)


def test_headers_with_a_body_are_no_headers(tmp_path: Path) -> None:
    """A file that holds more than header lines was meant for --from."""
    (tmp_path / "whole").write_bytes(b"HTTP/1.1 200 OK\r\na: b\r\n\r\n{}")

    with pytest.raises(UsageFault, match="header lines alone"):
        Given.of(CALL, None, None, tmp_path / "whole", None)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("Sun, 20 Sep 2026 12:00:00 GMT", NOON),
        ("Sun, 20 Sep 2026 14:00:00 +0200", NOON),
        ("Sun, 20 Sep 2026 12:00:00 -0000", NOON),
        ("tomorrow", None),
        ("", None),
    ],
)
def test_a_response_tells_its_date(text: str, at: datetime | None) -> None:
    """As the standard of the header has it; what is no date is none."""
    assert at == dated((("date", text),))


def test_what_nobody_dated_was_answered_now(tmp_path: Path) -> None:
    """--at before the response's own date before the present."""
    (tmp_path / "dated").write_bytes(b"HTTP/1.1 200 OK\r\nDate: Sun, 20 Sep 2026 11:00:00 GMT\r\n\r\n{}")
    (tmp_path / "bare").write_bytes(b"{}")
    said, unsaid = Given.of(CALL, "2026-09-20T10:00:00Z", None, None, None), Given.of(CALL, None, None, None, None)

    assert NOON - timedelta(hours=2) == said.document(tmp_path / "dated").at
    assert NOON - timedelta(hours=1) == unsaid.document(tmp_path / "dated").at
    assert unsaid.document(tmp_path / "bare").at == NOON


def test_an_instant_is_typed_with_its_zone() -> None:
    """One without is refused, with how to write it; so is what is none."""
    assert datetime(2026, 9, 20, 14, tzinfo=timezone(timedelta(hours=2))) == instant("2026-09-20T14:00:00+02:00")
    assert instant("2026-09-20T12:00:00Z").astimezone(UTC) == NOON
    for text in ("2026-09-20T12:00:00", "noon"):
        with pytest.raises(UsageFault, match="write it like 2026-09-20T12:00:00Z"):
            instant(text)


def test_a_file_is_read_no_further_than_a_document_may_reach() -> None:
    """A file without an end ends in a sentence."""
    with pytest.raises(UsageFault, match="larger than 8 MiB"):
        capped(Path("/dev/zero"))


def test_the_largest_document_is_still_one(tmp_path: Path) -> None:
    """The cap itself is allowed."""
    (tmp_path / "large").write_bytes(b" " * DOCUMENT_CAP)

    assert DOCUMENT_CAP == len(capped(tmp_path / "large"))


@pytest.mark.parametrize("name", ["missing", "."])
def test_what_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    """No such file, and a folder, are told by their path."""
    with pytest.raises(UsageFault, match=str(tmp_path)):
        capped(tmp_path / name)


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that an answer can be piped in."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"{}")))

    assert b"{}" == capped(Path("-"))
