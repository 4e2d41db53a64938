"""`doctor`: what is there, what is not, why no more is known, and what to do about it. It asks no backend."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from capacity.cli import remedies
from capacity.cli.call import Call
from capacity.cli.checkup import Account, Checkup, checkup
from capacity.cli.exits import Code
from capacity.cli.lines import age
from capacity.cli.screen import Page, Table
from capacity.cli.tables import answer
from capacity.core.explain import counted
from capacity.core.sentences import sentence
from capacity.ports import Snapshot


def doctor(call: Call) -> Code:
    """Look at what is installed, the policy, credentials and what was published, and say what to do. Nobody is asked."""
    with call.screen.progress("importing plugins"):
        found = checkup(call)
    if call.json:
        call.answer(_facts(found))
    else:
        call.screen.turn(_page(found))
    return Code.LOUD if found.needs else Code.FINE


def _page(found: Checkup) -> Page:
    steps = () if found.faults else remedies.for_policy(found.policy)  # of a policy that is at fault nobody knows
    needs = f"{counted(found.needs, 'thing')} need{'s' if found.needs == 1 else ''} a person"
    head = needs if found.needs else "nothing is wrong, but something is still to be done" if steps else "all is well"
    snapshot = found.snapshot
    published = () if snapshot is None else (_pools_table(snapshot), _conditions_table(snapshot))
    return Page(head, (_installed_table(found), _policy_table(found), *_named_tables(found), *published), steps)


def _installed_table(found: Checkup) -> Table:
    works = [(name, version, "fine") for name, version in sorted(found.installed.items())]
    fails = [(one.distribution, one.version, str(one)) for one in found.failed]
    return Table("installed", ("distribution", "version", ""), (*works, *fails))


def _policy_table(found: Checkup) -> Table:
    rows = [("policy", str(found.policy_file), str(fault)) for fault in found.faults]
    rows = rows or [("policy", str(found.policy_file), "fine")]
    decided = "nothing decided yet" if found.snapshot is None or found.snapshot.tick is None else found.snapshot.tick
    store = found.store_fault or ("not made yet" if found.snapshot is None else f"last decision: {decided}")
    return Table("files", ("", "file", ""), (*rows, ("store", str(found.store_file), store)))


def _named_tables(found: Checkup) -> Iterator[Table]:
    """Accounts and tier sources, each with its credentials."""
    for title, named in (("accounts", found.accounts), ("tier sources", found.sources)):
        columns = (title.removesuffix("s"), "plugin", "offers", "credentials", "")
        yield Table(title, columns, tuple(row for one in named for row in _account_rows(one)))


def _account_rows(account: Account) -> list[tuple[str, ...]]:
    first = (account.name, account.plugin, ", ".join(account.offers) or "nothing")
    if not account.credentials:
        return [(*first, "none named", "its plugin looks for none by itself")]
    rows = [(one.where, "present" if one.present else _absent(account)) for one in account.credentials]
    return [(*first, *rows[0]), *(("", "", "", *row) for row in rows[1:])]


def _absent(account: Account) -> str:
    if account.declared:
        return "absent or blank: put it there, or name another place"
    return "absent or blank: log in, or say `credentials` in the policy"


def _pools_table(snapshot: Snapshot) -> Table:
    rows = (
        (
            pool.pool,
            "never" if pool.observed_at is None else f"{age(snapshot.as_of - pool.observed_at)} ago",
            answer(pool, snapshot.as_of),
            remedies.for_pool(pool, snapshot.as_of),
        )
        for pool in snapshot.pools
    )
    return Table("pools", ("pool", "read", "last answer", "what to do"), tuple(rows))


def _conditions_table(snapshot: Snapshot) -> Table:
    rows = (
        ("loud" if one.loud else "", sentence(one.fact), remedies.for_condition(one)) for one in snapshot.conditions
    )
    return Table("conditions", ("", "what", "what to do"), tuple(rows))


def _facts(found: Checkup) -> dict[str, Any]:
    return {
        "accounts": list(found.accounts),
        "failed": list(found.failed),
        "faults": [{"path": one.path, "wrong": one.wrong, "remedy": one.remedy} for one in found.faults],
        "installed": dict(found.installed),
        "needs": found.needs,
        "policy": str(found.policy_file),
        "snapshot": found.snapshot,
        "sources": list(found.sources),
        "store": str(found.store_file),
        "store_fault": found.store_fault,
    }
