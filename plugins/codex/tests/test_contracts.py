"""What every reader, prober and inventory source owes, held by these; the prober by each of its two live ways."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import pytest
from attrs import evolve
from capacity.ports import Document, InventorySource, Prober, Reader
from capacity.testing.children import Answers, Habit
from capacity.testing.contracts import Case, InventoryContract, ProberContract, ProgramContract, ReaderContract
from capacity.testing.flows import FakeWorld
from capacity_codex import inventory, prober, reader

from .documents import AT, recorded
from .worlds import HOME, LOGIN, UNASKED, VERSION, service, talking, world

SPARK = "gpt-5.3-codex-spark"
SCOPES = {
    "appserver_notification_updated.json": set(),
    "appserver_rate_limits_read.json": {SPARK, "reset-credits"},
    "appserver_session.jsonl": set(),
    "status_tui_left.txt": set(),
    "status_tui_plain_ansi.txt": {"credits"},
    "status_tui_spark.txt": {SPARK},
    "wham_usage_additional_spark.json": {SPARK, "credits"},
    "wham_usage_blocked_below_100.json": set(),
    "wham_usage_business_credits.json": set(),
    "wham_usage_limit_reached.json": set(),
    "wham_usage_model_unavailable.json": {"gpt-5.6"},
    "wham_usage_weekly_in_primary.json": set(),
    "wham_usage_workspace_depleted.json": {"individual_limit"},
}


def reviewed() -> Document:
    """An account with a limit on a product, of which something is used."""
    body: Any = recorded("wham_usage_plus.json").json()
    body["code_review_rate_limit"]["primary_window"]["used_percent"] = 3
    return Document(json.dumps(body).encode(), AT)


def evented() -> Document:
    """What the service says in the middle of a turn."""
    windows = {
        "primary": {"used_percent": 41.5, "window_minutes": 300, "reset_at": 1789912800},
        "secondary": {"used_percent": 63.0, "window_minutes": 10080, "reset_at": 1790265600},
    }
    event = {"type": "codex.rate_limits", "plan_type": "plus", "rate_limits": windows, "credits": None}
    return Document(json.dumps(event).encode(), AT)


class TestReader(ReaderContract):
    construct: ClassVar = "from capacity_codex import reader; reader()"

    @pytest.fixture
    def reader(self) -> Reader:
        return reader()

    @pytest.fixture
    def cases(self) -> Sequence[Case]:
        samples = [Case(recorded(name), frozenset(words)) for name, words in SCOPES.items()]
        asked = [
            Case(evolve(case.document, asked="/backend-api/wham/usage", status=200), case.scopes)
            for name, case in zip(SCOPES, samples, strict=True)
            if name.startswith("wham_")
        ]
        zoned = Case(recorded("status_tui_spark.txt", zone="Europe/Berlin"), frozenset({SPARK}))
        others = [Case(reviewed(), frozenset({"code-review"})), Case(evented()), zoned]
        return [*samples, *asked, *others, Case(recorded("auth_chatgpt.json"))]

    @pytest.fixture
    def throttled(self) -> Document:
        return Document(b'{"detail": "Too Many Requests"}', AT, asked="/backend-api/wham/usage", status=429)


class TestRollouts(ReaderContract):
    construct: ClassVar = "from capacity_codex import reader; reader()"
    excused: ClassVar = {
        "test_readings_are_told_of_when_they_arrived": "a session file tells of the times at which it was written"
    }

    @pytest.fixture
    def reader(self) -> Reader:
        return reader()

    @pytest.fixture
    def cases(self) -> Sequence[Case]:
        unscoped = ("rollout_old_relative.jsonl", "rollout_mid_iso.jsonl", "rollout_past_reset.jsonl")
        return [Case(recorded("rollout_new.jsonl"), frozenset({SPARK})), *(Case(recorded(name)) for name in unscoped)]

    @pytest.fixture
    def throttled(self) -> Document:
        message = "failed to fetch codex rate limits: GET /wham/usage failed: 429 Too Many Requests; body=no"
        return Document(json.dumps({"id": 2, "error": {"code": -32603, "message": message}}).encode(), AT)


class TestProgram(ProberContract):
    """The prober where the program is there to be asked."""

    construct: ClassVar = "from capacity_codex import prober; prober()"

    @pytest.fixture
    def prober(self) -> Prober:
        return prober(codex_home=HOME)

    @pytest.fixture
    def world(self) -> FakeWorld:
        return talking(world(web=service))


class TestEndpoint(ProberContract):
    """The prober where it is not."""

    construct: ClassVar = "from capacity_codex import prober; prober(command=['codex'], codex_home='~/elsewhere')"

    @pytest.fixture
    def prober(self) -> Prober:
        return prober(codex_home=HOME)

    @pytest.fixture
    def world(self) -> FakeWorld:
        return world(web=service)


class TestChild(ProgramContract):
    construct: ClassVar = "from capacity_codex import prober; prober()"

    @pytest.fixture
    def prober(self) -> Prober:
        return prober(base_url="http://127.0.0.1:9")

    @pytest.fixture
    def program(self) -> str:
        return "codex"

    @pytest.fixture
    def habits(self) -> Mapping[tuple[str, ...], Sequence[Habit]]:
        told = json.loads(recorded("appserver_rate_limits_read.json").body)["result"]
        server = Answers(
            {
                "initialize": [{"result": {"userAgent": f"capacity/{VERSION} (Linux)"}}],
                "account/rateLimits/read": [UNASKED, {"result": told}],
            }
        )
        return {("-s", "read-only", "-a", "never", "app-server"): (server,)}

    @pytest.fixture
    def files(self) -> Mapping[str, bytes]:
        return {".codex/auth.json": LOGIN}


class TestInventory(InventoryContract):
    construct: ClassVar = "from capacity_codex import inventory; inventory()"

    @pytest.fixture
    def inventory(self) -> InventorySource:
        return inventory(codex_home=HOME)

    @pytest.fixture
    def world(self) -> FakeWorld:
        return talking(world(web=service))
