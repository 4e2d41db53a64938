"""What could run: every pair that a pool lists and a declared harness may run, and how an adopted row is found again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import frozen

from capacity.core.tiering.cells import Subject
from capacity.core.tiering.names import Names
from capacity.values.evidence import Pair
from capacity.values.models import Inventory, Model
from capacity.values.policy import HarnessPolicy, Policy
from capacity.values.tiers import TierRow


@frozen(eq=False)
class Shelf:
    """What could run.

    Attributes:
        policy: the policy.
        models: harness → id → the listed models it may run; one id may stand in several pools.
        names: the resolver.
    """

    policy: Policy
    models: Mapping[str, Mapping[str, tuple[Model, ...]]]
    names: Names

    def available(self, pair: Pair) -> bool:
        """Whether some pool lists the model, takes the effort, and the harness may draw on it."""
        listed = self.models.get(pair.harness, {}).get(pair.model, ())
        return any(_takes(model, pair.effort) for model in listed)

    def runnable(self, subject: Subject) -> Iterator[Pair]:
        """The pairs in which a model at an effort could run, by harness."""
        pairs = (Pair(harness, subject[0], subject[1] or None) for harness in sorted(self.models))
        return (pair for pair in pairs if self.available(pair))

    def adopted(self, row: TierRow) -> Pair:
        """The pair an adopted row is of, by the id its model goes by now; as it is written where nobody knows it."""
        harness = self.policy.harnesses.get(row.harness)
        name = row.model if harness is None else harness.aliases.get(row.model, row.model)
        answering = {id for id, models in self.models.get(row.harness, {}).items() if _answers(models, name)}
        meant = self.names.meaning(name).model if len(answering) != 1 else answering.pop()
        return Pair(row.harness, meant or row.model, row.effort)


def shelf(inventory: Inventory, policy: Policy, names: Names) -> Shelf:
    """What could run.

    Args:
        inventory: what every pool lists.
        policy: which harness may draw on which pool.
        names: the resolver.
    """
    return Shelf(policy, {name: _listed(harness, inventory) for name, harness in policy.harnesses.items()}, names)


def _listed(harness: HarnessPolicy, inventory: Inventory) -> dict[str, tuple[Model, ...]]:
    """Models by the id they go by: two that differ in case alone are one, as everywhere."""
    found: dict[str, tuple[Model, ...]] = {}
    for pool in harness.pools:
        listed = inventory.pools.get(pool)
        for model in listed.models if listed is not None else ():
            found[model.id] = (*found.get(model.id, ()), model)
    return found


def _takes(model: Model, effort: str | None) -> bool:
    return effort is None or model.efforts is None or effort in model.efforts


def _answers(models: tuple[Model, ...], name: str) -> bool:
    return any(name.casefold() in model.names for model in models)
