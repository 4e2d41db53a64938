"""A model is made ready because somebody asked for it by name, and for no other reason; one at a time for each pool.

Models of one device count as those of one pool. By whom is the policy's word: its own program, else (`prepare = true`)
the backend's preparer, else the first fleet that is written to and whose actuator can. What was asked for is noted before
anybody is asked, what became of it after.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial

from attrs import evolve, frozen

from capacity.codec.faults import nearest, quoted
from capacity.core.lanes import serving
from capacity.core.leases import names_of
from capacity.engine.actuation import typed
from capacity.engine.backends import Backend
from capacity.engine.documents import Prepared
from capacity.engine.ledger import Ledger
from capacity.engine.operator import known
from capacity.engine.settings import Settings
from capacity.errors import CapacityError, Fault, NoSuch, NotFound, PolicyError, Refused
from capacity.plugins.factories import masked, said
from capacity.plugins.wanted import prepare_path
from capacity.ports import Actuator, Candidate, Flow, Outcome, Run
from capacity.values.models import Inventory
from capacity.values.policy import Policy, PoolPolicy
from capacity.wire import Host, run

MODEL = "{model}"
"""What stands for the model's id in the words of a program."""


@frozen(eq=False)
class Request:
    """A model that is to be made ready.

    Attributes:
        pool: full name.
        model: its id where a listing tells it, else the name that was given.
        by: who does it: `program`, `plugin`, or `fleet NAME`.
        begin: makes the flow.
        device: what it is loaded on, where the policy says so; else its pool stands for it.
    """

    pool: str
    model: str
    by: str
    begin: Callable[[], Flow[Outcome]]
    device: str


class Preparing:
    """Whoever makes the models of one policy ready.

    Args:
        policy: whose pools.
        backends: account → its ports.
        actuators: fleet → its actuator.
        ledger: where it is noted.
        host: where flows run.
        holder: who claims.
        settings: how long a claim lives, and so how long a flow may take.
    """

    def __init__(
        self, policy: Policy, backends: Mapping[str, Backend], actuators: Mapping[str, Actuator], ledger: Ledger,
        host: Host, holder: str, settings: Settings,
    ) -> None:  # fmt: skip  # what it works with, each once
        self._policy, self._backends, self._actuators = policy, backends, actuators
        self._ledger, self._host, self._holder, self._settings = ledger, host, holder, settings

    def request(self, pool: str, model: str) -> Request:
        """What is to be done for a model of a pool. Nobody is asked.

        Raises:
            PolicyError: the policy has no such pool, or says of none of its models how it is loaded.
            NoSuch: the pool's listing has no such model, or several of that name.
        """
        known(self._policy.pools, "pools", pool)
        inventory, rules = self._ledger.inventory(self._policy, self._ledger.now()), self._policy.pools[pool]
        id_ = found(inventory, pool, model)
        by, begin = self._way(rules, id_)
        names = names_of(inventory, pool, id_)
        return Request(pool, id_, by, begin, serving(rules.serving, names).device or pool)

    def carry_out(self, request: Request) -> Outcome:
        """Do it, unless another model of the pool, or of its device, is being made ready just now."""
        store, key = self._ledger.store, f"prepare:{request.device}"
        claim = store.claim(key, self._holder, 1, self._settings.prepare_life)
        if claim is None:
            return Outcome(
                "conflict", f"{store.holder(key) or 'somebody'} makes a model of {request.device} ready just now"
            )
        try:
            self._note(request, None)
            outcome = self._done(request)
            self._note(request, outcome)
        finally:
            store.release(claim)
        return outcome

    def _done(self, request: Request) -> Outcome:
        try:
            outcome = run(typed(Outcome, request.begin), deadline=self._settings.prepare_deadline, host=self._host)
        except (NotFound, Refused) as error:  # nobody was there to begin with it
            outcome = Outcome("rejected", str(error))
        except Exception as error:  # noqa: BLE001 - whatever a plugin raises, it may have begun before it did
            told = str(error) if isinstance(error, CapacityError) else f"its {request.by} failed: {said(error)}"
            outcome = Outcome("indeterminate", told)
        return evolve(outcome, at=outcome.at or self._ledger.now())

    def _note(self, request: Request, outcome: Outcome | None) -> None:
        self._ledger.prepared(Prepared(request.pool, request.model, request.by, self._ledger.now(), outcome))

    def _way(self, pool: PoolPolicy, model: str) -> tuple[str, Callable[[], Flow[Outcome]]]:
        if isinstance(pool.prepare, tuple) and pool.prepare:
            words = tuple(word.replace(MODEL, model) for word in pool.prepare)
            return "program", partial(_ran, words, self._settings.prepare_deadline)
        preparer = self._backends[pool.account].preparer
        if pool.prepare and preparer is not None:
            return "plugin", partial(preparer.prepare, model)
        for fleet, actuator in self._able() if pool.prepare else ():
            harness = next((one.name for one in self._policy.harnesses.values() if pool.name in one.pools), None)
            if harness is not None:
                return f"fleet {fleet}", partial(actuator.prepare, Candidate(harness, pool.name, model))
        raise PolicyError("policy", (self._no_way(pool),))

    def _able(self) -> list[tuple[str, Actuator]]:
        """The fleets that are written to and whose actuators make candidates ready, by name."""
        enforced = {name for name, fleet in self._policy.fleets.items() if fleet.mode == "enforce"}
        return [
            (name, one)
            for name, one in sorted(self._actuators.items())
            if name in enforced and "prepare" in one.abilities
        ]

    def _no_way(self, pool: PoolPolicy) -> Fault:
        path = prepare_path(pool)
        if not pool.prepare:
            return Fault(
                path,
                f"nothing says how a model of {pool.name} is loaded",
                "name a program, or say true where its plugin loads models",
            )
        plugin = self._policy.accounts[pool.account].plugin
        return Fault(
            path,
            f"neither {quoted(plugin)} nor the actuator of a fleet that is written to loads models",
            "name a program that does",
        )


def found(inventory: Inventory, pool: str, name: str) -> str:
    """The id of the model of that name; the name itself where no listing may say that there is none.

    Raises:
        NoSuch: the pool's listing has no such model, or several of that name.
    """
    shelf = inventory.pools.get(pool)
    ids = sorted(one.model.id for one in shelf.find(name) if not one.misses) if shelf else []
    if len(ids) > 1:
        raise NoSuch(f"{name!r} names several models of {pool}; say which: {', '.join(ids)}")
    if not ids and shelf is not None and shelf.rejects:
        near = nearest(name, (model.id for model in shelf.models))
        raise NoSuch(f"{pool} lists no model {quoted(name)}" + (f" ({near})" if near else ""))
    return ids[0] if ids else name


async def _ran(words: tuple[str, ...], deadline: timedelta) -> Outcome:
    """What became of the operator's own program: 0 says that it loaded the model."""
    done = await Run(words, timeout=deadline)
    if done.code == 0:
        return Outcome("applied", at=done.at)
    last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
    why = f"{words[0]} ended with exit code {done.code}" + (f": {masked(last)}" if last else "")
    return Outcome("rejected", why, done.at)
