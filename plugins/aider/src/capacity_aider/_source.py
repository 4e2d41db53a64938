"""What is asked of aider's repository, as a flow: one file for each leaderboard, all of them or none."""

from __future__ import annotations

import re
from collections.abc import Sequence

from attrs import field, frozen
from capacity.ports import Budget, Get, Rankings, Reply, SourceCard
from capacity.ports.scores import DAILY, Board, Told, address

from capacity_aider._rows import newest, rows_of, told

BASE_URL = "https://raw.githubusercontent.com/Aider-AI/aider/main/aider/website/_data"
"""The folder of the repository from which aider's own pages are made."""

BOARDS = ("polyglot",)
"""The leaderboard that aider's page shows first; the older ones are told on request."""

CAP = 2**20
"""Bytes of one file. The largest has 46 kB; the loader takes two seconds for what is twenty times that."""

CARD = SourceCard(
    url="https://aider.chat/docs/leaderboards/",
    licence="Apache-2.0",
    attribution="Scores from the aider leaderboards (https://aider.chat/docs/leaderboards/), Aider-AI, Apache-2.0.",
)


def _names(boards: Sequence[str]) -> tuple[str, ...]:
    """Names of leaderboards, each once."""
    names = () if isinstance(boards, str) else tuple(dict.fromkeys(boards))
    if not names or not all(re.fullmatch(r"[a-z0-9_-]+", str(name)) for name in names):
        raise ValueError('boards must be a list of names in small letters, such as ["polyglot"]')
    return names


@frozen(kw_only=True)
class Leaderboards:
    """Reads aider's leaderboards.

    Attributes:
        base_url: the folder that holds them.
        boards: which.
        about: where the figures come from.
        budget: how often it may be asked.
    """

    base_url: str = field(converter=address)
    boards: tuple[str, ...] = field(converter=_names)
    about: SourceCard = CARD
    budget: Budget = DAILY

    async def rankings(self) -> Rankings:
        """The rows of every leaderboard; those of none where one of them did not come or is no leaderboard."""
        board = Board(source="aider", about=self.about, budget=self.budget)
        replies: list[Reply] = []
        became: list[Told] = []
        for name in self.boards:
            reply = await Get(f"{self.base_url}/{name}_leaderboard.yml", cap=CAP, keep=True)
            refused = board.refusal(reply)
            if refused is not None:
                return refused
            rows = rows_of(reply.document)
            if rows is None:
                return board.invalid(
                    reply.at, f"answered {name}_leaderboard.yml with something that is no list of rows"
                )
            replies.append(reply)
            became += [told(row, name, place) for place, row in enumerate(rows)]
        return board.told(replies, became, as_of=newest(became))
