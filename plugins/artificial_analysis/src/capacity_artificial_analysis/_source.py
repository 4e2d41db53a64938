"""What is asked of Artificial Analysis, as a flow: every page of its list of models, or nothing at all.

Without a key nobody is asked, and the key that is missing is named.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from attrs import evolve, field, frozen
from attrs.validators import in_
from capacity.errors import NotFound
from capacity.ports import Budget, Env, Get, Key, Pause, Rankings, Secret, SourceCard, key
from capacity.ports.scores import DAILY, Board, address, pages

from capacity_artificial_analysis._rows import told, version_of

BASE_URL = "https://artificialanalysis.ai/api/v2"

KEY = "ARTIFICIAL_ANALYSIS_API_KEY"
"""The variable that clients of the service look for."""

PATHS: Mapping[str, str] = {"free": "/language/models/free", "pro": "/language/models"}
"""Plan of the key → the list it opens."""

BUDGET = evolve(DAILY, floor=timedelta(hours=4))
"""What a free key may ask was said to be 1,000, 100 and 25 requests a day; a list has up to four pages, and six times
four stays below the least of them."""

CARD = SourceCard(
    url="https://artificialanalysis.ai",
    licence="terms of Artificial Analysis; not to be passed on without a contract",
    attribution="Indices by Artificial Analysis (https://artificialanalysis.ai).",
    required=True,
)


@frozen(kw_only=True)
class Indices:
    """Asks for the indices of every model.

    Attributes:
        credentials: where the key is.
        base_url: where the API is.
        plan: what the key was given for.
        about: where the figures come from.
        budget: how often it may be asked.
    """

    credentials: Key
    base_url: str = field(converter=address)
    plan: str = field(validator=in_(tuple(PATHS)))
    budget: Budget = BUDGET

    @property
    def about(self) -> SourceCard:
        """Where the figures come from, and which key they need."""
        return evolve(CARD, requires=(self._place,))

    @property
    def _place(self) -> str:
        return self.credentials.name if isinstance(self.credentials, Env) else self.credentials.path

    async def rankings(self) -> Rankings:
        """The indices of every model; those of none where a page did not come, or there is no key."""
        board = Board(source="artificial-analysis", about=self.about, budget=self.budget)
        secret = await self._key()
        if not secret:
            now = await Pause(timedelta(0))
            why = f"artificial-analysis has no key; put one in {self._place}, or take the source out of the policy"
            return board.unconfigured(now.at, self._place, why)
        headers: Mapping[str, str | Secret] = {"x-api-key": secret}
        url = self.base_url + PATHS[self.plan]
        found = await pages(board, lambda page: Get(f"{url}?page={page}", headers=headers, keep=True), "data")
        if isinstance(found, Rankings):
            return found
        versions = {version_of(page.body) for page in found}
        if len(versions) > 1:
            return board.invalid(found[-1].reply.at, "changed the version of its index between two pages")
        version = versions.pop()
        rows = [row for page in found for model in page.rows for row in told(model, version)]
        return board.told([page.reply for page in found], rows, methodology=version)

    async def _key(self) -> Secret:
        """The key; a blank one where there is none."""
        try:
            return await key(self.credentials)
        except NotFound:
            return Secret("")
