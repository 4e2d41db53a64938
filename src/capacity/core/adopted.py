"""The adopted rows against what there is: which row a place rests on, and which rows nothing can be run by, and why."""

from __future__ import annotations

from collections.abc import Iterator

from capacity.core.candidates import Survey
from capacity.core.facts import fact
from capacity.core.findings import worst
from capacity.core.sentences import instant, one_line
from capacity.values.conditions import Fact
from capacity.values.seats import Candidate
from capacity.values.tiers import TierRow


def row_of(survey: Survey, candidate: Candidate) -> TierRow | None:
    """The adopted row that puts a candidate where it is; None = none does."""
    harness = survey.policy.harnesses.get(candidate.harness)
    found = () if harness is None else survey.found(harness, candidate.pool, candidate.model)
    return survey.row(candidate, found[0].model.names if found else frozenset({candidate.model.casefold()}))


def unusable(survey: Survey) -> Iterator[tuple[TierRow, Fact]]:
    """The adopted rows that nothing can be run by, whatever a seat asks for, each with the reason."""
    in_force = frozenset(survey.rows)
    for row in survey.policy.tiers.rows:
        why = _why(survey, row) if row in in_force else fact("row-expired", row.tier, until=row.expires_at)
        if why is not None:
            yield row, why


def _why(survey: Survey, row: TierRow) -> Fact | None:
    """What speaks against every place of a row; None = there is a place it does not speak against."""
    if row.harness not in survey.policy.harnesses:
        return fact("harness-unknown", row.harness)
    field, against = survey.field, []
    for candidate, group in zip(field.candidates, field.groups, strict=True):
        if (candidate.harness, candidate.effort) == (row.harness, row.effort) and row_of(survey, candidate) == row:
            finding = worst(field.places[group].findings)
            if finding is None or finding.answer != "no":
                return None
            against.append(finding.fact)
    return against[0] if against else fact("row-unlisted", row.harness, model=row.model)


def place_of(row: TierRow) -> str:
    """What a row is about, as a person reads it: `harness/model@effort`."""
    return one_line(f"{row.harness}/{row.model}" + (f"@{row.effort}" if row.effort else ""))


def adopted_line(row: TierRow) -> str:
    """A row for a person: its tier, where that comes from, by whom and when it was adopted, and what it rests on."""
    told = [f"tier {row.tier} as {place_of(row)}, from {row.source}", f"by {row.adopted_by}{_at(row)}"]
    told += [] if row.standing == "operator" else [row.standing]
    told += [] if row.score is None else [f"{row.score:.1f} ± {row.stderr or 0:.1f} %"]
    told += [] if row.proven in (None, row.tier) else [f"certain is only {row.proven}"]
    told += [] if row.measured_at is None else [f"newest row of {row.measured_at:%Y-%m-%d}"]
    told += [] if row.expires_at is None else [f"until {instant(row.expires_at)}"]
    told += [f"evidence {', '.join(row.evidence)}"] if row.evidence else []
    told += [] if row.reason is None else [f'"{row.reason}"']
    return one_line("; ".join(told))


def _at(row: TierRow) -> str:
    return "" if row.adopted_at is None else f" on {row.adopted_at:%Y-%m-%d}"
