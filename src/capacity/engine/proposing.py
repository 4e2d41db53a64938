"""From what the tier sources told to a proposal: computed by the core, opened where it would change anything.

The same evidence against the same adopted set opens no second proposal, and what was rejected is not proposed again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from attrs import evolve, frozen

from capacity import codec
from capacity.core.facts import fact
from capacity.engine.dossier import Dossier
from capacity.engine.standing import OF_TIERS, retold
from capacity.errors import Fault, NoSuch, PolicyError
from capacity.plugins.installed import CORE
from capacity.ports import File, Fleet, Read, Seat
from capacity.values.conditions import Condition, Fact
from capacity.values.proposals import Docket, Proposal, State
from capacity.values.tiers import TierSet
from capacity.wire import run

if TYPE_CHECKING:
    from capacity.engine.tick import Works

Outcome = Literal["opened", "waiting", "rejected", "known", "nothing"]

ANSWERS: Mapping[State, Outcome] = {
    "pending": "waiting",
    "rejected": "rejected",
    "adopted": "known",
}
"""What a proposal has come to → what proposing it again gives; one that nobody answered is opened anew."""


@frozen
class Filed:
    """The tier file as it stands.

    Attributes:
        tiers: the set it holds.
        digest: of the file; None = the policy names none.
    """

    tiers: TierSet
    digest: str | None


@frozen
class Proposed:
    """What came of proposing.

    Attributes:
        proposal: what was computed, or was before.
        outcome: `opened` now; `waiting` since before; `rejected` or otherwise `known` before; `nothing` would change.
        unchanged: nothing that counts has changed since it was computed.
    """

    proposal: Proposal
    outcome: Outcome
    unchanged: bool = False


def path_of(works: Works) -> str:
    """Where the tier file is.

    Raises:
        PolicyError: the policy names none.
    """
    named = works.policy.tiers.file
    if named is None:
        raise PolicyError(
            "policy", (Fault("tiers.adopted", "is missing", "name the file that holds the adopted rows"),)
        )
    return named if named.startswith(("~", "$")) else str((works.folder / named).absolute())


def filed(works: Works) -> Filed:
    """The adopted set as its file has it now; without a file, the rows of the policy.

    Raises:
        WireError: the file cannot be read.
        FormError: it holds no adopted set; every fault it has.
    """
    tiers = works.policy.tiers
    if tiers.file is None:
        return Filed(TierSet(rows=tiers.rows, stale_at=tiers.stale_at), None)
    path = path_of(works)
    file = run(_read(path), deadline=works.settings.read_deadline, host=works.host)
    return Filed(codec.loads_tier_set(file.body, source=path), file.digest)


async def _read(path: str) -> File:
    return await Read(path)


def docket(works: Works, previous: Proposal | None, seats: Iterable[Seat] = (), *, recut: bool = False) -> Docket:
    """What is known of earlier proposals and answers.

    Raises:
        WireError: the tier file cannot be read.
        FormError: it holds no adopted set.
    """
    dossier = works.ledger.dossier
    return Docket(
        filed(works).tiers,
        dossier.aliases(),
        previous,
        tuple(one.digest for one in dossier.accepted()),
        dossier.rejected(),
        tuple(seats),
        recut=recut,
        version=works.made_by.get(CORE),
    )


def proposed(works: Works, fleets: Iterable[Fleet], *, recut: bool = False) -> Proposed:
    """Compute what the evidence would change, and open a proposal where it would change anything.

    Args:
        works: what is known.
        fleets: as they stand; what it changes for their seats is told.
        recut: make the cuts between tiers anew.

    Raises:
        WireError: the tier file cannot be read.
        FormError: it holds no adopted set.
    """
    from capacity.core.tiering import propose  # loaded where somebody proposes, and nowhere else

    ledger, at = works.ledger, works.ledger.now()
    dossier = ledger.dossier
    seats = (seat for fleet in fleets for seat in fleet.seats)
    known = docket(works, dossier.computed(), seats, recut=recut)
    rankings = works.rankings.told(works.policy.tiers.method)
    made, before = propose(rankings, known, ledger.inventory(works.policy, at), works.policy, at), known.previous
    same = before is not None and (made.inputs, made.created_at) == (before.inputs, before.created_at)
    with ledger.transaction():
        if made != before:
            dossier.compute(made)
        return Proposed(made, _outcome(dossier, made, at), same)


def is_news(works: Works) -> bool:
    """Whether anything that counts is new since a proposal was computed last.

    Raises:
        WireError: the tier file cannot be read.
        FormError: it holds no adopted set.
    """
    from capacity.core.tiering import unchanged  # likewise

    ledger, at = works.ledger, works.ledger.now()
    rankings = works.rankings.told(works.policy.tiers.method)
    known = docket(works, ledger.dossier.looked())
    return not unchanged(rankings, known, ledger.inventory(works.policy, at), works.policy, at)


def _outcome(dossier: Dossier, made: Proposal, at: datetime) -> Outcome:
    """What is to become of what was computed; it is opened where it is new and would change anything."""
    before = dossier.rulings(at).get(made.id)
    if before is not None and before.state in ANSWERS:
        outcome = ANSWERS[before.state]
    elif made.diff.empty or made.state != "pending":
        outcome = "nothing" if made.diff.empty else "rejected"
    else:
        dossier.open(made)
        return "opened"
    dossier.withdraw("withdrawn", at, but=made.id)  # what waits was made of evidence, or against a set, that is gone
    return outcome


def chosen(works: Works, id: str | None) -> Proposal:
    """The proposal of that id; None = the one that waits.

    Raises:
        NoSuch: there is none.
    """
    at = works.ledger.now()
    waiting = works.ledger.dossier.pending(at)
    if id is None and not waiting:
        raise NoSuch(
            "no proposal waits for an answer; `capacity tiers propose` looks whether there is anything to propose"
        )
    found = works.ledger.dossier.proposal(waiting[-1].proposal if id is None else id, at)
    latest = works.ledger.dossier.computed()
    if latest is None or latest.id != found.id:
        return found
    return evolve(
        latest, state=found.state, ruling=found.ruling
    )  # what did not answer, and for whom, as of the last look


def of_tiers(works: Works, before: Iterable[Condition]) -> tuple[Condition, ...]:
    """What stands once everything about tiers is told anew.

    Args:
        works: what is known.
        before: what stood.
    """
    at = works.ledger.now()
    return retold(before, OF_TIERS, _facts(works, at), at)


def _facts(works: Works, at: datetime) -> Iterator[Fact]:
    """Sources that do not answer, a set that is stale, a proposal that waits."""
    yield from works.rankings.facts(works.policy.tiers.method)
    tiers = works.policy.tiers
    if tiers.rows and tiers.stale_at is not None and tiers.stale_at <= at:
        yield fact("tiers-stale", tiers.file or "the policy", since=tiers.stale_at)
    for one in works.ledger.dossier.pending(at):
        yield fact("proposal-waiting", one.proposal, until=one.expires_at)
