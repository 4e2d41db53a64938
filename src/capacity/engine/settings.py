"""Settings of an engine: how long its claims live, and how long things are kept. Everything else is policy."""

from __future__ import annotations

from datetime import timedelta

from attrs import frozen


@frozen(kw_only=True)
class Settings:
    """Spans an engine works with.

    Attributes:
        probe_life: how long a source is claimed while it is asked. Default 60 s, six times a flow's usual deadline.
        prepare_life: how long a pool is claimed while a model of it is made ready. Default 10 min: half of it, what the
            loading itself may take, reads 45 GB from a disk that gives 150 MB a second.
        fleet_life: how long a fleet is claimed at a time; renewed before each placement. Default 60 s.
        read_deadline: of reading a fleet, and of a fingerprint. Default 10 s, what one effect may take.
        notify_deadline: of the notify command. Default 10 s, likewise.
        retention: how long what was published, decided and done is kept. Default 90 days.
    """

    probe_life: timedelta = timedelta(seconds=60)
    prepare_life: timedelta = timedelta(minutes=10)
    fleet_life: timedelta = timedelta(seconds=60)
    read_deadline: timedelta = timedelta(seconds=10)
    notify_deadline: timedelta = timedelta(seconds=10)
    retention: timedelta = timedelta(days=90)

    @property
    def apply_deadline(self) -> timedelta:
        """Of one placement: half a claim's life, so that it has ended before anybody else may take the fleet."""
        return self.fleet_life / 2

    @property
    def prepare_deadline(self) -> timedelta:
        """Of making one model ready: likewise."""
        return self.prepare_life / 2
