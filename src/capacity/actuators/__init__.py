"""The actuators the core brings: a file both sides keep, an operator's programs, a host's own functions."""

from capacity.actuators._callback import callback
from capacity.actuators._command import command
from capacity.actuators._file import file

__all__ = ["callback", "command", "file"]
