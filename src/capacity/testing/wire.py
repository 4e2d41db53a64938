"""The real driver and its cassettes, for tests: a plugin may not import the room they live in.

A flow is run once against a program or server with `run(flow, deadline=…, host=Host(recorder=Recorder()))`; what was
recorded is saved, and from then on the flow is stepped by `replay(flow, Cassette.load(path))`, without clock, loop or I/O.
Secrets are masked before anything is kept.
"""

from capacity.wire import Cassette, Host, Recorder, arun, arun_all, replay, run, run_all

__all__ = ["Cassette", "Host", "Recorder", "arun", "arun_all", "replay", "run", "run_all"]
