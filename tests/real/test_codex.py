"""The Codex plugin against the program that nobody here wrote, which asks a service of ours on loopback."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen
from capacity_codex import inventory, prober, reader

from capacity.errors import WireError
from capacity.ports import Document, Limit, Listing, Reading
from capacity.testing.servers import Answer, CodexModel, CodexServer, write_codex_home
from capacity.wire import Host, run
from capacity.wire.host import SystemClock

from . import codex

pytestmark = pytest.mark.real

FIVE, WEEK = timedelta(hours=5), timedelta(days=7)
NOW = datetime.now(UTC).replace(microsecond=0)
ENDS = NOW + timedelta(days=3000)
MODELS = (
    CodexModel("sample-one", "Sample One"),
    CodexModel("sample-two", "Sample Two", 100_000, ("high",), hidden=True),
)
SILENT = Answer(200, {}, after=3.0, cut=True)


@frozen
class There:
    """The program, its folder, and the service it asks."""

    command: list[str]
    home: Path
    server: CodexServer

    @property
    def host(self) -> Host:
        return Host(
            environ={"PATH": os.environ["PATH"], "HOME": str(self.home), "CODEX_HOME": str(self.home / "codex")}
        )

    def login(self, body: Any) -> None:
        (self.home / "codex" / "auth.json").write_text(json.dumps(body))

    def probe(self) -> Reading:
        source = prober(command=self.command, base_url=self.server.base_url)
        (reading,) = run(source.probe(), deadline=source.budget.deadline, host=self.host)
        return reading

    def limits(self) -> dict[str, Limit]:
        return {limit.name: limit for limit in self.probe().limits}

    def listings(self) -> tuple[Listing, ...]:
        source = inventory(command=self.command, base_url=self.server.base_url)
        return run(source.listings(), deadline=source.budget.deadline, host=self.host)


@pytest.fixture
def there(tmp_path: Path) -> Iterator[There]:
    program, why = codex.found()
    if program is None:
        pytest.skip(why)
    with CodexServer(SystemClock(), MODELS) as server:
        server.use(FIVE, 29, NOW + timedelta(hours=2))
        server.use(WEEK, 57, NOW + timedelta(days=3))
        write_codex_home(tmp_path / "codex", ENDS, base_url=server.base_url)
        yield There(codex.command(program), tmp_path, server)
    assert [] == codex.left(tmp_path)


def test_the_program_tells_what_the_service_told_it(there: There) -> None:
    """Windows by their length, a limit of one model, credits: asked by the program, not by us, and nothing is written."""
    there.server.use(FIVE, 100, NOW + timedelta(hours=1), model="Sample Two")
    there.server.credits = "38.25"
    login = (there.home / "codex" / "auth.json").read_bytes()
    reading = there.probe()

    assert ("ok", "app-server", "plus") == (reading.state, reading.source, reading.plan)
    assert {"5h": 29.0, "5h:sample two": 100.0, "credits": None, "weekly": 57.0} == {
        limit.name: limit.percent for limit in reading.limits
    }
    assert {NOW + timedelta(hours=2), NOW + timedelta(days=3)} == {
        limit.resets_at for limit in reading.limits if limit.scope is None
    }
    assert 1 == there.server.times("/backend-api/wham/usage")
    assert login == (there.home / "codex" / "auth.json").read_bytes()


def test_a_week_alone_is_a_week(there: There) -> None:
    """The program passes it on in the first slot; the plugin goes by its length."""
    there.server._windows.clear()
    there.server.use(WEEK, 61, NOW + timedelta(days=3))

    assert {"weekly": 61.0} == {name: limit.percent for name, limit in there.limits().items()}


def test_a_full_window_is_full(there: There) -> None:
    """Whatever word the program has for it, no other window is taken for the one at fault."""
    there.server.use(FIVE, 100, NOW + timedelta(hours=2))
    found = there.limits()

    assert (100.0, 57.0) == (found["5h"].percent, found["weekly"].percent)
    assert found["weekly"].blocked is not True


def test_a_throttled_program_is_throttled(there: There) -> None:
    """What the service refused it is in its error's text; it is not asked again, by anybody."""
    there.server.throttle(9)
    reading = there.probe()

    assert ("throttled", "app-server", ()) == (reading.state, reading.source, reading.limits)
    assert reading.retry_at is not None
    assert reading.retry_at >= reading.observed_at + timedelta(minutes=5)
    assert 1 == there.server.times("/backend-api/wham/usage")


@pytest.mark.parametrize("status", [403, 500])
def test_a_service_that_fails_is_unreachable(there: There, status: int) -> None:
    """The program's error is followed by our own question, which fails alike."""
    there.server.break_shape(9, status=status)
    reading = there.probe()

    assert ("unreachable", "usage") == (reading.state, reading.source)
    assert f"the service answered the program {status}" in (reading.detail or "")


@pytest.mark.parametrize(
    ("login", "state"),
    [
        ({"OPENAI_API_KEY": "sk-invented", "auth_mode": "apikey", "tokens": None}, "unsupported"),
        ({"OPENAI_API_KEY": None, "tokens": None}, "login-required"),
        (None, "login-required"),
    ],
)
def test_a_login_that_can_tell_nothing(there: There, login: Any, state: str) -> None:
    """A key has no windows; no file and no keyring are no login, in the program's own words."""
    if login is None:
        (there.home / "codex" / "auth.json").unlink()
    else:
        there.login(login)

    assert (state, 0) == (there.probe().state, there.server.times("/backend-api/wham/usage"))


def test_an_expired_login_is_never_refreshed_by_us(there: There) -> None:
    """The program may try, and cannot here; then the login is stale, or needs a person, and the service serves nobody."""
    write_codex_home(there.home / "codex", NOW - timedelta(days=1), base_url=there.server.base_url)

    assert there.probe().state in {"stale-credentials", "login-required"}
    assert [] == [asked for asked in there.server.asked if "oauth" in asked.path]


def test_models_of_an_account_come_from_the_programs_cache(there: There) -> None:
    """The service told them to this version a moment ago, so the list may reject; hidden models are marked."""
    (listing,) = there.listings()

    assert ("authoritative", "models-cache") == (listing.authority, listing.source)
    assert {"sample-one": (("low", "medium", "high"), 272_000, False), "sample-two": (("high",), 100_000, True)} == {
        model.id: (model.efforts, model.context, model.hidden) for model in listing.models
    }
    assert ["sample one"] == [name for name in listing.models[0].names if " " in name]


def test_a_catalogue_needs_no_login_and_rejects_nothing(there: There) -> None:
    """What the program was built with is listed, and is no entitlement."""
    (there.home / "codex" / "auth.json").unlink()
    found = there.listings()

    assert {"partial"} == {listing.authority for listing in found}
    assert all(model.efforts and model.hidden is not None for listing in found for model in listing.models)
    assert len([model for listing in found for model in listing.models]) > 2


def test_the_raw_catalogue_is_a_listing_too(there: There) -> None:
    """What the program prints of it is read, with the same models as its server lists."""
    (there.home / "codex" / "auth.json").unlink()
    argv = [*there.command, "debug", "models"]
    environ = {"PATH": os.environ["PATH"], "HOME": str(there.home), "CODEX_HOME": str(there.home / "codex")}
    printed = subprocess.run(argv, env=environ, cwd=there.home, capture_output=True, timeout=60, check=True).stdout
    listing = reader().listing(Document(printed, NOW))

    assert listing is not None
    assert "partial" == listing.authority
    assert {model.id for page in there.listings() for model in page.models} == {model.id for model in listing.models}


def test_a_flow_that_is_called_off_leaves_nothing_running(there: There) -> None:
    """A second is enough to have started it, and not to be answered by a service that says nothing."""
    began = time.monotonic()
    there.server.spoil("/backend-api/wham/usage", SILENT, 9)
    source = prober(command=there.command, base_url=there.server.base_url)
    with pytest.raises(WireError):
        run(source.probe(), deadline=timedelta(seconds=1), host=there.host)

    assert time.monotonic() - began < 10
