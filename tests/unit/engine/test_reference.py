"""The page on the store tells which logs and documents are in it, no more and no less."""

from __future__ import annotations

import re
import sqlite3
from datetime import timedelta
from pathlib import Path

from attrs import evolve

from capacity.engine import Broker
from capacity.engine.dossier import ALIASES, RANKINGS
from capacity.engine.ledger import KEYED
from capacity.engine.settings import Settings
from capacity.store import sqlite
from capacity.testing.fakes import FakeTierSource
from capacity.values.lanes import BudgetWindow, PoolBudget, Serving
from capacity.values.leases import Lease
from capacity.values.seats import Need

from .scene import HOUR, MODEL, Scene, policy, reading
from .test_tiering import SCORES, Ladder, board

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "store.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## What the engine keeps in them")[2].partition("\n## ")[0]


def test_logs_and_documents(tmp_path: Path) -> None:
    """After ticks, a stop, a loaded model, a move, some leases and answers about tiers every log of the page is there."""
    scene = Scene()
    scene.store = sqlite(path=tmp_path / "capacity.db", clock=scene.clock)
    ladder = Ladder(tmp_path, scene, {"board": FakeTierSource(board(), JUMPED)})
    pools = {"a": policy().pools["a"], "b": evolve(policy().pools["b"], prepare=True, serving=(Serving(slots=9),))}
    budgets = {"a": PoolBudget("a", (BudgetWindow("5h", HOUR, "requests"),))}
    engine = scene.engine(policy(tiers=evolve(policy().tiers, file="tiers.toml"), pools=pools, budgets=budgets))
    engine.prepare("b", MODEL.format("b"))
    engine.stop("pool", "b")
    engine.lift("pool", "b")
    engine.probe()
    with Broker(engine.policy, engine=engine) as broker:
        for pool in "ab":
            lease = broker.lease(pool, Need(tier="top", pools=(pool,), context=9))
            assert isinstance(lease, Lease)
            broker.settle(lease)
    for used in (10.0, 99.0):
        scene.probers["a"].script.say((reading(used),))
        scene.clock.advance(timedelta(minutes=20))
        engine.tick()
    answer_about_tiers(ladder)
    db = sqlite3.connect(tmp_path / "capacity.db")
    logs = {log for (log,) in db.execute("SELECT DISTINCT log FROM record")}
    documents = {key.partition(" ")[0] for (key,) in db.execute("SELECT key FROM document")}
    claims = {key.partition(":")[0] for (key,) in db.execute("SELECT key FROM fence")}
    db.close()

    rows = re.findall(r"^\| `(\w+)`", SECTION, re.MULTILINE)
    assert sorted([*logs, *documents]) == sorted(rows)
    assert claims == set(re.findall(r"`(\w+):`", SECTION))


JUMPED = board({**SCORES, "model-of-a": 5.0, "model-of-b": 95.0, "nobody-knows": 60.0})


def answer_about_tiers(ladder: Ladder) -> None:
    """Ask, propose, adopt; ask again, let a row in, answer for a name."""
    tiers = ladder.engine().tiers
    tiers.refresh()
    tiers.propose()
    tiers.adopt(by="ann")
    ladder.scene.clock.advance(timedelta(hours=1))
    tiers.refresh()
    made = tiers.propose().proposal
    tiers.accept(made.diff.quarantine[0], by="ann")
    tiers.resolve("model", made.unresolved[0].name, "model-of-a", by="ann")


def test_what_outlives_its_retention() -> None:
    """The logs of which the newest record of each key is kept are those the page says so of, for the days it says."""
    kept = re.findall(r"^\| `(\w+)` .*\| (\d+) days, and the newest of each key \|$", SECTION, re.MULTILINE)

    assert sorted((*KEYED, RANKINGS, ALIASES)) == sorted(log for log, _ in kept)
    assert {str(Settings().retention.days)} == {days for _, days in kept}
