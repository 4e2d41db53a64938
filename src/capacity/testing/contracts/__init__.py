"""What every plugin owes, as plain pytest classes: subclass one, give its fixtures, and its tests run as yours.

They need pytest (extra `testing`). There is no pytest plugin to load: importing a contract is opting in.
"""

import pytest

pytest.register_assert_rewrite(  # before they are imported, so that a broken contract shows what differs
    *(
        f"{__name__}.{name}"
        for name in (
            "_claims",
            "_contract",
            "_drift",
            "actuator",
            "failures",
            "inventory",
            "preparer",
            "prober",
            "program",
            "reader",
            "store",
            "tiers",
        )
    )
)

from capacity.testing.contracts._contract import Contract  # noqa: E402 - after the registration
from capacity.testing.contracts._drift import Case  # noqa: E402 - after the registration
from capacity.testing.contracts.actuator import ActuatorContract  # noqa: E402 - after the registration
from capacity.testing.contracts.failures import FailureContract  # noqa: E402 - after the registration
from capacity.testing.contracts.inventory import InventoryContract  # noqa: E402 - after the registration
from capacity.testing.contracts.preparer import PreparerContract  # noqa: E402 - after the registration
from capacity.testing.contracts.prober import ProberContract  # noqa: E402 - after the registration
from capacity.testing.contracts.program import ProgramContract  # noqa: E402 - after the registration
from capacity.testing.contracts.reader import ReaderContract  # noqa: E402 - after the registration
from capacity.testing.contracts.store import StoreContract  # noqa: E402 - after the registration
from capacity.testing.contracts.tiers import TierContract  # noqa: E402 - after the registration

__all__ = [
    "ActuatorContract",
    "Case",
    "Contract",
    "FailureContract",
    "InventoryContract",
    "PreparerContract",
    "ProberContract",
    "ProgramContract",
    "ReaderContract",
    "StoreContract",
    "TierContract",
]
