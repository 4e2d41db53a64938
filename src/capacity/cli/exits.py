"""How the command ends: one table of exit codes, and which error leads to which of them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

from capacity.errors import CapacityError, FormError, NoSuch, PluginError


class Code(IntEnum):
    """An exit code."""

    FINE = 0
    FAILED = 1
    USAGE = 2
    NOT_MINE = 3
    LOUD = 4
    CANNOT_TELL = 5
    INVALID = 6
    DIFFERS = 7
    UNANSWERED = 10
    INTERRUPTED = 130


MEANINGS: Mapping[Code, str] = {
    Code.FINE: "fine",
    Code.FAILED: "failed: the store, the machine, or the program itself",
    Code.USAGE: "what was typed, the policy, or a file or plugin that was named is at fault",
    Code.NOT_MINE: "not mine: the backend's reader does not take the document",
    Code.LOUD: "done, and a condition stands that needs a person",
    Code.CANNOT_TELL: "cannot tell whether the model exists",
    Code.INVALID: "the model is invalid",
    Code.DIFFERS: "the decision is not the one in the file",
    Code.UNANSWERED: "a tier source that is required did not answer, or none did",
    Code.INTERRUPTED: "interrupted",
}
"""Code → what it says."""


class UsageFault(CapacityError):
    """What was typed cannot be done; the message says what can."""


def code_of(error: CapacityError) -> Code:
    """The code an error ends with."""
    return Code.USAGE if isinstance(error, UsageFault | FormError | NoSuch | PluginError) else Code.FAILED
