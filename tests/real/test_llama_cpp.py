"""The llama.cpp plugin against a server that nobody here wrote, with two models of random weights."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from capacity_llama_cpp import inventory, preparer, prober

from capacity.ports import Env, Key, Listing, Model, Outcome, Reading
from capacity.wire import Host, run

from .conftest import Serve
from .llama import PATIENCE, Server, children, held, until

pytestmark = pytest.mark.real

KEY = "not-a-real-one"


def probe(url: str, credentials: Key | None = None) -> Reading:
    """The reading of a server."""
    source = prober(base_url=url, credentials=credentials)
    (reading,) = run(source.probe(), deadline=source.budget.deadline, host=Host(environ={"LL_KEY": KEY}))
    return reading


def listing(url: str, credentials: Key | None = None) -> Listing:
    """The models of a server."""
    source = inventory(base_url=url, credentials=credentials)
    (told,) = run(source.listings(), deadline=source.budget.deadline, host=Host(environ={"LL_KEY": KEY}))
    return told


def prepare(url: str, model: str, credentials: Key | None = None) -> Outcome:
    """What becomes of a request to make a model ready."""
    flow = preparer(base_url=url, credentials=credentials).prepare(model)
    return run(flow, deadline=timedelta(seconds=PATIENCE), host=Host(environ={"LL_KEY": KEY}))


def residencies(url: str) -> dict[str, str | None]:
    """Model → where it is, as the plugin says."""
    return {model.id: model.residency for model in listing(url).models}


def slots(url: str) -> dict[str, tuple[object, object]]:
    """Limit → slots free and in all, as the plugin says."""
    return {limit.name: (limit.left.get("slots"), limit.cap.get("slots")) for limit in probe(url).limits}


def listed(server: Server) -> list[dict[str, Any]]:
    """The router's own list, but for the instant at which it was made."""
    return [{key: value for key, value in row.items() if key != "created"} for row in server.ask("/models")[1]["data"]]


def busy(server: Server, model: str) -> Thread:
    """A request that keeps one slot busy for about as long as the test runs; it ends with the server."""
    body = {"model": model, "prompt": "a", "n_predict": 100_000, "ignore_eos": True}

    def complete() -> None:
        try:
            server.ask("/completion", body)
        except OSError:
            return  # the server ended first

    thread = Thread(target=complete, daemon=True)
    thread.start()
    return thread


# --- a router ---------------------------------------------------------------------------------


def test_asking_loads_nothing(route: Serve) -> None:
    """Both models could be loaded, the server serves, and after any number of questions the list is what it was."""
    server = route()
    before = listed(server)
    for _ in range(3):
        assert {"tiny-a": "loadable", "tiny-b": "loadable"} == residencies(server.url)
        assert ("ok", ["service"]) == (probe(server.url).state, [limit.name for limit in probe(server.url).limits])

    assert before == listed(server)
    assert [] == children(server)


@pytest.mark.parametrize("figures", ["--metrics", "--slots"])
def test_asking_changes_nothing(route: Serve, figures: str) -> None:
    """With one model loaded and one not, the router says the same of both before and after it was asked everything."""
    server = route(figures)
    server.load("tiny-a")
    before, running = listed(server), children(server)
    for _ in range(3):
        probe(server.url)
        listing(server.url)

    assert before == listed(server)
    assert running == children(server)


@pytest.mark.parametrize("figures", ["--metrics", "--slots"])
def test_a_loaded_model_tells_its_slots(route: Serve, figures: str) -> None:
    """What was loaded is resident, the other loadable; a running request takes a slot, by either question."""
    server = route(figures)
    server.load("tiny-a")

    assert {"tiny-a": "resident", "tiny-b": "loadable"} == residencies(server.url)
    assert {"service": (None, None), "slots:tiny-a": (2, 2)} == slots(server.url)
    for _ in range(2):
        busy(server, "tiny-a")
    until(lambda: slots(server.url)["slots:tiny-a"] in {(1, 2), (0, 2)})
    assert {"tiny-a": "loaded", "tiny-b": "unloaded"} == server.statuses()


@pytest.mark.parametrize("figures", ["--metrics", "--slots"])
def test_every_slot_may_be_busy(route: Serve, figures: str) -> None:
    """Three real requests for two slots leave none, and never less; the server serves, and the model stays resident."""
    server = route(figures)
    server.load("tiny-a")
    for _ in range(3):
        busy(server, "tiny-a")
    until(lambda: slots(server.url)["slots:tiny-a"] == (0, 2))

    assert (None, None) == slots(server.url)["service"]
    assert {"tiny-a": "resident", "tiny-b": "loadable"} == residencies(server.url)


def test_a_model_that_was_unloaded_has_not_failed(route: Serve) -> None:
    """What somebody took out can be loaded again, whatever its process ended with."""
    server = route()
    server.load("tiny-a")
    assert (200, {"success": True}) == server.ask("/models/unload", {"model": "tiny-a"})
    until(lambda: server.statuses()["tiny-a"] == "unloaded")

    assert {"tiny-a": "loadable", "tiny-b": "loadable"} == residencies(server.url)
    assert ["service"] == [limit.name for limit in probe(server.url).limits]


def test_context_is_what_a_slot_has(route: Serve) -> None:
    """The list, the properties and the slots of a loaded model agree, and the plugin says the same."""
    server = route()
    server.load("tiny-b")
    about = "?model=tiny-b&autoload=false"
    row = next(row for row in server.ask("/models")[1]["data"] if row["id"] == "tiny-b")
    properties, told = server.ask(f"/props{about}")[1], server.ask(f"/slots{about}")[1]

    assert {1024} == {row["meta"]["n_ctx"], properties["default_generation_settings"]["n_ctx"], told[0]["n_ctx"]}
    assert {"tiny-a": 1024, "tiny-b": 1024} == {model.id: model.context for model in listing(server.url).models}


def test_loading_is_seen_and_waits(route: Serve) -> None:
    """While a model loads the plugin says so, counts no slots, and neither hurries nor stops it."""
    server = route("--ctx-size", "262144")  # half a second of loading: time enough to hold it
    server.ask("/models/load", {"model": "tiny-a"})
    with held(server):
        assert {"tiny-a": "loading", "tiny-b": "loadable"} == residencies(server.url)
        assert ("ok", ["service"]) == (probe(server.url).state, [limit.name for limit in probe(server.url).limits])

    until(lambda: residencies(server.url)["tiny-a"] == "resident")
    assert {"tiny-a": "loaded", "tiny-b": "unloaded"} == server.statuses()


def test_a_model_that_does_not_answer_is_busy(route: Serve) -> None:
    """The router is up and its model silent: the model stays resident, and how many slots are free is unknown."""
    server = route()
    server.load("tiny-a")
    with held(server):
        reading = probe(server.url)

        assert ("ok", ["service", "slots:tiny-a"]) == (reading.state, [limit.name for limit in reading.limits])
        assert {} == reading.limits[1].left
        assert "resident" == residencies(server.url)["tiny-a"]
    assert {"service": (None, None), "slots:tiny-a": (2, 2)} == slots(server.url)


def test_a_model_that_gives_way_is_loadable_again(route: Serve) -> None:
    """The router holds one: loading the other one moves both, and the slots go with it."""
    server = route()
    server.load("tiny-a")
    server.load("tiny-b")

    assert {"tiny-a": "loadable", "tiny-b": "resident"} == residencies(server.url)
    assert {"service", "slots:tiny-b"} == set(slots(server.url))


def test_a_model_that_cannot_start_has_failed(serve: Serve, tmp_path: Path) -> None:
    """A broken file is a model that could be loaded, with a cause; the router still serves."""
    (tmp_path / "broken.gguf").write_bytes(b"GGUF" + bytes(60))
    server = serve("--models-dir", str(tmp_path))
    server.ask("/models/load", {"model": "broken"})
    until(lambda: server.statuses() == {"broken": "unloaded"})

    assert {"broken": "failed"} == residencies(server.url)
    assert ["service"] == [limit.name for limit in probe(server.url).limits]


# --- made ready -------------------------------------------------------------------------------


def test_a_model_is_loaded_when_it_is_asked_for(route: Serve) -> None:
    """It serves when the request ends; once more changes nothing; the other one gives way where there is no room."""
    server = route("--metrics")

    assert ("applied", "") == told(prepare(server.url, "tiny-a"))
    assert {"tiny-a": "loaded", "tiny-b": "unloaded"} == server.statuses()
    assert ("unchanged", "") == told(prepare(server.url, "tiny-a"))
    assert ("applied", "tiny-a gave way to it") == told(prepare(server.url, "tiny-b"))
    assert {"tiny-a": "unloaded", "tiny-b": "loaded"} == server.statuses()


def test_a_model_nobody_lists_is_not_loaded(route: Serve) -> None:
    """The router is not even asked to."""
    server = route()

    assert "rejected" == prepare(server.url, "tiny-c").word
    assert {"tiny-a": "unloaded", "tiny-b": "unloaded"} == server.statuses()


def test_a_sleeping_model_is_ready(route: Serve) -> None:
    """It wakes for a request, so it is left asleep."""
    server = route("--sleep-idle-seconds", "1")
    server.load("tiny-a")
    until(lambda: server.statuses()["tiny-a"] == "sleeping")

    assert "unchanged" == prepare(server.url, "tiny-a").word
    assert "sleeping" == server.statuses()["tiny-a"]


def test_a_model_that_is_loading_already_is_waited_for(route: Serve) -> None:
    """Nothing is asked for twice; whoever asks for the other one meanwhile is told what is in the way."""
    server = route("--ctx-size", "262144")
    server.ask("/models/load", {"model": "tiny-a"})
    with held(server):
        assert ("conflict", "tiny-a is still loading, and the router holds 1 at most") == told(
            prepare(server.url, "tiny-b")
        )
        flow = preparer(base_url=server.url).prepare("tiny-a")
        early = run(flow, deadline=timedelta(seconds=2), host=Host(environ={}))

    assert ("applied-not-running", "it is still loading") == told(early)
    assert ("applied", "it was loading already") == told(prepare(server.url, "tiny-a"))


def test_a_model_that_cannot_be_loaded_says_so(serve: Serve, tmp_path: Path) -> None:
    """Also the second time, when the router still tells of the first."""
    (tmp_path / "broken.gguf").write_bytes(b"GGUF" + bytes(60))
    server = serve("--models-dir", str(tmp_path))
    for _ in range(2):
        assert "rejected" == prepare(server.url, "broken").word


def test_a_server_without_a_router_loads_nothing(serve: Serve, models: Path) -> None:
    """Its own model is there; it can have no other."""
    server = serve("--model", str(models / "tiny-a.gguf"))

    assert "unchanged" == prepare(server.url, "tiny-a").word
    assert ("rejected", "the server is no router: it has but the model it was started with") == told(
        prepare(server.url, "tiny-b")
    )


def test_a_server_with_a_key_loads_for_whoever_has_it(route: Serve) -> None:
    """Without it nobody is let in."""
    server = route("--api-key", KEY)

    assert "unauthorised" == prepare(server.url, "tiny-a").word
    assert "applied" == prepare(server.url, "tiny-a", Env("LL_KEY")).word


def told(outcome: Outcome) -> tuple[str, str]:
    """The word and what is said with it."""
    return outcome.word, outcome.detail


# --- sleep ------------------------------------------------------------------------------------


@pytest.mark.parametrize("figures", ["--metrics", "--slots"])
def test_asking_keeps_nothing_awake_and_wakes_nothing(route: Serve, figures: str) -> None:
    """A model that dozes off after a second does so while it is asked all the time, and then sleeps on."""
    server = route(figures, "--sleep-idle-seconds", "1")
    server.load("tiny-a")
    until(lambda: probe(server.url).state == "ok" and residencies(server.url)["tiny-a"] == "sleeping")
    for _ in range(3):
        assert ["service"] == [limit.name for limit in probe(server.url).limits]

    assert "sleeping" == server.statuses()["tiny-a"]


def test_asking_for_slots_would_wake_a_model(route: Serve) -> None:
    """Why the plugin does not: the server wakes a sleeping model to tell its slots, and not for the other questions."""
    server = route("--metrics", "--sleep-idle-seconds", "1")
    server.load("tiny-a")
    until(lambda: server.statuses()["tiny-a"] == "sleeping")
    server.ask("/props?model=tiny-a&autoload=false")
    assert "sleeping" == server.statuses()["tiny-a"]
    server.ask("/slots?model=tiny-a&autoload=false")
    assert "loaded" == server.statuses()["tiny-a"]


# --- other servers ----------------------------------------------------------------------------


def test_a_single_server_is_its_model(serve: Serve, models: Path) -> None:
    """One resident model under its path, its file's name and its stem; its slots bind the whole pool."""
    path = models / "tiny-a.gguf"
    server = serve("--model", str(path), "--ctx-size", "2048", "--parallel", "2")
    (model,) = listing(server.url).models

    assert (
        Model(
            str(path),
            names=frozenset({"tiny-a", "tiny-a.gguf"}),
            context=1024,
            modalities=("text",),
            residency="resident",
        )
        == model
    )
    assert {"service": (None, None), "slots": (2, 2)} == slots(server.url)


def test_a_single_server_that_sleeps_sleeps_on(serve: Serve, models: Path) -> None:
    """Its properties say that it sleeps; it is not asked further."""
    server = serve("--model", str(models / "tiny-a.gguf"), "--sleep-idle-seconds", "1")
    until(lambda: server.ask("/props")[1]["is_sleeping"])

    assert ["service"] == [limit.name for limit in probe(server.url).limits]
    assert ["sleeping"] == [model.residency for model in listing(server.url).models]
    assert server.ask("/props")[1]["is_sleeping"]


def test_slots_that_are_switched_off_are_not_made_up(route: Serve) -> None:
    """Neither slots nor metrics: the model is resident, the server serves, and how busy it is is not told."""
    server = route("--no-slots")
    server.load("tiny-a")
    reading = probe(server.url)

    assert ("ok", ["service"]) == (reading.state, [limit.name for limit in reading.limits])
    assert "tiny-a: does not tell its slots" in (reading.detail or "")


def test_a_server_with_a_key_wants_it(route: Serve) -> None:
    """Without the key nothing is told but that one is wanted; with it all of it."""
    server = route("--api-key", KEY)

    assert ("login-required", ()) == (probe(server.url).state, probe(server.url).limits)
    assert "unknown" == listing(server.url).authority
    assert ("ok", "authoritative") == (
        probe(server.url, Env("LL_KEY")).state,
        listing(server.url, Env("LL_KEY")).authority,
    )
    assert {"tiny-a", "tiny-b"} == {model.id for model in listing(server.url, Env("LL_KEY")).models}
