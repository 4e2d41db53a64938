"""What a hive says of models and quotas, as an engine knows it: an account of its own, with a pool for each provider."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from capacity.testing.servers import HiveAgent
from capacity.values.limits import PoolHeadroom
from capacity.values.models import PoolInventory
from capacity.values.policy import AccountPolicy, Credentials, HarnessPolicy, PoolPolicy, SeatRule
from capacity.values.tiers import TierRow, Tiers

from .scene import Scene, acts, place, scene, sent

POOL = "reef/anthropic"
ALL = tuple(f"m-{number:02}" for number in range(35))
WEEKLY = {"id": "w", "kind": "weekly", "percent_used": 67, "resets_at": "2026-09-23T00:00:00Z", "duration_mins": 10080}


def backend(models: Iterable[str] = ALL, id_: str = "claude", **more: Any) -> dict[str, Any]:
    """A row of the list of backends, whole unless it says otherwise."""
    return {"id": id_, "name": id_.title(), "models": [*models], "fallback": False, "degraded": False, **more}


def provider(*windows: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """What a hive says of one provider."""
    row = {"provider": "anthropic", "available": True, "pct_remaining": 33, "limits": [*windows], "probe_error": ""}
    return {**row, "reset_at": "0001-01-01T00:00:00Z", **more}


@contextmanager
def reef(folder: Path, *agents: HiveAgent, model: str = "m-30") -> Iterator[Scene]:
    """A hive that is read as an account, and whose agents run on what it lists."""
    given = {
        "pools": {POOL: PoolPolicy(POOL, "reef", "subscription")},
        "harnesses": {"claude": HarnessPolicy("claude", (POOL,))},
        "tiers": Tiers(("top",), (TierRow("top", "claude", model), TierRow("top", "claude", "m-01"))),
        "seats": (SeatRule("default", tier="top"),),
    }
    with scene(folder, *agents, **given) as here:
        options = {"base_url": here.hive.url}
        here.given["accounts"] = {"reef": AccountPolicy("reef", "hive", Credentials(env="HIVE_TOKEN"), options)}
        here.hive.backends = [backend()]
        tell(here, provider(WEEKLY))
        yield here


def tell(here: Scene, *rows: dict[str, Any], **more: Any) -> None:
    here.hive.headroom = {"providers": [*rows], "enabled": True, "readings": True, **more}


def shelf(here: Scene, pool: str = POOL) -> PoolInventory:
    return next(one for one in here.engine.snapshot().models if one.pool == pool)


def known(here: Scene) -> PoolHeadroom:
    return next(one for one in here.engine.snapshot().pools if one.pool == POOL)


def test_15_a_list_that_flaps_moves_nobody(tmp_path: Path) -> None:
    """15: a model that is listed in every other sample is missed, and never long enough to be invalid."""
    with reef(tmp_path, HiveAgent("ada", "claude", "m-33"), model="m-33") as here:
        for turn in range(8):
            here.hive.backends = [backend(ALL[: 31 if turn % 2 else 35])]
            assert {"ada": "keep"} == acts(here.tick())

        assert [("m-31", 1), ("m-32", 1), ("m-33", 1), ("m-34", 1)] == [
            (one.model.id, one.misses) for one in shelf(here).missed
        ]
        assert [] == sent(here.hive)


def test_15_three_samples_in_a_row_are_believed(tmp_path: Path) -> None:
    """15: the seat whose model is missing from three whole lists in a row moves, at the third and not before."""
    with reef(tmp_path, HiveAgent("ada", "claude", "m-33"), model="m-33") as here:
        here.tick()
        here.hive.backends = [backend(ALL[:31])]

        assert ["keep", "keep", "move"] == [acts(here.tick())["ada"] for _ in range(3)]
        assert ("claude", "m-01") == place(here.hive, "ada")


@pytest.mark.parametrize(
    "row",
    [
        {"fallback": True},
        {"degraded": True},
        {"discovery": {"ok": False, "error": "timed out", "fallback": False, "degraded": False}},
        {"fallback": None},
        {"inference": True},
    ],
    ids=["fallback", "degraded", "discovery failed", "old shape", "gateway"],
)
def test_16_a_list_that_is_not_whole_rejects_nothing(tmp_path: Path, row: dict[str, Any]) -> None:
    """16: what a hive fell back to, knows in part or does not speak of adds names and takes none away."""
    with reef(tmp_path, HiveAgent("ada", "claude", "m-33"), model="m-33") as here:
        here.tick()
        told = {**backend(ALL[:2]), **row}
        here.hive.backends = [{key: value for key, value in told.items() if value is not None}]
        if "inference" in row:
            del here.hive.backends[0]["fallback"]
            here.hive.inference = {
                "claude": {"backend": "claude", "models": ["m-00"], "fallback": False, "partial": True}
            }

        assert ["keep"] * 5 == [acts(here.tick())["ada"] for _ in range(5)]
        assert ([], ()) == (sent(here.hive), shelf(here).missed)
        assert not shelf(here).rejects


def test_16_a_backend_that_is_not_listed_was_not_measured(tmp_path: Path) -> None:
    """16: a list that is whole for one backend says nothing of another that is missing from it."""
    with reef(tmp_path, HiveAgent("ada", "claude", "m-33"), model="m-33") as here:
        here.tick()
        here.hive.backends = [backend(["x-1"], "codex")]

        assert ["keep"] * 4 == [acts(here.tick())["ada"] for _ in range(4)]
        assert () == shelf(here).missed


def test_17_a_cap_on_one_model_leaves_its_provider_usable(tmp_path: Path) -> None:
    """17: a scoped week at 100 with the whole week at 67, and `available` false: the model is avoided, the pool is not."""
    capped = {"id": "seven_day_quarry", "kind": "weekly_scoped", "percent_used": 100, "scope": {"model": "Quarry"}}
    agents = HiveAgent("ada", "claude", "m-quarry-4"), HiveAgent("ben", "claude", "m-01")
    with reef(tmp_path, *agents, model="m-quarry-4") as here:
        here.hive.backends = [backend([*ALL, "m-quarry-4"])]
        here.tick()
        tell(here, provider(WEEKLY, capped, available=False, pct_remaining=0))
        report = here.tick()

        assert {"ada": "move", "ben": "keep"} == acts(report)
        assert ("claude", "m-01") == place(here.hive, "ada")
        assert "exhausted" != known(here).pace
        assert ["core:model-capped"] == [
            one.fact.code for one in report.conditions if one.fact.subject.startswith(POOL)
        ]


def test_18_a_time_that_was_never_set_is_none(tmp_path: Path) -> None:
    """18: the zero of Go's clock is no reset, neither long ago nor ever."""
    with reef(tmp_path) as here:
        tell(here, provider({**WEEKLY, "resets_at": "0001-01-01T00:00:00Z"}))
        here.tick()

        assert [("weekly", 67.0, None)] == [
            (one.limit.name, one.limit.percent, one.limit.resets_at) for one in known(here).limits
        ]


@pytest.mark.parametrize(
    ("cause", "state"),
    [
        ("", "unreachable"),
        ("probe_failed", "unreachable"),
        ("timeout", "unreachable"),
        ("rate_limited", "throttled"),
        ("unrecognized_schema", "unrecognised"),
        ("no_credentials", "login-required"),
        ("not_installed", "unsupported"),
    ],
)
def test_19_a_failed_probe_is_not_available(tmp_path: Path, cause: str, state: str) -> None:
    """19: `available` beside a probe error is a hive that lets everything pass; it is unknown, and the old figure stays."""
    with reef(tmp_path) as here:
        here.tick()
        tell(here, provider(available=True, pct_remaining=0, probe_error="Bearer abc", probe_error_cause=cause))
        here.tick()

        assert (state, [67.0]) == (known(here).state, [one.limit.percent for one in known(here).limits])
        assert "abc" not in (known(here).detail or "")


def test_a_hive_that_measures_nothing_says_so(tmp_path: Path) -> None:
    """Rotation switched off is a source that can never report, of each of its pools."""
    with reef(tmp_path) as here:
        here.hive.headroom = {"providers": [], "enabled": False, "readings": False}
        here.tick()

        assert ("unsupported", ()) == (known(here).state, known(here).limits)


def test_a_provider_may_have_a_state_and_no_figure(tmp_path: Path) -> None:
    """A balance that suffices is told without a number: it serves, and nobody makes a percentage of it."""
    with reef(tmp_path) as here:
        tell(here, provider(pct_remaining=100))
        here.tick()

        assert [("service", None, False)] == [
            (one.limit.name, one.limit.percent, one.limit.blocked) for one in known(here).limits
        ]
