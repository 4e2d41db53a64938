"""Loading a model on request, stepped by hand: one request at most, then looks until it is there or is not going to be."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import pytest
from capacity.errors import NotFound, Refused, TimedOut, WireError
from capacity.ports import Document, Effect, Env, Get, Outcome, Pause, Secret, Send
from capacity.testing.flows import FakeWorld, play
from capacity_llama_cpp import preparer

AT = datetime(2026, 9, 20, 12, tzinfo=UTC)
KEY = "not-a-real-one"
ERROR = {"error": {"code": 400, "message": "model is already running"}}
LIMIT = {"error": {"code": 500, "message": "model limit reached, try again later"}}
STRANGE = {"error": {"code": 500, "message": "\x1b[2Jgone"}}
OK = (200, {"success": True})


def row(id_: str, value: Any, **more: Any) -> dict[str, Any]:
    """A router's row."""
    return {"id": id_, "owned_by": "llamacpp", "status": {"value": value, **more}, "aliases": [f"{id_}-alias"]}


def router(*looks: Any, load: Any = OK, most: Any = 0, **environ: str) -> FakeWorld:
    """A router whose list is these answers, one after another, the last for ever: rows, (status, body), or a fault."""
    told = list(looks)

    def web(request: Get | Send) -> Document | WireError:
        path = urlsplit(request.url).path
        answer: Any = load if path == "/models/load" else (200, {"role": "router", "max_instances": most})
        if path == "/models":
            answer = told.pop(0) if len(told) > 1 else told[0]
        if isinstance(answer, list):
            answer = (200, {"data": answer})
        if isinstance(answer, WireError):
            return answer
        return Document(json.dumps(answer[1]).encode(), AT, asked=path, status=answer[0])

    return FakeWorld(AT, web=web, environ=environ)


def prepared(world: Any, model: str = "m") -> tuple[str, str]:
    """What becomes of a request, and what is said with it."""
    outcome: Outcome = play(preparer().prepare(model), world)
    return outcome.word, outcome.detail


def sent(asked: Sequence[Effect[Any]]) -> list[Any]:
    """What was sent."""
    return [(effect.method, urlsplit(effect.url).path, effect.body) for effect in asked if isinstance(effect, Send)]


def test_it_loads_once_and_looks_until_it_is_there() -> None:
    """One request names the id, whatever name was asked for; then the list is looked at."""
    loading = [row("m", "loading")]
    here = router([row("m", "unloaded")], loading, loading, [row("m", "loaded")])

    assert ("applied", "") == prepared(here, "M-ALIAS")
    assert [("POST", "/models/load", {"model": "m"})] == sent(here.asked)
    assert 3 == len([effect for effect in here.asked if isinstance(effect, Pause)])


@pytest.mark.parametrize(("value", "detail"), [("loaded", ""), ("sleeping", "it sleeps, and wakes for a request")])
def test_what_serves_is_left_alone(value: str, detail: str) -> None:
    """Nothing is sent, nothing is woken."""
    here = router([row("m", value)])

    assert ("unchanged", detail) == prepared(here)
    assert 1 == len(here.asked)


@pytest.mark.parametrize("value", ["unloaded", "downloaded", "warming-up", None])
def test_what_might_be_loaded_is_asked_for(value: str | None) -> None:
    """Also where the router's word for it is not known: it may say no."""
    assert ("applied", "") == prepared(router([row("m", value)], [row("m", "loaded")]))


def test_a_failed_start_is_tried_again() -> None:
    """That it failed once is a hint and no more."""
    failed = row("m", "unloaded", exit_code=1, failed=True)

    assert ("applied", "") == prepared(router([failed], [row("m", "loading")], [row("m", "loaded")]))
    assert ("rejected", "the router could not load m; its log tells why") == prepared(router([failed]))


def test_what_loads_already_is_waited_for() -> None:
    """Nothing is asked for twice."""
    here = router([row("m", "loading")], [row("m", "loaded")])

    assert ("applied", "it was loading already") == prepared(here)
    assert [] == sent(here.asked)


def test_who_gave_way_is_told() -> None:
    """An operator learns whom the model pushed out."""
    before = [row("m", "unloaded"), row("b", "loaded"), row("a", "sleeping"), row("c", "loaded")]
    after = [row("m", "loaded"), row("b", "unloaded"), row("a", "unloaded"), row("c", "loaded")]

    assert ("applied", "a, b gave way to it") == prepared(router(before, after))


@pytest.mark.parametrize(("most", "word"), [(1, "conflict"), (2, "applied"), (0, "applied"), (None, "applied")])
def test_one_that_loads_is_not_pushed_out(most: int | None, word: str) -> None:
    """Where the router holds all it may and one of those still loads, nothing is asked of it."""
    here = router([row("m", "unloaded"), row("b", "loading")], [row("m", "loaded")], most=most)

    assert word == prepared(here)[0]
    assert (word == "applied") == bool(sent(here.asked))


@pytest.mark.parametrize(
    ("rows", "word", "said"),
    [
        ([row("x", "loaded")], "rejected", "the router lists no model 'm', or several that answer to it"),
        ([row("m", "downloading")], "rejected", "m is still being downloaded"),
        ([{"id": "/d/m.gguf", "owned_by": "llamacpp"}], "unchanged", ""),
        ([{"id": "/d/x.gguf", "owned_by": "llamacpp"}], "rejected", "the server is no router"),
        ([{"id": "m", "owned_by": "llamacpp", "meta": None}], "rejected", "the server is no router"),
    ],
)
def test_what_cannot_be_loaded_is_not_asked_for(rows: list[Any], word: str, said: str) -> None:
    """No such model, one that is not there yet, or a server that has but one."""
    here = router(rows)
    outcome = prepared(here)

    assert word == outcome[0]
    assert outcome[1].startswith(said)
    assert [] == sent(here.asked)


def test_a_name_that_two_answer_to_is_nobodys() -> None:
    """Neither is guessed; the very id always counts."""
    twins = [row("a", "loaded"), row("b", "loaded")]
    twins[0]["aliases"] = twins[1]["aliases"] = ["m"]

    assert "rejected" == prepared(router(twins))[0]
    assert "unchanged" == prepared(router([*twins, row("m", "loaded")]))[0]


@pytest.mark.parametrize(
    ("answer", "word", "said"),
    [
        ((401, {}), "unauthorised", "the server wants a valid API key"),
        ((503, {"error": {"message": "Loading model"}}), "conflict", "the server is still loading the model"),
        ((500, {}), "rejected", "the server answered HTTP 500 without a list of models"),
        ((200, {"data": [{"id": "m", "owned_by": "someone"}]}), "rejected", "the server answered HTTP 200 without"),
    ],
)
def test_without_a_list_nothing_is_asked_for(answer: Any, word: str, said: str) -> None:
    """What the server holds is not known, so nothing is loaded."""
    here = router(answer)
    outcome = prepared(here)

    assert word == outcome[0]
    assert outcome[1].startswith(said)
    assert [] == sent(here.asked)


@pytest.mark.parametrize(
    ("load", "word", "said"),
    [
        ((400, ERROR), "applied", ""),
        ((404, {"error": {"message": "model is not found"}}), "rejected", "HTTP 404, 'model is not found'"),
        ((500, LIMIT), "rejected", "HTTP 500, 'model limit reached, try again later'"),
        ((500, STRANGE), "rejected", "the router does not load m: HTTP 500"),
        ((401, {}), "unauthorised", "the server wants a valid API key"),
    ],
)
def test_a_refusal_to_load_is_told(load: Any, word: str, said: str) -> None:
    """In the router's words, where a terminal can bear them; that it runs by now is no refusal."""
    outcome = prepared(router([row("m", "unloaded")], [row("m", "loaded")], load=load))

    assert word == outcome[0]
    assert outcome[1].endswith(said)


@pytest.mark.parametrize(
    ("later", "word", "said"),
    [
        ([row("m", "unloaded")], "conflict", "m was unloaded again while it loaded"),
        ([row("b", "loaded")], "conflict", "the router lists m no more"),
        ([row("m", "loading")], "applied-not-running", "it is still loading"),
        ([row("m", "odd")], "unverified", "the router says 'odd' of it, which is not known here"),
        (TimedOut("/models", "1.5 s"), "applied-not-running", "it is still loading"),
        ((500, {}), "applied-not-running", "it is still loading"),
    ],
)
def test_what_does_not_get_ready_is_left_at_what_is_known(later: Any, word: str, said: str) -> None:
    """After five minutes of looks, or as soon as it is certain. A look that fails says nothing: loading keeps it busy."""
    assert (word, said) == prepared(router([row("m", "unloaded")], later))


def test_a_deadline_ends_the_looking_and_not_the_loading() -> None:
    """When the host refuses every further effect, what is known is told."""
    here = router([row("m", "unloaded")], [row("m", "loading")])

    def late(effect: Effect[Any]) -> Any:
        if isinstance(effect, Pause):
            raise TimedOut("pause", "the flow's deadline has passed")
        return here(effect)

    assert ("applied-not-running", "it is still loading") == prepared(late)


@pytest.mark.parametrize("fault", [Refused("/models", "nobody listens"), TimedOut("/models", "1.5 s")])
def test_no_answer_at_all_is_left_to_whoever_runs_the_flow(fault: WireError) -> None:
    """Nothing was asked for, and the host says so."""
    with pytest.raises(type(fault)):
        prepared(router(fault))


def test_every_request_carries_the_key() -> None:
    """It is in nothing that can be printed; where it is missing nobody is asked."""
    here = router([row("m", "unloaded"), row("b", "loading")], [row("m", "loaded")], LL_KEY=KEY)
    play(preparer(credentials=Env("LL_KEY")).prepare("m"), here)

    assert {Secret(KEY)} == {effect.bearer for effect in here.asked if isinstance(effect, Get | Send)}
    assert KEY not in repr(here.asked)
    with pytest.raises(NotFound):
        play(preparer(credentials=Env("OTHER")).prepare("m"), router([row("m", "unloaded")]))
