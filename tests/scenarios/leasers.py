"""Sixteen processes lease three slots, and are killed one after another. Run by `test_leases_kill.py`.

The parent forks the children, kills one at random every now and then and starts another. Who holds a slot holds a lock of
the kernel's on a file of that slot too: it is let go when its holder dies, so that two holders would be seen. What must be
remembered of a killed one goes to a log that is only ever appended to.
"""

from __future__ import annotations

import fcntl
import os
import random
import signal
import sys
import time
import traceback
from datetime import timedelta
from pathlib import Path

from capacity.core.leases import number_of
from capacity.engine import Broker, Settings
from capacity.plugins import READERS, Plugin, Plugins
from capacity.store import memory, sqlite
from capacity.testing.fakes import FakeReader
from capacity.values.lanes import Serving
from capacity.values.leases import Amount, Lease, Usage
from capacity.values.policy import AccountPolicy, HarnessPolicy, Policy, PoolPolicy
from capacity.values.seats import Need
from capacity.values.tiers import TierRow, Tiers

PROCESSES, SLOTS = 16, 3
LIFE = timedelta(seconds=0.4)  # long beside a turn here, short beside the whole of it
EVERY = 0.15  # seconds from one kill to the next: at that a slot is lost to the dead a sixth of the time
NAP = 0.02  # seconds a process waits for a slot, on average: thirteen of them do

POLICY = Policy(
    tiers=Tiers(("top",), (TierRow("top", "h", "m"),)),
    accounts={"near": AccountPolicy("near", "fake")},
    pools={
        "near": PoolPolicy(
            "near", "near", "local", unmeasurable=True, egress="none", models=("m",),
            serving=(Serving(slots=SLOTS, context=100_000),),
        )
    },
    harnesses={"h": HarnessPolicy("h", ("near",))},
)  # fmt: skip  # a table
NEED = Need(tier="top", context=100, local=True)


def patience_for(leases: int) -> float:
    """Seconds after which so many are given up: 0.1 s each on a machine that does much else, and a while to begin."""
    return 140 + leases / 10


def broker(store: object) -> Broker:
    plugins = Plugins([Plugin(READERS, "fake", "capacity-fake", "1", lambda: FakeReader({}))])
    return Broker(POLICY, store=store, plugins=plugins, settings=Settings(lease_life=LIFE, offer_life=LIFE))  # type: ignore[arg-type]  # a store of either kind


class Leaser:
    """One child: it leases until so many leases were granted to all of them together."""

    def __init__(self, folder: Path, name: str, leases: int) -> None:
        self.folder, self.name, self.leases = folder, name, leases
        self.log = os.open(folder / "log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self.chance = random.Random(name)
        self.broker = broker(sqlite(path=folder / "capacity.db"))

    def live(self) -> None:
        while not (self.folder / "stop").exists():
            told = (
                self.broker.offer(self.name, NEED) if self.chance.random() < 0.3 else self.broker.lease(self.name, NEED)
            )
            if not isinstance(told, Lease):
                time.sleep(self.chance.expovariate(1 / NAP))
                continue
            lease = told if told.claimed else self.broker.claim(told)
            if lease is not None:
                self.use(lease)
                self.end(lease)
            if number_of(told.id) >= self.leases:
                (self.folder / "stop").touch()

    def use(self, lease: Lease) -> None:
        """A turn. Whoever finds the slot in use by another says so, with the leases of both: either may be the late one."""
        slot = os.open(self.folder / f"slot-{lease.slot}", os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(slot, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.pwrite(slot, lease.id.encode().ljust(64), 0)
            time.sleep(self.chance.expovariate(1 / 0.001))
        except BlockingIOError:
            os.write(self.log, b"clash " + lease.id.encode() + b" " + os.pread(slot, 64, 0).strip() + b"\n")
        finally:
            os.close(slot)

    def end(self, lease: Lease) -> None:
        """A turn ends in every way there is, now and then twice, and now and then nobody tells."""
        ways = (
            lambda: self.broker.settle(lease, Usage(input=Amount(1))),
            lambda: self.broker.release(lease),
            lambda: self.broker.fail(lease, transport="aborted"),
            lambda: (
                self.broker.renew(lease),
                self.broker.settle(lease),
                self.broker.settle(lease, Usage(input=Amount(9))),
            ),
        )
        self.chance.choices(ways, weights=(8, 1, 1, 2))[0]()


def start(folder: Path, name: str, leases: int) -> int:
    """Fork a child; its process id."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            Leaser(folder, name, leases).live()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return child


def main() -> None:
    folder, leases = Path(sys.argv[1]), int(sys.argv[2])
    patience = patience_for(leases)
    warm = broker(memory())  # so that no child has to import or build anything again
    lease = warm.lease("warm", NEED)
    assert isinstance(lease, Lease)
    warm.settle(lease)
    chance, births, kills = random.Random(7), 0, 0
    end = time.monotonic() + patience
    children = {start(folder, f"s{(births := births + 1)}", leases) for _ in range(PROCESSES)}
    while not (folder / "stop").exists() and time.monotonic() < end:
        time.sleep(chance.expovariate(1 / EVERY))
        child = chance.choice(sorted(children))
        os.kill(child, signal.SIGKILL)
        assert -signal.SIGKILL == os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) or (folder / "stop").exists()
        children.remove(child)
        kills += 1
        children.add(start(folder, f"s{(births := births + 1)}", leases))
    (folder / "stop").touch()
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in sorted(children)]
    print(kills, sum(codes))


if __name__ == "__main__":
    main()
