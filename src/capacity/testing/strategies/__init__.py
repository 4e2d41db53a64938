"""Hypothesis strategies for every value, and for whole worlds: shipped, so that whoever embeds `capacity` can use them.

`value(Class)` draws any value, port values included. `worlds()` draws the four inputs of a decision so that they make
sense together; everything else may be as odd as its class allows.
"""

from capacity.testing.strategies._build import instants, money, percents, spans, words
from capacity.testing.strategies._paced import paced_worlds
from capacity.testing.strategies.values import (
    amounts,
    budgets,
    candidates,
    conditions,
    decisions,
    documents,
    facts,
    figures,
    fleets,
    headrooms,
    histories,
    intervals,
    inventories,
    limits,
    listings,
    models,
    needs,
    policies,
    pool_headrooms,
    pool_inventories,
    readings,
    seats,
    ticks,
    value,
)
from capacity.testing.strategies.worlds import World, worlds

__all__ = [
    "World",
    "amounts",
    "budgets",
    "candidates",
    "conditions",
    "decisions",
    "documents",
    "facts",
    "figures",
    "fleets",
    "headrooms",
    "histories",
    "instants",
    "intervals",
    "inventories",
    "limits",
    "listings",
    "models",
    "money",
    "needs",
    "paced_worlds",
    "percents",
    "policies",
    "pool_headrooms",
    "pool_inventories",
    "readings",
    "seats",
    "spans",
    "ticks",
    "value",
    "words",
    "worlds",
]
