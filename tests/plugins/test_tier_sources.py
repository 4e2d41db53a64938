"""Every tier source against a server on this machine that speaks as the real one does, and against all that goes wrong.

What a fault of one answer must never do is look like scores: each has its own word, and what was good before stays.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import capacity_aider
import capacity_artificial_analysis
import capacity_harbor
import capacity_models_dev
import capacity_openhands_index
import pytest
from attrs import frozen

from capacity.core.tiering import standing
from capacity.errors import Refused, TooLarge
from capacity.ports import Rankings, TierSource
from capacity.testing.clocks import SettableClock
from capacity.testing.servers import Answer, CannedServer, LoopbackServer, Request
from capacity.testing.wire import Cassette, Host, Recorder, replay, run
from capacity.values.methods import Method
from plugins.artificial_analysis.tests import service
from plugins.harbor.tests import hub
from plugins.models_dev.tests import catalogue
from plugins.openhands_index.tests import repository

AT = datetime(2026, 11, 20, 12, tzinfo=UTC)
CLOCK = SettableClock(AT)
SAMPLES = Path(__file__).parents[1] / "samples" / "tiers"
BOARD = (SAMPLES / "aider" / "polyglot_leaderboard.yml").read_bytes()
KEY = "ARTIFICIAL_ANALYSIS_API_KEY"
PAGE = b"<!doctype html><html><head><title>Just a moment...</title></head><body>Checking your browser</body></html>"


@frozen
class Place:
    """One source, and the server it asks.

    Attributes:
        server: in good health.
        source: from the server's address to the source.
        first: path of its first question.
        halve: takes half of what the server has away.
        rows: how many scores it tells in good health.
    """

    server: LoopbackServer
    source: Callable[[str], TierSource]
    first: str
    halve: Callable[[], None]
    rows: int


def aider() -> Place:
    """Two leaderboards, the second of them asked after the first."""
    server = CannedServer(CLOCK)
    for name in ("polyglot", "edit"):
        server.say(f"/{name}_leaderboard.yml", BOARD)

    def halve() -> None:
        for name in ("polyglot", "edit"):
            server.say(f"/{name}_leaderboard.yml", BOARD[: BOARD.index(b"- dirname", len(BOARD) // 3)])

    return Place(
        server,
        lambda url: capacity_aider.tiers(base_url=url, boards=["polyglot", "edit"]),
        "/polyglot_leaderboard.yml",
        halve,
        132,
    )


def artificial_analysis() -> Place:
    """Three pages of two models."""
    server = service.Service(CLOCK)
    return Place(
        server,
        lambda url: capacity_artificial_analysis.tiers(base_url=f"{url}/api/v2"),
        service.PATHS[0],
        lambda: server.models.__delitem__(slice(2, None)),
        10,
    )


def harbor() -> Place:
    """Two leaderboards of three pages."""
    server = hub.Hub(CLOCK)

    def halve() -> None:
        server.rows = {name: rows[:2] for name, rows in server.rows.items()}

    return Place(
        server,
        lambda url: capacity_harbor.tiers(base_url=url, versions=["2.1", "4.0"]),
        "/functions/v1/leaderboard-read",
        halve,
        10,
    )


def models_dev() -> Place:
    """One file of 97 models."""
    server = CannedServer(CLOCK)
    server.say("/models.json", catalogue.served())

    def halve() -> None:
        models = catalogue.catalogue()
        server.say("/models.json", catalogue.served({id: models[id] for id in sorted(models)[:30]}))

    return Place(server, lambda url: capacity_models_dev.tiers(base_url=url), "/models.json", halve, 288)


def openhands_index() -> Place:
    """Three entries of two files."""
    server = repository.Repository(CLOCK)

    def halve() -> None:
        server.files = {path: held for path, held in server.files.items() if not path.startswith("results/")}

    return Place(
        server, lambda url: capacity_openhands_index.tiers(api_url=url, raw_url=url), repository.TREE, halve, 15
    )


PLACES = [aider, artificial_analysis, harbor, models_dev, openhands_index]


def asked(source: TierSource, recorder: Recorder | None = None, **environ: str) -> Rankings:
    """What a source tells over the real driver."""
    host = Host(clock=CLOCK, environ={KEY: service.KEY, **environ}, recorder=recorder)
    return run(source.rankings(), deadline=source.budget.deadline, host=host)


@pytest.fixture(params=PLACES, ids=[make.__name__ for make in PLACES])
def place(request: pytest.FixtureRequest) -> Any:
    """One source, and its server, listening."""
    made: Place = request.param()
    with made.server:
        yield made


def source(place: Place) -> TierSource:
    """The source of a place."""
    return place.source(place.server.url)


def test_in_good_health_it_tells_its_scores(place: Place) -> None:
    """Every row of every part, counted, with where they come from."""
    told = asked(source(place))

    assert ("fresh", place.rows) == (told.status, len(told.rows)), told.detail
    assert told.told == len(told.rows) + len(told.excluded) + told.failed
    assert AT == told.fetched_at
    assert all((told.licence, told.attribution, told.digest))


def test_what_was_recorded_tells_the_same_and_holds_no_key(place: Place) -> None:
    """A cassette is enough to read the answers again, and nothing in it opens anything."""
    recorder = Recorder()
    told = asked(source(place), recorder)
    tape = recorder.cassette.dumps()

    assert service.KEY not in tape + repr(told)
    assert told == replay(source(place).rankings(), Cassette.loads(tape).flow(0))


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (Answer(401, {"error": "Invalid API key"}), "unauthorised"),
        (Answer(403, {"error": "not in your plan"}), "forbidden-tier"),
        (Answer(403, {"message": "API rate limit exceeded"}, {"x-ratelimit-remaining": "0"}), "rate-limited"),
        (Answer(429, {"error": "too many requests"}), "rate-limited"),
        (Answer(404, PAGE, {"content-type": "text/html"}), "unreachable"),
        (Answer(410, {"error": "retired on 2026-11-04"}), "unreachable"),
        (Answer(503, PAGE, {"content-type": "text/html"}), "unreachable"),
        (Answer(200, PAGE, {"content-type": "text/html"}), "invalid"),
        (Answer(200, {"error": {"code": 429, "message": "Rate limit exceeded"}}), "invalid"),
        (Answer(200, b""), "invalid"),
        (Answer(200, b'{"data": [{"id": "1", "na'), "invalid"),
    ],
)
def test_each_fault_has_its_own_word(place: Place, answer: Answer, status: str) -> None:
    """No two of them are treated alike, no one of them is a score, and each is told in a sentence; it is asked once."""
    place.server.spoil(place.first, answer)
    told = asked(source(place))

    assert (status, ()) == (told.status, told.rows)
    assert told.detail
    assert told.source in told.detail
    assert 1 == place.server.times(place.first)


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"retry-after": "7200"}, timedelta(hours=2)),
        ({"x-ratelimit-reset": str(int((AT + timedelta(minutes=5)).timestamp()))}, timedelta(minutes=5)),
        ({"x-ratelimit-reset": "soon"}, timedelta(hours=1)),
        ({"x-ratelimit-reset": "9" * 10}, timedelta(days=1)),
        ({}, timedelta(hours=1)),
    ],
)
def test_a_refusal_for_now_says_until_when(place: Place, headers: dict[str, str], wait: timedelta) -> None:
    """Its own word where it has one, an hour where it has none, and never more than a day."""
    place.server.spoil(place.first, Answer(429, {"error": "too many"}, headers))

    assert AT + wait == asked(source(place)).retry_at


def test_a_host_that_is_gone_is_no_answer(place: Place) -> None:
    """What becomes of it is for whoever asked; nothing is made up meanwhile."""
    gone = source(place)
    place.server.close()

    with pytest.raises(Refused):
        asked(gone)


def test_an_endless_answer_is_not_read_to_its_end(place: Place) -> None:
    """Somebody else's body has a size, whatever the server thinks."""
    place.server.spoil(place.first, Answer(200, b"[" + b" " * (9 * 2**20) + b"]"))

    with pytest.raises(TooLarge):
        asked(source(place))


def test_half_of_the_rows_gone_is_invalid_and_the_last_good_ones_stay(place: Place) -> None:
    """A well-formed answer that lost its rows does not take the place of one that had them."""
    good = standing(None, asked(source(place)), Method())
    place.halve()
    stands = standing(good, asked(source(place)), Method())

    assert ("invalid", good.rows) == (stands.status, stands.rows)
    assert str(len(good.rows)) in (stands.detail or "")


def test_every_fault_leaves_the_last_good_rows(place: Place) -> None:
    """What went wrong is told, beside what was good before and since when."""
    good = standing(None, asked(source(place)), Method())
    for status in (401, 403, 429, 500):
        place.server.spoil(place.first, Answer(status, {}))
        stands = standing(good, asked(source(place)), Method())

        assert (good.rows, good.fetched_at, good.digest) == (stands.rows, stands.fetched_at, stands.digest)
        assert good.status != stands.status


@pytest.mark.parametrize("make", [artificial_analysis, harbor])
@pytest.mark.parametrize("fault", ["missing", "first again", "without rows", "an error"])
def test_a_later_page_that_is_none_spoils_the_whole(make: Callable[[], Place], fault: str) -> None:
    """Page 2 missing, page 1 instead of it, a page without its rows, an error in its place: never half a list."""
    place = make()
    with place.server:
        first = place.server.answer(_question(place))
        body = copy.deepcopy(first.body)
        body.pop("data" if "data" in body else "rows")
        answers = {
            "missing": Answer(404, PAGE),
            "first again": first,
            "without rows": Answer(200, body),
            "an error": Answer(200, {"error": {"message": "internal"}}),
        }
        place.server.spoil(place.first, first)
        place.server.spoil(place.first, answers[fault])
        told = asked(source(place))

    assert ("invalid", ()) == (told.status, told.rows)
    assert "page 2" in (told.detail or "")


def _question(place: Place) -> Request:
    """The first question, as the server sees it."""
    body = b'{"package": "p", "name": "main", "page": 1}'
    return Request(
        "POST" if "functions" in place.first else "GET", place.first, {"page": "1"}, {"x-api-key": service.KEY}, body
    )


def test_rows_that_the_pages_do_not_add_up_to_are_missed() -> None:
    """The hub counts its rows; fewer than that are not all of them."""
    place = harbor()
    with place.server:
        short = place.server.answer(_question(place))
        short.body["pagination"] |= {"total_pages": 1, "total": 200}
        place.server.spoil(place.first, short)
        told = asked(source(place))

    assert ("invalid", "harbor told 2 of 200 rows of version 2.1") == (told.status, told.detail)


@pytest.mark.parametrize("blank", ["", " \n"])
def test_a_blank_key_is_none(blank: str) -> None:
    """It is named, nobody is asked with it, and it is no error of the service."""
    place = artificial_analysis()
    with place.server:
        told = asked(source(place), **{KEY: blank})

    assert ("unconfigured", (KEY,), ()) == (told.status, told.missing, place.server.asked)


def test_a_key_of_another_plan_is_told_from_a_wrong_one() -> None:
    """403 for what the key does not open, 401 for what is no key, each with the variable to look at."""
    with service.Service(CLOCK) as server:
        pro = capacity_artificial_analysis.tiers(base_url=f"{server.url}/api/v2", plan="pro")
        forbidden, wrong = asked(pro), asked(pro, **{KEY: "another-key-altogether"})

    assert ("forbidden-tier", "unauthorised") == (forbidden.status, wrong.status)
    assert all(KEY in (told.detail or "") for told in (forbidden, wrong))


def test_the_same_rows_in_another_order_are_the_same_rows() -> None:
    """What a regenerated file changes is its digest, and nothing that is read from it."""
    models = catalogue.catalogue()
    turned = {id: {**models[id], "benchmarks": models[id]["benchmarks"][::-1]} for id in reversed(models)}
    told = []
    for body in (models, turned):
        with CannedServer(CLOCK) as server:
            server.say("/models.json", catalogue.served(body))
            told.append(asked(capacity_models_dev.tiers(base_url=server.url)))

    assert set(told[0].rows) == set(told[1].rows)
    assert told[0].digest != told[1].digest


def test_an_unchanged_answer_is_the_last_one_kept() -> None:
    """A 304 costs no rows: the host kept them, and they are as true as of now."""

    class Tagged(CannedServer):
        def answer(self, request: Request) -> Answer:
            told = super().answer(request)
            known = request.headers.get("if-none-match") == '"1"'
            return Answer(304, b"", {"etag": '"1"'}) if known else Answer(200, told.body, {"etag": '"1"'})

    host = Host(clock=CLOCK, environ={})
    with Tagged(CLOCK) as server:
        server.say("/models.json", catalogue.served())
        asks = capacity_models_dev.tiers(base_url=server.url)
        first, second = (run(asks.rankings(), deadline=timedelta(seconds=20), host=host) for _ in range(2))

    assert ("fresh", "cached") == (first.status, second.status)
    assert (first.rows, first.digest) == (second.rows, second.digest)


def test_a_list_of_files_that_is_cut_short_is_no_list() -> None:
    """The host of the repository says itself that it did not list everything."""
    with repository.Repository(CLOCK) as server:
        server.listed = repository.tree(server.files, truncated=True)
        told = asked(capacity_openhands_index.tiers(api_url=server.url, raw_url=server.url))

    assert ("invalid", ()) == (told.status, told.rows)


def test_a_file_that_was_listed_and_is_missing_spoils_the_whole() -> None:
    """An entry whose scores did not come is not an entry without scores."""
    with repository.Repository(CLOCK) as server:
        server.listed = repository.tree(server.files)
        del server.files["results/Loom-Small-2/scores.json"]
        told = asked(capacity_openhands_index.tiers(api_url=server.url, raw_url=server.url))

    assert ("invalid", ()) == (told.status, told.rows)
    assert "results/Loom-Small-2/scores.json" in (told.detail or "")
