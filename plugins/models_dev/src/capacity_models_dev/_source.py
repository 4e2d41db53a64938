"""What is asked of models.dev, as a flow: one file."""

from __future__ import annotations

from datetime import timedelta

from attrs import field, frozen
from attrs.validators import in_
from capacity.ports import Budget, Get, Rankings, SourceCard
from capacity.ports.scores import DAILY, Board, Fields, address

from capacity_models_dev._rows import harnesses, known, models_of, told

BASE_URL = "https://models.dev"

TIMEOUT = timedelta(seconds=30)
"""The larger file has 3.4 MB."""

CARD = SourceCard(
    url="https://models.dev",
    licence="MIT",
    attribution="Benchmark rows from models.dev (https://models.dev), MIT; each figure under the terms of its own source.",
)


@frozen(kw_only=True)
class Catalogue:
    """Reads one file of models.dev.

    Attributes:
        base_url: where it is.
        file: its name.
        about: where the figures come from.
        budget: how often it may be asked.
    """

    base_url: str = field(converter=address)
    file: str = field(validator=in_(("models.json", "catalog.json")))
    about: SourceCard = CARD
    budget: Budget = DAILY

    async def rankings(self) -> Rankings:
        """The benchmark rows of every model, and the models themselves."""
        board = Board(source="models-dev", about=self.about, budget=self.budget)
        reply = await Get(f"{self.base_url}/{self.file}", timeout=TIMEOUT, keep=True)
        tree = board.tree(reply)
        if isinstance(tree, Rankings):
            return tree
        models = models_of(Fields(tree))
        if not models:
            return board.invalid(reply.at, f"answered {self.file} without a single model")
        names = harnesses(models)
        rows = [told(id, row, names) for id, model in models.items() for row in model.items("benchmarks") or ()]
        return board.told([reply], rows, known=(known(id, model) for id, model in models.items()))
