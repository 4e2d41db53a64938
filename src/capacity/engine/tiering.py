"""Tiers from evidence, as an operator and a host see them: ask, look, propose, answer. Safe to use from several threads.

Nothing here changes a placement: it changes the adopted rows, by which the next tick decides.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from threading import RLock

from attrs import frozen

from capacity.core.adopted import unusable
from capacity.core.candidates import survey
from capacity.engine import adopting
from capacity.engine import tick as steps
from capacity.engine.documents import Adopted
from capacity.engine.dossier import Accepted, Ruled
from capacity.engine.proposing import Proposed, chosen, filed, of_tiers, proposed
from capacity.engine.rankings import RankingSource, Refreshed
from capacity.engine.tick import Works
from capacity.ports import SourceCard
from capacity.values.conditions import Fact
from capacity.values.evidence import Alias, Named, Pair
from capacity.values.proposals import Proposal, Ruling
from capacity.values.tiers import TierRow, TierSet


@frozen
class Offered:
    """One tier source of the policy, known without asking it.

    Attributes:
        source: its name in the policy.
        plugin: the tier source's name in the plugin registry.
        distribution: who ships it, with the version; None = it is not there.
        card: what it needs and is; None = it cannot be made.
        fault: what is wrong with its plugin; None = nothing.
        stands: how it answered last.
    """

    source: str
    plugin: str
    distribution: str | None
    card: SourceCard | None
    fault: Fact | None
    stands: Refreshed


class Tiering:
    """What the evidence says about tiers, and what is done about it. `Engine.tiers` gives it.

    Every method may raise `StoreError`.

    Args:
        works: what it is done with, as it is now.
        lock: held while anything is done.
        adopt: is told of another adopted set.
    """

    def __init__(self, works: Callable[[], Works], lock: RLock, adopt: Callable[[TierSet], None]) -> None:
        self._works, self._lock, self._adopt = works, lock, adopt

    # --- evidence -------------------------------------------------------------------------------

    def sources(self) -> tuple[Offered, ...]:
        """Every tier source of the policy: what it needs, and how it answered last. Nobody is asked."""
        with self._lock:
            rankings, method = self._works().rankings, self._works().policy.tiers.method
            return tuple(_offered(rankings.sources[one.source], one) for one in rankings.stands(method))

    def refresh(self, only: Collection[str] = ()) -> tuple[Refreshed, ...]:
        """Ask the sources, none sooner than its floor allows, and publish what they say.

        Args:
            only: names of those to ask; `()` = all.

        Returns:
            How each source stands then, by name; those that were too soon to be asked too.
        """
        with self._lock:
            told = self._works().rankings.refresh(self._works().policy.tiers.method, hasten=True, only=only)
            self._restand()
            return told

    def propose(self, *, recut: bool = False) -> Proposed:
        """Compute what the evidence would change, and open a proposal where it would change anything.

        Args:
            recut: make the cuts between tiers anew, instead of keeping those that are adopted.

        Raises:
            WireError: the tier file cannot be read.
            FormError: it holds no adopted set.
        """
        with self._lock:
            works = self._works()
            made = proposed(works, works.actuation.read({}), recut=recut)
            self._restand()
            return made

    def proposal(self, id: str | None = None) -> Proposal:
        """A proposal that is kept, with what became of it; None = the one that waits.

        Raises:
            NoSuch: there is none.
        """
        with self._lock:
            return chosen(self._works(), id)

    def computed(self) -> Proposal | None:
        """What was computed last, also where it was not worth proposing; None = nothing was."""
        with self._lock:
            return self._works().ledger.dossier.computed()

    def rulings(self) -> Mapping[str, Ruled]:
        """Id of each proposal, or of a set that was adopted without one → what it has come to, oldest first."""
        with self._lock:
            return self._works().ledger.dossier.rulings(self._works().ledger.now())

    # --- what is adopted ------------------------------------------------------------------------

    def adopted(self) -> TierSet:
        """The adopted set as its file has it now.

        Raises:
            WireError: the file cannot be read.
            FormError: it holds no adopted set.
        """
        with self._lock:
            return filed(self._works()).tiers

    def unusable(self) -> Mapping[tuple[str, str, str], Fact]:
        """Key of each adopted row that nothing can be run by → why."""
        with self._lock:
            works = self._works()
            inventory = works.ledger.inventory(works.policy, works.ledger.now())
            return {row.key: why for row, why in unusable(survey(inventory, works.policy))}

    def chain(self) -> tuple[Adopted, ...]:
        """The adopted sets, oldest first."""
        with self._lock:
            return self._works().ledger.dossier.chain(self._works().policy.tiers.file or "")

    # --- answers --------------------------------------------------------------------------------

    def adopt(self, id: str | None = None, *, by: str, part: Sequence[Pair] = (), reason: str | None = None) -> TierSet:
        """Adopt a proposal, or a part of it. The next tick decides by it.

        Args:
            id: of the proposal; None = the one that waits.
            by: who adopts it.
            part: the pairs to adopt; `()` = all of it.
            reason: one sentence; None = none given.

        Raises:
            NoSuch: there is no such proposal, it is not waiting any more, or it changes no such pair.
            StaleBase: the adopted set is another than the one it was made against.
            PolicyError: the policy names no file for the adopted rows.
            WireError: that file cannot be read or written.
        """
        return self._changed(lambda works: adopting.adopted(works, id, by, part, reason))

    def reject(self, id: str | None = None, *, by: str, reason: str | None = None) -> Ruling:
        """Reject a proposal: its content is not proposed again.

        Raises:
            NoSuch: there is no such proposal, or it is not waiting any more.
        """
        with self._lock:
            ruling = adopting.rejected(self._works(), id, by, reason)
            self._restand()
            return ruling

    def pin(self, row: TierRow, *, by: str) -> TierSet:
        """Put a pair into a tier by a person's word, until the row's end.

        Raises:
            PolicyError: the policy has no such tier, or names no file for the adopted rows.
            NoSuch: the pin's end is past.
            StaleBase: somebody else changed the file meanwhile.
            WireError: that file cannot be read or written.
        """
        return self._changed(lambda works: adopting.pinned(works, row, by))

    def rollback(self, *, by: str, to: str | None = None, reason: str | None = None) -> TierSet:
        """Put an earlier set in force again, as a new link of the chain.

        Args:
            by: who does it.
            to: id of the set; None = the one before the one in force.
            reason: one sentence; None = none given.

        Raises:
            NoSuch: the chain has no such set.
            StaleBase: somebody else changed the file meanwhile.
            WireError: that file cannot be read or written.
        """
        return self._changed(lambda works: adopting.rolled_back(works, by, to, reason))

    def resolve(self, named: Named, name: str, means: str, *, by: str, since: datetime | None = None) -> Alias:
        """Say what a name of a source means. The next proposal takes it into account.

        Args:
            named: what it is a name of.
            name: as the source writes it.
            means: a model's id, a harness of the policy, or a benchmark's key.
            by: who says so.
            since: from when on it means that, UTC; None = always.
        """
        with self._lock:
            alias = Alias(named, name, means, by, self._works().ledger.now(), since)
            self._works().ledger.dossier.resolve(alias)
            return alias

    def accept(self, row: str, *, by: str) -> Accepted:
        """Let a row in that was quarantined or held. The next proposal takes it into account.

        Raises:
            NoSuch: no such row is kept out.
        """
        with self._lock:
            return adopting.accepted(self._works(), row, by)

    # --- below ----------------------------------------------------------------------------------

    def _changed(self, work: Callable[[Works], TierSet]) -> TierSet:
        with self._lock:
            made = work(self._works())
            self._adopt(made)
            self._restand()
            return made

    def _restand(self) -> None:
        """Enter what stands now about tiers, and tell the operator's command."""
        works = self._works()
        before, at = works.ledger.conditions(), works.ledger.now()
        after = steps.enter(works, of_tiers(works, before), at)
        steps.tell(works, before, after, at, None)


def _offered(source: RankingSource, stands: Refreshed) -> Offered:
    plugin = source.plugin
    return Offered(
        source.policy.name,
        source.policy.plugin or source.policy.name,
        None if plugin is None else f"{plugin.distribution} {plugin.version}",
        None if source.port is None else source.port.about,
        source.fault,
        stands,
    )
