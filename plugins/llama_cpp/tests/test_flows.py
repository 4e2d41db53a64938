"""What is asked of a llama.cpp server, stepped by hand: every question, and nothing that changes anything."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

import pytest
from capacity.errors import NotFound, Refused, TimedOut, WireError
from capacity.ports import Document, Env, Get, Limit, Scope, Secret, Send
from capacity.testing.flows import FakeWorld, play
from capacity_llama_cpp import inventory, prober

AT = datetime(2026, 9, 20, 12, tzinfo=UTC)
KEY = "not-a-real-one"
SERVES = Limit("service", blocked=False)
ABOUT_BIG = "?model=org%2FBig&autoload=false"
SLOTS = [{"n_ctx": 4096, "is_processing": True}, {"n_ctx": 4096, "is_processing": False}]
METRICS = b"llamacpp:requests_processing 2\nllamacpp:requests_deferred 0\n"
LOADING = {"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}}


def row(id_: str, value: str, *args: str) -> dict[str, Any]:
    """A router's row."""
    return {"id": id_, "owned_by": "llamacpp", "status": {"value": value, "args": ["llama-server", *args]}}


def router(*rows: dict[str, Any]) -> dict[str, Any]:
    """A router's list."""
    return {"object": "list", "data": list(rows)}


def props(**more: Any) -> dict[str, Any]:
    """What a loaded model tells of itself."""
    return {"default_generation_settings": {"n_ctx": 4096}, "total_slots": 2, **more}


BIG = router(row("org/Big", "loaded"), row("small", "unloaded"))
SINGLE = {"object": "list", "data": [{"id": "/m/one.gguf", "owned_by": "llamacpp", "meta": {"n_ctx_train": 9}}]}


def world(answers: dict[str, Any], **environ: str) -> FakeWorld:
    """A world with one server: path and query → body, (status, body) or fault; anything else is 404."""

    def web(request: Get | Send) -> Document | WireError:
        url = urlsplit(request.url)
        asked = f"{url.path}?{url.query}".rstrip("?")
        answer = answers.get(asked, (404, {"error": {"code": 404}}))
        if isinstance(answer, WireError):
            return answer
        status, body = answer if isinstance(answer, tuple) else (200, answer)
        return Document(body if isinstance(body, bytes) else json.dumps(body).encode(), AT, asked=asked, status=status)

    return FakeWorld(AT, web=web, environ=environ)


def questions(here: FakeWorld) -> list[str]:
    """The paths and queries that were asked; anything but a Get fails."""
    asked = [effect for effect in here.asked if not isinstance(effect, Env)]
    assert all(type(effect) is Get for effect in asked)
    return [effect.url.removeprefix("http://127.0.0.1:8080") for effect in asked if isinstance(effect, Get)]


def probe(here: FakeWorld) -> Any:
    """The one reading of a probe in that world."""
    (reading,) = play(prober().probe(), here)
    return reading


def slots(free: int | None, total: int | None = 2, name: str = "slots:org/big") -> Limit:
    """The limit of the model `org/Big`."""
    left, cap = ({} if count is None else {"slots": Decimal(count)} for count in (free, total))
    return Limit(name, left=left, cap=cap, scope=Scope("model", "org/big"))


# --- a router ---------------------------------------------------------------------------------


def test_only_what_is_resident_is_asked_and_never_loaded() -> None:
    """A question about a model tells the router not to load it; what is not resident is not asked about at all."""
    rows = [row("small", value) for value in ("unloaded", "loading", "sleeping", "downloading", "downloaded")]
    here = world(
        {"/models": router(row("org/Big", "loaded"), *rows), f"/props{ABOUT_BIG}": props(), f"/slots{ABOUT_BIG}": SLOTS}
    )
    reading = probe(here)

    assert ["/models", f"/props{ABOUT_BIG}", f"/slots{ABOUT_BIG}"] == questions(here)
    assert ("", "ok", "server", None, (SERVES, slots(1))) == (
        reading.pool, reading.state, reading.source, reading.detail, reading.limits
    )  # fmt: skip  # one comparison, read as two rows


def test_metrics_are_asked_rather_than_slots() -> None:
    """Where `/metrics` is open it is asked: asking for `/slots` would wake the model, or keep it from falling asleep."""
    here = world({"/models": BIG, f"/props{ABOUT_BIG}": props(endpoint_metrics=True), f"/metrics{ABOUT_BIG}": METRICS})

    assert (SERVES, slots(0)) == probe(here).limits
    assert ["/models", f"/props{ABOUT_BIG}", f"/metrics{ABOUT_BIG}"] == questions(here)


def test_more_requests_than_slots_leave_none() -> None:
    """Nothing is left, and never less than nothing."""
    metrics = b"llamacpp:requests_processing 5\n"
    here = world({"/models": BIG, f"/props{ABOUT_BIG}": props(endpoint_metrics=True), f"/metrics{ABOUT_BIG}": metrics})

    assert slots(0) in probe(here).limits


@pytest.mark.parametrize(("seconds", "told"), [("600", False), ("-1", True), ("0", True)])
def test_a_model_that_dozes_off_is_not_kept_awake(seconds: str, told: bool) -> None:
    """One that was started to fall asleep when idle is not asked for its slots; what would help is said."""
    rows = router(row("org/Big", "loaded", "--sleep-idle-seconds", seconds))
    here = world({"/models": rows, f"/props{ABOUT_BIG}": props(), f"/slots{ABOUT_BIG}": SLOTS})
    reading = probe(here)

    assert told == (f"/slots{ABOUT_BIG}" in questions(here)) == (slots(1) in reading.limits)
    assert told != ("--metrics" in (reading.detail or ""))


def test_a_status_nobody_knows_is_told() -> None:
    """Such a model is neither served nor refused: the word is repeated for whoever looks, if it is one."""
    reading = probe(world({"/models": router(row("a", "warming-up"), row("b", "\x1b[2J"), row("c", "unloaded"))}))

    assert ("ok", (SERVES,)) == (reading.state, reading.limits)
    assert [
        "a: has the status 'warming-up', which is not known here, so nobody can tell whether it serves",
        "b: has no status, so nobody can tell whether it serves",
    ] == (reading.detail or "").split("; ")


def test_nothing_resident_still_serves() -> None:
    """A router with everything unloaded is up: what it could load can be judged."""
    reading = probe(world({"/models": router(row("small", "unloaded"))}))

    assert ("ok", (SERVES,)) == (reading.state, reading.limits)


@pytest.mark.parametrize("silent", ["props", "slots"])
def test_silence_about_slots_is_busy_and_not_down(silent: str) -> None:
    """The router answered, so it is up; how many slots are free is unknown, neither none nor all."""
    fault = TimedOut("/slots", "0.5 s")
    here = world(
        {"/models": BIG, f"/props{ABOUT_BIG}": props(), f"/slots{ABOUT_BIG}": SLOTS, f"/{silent}{ABOUT_BIG}": fault}
    )
    reading = probe(here)

    assert ("ok", (SERVES, slots(None, None if silent == "props" else 2))) == (reading.state, reading.limits)
    assert "org/Big" in (reading.detail or "")


@pytest.mark.parametrize("status", [400, 500, 501, 503])
def test_a_model_that_tells_no_slots_has_no_such_limit(status: int) -> None:
    """Slots that are switched off, or a model unloaded meanwhile: no figure is made up, and the reason is said."""
    here = world({"/models": BIG, f"/props{ABOUT_BIG}": props(), f"/slots{ABOUT_BIG}": (status, {"error": {}})})
    reading = probe(here)

    assert ("ok", (SERVES,)) == (reading.state, reading.limits)
    assert "org/Big" in (reading.detail or "")


def test_two_models_are_two_limits() -> None:
    """Each resident model has slots of its own."""
    about_b = "?model=b&autoload=false"
    here = world(
        {"/models": router(row("org/Big", "loaded"), row("b", "loaded")), f"/props{ABOUT_BIG}": props(), f"/props{about_b}": props(),
         f"/slots{ABOUT_BIG}": SLOTS, f"/slots{about_b}": SLOTS[1:]}
    )  # fmt: skip  # the answers, a row for each model

    assert ["service", "slots:b", "slots:org/big"] == [limit.name for limit in probe(here).limits]


# --- a single server --------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/models", "/v1/models"])
def test_a_single_servers_slots_bind_the_whole_pool(path: str) -> None:
    """One model, one set of slots, no scope; a server that only knows the OpenAI path is asked there."""
    here = world({path: SINGLE, "/props": props(), "/slots": SLOTS})
    reading = probe(here)

    assert (SERVES, Limit("slots", left={"slots": Decimal(1)}, cap={"slots": Decimal(2)})) == reading.limits
    assert ["/props", "/slots"] == questions(here)[-2:]


def test_a_sleeping_server_is_not_woken() -> None:
    """It says that it sleeps, so it is not asked for its slots; it serves all the same."""
    here = world({"/models": SINGLE, "/props": props(is_sleeping=True), "/slots": SLOTS})
    reading = probe(here)

    assert ("ok", (SERVES,), None) == (reading.state, reading.limits, reading.detail)
    assert ["/models", "/props"] == questions(here)


def test_a_server_that_loads_waits() -> None:
    """It answers 503 to everything meanwhile: neither serving nor refusing, and no list of models."""
    here = world({"/models": (503, LOADING)})
    (listing,) = play(inventory().listings(), here)

    assert ("ok", (Limit("service"),)) == (probe(here).state, probe(here).limits)
    assert ("unknown", ()) == (listing.authority, listing.models)


# --- what goes wrong --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        ((401, {}), "login-required"),
        ((429, {}), "throttled"),
        ((500, b"?"), "unreachable"),
        ((404, {}), "unrecognised"),
        ((400, {}), "unrecognised"),
        (b"<html>", "unrecognised"),
        ({"data": [{"id": "m", "owned_by": "someone"}]}, "unrecognised"),
    ],
)
def test_another_answer_than_a_list_is_a_state(answer: Any, state: str) -> None:
    """No limits are made of it, and no sample of models."""
    here = world({"/models": answer, "/v1/models": answer})
    (listing,) = play(inventory().listings(), here)

    assert (state, "server", ()) == (probe(here).state, probe(here).source, probe(here).limits)
    assert ("unknown", ()) == (listing.authority, listing.models)


def test_a_key_that_is_wanted_only_for_slots_is_wanted() -> None:
    """Some builds show the list without a key; whoever is then refused cannot serve either."""
    refused = (401, {"error": {"message": "Invalid API Key"}})
    here = world({"/models": BIG, f"/props{ABOUT_BIG}": refused, f"/slots{ABOUT_BIG}": refused})

    assert ("login-required", ()) == (probe(here).state, probe(here).limits)


@pytest.mark.parametrize("fault", [Refused("/models", "nobody listens"), TimedOut("/models", "1.5 s")])
def test_no_answer_at_all_is_left_to_whoever_runs_the_flow(fault: WireError) -> None:
    """A server that is down is not made into a state here: the fault goes on."""
    for flow in (prober().probe(), inventory().listings()):
        with pytest.raises(type(fault)):
            play(flow, world({"/models": fault}))


# --- keys and accounts ------------------------------------------------------------------------


def test_every_question_carries_the_key() -> None:
    """The server may want it for each; it is in nothing that can be printed."""
    here = world({"/models": BIG, f"/props{ABOUT_BIG}": props(), f"/slots{ABOUT_BIG}": SLOTS}, LL_KEY=KEY)
    readings = play(prober(credentials=Env("LL_KEY")).probe(), here)

    assert [Secret(KEY)] * 3 == [effect.bearer for effect in here.asked if isinstance(effect, Get)]
    assert KEY not in repr((here.asked, readings))


@pytest.mark.parametrize("environ", [{}, {"LL_KEY": " "}])
def test_a_named_key_that_is_missing_is_a_login_to_make(environ: dict[str, str]) -> None:
    """Nobody is asked without the key the policy names."""
    here = world({"/models": BIG}, **environ)
    (reading,) = play(prober(credentials=Env("LL_KEY")).probe(), here)

    assert ("login-required", AT, ()) == (reading.state, reading.observed_at, reading.limits)
    assert not [effect for effect in here.asked if isinstance(effect, Get)]
    with pytest.raises(NotFound):
        play(inventory(credentials=Env("LL_KEY")).listings(), here)


def test_account_is_the_address() -> None:
    """One address is one account, however it ends; it is made without any question."""
    here = FakeWorld(AT)
    marks = [play(prober(base_url=url).account(), here) for url in ("http://h:1", "http://H:1/v1/", "http://h:2")]

    assert marks[0] == marks[1] != marks[2]
    assert [] == here.asked


@pytest.mark.parametrize("url", ["127.0.0.1:8080", "unix:///s", "http://", "http://u:p4ss@h", "http://h?api_key=p4ss"])
def test_an_address_that_cannot_be_is_refused_without_repeating_it(url: str) -> None:
    """What is no plain address fails when the prober is made, and what it holds is not shown: it may be a key."""
    for factory in (prober, inventory):
        with pytest.raises(ValueError, match="base_url must be") as refused:
            factory(base_url=url)
        assert "p4ss" not in str(refused.value)


def test_budget_is_declared() -> None:
    """Five seconds at the least, fifteen usually, thirty while idle, three for all of it; each question less."""
    here = world({"/models": BIG, f"/props{ABOUT_BIG}": props(), f"/slots{ABOUT_BIG}": SLOTS})
    budget = prober().budget
    probe(here)

    assert [5, 15, 30, 3] == [
        span.total_seconds() for span in (budget.floor, budget.usual, budget.idle, budget.deadline)
    ]
    assert budget == inventory().budget
    assert budget.deadline >= sum((effect.timeout for effect in here.asked if isinstance(effect, Get)), timedelta(0))


# --- models -----------------------------------------------------------------------------------


def test_a_resident_model_tells_more_of_itself() -> None:
    """What only a loaded model knows is asked of it: tokens per slot, what it takes in, whether it calls tools."""
    told = props(modalities={"vision": True, "audio": False}, chat_template_caps={"supports_tool_calls": True})
    here = world({"/models": BIG, f"/props{ABOUT_BIG}": told})
    (listing,) = play(inventory().listings(), here)
    big, small = listing.models

    assert ("resident", 4096, ("image", "text"), True) == (big.residency, big.context, big.modalities, big.tools)
    assert ("loadable", None, None, None) == (small.residency, small.context, small.modalities, small.tools)
    assert ["/models", f"/props{ABOUT_BIG}"] == questions(here)


def test_a_template_without_tools_is_not_a_model_without() -> None:
    """The server may call tools through a generic template: it is not known, rather than not so."""
    here = world({"/models": BIG, f"/props{ABOUT_BIG}": props(chat_template_caps={"supports_tool_calls": False})})
    (listing,) = play(inventory().listings(), here)

    assert listing.models[0].tools is None


@pytest.mark.parametrize("answer", [TimedOut("/props", "0.5 s"), (500, {}), b"<html>"])
def test_a_model_that_tells_nothing_is_listed_all_the_same(answer: Any) -> None:
    """The list stands on its own."""
    (listing,) = play(inventory().listings(), world({"/models": BIG, f"/props{ABOUT_BIG}": answer}))

    assert ("authoritative", ["org/Big", "small"]) == (listing.authority, [model.id for model in listing.models])


def test_a_sleeping_single_server_sleeps() -> None:
    """Its list does not say so; its properties do."""
    (listing,) = play(inventory().listings(), world({"/models": SINGLE, "/props": props(is_sleeping=True)}))

    assert ["sleeping"] == [model.residency for model in listing.models]
