"""Count the wrong picks of both over the same situations.

    python -m benchmarks.side_by_side [--peer DIR] [--count N] [--json] [--wrong KIND] [--record FILE]

`--peer` is where `npm install --prefix DIR opencode-broker@1.2.0` put it; without it only ours is counted.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.side_by_side import ours
from benchmarks.side_by_side.generate import COUNT, DIGEST, digest, record, situations
from benchmarks.side_by_side.oracle import KINDS, judged

PEER = Path(__file__).with_name("peer.mjs")


def ours_answer(count: int) -> list[list[Any]]:
    """What `choose` answers to each situation."""
    rules = ours.policy()
    return [list(ours.answers(situation, rules)) for situation in situations(count)]


def peer_answers(home: str, recorded: str) -> list[list[Any]]:
    """What the peer answers to each situation of a record. It has a home of its own, with invented logins."""
    with tempfile.TemporaryDirectory(prefix="peer-") as folder:
        file = Path(folder, "record.jsonl")
        file.write_text(recorded, encoding="utf-8")
        argv = ["node", str(PEER), str(Path(home).resolve()), str(file), folder]
        done = subprocess.run(argv, check=True, capture_output=True, text=True, timeout=300)
        return [json.loads(line) for line in done.stdout.splitlines()]


def counted(answers: Sequence[Sequence[Any]]) -> Counter[str]:
    """Kind → wrong picks."""
    every = zip(situations(len(answers)), answers, strict=True)
    return Counter(kind for situation, given in every for kind in judged(situation, given))


def shown(word: str, kind: str, answers: Sequence[Sequence[Any]]) -> None:
    """Print the situations in which one kind of wrong pick was made."""
    for situation, given in zip(situations(len(answers)), answers, strict=True):
        if kind in judged(situation, given):
            print(json.dumps({"by": word, "answers": given, **situation}))


def main(argv: Sequence[str] | None = None) -> int:
    """Count, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", help="where the peer is installed")
    parser.add_argument("--count", type=int, default=COUNT, help="how many situations")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--wrong", choices=KINDS, help="print the situations with wrong picks of this kind instead")
    parser.add_argument("--record", type=Path, help="write the record there and stop")
    asked = parser.parse_args(argv)
    recorded = record(asked.count)
    if asked.count == COUNT and digest(recorded) != DIGEST:
        parser.error(f"the situations are not those of the figures: their digest is {digest(recorded)}")
    if asked.record is not None:
        asked.record.write_text(recorded, encoding="utf-8")
        return 0
    both = {"ours": ours_answer(asked.count)}
    if asked.peer is not None:
        both["peer"] = peer_answers(asked.peer, recorded)
    if asked.wrong is not None:
        for word, answers in both.items():
            shown(word, asked.wrong, answers)
        return 0
    found = {word: counted(answers) for word, answers in both.items()}
    turns = sum(len(answers) for answers in both["ours"])
    if asked.json:
        print(json.dumps({"situations": asked.count, "answers": turns, **found}, indent=2))
        return 0
    print(f"{asked.count} situations, {turns} answers")
    for kind in KINDS:
        print(f"{kind:<22}" + "".join(f"{word:>8} {counts[kind]:>5}" for word, counts in found.items()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
