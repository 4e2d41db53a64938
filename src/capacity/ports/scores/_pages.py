"""Pages: an answer that comes in several, gathered whole or not at all. A part of the rows is never taken for the rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import frozen

from capacity.ports.effects import Get
from capacity.ports.replies import Reply
from capacity.ports.scores._board import Board
from capacity.ports.scores._fields import Fields
from capacity.values.rankings import Rankings

PAGES_MOST = 100
"""Pages that are followed. The longest list known has four; a server that always promises one more has an end here."""


@frozen
class Page:
    """One page.

    Attributes:
        reply: the answer.
        body: its object.
        rows: the list in it.
    """

    reply: Reply
    body: Fields
    rows: list[Any]


async def pages(board: Board, ask: Callable[[int], Get], member: str, of: str = "") -> tuple[Page, ...] | Rankings:
    """Every page of a list, in order; the `Rankings` that it is instead where one is missing or is no page.

    A page tells of the others in `pagination`: `page`, `total_pages`, `has_more`, `total`. What it does not tell is not
    held against it; without any of them it is the only one.

    Args:
        board: makes `Rankings` of what is no page.
        ask: from the number of a page, the first being 1, to the question for it.
        member: the field that holds the rows.
        of: what the pages are of, where there are several lists.
    """
    gathered: list[Page] = []
    more = True
    while more:
        number = len(gathered) + 1
        name = f"page {number}{of and f' of {of}'}"
        if number > PAGES_MOST:
            return board.invalid(gathered[-1].reply.at, f"promises {name}, and is not followed any further")
        reply = await ask(number)
        page = _page(board, reply, member, number, name)
        if isinstance(page, Rankings):
            return page
        gathered.append(page)
        more = _more(page, number)
    told, total = sum(len(page.rows) for page in gathered), gathered[-1].body.inside("pagination").whole("total")
    if total is not None and told < total:
        return board.invalid(gathered[-1].reply.at, f"told {told} of {total} rows{of and f' of {of}'}")
    return tuple(gathered)


def _page(board: Board, reply: Reply, member: str, number: int, name: str) -> Page | Rankings:
    tree = board.tree(reply, name if number > 1 else None)
    if isinstance(tree, Rankings):
        return tree
    body = Fields(tree)
    rows, shown = body.items(member), body.inside("pagination").whole("page")
    if rows is None:
        return board.invalid(reply.at, f"answered {name} without {member}")
    if shown not in (None, number):
        return board.invalid(reply.at, f"answered {name} with page {shown}")
    return Page(reply, body, rows)


def _more(page: Page, number: int) -> bool:
    """Whether another one follows."""
    told = page.body.inside("pagination")
    last = told.whole("total_pages")
    return last > number if last is not None else told.flag("has_more") is True
