"""What importing costs: CPU above the bare interpreter, and against `import attrs`, in interleaved child processes.

python -m benchmarks.imports [--rounds N] [--json]
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

STATEMENTS = {
    "nothing": "pass",
    "attrs": "import attrs",
    "capacity": "import capacity",
    "assess, decide": "from capacity import assess, decide",
    "ports": "import capacity.ports",
}
WATCH = "import time; start = time.process_time(); {}; print(time.process_time() - start)"


def cost(statement: str) -> float:
    """CPU seconds of one statement in a fresh interpreter without site's own imports of ours."""
    told = subprocess.run([sys.executable, "-c", WATCH.format(statement)], capture_output=True, text=True, check=True)
    return float(told.stdout)


def size() -> int:
    """Bytes of the core as installed, without dependencies and compiled files."""
    import capacity

    root = Path(capacity.__file__).parent
    return sum(path.stat().st_size for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def main() -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=25, help="interleaved rounds (default 25)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked = parser.parse_args()
    spent: dict[str, list[float]] = {name: [] for name in STATEMENTS}
    for _ in range(asked.rounds):
        for name, statement in STATEMENTS.items():
            spent[name].append(cost(statement))
    medians = {name: statistics.median(values) * 1e3 for name, values in spent.items()}
    found = {name: round(value, 2) for name, value in medians.items()}
    found["assess, decide / attrs"] = round(medians["assess, decide"] / medians["attrs"], 2)
    found["installed bytes"] = size()
    print(
        json.dumps(found, indent=2) if asked.json else "\n".join(f"{name}: {value:,}" for name, value in found.items())
    )


if __name__ == "__main__":
    main()
