"""What every reader owes: bytes in, values out, and never a figure that nobody told."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from attrs import evolve

from capacity.ports import Document, Reader
from capacity.testing.contracts._drift import Case, DriftContract, read
from capacity.testing.contracts._ruin import HOPELESS, STRANGE, cut, drifted, zeros


class ReaderContract(DriftContract):
    """Subclass it and give `construct` and these fixtures.

    * `reader`: the reader.
    * `cases`: answers about quota that it knows, each in good health, at least one with a scope if there is such.
    * `throttled`: the document in which its source says that it was asked too often.
    """

    def test_good_answers_are_ok(self, reader: Reader, cases: Sequence[Case]) -> None:
        """Each known answer gives readings that are `ok`, one for each pool."""
        for case in cases:
            readings = reader.readings(case.document) or ()
            pools = [reading.pool for reading in readings]

            assert {"ok"} == {reading.state for reading in readings}, case
            assert len(set(pools)) == len(pools), case

    def test_readings_are_told_of_when_they_arrived(self, reader: Reader, cases: Sequence[Case]) -> None:
        """A reading was true when its document arrived; no reader has a clock of its own."""
        for case in cases:
            assert {case.document.at} == {one.observed_at for one in reader.readings(case.document) or ()}, case

    def test_one_document_is_always_read_alike(self, reader: Reader, cases: Sequence[Case]) -> None:
        """A reader keeps nothing from one document to the next."""
        twice = [[reader.readings(case.document) for case in cases] for _ in range(2)]

        assert twice[0] == twice[1]

    def test_scoped_limits_keep_their_scope(self, reader: Reader, cases: Sequence[Case]) -> None:
        """What binds only some models is never told as binding all."""
        for case in cases:
            limits = [limit for reading in reader.readings(case.document) or () for limit in reading.limits]

            assert case.scopes == {limit.scope.name for limit in limits if limit.scope is not None}, case

    def test_limits_of_a_reading_have_their_own_names(self, reader: Reader, cases: Sequence[Case]) -> None:
        """No limit hides another."""
        for case in cases:
            for reading in reader.readings(case.document) or ():
                names = [limit.name for limit in reading.limits]
                assert sorted(set(names)) == names, reading

    @pytest.mark.parametrize("ruin", sorted(HOPELESS))
    def test_hopeless_bodies_are_no_reading(self, reader: Reader, cases: Sequence[Case], ruin: str) -> None:
        """Nothing, a web page, noise or a pit of brackets is never `ok`, and never a zero."""
        for case in cases:
            readings = read(reader, evolve(case.document, body=HOPELESS[ruin]))

            assert "ok" not in {reading.state for reading in readings}, case
            assert set() == zeros(readings), case

    @pytest.mark.parametrize("ruin", sorted(STRANGE))
    def test_json_that_says_nothing_is_no_zero(self, reader: Reader, cases: Sequence[Case], ruin: str) -> None:
        """An empty table or list, null or a bare number tells nobody that nothing is used, or nothing is left."""
        for case in cases:
            assert set() == zeros(read(reader, evolve(case.document, body=STRANGE[ruin]))), case

    def test_broken_off_bodies_are_no_zero(self, reader: Reader, cases: Sequence[Case]) -> None:
        """What an answer lost on its way is not taken for zero."""
        for case in cases:
            told = zeros(reader.readings(case.document))
            for body in cut(case.document.body):
                assert zeros(read(reader, evolve(case.document, body=body))) <= told, (case, body[-40:])

    def test_missing_figures_are_no_zero(self, reader: Reader, cases: Sequence[Case]) -> None:
        """Whatever single part of an answer is gone or null, no limit becomes unused or empty by it."""
        for case in cases:
            told = zeros(reader.readings(case.document))
            for body in drifted(case.document.body):
                assert zeros(read(reader, evolve(case.document, body=body))) <= told, (case, body)

    def test_a_throttled_probe_says_nothing_of_the_quota(self, reader: Reader, throttled: Document) -> None:
        """Having asked too often is a state of the probe: no limit comes with it."""
        readings = reader.readings(throttled) or ()

        assert readings
        assert [("throttled", ())] * len(readings) == [(reading.state, reading.limits) for reading in readings]

    def test_good_answers_are_no_failure(self, reader: Reader, cases: Sequence[Case]) -> None:
        """What tells how much is left is no refused turn, unless it says that something is refused."""
        for case in cases:
            limits = [limit for reading in reader.readings(case.document) or () for limit in reading.limits]

            assert any(limit.blocked for limit in limits) or reader.failure(case.document) is None, case

    def test_a_throttled_probe_is_no_failure(self, reader: Reader, throttled: Document) -> None:
        """A probe that was refused blames nobody: no seat and no lease asked it."""
        assert reader.failure(throttled) is None

    def test_a_strangers_document_is_not_mine(self, reader: Reader, cases: Sequence[Case]) -> None:
        """Another program's answer to another question is left to others, also where nobody says what was asked."""
        for asked in ("/weather", None):
            stranger = Document(b'{"weather": "fine"}', cases[0].document.at, asked=asked)

            assert (reader.readings(stranger), reader.listing(stranger), reader.failure(stranger)) == (None, None, None)
