"""The documents say what is so, also where no example can be executed.

Run this file to write anew what is made from the code: `python tests/architecture/test_pages.py`.
"""

from __future__ import annotations

import inspect
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import pytest

import capacity
from capacity import ports
from capacity.cli.app import COMMANDS, command
from capacity.codec import dump_tick, load_tick
from capacity.core.acts import ATTEMPTS
from capacity.core.facts import UNITS
from capacity.core.findings import RULES
from capacity.core.orders import BAND, KEYS
from capacity.core.rules import INVALID_AFTER, NEED_RULES
from capacity.core.sentences import SENTENCES
from capacity.core.turns import KEYS as TURN_KEYS
from capacity.ports import scores
from capacity.values.conditions import CONDITIONS
from capacity.values.decision import Act
from capacity.values.tick import Tick

if __name__ == "__main__":  # run by itself, this file has no package to be relative to
    sys.path.insert(0, str(Path(__file__).parents[2]))
    from tests.architecture import house
else:
    from . import house

DOCS = house.ROOT / "docs"
RULES_PAGE = DOCS / "explanation" / "the-rules.md"
PAGES = [*house.ROOT.glob("*.md"), *house.ROOT.glob("plugins/*/*.md"), *house.ROOT.glob("benchmarks/*.md")]
PAGES = sorted([*PAGES, *(path for path in DOCS.rglob("*.md") if "_build" not in path.parts)])

CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
CALL = re.compile(r"^\$ (?:\S+/uv run )?capacity (.*)$", re.MULTILINE)


# --- what is made from the code -----------------------------------------------------------------


def facts() -> Iterator[str]:
    """Each code of the core with its sentence, and the figures in it with their units."""
    yield from ("| code | sentence | figures |", "| --- | --- | --- |")
    for code, text in sorted(SENTENCES.items()):
        names = [name.partition("|")[0].removesuffix("!") for name in re.findall(r"\{([^}]+)\}", text)]
        figures = [f"`{name}` ({UNITS.get(name, 'word')})" for name in dict.fromkeys(names) if name != "subject"]
        yield f"| `{code}` | {re.sub(r'{([^}]+)}', slanted, text)} | {', '.join(figures)} |"


def slanted(part: re.Match[str]) -> str:
    """A placeholder for a reader: the figure, or what it brings along in brackets."""
    name, optional, lead = part[1].partition("|")
    if not optional:
        return f"*{name.removesuffix('!')}*"
    return f"[{lead}]" if name == "refused" else f"[{lead}*{name}*]"


def conditions() -> Iterator[str]:
    """Each condition of the core: what ends it, and whether it is loud."""
    yield from ("| code | ends by | loud |", "| --- | --- | --- |")
    for code, (ends, loud) in sorted(CONDITIONS.items()):
        yield f"| `{code.removeprefix('core:')}` | `{ends}` | {'loud' if loud else ''} |"


def front_door() -> Iterator[str]:
    """Each name of the front door."""
    yield from table({name: getattr(capacity, name) for name in capacity.__all__})


def plugin_door() -> Iterator[str]:
    """Each name of the ports that says something of itself, kinds of things together."""
    kinds: dict[str, dict[str, Any]] = {name: {} for name in ("contracts", "effects", "replies", "other")}
    for name in ports.__all__:
        value = getattr(ports, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            module = value.__module__.rpartition(".")[2] if value.__module__.startswith("capacity.ports.") else "other"
            kinds[module if module in kinds else "other"][name] = value
    titles = {"contracts": "Protocols", "effects": "Effects", "replies": "Replies", "other": "Values"}
    for kind, values in kinds.items():
        yield from ("", f"### {titles[kind]}", "", *table(values))


def scores_door() -> Iterator[str]:
    """Each name of the kit for tier sources that says something of itself."""
    named = {name: getattr(scores, name) for name in scores.__all__}
    yield from table(
        {name: value for name, value in named.items() if getattr(value, "__doc__", None) and callable(value)}
    )


def table(values: Mapping[str, Any]) -> Iterator[str]:
    """Names with what they take and the first sentence of what they say of themselves."""
    yield from ("| name | what it is |", "| --- | --- |")
    for name, value in values.items():
        first = re.split(r"(?<=[.:;])\s", " ".join((inspect.getdoc(value) or "").split()), maxsplit=1)[0]
        yield f"| `{name}{taken(value)}` | {first.rstrip('.:;').replace('|', chr(92) + '|')} |"


def taken(value: Any) -> str:
    """What a function or a class takes, by name; nothing for a protocol."""
    if getattr(value, "_is_protocol", False):
        return ""
    shown: list[str] = []
    starred = False
    for one in inspect.signature(value).parameters.values():
        if one.kind is one.KEYWORD_ONLY and not starred:
            shown, starred = [*shown, "*"], True
        shown.append(one.name if one.default is one.empty else f"{one.name}=…")
    return f"({', '.join(shown)})"


def made(page: str, part: str, lines: Callable[[], Iterator[str]]) -> tuple[str, str]:
    """A page as it stands, and as it is with one of its parts made anew."""
    text = (DOCS / "reference" / page).read_text(encoding="utf-8")
    head, begin, rest = text.partition(f"<!-- begin {part} -->\n")
    _, end, tail = rest.partition(f"<!-- end {part} -->\n")
    assert (begin, end) != ("", ""), f"{page} has no part {part}"
    return text, head + begin + "\n" + "\n".join(lines()).strip("\n") + "\n\n" + end + tail


PARTS: Mapping[str, tuple[str, Callable[[], Iterator[str]]]] = {
    "facts": ("reasons.md", facts),
    "conditions": ("reasons.md", conditions),
    "capacity": ("api.md", front_door),
    "ports": ("api.md", plugin_door),
    "scores": ("api.md", scores_door),
}


@pytest.mark.parametrize("part", PARTS)
def test_what_is_made_from_the_code_is_up_to_date(part: str) -> None:
    """Each generated table is the one the code gives."""
    page, lines = PARTS[part]
    stands, anew = made(page, part, lines)

    assert anew == stands, f"write it anew: python {Path(__file__).relative_to(house.ROOT)}"


def tutorial() -> Tick:
    """The tick that the tutorial makes, whose last block compares it with the file."""
    found: dict[str, Any] = {}
    exec("\n".join(house.examples("docs/tutorial/first-tick.md")[:-1]), found)
    tick: Tick = found["tick"]
    return tick


def test_the_tick_of_the_tutorial_is_the_one_in_its_file() -> None:
    """Byte for byte, so that what other pages read is what the tutorial shows."""
    assert dump_tick(tutorial()) == (DOCS / "example" / "tick.json").read_bytes()
    assert tutorial() == load_tick(DOCS / "example" / "tick.json")


# --- what the pages list ------------------------------------------------------------------------


def section(heading: str, page: Path = RULES_PAGE) -> str:
    """The text of one section of a page, of the one on the rules unless another is given."""
    return page.read_text(encoding="utf-8").partition(f"## {heading}\n")[2].partition("\n## ")[0]


def test_the_rules_stand_in_their_order() -> None:
    """Every rule and no other, in the order in which the first speaks; the last seven are those of a need."""
    told = re.findall(r"^\| `(\w+)` ", section("What may speak against a place"), re.MULTILINE)

    assert list(RULES) == told
    assert [rule.__name__ for rule in NEED_RULES] == told[9:]


def test_the_acts_stand_in_their_order() -> None:
    """What is tried first is told first, and no act goes unmentioned."""
    text = section("What is done with a seat")
    tried = [attempt.__name__.strip("_") for attempt in ATTEMPTS]

    assert [*tried, "keep"] == re.findall(r"^\d\. \*\*(\w+)\*\*", text, re.MULTILINE)
    assert set(get_args(Act)) <= set(re.findall(r"[*`](\w+)[*`]", text))


def test_the_keys_of_the_order_of_turns_stand_in_their_order() -> None:
    """Every key of that order, and the width of its bands."""
    text = section("In which order places are taken", DOCS / "explanation" / "choosing-a-turn.md")

    assert list(TURN_KEYS) == re.findall(r"^\| `(\w+)` ", text, re.MULTILINE)
    assert f"bands of {BAND:g} percent points" in text


def test_the_keys_of_the_order_stand_in_their_order() -> None:
    """Every key of the order, and the width of its bands."""
    text = section("In which order candidates are taken")

    assert list(KEYS) == re.findall(r"^\| `(\w+)` ", text, re.MULTILINE)
    assert f"bands of {BAND:g} percent points" in text
    assert f"missing {INVALID_AFTER} times in a row" in RULES_PAGE.read_text(encoding="utf-8")


# --- what a reader types ------------------------------------------------------------------------


def typed() -> list[tuple[str, str]]:
    """Every call of the command in any document: its page and its words."""
    pages = {house.short(page): page.read_text(encoding="utf-8") for page in PAGES}
    blocks = ((page, block) for page, text in pages.items() for block in CONSOLE.findall(text))
    return list(dict.fromkeys((page, line) for page, block in blocks for line in CALL.findall(block)))


@pytest.mark.parametrize(("page", "line"), typed(), ids=map(": ".join, typed()))
def test_what_is_typed_is_a_command(page: str, line: str) -> None:
    """Each command exists and takes what it is given."""
    words = shlex.split(line, comments=True)
    name = " ".join(words[:2]) if " ".join(words[:2]) in COMMANDS else words[0]

    assert name in COMMANDS, page
    command(name).make_context(name, words[len(name.split()) :])


def written(page: Path) -> str:
    """A page without what commands print."""
    blocks = re.split(r"^(```console\n.*?^```)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    typed = (re.sub(r"^(?!\$ |```).*\n", "", block, flags=re.MULTILINE) for block in blocks[1::2])
    return "".join([*blocks[::2], *typed])


def test_pages_are_read_in_one_sitting() -> None:
    """No page that a person wrote is long; what is looked up may be."""
    lengths = {house.short(page): written(page).count("\n") for page in PAGES}

    assert {} == {page: count for page, count in lengths.items() if count > 150 and "/reference/" not in page}


if __name__ == "__main__":
    for part, (page, lines) in PARTS.items():
        (DOCS / "reference" / page).write_text(made(page, part, lines)[1], encoding="utf-8")
    (DOCS / "example" / "tick.json").write_bytes(dump_tick(tutorial()))
