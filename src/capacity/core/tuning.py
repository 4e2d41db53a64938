"""What the controller is tuned with, each figure with the reason for it.

Four of them are the policy's. The others are no options: in simulation, halving or doubling any one moves the result by
less than 0.004 of the optimum. They stand in one value so that a recorded case can be worked with the figures it names.
"""

from __future__ import annotations

from attrs import frozen


@frozen
class Tuning:
    """The controller's figures. Spans are seconds, as the recorded cases tell them.

    Attributes:
        tick: rhythm of the moves: the probes' own. 10, 30 and 60 minutes make +0.001, -0.004 and -0.020 of the optimum.
        band: half-width of the band round 1 in which a pool is on pace and nothing moves.
        reserve: points kept back at the reset, times √(time left ÷ window): against rounding and bursts.
        share: what others spend, as a share of what the controlled seats do.
        min_samples: readings a rate needs, and
        min_span: the span they need.
        half_life: age at which an interval counts half: one day of activity.
        max_gap: the longest interval that teaches; a longer one may hide the rollover of a 5-hour window.
        stale: age after which the newest figure paces nothing.
        skew: how far ahead of us a source's clock may be; what is stamped later is not believed.
        jitter: how far a reset stamp may wander between two readings: sixty times the widest ordinary jitter on record
            (1.9 s), fifteen times the widest drift right at a rollover (8 s), a hundredth of the shortest true jump.
        dip_quanta: quanta a lagging counter may fall; three is the deepest seen among caches of concurrent sessions.
        dip_confirm: small falls in a row that make a grant.
        burst_look: how far back a burst is looked for,
        burst_prior: against how many points,
        burst_decay: how soon it dies off, and
        burst_clip: how many times the usual it may count.
        profile: whether the hours of the day are told apart,
        profile_prior_days: how many days of a flat profile it starts from, and
        profile_keep: what one more observation of an hour leaves of the older ones.
        gain: the share of a correction made in one tick,
        slew_up: the most a tick may multiply the level by, and
        slew_down: divide it by: brakes are quicker than the throttle.
    """

    tick: float = 1200.0
    band: float = 0.15
    reserve: float = 1.0
    share: float = 0.15
    min_samples: int = 3
    min_span: float = 3600.0
    half_life: float = 86_400.0
    max_gap: float = 10_800.0
    stale: float = 21_600.0
    skew: float = 300.0
    jitter: float = 120.0
    dip_quanta: float = 5.0
    dip_confirm: int = 4
    burst_look: float = 3600.0
    burst_prior: float = 1.0
    burst_decay: float = 14_400.0
    burst_clip: float = 3.0
    profile: bool = True
    profile_prior_days: float = 1.0
    profile_keep: float = 0.98
    gain: float = 0.85
    slew_up: float = 2.0
    slew_down: float = 3.0
