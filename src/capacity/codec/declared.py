"""The names a policy file declares, and what is wrong with one that names none of them.

A name is known as soon as the file declares it, even where what it declares has faults of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from attrs import frozen

from capacity.codec.draft import StandIn
from capacity.codec.faults import nearest, quoted
from capacity.errors import Fault


@frozen
class Declared:
    """The names a policy file declares.

    Attributes:
        tiers: best first; None = nobody can read them, and any name may be one.
        pools: full names.
        harnesses: harness names.
        profiles: profile names.
        split: accounts that hold parts and are no pool themselves.
    """

    tiers: tuple[str, ...] | None = ()
    pools: Collection[str] = ()
    harnesses: Collection[str] = ()
    profiles: Collection[str] = ()
    split: Collection[str] = ()

    def tier(self, path: str, name: str | None, also: Collection[str] = ()) -> Iterator[Fault]:
        """What is wrong with a name of a tier, or of something else that may stand in its place; None names nothing."""
        return known(path, "tier", name, None if self.tiers is None else (*self.tiers, *also))

    def harness(self, path: str, name: str | None) -> Iterator[Fault]:
        """What is wrong with a name of a harness."""
        return known(path, "harness", name, self.harnesses)

    def profile(self, path: str, name: str | None) -> Iterator[Fault]:
        """What is wrong with a name of a profile."""
        return known(path, "profile", name, self.profiles)

    def pool(self, path: str, name: str | None) -> Iterator[Fault]:
        """What is wrong with a name of a pool."""
        if name is None or name not in self.split:
            yield from known(path, "pool", name, self.pools)
            return
        parts = ", ".join(quoted(pool) for pool in sorted(self.pools) if pool.startswith(f"{name}/"))
        yield Fault(path, f"{quoted(name)} is an account in parts, not a pool", f"name its parts: {parts}")


def known(path: str, what: str, name: str | None, names: Collection[str] | None) -> Iterator[Fault]:
    """The fault of a name that is not among those known; nothing for no name, and where nobody can tell what is known."""
    if not (name is None or isinstance(name, StandIn) or names is None or name in names):
        remedy = nearest(name, names) or f"the policy declares no {what}"
        yield Fault(path, f"there is no {what} {quoted(name)}", remedy)
