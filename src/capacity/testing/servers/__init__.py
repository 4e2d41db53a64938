"""Servers on loopback that speak the real wire shapes of four backends and of a hive. Standard library only.

Each is driven by a clock, so that a settable one moves its resets; each notes what it was asked, so that a test can count
it; and each can be told to refuse, to break its shape, or to change what it says. Names of models come from the caller.

A plugin author's own: `CannedServer` says what it is told, path for path; a subclass of `LoopbackServer` with an `answer`
of its own speaks as the real service does, and `spoil` makes any of them say something else for a while.
"""

from capacity.testing.servers._loopback import Answer, Asked, LoopbackServer, Request
from capacity.testing.servers.canned import CannedServer
from capacity.testing.servers.claude import ClaudeModel, ClaudeServer, ClaudeWindow, write_credentials
from capacity.testing.servers.codex import CodexModel, CodexServer, CodexWindow, write_codex_home
from capacity.testing.servers.deepseek import DeepSeekServer
from capacity.testing.servers.hive import Habits, HiveAgent, HiveServer
from capacity.testing.servers.llama import LlamaModel, LlamaServer

__all__ = [
    "Answer",
    "Asked",
    "CannedServer",
    "ClaudeModel",
    "ClaudeServer",
    "ClaudeWindow",
    "CodexModel",
    "CodexServer",
    "CodexWindow",
    "DeepSeekServer",
    "Habits",
    "HiveAgent",
    "HiveServer",
    "LlamaModel",
    "LlamaServer",
    "LoopbackServer",
    "Request",
    "write_codex_home",
    "write_credentials",
]
