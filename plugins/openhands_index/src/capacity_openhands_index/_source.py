"""What is asked of the index's repository, as a flow: the list of its files, and then the two files of each entry.

All of them or nothing: a result that did not come would look like a result that was withdrawn.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any
from urllib.parse import quote

from attrs import Attribute, evolve, field, frozen
from capacity.ports import Budget, Get, Rankings, Reply, SourceCard
from capacity.ports.scores import DAILY, Board, Fields, Told, address

from capacity_openhands_index._rows import FILES, entries, newest, told, unfinished

API_URL = "https://api.github.com"
RAW_URL = "https://raw.githubusercontent.com"
REPOSITORY = "OpenHands/openhands-index-results"
BRANCH = "main"

ENTRIES_MOST = 500
"""Entries that are followed. The index had 44 in the middle of 2026; ten times that is another repository."""

BUDGET = evolve(DAILY, deadline=timedelta(minutes=5))
"""Two small files for each entry, one after another."""

CARD = SourceCard(
    url="https://github.com/OpenHands/openhands-index-results",
    licence="Apache-2.0, as the data set that is published from it",
    attribution="Scores from the OpenHands index (https://github.com/OpenHands/openhands-index-results).",
)


def _named(_: Any, attribute: Attribute[str], value: str) -> None:
    """What is to stand in an address is a path of plain names, of which none leads out of it."""
    if not re.fullmatch(r"[\w.-]+(/[\w.-]+)*", str(value)) or ".." in str(value):
        raise ValueError(f"{attribute.name} must be a name as the repository's own address has it")


@frozen(kw_only=True)
class Index:
    """Reads the OpenHands index.

    Attributes:
        api_url: where the list of files is asked.
        raw_url: where the files are.
        repository: owner and name.
        branch: or tag, or commit.
        about: where the figures come from.
        budget: how often it may be asked.
    """

    api_url: str = field(converter=address)
    raw_url: str = field(converter=address)
    repository: str = field(validator=_named)
    branch: str = field(validator=_named)
    about: SourceCard = CARD
    budget: Budget = BUDGET

    async def rankings(self) -> Rankings:
        """The scores of every entry; those of none where the list or a file did not come whole."""
        board = Board(source="openhands-index", about=self.about, budget=self.budget)
        listed = await self._listed(board)
        if isinstance(listed, Rankings):
            return listed
        reply, paths = listed
        replies: list[Reply] = [reply]
        became: list[Told] = [*unfinished(paths)]
        for entry in entries(paths):
            found = await self._entry(board, entry)
            if isinstance(found, Rankings):
                return found
            replies += found
            became += told(entry, *(one.document.json() for one in found))
        return board.told(replies, became, as_of=newest(became))

    async def _listed(self, board: Board) -> tuple[Reply, list[str]] | Rankings:
        """The paths of all files."""
        reply = await Get(
            f"{self.api_url}/repos/{self.repository}/git/trees/{quote(self.branch)}?recursive=1", keep=True
        )
        tree = board.tree(reply)
        if isinstance(tree, Rankings):
            return tree
        files = Fields(tree).items("tree")
        if files is None or Fields(tree).flag("truncated"):
            return board.invalid(reply.at, "answered without the whole list of its files")
        paths = [path for path in (Fields(file).text("path") for file in files) if path]
        if not entries(paths) or len(entries(paths)) > ENTRIES_MOST:
            return board.invalid(
                reply.at, f"lists {len(entries(paths))} entries, where 1 to {ENTRIES_MOST} are expected"
            )
        return reply, paths

    async def _entry(self, board: Board, entry: str) -> list[Reply] | Rankings:
        """Its two files, in the order of `FILES`."""
        replies: list[Reply] = []
        for file in FILES:
            path = f"{entry}/{file}"
            reply = await Get(f"{self.raw_url}/{self.repository}/{quote(self.branch)}/{quote(path)}")
            tree = board.tree(reply, path)
            if isinstance(tree, Rankings):
                return tree
            replies.append(reply)
        return replies
