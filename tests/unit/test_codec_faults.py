"""A text that is not what it claims to be: every fault at once, each with its path, and nothing that breaks the reader."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capacity.codec import DOCUMENTS, dumps, loads, text
from capacity.errors import FormError
from capacity.values.conditions import Figure
from capacity.values.decision import Decision
from capacity.values.limits import Interval, Limit, Reading, Scope
from capacity.values.policy import AccountPolicy
from capacity.values.seats import Candidate
from capacity.values.tick import Tick


def faults(cls: type[Any], tree: Any) -> list[str]:
    with pytest.raises(FormError) as caught:
        loads(cls, tree if isinstance(tree, bytes) else json.dumps(tree), source="it")
    assert str(caught.value).startswith("it: ")
    return [str(fault) for fault in caught.value.faults]


def test_every_fault_is_told_with_its_path() -> None:
    """One look at the error is enough to mend the whole text."""
    limit = {"name": 5, "percnt": 3, "percent": "3", "left": {"USD": 1.5}, "scope": {"modle": "x"}, "window_s": "1"}

    assert sorted(
        [
            "form: is missing (this release reads form 1)",
            "limits[1].name: must be a text, not 5",
            "limits[1].percent: must be a number, not a text",
            'limits[1].left.USD: 1.5 is a binary number, which cannot hold every amount exactly (write it as text: "1.5")',
            "limits[1].window_s: must be a number, not a text",
            'limits[1].scope.modle: no such key (did you mean "model"?)',
            'limits[1].percnt: no such key (did you mean "percent"?)',
            "limits[2]: must be a table, not null",
            "observed_at: is missing",
            'state: "okay" is not among its words (did you mean "ok"?)',
        ]
    ) == sorted(faults(Reading, {"pool": "", "state": "okay", "source": "s", "limits": [{"name": "a"}, limit, None]}))


@pytest.mark.parametrize(
    ("cls", "tree", "said"),
    [
        (Candidate, ["cli", "work", "m"], "must be [harness, pool, model, effort] (effort is null where none is set)"),
        (Candidate, ["cli", 1, "m", 2], "[1]: must be a text, not 1"),
        (Scope, {"model": "a", "feature": "b"}, 'must be {"model": name} or {"feature": name}'),
        (Scope, {}, 'must be {"model": name} or {"feature": name}'),
        (Scope, "model", "must be a table, not a text"),
        (Figure, {"name": "n", "unit": "u", "value": 1}, "type: is missing"),
        (Figure, {"name": "n", "unit": "u", "value": 1, "type": "numbr"}, 'type: "numbr" is not among its words (did you mean "number"?)'),
        (Figure, {"name": "n", "unit": "u", "value": True, "type": "number"}, "value: must be a number, not true or false"),
        (Limit, {"name": "a", "percent": -1}, "percent must be a finite number from 0 up, not -1.0"),
        (Limit, {"name": "a", "blocked": 1}, "blocked: must be true or false, not 1"),
        (Limit, {"name": "a", "percent": 10**400}, "percent: is too large a number"),
        (Limit, {"name": "a", "window_s": 1e300}, "window_s: 1e+300 seconds are longer than any span"),
        (Limit, {"name": "a", "left": {"USD": "1,5"}}, 'left.USD: "1,5" is no amount (write it like "14.37")'),
        (Limit, {"name": "a", "left": {"USD": "1e99999999999999999999"}}, "left.USD: 1e99999999999999999999 is no amount anybody could hold"),
        (Limit, {"name": "a", "left": []}, "left: must be a table, not a list"),
        (Limit, {"name": "a", "resets_at": "soon"}, 'resets_at: "soon" is no instant (write it like 2026-09-20T12:00:00Z)'),
        (Limit, {"name": "a", "resets_at": "2026-09-20T12:00:00"}, "resets_at: 2026-09-20T12:00:00 has no zone (write 2026-09-20T12:00:00Z if that is UTC)"),
        (Limit, {"name": "a", "resets_at": "2026-13-20T12:00:00Z"}, "resets_at: 2026-13-20T12:00:00Z is no instant: month must be in 1..12"),
        (Limit, {"name": "a", "resets_at": "0001-01-01T00:00:00+14:00"}, "resets_at: 0001-01-01T00:00:00+14:00 lies outside the calendar"),
        (Interval, {"low": 2, "high": 1}, "low 2.0 must not be above high 1.0"),
        (Reading, [], "must be a table, not a list"),
        (Reading, {"form": True}, "form: True is not known here (this release reads form 1)"),
        (timedelta, "inf", "inf seconds are longer than any span"),
    ],
)  # fmt: skip  # one row a case
def test_a_fault_says_what_is_wrong_and_what_to_do(cls: type[Any], tree: Any, said: str) -> None:
    """The sentence names what stands there and what should."""
    assert said in faults(cls, tree)


def test_what_may_be_a_secret_is_not_repeated() -> None:
    """A key that was pasted where a reference belongs does not come back in the error."""
    said = faults(AccountPolicy, {"name": "work", "plugin": "x", "credentials": "sk-very-secret"})

    assert ["credentials: must be a table, not a text"] == said


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "is no JSON: Expecting value at line 1, column 1, where it ends"),
        (b'{"form":1,\n"pool":', "is no JSON: Expecting value at line 2, column 8, where it ends"),
        (b"<html></html>", "is no JSON: Expecting value at line 1, column 1"),
        (b"{}\n{}", "is no JSON: Extra data at line 2, column 1"),
        (b"ab\n\x89PNG", "is no UTF-8 text: line 2 holds a byte that cannot be (save it as UTF-8)"),
        (b"[" * 100_000, "is nested too deeply"),
        (b'{"a":' * 100_000, "is nested too deeply"),
        (b'{"pool":"a","pool":"b"}', 'the key "pool" stands twice in one object (keep one of them)'),
        (b"[Infinity]", 'holds Infinity, which is no figure (unknown is null, unbounded is "inf")'),
    ],
    ids=["empty", "cut", "html", "two", "binary", "lists", "tables", "twice", "infinity"],
)
def test_what_is_no_json_is_one_fault(body: bytes, said: str) -> None:
    """The one fault says where."""
    assert [said] == faults(Tick, body)


def test_a_number_of_many_digits_is_one_fault() -> None:
    """Python refuses to read it, and so does the codec."""
    (said,) = faults(Tick, b"9" * 5000)

    assert said.startswith("is no JSON: ")


def test_options_nested_without_end_are_refused() -> None:
    """What could be built but not written is a FormError, like everything else that has no text."""
    options: Any = []
    for _ in range(100_000):
        options = [options]

    with pytest.raises(FormError, match="AccountPolicy: is nested too deeply"):
        dumps(AccountPolicy("work", "x", options={"deep": options}))


def test_a_byte_order_mark_is_no_fault() -> None:
    """Some editors write one."""
    assert Limit("5h") == loads(Limit, b'\xef\xbb\xbf{"name":"5h"}')


def test_what_is_too_large_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text over the cap is refused before anything is made of it."""
    monkeypatch.setattr(text, "TEXT_CAP", 2**20)

    assert ["is larger than 1 MiB (is it the right file?)"] == faults(Tick, b"[" * (2**20 + 1))


def decided(**given: Any) -> dict[str, Any]:
    return {"form": 1, "id": "x", "as_of": "2026-09-20T12:00:00Z", "order": "seats", **given}


def test_an_index_that_leads_nowhere_is_a_fault() -> None:
    """Every reference of a decision is followed before it is believed."""
    placement = {"id": "x/main/a", "fleet": "main", "seat": "a", "act": "keep", "fact": 1, "candidate": -1}
    tree = decided(
        facts=[{"code": "core:x"}],
        candidates=[["cli", "work", "m", None]],
        verdicts=[{"answer": "no", "rule": "tier", "fact": 5}],
        seats=[{"placement": placement, "verdict": 3}],
    )

    assert [
        "verdicts[0].fact: there is no 5 in facts (it has 1, counted from 0)",
        "seats[0].placement.fact: there is no 1 in facts (it has 1, counted from 0)",
        "seats[0].placement.candidate: there is no -1 in candidates (it has 1, counted from 0)",
        "seats[0].verdict: there is no 3 in verdicts (it has 1, counted from 0)",
    ] == faults(Decision, tree)


def test_a_faulty_table_hides_no_other_fault() -> None:
    """A member of a table that cannot be read is one fault, told where it stands, and reading goes on."""
    tree = decided(facts=[{"cod": 1}], verdicts=[{"answer": "perhaps", "fact": 0}], ordr=1)

    assert [
        "facts[0].code: is missing",
        'facts[0].cod: no such key (did you mean "code"?)',
        'verdicts[0].answer: "perhaps" is not among its words (known: "cannot-tell", "no", "wait", "yes")',
        'ordr: no such key (did you mean "order"?)',
    ] == faults(Decision, tree)


def test_rows_that_fit_no_table_are_faults() -> None:
    """A decision whose tables do not fit each other would fail whoever looks at it later."""
    place = ["cli", "work", "m", None]
    seat = {"need": 4, "placement": {"id": "i", "fleet": "f", "seat": "s", "act": "keep", "fact": 0}}
    tree = decided(
        facts=[{"code": "core:x"}],
        candidates=[place],
        groups=[0, 1],
        verdicts=[{"answer": "yes"}],
        tables=[{"need": {}, "verdicts": [0]}, {"need": {}, "verdicts": [0, 7]}],
        seats=[seat],
    )

    assert [
        "groups: has 2 for 1 candidates",
        "tables[0].verdicts: has 1 for 2 groups",
        "tables[1].verdicts: leads outside of verdicts (it has 1, counted from 0)",
        "seats[0].need: leads outside of tables (it has 2, counted from 0)",
    ] == faults(Decision, tree)


TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=10,
)
KEYS = (
    "form",
    "as_of",
    "facts",
    "candidates",
    "groups",
    "verdicts",
    "tables",
    "seats",
    "conditions",
    "limits",
    "pools",
)


@given(st.sampled_from(sorted(DOCUMENTS.values(), key=str)), st.dictionaries(st.sampled_from(KEYS), TREES, max_size=6))
def test_any_json_is_read_or_refused(cls: type[Any], tree: dict[str, Any]) -> None:
    """Whatever a text holds, it is a value or a FormError, never anything else."""
    with suppress(FormError):
        loads(cls, json.dumps({**tree, "form": 1}))
