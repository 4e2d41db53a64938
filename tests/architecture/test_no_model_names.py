"""No model is known by name in what is shipped: everything of that kind comes from an inventory or the policy.

The words are taken from the recorded answers in tests/samples, so a new sample brings its own.
Names of vendors, backends and harnesses are not among them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from . import house

SAMPLES = house.ROOT / "tests" / "samples"
ALWAYS = {"aliases", "display_name", "limit_name", "limitName", "model", "modelId", "slug"}
IN_LISTINGS = ALWAYS | {"displayName", "id", "label", "name"}
NOT_A_MODEL = {
    "all models": "what a provider calls the whole account",
    "b": "a placeholder id of one letter",
    "build": "an alias that is an English word",
    "cowork": "a feature, not a model",
    "models": "the name of a command",
    "oauth_apps": "a feature, not a model",
    "overage_included": "how a window is paid, not a model",
}


def documents(path: Path) -> Iterator[Any]:
    """The JSON values of one sample: the file, its lines, or the body behind a head."""
    text = path.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n")
    for part in [text, *text.splitlines(), text.partition("\n\n")[2]]:
        try:
            yield json.loads(part)
        except ValueError:
            continue


def named(value: Any, keys: set[str], key: str = "") -> Iterator[str]:
    """Every text under one of these keys, and the word behind each `seven_day_`."""
    if isinstance(value, dict):
        for inner, content in value.items():
            yield inner.removeprefix("seven_day_") if inner.startswith("seven_day_") else ""
            yield from named(content, keys, inner)
    elif isinstance(value, list):
        for content in value:
            yield from named(content, keys, key)
    elif isinstance(value, str) and key in keys:
        yield value


def lines(path: Path) -> Iterator[str]:
    """The ids and display names of a listing in plain text: `id TAB name · description`."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.rstrip().endswith((":", "...")):
            yield from (part.partition(" · ")[0].strip(" *").removesuffix("(current)") for part in line.split("\t"))


def words_of(path: Path) -> Iterator[str]:
    """What one sample calls models."""
    listing = "model" in path.name and "error" not in path.name
    if listing and path.suffix == ".txt":
        yield from lines(path)
    for document in documents(path):
        yield from named(document, IN_LISTINGS if listing else ALWAYS)


@cache
def words() -> list[str]:
    """Every word for a model that any sample uses, casefolded."""
    files = [path for path in SAMPLES.rglob("*") if path.is_file()]
    found = {word.strip().casefold() for path in files for word in words_of(path)}
    return sorted(found - NOT_A_MODEL.keys() - {""})


def test_the_samples_give_words() -> None:
    """The test below looks for something: ids, names, aliases and scope words are all among the words."""
    assert 25 < len(words())
    assert {"claude opus 5", "deepseek-v4-pro", "fable", "omelette", "qwen", "qwen3.6-27b", "sonnet"} <= set(words())


def test_no_sample_word_is_shipped() -> None:
    """Neither the core nor a plugin contains a model's id, alias, display name or scope word."""
    pattern = re.compile("|".join(rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])" for word in words()))
    folders = [house.ROOT / "src", *(plugin / "src" for plugin in house.PLUGINS)]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file() and house.kept(path)]
    found = {
        house.short(path): sorted(set(pattern.findall(path.read_text(encoding="utf-8").casefold()))) for path in files
    }

    assert {} == {path: hits for path, hits in found.items() if hits}
