"""Lines about leases as text: what is none is told as the codec tells it. That they are text forms is in the laws."""

from __future__ import annotations

import pytest

from capacity.engine.lines import read
from capacity.errors import FormError


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
