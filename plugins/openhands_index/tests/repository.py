"""A repository of results with invented scores, in the shape of the real one: what the tests of this plugin ask."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote, urlsplit

from capacity.ports import Clock, Document, Get, Send
from capacity.testing.servers import Answer, LoopbackServer, Request

AT = datetime(2026, 9, 20, 12, tzinfo=UTC)
NAME = "OpenHands/openhands-index-results"
BENCHMARKS = ("commit0", "gaia", "swe-bench", "swe-bench-multimodal", "swt-bench")
TREE = f"/repos/{NAME}/git/trees/main"
RAW = f"/{NAME}/main/"


def metadata(agent: str, model: str, **more: Any) -> dict[str, Any]:
    """Who ran."""
    about = {"agent_name": agent, "agent_version": "v1.8.3", "model": model, "directory_name": model}
    priced = {"release_date": "2026-05-04", "input_price": 2.0, "output_price": 12.0, "available": True}
    return {**about, "openness": "closed_api_available", "tool_usage": "standard", **priced, **more}


def score(benchmark: str, points: Any, **more: Any) -> dict[str, Any]:
    """What came out."""
    run = {"agent_version": "v1.8.4", "submission_time": "2026-06-04T18:50:59.913993+00:00"}
    return {"benchmark": benchmark, "score": points, "metric": "accuracy", "cost_per_instance": 1.47, **run, **more}


def results() -> dict[str, Any]:
    """Path → what the file holds: three entries, and files that are none of theirs."""
    entries = {
        "alternative_agents/acp-claude/loom-large-2": metadata("Claude Code", "loom-large-2"),
        "results/loom-large-2": metadata("OpenHands", "loom-large-2"),
        "results/Loom-Small-2": metadata("OpenHands", "Loom-Small-2"),
    }
    files: dict[str, Any] = {"README.md": "read me", "results/loom-large-2/instance_results/gaia.json": {}}
    for place, (folder, about) in enumerate(entries.items()):
        files[f"{folder}/metadata.json"] = about
        files[f"{folder}/scores.json"] = [score(name, 40.0 + place + at) for at, name in enumerate(BENCHMARKS)]
    return files


def tree(files: dict[str, Any], *, truncated: bool = False) -> dict[str, Any]:
    """The list of files, as the host of the repository tells it."""
    rows = [{"path": path, "mode": "100644", "type": "blob", "sha": f"{len(path):040x}", "size": 9} for path in files]
    return {"sha": "0" * 40, "url": "invented", "tree": rows, "truncated": truncated}


class Repository(LoopbackServer):
    """Lists and serves files.

    Attributes:
        files: path → what it holds, bytes as they are and anything else as JSON.
        listed: what the list holds; None = the files.
    """

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self.files = results()
        self.listed: dict[str, Any] | None = None

    def answer(self, request: Request) -> Answer:
        """The list, a file, or nothing."""
        path = unquote(request.path)
        if path == TREE:
            return Answer(200, self.listed or tree(self.files), {"etag": '"1"'})
        name = path.removeprefix(RAW)
        return Answer(200, self.files[name]) if name in self.files else Answer(404, b"404: Not Found")


def healthy(request: Get | Send) -> Document:
    """The repository in good health, without a server."""
    path = unquote(urlsplit(request.url).path)
    body = tree(results()) if path == TREE else results()[path.removeprefix(RAW)]
    return Document(json.dumps(body).encode(), AT, asked=path, status=200)
