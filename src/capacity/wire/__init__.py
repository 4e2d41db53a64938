"""EDGE: where effects are performed. Only this room opens a connection, a process, a file or a secret.

Everything is fetched when it is first used: whoever only replays a cassette loads neither a loop nor an HTTP client.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from capacity.wire.cassette import Cassette as Cassette
    from capacity.wire.cassette import Recorder as Recorder
    from capacity.wire.driver import arun as arun
    from capacity.wire.driver import arun_all as arun_all
    from capacity.wire.driver import run as run
    from capacity.wire.driver import run_all as run_all
    from capacity.wire.host import Host as Host
    from capacity.wire.host import SystemClock as SystemClock
    from capacity.wire.replay import replay as replay
else:
    _FILES = {
        "Cassette": "cassette",
        "Host": "host",
        "Recorder": "cassette",
        "SystemClock": "host",
        "arun": "driver",
        "arun_all": "driver",
        "replay": "replay",
        "run": "driver",
        "run_all": "driver",
    }

    def __getattr__(name):
        from importlib import import_module

        if name not in _FILES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_FILES[name]}"), name)
        globals()[name] = value  # `replay` is a file too: the function has to win over it
        return value


__all__ = [
    "Cassette",
    "Host",
    "Recorder",
    "SystemClock",
    "arun",
    "arun_all",
    "replay",
    "run",
    "run_all",
]
