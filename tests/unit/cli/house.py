"""A small house for the command: two loopback servers, a policy, a fleet file, a store and a clock, in one folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from attrs import frozen

from capacity.cli import main
from capacity.testing.clocks import SettableClock
from capacity.testing.servers import (
    ClaudeModel,
    ClaudeServer,
    LlamaModel,
    LlamaServer,
    write_credentials,
)

SAMPLES = Path(__file__).parents[2] / "samples"
NOON = datetime(2026, 9, 20, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)

POLICY = """
version = 1

[tiers]
names = ["high", "low"]
adopted = "adopted.toml"

[accounts.team]
plugin = "claude"
kind = "subscription"
preference = 1
credentials = {{ file = "login/.credentials.json" }}
options = {{ base_url = "{team}" }}

[accounts.rack]
plugin = "llama-cpp"
kind = "local"
preference = 2
options = {{ base_url = "{rack}" }}

[harnesses.big]
pools = ["team"]
aliases = {{ best = "sample-large-2" }}

[harnesses.small]
pools = ["rack"]

[fleets.crew]
actuator = "file"
mode = "{mode}"
options = {{ path = "fleet.json" }}

[seats.default]
tier = "high"
floor = "low"
"""

ADOPTED = """
rows = [
  { tier = "high", harness = "big", model = "sample-large-2", effort = "high" },
  { tier = "low", harness = "small", model = "sample-local-1" },
]
"""

SEATS = {
    "ada": {"harness": "big", "model": "sample-large-2", "effort": "high"},
    "ben": {"harness": "small", "model": "sample-local-1"},
}


@frozen
class House:
    """Where everything is.

    Attributes:
        folder: its folder.
        clock: moves when a test says so.
        team: the service of the subscription.
        rack: the local server.
    """

    folder: Path
    clock: SettableClock
    team: ClaudeServer
    rack: LlamaServer

    @property
    def policy(self) -> Path:
        """The policy file."""
        return self.folder / "policy.toml"

    @property
    def store(self) -> Path:
        """The store's file."""
        return self.folder / "capacity.db"

    def run(self, *words: str) -> int:
        """Run the command in this house, at its time."""
        return main(["--policy", str(self.policy), "--store", str(self.store), *words], clock=self.clock)

    def write_policy(self, mode: str = "enforce", more: str = "") -> None:
        """Write the policy, and the set it names."""
        text = POLICY.format(team=self.team.url, rack=self.rack.url, mode=mode)
        self.policy.write_text(text + more, encoding="utf-8")
        (self.folder / "adopted.toml").write_text(ADOPTED, encoding="utf-8")

    def fleet(self) -> Any:
        """What the fleet file holds."""
        return json.loads((self.folder / "fleet.json").read_text(encoding="utf-8"))


@contextmanager
def built(folder: Path) -> Iterator[House]:
    """The house at noon: the subscription half used, one local model resident and one loadable, two seats."""
    clock = SettableClock(NOON)
    models = (ClaudeModel("sample-large-2", "Sample Large 2"), ClaudeModel("sample-medium-3", "Sample Medium 3"))
    local = (LlamaModel("sample-local-1"), LlamaModel("sample-local-2", "unloaded"))
    with ClaudeServer(clock, models) as team, LlamaServer(clock, local) as rack:
        team.use("session", 42.0, NOON + 2 * HOUR)
        team.use("weekly_all", 17.0, NOON + 60 * HOUR)
        (folder / "login").mkdir()
        write_credentials(folder / "login" / ".credentials.json", expires_at=NOON + 300 * HOUR)
        (folder / "fleet.json").write_text(json.dumps({"form": 1, "seats": SEATS}), encoding="utf-8")
        house = House(folder, clock, team, rack)
        house.write_policy()
        yield house
