"""What a person, or the policy's own rule, does about tiers: adopt, reject, pin, roll back, answer for a name or a row.

Every change of the adopted set replaces its file against the digest of what was read, and enters the chain in the same
transaction: where somebody else was quicker, nothing happens and nothing is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from capacity import codec
from capacity.codec.faults import nearest, quoted
from capacity.engine.dossier import Accepted, Ruled
from capacity.engine.proposing import Filed, chosen, filed, is_news, path_of, proposed
from capacity.errors import Fault, FormError, NoSuch, PolicyError, StaleBase, WireError
from capacity.ports import Fleet, Replace, Replaced
from capacity.values.evidence import Pair
from capacity.values.proposals import Proposal, Ruling
from capacity.values.tiers import TierRow, TierSet
from capacity.wire import run

if TYPE_CHECKING:
    from capacity.engine.tick import Works

RULE = "the policy"
"""Who adopts where the policy lets a proposal be adopted without a person."""


def adopted(works: Works, id: str | None, by: str, part: Sequence[Pair] = (), reason: str | None = None) -> TierSet:
    """Adopt a proposal, or a part of it.

    Args:
        works: what it is done with.
        id: of the proposal; None = the one that waits.
        by: who adopts it.
        part: the pairs to adopt; `()` = all of it.
        reason: one sentence; None = none given.

    Raises:
        NoSuch: there is no such proposal, it is not waiting any more, or it changes no such pair.
        StaleBase: the adopted set is another than the one it was made against.
    """
    from capacity.core.tiering import adopt, identity  # loaded where somebody adopts, and nowhere else

    at, proposal, file = works.ledger.now(), _waiting(works, id), filed(works)
    made = adopt(proposal, file.tiers, works.policy, by, at, part)
    ruling = Ruling("adopt-part" if part else "adopt", by, at, reason, tuple(part), identity(file.tiers), made.id)
    _commit(works, file, made, Ruled(proposal.id, "adopted", at, proposal.content, proposal.expires_at, ruling))
    return made


def rejected(works: Works, id: str | None, by: str, reason: str | None) -> Ruling:
    """Reject a proposal: its content is not proposed again.

    Raises:
        NoSuch: there is no such proposal, or it is not waiting any more.
    """
    at, proposal = works.ledger.now(), _waiting(works, id)
    ruling = Ruling("reject", by, at, reason)
    with works.ledger.transaction(durable=True):
        works.ledger.dossier.rule(Ruled(proposal.id, "rejected", at, proposal.content, proposal.expires_at, ruling))
    return ruling


def pinned(works: Works, row: TierRow, by: str) -> TierSet:
    """Put a pair into a tier by a person's word, until the row's end.

    Raises:
        PolicyError: the policy has no such tier.
        NoSuch: the pin's end is past.
    """
    from capacity.core.tiering import identity, pin  # likewise

    at, tiers = works.ledger.now(), works.policy.tiers.names
    if row.tier not in tiers:
        raise PolicyError(
            "policy", (Fault("tiers.names", f"no {quoted(row.tier)} is there", nearest(row.tier, tiers)),)
        )
    if row.expires_at is not None and row.expires_at <= at:
        raise NoSuch(
            f"a pin until {row.expires_at.isoformat()} would have ended already: give it an end that is to come"
        )
    file = filed(works)
    made = pin(file.tiers, row, by, at)
    pair = Pair(row.harness, row.model, row.effort)
    ruling = Ruling("pin", by, at, row.reason, (pair,), identity(file.tiers), made.id)
    _commit(works, file, made, Ruled(made.id, "adopted", at, ruling=ruling))
    return made


def rolled_back(works: Works, by: str, to: str | None = None, reason: str | None = None) -> TierSet:
    """Put an earlier set in force again, as a new link of the chain.

    Args:
        works: what it is done with.
        by: who does it.
        to: id of the set; None = the one before the one in force.
        reason: one sentence; None = none given.

    Raises:
        NoSuch: the chain has no such set.
    """
    from capacity.core.tiering import identity, rollback  # likewise

    at, file = works.ledger.now(), filed(works)
    now = identity(file.tiers)
    chain = {identity(link.tiers): link.tiers for link in works.ledger.dossier.chain(works.policy.tiers.file or "")}
    before = [id for id in chain if id != now]
    wanted = to or (file.tiers.parent if file.tiers.parent in chain else before[-1] if before else "")
    if wanted not in chain or wanted == now:
        raise NoSuch(f"no adopted set {wanted!r} to go back to. Sets before this one: {', '.join(before) or 'none'}")
    made = rollback(file.tiers, chain[wanted], by, at)
    _commit(
        works, file, made, Ruled(made.id, "adopted", at, ruling=Ruling("rollback", by, at, reason, (), now, made.id))
    )
    return made


def accepted(works: Works, row: str, by: str) -> Accepted:
    """Let a row in that was quarantined or held.

    Raises:
        NoSuch: the evidence has no such row.
    """
    computed = works.ledger.dossier.computed()
    waits = {one.id: one for one in computed.evidence if one.use in ("quarantined", "held")} if computed else {}
    if row not in waits:
        raise NoSuch(f"no row {row!r} is kept out. Rows kept out: {', '.join(sorted(waits)) or 'none'}")
    made = Accepted(waits[row].digest, row, by, works.ledger.now())
    works.ledger.dossier.accept(made)
    return made


def look(works: Works, fleets: tuple[Fleet, ...]) -> TierSet | None:
    """Ask the tier sources that are due, propose what they change, and adopt it where the policy lets it.

    Trouble with it is no trouble of a tick: it stands as a condition, and is told when somebody proposes.

    Returns:
        The set that was adopted; None = none was.
    """
    tiers = works.policy.tiers
    if not any(one.asked for one in works.rankings.refresh(tiers.method)):
        return None
    try:
        if tiers.adoption == "offer" and not is_news(works):
            return None
        found = proposed(works, fleets)
        may = tiers.adoption == "auto" and found.outcome in ("opened", "waiting") and not found.proposal.objections
        return adopted(works, found.proposal.id, RULE) if may else None
    except (WireError, FormError, StaleBase, PolicyError):
        return None


def _waiting(works: Works, id: str | None) -> Proposal:
    proposal = chosen(works, id)
    if proposal.state != "pending":
        raise NoSuch(f"proposal {proposal.id} does not wait for an answer any more: it is {proposal.state}")
    return proposal


def _commit(works: Works, file: Filed, made: TierSet, ruled: Ruled) -> None:
    """Replace the file and enter what was done: both, or neither."""
    path, name, dossier = path_of(works), works.policy.tiers.file or "", works.ledger.dossier
    with works.ledger.transaction(durable=True):
        dossier.withdraw("superseded", ruled.at, but=ruled.proposal)  # they were made against the set before
        dossier.link(name, file.tiers, file.tiers.adopted_by)  # what somebody wrote by hand is not lost under it
        dossier.link(name, made, made.adopted_by, again=True)
        dossier.rule(ruled)
        content = codec.tier_set_text(made).encode()
        replaced = run(_replace(path, content, file.digest), deadline=works.settings.read_deadline, host=works.host)
        if not replaced.done:
            raise StaleBase(f"{path} was changed by somebody else meanwhile; look at it, and do it again")


async def _replace(path: str, content: bytes, was: str | None) -> Replaced:
    return await Replace(path, content, was)
