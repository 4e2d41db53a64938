"""A hub with invented entries, in the shape of the one recorded reply: what the tests of this plugin ask."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from capacity.ports import Clock, Document, Get, Send
from capacity.testing.servers import Answer, LoopbackServer, Request

AT = datetime(2026, 10, 20, 12, tzinfo=UTC)
SAMPLE = Path(__file__).parents[3] / "tests" / "samples" / "tiers" / "harbor" / "leaderboard_read.json"
REPLY: dict[str, Any] = json.loads(SAMPLE.read_bytes())
NAMES = {"2.0": "2-0", "2.1": "main", "3.0": "3-0-0", "4.0": "4-0-0"}


def entry(number: int, **metrics: Any) -> dict[str, Any]:
    """The displayed row of the sample under another id, with some of its figures changed."""
    row = copy.deepcopy(REPLY["rows"][0])
    row["id"] = f"e{number}"
    row["metrics"] |= {"accuracy": 80.0 - number, **metrics}
    return row


def page(name: str, rows: list[Any], number: int = 1, size: int = 100) -> dict[str, Any]:
    """One page of a leaderboard, as the hub tells it."""
    told = rows[(number - 1) * size : number * size]
    pages = max(1, -(-len(rows) // size))
    pagination = {"total": len(rows), "page": number, "page_size": size, "total_pages": pages}
    return {**REPLY, "leaderboard": {**REPLY["leaderboard"], "name": name}, "rows": told, "pagination": pagination}


class Hub(LoopbackServer):
    """Answers the one question the hub is asked; two rows a page.

    Attributes:
        rows: name of a leaderboard → its rows.
    """

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self.rows: dict[str, list[Any]] = {name: [entry(number) for number in range(5)] for name in NAMES.values()}
        self.questions: list[dict[str, Any]] = []

    def answer(self, request: Request) -> Answer:
        """The page that was asked for; nothing but a POST to the one path is answered."""
        if (request.method, request.path) != ("POST", "/functions/v1/leaderboard-read"):
            return super().answer(request)
        asked = json.loads(request.body)
        self.questions.append(asked)
        return Answer(200, page(asked["name"], self.rows[asked["name"]], asked.get("page", 1), 2))


def healthy(request: Get | Send) -> Document:
    """The hub in good health, without a server."""
    asked = request.body
    rows = [entry(number) for number in range(5)]
    body = json.dumps(page(asked["name"], rows, asked["page"], 2)).encode()
    return Document(body, AT, asked="/functions/v1/leaderboard-read", status=200)
