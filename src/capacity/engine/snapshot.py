"""The one function that builds what a page, a table or a report shows. It reads what was published and asks nobody."""

from __future__ import annotations

from capacity.engine.ledger import Ledger
from capacity.values.decision import Decision
from capacity.values.policy import Policy
from capacity.values.tick import Snapshot


def snapshot(ledger: Ledger, policy: Policy) -> Snapshot:
    """What is known, decided and held at this instant."""
    as_of, last = ledger.now(), ledger.archive.last()
    made = None if last is None else ledger.archive.part(last, "decision", Decision)
    return Snapshot(
        as_of,
        tick=None if last is None else last.id,
        pools=tuple(ledger.headroom(policy, as_of).pools.values()),
        models=tuple(ledger.inventory(policy, as_of).pools.values()),
        placements=() if made is None else made.placements,
        conditions=ledger.conditions(),
        circuits=ledger.circuits(as_of, policy.circuits),
        paces=() if made is None else made.paces,
        proposals=tuple(one.proposal for one in ledger.dossier.pending(as_of)),
        leases=ledger.leasing.leases(as_of),
    )
