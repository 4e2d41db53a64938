"""What was typed and cannot be: one sentence that names the word at fault and where to read on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import typer

Misuse: type[Any] = typer.BadParameter.__mro__[1]
"""What Typer raises for any word it cannot place. It shows the class by no public name, but by its best known child."""

SENTENCES: Mapping[str, str] = {
    r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)": "nothing may follow, but {!r} does",
    r"Missing (?:argument|option|parameter) '?(.*?)'?\.(?:\s.*)?": "{} is missing",
    r"Invalid value for '(.*?)': Input should be (.*?)(?:, unable.*)?": "{} must be {}",
    r"Invalid value for '(.*?)': (?:Value error, )?(.*?)\.?": "{}: {}",
    r"No such option: (\S+) \(Possible options: (.*)\)": "there is no option {}; did you mean {}?",
    r"No such option: (\S+) Did you mean (.*)\?": "there is no option {}; did you mean {}?",
    r"No such option: (\S+)": "there is no option {}",
}
"""What Typer says → the same in our words, with what was found in it. Anything else is told as it is."""


def sentence(error: Any) -> str:
    """What was wrong with a command line."""
    told = str(error.format_message()).strip()
    matches = ((re.fullmatch(pattern, told, re.DOTALL), ours) for pattern, ours in SENTENCES.items())
    what = next((ours.format(*found.groups()) for found, ours in matches if found), _small(told.rstrip(".")))
    command = "capacity" if error.ctx is None else error.ctx.command_path
    return f"{command}: {what}{' ' if what.endswith('?') else '; '}`{command} --help` tells how it is called"


def _small(text: str) -> str:
    """A sentence without its capital."""
    return text[:1].lower() + text[1:]
