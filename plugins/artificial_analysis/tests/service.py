"""A service with invented models, in the shape of the one recorded page: what the tests of this plugin ask."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from capacity.ports import Clock, Document, Get, Send
from capacity.testing.servers import Answer, LoopbackServer, Request

AT = datetime(2026, 9, 20, 12, tzinfo=UTC)
SAMPLE = Path(__file__).parents[3] / "tests" / "samples" / "tiers" / "artificial-analysis" / "free_page.json"
REPLY: dict[str, Any] = json.loads(SAMPLE.read_bytes())
KEY = "aa-not-a-real-key"
PATHS = ("/api/v2/language/models/free", "/api/v2/language/models")


def model(number: int, name: str = "Model A (high)", **scores: Any) -> dict[str, Any]:
    """The model of the sample under another id and name."""
    made = copy.deepcopy(REPLY["data"][0])
    made |= {"id": f"{number:032x}", "name": name, "slug": f"model-{number}"}
    made["evaluations"] |= scores
    return made


def page(models: list[Any], number: int, size: int = 2) -> dict[str, Any]:
    """One page of the list."""
    pages = -(-len(models) // size)
    pagination = {"page": number, "page_size": size, "total_pages": pages, "has_more": number < pages}
    return {**REPLY, "pagination": pagination, "data": models[(number - 1) * size : number * size]}


class Service(LoopbackServer):
    """Answers whoever has the key; the pro list only where it is a pro key's.

    Attributes:
        models: all it has; two a page.
        pro: whether the key opens the pro list.
    """

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self.models: list[Any] = [model(number) for number in range(5)]
        self.pro = False

    def answer(self, request: Request) -> Answer:
        """As the service answers."""
        if request.headers.get("x-api-key") != KEY:
            return Answer(401, {"error": "Invalid API key"})
        if request.path not in PATHS:
            return super().answer(request)
        if request.path == PATHS[1] and not self.pro:
            return Answer(403, {"error": "Your plan does not include this endpoint"})
        return Answer(200, page(self.models, int(request.query.get("page", "1"))))


def healthy(request: Get | Send) -> Document:
    """The service in good health, without a server."""
    number = int(parse_qs(urlsplit(request.url).query)["page"][0])
    return Document(json.dumps(page([model(one) for one in range(5)], number)).encode(), AT, asked=PATHS[0], status=200)
