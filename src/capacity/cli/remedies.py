"""What a person does about what is wrong: by the state of a source, and by the condition that stands."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from capacity.cli.lines import soon
from capacity.values.conditions import Condition
from capacity.values.limits import PoolHeadroom, State
from capacity.values.policy import Policy

NEVER = "nobody has asked yet: run `capacity tick`, or `capacity plan`, which applies nothing"
OLD = "nothing newer was published: is `capacity tick` or `capacity watch` still running?"

NO_ACCOUNT = (
    "no account is in the policy, so nothing is asked and nothing known: add a table under [accounts]; "
    "`capacity plugins` lists what can be read"
)
NO_FLEET = (
    "no fleet is in the policy, so nobody is placed: add a table under [fleets] for whatever runs your agents; "
    "`mode` is shadow until you say otherwise"
)
NO_HARNESS = (
    "no harness is in the policy, so no seat can be placed: add a table under [harnesses] with the pools it draws on"
)

STATES: Mapping[State, str] = {
    "ok": "",
    "throttled": "wait: it is asked again by itself",
    "stale-credentials": "start the program that owns the login once, so that it refreshes its token",
    "login-required": "log in again with the program that owns the login, or put a valid key where the policy says it is",
    "unsupported": "name a login that may report, or say `unmeasurable = true` for the pool",
    "unreachable": "see whether the service runs, and whether address, credentials and network are as the policy says",
    "unrecognised": "upgrade the backend's plugin; where that does not help, report the answer with what `capacity read` makes of it",
}
"""State of the newest reading → what to do; nothing where all is well."""

CONDITIONS: Mapping[str, str] = {
    "core:pool-empty": "top it up, or lower its `money_floor`",
    "core:login-required": STATES["login-required"],
    "core:plan-lapsed": "renew the plan, or give its seats another pool; `capacity rearm POOL` tries it at once",
    "core:not-entitled": "take the row out of the tier, or name a login that may use it",
    "core:quarantined": "see whether its provider is down; it is tried again by itself, `capacity rearm POOL` at once",
    "core:model-invalid": "adopt another model in the tier's rows; `capacity models check` tells which ids are near",
    "core:nothing-eligible": "`capacity explain SEAT` tells what stands against each candidate",
    "core:conflict": "look who changed the seat; `capacity tick --accept FLEET/SEAT` takes it as it stands",
    "core:indeterminate": "look at the seat; `capacity tick --accept FLEET/SEAT` takes it as it stands",
    "core:not-applied": "see why in the fleet; the next tick tries again where it still wants the same",
    "core:fleet-refuses": "mend what the sentence names; the next tick looks again",
    "core:second-controller": "end the other controller, or take the fleet out of this policy",
    "core:duplicate-account": "take one of the two accounts out of the policy, or name another login for it",
    "core:plugin-failing": "upgrade or reinstall the plugin; `capacity plugins` tells its version",
    "core:saturated-down": "give its seats a lower floor or a cadence to slow, move some elsewhere, or let it run out",
    "core:saturated-up": "give it more work, or pay for less of it",
    "core:saturated-by-others": "see who else spends it: nothing that is done with these seats will save it",
    "core:no-tiers": "adopt rows: write the file that `tiers.adopted` names, or let `capacity tiers propose` make a start",
    "core:tier-empty": "`capacity tiers show` tells why nothing runs by its rows; adopt one that can be run",
    "core:tiers-stale": "`capacity tiers refresh`, then adopt what it proposes, or `capacity tiers pin` what is still true",
    "core:source-failing": "give it what is missing, or take it out of `tiers.sources`; `capacity tiers sources` tells more",
}
"""Code of a condition that needs a person → what to do."""


def for_policy(policy: Policy) -> tuple[str, ...]:
    """What is still missing of a policy before anything can come of it, each with the next step; nothing where it is whole."""
    steps = (
        (NO_ACCOUNT, not policy.accounts),
        (NO_HARNESS, bool(policy.accounts and policy.fleets) and not policy.harnesses),
        (NO_FLEET, not policy.fleets),
    )
    return tuple(step for step, missing in steps if missing)


def for_pool(pool: PoolHeadroom, as_of: datetime) -> str:
    """What to do about a pool of which no more is known; nothing where all is well."""
    if pool.state is None:
        return NEVER
    if pool.state == "ok" and pool.limits and not any(one.evidence == "fresh" for one in pool.limits):
        return OLD
    again = "" if pool.retry_at is None else f", not before {soon(pool.retry_at, as_of)}"
    return STATES[pool.state] + (again if pool.state == "throttled" else "")


def for_condition(condition: Condition) -> str:
    """What to do about a condition; of one that no person need look at, what ends it."""
    known = CONDITIONS.get(condition.fact.code)
    if known is not None:
        return known
    return "its plugin's page tells" if condition.loud else f"nothing: it ends by {condition.ends}"
