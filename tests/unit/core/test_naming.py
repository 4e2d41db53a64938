"""Whether a name may be given to a harness: valid, invalid, or nobody can tell."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from attrs import evolve

from capacity.core.naming import naming
from capacity.core.sentences import sentence
from capacity.values.models import Missed, Model, PoolInventory

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
BIG = Model("sample-big-2", names=frozenset({"big", "sample big 2"}))
OLD = Model("sample-big-1", names=frozenset({"big"}))
SHELF = PoolInventory("a", "authoritative", True, NOON, models=(BIG, OLD, Model("sample-tiny-1")))


def codes(found: Any) -> list[str]:
    return [fact.code.removeprefix("core:") for fact in found.facts]


@pytest.mark.parametrize("name", ["sample-big-2", "SAMPLE-BIG-2", "Sample Big 2"])
def test_a_listed_name_is_valid(name: str) -> None:
    """Any name the list knows it by, in any case, and says which model is meant."""
    found = naming(name, {"a": SHELF})

    assert ("valid", {"a": (BIG,)}, (), ()) == (found.answer, found.models, found.facts, found.nearest)


def test_a_name_of_several_is_valid_for_all_of_them() -> None:
    """A family word tells every model it may mean."""
    assert {"a": (OLD, BIG)} == naming("big", {"a": SHELF}).models


def test_one_pool_that_lists_it_is_enough() -> None:
    """Where another pool of the backend does not list it, or nobody knows, it is still valid."""
    other = evolve(SHELF, pool="b", models=())
    found = naming("sample-big-2", {"a": SHELF, "b": other, "c": None})

    assert ("valid", ["a"]) == (found.answer, list(found.models))


def test_an_old_listing_still_says_yes() -> None:
    """A listing that is no longer fresh may not say no; what it lists is there as far as anybody knows."""
    old = evolve(SHELF, fresh=False)

    assert naming("sample-big-2", {"a": old}).answer == "valid"
    assert ("cannot-tell", ["inventory-unknown"]) == (
        naming("sample-big-3", {"a": old}).answer,
        codes(naming("sample-big-3", {"a": old})),
    )


def test_a_fresh_authoritative_list_says_no() -> None:
    """With the ids that are nearest, the nearest first."""
    found = naming("sample-big-3", {"a": SHELF})

    assert ("invalid", ["model-unlisted"]) == (found.answer, codes(found))
    assert {"sample-big-1", "sample-big-2"} == set(found.nearest[:2])
    assert "a does not list sample-big-3 (its listing: authoritative)" == sentence(found.facts[0])


@pytest.mark.parametrize(
    ("shelf", "code"),
    [
        (None, "inventory-unknown"),
        (evolve(SHELF, authority="partial"), "model-unlisted"),
        (evolve(SHELF, authority="unknown"), "model-unlisted"),
    ],
)
def test_a_list_that_may_not_reject_cannot_tell(shelf: PoolInventory | None, code: str) -> None:
    """No listing, part of one, or one that is no sample."""
    found = naming("sample-big-3", {"a": shelf})

    assert ("cannot-tell", [code]) == (found.answer, codes(found))


def test_every_pool_has_to_say_no() -> None:
    """One pool that cannot tell makes the answer one."""
    found = naming("sample-big-3", {"a": SHELF, "b": None})

    assert ("cannot-tell", ["model-unlisted", "inventory-unknown"]) == (found.answer, codes(found))


def test_no_pool_cannot_tell() -> None:
    """Nobody is there to say no."""
    assert naming("sample-big-3", {}).answer == "cannot-tell"


@pytest.mark.parametrize(("misses", "code"), [(1, "model-missing"), (2, "model-missing"), (3, "model-invalid")])
def test_a_model_that_is_missing_is_refused(misses: int, code: str) -> None:
    """At once, for whoever would be given it anew; and the sentence tells how often it was missing."""
    gone = evolve(SHELF, models=(), missed=(Missed(BIG, misses),))
    found = naming("big", {"a": gone})

    assert ("invalid", [code], {}) == (found.answer, codes(found), found.models)
    assert naming("big", {"a": evolve(gone, authority="partial")}).answer == "cannot-tell"


def test_a_bare_word_may_be_an_alias() -> None:
    """A word of letters alone that no list uses: somebody's harness may accept it."""
    found = naming("best", {"a": SHELF})

    assert ("cannot-tell", ["bare-word"]) == (found.answer, codes(found))


def test_an_alias_of_the_policy_is_what_it_stands_for() -> None:
    """A declared word is replaced before it is looked up."""
    aliases = {"best": "sample-big-2", "worst": "sample-big-9"}

    assert ("valid", "sample-big-2") == (lambda one: (one.answer, one.name))(naming("best", {"a": SHELF}, aliases))
    assert naming("worst", {"a": SHELF}, aliases).answer == "invalid"
