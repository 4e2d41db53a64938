"""Settings of an engine: how long its claims live, and how long things are kept. Everything else is policy."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from attrs import evolve, frozen

from capacity.ports import Actuator


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
        offer_life: how long an offer stands until it is claimed. Default 30 s, enough to start a program.
        lease_life: how long a claimed lease lives unless it is renewed. Default 10 min: so long a slot is lost at the
            most where its holder dies, and so often a long turn has to renew at the least.
        lease_patience: how long a lease waits for a reading that is due. Default 2 s: most sources answer in that time.
        leases_kept: how long the lines about leases are kept. Default 1 day; what they used is kept with the rest.
        choices_kept: how long choices are kept. Default 7 days.
    """

    probe_life: timedelta = timedelta(seconds=60)
    prepare_life: timedelta = timedelta(minutes=10)
    fleet_life: timedelta = timedelta(seconds=60)
    read_deadline: timedelta = timedelta(seconds=10)
    notify_deadline: timedelta = timedelta(seconds=10)
    retention: timedelta = timedelta(days=90)
    offer_life: timedelta = timedelta(seconds=30)
    lease_life: timedelta = timedelta(minutes=10)
    lease_patience: timedelta = timedelta(seconds=2)
    leases_kept: timedelta = timedelta(days=1)
    choices_kept: timedelta = timedelta(days=7)

    @property
    def apply_deadline(self) -> timedelta:
        """Of one placement: half a claim's life, so that it has ended before anybody else may take the fleet."""
        return self.fleet_life / 2

    def patient_with(self, actuators: Iterable[Actuator]) -> Settings:
        """These settings, with as much time as the slowest actuator says that one of its flows may take.

        An actuator says it by an attribute `deadline`, a span; most have none.
        """
        longest = max((getattr(one, "deadline", timedelta(0)) for one in actuators), default=timedelta(0))
        reading, life = max(self.read_deadline, longest), max(self.fleet_life, 2 * longest)
        return evolve(self, read_deadline=reading, fleet_life=life)

    @property
    def prepare_deadline(self) -> timedelta:
        """Of making one model ready: likewise."""
        return self.prepare_life / 2
