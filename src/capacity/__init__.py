"""How much is left, what can run, what is good enough, who runs where, and how fast: one front door.

Names are imported when they are first used, so `import capacity` costs next to nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from capacity.codec import load_policy as load_policy
    from capacity.codec import load_tick as load_tick
    from capacity.core.classify import classify as classify
    from capacity.core.decide import decide as decide
    from capacity.core.explain import explain as explain
    from capacity.core.headroom import assess as assess
    from capacity.engine import Broker as Broker
    from capacity.engine import Engine as Engine
    from capacity.plugins import load_plugins as load_plugins
    from capacity.values.conditions import Condition as Condition
    from capacity.values.conditions import Reason as Reason
    from capacity.values.decision import Decision as Decision
    from capacity.values.decision import Placement as Placement
    from capacity.values.history import History as History
    from capacity.values.limits import Headroom as Headroom
    from capacity.values.limits import Limit as Limit
    from capacity.values.limits import Reading as Reading
    from capacity.values.limits import Scope as Scope
    from capacity.values.models import Inventory as Inventory
    from capacity.values.models import Model as Model
    from capacity.values.policy import Policy as Policy
    from capacity.values.seats import Need as Need
    from capacity.values.seats import Seat as Seat
    from capacity.values.tick import Tick as Tick
else:
    _ROOMS = {
        "Broker": "engine",
        "Condition": "values.conditions",
        "Decision": "values.decision",
        "Engine": "engine",
        "Headroom": "values.limits",
        "History": "values.history",
        "Inventory": "values.models",
        "Limit": "values.limits",
        "Model": "values.models",
        "Need": "values.seats",
        "Placement": "values.decision",
        "Policy": "values.policy",
        "Reading": "values.limits",
        "Reason": "values.conditions",
        "Scope": "values.limits",
        "Seat": "values.seats",
        "Tick": "values.tick",
        "assess": "core.headroom",
        "classify": "core.classify",
        "decide": "core.decide",
        "explain": "core.explain",
        "load_plugins": "plugins",
        "load_policy": "codec",
        "load_tick": "codec",
    }

    def __getattr__(name):
        import sys

        try:
            room = f"{__name__}.{_ROOMS[name]}"
        except KeyError:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
        __import__(room)
        value = globals()[name] = getattr(sys.modules[room], name)
        return value

    def __dir__():
        return sorted(__all__)


__all__ = [
    "Broker",
    "Condition",
    "Decision",
    "Engine",
    "Headroom",
    "History",
    "Inventory",
    "Limit",
    "Model",
    "Need",
    "Placement",
    "Policy",
    "Reading",
    "Reason",
    "Scope",
    "Seat",
    "Tick",
    "assess",
    "classify",
    "decide",
    "explain",
    "load_plugins",
    "load_policy",
    "load_tick",
]
