"""The door for plugin authors: the protocols, the effects, and every value their signatures name.

A plugin imports `capacity`, `capacity.ports`, `capacity.errors` and `capacity.testing`, and nothing else of the house.
"""

from capacity.ports.budget import Budget
from capacity.ports.contracts import (
    Ability,
    Actuator,
    Clock,
    InventorySource,
    Preparer,
    Prober,
    Reader,
    SourceCard,
    TierSource,
)
from capacity.ports.document import DOCUMENT_CAP, Document
from capacity.ports.effects import (
    Effect,
    Env,
    Flow,
    Get,
    Hear,
    Key,
    List,
    Pause,
    Read,
    Replace,
    Retry,
    Run,
    Say,
    Send,
    Start,
    key,
)
from capacity.ports.replies import Child, Exit, File, Line, Paths, Pulse, Replaced, Reply
from capacity.ports.secret import Secret
from capacity.ports.store import Claim, Record, Store
from capacity.values.conditions import Fact, Figure
from capacity.values.decision import Outcome, Placement
from capacity.values.failures import Failure
from capacity.values.limits import Limit, Reading, Scope, State
from capacity.values.models import Authority, Listing, Model, Residency
from capacity.values.rankings import RankingRow, Rankings, SourceStatus
from capacity.values.seats import Candidate, Fleet, Seat
from capacity.values.tick import Snapshot

__all__ = [
    "DOCUMENT_CAP",
    "Ability",
    "Actuator",
    "Authority",
    "Budget",
    "Candidate",
    "Child",
    "Claim",
    "Clock",
    "Document",
    "Effect",
    "Env",
    "Exit",
    "Fact",
    "Failure",
    "Figure",
    "File",
    "Fleet",
    "Flow",
    "Get",
    "Hear",
    "InventorySource",
    "Key",
    "Limit",
    "Line",
    "List",
    "Listing",
    "Model",
    "Outcome",
    "Paths",
    "Pause",
    "Placement",
    "Preparer",
    "Prober",
    "Pulse",
    "RankingRow",
    "Rankings",
    "Read",
    "Reader",
    "Reading",
    "Record",
    "Replace",
    "Replaced",
    "Reply",
    "Residency",
    "Retry",
    "Run",
    "Say",
    "Scope",
    "Seat",
    "Secret",
    "Send",
    "Snapshot",
    "SourceCard",
    "SourceStatus",
    "Start",
    "State",
    "Store",
    "TierSource",
    "key",
]
