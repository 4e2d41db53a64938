"""Which reading speaks for which limit. What was seen in passing adds to what a source answered, and wipes nothing.

The answer of a source that was asked is whole: what it leaves out is gone. What was only observed may be a part, and
speaks for the limits it tells. Of one limit the newest figure counts. A refusal outranks later silence: it stands until
it is over, until a newer word says otherwise, or until two answers in a row tell the limit without it, since what a
provider shows lags behind what it refuses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby

from attrs import evolve, frozen

from capacity.values.limits import Limit, Reading

DISAGREEING = 2
"""Answers in a row that tell a limit without its refusal before the refusal is given up: the first may lag."""


def _newest_first(readings: Iterable[Reading]) -> Iterator[Reading]:
    """Newest first; of one moment in an order that hangs on what they say alone, and is costly to tell."""
    for _, alike in groupby(sorted(readings, key=moment, reverse=True), moment):
        one, *others = alike
        yield from sorted([one, *others], key=repr, reverse=True) if others else (one,)


@frozen
class Told:
    """One limit, and who tells it.

    Attributes:
        limit: what is known of it.
        reading: the reading its figure comes from; that of its word where no figure is told.
    """

    limit: Limit
    reading: Reading


def moment(reading: Reading) -> tuple[datetime, datetime, str]:
    """What readings are ordered by."""
    return reading.observed_at, reading.published_at or reading.observed_at, reading.source


def kept(readings: Iterable[Reading]) -> tuple[Reading, ...]:
    """The good readings among these that still speak for something, newest first.

    `kept([*kept(a), *b])` equals `kept([*a, *b])`, in whatever order they come.
    """
    good = (reading for reading in readings if reading.state == "ok")
    newest = _newest_first(good)
    answers, spoken = 0, set[tuple[str, str]]()
    found: list[Reading] = []
    for reading in newest:
        if found and found[-1] == reading:
            continue
        if reading.usual is not None:
            answers += 1
            speaks = answers <= DISAGREEING
        else:
            said = {aspect for limit in reading.limits for aspect in _aspects(limit)}
            speaks = not said <= spoken
            spoken |= said
        if speaks:
            found.append(reading)
    return tuple(found)


def _aspects(limit: Limit) -> Iterator[tuple[str, str]]:
    """What a limit tells of itself, each of which the newest reading tells best."""
    yield limit.name, "name"
    if _figured(limit):
        yield limit.name, "figure"
    if limit.blocked is not None:
        yield limit.name, "word"


def _figured(limit: Limit) -> bool:
    return limit.percent is not None or bool(limit.left)


def told(readings: Sequence[Reading], as_of: datetime) -> tuple[Told, ...]:
    """Every limit as the readings tell it together.

    Args:
        readings: what `kept` kept.
        as_of: the instant; what was over by then speaks only where nobody else does.
    """
    answers = [reading for reading in readings if reading.usual is not None]
    last = answers[:1]
    speaking = [one for one in readings if one.usual is None or one in last]
    tellers: dict[str, list[Told]] = {}
    for reading in speaking:
        for limit in reading.limits:
            if reading.usual is not None or _outlasts(limit, reading, answers):
                tellers.setdefault(limit.name, []).append(Told(limit, reading))
    return tuple(_together(one, answers, as_of) for one in tellers.values())


def _outlasts(limit: Limit, reading: Reading, answers: Sequence[Reading]) -> bool:
    """Whether an observed limit still stands beside whole answers that may have no word for it.

    One without an end stands until the next answer, one of the whole pool until as many as end a refusal, since they
    speak of that pool too; a scoped one is nobody else's matter and stands until it is over.
    """
    since = [one for one in answers[:DISAGREEING] if moment(one) > moment(reading)]
    if limit.resets_at is None and limit.window is None:
        return not since
    return limit.scope is not None or len(since) < DISAGREEING


def _together(tellers: Sequence[Told], answers: Sequence[Reading], as_of: datetime) -> Told:
    """One limit of several stories, newest first: the newest figure, and the word that holds."""
    living = [one for one in tellers if not is_over(one.limit, one.reading.observed_at, as_of)] or tellers[:1]
    figure = next((one for one in living if _figured(one.limit)), living[0])
    word = next((one for one in living if one.limit.blocked is not None), figure)
    if word is figure or not (_newer(word, figure) or _stands(word, answers)):
        return figure
    ends_at = figure.limit.resets_at or word.limit.resets_at
    return Told(evolve(figure.limit, blocked=word.limit.blocked, resets_at=ends_at), figure.reading)


def _newer(one: Told, other: Told) -> bool:
    return moment(one.reading) > moment(other.reading)


def _stands(word: Told, answers: Sequence[Reading]) -> bool:
    """Whether an older word still holds: a refusal, unless enough answers since have told its limit without it."""
    since = [one for one in answers[:DISAGREEING] if moment(one) > moment(word.reading)]
    silent = [one for one in since if any(limit.name == word.limit.name for limit in one.limits)]
    return word.limit.blocked is True and len(silent) < DISAGREEING


def ends_at(limit: Limit, observed_at: datetime) -> datetime | None:
    """When what was told of a limit is over: at its reset, else when its window must have ended; None = not known."""
    if limit.resets_at is not None or limit.window is None:
        return limit.resets_at
    return observed_at + limit.window  # the window cannot have lasted longer than it is


def is_over(limit: Limit, observed_at: datetime, as_of: datetime) -> bool:
    """Whether what was told of a limit is over."""
    end = ends_at(limit, observed_at)
    return end is not None and end <= as_of
