"""What each limit of a pool says of its pace, and what they say together: one verdict, which cannot contradict itself.

Verdict and wanted level are two answers. The verdict is what the running epoch's own readings prove; the wanted level
may rest on earlier epochs. One limit is enough to slow a pool down; speeding it up takes all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, sqrt

from attrs import evolve, frozen

from capacity.core.epochs import Course
from capacity.core.rates import FLAT, HOUR, SLACK, Activity, Burn, Exposure, enough, look_back, profile, rate
from capacity.core.tracks import Track
from capacity.core.tuning import Tuning
from capacity.values.limits import Estimate, Pace, Why

FALLBACK_STEP, FALLBACK_CLIP = 0.05, 8.0
"""Step and clip of the descent that needs no level: the step costs least in simulation, the clip bounds one surprise."""


@frozen
class Paced:
    """One limit of a pool and what is known of its pace.

    Attributes:
        course: its epochs.
        used: highest percent of the running epoch; None = its window is over and nothing newer is known.
        hours: to its reset, negative where that has passed; None = no instant is known.
        rate: percent per hour, as its own epoch proves it.
        allowed: percent per hour that would land it.
        pressure: the one over the other.
        pace: its word.
        why: why that is `learning`; None where it is not.
        burn: what it spends by level, over all epochs.
    """

    course: Course
    used: float | None
    hours: float | None
    rate: Estimate | None
    allowed: Estimate | None
    pressure: Estimate | None
    pace: Pace
    why: Why | None
    burn: Burn


@frozen
class Pressure:
    """One pool and what is known of its pace.

    Attributes:
        limits: name → its limit.
        pace: its word, up to `over` and `under`.
        binding: the limit it comes from; None where it is `learning`.
        pressure: of the limit that binds.
        wanted: the level that lands it, unclipped; under 0 what others spend alone empties it; None = hold.
        jump: a window has just begun, or must have: go to that level at once.
    """

    limits: Mapping[str, Paced]
    pace: Pace
    binding: str | None = None
    pressure: Estimate | None = None
    wanted: float | None = None
    jump: bool = False


def press(known: Sequence[Track], exposure: Exposure, tuning: Tuning, now: float) -> Pressure | None:
    """The pace of one pool.

    Args:
        known: its unscoped limits that can be paced.
        exposure: the level commanded so far.
        tuning: the controller's figures.
        now: the instant, seconds since 1970.

    Returns:
        None where no limit can be paced.
    """
    if not known:
        return None
    fine = min(known, key=lambda one: (one.course.window, one.course.name))
    others = tuning.share * fine.burn.exposed / fine.burn.hours if exposure.known and fine.burn.hours else 0.0
    limits = {one.course.name: _standing(one, exposure, others, tuning, now) for one in known}
    said = _together(limits)
    if not exposure.known:
        wanted, jump = _descent(limits, now, tuning), False
    else:
        busy = _activity(fine, others, now, tuning)
        wanted, jump = _solved(limits, fine.course.name, exposure, others, busy, tuning, now)
    return evolve(said, wanted=wanted, jump=jump)


def _activity(fine: Track, others: float, now: float, tuning: Tuning) -> Activity:
    """How busy the hours of a day are, and how busy the last one was, as the finest limit tells it."""
    per_level = fine.burn.per_level(others, 0.0)
    if not per_level or not fine.burn.hours:
        return FLAT
    prior = tuning.profile_prior_days * fine.burn.exposed / fine.burn.hours
    hours = profile(fine.spent, fine.exposed, per_level, prior, tuning.share) if tuning.profile else FLAT.profile
    late = [one for one in fine.recent if one.begins >= now - tuning.burst_look - SLACK]
    seen = sum(one.spent for one in late)
    expected = sum(
        per_level
        * (one.exposed + others * (one.ends - one.begins) / HOUR)
        * hours[int((one.begins + one.ends) / 2 // HOUR) % 24]
        for one in late
    )
    burst = (seen + tuning.burst_prior) / (expected + tuning.burst_prior)
    return Activity(hours, min(max(burst, 1 / tuning.burst_clip), tuning.burst_clip), tuning.burst_decay / HOUR)


# --- one limit ----------------------------------------------------------------------------------


def _standing(track: Track, exposure: Exposure, others: float, tuning: Tuning, now: float) -> Paced:
    one, epoch = track.course, track.course.last
    points = look_back(epoch.points, one.window, tuning)
    spent = rate(points, one.quantum, exposure, others)
    ends, hours = epoch.resets_at, None
    over = ends is not None and ends <= now
    if ends is not None and not one.sliding:
        hours = (ends - now) / HOUR
    allowed = None if hours is None or over else _allowed(epoch.top, one.quantum, hours)
    against = None if spent is None or allowed is None else ratio(spent, allowed)
    pace, why = _word(one, against, enough(points, tuning), over, now, tuning)
    return Paced(one, None if over else epoch.top, hours, spent, allowed, against, pace, why, track.burn)


def _allowed(used: float, quantum: float, hours: float) -> Estimate:
    left, half = 100.0 - used, quantum / 2
    return Estimate(max(left - half, 0.0) / hours, left / hours, (left + half) / hours)


def ratio(spent: Estimate, allowed: Estimate) -> Estimate:
    """One rate over another, bounds crossed; what is spent where nothing is allowed is without bound."""
    return Estimate(_over(spent.low, allowed.high), _over(spent.middle, allowed.middle), _over(spent.high, allowed.low))


def _over(spent: float, allowed: float) -> float:
    if allowed > 0:
        return spent / allowed
    return float("inf") if spent > 0 else 0.0


def _word(
    one: Course, pressure: Estimate | None, evidence: bool, over: bool, now: float, tuning: Tuning
) -> tuple[Pace, Why | None]:
    epoch = one.last
    if over:
        return "learning", "window-over"
    if epoch.top >= 100.0 - one.quantum / 2:
        return "exhausted", None
    if one.doubted:
        return "learning", "unconfirmed-drop"
    if now - epoch.points[-1][0] > tuning.stale:
        return "learning", "stale"
    if epoch.resets_at is None:
        return "learning", "no-deadline" if epoch.top > 0 else "not-started"
    if one.sliding:
        return "learning", "sliding"
    if not evidence or pressure is None:
        return "learning", "evidence"
    if pressure.low > 1 and pressure.middle > 1 + tuning.band:
        return "over", None
    if pressure.high < 1 and pressure.middle < 1 - tuning.band:
        return "under", None
    return "on-pace", None


# --- all of them --------------------------------------------------------------------------------


def _together(limits: Mapping[str, Paced]) -> Pressure:
    """The one word of a pool: full if any is, else the worst of those that are assessed."""
    spent = [one for one in limits.values() if one.pace == "exhausted"]
    if spent:
        last = max(spent, key=lambda one: (one.hours is None, one.hours or 0.0, one.course.name))
        return Pressure(limits, "exhausted", last.course.name, last.pressure)
    assessed = [one for one in limits.values() if one.why is None and one.pressure is not None]
    worst = max(assessed, key=_middle, default=None)
    if worst is None or (worst.pace == "under" and len(assessed) < len(limits)):
        return Pressure(limits, "learning")
    return Pressure(limits, worst.pace, worst.course.name, worst.pressure)


def _middle(one: Paced) -> tuple[float, str]:
    return (0.0 if one.pressure is None else one.pressure.middle, one.course.name)


def _solved(
    limits: Mapping[str, Paced], finest: str, exposure: Exposure, others: float, busy: Activity,
    tuning: Tuning, now: float,
) -> tuple[float | None, bool]:  # fmt: skip  # one equation, its knowns in a row
    """The level at which every limit lands, and whether a window has just begun."""
    levels: list[float] = []
    tick = tuning.tick / HOUR
    jump, whole = False, True
    for name, one in limits.items():
        quantum = one.course.quantum
        per_level = one.burn.per_level(others, 0.0 if name == finest else quantum / 2)
        fresh = now - one.course.last.points[-1][0] <= tuning.stale
        hours = _horizon(one)
        if per_level is None or not one.burn.enough(tuning) or not fresh or hours is None or one.course.doubted:
            whole = False
            continue
        if not per_level:  # nothing was spent by anybody: no level is too high for it
            levels.append(float("inf"))
            continue
        used, left, begun = _present(one, per_level, exposure, others, busy, tick, now, hours)
        window = one.course.window / HOUR
        rest = 100.0 - used - quantum / 2 - tuning.reserve * sqrt(min(left / window, 1.0))
        if left < tick:
            rest, left = rest + 100.0 * (tick - left) / window, tick
        levels.append(max(rest, 0.0) / (per_level * busy.ahead(now, left)) - others)
        jump = jump or begun
    if not levels:
        return None, False
    wanted = min(levels)
    return (wanted if whole else min(wanted, exposure.level)), jump


def _horizon(one: Paced) -> float | None:
    """Hours to the reset of a limit, negative where it must have passed; a window that has not begun is whole."""
    epoch = one.course.last
    if one.course.sliding:
        return None
    if epoch.resets_at is None:
        return one.course.window / HOUR if epoch.top <= 0 else None
    return one.hours


def _present(
    one: Paced, per_level: float, exposure: Exposure, others: float, busy: Activity, tick: float, now: float,
    hours: float,
) -> tuple[float, float, bool]:  # fmt: skip  # one equation, its knowns in a row
    """Percent used by now, hours to the next reset, and whether its window has just begun.

    What was spent since the newest figure is reckoned; a reset that nobody has seen yet is presumed at its stamp.
    """
    epoch, window, pace = one.course.last, one.course.window / HOUR, busy.at(now)
    if hours <= 0:
        since = min(-hours, window)
        return per_level * (exposure.level + others) * pace * since, max(window + hours, tick), True
    last = epoch.points[-1][0]
    exposed = exposure.between(last, now) + others * (now - last) / HOUR
    begun = epoch.opening != "first" and now - epoch.points[0][0] <= tick * HOUR
    return epoch.top + per_level * exposed * pace, hours, begun


def _descent(limits: Mapping[str, Paced], now: float, tuning: Tuning) -> float | None:
    """Where no level is known: a step down for each limit that burned too fast since its last figure, a step up for
    each that burned too slowly, as a multiple of the level in force. Once per figure, and none without evidence.
    """
    lean, heard = 0.0, False
    for one in limits.values():
        points, hours = one.course.last.points, one.hours
        if one.why is not None or hours is None or len(points) < 2:
            continue
        (begin, was), (end, top) = points[-2:]
        if now - end > tuning.tick / 2:
            continue
        fair = (100.0 - top) / hours * (end - begin) / HOUR
        heard = True
        lean += min((top - was - fair) / fair, FALLBACK_CLIP) if fair > 0 else FALLBACK_CLIP
    return exp(-FALLBACK_STEP * lean) if heard else None
