"""The entry-point groups, one for each port, so that what a backend cannot do is seen without importing it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from capacity.ports import Actuator, InventorySource, Preparer, Prober, Reader, Store, TierSource

READERS = "capacity.readers"
PROBERS = "capacity.probers"
INVENTORIES = "capacity.inventories"
PREPARERS = "capacity.preparers"
TIERS = "capacity.tiers"
ACTUATORS = "capacity.actuators"
STORES = "capacity.stores"

PORTS: Mapping[str, tuple[str, type[Any]]] = {
    READERS: ("reader", Reader),
    PROBERS: ("prober", Prober),
    INVENTORIES: ("inventory", InventorySource),
    PREPARERS: ("preparer", Preparer),
    TIERS: ("tier source", TierSource),
    ACTUATORS: ("actuator", Actuator),
    STORES: ("store", Store),
}
"""Entry-point group → the word for its port, and the port."""

BACKEND = (READERS, PROBERS, INVENTORIES, PREPARERS)
"""The groups a backend may offer; it need not offer all."""

OPTIONAL: Mapping[str, Collection[str]] = {ACTUATORS: ("prepare", "report")}
"""Members of a port that are called only where an ability says so."""
