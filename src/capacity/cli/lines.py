"""A value in one line, for a person. Facts, places, figures and instants are told in the words of `capacity.core`."""

from __future__ import annotations

from datetime import datetime, timedelta

from capacity.core.explain import figure
from capacity.core.sentences import instant, sentence
from capacity.ports import Failure, Limit, Model, Reading
from capacity.values.limits import Interval

MINUTES = timedelta(minutes=2)
"""Less than this from now, an instant is told to the second, as an age is."""


def reading_line(reading: Reading) -> str:
    """A reading: pool, state, source, instant, and each limit."""
    told = [_limit(limit) for limit in reading.limits]
    told += [] if reading.plan is None else [f"plan {reading.plan}"]
    told += [] if reading.detail is None else [reading.detail]
    told += (
        [] if reading.retry_at is None else [f"not to be asked before {soon(reading.retry_at, reading.observed_at)}"]
    )
    where = f"{reading.pool}: {reading.state}, from {reading.source} at {instant(reading.observed_at)}"
    return ": ".join([where, *(["; ".join(told)] if told else [])])


def _limit(limit: Limit) -> str:
    used = None if limit.percent is None else Interval(limit.percent, limit.percent)
    whole = ", ".join(f"of {amount} {unit}" for unit, amount in limit.cap.items())
    word = {True: "refused", False: "served", None: ""}[limit.blocked]
    resets = "" if limit.resets_at is None else f"resets {instant(limit.resets_at)}"
    told = dict.fromkeys([figure(limit, used), whole, word, resets])
    return f"{limit.name} " + ", ".join(filter(None, told))


def failure_line(failure: Failure) -> str:
    """A failure: kind, blame, how long, when it ends and how surely, and what it rests on."""
    blame = "blames nobody" if failure.blames == "none" else f"blames the {failure.blames}"
    told = [blame, *_stay(failure)]
    told += ["evidence against the provider"] if failure.indicts else []
    return f"{failure.kind}: {', '.join(told)}: {'; '.join(map(sentence, failure.facts))}"


def _stay(failure: Failure) -> list[str]:
    """How long to stay away, and until when; a guess is called one."""
    if failure.hold is None:
        return []
    if failure.reset_at is None:
        return [f"for {age(failure.hold)}"]
    at = soon(failure.reset_at, failure.reset_at - failure.hold)
    return [f"until {at}" if failure.reset_known else f"until {at}, which is a guess"]


def model_traits(model: Model) -> tuple[str, str, str, str]:
    """Effort words, context, what it takes in, and residency; `?` is what nobody tells."""
    context = "?" if model.context is None else f"{model.context:,}"
    return _words(model.efforts), context, _words(model.modalities), model.residency or ""


def _words(words: tuple[str, ...] | None) -> str:
    return "?" if words is None else ", ".join(words) or "none"


def soon(at: datetime, now: datetime) -> str:
    """An instant that is still to come: to the second where a minute is too coarse to tell it from the present."""
    return f"{at:%a %Y-%m-%d %H:%M:%S}Z" if abs(at - now) < MINUTES else instant(at)


def age(span: timedelta) -> str:
    """How long ago, in the largest unit that leaves two digits."""
    seconds = max(0, int(span.total_seconds()))
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"
