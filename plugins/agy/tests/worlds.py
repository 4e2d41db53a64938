"""A world in which the command line is installed: it hands on what its service answers, and knows whether it is logged in."""

from __future__ import annotations

import json
from email.utils import parsedate_to_datetime
from typing import Any

from capacity.errors import WireError
from capacity.ports import Get, Run
from capacity.testing.flows import FakeWorld

from .documents import AT, body

TOKEN = "~/.gemini/antigravity-cli/antigravity-oauth-token"
JSON = ("--output-format", "json")
USAGE, MODELS = (*JSON, "--print", "/usage"), (*JSON, "models")
GOOD = {USAGE: body("print_usage_json.json"), MODELS: body("models_json.json")}
BUS = "unix:path=/run/user/0/sample-bus"


def logged_in(answers: dict[tuple[str, ...], Any] | None = None) -> FakeWorld:
    """A world with a login, whose command line answers each of these arguments with an exit code and a text."""
    world = FakeWorld(AT, files={TOKEN: body("oauth_token_file.json")}, environ={"DBUS_SESSION_BUS_ADDRESS": BUS})

    def program(run: Run) -> tuple[int, bytes] | WireError:
        if not any(path.endswith(TOKEN.removeprefix("~/")) for path in world.files):
            return -15, body("login_prompt.txt")
        if world.web is not None:
            return _handed_on(world, run)
        told = (answers or GOOD)[run.argv[1:]]
        return told if isinstance(told, tuple | WireError) else (0, told)

    world.program = program
    return world


def _handed_on(world: FakeWorld, run: Run) -> tuple[int, bytes] | WireError:
    """What the program prints of its service's answer: the text, or an envelope round its error."""
    answer = world.web(Get("https://service.invalid/" + run.argv[-1])) if world.web else None
    if answer is None or isinstance(answer, WireError):
        return answer or (0, b"")
    if answer.status == 200:
        return 0, answer.body
    header, date = answer.header("retry-after") or "0", answer.header("date")
    if date is not None:
        header = str((parsedate_to_datetime(header) - parsedate_to_datetime(date)).total_seconds())
    error = {"code": answer.status, "message": "no", "details": [{"retryDelay": f"{header}s"}]}
    return 1, envelope(error, run.argv[-1].removeprefix("/"))


def envelope(error: Any, name: str = "usage", **data: Any) -> bytes:
    """What the command line prints in JSON, with an error."""
    return json.dumps({"status": "ERROR", "error": error, "command": {"name": name, "data": data}}).encode()
