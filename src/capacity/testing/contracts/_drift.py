"""What a reader owes where its wire drifts: nothing it tells then is worse than not knowing.

Each test draws as many drifted answers as the hypothesis profile in force says (`max_examples`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import timedelta
from math import isfinite

from attrs import frozen
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from capacity.ports import Document, Limit, Reader, Reading
from capacity.testing.contracts._contract import Contract
from capacity.testing.strategies.wire import drifted

AN_AGE = timedelta(days=3652)
"""No quota resets ten years from now; milliseconds taken for seconds, and seconds for milliseconds, do by far."""


@frozen
class Case:
    """One answer a reader knows.

    Attributes:
        document: the answer, as its source gives it in good health.
        scopes: the words its scoped limits carry, casefolded; none = it has none.
    """

    document: Document
    scopes: frozenset[str] = frozenset()


class DriftContract(Contract):
    """The part of `ReaderContract` that draws its documents: see there for the fixtures."""

    def test_drifted_answers_break_nothing(self, reader: Reader, cases: Sequence[Case]) -> None:
        """Whatever changes in an answer, its parser copes, or gives up with an error that becomes `unrecognised`."""

        def check(_: Document, changed: Document) -> None:
            for ask in (reader.readings, reader.listing, reader.failure):
                with suppress(ValueError, RecursionError):
                    ask(changed)

        through(cases, check)

    def test_drifted_answers_are_sound(self, reader: Reader, cases: Sequence[Case]) -> None:
        """What is still read was true when it arrived; figures are finite, instants aware, resets of this age."""

        def check(good: Document, changed: Document) -> None:
            told_at = {reading.observed_at for reading in read(reader, good)}
            for reading in read(reader, changed):
                assert reading.observed_at == changed.at or told_at != {good.at}
                assert reading.observed_at.utcoffset() == timedelta(0)
                names = [limit.name for limit in reading.limits]
                assert sorted(set(names)) == names
                for limit in reading.limits:
                    _assert_sound(limit, changed)

        through(cases, check)

    def test_drifted_answers_tell_no_new_zero(self, reader: Reader, cases: Sequence[Case]) -> None:
        """Nothing is unused, and nothing is all gone, that the good answer did not tell so."""

        def check(good: Document, changed: Document) -> None:
            assert _kinds(read(reader, changed)) <= _kinds(read(reader, good))

        through(cases, check)

    def test_drifted_answers_keep_scopes(self, reader: Reader, cases: Sequence[Case]) -> None:
        """A scoped cap keeps its scope or is not told; it never binds every model of its pool."""

        def check(good: Document, changed: Document) -> None:
            limits = _limits(read(reader, good))
            names, figures = _marks(limits, scoped=True), _figures(limits, scoped=True) - _figures(limits, scoped=False)
            now = _limits(read(reader, changed))

            assert names & _marks(now, scoped=False) == set()
            assert not _is_tree(good) or figures & _figures(now, scoped=False) == set()

        through(cases, check)


def through(cases: Sequence[Case], check: Callable[[Document, Document], None]) -> None:
    """Hold the good and the drifted document together, as often as the profile in force says."""
    pairs = st.sampled_from(list(cases)).flatmap(lambda case: st.tuples(st.just(case.document), drifted(case.document)))

    @settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
    @given(pairs)
    def drawn(pair: tuple[Document, Document]) -> None:
        check(*pair)

    drawn()


def read(reader: Reader, document: Document) -> tuple[Reading, ...]:
    """What is read; an error a parser may raise becomes `unrecognised` further up, and is no reading here."""
    try:
        return reader.readings(document) or ()
    except (ValueError, RecursionError):
        return ()


def _assert_sound(limit: Limit, document: Document) -> None:
    assert limit.percent is None or (isfinite(limit.percent) and limit.percent >= 0), limit
    if limit.resets_at is not None:
        assert limit.resets_at.utcoffset() == timedelta(0), limit
        assert abs(limit.resets_at - document.at) < AN_AGE, limit


def _kinds(readings: Iterable[Reading]) -> Counter[str]:
    """How many limits say that nothing is used, or nothing left in a unit; a drifted answer may name them otherwise."""
    limits = [limit for _, limit in _limits(readings)]
    empty = (unit for limit in limits for unit, amount in limit.left.items() if amount == 0)
    return Counter([*("percent" for limit in limits if limit.percent == 0), *empty])


def _limits(readings: Iterable[Reading]) -> list[tuple[str, Limit]]:
    return [(reading.pool, limit) for reading in readings for limit in reading.limits]


def _marks(limits: Iterable[tuple[str, Limit]], scoped: bool) -> set[tuple[str, str]]:
    """Pool and name of the limits that have a scope, or of those that have none."""
    return {(pool, limit.name) for pool, limit in limits if (limit.scope is not None) == scoped}


def _figures(limits: Iterable[tuple[str, Limit]], scoped: bool) -> set[float]:
    """The percents by which a scoped cap that lost its scope and its name is known again; lines of text may mix them."""
    return {limit.percent for _, limit in limits if limit.percent is not None and (limit.scope is not None) == scoped}


def _is_tree(document: Document) -> bool:
    try:
        return isinstance(json.loads(document.body), dict | list)
    except ValueError:
        return False
