"""llama.cpp's bodies as plain values, whichever build wrote them. What is missing or of another type is None.

`rows`, `props`, `slots` and `metrics` each give None for an answer of another kind. Nothing here knows limits or
listings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any
from urllib.parse import quote, urlencode

from attrs import field, frozen
from capacity.ports import DOCUMENT_CAP, Document, Residency

RESIDENCIES: Mapping[str, Residency] = {
    "loaded": "resident",
    "sleeping": "sleeping",
    "loading": "loading",
    "unloaded": "loadable",
    "downloaded": "loadable",
    "downloading": "absent",
}

_INPUTS: Mapping[str, str] = {"vision": "image", "audio": "audio", "video": "video"}
_SAMPLE = re.compile(rb"^llamacpp:\w+(?:\{[^}\n]*\})? \S", re.MULTILINE)
_REQUESTS = re.compile(
    r"^llamacpp:requests_(processing|deferred)(?:\{[^}\n]*\})? ([0-9]{1,9})(?:\.0+)?\s*$", re.MULTILINE
)


@frozen
class Answer:
    """A document, parsed once: an answer may have megabytes, and is held against several shapes.

    Attributes:
        doc: the document.
        tree: its body as JSON; None where it is none, too deep or too large.
    """

    doc: Document
    tree: Any = field(repr=False)

    @property
    def good(self) -> bool:
        """Whether it is no error, as far as is known."""
        return self.doc.status in {None, 200}

    def answers(self, *paths: str) -> bool:
        """Whether it is known to answer one of these paths."""
        return (self.doc.asked or "").partition("?")[0].endswith(paths)


@frozen
class Row:
    """One model of a list.

    Attributes:
        id: what a request calls it.
        aliases: what a request may call it too.
        routed: a router told of it, so that questions about it must name it.
        residency: where it is; None = the router's word for it is not known here.
        status: that word, where it is a short one; None = none was told.
        context: tokens per slot; None = not told.
        modalities: what it takes in; None = not told.
        dozes: it was started to fall asleep when idle.
    """

    id: str
    aliases: tuple[str, ...] = ()
    routed: bool = False
    residency: Residency | None = "resident"
    status: str | None = None
    context: int | None = None
    modalities: tuple[str, ...] | None = None
    dozes: bool = False

    @property
    def query(self) -> str:
        """What a question about it must end in, so that a router neither misses it nor loads it."""
        return "?" + urlencode({"model": self.id, "autoload": "false"}, quote_via=quote) if self.routed else ""


@frozen
class Rows:
    """A list of models.

    Attributes:
        rows: those that could be read, one per id, in their order.
        whole: whether every one could be read.
    """

    rows: tuple[Row, ...]
    whole: bool


@frozen
class Props:
    """What `/props` tells of a server, or of one model of a router.

    Attributes:
        router: it speaks of the router itself, whose figures are dummies.
        slots: how many slots there are in all.
        context: tokens per slot.
        modalities: what the model takes in.
        tools: True where its template calls tools; never False, since a generic template may.
        sleeping: it sleeps until the next request.
        metrics: whether `/metrics` is open.
        instances: how many models a router holds at most; 0 = as many as it likes, None = not told.
    """

    router: bool = False
    slots: int | None = None
    context: int | None = None
    modalities: tuple[str, ...] | None = None
    tools: bool | None = None
    sleeping: bool = False
    metrics: bool = False
    instances: int | None = None


@frozen
class Metrics:
    """What `/metrics` tells of requests; None = not told."""

    processing: int | None
    deferred: int | None


def mapping(value: Any) -> dict[str, Any]:
    """The value where it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def answer(doc: Document) -> Answer:
    """The document, parsed."""
    try:
        return Answer(doc, doc.json())
    except ValueError:
        return Answer(doc, None)


def rows(given: Answer) -> Rows | None:
    """A list of models: one with a row that llama.cpp owns or a router's status, or an empty one that answers `/models`.

    Others serve lists of the same form without saying what is resident; theirs are not taken for ours.
    """
    listed = mapping(given.tree).get("data")
    if not given.good or not isinstance(listed, list):
        return None
    told = [mapping(row) for row in listed]
    ours = any(row.get("owned_by") == "llamacpp" or "status" in row for row in told)
    if not (ours if told else given.answers("/models")):
        return None
    read = [_row(row) for row in told if isinstance(row.get("id"), str) and row["id"].strip()]
    return Rows(tuple({row.id: row for row in read}.values()), len(read) == len(listed))


def _row(told: Mapping[str, Any]) -> Row:
    meta, args = mapping(told.get("meta")), _words(mapping(told.get("status")).get("args")) or ()
    return Row(
        told["id"],
        aliases=_words(told.get("aliases")) or (),
        routed="status" in told,
        residency=_residency(told),
        status=_status(told),
        context=_whole(meta.get("n_ctx")) or _commanded(args, _whole(meta.get("n_ctx_train"))),
        modalities=_words(mapping(told.get("architecture")).get("input_modalities")),
        dozes=bool(_whole(_option(args, "--sleep-idle-seconds"))),
    )


def _residency(told: Mapping[str, Any]) -> Residency | None:
    """Without a status the server has but this model, and `meta` is null until it is loaded."""
    if "status" not in told:
        return "loading" if told.get("meta", ...) is None else "resident"
    residency = RESIDENCIES.get(_status(told) or "")
    return "failed" if residency == "loadable" and _failed(mapping(told["status"])) else residency


def _status(told: Mapping[str, Any]) -> str | None:
    """The router's word for where a model is; the first routers said it without a table round it."""
    status = told.get("status")
    value = status if isinstance(status, str) else mapping(status).get("value")
    return value if isinstance(value, str) and re.fullmatch(r"[\w -]{1,32}", value) else None


def _failed(status: Mapping[str, Any]) -> bool:
    """A hint and no more: some builds say it too of what was never started, or was unloaded on request."""
    code = status.get("exit_code")
    return status.get("failed") is True or (isinstance(code, int) and code != 0)


def _commanded(args: tuple[str, ...], trained: int | None) -> int | None:
    """Tokens per slot as the command line divides them, where it says both; the server caps them at what was trained.

    A unified cache is not divided, so a command line with one says nothing here.
    """
    size, slots = _whole(_option(args, "--ctx-size", "-c")), _whole(_option(args, "--parallel", "-np"))
    if not size or not slots or any(word.startswith(("--kv-unified", "-kvu")) for word in args):
        return None
    return min(size // slots, trained or size)


def _option(args: tuple[str, ...], *names: str) -> str | None:
    """The word behind one of these options."""
    return next((value for name, value in pairwise(args) if name in names), None)


def _words(value: Any) -> tuple[str, ...] | None:
    """The texts of a list; None where it is no list."""
    return tuple(word for word in value if isinstance(word, str)) if isinstance(value, list) else None


def _whole(value: Any) -> int | None:
    """A whole number from 0 up, also where it came as text; None for anything else."""
    if isinstance(value, str) and re.fullmatch("[0-9]{1,12}", value):
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def props(given: Answer) -> Props | None:
    """What `/props` says."""
    told = mapping(given.tree) if given.good else {}
    settings = mapping(told.get("default_generation_settings"))
    if told.get("role") == "router":
        return Props(router=True, instances=_whole(told.get("max_instances")))
    if "total_slots" not in told and not settings:
        return None
    return Props(
        slots=_whole(told.get("total_slots")) or None,
        context=_whole(settings.get("n_ctx")) or None,
        modalities=_inputs(told.get("modalities")),
        tools=mapping(told.get("chat_template_caps")).get("supports_tool_calls") is True or None,
        sleeping=told.get("is_sleeping") is True,
        metrics=told.get("endpoint_metrics") is True,
    )


def _inputs(told: Any) -> tuple[str, ...] | None:
    """Text, and each kind that is true."""
    if not isinstance(told, dict):
        return None
    return ("text", *(word for key, word in _INPUTS.items() if told.get(key) is True))


def slots(given: Answer) -> tuple[bool | None, ...] | None:
    """For each slot whether it is busy, None where that cannot be read; None in all where this is no list of slots."""
    told = given.tree if given.good and isinstance(given.tree, list) else []
    if not told or not all(isinstance(slot, dict) and "n_ctx" in slot for slot in told):
        return None
    return tuple(_busy(slot) for slot in told)


def _busy(slot: Mapping[str, Any]) -> bool | None:
    """`is_processing`; until late 2024 it was `state`, 0 or 1."""
    told = slot.get("is_processing", slot.get("state"))
    return bool(told) if isinstance(told, int) and told in {0, 1} else None


def metrics(given: Answer) -> Metrics | None:
    """What `/metrics` says of requests."""
    body = given.doc.body
    if not given.good or len(body) > DOCUMENT_CAP or not _SAMPLE.search(body):
        return None
    told = {name: int(count) for name, count in _REQUESTS.findall(given.doc.text)}
    return Metrics(told.get("processing"), told.get("deferred"))
