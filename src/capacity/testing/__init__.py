"""The kit for whoever tests against `capacity`: fakes, strategies, contracts, loopback servers, replay.

Nothing is imported here; each module is asked for by its own name, so none pays for another's imports:

* `capacity.testing.fakes`, `.clocks`: a fake for every port, and clocks that are set. Standard library and attrs.
* `capacity.testing.flows`: a flow stepped by hand, against a world that is a handful of dictionaries.
* `capacity.testing.children`: fake programs with every bad habit, and a proof that none is left.
* `capacity.testing.strategies`: hypothesis strategies for every value, and whole worlds; in `.wire`, answers that drift
  (extra `testing`).
* `capacity.testing.contracts`: what every plugin owes, as plain pytest classes (extra `testing`).
* `capacity.testing.servers`: servers on loopback that speak real wire shapes. Standard library and attrs.
* `capacity.testing.wire`: the real driver, and cassettes of what it saw.
* `capacity.testing.replay`: a saved tick, decided once more.
"""
