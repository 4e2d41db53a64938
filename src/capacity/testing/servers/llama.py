"""A server that speaks like a llama.cpp router: models with their residency, slots of the resident ones.

As the real one it loads a model that is asked about unless it is told not to, wakes one whose slots are looked at, and
lets one go where it holds all it may: whoever is careless is found out by `loads`, `woken` and `evicted`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, Literal

from attrs import evolve, frozen

from capacity.ports import Clock
from capacity.testing.servers._loopback import WEB_PAGE, Answer, LoopbackServer, Request, epoch

Status = Literal["downloading", "downloaded", "unloaded", "loading", "loaded", "sleeping"]
LISTS = frozenset({"/models", "/v1/models"})
LOOKS = frozenset({"/metrics", "/props", "/slots"})
RUNNING = frozenset({"loading", "loaded", "sleeping"})


@frozen
class LlamaModel:
    """One model of the router.

    Attributes:
        id: what a request calls it.
        status: the wire's word for where it is.
        aliases: what a request may call it too.
        slots: how many requests it serves at a time.
        busy: how many slots are taken.
        context: tokens per slot.
        ready_at: while it is loading: when it will be loaded; None = it stays so.
        exit_code: what its child ended with; None = it did not end.
        metrics: whether it was started with `/metrics`.
    """

    id: str
    status: Status = "loaded"
    aliases: tuple[str, ...] = ()
    slots: int = 2
    busy: int = 0
    context: int = 32_768
    ready_at: datetime | None = None
    exit_code: int | None = None
    metrics: bool = False

    def at(self, now: datetime) -> LlamaModel:
        """The model as it is at an instant: loaded where its loading has ended."""
        done = self.status == "loading" and self.ready_at is not None and self.ready_at <= now
        return evolve(self, status="loaded", ready_at=None) if done else self


class LlamaServer(LoopbackServer):
    """A router and its models.

    Args:
        clock: what it takes for the present.
        models: what it lists.
        key: what it lets in; None = everybody.
        most: how many models it holds at a time; 0 = all of them.
        takes: how long one loads; None = until it is put otherwise.

    Attributes:
        key: the same.
        most: the same.
        takes: the same.
        loads: ids that were made to load, by being asked about or by a request to load; in order.
        woken: ids that were woken by having their slots looked at; in order.
        evicted: ids that were let go for another; in order.
    """

    def __init__(
        self, clock: Clock, models: Iterable[LlamaModel] = (), *, key: str | None = None, most: int = 0,
        takes: timedelta | None = None,
    ) -> None:  # fmt: skip  # what it is, each once
        super().__init__(clock)
        self.key, self.most, self.takes = key, most, takes
        self.loads: list[str] = []
        self.woken: list[str] = []
        self.evicted: list[str] = []
        self._models = {model.id: model for model in models}

    @property
    def models(self) -> tuple[LlamaModel, ...]:
        """What it lists, as it is at present."""
        with self._lock:
            now = self.clock.now()
            self._models = {id_: model.at(now) for id_, model in self._models.items()}
            return tuple(self._models.values())

    def put(self, model: LlamaModel) -> None:
        """List a model, in place of one of the same id."""
        with self._lock:
            self._models[model.id] = model

    def remove(self, id_: str) -> None:
        """List a model no more."""
        with self._lock:
            del self._models[id_]

    def load(self, id_: str, ready_at: datetime | None) -> None:
        """Begin to load a model, until an instant; None = until it is put otherwise."""
        with self._lock:
            self.loads.append(id_)
            self.put(evolve(self._models[id_], status="loading", ready_at=ready_at, exit_code=None))

    def throttle(self, times: int, retry_after: int | None = None) -> None:
        """Refuse the next so many questions for the list as too many, as a proxy before it would."""
        headers = {} if retry_after is None else {"retry-after": str(retry_after)}
        self.spoil("/models", Answer(429, b"Too Many Requests", headers), times)

    def break_shape(self, times: int, body: bytes = WEB_PAGE) -> None:
        """Answer the next so many questions for the list with something else, and status 200."""
        self.spoil("/models", Answer(200, body, {"content-type": "text/html"}), times)

    def answer(self, request: Request) -> Answer:
        """As a router answers."""
        if request.path == "/health":
            return Answer(200, {"status": "ok"})
        if self.key is not None and request.bearer() != self.key:
            return _error(401, "Invalid API Key", "authentication_error")
        if request.method == "POST":
            return self._changed(request)
        if request.path in LISTS:
            rows = [_row(model, self.clock.now()) for model in self.models]
            return Answer(200, {"object": "list", "data": rows})
        if request.path == "/props" and "model" not in request.query:
            told = {"role": "router", "max_instances": self.most, "models_autoload": True}
            return Answer(200, {**told, "default_generation_settings": {"n_ctx": 0}})
        return self._look(request) if request.path in LOOKS else _error(404, "File Not Found", "not_found_error")

    def _look(self, request: Request) -> Answer:
        """What one model says of itself; one that is not there is loaded for it, unless that was forbidden."""
        name = request.query.get("model")
        if not name:
            return _error(400, "model name is missing from the request")
        model = self._found(name)
        if model is None:
            return _error(400, f"model '{name}' not found")
        if model.status not in {"loaded", "sleeping"}:
            if request.query.get("autoload") == "false":
                return _error(400, "model is not loaded")
            if model.status == "loading":
                return _error(503, "Loading model", "unavailable_error")
            return self._loaded(model) or _error(503, "Loading model", "unavailable_error")
        return self._told(request.path, model)

    def _told(self, path: str, model: LlamaModel) -> Answer:
        if path == "/props":
            return Answer(200, _props(model))
        if path == "/metrics":
            text = f"llamacpp:requests_processing {model.busy}\nllamacpp:requests_deferred 0\n"
            plain = {"content-type": "text/plain; version=0.0.4"}
            return (
                Answer(200, text.encode(), plain)
                if model.metrics
                else _error(501, "metrics disabled", "not_supported_error")
            )
        if model.status == "sleeping":
            self.woken.append(model.id)
            self.put(evolve(model, status="loaded"))
        return Answer(200, [_slot(number, model) for number in range(model.slots)])

    def _changed(self, request: Request) -> Answer:
        """`/models/load` and `/models/unload`, which a router answers at once and carries out afterwards."""
        try:
            model = self._found(str(json.loads(request.body)["model"]))
        except (ValueError, KeyError, TypeError):
            return _error(400, "model name is missing from the request")
        running = model is not None and model.status in RUNNING
        if request.path == "/models/load" and model is not None and not running:
            return self._loaded(model) or Answer(200, {"success": True})
        if request.path == "/models/unload" and model is not None and running:
            self.put(evolve(model, status="unloaded"))
        elif request.path == "/models/load":
            return (
                _error(400, "model is already running")
                if model
                else _error(404, "model is not found", "not_found_error")
            )
        elif request.path == "/models/unload":
            return _error(400, "model is not running" if model else "model is not found")
        else:
            return _error(404, "File Not Found", "not_found_error")
        return Answer(200, {"success": True})

    def _loaded(self, model: LlamaModel) -> Answer | None:
        """Begin to load, letting go of what was loaded first where there is no room; what is loading itself stays."""
        running = [one for one in self.models if one.status in RUNNING]
        if self.most and len(running) >= self.most:
            idle = [one for one in running if one.status != "loading"]
            if not idle:
                return _error(500, "model limit reached, try again later", "server_error")
            oldest = min(idle, key=lambda one: self.loads.index(one.id) if one.id in self.loads else -1)
            self.evicted.append(oldest.id)
            self.put(evolve(oldest, status="unloaded"))
        self.load(model.id, None if self.takes is None else self.clock.now() + self.takes)
        return None

    def _found(self, name: str) -> LlamaModel | None:
        return next((model for model in self.models if name == model.id or name in model.aliases), None)


def _row(model: LlamaModel, now: datetime) -> dict[str, Any]:
    size = str(model.context * model.slots)
    args = ["llama-server", "--model", f"/models/{model.id}.gguf", "--ctx-size", size, "--parallel", str(model.slots)]
    ended = {} if model.exit_code is None else {"exit_code": model.exit_code, "failed": model.exit_code != 0}
    return {
        "id": model.id,
        "aliases": list(model.aliases),
        "tags": [],
        "object": "model",
        "owned_by": "llamacpp",
        "created": epoch(now),
        "status": {"value": model.status, "args": args, **ended},
        "architecture": {"input_modalities": ["text"], "output_modalities": ["text"]},
        "source": "preset",
        "can_remove": False,
    }


def _props(model: LlamaModel) -> dict[str, Any]:
    return {
        "default_generation_settings": {"id": 0, "n_ctx": model.context, "is_processing": model.busy > 0},
        "total_slots": model.slots,
        "model_alias": model.id,
        "modalities": {"vision": False, "audio": False},
        "chat_template_caps": {"supports_tool_calls": True},
        "is_sleeping": model.status == "sleeping",
        "endpoint_slots": True,
        "endpoint_metrics": model.metrics,
    }


def _slot(number: int, model: LlamaModel) -> dict[str, Any]:
    return {"id": number, "n_ctx": model.context, "speculative": False, "is_processing": number < model.busy}


def _error(status: int, message: str, kind: str = "invalid_request_error") -> Answer:
    return Answer(status, {"error": {"code": status, "message": message, "type": kind}})
