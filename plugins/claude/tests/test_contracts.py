"""What every reader, prober and inventory source owes, held by these three."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import ClassVar

import pytest
from capacity.ports import Document, Get, InventorySource, Prober, Reader, Send
from capacity.testing.contracts import Case, InventoryContract, ProberContract, ReaderContract
from capacity.testing.flows import FakeWorld
from capacity_claude import inventory, prober, reader

from .documents import AT, SAMPLES, recorded

FOLDER = "~/somewhere"
FILES = {
    f"{FOLDER}/.credentials.json": (SAMPLES / "credentials.json").read_bytes(),
    f"{FOLDER}/.claude.json": b'{"oauthAccount": {"accountUuid": "00000000-0000-4000-8000-00000000000a"}}',
}
RESET = int(AT.timestamp()) + 3600
WINDOWS = {
    "five_hour": {"utilization": 0.07, "resetsAt": RESET},
    "seven_day": {"utilization": 0.41, "resetsAt": RESET},
    "seven_day_zephyr": {"utilization": 0.93, "resetsAt": RESET},
}
SAID = {"status": "allowed", "rateLimitType": "five_hour", "resetsAt": RESET, "unifiedWindows": WINDOWS}
EVENT = json.dumps({"type": "rate_limit_event", "rate_limit_info": SAID}, indent=1).encode()
CAPPED = {"status": "rejected", "rateLimitType": "seven_day_zephyr", "resetsAt": RESET, "utilization": 1.01}
STREAM = b"\n".join(
    json.dumps({"type": kind, "rate_limit_info": said}).encode()
    for kind, said in (("system", None), ("rate_limit_event", SAID), ("rate_limit_event", CAPPED))
)
ROWS = {
    "five_hour": {"used_percentage": 41, "resets_at": RESET},
    "seven_day": {"used_percentage": 63.5, "resets_at": RESET},
    "seven_day_zephyr": {"used_percentage": 99, "resets_at": RESET},
}
STATUS_LINE = json.dumps({"hook_event_name": "Status", "model": {"id": "zephyr-5"}, "rate_limits": ROWS}).encode()


def service(request: Get | Send) -> Document:
    """The service in good health."""
    name = "usage_limits_list.json"
    if "/v1/models" in request.url:
        name = "models_page2.json" if "after_id" in request.url else "models_page1.json"
    path = "/" + request.url.partition("://")[2].partition("/")[2]
    return Document((SAMPLES / name).read_bytes(), AT, asked=path, status=200)


@pytest.fixture
def world() -> FakeWorld:
    return FakeWorld(AT, files=dict(FILES), web=service)


class TestReader(ReaderContract):
    construct: ClassVar = "from capacity_claude import reader; reader()"

    @pytest.fixture
    def reader(self) -> Reader:
        return reader()

    @pytest.fixture
    def cases(self) -> Sequence[Case]:
        scopes = {
            "usage_limits_list.json": {"extra-usage", "fable"},
            "usage_old_shape.json": {"opus", "sonnet"},
            "usage_drift.json": {"cowork", "omelette"},
            "usage_two_full_windows.json": set(),
            "usage_full_but_not_locked.json": {"extra-usage"},
            "usage_tui_ansi_cr.txt": {"sonnet"},
            "usage_tui_bars_fable.txt": {"fable"},
            "usage_tui_compact_garbled.txt": {"sonnet"},
            "usage_tui_enterprise.txt": set(),
            "headless_result_limit_text.json": set(),
        }
        samples = [Case(recorded(name), frozenset(words)) for name, words in scopes.items()]
        return [*samples, *(Case(Document(body, AT), frozenset({"zephyr"})) for body in (EVENT, STREAM, STATUS_LINE))]

    @pytest.fixture
    def throttled(self) -> Document:
        return recorded("usage_429_edge.http.txt")


class TestHeaders(ReaderContract):
    construct: ClassVar = "from capacity_claude import reader; reader()"
    excused: ClassVar = {
        "test_good_answers_are_no_failure": "the headers of a burst tell of windows that have room, and of a refused turn",
        "test_hopeless_bodies_are_no_reading": "headers tell of the account, whatever the body is",
    }

    @pytest.fixture
    def reader(self) -> Reader:
        return reader()

    @pytest.fixture
    def cases(self) -> Sequence[Case]:
        scopes = {
            "headers_unified_rejected_7d.txt": set(),
            "headers_unified_rejected_7d_oi.txt": {"overage_included"},
            "headers_429_burst.txt": set(),
            "headers_api_key.txt": {"requests", "tokens", "input-tokens", "output-tokens"},
        }
        return [Case(recorded(name), frozenset(words)) for name, words in scopes.items()]

    @pytest.fixture
    def throttled(self) -> Document:
        return recorded("usage_429_block.http.txt")


class TestProber(ProberContract):
    construct: ClassVar = "from capacity_claude import prober; prober()"

    @pytest.fixture
    def prober(self) -> Prober:
        return prober(config_dir=FOLDER)


class TestInventory(InventoryContract):
    construct: ClassVar = "from capacity_claude import inventory; inventory()"

    @pytest.fixture
    def inventory(self) -> InventorySource:
        return inventory(config_dir=FOLDER)
