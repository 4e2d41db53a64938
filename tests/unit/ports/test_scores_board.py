"""What becomes of the answers of a place that publishes scores."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from attrs import evolve

from capacity.ports import Document, File, Get, RankingRow, Rankings, Reply, SourceCard
from capacity.ports.scores import Board, Excluded, KnownModel, Page, Told, address, pages
from capacity.testing.flows import FakeWorld, play

AT = datetime(2026, 9, 20, 12, tzinfo=UTC)
CARD = SourceCard(url="https://board.invalid", licence="MIT", attribution="the board", requires=("BOARD_KEY",))
BOARD = Board(source="board", about=CARD)
ROW = RankingRow("loom", "large", "own", 61.0, "percent")


def reply(body: bytes = b"{}", status: int = 200, unchanged: bool = False, **headers: str) -> Reply:
    """An answer."""
    told = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Reply(Document(body, AT, asked="/", status=status, headers=told), AT, unchanged)


def told(*became: Told, answers: tuple[Reply | File, ...] = (), as_of: datetime | None = None) -> Rankings:
    """The rankings of some rows."""
    return BOARD.told(answers or (reply(),), became, as_of=as_of)


def test_rows_are_counted_and_none_is_lost() -> None:
    """What was told, what was left out and why, and how much nobody could read, with licence, parser and digest."""
    rankings = told(ROW, Excluded("7", "hidden"), None, ROW)

    assert ("board", "fresh", (ROW,), 4, 1) == (
        rankings.source,
        rankings.status,
        rankings.rows,
        rankings.told,
        rankings.failed,
    )
    assert (Excluded("7", "hidden"),) == rankings.excluded
    assert ("MIT", "the board", "1", AT) == (
        rankings.licence,
        rankings.attribution,
        rankings.parser,
        rankings.fetched_at,
    )
    assert 64 == len(rankings.digest or "")


def test_no_score_is_empty_and_nothing_readable_is_invalid() -> None:
    """An empty list is no success, and a list in which nothing can be read is a new shape; a catalogue needs no scores."""
    assert ("empty", "empty", "invalid") == (
        told().status,
        told(Excluded("7", "hidden"), None).status,
        told(None).status,
    )
    assert "fresh" == BOARD.told((reply(),), (), known=[KnownModel("lab/large")]).status


def test_cached_is_what_every_server_says_has_not_changed() -> None:
    """One that has changed makes the whole new."""
    same, new = reply(unchanged=True), reply()

    assert ("cached", "fresh") == (told(ROW, answers=(same, same)).status, told(ROW, answers=(same, new)).status)


def test_a_date_to_come_is_none_and_is_flagged() -> None:
    """Neither a row nor a whole board is believed to know tomorrow."""
    (row,) = told(evolve(ROW, measured_at=AT + timedelta(days=1))).rows

    assert (None, ("future-date",)) == (row.measured_at, row.flags)
    assert AT == told(ROW, as_of=AT + timedelta(days=1)).as_of
    assert AT - timedelta(days=1) == told(ROW, as_of=AT - timedelta(days=1)).as_of


def test_the_digest_tells_where_one_answer_ends() -> None:
    """The same bytes in other portions are another payload; a file is as good as an answer."""
    digests = {
        told(ROW, answers=answers).digest
        for answers in [(reply(b"ab"), reply(b"c")), (reply(b"a"), reply(b"bc")), (File("f", b"abc", "", AT),)]
    }

    assert 3 == len(digests)


@pytest.mark.parametrize(
    ("answer", "status", "words"),
    [
        (reply(status=401), "unauthorised", "(HTTP 401); check BOARD_KEY"),
        (reply(status=403), "forbidden-tier", "(HTTP 403); check BOARD_KEY"),
        (reply(status=403, retry_after="5"), "rate-limited", "(HTTP 403)"),
        (reply(status=429), "rate-limited", "(HTTP 429)"),
        (reply(status=404), "unreachable", "was it retired?"),
        (reply(status=302), "unreachable", "HTTP 302"),
        (reply(b"<html>"), "invalid", "no JSON"),
    ],
)
def test_an_answer_that_can_hold_no_scores_is_a_state(answer: Reply, status: str, words: str) -> None:
    """The word of the closed list, and the sentence for a person."""
    tree = BOARD.tree(answer)

    assert isinstance(tree, Rankings)
    assert (status, ()) == (tree.status, tree.rows)
    assert words in (tree.detail or "")
    assert (tree.detail or "").startswith("board ")


def test_an_answer_with_the_right_status_is_a_tree() -> None:
    """Whether the rows are in it is for the source to see."""
    assert {"rows": []} == BOARD.tree(reply(b'{"rows": []}'))


def test_a_part_that_is_missing_is_invalid() -> None:
    """An earlier answer said that it is there, so the whole is not what it says."""
    tree = BOARD.tree(reply(status=404), "page 2")

    assert isinstance(tree, Rankings)
    assert ("invalid", "board told that there is page 2, and it is missing (HTTP 404)") == (tree.status, tree.detail)


def test_what_is_missing_is_named() -> None:
    """Nobody was asked."""
    rankings = BOARD.unconfigured(AT, "BOARD_KEY", "put a key there")

    assert ("unconfigured", ("BOARD_KEY",), "put a key there") == (rankings.status, rankings.missing, rankings.detail)


@pytest.mark.parametrize("url", ["board.invalid", "ftp://x", "https://", "https://u:p4ss@x", "https://x?key=p4ss", ""])
def test_an_address_that_cannot_be_is_refused_without_repeating_it(url: str) -> None:
    """What it holds may be a key."""
    with pytest.raises(ValueError, match=r"an address must be") as refused:
        address(url)
    assert "p4ss" not in str(refused.value)


def test_an_address_ends_without_a_slash() -> None:
    """So that a path can follow."""
    assert "http://127.0.0.1:9/v2" == address("http://127.0.0.1:9/v2/")


# --- pages ------------------------------------------------------------------------------------


def paged(*bodies: str) -> tuple[Page, ...] | Rankings:
    """The pages of a server that says these, one after another."""
    left = list(bodies)

    def web(request: object) -> Document:
        return Document(left.pop(0).encode(), AT, status=200)

    return play(
        pages(BOARD, lambda number: Get(f"https://board.invalid?page={number}"), "rows"), FakeWorld(AT, web=web)
    )


def test_pages_are_followed_to_the_last() -> None:
    """By their count, by their word that there are more, or not at all where they say neither."""
    counted = paged(
        '{"rows": [1], "pagination": {"total_pages": 2, "page": 1}}', '{"rows": [2], "pagination": {"total_pages": 2}}'
    )
    promised = paged(
        '{"rows": [1], "pagination": {"has_more": true}}', '{"rows": [2], "pagination": {"has_more": false}}'
    )
    alone = paged('{"rows": [1]}')

    assert [[[1], [2]], [[1], [2]], [[1]]] == [
        [page.rows for page in found] for found in (counted, promised, alone) if isinstance(found, tuple)
    ]


def test_a_list_that_never_ends_is_none() -> None:
    """A server that always promises one more page has an end all the same."""
    found = paged(*['{"rows": [1], "pagination": {"has_more": true}}'] * 101)

    assert isinstance(found, Rankings)
    assert ("invalid", "board promises page 101, and is not followed any further") == (found.status, found.detail)


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ('{"rows": {}}', "board answered page 1 without rows"),
        ('{"rows": [], "pagination": {"page": 3}}', "board answered page 1 with page 3"),
        ('{"rows": [1], "pagination": {"total": 2}}', "board told 1 of 2 rows"),
    ],
)
def test_a_page_that_is_none_spoils_the_whole(body: str, detail: str) -> None:
    """What is wrong with it is said."""
    found = paged(body)

    assert isinstance(found, Rankings)
    assert ("invalid", detail) == (found.status, found.detail)
