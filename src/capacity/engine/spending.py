"""What was spent by our own count, kept warm: the settlements are folded once, and then only what was added.

The document `spent` is how far they were folded and what came of it, for one set of budgets: another set counts anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from hashlib import sha256

from attrs import frozen

from capacity import codec
from capacity.core.budgets import fold, ledger
from capacity.core.tallies import Tallies
from capacity.engine.folds import Fold
from capacity.engine.leasing import SETTLED, Reply
from capacity.errors import FormError
from capacity.ports import Store
from capacity.values.budgets import Spent
from capacity.values.models import Inventory
from capacity.values.policy import Policy

MARK = "spent"

FORM = 1
"""Of the mark. Raised when the fold of settlements changes what it keeps."""


@frozen
class Counted:
    """How far the settlements were folded, and what came of it.

    Attributes:
        form: of the fold; a mark of another form is ignored.
        budgets: sha-256 of the text of the budgets and deals it was counted by.
        since: number of the last settlement in it.
        tallies: what came of it.
    """

    form: int = FORM
    budgets: str = ""
    since: int = 0
    tallies: Tallies = ()


class Spending:
    """What was spent, by the budgets of one policy at a time.

    Args:
        store: where the settlements are.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._policy: Policy | None = None
        self._inventory: Inventory | None = None
        self._tallies = self._folded(())

    def spent(self, policy: Policy, as_of: datetime, inventory: Inventory | None = None) -> tuple[Spent, ...]:
        """What was spent as it stands at an instant; nothing is read where the policy counts nothing.

        Args:
            policy: whose budgets are counted.
            as_of: the present, UTC.
            inventory: what tells every name of a model, for deals.
        """
        if not policy.budgets:
            return ()
        self._inventory = inventory
        self._take_up(policy)
        return ledger((), policy, as_of, start=self._tallies.present(), inventory=inventory)

    def mark(self) -> None:
        """Note how far the settlements are folded, so that the next process starts there."""
        if self._policy is None:
            return
        tallies, body = self._tallies.present(), self._store.get(MARK)
        counted = Counted(FORM, _digest(self._policy), self._tallies.since, tallies)
        if counted.since > self._noted(counted.budgets).since:
            self._store.swap(MARK, codec.dumps(counted), body)

    def _take_up(self, policy: Policy) -> None:
        if policy is not self._policy:
            noted = self._noted(_digest(policy))
            self._policy = policy
            self._tallies = self._folded(noted.tallies, noted.since)

    def _folded(self, start: Tallies, since: int = 0) -> Fold[Reply, Tallies]:
        return Fold[Reply, Tallies](self._store, SETTLED, Reply, self._step, start, since)

    def _step(self, new: Iterable[Reply], before: Tallies) -> Tallies:
        return fold((one.settled for one in new), self._policy or Policy(), before, self._inventory)

    def _noted(self, budgets: str) -> Counted:
        body = self._store.get(MARK)
        try:
            noted = Counted() if body is None else codec.loads(Counted, body, source=MARK)
        except FormError:  # of another release: the settlements themselves are the truth
            return Counted()
        return noted if (noted.form, noted.budgets) == (FORM, budgets) else Counted()


def _digest(policy: Policy) -> str:
    return sha256(codec.dumps({"budgets": policy.budgets, "deals": list(policy.deals)})).hexdigest()
