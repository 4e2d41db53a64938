"""Tier sources are asked as accounts are: claimed, within their budget, and what they said is published.

An answer that is no good never takes the place of a good one. One source's trouble is no other's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import Any

from attrs import evolve, frozen

from capacity.core.circuits import LONGEST
from capacity.core.facts import fact
from capacity.engine.backends import failing
from capacity.engine.cadence import Asked, due
from capacity.engine.dossier import Heard
from capacity.engine.ledger import Ledger
from capacity.engine.settings import Settings
from capacity.errors import Fault, PolicyError, WireError
from capacity.plugins import TIERS, Plugin, Plugins
from capacity.plugins.factories import said as told_of
from capacity.plugins.wanted import told_to
from capacity.ports import Budget, Claim, Rankings, SourceCard, TierSource
from capacity.values.conditions import Fact
from capacity.values.methods import Method, TierSourcePolicy
from capacity.values.policy import Policy
from capacity.values.rankings import ANSWERED, SourceStatus
from capacity.wire import Host, run_all

MENDED_BY_A_PERSON: frozenset[SourceStatus] = frozenset({"unconfigured", "unauthorised", "forbidden-tier"})
"""States that no waiting ends."""

SILENT_AFTER = 3
"""Answers in a row without any rows after which a source that is not required is told of: as many listings without a model
make that model invalid, for the same reason."""


@frozen(eq=False)
class RankingSource:
    """One tier source of the policy.

    Attributes:
        policy: as the policy has it.
        plugin: who answers; None = nobody who works.
        port: what is asked; None = it could not be made.
        fault: what is wrong with its plugin; None = nothing.
    """

    policy: TierSourcePolicy
    plugin: Plugin | None = None
    port: TierSource | None = None
    fault: Fact | None = None

    @property
    def key(self) -> str:
        """What claims and memory go by."""
        return f"tiers:{self.policy.plugin or self.policy.name}/{self.policy.name}"


@frozen
class Refreshed:
    """What became of one source in one refresh.

    Attributes:
        source: its name in the policy.
        asked: whether it was asked now; one that is `unconfigured` looked for what it needs, and went no further.
        required: whether a refresh without it has failed.
        told: how it stands now: its last good rows, and what it answered last; None = it never answered.
        good_at: when its rows were last told or confirmed, UTC; None = never.
        due_at: when it may be asked again at the earliest, UTC; None = now.
    """

    source: str
    asked: bool
    required: bool
    told: Rankings | None
    good_at: datetime | None = None
    due_at: datetime | None = None

    @property
    def answers(self) -> bool:
        """Whether its last answer was good."""
        return self.told is not None and self.told.status in ANSWERED


def ranking_sources(policy: Policy, plugins: Plugins) -> dict[str, RankingSource]:
    """Name → tier source, for every one of a checked policy.

    Raises:
        PolicyError: one refuses its options.
    """
    return {name: _source(one, plugins) for name, one in policy.tiers.sources.items()}


def _source(wanted: TierSourcePolicy, plugins: Plugins) -> RankingSource:
    name = wanted.plugin or wanted.name
    plugin = plugins.get(TIERS, name)
    if plugin is None:
        why = plugins.failures(name, (TIERS,))
        return RankingSource(wanted, fault=failing(why[0], f"{wanted.name} tiers", why[0].why) if why else None)
    try:
        return RankingSource(wanted, plugin, plugin.factory(**told_to(wanted), **wanted.options))
    except ValueError as error:
        raise PolicyError("policy", (Fault(f"tiers.sources.{wanted.name}.options", told_of(error)),)) from error
    except Exception as error:  # noqa: BLE001 - whatever a plugin raises is its own trouble, and told as such
        return RankingSource(wanted, plugin, fault=failing(plugin, f"{wanted.name} tiers", told_of(error)))


class RankingSources:
    """The tier sources of a policy: they are asked, and what they say is published.

    Args:
        sources: name → source.
        ledger: where it is published.
        host: where flows run.
        holder: who claims.
        settings: how long a claim lives.
    """

    def __init__(
        self, sources: Mapping[str, RankingSource], ledger: Ledger, host: Host, holder: str, settings: Settings
    ) -> None:
        self.sources = sources
        self._ledger, self._host, self._holder, self._settings = ledger, host, holder, settings

    @property
    def faults(self) -> tuple[Fact, ...]:
        """What is wrong with the plugins of sources that cannot be asked."""
        return tuple(one.fault for one in self.sources.values() if one.fault is not None)

    def refresh(self, method: Method, *, hasten: bool = False, only: Collection[str] = ()) -> tuple[Refreshed, ...]:
        """Ask every source that is due, together, and publish the answers; how each of them stands then, by name.

        Args:
            method: how much of an answer there must be.
            hasten: somebody asked for it: ask as soon as the floor allows.
            only: names of those to ask; `()` = all.
        """
        wanted = [one for name, one in self.sources.items() if not only or name in only]
        claims = {one.policy.name: claim for one in wanted if (claim := self._claim(one, hasten=hasten)) is not None}
        ports = {name: port for name in claims if (port := self.sources[name].port) is not None}
        flows = {name: (_begun(port), port.budget.deadline) for name, port in ports.items()}
        answers = run_all(flows, host=self._host) if flows else {}
        with self._ledger.transaction():
            for name, answer in answers.items():
                self._publish(self.sources[name], answer, method)
        for claim in claims.values():
            self._ledger.store.release(claim)
        return tuple(self._stands(name, method, asked=name in answers) for name in sorted(self.sources))

    def stands(self, method: Method) -> tuple[Refreshed, ...]:
        """How each source stands, by name. Nobody is asked."""
        return tuple(self._stands(name, method, asked=False) for name in sorted(self.sources))

    def told(self, method: Method) -> tuple[Rankings, ...]:
        """What each source knows: its last good rows, and how it answered last."""
        return tuple(one.told for one in self.stands(method) if one.told is not None)

    def facts(self, method: Method) -> Iterator[Fact]:
        """Which sources do not answer, and which will end before an adopted set is stale."""
        for name, source in self.sources.items():
            ends = None if source.port is None else source.port.about.sunset
            if ends is not None and ends <= self._ledger.now() + method.stale_after:
                yield fact("source-ending", name, until=ends)
            heard, failures = self._ledger.dossier.heard(name), self._ledger.asked(source.key).failures
            told = heard.latest
            if told is None or told.status in ANSWERED:
                continue
            if source.policy.required or told.status in MENDED_BY_A_PERSON or failures >= SILENT_AFTER:
                missing, since = ", ".join(told.missing) or None, heard.good_at
                because = None if missing else told.detail
                yield fact("source-failing", name, state=told.status, missing=missing, because=because, since=since)

    # --- asking ---------------------------------------------------------------------------------

    def _claim(self, source: RankingSource, *, hasten: bool) -> Claim | None:
        """Take a source that is due, and note that it is being asked."""
        if source.port is None or not self._due(source, source.port.budget, hasten=hasten):
            return None
        life = max(self._settings.probe_life, 2 * source.port.budget.deadline)
        claim = self._ledger.store.claim(source.key, self._holder, 1, life)
        if claim is None:
            return None
        with self._ledger.transaction():
            if self._due(source, source.port.budget, hasten=hasten):  # else somebody asked between the two looks
                asking = self._ledger.asked(source.key).asking(self._ledger.now())
                self._ledger.remember(source.key, asking)
                return claim
        self._ledger.store.release(claim)
        return None

    def _due(self, source: RankingSource, budget: Budget, *, hasten: bool) -> bool:
        asked, now = self._ledger.asked(source.key), self._ledger.now()
        if not hasten:
            return due(budget, asked, source.key, now, idle=False)
        at = self._soonest(source, budget)
        return at is None or at <= now

    def _soonest(self, source: RankingSource, budget: Budget) -> datetime | None:
        """When it may be asked at the earliest. Where a key was missing nobody was asked, so there is nothing to wait for."""
        latest = self._ledger.dossier.heard(source.policy.name).latest
        if latest is not None and latest.status == "unconfigured":
            return None
        return soonest(budget, self._ledger.asked(source.key))

    # --- publishing -----------------------------------------------------------------------------

    def _publish(self, source: RankingSource, answer: Any, method: Method) -> None:
        from capacity.core.tiering import standing  # loaded where there is a tier source, and nowhere else

        name, now = source.policy.name, self._ledger.now()
        judged = standing(self._ledger.dossier.heard(name).good, _told(source, answer, now), method)
        self._ledger.dossier.publish(judged)
        asked = self._ledger.asked(source.key)
        self._ledger.remember(source.key, asked.answered(good=judged.status in ANSWERED, retry_at=judged.retry_at))

    def _stands(self, name: str, method: Method, *, asked: bool) -> Refreshed:
        source, heard = self.sources[name], self._ledger.dossier.heard(name)
        at = None if source.port is None else self._soonest(source, source.port.budget)
        return Refreshed(name, asked, source.policy.required, _present(heard, method), heard.good_at, at)


def soonest(budget: Budget, asked: Asked) -> datetime | None:
    """When a source may be asked at the earliest, by its floor and its own word; None = at any time."""
    if asked.asked_at is None:
        return None
    return max(asked.asked_at + budget.floor, min(asked.retry_at or asked.asked_at, asked.asked_at + LONGEST))


def _present(heard: Heard, method: Method) -> Rankings | None:
    """What a source knows: its last good rows, with how it answered last."""
    from capacity.core.tiering import standing  # likewise

    good, latest = heard.good, heard.latest
    if latest is None or good is None or latest is good:
        return latest
    if latest.status not in ANSWERED:
        return standing(good, latest, method)
    return evolve(latest, rows=good.rows, known=good.known, excluded=good.excluded)  # it told the same rows again


async def _begun(port: TierSource) -> Rankings:
    """The flow, made inside another: one that fails while it is made fails alone."""
    return await port.rankings()


def _told(source: RankingSource, answer: Any, now: datetime) -> Rankings:
    """An answer as rankings, stamped. No answer is `unreachable`; what breaks the contract is `invalid`, and says whose."""
    name, card = source.policy.name, None if source.port is None else source.port.about
    if isinstance(answer, Rankings):
        licence, attribution = _terms(answer, card)
        stamped = evolve(answer, source=name, asked_at=now, licence=licence, attribution=attribution)
        return evolve(stamped, as_of=min(answer.as_of, now), fetched_at=min(answer.fetched_at or answer.as_of, now))
    if isinstance(answer, WireError):
        return Rankings(name, "unreachable", now, detail=told_of(answer), asked_at=now)
    error = answer if isinstance(answer, BaseException) else TypeError(f"it returned {type(answer).__name__}")
    whose = "" if source.plugin is None else f"{source.plugin.distribution} {source.plugin.version}: "
    return Rankings(name, "invalid", now, detail=f"{whose}{told_of(error)}", asked_at=now)


def _terms(answer: Rankings, card: SourceCard | None) -> tuple[str | None, str | None]:
    """Licence and attribution: the answer's own, else the card's."""
    if card is None:
        return answer.licence, answer.attribution
    return answer.licence or card.licence, answer.attribution or card.attribution
