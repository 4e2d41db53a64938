"""What is asked of Harbor's hub, as a flow: every page of every leaderboard, or nothing at all."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from attrs import field, frozen
from capacity.ports import Budget, Get, Rankings, SourceCard
from capacity.ports.scores import DAILY, Board, Page, Told, address, pages

from capacity_harbor._rows import HUB, newest, told

BASE_URL = "https://ofhuhcpkvzjlejydnvyd.supabase.co"
"""Where the hub's own pages ask. It is no documented interface, so it may move; then the policy says where to."""

PATH = "/functions/v1/leaderboard-read"

VERSIONS = ("2.1", "3.0", "4.0")
"""Those since the tasks of 2.0 were repaired; the repair alone moved pairs by up to 12 points."""

CARD = SourceCard(
    url="https://www.tbench.ai/leaderboard",
    licence="Apache-2.0",
    attribution="Scores from the Terminal-Bench leaderboards (https://www.tbench.ai/leaderboard), as Harbor's hub has them.",
)


def _versions(versions: Sequence[str]) -> tuple[str, ...]:
    """Versions that are known, each once."""
    words = () if isinstance(versions, str) else tuple(dict.fromkeys(versions))
    if not words or not all(word in HUB for word in words):
        raise ValueError(f"versions must be a list out of {', '.join(HUB)}, as texts")
    return words


@frozen(kw_only=True)
class Leaderboards:
    """Reads Terminal-Bench leaderboards.

    Attributes:
        base_url: where the hub is.
        versions: which.
        about: where the figures come from.
        budget: how often it may be asked.
    """

    base_url: str = field(converter=address)
    versions: tuple[str, ...] = field(converter=_versions)
    about: SourceCard = CARD
    budget: Budget = DAILY

    async def rankings(self) -> Rankings:
        """The rows of every leaderboard; those of none where one of them did not come whole."""
        board = Board(source="harbor", about=self.about, budget=self.budget)
        answers: list[Page] = []
        became: list[Told] = []
        for version in self.versions:
            found = await pages(board, partial(self._question, version), "rows", f"version {version}")
            if isinstance(found, Rankings):
                return found
            name = found[0].body.inside("leaderboard").text("name")
            if name != HUB[version].name:
                return board.invalid(found[0].reply.at, f"answered version {version} with leaderboard {name}")
            answers += found
            became += [told(row, version) for page in found for row in page.rows]
        return board.told([page.reply for page in answers], became, as_of=newest(answers))

    def _question(self, version: str, page: int) -> Get:
        body = {"package": HUB[version].package, "name": HUB[version].name, "page": page}
        return Get(self.base_url + PATH, body=body, keep=True)
