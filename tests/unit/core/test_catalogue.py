"""Folding listings: authority, age, and misses in a row."""

from __future__ import annotations

from datetime import timedelta

from attrs import evolve

from capacity import Model
from capacity.core.catalogue import catalogue, join
from capacity.values.models import Listing

from .build import NOW

HOUR = timedelta(hours=1)


def listing(at: int, *ids: str, **more: str) -> Listing:
    """An authoritative listing of one pool, so many minutes before now."""
    given = {"authority": "authoritative", **more}
    models = tuple(Model(one, pool="p") for one in ids)
    return Listing("a", source="test", observed_at=NOW - timedelta(minutes=at), usual=HOUR, models=models, **given)  # type: ignore[arg-type]  # the words are checked by the test


def test_a_model_is_missed_from_authoritative_listings_in_a_row() -> None:
    """Two listings without it are two misses; one with it starts anew."""
    gone = catalogue([listing(3, "x", "y"), listing(2, "x"), listing(1, "x")], NOW).pools["p"]
    assert (["x"], [("y", 2)]) == ([m.id for m in gone.models], [(m.model.id, m.misses) for m in gone.missed])
    back = catalogue([listing(3, "x", "y"), listing(2, "x"), listing(1, "x", "y")], NOW).pools["p"]
    assert () == back.missed


def test_only_an_authoritative_listing_is_a_sample_of_what_is_gone() -> None:
    """A partial listing adds models and takes none away; an unknown one changes nothing."""
    told = [listing(3, "x", "y"), listing(2, "z", authority="partial"), listing(1, authority="unknown")]
    pool = catalogue(told, NOW).pools["p"]
    assert (["x", "y", "z"], ()) == ([model.id for model in pool.models], pool.missed)


def test_the_same_sample_told_twice_is_one_sample() -> None:
    """A republished listing is no second miss."""
    told = [listing(3, "x", "y"), listing(2, "x"), listing(2, "x")]
    (missed,) = catalogue(told, NOW).pools["p"].missed
    assert 1 == missed.misses


def test_an_old_listing_may_not_reject() -> None:
    """Twice its usual cadence later an authoritative listing is not fresh any more."""
    assert catalogue([listing(0, "x")], NOW + 1.9 * HOUR).pools["p"].rejects
    assert not catalogue([listing(0, "x")], NOW + 2 * HOUR).pools["p"].rejects


def test_each_pool_of_an_account_has_its_own_authority() -> None:
    """A whole list of one pool takes nothing away in another, and lends it no authority; nor does one that is silent of it."""
    other = (Model("o", pool="q"),)
    told = [
        listing(3, "x", "y"), evolve(listing(3, authority="partial"), models=other),
        listing(2, "x"), evolve(listing(1), models=other),
    ]  # fmt: skip  # one list a minute
    pools = catalogue(told[:3], NOW).pools
    assert (True, False) == (pools["p"].rejects, pools["q"].rejects)
    assert (["y"], ()) == ([one.model.id for one in pools["p"].missed], pools["q"].missed)
    assert [1] == [one.misses for one in catalogue(told, NOW).pools["p"].missed]


def test_pages_join_into_one_listing() -> None:
    """All pages but the last are partial; the whole is authoritative, with the models of all."""
    pages = [listing(1, "x", authority="partial"), listing(1, "y")]
    (whole,) = join(pages)
    assert ("authoritative", ["x", "y"]) == (whole.authority, [model.id for model in whole.models])
    (partial,) = join([pages[0], evolve(pages[0], models=())])
    assert "partial" == partial.authority


def test_a_failed_page_makes_the_whole_partial() -> None:
    """What could not be read may have held anything."""
    (whole,) = join([listing(1, "x"), listing(1, authority="unknown")])
    assert "partial" == whole.authority
