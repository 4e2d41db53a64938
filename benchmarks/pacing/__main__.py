"""Controllers side by side on seeded scenarios, or on any folder of scenario files.

    python -m benchmarks.pacing [--count N] [--kind KIND ...] [--scenarios DIR] [--json] [--plot FILE] [--write DIR]

The same scenario gives the same figures on every machine. Nothing is measured by a clock.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from benchmarks.pacing import report
from benchmarks.pacing.generate import KINDS, scenario
from benchmarks.pacing.judge import CONTROLLERS, judged
from benchmarks.pacing.scenario import Scenario, ScenarioError, dump, load


def _given(asked: argparse.Namespace) -> list[Scenario]:
    if asked.scenarios is None:
        kinds = asked.kind or ["general"]
        return [scenario(seed, kind) for kind in kinds for seed in range(asked.first, asked.first + asked.count)]
    paths = sorted(asked.scenarios.glob("*.json"))
    if not paths:
        raise ScenarioError(f"{asked.scenarios}: no *.json in it")
    found = [load(path) for path in paths]
    if twice := report.names(found):
        raise ScenarioError(f"{asked.scenarios}: two scenarios are called {', '.join(twice)}")
    return found


def _asked(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m benchmarks.pacing", description=__doc__.split("\n\n")[0])
    parser.add_argument("--scenarios", type=Path, metavar="DIR", help="run the scenario files of a folder")
    parser.add_argument("--count", type=int, default=300, metavar="N", help="seeded scenarios of each kind (300)")
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="the first seed (0)")
    parser.add_argument(
        "--kind", action="append", choices=KINDS, help="which seeded scenarios (general); may be repeated"
    )
    parser.add_argument(
        "--controller", action="append", choices=CONTROLLERS, help="which controllers (all); may be repeated"
    )
    parser.add_argument("--processes", type=int, default=2, choices=(1, 2))
    parser.add_argument("--json", action="store_true", help="print JSON, every scenario's ratios in it")
    parser.add_argument("--table", action="store_true", help="print the table (what is done without --json)")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the ratios; needs the extra `plot`")
    parser.add_argument("--write", type=Path, metavar="DIR", help="write the scenarios as files and run nothing")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    """Run, and print a table or JSON. Ends with 2 where a scenario is at fault."""
    asked = _asked(argv)
    try:
        scenarios = _given(asked)
    except (ScenarioError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    if asked.write:
        asked.write.mkdir(parents=True, exist_ok=True)
        for one in scenarios:
            (asked.write / f"{one.name}.json").write_text(dump(one))
        return 0
    results = judged(scenarios, asked.controller or list(CONTROLLERS), asked.processes)
    found = report.figures(results)
    print(json.dumps(found, indent=1) if asked.json else "\n".join(report.table(found)))
    if asked.plot:
        from benchmarks.pacing.plot import draw

        draw(results, asked.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
