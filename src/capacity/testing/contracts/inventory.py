"""What every inventory source owes: names that can be told apart, an authority, and no "nothing" for "cannot tell"."""

from __future__ import annotations

import inspect

import pytest

from capacity.errors import TimedOut
from capacity.ports import Authority, Budget, InventorySource, Listing
from capacity.testing.contracts._asking import READING, played, retried, shown
from capacity.testing.contracts._contract import Contract
from capacity.testing.contracts._ruin import EMPTY_LISTS, HOPELESS, STRANGE
from capacity.testing.flows import FakeWorld, play


class InventoryContract(Contract):
    """Subclass it and give `construct` and these fixtures.

    * `inventory`: the source.
    * `world`: a `FakeWorld` in which it is in good health and lists at least one model.
    """

    def test_it_takes_no_seat(self, inventory: InventorySource) -> None:
        """Whom the list is for cannot change it: the question has no argument."""
        assert len(inspect.signature(inventory.listings).parameters) == 0

    def test_it_declares_a_budget(self, inventory: InventorySource) -> None:
        """How often it may be asked is known before it is asked."""
        assert isinstance(inventory.budget, Budget)

    def test_a_source_in_good_health_lists_models(self, inventory: InventorySource, world: FakeWorld) -> None:
        """It lists at least one model, on pages that are samples."""
        listings = play(inventory.listings(), world)

        assert [model for listing in listings for model in listing.models]
        assert "unknown" not in {listing.authority for listing in listings}

    def test_ids_are_listed_once(self, inventory: InventorySource, world: FakeWorld) -> None:
        """Within a pool an id names one model, over all pages; and each model answers to its own id."""
        models = [model for listing in play(inventory.listings(), world) for model in listing.models]
        spots = [(model.pool, model.id) for model in models]

        assert len(set(spots)) == len(spots)
        assert all(model.id.casefold() in model.names for model in models)

    def test_a_list_is_told_alike_twice(self, inventory: InventorySource, world: FakeWorld) -> None:
        """The same answers give the same listings, in the same order."""
        once, again = (play(inventory.listings(), world) for _ in range(2))

        assert once == again

    def test_listing_changes_nothing(self, inventory: InventorySource, world: FakeWorld) -> None:
        """It sends nothing and writes nothing."""
        play(inventory.listings(), world)

        assert [effect for effect in world.asked if not isinstance(effect, READING)] == []

    @pytest.mark.parametrize("status", [401, 403, 429, 500, 503])
    def test_a_refusal_is_no_sample(self, inventory: InventorySource, world: FakeWorld, status: int) -> None:
        """A list that was refused says of no model that it is gone, and is not asked for again at once."""
        world.serve(b'{"error": {"message": "no"}}', status)
        listings = played(inventory.listings(), world)

        assert set() == _claims(listings)
        assert retried(world.asked) == []

    def test_an_empty_list_is_no_sample(self, inventory: InventorySource, world: FakeWorld) -> None:
        """A list that holds no model, in whatever table it comes, says of no model that it is gone."""
        for body in EMPTY_LISTS:
            world.serve(body)
            empty = [one for one in played(inventory.listings(), world) if not one.models]

            assert {"unknown"} >= {one.authority for one in empty}, body

    @pytest.mark.parametrize("ruin", sorted({**HOPELESS, **STRANGE}))
    def test_a_ruined_answer_is_no_sample(self, inventory: InventorySource, world: FakeWorld, ruin: str) -> None:
        """Whatever a server sends instead of a list says of no model that it is gone."""
        world.serve({**HOPELESS, **STRANGE}[ruin])

        assert set() == _claims(played(inventory.listings(), world))

    def test_silence_is_no_sample(self, inventory: InventorySource, world: FakeWorld) -> None:
        """Where nobody answers, nothing is known of any model."""
        world.web = lambda request: TimedOut(request.url, "no answer")

        assert set() == _claims(played(inventory.listings(), world))

    def test_no_secret_is_shown(self, inventory: InventorySource, world: FakeWorld) -> None:
        """Neither the source, nor a listing, nor any effect it awaits shows a secret, in good health or bad."""
        things: list[object] = [inventory, play(inventory.listings(), world)]
        world.serve(b"{}", 401)
        things.append(played(inventory.listings(), world))

        assert shown(world, *things) == []


def _claims(listings: tuple[Listing, ...]) -> set[Authority]:
    """The authorities by which something is said to be gone."""
    return {listing.authority for listing in listings} - {"unknown"}
