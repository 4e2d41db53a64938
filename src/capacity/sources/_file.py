"""The `file` tier source: scores of one's own, or checked in beside the policy. Nobody is asked, nothing is guessed.

A file at fault tells no scores at all; every fault is named, and what it told before stays.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import PurePosixPath
from typing import get_args

from attrs import evolve, field, frozen

from capacity.codec.scores import Kind, read_scores
from capacity.errors import FormError, NotFound
from capacity.ports import Budget, Pause, Rankings, Read, SourceCard, TierSource
from capacity.ports.scores import Board

BUDGET = Budget(
    floor=timedelta(seconds=1), usual=timedelta(hours=1), idle=timedelta(hours=1), slowest=timedelta(days=1)
)
"""Reading a file costs nobody anything; once an hour is soon enough for what a person then adopts."""

OWN = "the operator's own"
"""What is said of a licence where the file says nothing of it."""


def _known(path: str) -> str:
    """The path, if its ending says how the file is written."""
    if PurePosixPath(path).suffix.removeprefix(".") not in get_args(Kind):
        raise ValueError(
            f"path must end in {', '.join(f'.{kind}' for kind in get_args(Kind))}, which says how it is written"
        )
    return path


@frozen(kw_only=True)
class FileSource:
    """Reads one file of scores.

    Attributes:
        path: the file; may hold `~/` and `${NAME}`.
        licence: of its figures, where the file itself does not say.
        attribution: whom to thank, where the file itself does not say.
        budget: how often it is read.
    """

    path: str = field(converter=_known)
    licence: str = OWN
    attribution: str = OWN
    budget: Budget = BUDGET

    @property
    def about(self) -> SourceCard:
        """The file, which it is useless without."""
        return SourceCard(
            url=self.path, licence=self.licence, attribution=self.attribution, requires=(self.path,), required=True
        )

    async def rankings(self) -> Rankings:
        """The scores the file holds."""
        board = Board(source="file", about=self.about, budget=self.budget)
        try:
            file = await Read(self.path)
        except NotFound:
            now = await Pause(timedelta(0))
            return board.unconfigured(
                now.at, self.path, f"{self.path} is not there; write it, or mend `path` in the policy"
            )
        kind: Kind = PurePosixPath(self.path).suffix.removeprefix(".")  # type: ignore[assignment]  # `_known` saw to it
        try:
            written = read_scores(file.body, kind, source=self.path, at=file.at)
        except FormError as error:
            return evolve(board.invalid(file.at, "is at fault"), detail=str(error))
        told = board.told(
            [file], written.rows, as_of=written.as_of, known=written.known, methodology=written.methodology
        )
        return evolve(
            told, licence=written.licence or self.licence, attribution=written.attribution or self.attribution
        )


def file(*, path: str, licence: str = OWN, attribution: str = OWN) -> TierSource:
    """Reads one file of scores.

    Args:
        path: the file, `.json`, `.toml` or `.csv`; may hold `~/` and `${NAME}`.
        licence: of its figures, where the file itself does not say.
        attribution: whom to thank, where the file itself does not say.

    Raises:
        ValueError: the ending of `path` does not say how it is written.
    """
    return FileSource(path=path, licence=licence, attribution=attribution)
