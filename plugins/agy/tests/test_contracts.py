"""What every reader, prober and inventory source owes, held by these three."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import pytest
from capacity.ports import Document, InventorySource, Prober, Reader
from capacity.testing.contracts import Case, InventoryContract, ProberContract, ReaderContract
from capacity.testing.flows import FakeWorld
from capacity_agy import inventory, prober, reader

from .documents import recorded
from .worlds import logged_in

ASKED = {
    "print_usage_json.json": "agy --output-format json --print /usage",
    "print_usage.tsv.txt": "agy --print /usage",
    "ls_quota_summary.json": "/exa.language_server_pb.LanguageServerService/RetrieveUserQuotaSummary",
    "ls_quota_summary_oneof.json": "/v1internal:retrieveUserQuotaSummary",
    "usage_tui.txt": None,
    "usage_tui_old.txt": None,
}
SCOPED = {
    "ls_user_status.json": {"gemini 3.1 pro (high)", "claude opus 4.6 (thinking)"},
    "cloud_retrieve_user_quota.json": {"gemini-2.5-flash", "gemini-2.5-pro", "gemini-3-pro-preview"},
}


@pytest.fixture
def world() -> FakeWorld:
    return logged_in()


class TestReader(ReaderContract):
    construct: ClassVar = "from capacity_agy import reader; reader()"

    @pytest.fixture
    def reader(self) -> Reader:
        return reader()

    @pytest.fixture
    def cases(self) -> Sequence[Case]:
        asked = [Case(recorded(name, asked=by)) for name, answers in ASKED.items() for by in {answers, None}]
        return [*asked, *(Case(recorded(name), frozenset(words)) for name, words in SCOPED.items())]

    @pytest.fixture
    def throttled(self) -> Document:
        return recorded("error_429_bare.json", asked="/v1internal:retrieveUserQuotaSummary", status=429)


class TestProber(ProberContract):
    construct: ClassVar = "from capacity_agy import prober; prober()"

    @pytest.fixture
    def prober(self) -> Prober:
        return prober()


class TestInventory(InventoryContract):
    construct: ClassVar = "from capacity_agy import inventory; inventory()"

    @pytest.fixture
    def inventory(self) -> InventorySource:
        return inventory()
