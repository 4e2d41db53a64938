"""Lines about leases as text: what is none is told as the codec tells it. That they are text forms is in the laws."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from attrs import evolve

from capacity.core.leases import Entered
from capacity.engine.lines import read, written
from capacity.errors import FormError
from capacity.values.leases import Lease
from capacity.values.seats import Candidate

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        (b"{", "is no JSON"),
        (b'{"doing":"ended","at":"2026-03-01T12:00:00Z"}', "lease"),
        (b'{"doing":"ended","lease":"s/1","at":"soon"}', "at"),
        (b'{"doing":"ended","lease":"s/1","at":"2026-03-01T12:00:00Z","granted":{"id":"s/1"}}', "granted.session"),
        (b"[]", "leases 7"),
    ],
)
def test_what_is_no_line_is_told_with_its_fault(body: bytes, wrong: str) -> None:
    """The error names the record and the key at fault."""
    with pytest.raises(FormError, match="leases 7") as error:
        read(body, "leases 7")
    assert wrong in str(error.value)


def test_half_of_a_pair_is_kept_as_it_was_given() -> None:
    """A name that a host decoded from bytes that are no UTF-8 is written and read again like any other."""
    lease = Lease("s/1", "s", Candidate("h", "p", "m"), "", "any", "key", 0, 1, NOON, NOON)
    line = Entered("offered", "s/1", NOON, granted=evolve(lease, team="\udcff"))

    assert line == read(written(line), "leases 7")
