"""The demo's last act: scores arrive, a proposal is made of them, a person adopts a part of it, and a seat runs again.

One place of two is uncertain, and one score is too odd to be true. Neither moves anything. Plugins, store, engine, actuator
and the weighing of the scores are the real ones; the scores are made up.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from datetime import datetime, timedelta
from pathlib import Path
from string import Template
from typing import Any

from attrs import define, field

from capacity.cli import proposals
from capacity.cli.demo import words
from capacity.cli.demo.crew import PLACE, follow, write_table
from capacity.cli.demo.papers import ADOPTED, POLICY
from capacity.cli.demo.week import Episode, Line, tick_file
from capacity.cli.demo.world import MODELS, Login
from capacity.cli.screen import Table
from capacity.codec import dump_tick, dumps, load_policy
from capacity.core.decide import decide
from capacity.core.explain import explain
from capacity.core.sentences import sentence
from capacity.engine import Engine, Report
from capacity.plugins import Plugins
from capacity.store import sqlite
from capacity.testing.clocks import SettableClock
from capacity.testing.servers import ClaudeModel, ClaudeServer
from capacity.values.proposals import Proposal

LARGE, MEDIUM, SMALL, NEXT, TINY = (
    "sample-large-2", "sample-medium-3", "sample-small-1", "sample-next-4", "sample-tiny-1",
)  # fmt: skip  # one line of five names
KNOWN = (*MODELS, ClaudeModel(NEXT, "Sample Next 4"), ClaudeModel(TINY, "Sample Tiny 1"))

EARLY: Mapping[str, Mapping[str, float]] = {
    LARGE: {"repairs": 80, "features": 76},
    SMALL: {"repairs": 52, "features": 48, "searches": 44},
    TINY: {"repairs": 50, "features": 45, "searches": 41},
}
LATE: Mapping[str, Mapping[str, float]] = {
    **EARLY,
    LARGE: {**EARLY[LARGE], "searches": 9},
    MEDIUM: {"repairs": 79, "features": 75, "searches": 71},
    NEXT: {"repairs": 68, "features": 63, "searches": 57},
}
"""Model → benchmark → percent: a run of the large model broke, and two models are new, one of them in between."""

POLICY_TEXT = Template("""\
# What the operator of this act wants: tiers are proposed from scores, and adopted by a person.
version = 1

[tiers]
names = ["high", "low"]
adopted = "adopted.toml"

[tiers.sources.scores]                   # a file of one's own; others are plugins
plugin = "file"
options = { path = "scores.json" }

[accounts.mill]
plugin = "claude"
kind = "subscription"
credentials = { file = "logins/mill/.credentials.json" }
options = { base_url = "$url" }

[harnesses.claude]
pools = ["mill"]

[fleets.crew]
actuator = "file"
mode = "enforce"
options = { path = "fleet.json" }

[pacing]
mode = "off"

[seats.default]
tier = "low"

[seats.names.judge-1]
tier = "high"                            # and its floor, too
""")

ADOPTED_TEXT = f"""\
# Adopted by hand, before there were any scores.

[[rows]]
tier = "high"
harness = "claude"
model = "{LARGE}"

[[rows]]
tier = "low"
harness = "claude"
model = "{SMALL}"
"""


@define
class Ranked:
    """The act: its world, and what was seen of it.

    Attributes:
        folder: where its papers, scores, fleet, store and ticks are.
        clock: its clock.
        server: tells what is left and what can run.
        login: whose answers those are.
        engine: the real one.
        episode: what is told.
        reports: of each tick.
        table: what was proposed, as `capacity tiers diff` shows it.
    """

    folder: Path
    clock: SettableClock
    server: ClaudeServer
    login: Login
    engine: Engine
    episode: Episode = field(factory=lambda: Episode(13, "scores propose tiers, and a person adopts a part of it"))
    reports: list[Report] = field(factory=list)
    table: Table = field(factory=lambda: Table("changes", (), ()))

    def happen(self) -> None:
        """The three days."""
        self._early()
        self._stuck()
        proposal = self._late()
        self._adopt(proposal)

    def _early(self) -> None:
        """Monday: the first scores, adopted whole; the cuts between the tiers are made, and kept from then on."""
        write_scores(self.folder, EARLY, self.clock.now())
        self._tick()
        first = self.engine.tiers.proposal()
        self._say("scores", f"{len(first.evidence)} rows of {len(EARLY)} models", proposals.size(first))
        self._say("ann", f"adopts {first.id}", f"now {self.engine.tiers.adopt(by='ann').id}")

    def _stuck(self) -> None:
        """Tuesday: the one model that is good enough is capped."""
        self.clock.advance(timedelta(days=1))
        self.server.use("weekly_scoped", 100, self.clock.now() + timedelta(days=4), model="Sample Large")
        report = self._tick()
        told = {one.fact.code: sentence(one.fact) for one in report.conditions if one.fact.subject == "crew/judge-1"}
        self._say("mill", "its weekly cap on Sample Large is full until Saturday", "")
        self._say("judge-1", words.act(_of(report)), told.get("core:nothing-interchangeable", ""))
        held = _of(report).act == "park" and "core:nothing-interchangeable" in told
        self._promise("a seat with nothing interchangeable was told of as that, and parked", held)

    def _late(self) -> Proposal:
        """Wednesday: more scores. A tick reads them by itself, and adopts nothing."""
        self.clock.advance(timedelta(days=1))
        write_scores(self.folder, LATE, self.clock.now())
        before = (self.folder / ADOPTED).read_bytes()
        report = self._tick()
        proposal = self.engine.tiers.proposal()
        page = proposals.proposal_page(proposal, self.engine.tiers.sources(), (), self.clock.now())
        self.table = next(table for table in page.filled if table.title.startswith("changes"))
        self._say("scores", f"{len(proposal.evidence)} rows of {len(LATE)} models", proposals.size(proposal))
        for row in proposal.evidence:
            if row.use == "quarantined":
                told = f"{row.score:.0f} %, where all others predict {row.predicted:.0f} %"
                self._say(row.id.partition(":")[2], f"is kept out: {row.why}", told)
        waits = [sentence(one.fact) for one in report.changed if one.fact.code == "core:proposal-waiting"]
        self._say("operator", "is told", *waits)
        unsure = [one.pair.model for one in proposal.diff.borderline]
        self._promise("the model in between is told as borderline, and would go into the lower tier", unsure == [NEXT])
        odd = proposal.diff.quarantine == (f"scores:{LARGE}-searches",)
        self._promise("the score of the broken run was kept out, and moves nobody", odd and not proposal.diff.move)
        self._promise("nothing was adopted by itself", before == (self.folder / ADOPTED).read_bytes())
        return proposal

    def _adopt(self, proposal: Proposal) -> None:
        """A person takes what is certain, and leaves what is not."""
        part = [pair for pair in proposal.diff.pairs if pair.model == MEDIUM]
        made = self.engine.tiers.adopt(by="ann", part=part, reason="the other one can wait")
        self._say("ann", f"adopts {part[0]} alone", f"now {made.id}")
        self.clock.advance(timedelta(minutes=20))
        report = self._tick()
        placement = _of(report)
        self._say("judge-1", words.act(placement), sentence(placement.fact))
        rows = {row.model for row in made.rows}
        self._promise("only what was named came in", MEDIUM in rows and NEXT not in rows)
        where = None if placement.candidate is None else placement.candidate.model
        self._promise("the parked seat runs again, on what is as good", (placement.act, where) == ("resume", MEDIUM))
        why = explain(report.tick, seat="judge-1")
        told = "by ann" in why and f"scores:{MEDIUM}-repairs" in why
        self._promise("its explanation names the adopted row, who adopted it and the evidence", told)
        self._promise("every tick of it, decided once more, gives the same", all(map(_replays, self.reports)))

    def _tick(self) -> Report:
        self.login.refresh()
        report = self.engine.tick()
        self.reports.append(report)
        self.episode.ticks.append(len(self.reports))
        tick_file(self.folder, len(self.reports)).write_bytes(dump_tick(report.tick))
        follow(self.folder)
        return report

    def _say(self, who: str, what: str, why: str = "") -> None:
        now = words.moment(self.clock.now())
        last = next((line.when for line in reversed(self.episode.lines) if line.when), "")
        self.episode.lines.append(Line("" if now == last else now, who, what, why))

    def _promise(self, text: str, held: bool) -> None:
        self.episode.promises[text] = held


def ranked(folder: Path, start: datetime, plugins: Plugins, tell: Callable[[Episode], None]) -> Ranked:
    """Let this act happen.

    Args:
        folder: where it is left; it must not exist.
        start: the midnight it begins at.
        plugins: the backends, and what the core brings.
        tell: is given its episode.
    """
    (folder / "ticks").mkdir(parents=True)
    (folder / "logins" / "mill").mkdir(parents=True)
    clock = SettableClock(start + timedelta(hours=9))
    with ExitStack() as running:
        server = running.enter_context(ClaudeServer(clock, KNOWN))
        server.use("weekly_all", 20, start + timedelta(days=7))
        login = Login(folder / "logins" / "mill", server, "mill")
        policy = load_policy(_papers(folder, server))
        store = running.enter_context(closing(sqlite(path=folder / "capacity.db", clock=clock)))
        engine = Engine(policy, store=store, plugins=plugins, clock=clock, folder=folder)
        act = Ranked(folder, clock, server, login, running.enter_context(engine))
        act.happen()
    tell(act.episode)
    return act


def write_scores(folder: Path, scores: Mapping[str, Mapping[str, float]], now: datetime) -> None:
    """Write the operator's file of scores."""
    rows = list(_rows(scores, now))
    (folder / "scores.json").write_text(json.dumps({"licence": "CC0-1.0", "rows": rows}, indent=1), encoding="utf-8")


def _rows(scores: Mapping[str, Mapping[str, float]], now: datetime) -> Iterator[dict[str, Any]]:
    """What is told late was measured the day before; what was told early, on the Sunday."""
    for model, told in scores.items():
        for benchmark, score in told.items():
            days = now.weekday() + 1 if benchmark in EARLY.get(model, ()) else 1
            at = now - timedelta(days=days)
            yield {
                "id": f"{model}-{benchmark}", "harness": "claude", "model_raw": model, "benchmark": benchmark,
                "score": score, "scale": "percent", "n": 300, "provenance": "benchmark-owner",
                "measured_at": f"{at:%Y-%m-%dT%H:%M:%S}Z",
            }  # fmt: skip  # one row


def _papers(folder: Path, server: ClaudeServer) -> Path:
    (folder / POLICY).write_text(POLICY_TEXT.substitute(url=server.url), encoding="utf-8")
    (folder / ADOPTED).write_text(ADOPTED_TEXT, encoding="utf-8")
    places = {"judge-1": LARGE, "clerk-1": SMALL}
    rows = {name: dict(zip(PLACE, ("claude", "mill", model, None), strict=True)) for name, model in places.items()}
    write_table(folder, {"form": 1, "seats": rows})
    return folder / POLICY


def _of(report: Report) -> Any:
    """The act for the judge."""
    made = report.tick.decision
    return next(one for one in (() if made is None else made.placements) if one.seat == "judge-1")


def _replays(report: Report) -> bool:
    tick = report.tick
    return dumps(decide(tick.inventory, tick.headroom, tick.policy, tick.history)) == dumps(tick.decision)
