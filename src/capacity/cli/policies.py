"""`policy check`, `policy show`, `policy init`: the operator's file, held against what this release and its plugins know."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

from typer import Argument

from capacity.cli.call import Call
from capacity.cli.documents import fill
from capacity.cli.exits import Code, UsageFault
from capacity.codec import dumps, policy_template, read_policy
from capacity.core.explain import counted
from capacity.errors import Fault
from capacity.plugins import faults, load_plugins
from capacity.values.policy import Policy

File = Annotated[Path | None, Argument(metavar="FILE", help="The policy file. [the usual one]")]


def policy_check(call: Call, file: File = None) -> Code:
    """Tell everything that is wrong with a policy: with the file, and with what it asks of plugins."""
    path = _chosen(call, file)
    policy, found = checked(path)
    if call.json:
        call.answer([{"path": fault.path, "wrong": fault.wrong, "remedy": fault.remedy} for fault in found])
    else:
        told = [f"{path}: {counted(len(found), 'fault')}", *(f"  {fault}" for fault in found)]
        call.screen.say("\n".join(told if found else [f"{path}: no fault; {_parts(policy)}"]))
    return Code.USAGE if found else Code.FINE


def policy_show(call: Call, file: File = None) -> Code:
    """Show what a policy means, every default filled in, as JSON."""
    path = _chosen(call, file)
    body = dumps(Call(policy=path).load_policy())
    if not call.json:
        body = json.dumps(json.loads(body), indent=2, ensure_ascii=False).encode() + b"\n"
    call.screen.write(body)
    return Code.FINE


def policy_init(call: Call, file: File = None) -> Code:
    """Write a policy to begin with, where there is none yet: valid as it stands, every key in a comment."""
    path = _chosen(call, file)
    if path.exists():
        raise UsageFault(f"{path} is there already, and is left as it is; name another file")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fill(path, policy_template().encode(), mode="xb")
    except OSError as error:
        raise UsageFault(f"{path} cannot be written: {error.strerror}; name another file") from None
    if call.json:
        call.answer({"policy": str(path)})
    else:
        call.screen.say(f"wrote {path}; edit it, then run: capacity policy check {path}")
    return Code.FINE


def checked(path: Path) -> tuple[Policy, tuple[Fault, ...]]:
    """What can be read of a policy file, and all its faults: those of the file first, then those plugins find."""
    policy, found = read_policy(path)
    return policy, (*found, *faults(policy, load_plugins()))


def _chosen(call: Call, file: Path | None) -> Path:
    return call.policy_file if file is None else file


def _parts(policy: Policy) -> str:
    counts = {
        "account": policy.accounts, "pool": policy.pools, "harness": policy.harnesses, "fleet": policy.fleets,
        "seat rule": policy.seats, "adopted row": policy.tiers.rows,
    }  # fmt: skip  # read as rows
    return ", ".join(counted(len(parts), word) for word, parts in counts.items())
