"""`plugins`: everything installed that offers a port, with its distribution; and what cannot be used, and why."""

from __future__ import annotations

from capacity.cli.call import Call
from capacity.cli.exits import Code
from capacity.cli.screen import Table
from capacity.plugins import PORTS, Plugins, load_plugins


def plugins(call: Call) -> Code:
    """List every plugin that is installed. Each is imported, to see whether it works."""
    found = load_plugins()
    with call.screen.progress("importing plugins"):
        found.tried()
    if call.json:
        call.answer(
            [dict(zip(("group", "name", "distribution", "version", "why"), row, strict=True)) for row in _rows(found)]
        )
    else:
        call.screen.show(plugins_table(found))
    return Code.FAILED if found.failed else Code.FINE


def plugins_table(found: Plugins) -> Table:
    """What is installed; what is known to fail says why."""
    rows = (
        (PORTS[group][0] if group else "", name, distribution, version, why or "fine")
        for group, name, distribution, version, why in _rows(found)
    )
    return Table("plugins", ("port", "name", "distribution", "version", ""), tuple(rows))


def _rows(found: Plugins) -> list[tuple[str, str, str, str, str | None]]:
    failed = {(one.group, one.name, one.distribution) for one in found.failed}
    works = [
        (one.group, one.name, one.distribution, one.version, None)
        for one in found
        if (one.group, one.name, one.distribution) not in failed
    ]
    return sorted(
        [*works, *((one.group, one.name, one.distribution, one.version, one.why) for one in found.failed)],
        key=lambda row: row[:3],
    )
