"""The page about the command says what the command takes, no more and no less."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from capacity.cli.app import COMMANDS, COMMON, command, program
from capacity.cli.exits import MEANINGS

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "command.md").read_text(encoding="utf-8")
EVERYWHERE = {f"--{parameter.name}" for parameter in COMMON} | {"--help"}


def section(heading: str) -> str:
    """The text below one heading, up to the next."""
    return re.split(r"^##+ ", PAGE.partition(f"# {heading}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]


def rows(text: str) -> dict[str, str]:
    """First column → second column of the tables in a text, headings left out."""
    cells = re.findall(r"^\| (.+?) \| (.+?) \|$", text, re.MULTILINE)
    return {first.strip("`").replace("\\|", "|"): second for first, second in cells if first not in ("---", "takes")}


def taken(made: Any) -> set[str]:
    """Everything a command takes, options with their metavar, besides what all of them take."""
    found = set()
    for one in made.params:
        if one.param_type_name == "argument":
            found.add(one.metavar or one.name.upper())
        elif not EVERYWHERE & set(one.opts):
            found.add(" ".join([one.opts[0], *([one.metavar] if one.metavar else [])]))
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_tells_what_a_command_takes(name: str) -> None:
    """Each command has a section whose table is its arguments and options."""
    text = section(f"`capacity {name}`")

    assert text.strip(), f"the page has no section about {name}"
    assert taken(command(name)) == set(rows(text))


def test_the_page_tells_of_no_other_command() -> None:
    """No section is about a command that is gone."""
    assert list(COMMANDS) == sorted(re.findall(r"^### `capacity (.+)`$", PAGE, re.MULTILINE), key=list(COMMANDS).index)


def test_the_page_tells_the_options_of_every_command() -> None:
    """Both tables of options are those of the program."""
    told = set(rows(section("Options of every command"))) - {"option"}
    root = {opts[0] for opts in (one.opts for one in program().params)}

    assert EVERYWHERE <= {option.split()[0] for option in told}
    assert root <= {option.split()[0] for option in told}


def test_the_page_tells_the_exit_codes() -> None:
    """One table of codes, in the program and on the page."""
    told = {int(code): meaning for code, meaning in rows(section("Exit codes")).items() if code.isdigit()}

    assert {code.value: meaning for code, meaning in MEANINGS.items()} == told


@pytest.mark.parametrize("name", COMMANDS)
def test_every_word_of_help_is_written(name: str) -> None:
    """A command, and all it takes, is explained in its help."""
    made = command(name)

    assert made.help
    assert [] == [one.name for one in made.params if not one.help]
