"""CPU of telling whose fault a failure is: every recorded error and line, by the rules alone and with the backend's reader.

    python -m benchmarks.classify [--json]

Each figure is microseconds of CPU per call: the median, the ninetieth percentile and the worst over all samples of the
median over many calls of each.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from capacity import classify
from capacity.plugins import READERS, load_plugins
from capacity.ports import Document, Reader

NOON = datetime(2026, 9, 20, 12, tzinfo=UTC)
SAMPLES = Path(__file__).parents[1] / "tests" / "samples"
BACKENDS = {"agy": "agy", "claude": "claude", "codex": "codex", "deepseek": "deepseek", "llamacpp": "llama-cpp"}
CALLS, ROUNDS = 50, 7
"""Calls timed together, since the clock of CPU time is coarse, and how often."""


def documents() -> Iterator[tuple[str, Document]]:
    """Backend and recorded failure: bodies with the status in their name, and single lines."""
    for folder, backend in BACKENDS.items():
        for path in sorted((SAMPLES / folder).glob("*error_*")):
            status = next((int(word) for word in path.stem.split("_") if word.isdigit()), None)
            yield backend, Document(path.read_bytes(), NOON, status=status, zone="UTC")
        lines = SAMPLES / folder / "limit_texts.txt"
        for line in lines.read_text(encoding="utf-8").splitlines()[1:] if lines.exists() else ():
            yield backend, Document(line.split("\t")[0].encode(), NOON, zone="UTC")


def micros(run: Callable[[], object]) -> float:
    """Microseconds of CPU of one call, the middle of several rounds."""
    spans = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        for _ in range(CALLS):
            run()
        spans.append((time.process_time() - begun) / CALLS)
    return statistics.median(spans) * 1e6


def by_rules(doc: Document) -> object:
    """What everybody knows."""
    return classify(body=doc.body, status=doc.status, headers=doc.headers, at=doc.at, zone=doc.zone)


def with_reader(doc: Document, reader: Reader) -> object:
    """What the backend's reader says, and then the rules."""
    told = reader.failure(doc)
    return classify(body=doc.body, status=doc.status, headers=doc.headers, at=doc.at, zone=doc.zone, told=told)


def spread(figures: list[float]) -> dict[str, float]:
    """Median, ninetieth percentile and worst."""
    last = statistics.quantiles(figures, n=10)[-1]
    return {"p50": statistics.median(figures), "p90": last, "worst": max(figures)}


def main() -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args()
    plugins = load_plugins()
    readers: dict[str, Reader] = {name: plugins.require(READERS, name).factory() for name in BACKENDS.values()}
    docs = list(documents())
    found = {
        "rules": spread([micros(lambda doc=doc: by_rules(doc)) for _, doc in docs]),
        "reader and rules": spread(
            [micros(lambda n=name, doc=doc: with_reader(doc, readers[n])) for name, doc in docs]
        ),
    }
    if given.json:
        print(json.dumps({"samples": len(docs), **found}, sort_keys=True))
        return
    for title, told in found.items():
        print(title, f"({len(docs)} samples)", *(f"{name} {value:.0f} us" for name, value in told.items()), sep="  ")


if __name__ == "__main__":
    main()
