"""Tier sources for a person: what each needs, how it answered last, what came of asking, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from capacity.cli.lines import age, soon
from capacity.cli.screen import Page, Table
from capacity.core.explain import counted
from capacity.core.sentences import sentence
from capacity.engine.rankings import Refreshed
from capacity.engine.tiering import Offered
from capacity.ports import SourceCard
from capacity.values.rankings import SourceStatus

MENDS: Mapping[SourceStatus, str] = {
    "unconfigured": "give it what is missing, or take it out of the policy",
    "unauthorised": "put a valid key where the policy says it is; where it takes none, see whether its address is right",
    "forbidden-tier": "it does not show this to who asks: another plan of the key, another address, or another source",
    "rate-limited": "wait: it is asked again by itself",
    "unreachable": "see whether the network is there; it is asked again by itself",
    "invalid": "mend the file where it is yours; else upgrade the plugin, or report it",
    "empty": "see whether it still publishes; it is asked again by itself",
}
"""How a source answered → what to do."""


def sources_page(found: Sequence[Offered], at: datetime) -> Page:
    """Where scores come from."""
    columns = ("source", "plugin", "answers", "rows", "good", "again", "needs", "terms", "from")
    table = Table("sources", columns, tuple(_source_row(one, at) for one in found))
    thanks = [one.card.attribution for one in found if one.card is not None]
    return Page(counted(len(found), "tier source"), (table,), tuple(dict.fromkeys(thanks)))


def _source_row(one: Offered, at: datetime) -> tuple[str, ...]:
    card, stands = one.card, one.stands
    plugin = f"{one.plugin} ({one.distribution})" if one.distribution else f"{one.plugin}, not installed"
    if card is None:
        return one.source, plugin, sentence(one.fault) if one.fault else "nobody", "", "", "", "", "", ""
    return (
        one.source, plugin, _answer(stands), *_numbers(stands, at), _needs(card, required=stands.required),
        card.licence, card.url + _ends(card, at),
    )  # fmt: skip  # one row


def _answer(one: Refreshed) -> str:
    """How a source answered last."""
    told = one.told
    if told is None:
        return "never asked"
    detail = [f"for want of {', '.join(told.missing)}"] if told.missing else [told.detail] if told.detail else []
    return ": ".join([told.status, *detail])


def _numbers(one: Refreshed, at: datetime) -> tuple[str, str, str]:
    """How many rows it has, how old they are, and when it may be asked again."""
    rows = "" if one.told is None else str(len(one.told.rows))
    good = "never" if one.good_at is None else f"{age(at - one.good_at)} ago"
    return rows, good, "now" if one.due_at is None or one.due_at <= at else soon(one.due_at, at)


def _needs(card: SourceCard, *, required: bool) -> str:
    needs = ", ".join(card.requires) or "nothing"
    return f"{needs}; an answer is required" if required else needs


def _ends(card: SourceCard, at: datetime) -> str:
    """When a source ends, where that is known."""
    if card.sunset is None:
        return ""
    return f", {'ended' if card.sunset <= at else 'ends'} on {card.sunset:%Y-%m-%d}"


def refreshed_page(told: Sequence[Refreshed], at: datetime) -> Page:
    """What came of a refresh."""
    asked = sum(_asked(one) == "yes" for one in told)
    rows = ((one.source, _asked(one), _answer(one), *_numbers(one, at), _mend(one)) for one in told)
    columns = ("source", "asked", "answers", "rows", "good", "again", "what to do")
    head = f"{asked} of {counted(len(told), 'source')} asked; `capacity tiers propose` looks what it changes"
    return Page(head, (Table("sources", columns, tuple(rows)),))


def _asked(one: Refreshed) -> str:
    if not one.asked:
        return "no, it is too soon"
    return "no, something is missing" if one.told is not None and one.told.missing else "yes"


def silence(one: Refreshed) -> str:
    """That a source did not answer, and what to do, in one sentence."""
    return f"tier source {one.source} does not answer: {_answer(one)}" + (f" ({_mend(one)})" if _mend(one) else "")


def _mend(one: Refreshed) -> str:
    return "" if one.told is None else MENDS.get(one.told.status, "")
