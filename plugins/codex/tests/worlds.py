"""A world in which the program can be talked to: its server answers from the world's web and files, as the real one does."""

from __future__ import annotations

import json
from typing import Any

from capacity.errors import Refused, WireError
from capacity.ports import Document, Get, Send
from capacity.testing.flows import FakeWorld

from .documents import AT, SAMPLES

HOME = "~/somewhere"
FILE = f"{HOME}/auth.json"
LOGIN = (SAMPLES / "auth_chatgpt.json").read_bytes()
KEY = (SAMPLES / "auth_apikey.json").read_bytes()
VERSION = "0.147.0"
UNASKED = {"method": "account/rateLimits/updated", "params": {"rateLimits": {"primary": {"usedPercent": 99}}}}
ROUTES = {"account/rateLimits/read": "/backend-api/wham/usage", "model/list": "/backend-api/codex/models"}
FROM_PROGRAM = {"account/rateLimits/read": "appserver_rate_limits_read.json", "model/list": "appserver_model_list_page"}


def world(**parts: Any) -> FakeWorld:
    """A folder with a login, and nothing else, unless it is given."""
    return FakeWorld(AT, files={FILE: LOGIN, **parts.pop("files", {})}, **parts)


def talking(there: FakeWorld) -> FakeWorld:
    """The same world, with the program in it: it reads the login, and asks the web for what it is asked."""

    def talk(line: str) -> list[str]:
        frame = json.loads(line)
        if "id" not in frame:
            return []
        head = {"id": frame["id"]}
        if frame["method"] == "initialize":
            return [json.dumps({**head, "result": {"userAgent": f"capacity/{VERSION} (Linux)"}})]
        if FILE not in there.files:
            message = "codex account authentication required to read rate limits"
            return [json.dumps({**head, "error": {"code": -32600, "message": message}})]
        return [json.dumps(UNASKED), *_answer(there, frame, head)]

    there.talk = talk
    return there


def _answer(there: FakeWorld, frame: dict[str, Any], head: dict[str, Any]) -> list[str]:
    """What the service answered the program, as the program passes it on; garbage as it comes."""
    request = Get(f"https://program.invalid{ROUTES[frame['method']]}?{frame.get('params', {}).get('cursor', '')}")
    document = there.web(request) if there.web else Refused("service", "nothing listens there")
    if isinstance(document, WireError) or document.status == 429:
        return []  # of a wait the program tells nothing: how long to leave the service alone is the endpoint's to say
    if document.status != 200:
        message = (
            f"failed to fetch codex rate limits: GET {request.url} failed: {document.status} No; body={document.text}"
        )
        return [json.dumps({**head, "error": {"code": -32603, "message": message}})]
    try:
        return [json.dumps({**json.loads(document.body), **head})]
    except (ValueError, TypeError, RecursionError):
        return document.text.splitlines()


def service(request: Get | Send) -> Document:
    """Service and program in good health: the one's answers to us, the other's answers to its own questions."""
    path = "/" + request.url.partition("://")[2].partition("/")[2]
    name = "wham_usage_additional_spark.json"
    if request.url.startswith("https://program.invalid"):
        method = next(method for method, route in ROUTES.items() if path.startswith(route))
        pages = {"model/list": "2.json" if path.endswith("?2") else "1.json"}
        name = FROM_PROGRAM[method] + pages.get(method, "")
    return Document((SAMPLES / name).read_bytes(), AT, asked=path, status=200)
