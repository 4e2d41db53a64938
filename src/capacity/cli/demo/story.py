"""The ten incidents of the demo's week, in the order they happen. Each says what it promises, and sees to it.

An incident changes the world, lets ticks happen, and looks at what the real engine did. None of them touches a seat.
"""

from __future__ import annotations

from decimal import Decimal

from capacity.cli.demo.week import STEP, Week
from capacity.cli.demo.words import group_of
from capacity.cli.demo.world import LOCAL, SWIFT, SWIFTER
from capacity.testing.servers.claude import USAGE

MON, TUE, WED, THU, FRI = range(5)


def tell(week: Week) -> None:
    """The whole week."""
    a_cap_on_one_model(week)
    an_exhausted_pool(week)
    a_throttled_probe(week)
    a_broken_shape(week)
    an_idle_pool(week)
    a_negative_balance(week)
    a_loading_model(week)
    an_emptied_login(week)
    a_model_that_disappears(week)
    three_days_later(week)


def a_cap_on_one_model(week: Week) -> None:
    """A scoped cap removes one model, and nothing else."""
    with week.episode("a cap on one model is full: the pool still serves"):
        week.until(week.at(MON, 9))
        bound = week.on("sample-large-2", "team")
        week.world.team.use("weekly_scoped", 100, week.at(MON, 13), model="Sample Large")
        seen = week.tick({"team": "its weekly cap on Sample Large is full until Mon 13:00"})
        week.promise(
            "only the seats on that model move, to the next tier", seen.writes == dict.fromkeys(bound, "demote")
        )
        same = bound <= week.drawing("team") and seen.pace("team") != "exhausted"
        week.promise("they stay in the same pool, which is not exhausted", same)
        week.until(week.at(MON, 13))
        seen = week.tick({"team": "the cap has reset"})
        week.promise("all of them are back", seen.writes == dict.fromkeys(bound, "restore"))


def an_exhausted_pool(week: Week) -> None:
    """A window is full: whoever can go elsewhere goes, whoever cannot is parked, and both come back."""
    with week.episode("a subscription's five-hour window runs full"):
        week.until(week.at(MON, 14))
        week.world.team.use("session", 93, week.at(MON, 17))
        seen = week.tick({"team": "its 5-hour window passes the line of 90 % until Mon 17:00"}, staying=week.pinned)
        parked, demoted = seen.did("park"), seen.did("demote")
        week.promise("seats that may run elsewhere leave, the others are parked", bool(parked and demoted))
        week.promise("what the operator pinned is left alone", week.drawing("team") == week.pinned)
        week.until(week.at(MON, 17))
        seen = week.tick({"team": "the window has reset"}, staying={"scribe"})
        back = {**dict.fromkeys(parked, "resume"), **dict.fromkeys(demoted, "restore")}
        week.promise("the parked and the demoted are back; who moved to its own tier stays there", seen.writes == back)


def a_throttled_probe(week: Week) -> None:
    """A refused probe says nothing of the quota."""
    with week.episode("the provider refuses a probe (429)"):
        week.until(week.at(TUE, 9))
        week.world.team.throttle(1, retry_after=3600)
        before = week.world.team.times(USAGE)
        ticks = [week.tick({"team": "answers 429: come again in an hour"}, staying={"build"})]
        ticks += [week.tick({"team": "is left in peace"}) for _ in range(3)]
        asked = week.world.team.times(USAGE) - before
        ticks.append(week.tick({"team": "may be asked again"}))
        week.promise(
            "the probe was throttled, and asked once in that hour", ticks[0].state("team") == "throttled" and asked == 1
        )
        week.promise("no seat moved: a refused probe is neither empty nor full", not any(one.writes for one in ticks))
        week.promise("the next answer is taken", ticks[-1].state("team") == "ok")


def a_broken_shape(week: Week) -> None:
    """What nobody can read is unknown, never zero."""
    with week.episode("two answers that nobody can read"):
        week.until(week.at(TUE, 11))
        week.world.team.break_shape(1, b"{}")
        week.world.purse.break_shape(1)
        both = [week.tick({"team": "answers {}", "purse": "answers with a web page"})]
        both.append(week.tick({"team": "tells again", "purse": "likewise"}))
        states = (both[0].state("team"), both[0].state("purse"))
        week.promise("both were told as unrecognised", states == ("unrecognised", "unrecognised"))
        week.promise("no seat moved", not any(one.writes for one in both))
        week.promise("the next answers are taken", (both[1].state("team"), both[1].state("purse")) == ("ok", "ok"))


def an_idle_pool(week: Week) -> None:
    """A pool is measured for its own sake, not for the seats on it."""
    with week.episode("a pool loses all its seats, and is measured all the same"):
        week.until(week.at(TUE, 12))
        seats = week.drawing("lab")
        week.world.lab.use("weekly_all", 96, week.at(FRI, 12))
        seen = week.tick({"lab": "its week is used up until Fri 12:00, and these seats may go nowhere else"})
        week.promise("every seat of it is parked until the reset", seen.writes == dict.fromkeys(seats, "park"))
        before = week.world.lab.times(USAGE)
        week.until(week.at(TUE, 18))
        idle = week.tick({"lab": "six hours without a seat, and still asked"})
        asked = week.world.lab.times(USAGE) - before
        week.promise(
            "it was measured while nobody ran on it",
            asked >= 3 and idle.state("lab") == "ok" and not week.drawing("lab"),
        )


def a_negative_balance(week: Week) -> None:
    """Money that is gone is a reason to leave, at once."""
    with week.episode("prepaid money falls below zero"):
        week.until(week.at(WED, 9))
        week.world.restart_rack(week.at(WED, 9) + 2 * STEP)
        on = week.drawing("purse")
        week.world.purse.balance = {"USD": Decimal("-0.42")}
        seen = week.tick({"purse": "owes 0.42 USD", "rack": "starts anew, and loads its model"}, staying={"sweep"})
        moved = {name for name in on if group_of(name) == "scribe"}
        week.promise(
            "seats that may run elsewhere have left at once",
            seen.writes == dict.fromkeys(moved, "move") and bool(moved),
        )
        week.promise("the balance was read, not guessed", seen.state("purse") == "ok")


def a_loading_model(week: Week) -> None:
    """Waiting is not refusing."""
    with week.episode("a local model is still loading"):
        waiting, local = week.drawing("purse"), week.drawing("rack")
        seen = week.tick({"rack": "is still loading, the only other place of these seats"}, staying={"sweep", "local"})
        week.promise("it is waited for: nobody is parked, nobody is sent elsewhere", not seen.writes)
        week.promise("its verdict is wait, not no", "wait" in seen.answers(LOCAL.id))
        seen = week.tick({"rack": "has loaded it"})
        week.promise("those who waited have arrived", seen.writes == dict.fromkeys(waiting, "move"))
        week.promise("its own seats were never touched", local <= week.drawing("rack"))
        week.world.purse.balance = {"USD": Decimal("24.58")}
        seen = week.tick({"purse": "is topped up"}, staying={"sweep"})
        week.promise("room elsewhere is no reason to move", not seen.writes)


def an_emptied_login(week: Week) -> None:
    """A blank login is evidence; somebody has to log in."""
    with week.episode("a credentials file is emptied"):
        week.until(week.at(WED, 14))
        week.world.logins["team"].wipe()
        before = week.world.team.times(USAGE)
        seen = week.tick({"team": "its login is gone: the file is there, and blank"})
        parked, demoted = seen.did("park"), seen.did("demote")
        gone = seen.state("team") == "login-required" and week.drawing("team") == week.pinned
        week.promise("login required, and every seat we may move has left", gone)
        week.until(week.at(WED, 15))
        week.promise("nothing was asked without a login", week.world.team.times(USAGE) == before)
        week.world.logins["team"].log_in()
        seen = week.tick({"team": "somebody has logged in"})
        back = {**dict.fromkeys(parked, "resume"), **dict.fromkeys(demoted, "restore")}
        week.promise("the parked and the demoted are back", seen.writes == back and bool(parked and demoted))


def a_model_that_disappears(week: Week) -> None:
    """One listing without a model keeps others away from it; three in a row are a reason to leave."""
    with week.episode("a model disappears from the list"):
        week.until(week.at(THU, 9))
        on = week.on(SWIFT)
        week.world.purse.models = (SWIFTER,)
        week.world.team.use("session", 95, week.at(THU, 12))
        seen = week.tick(
            {"purse": f"lists {SWIFTER} instead of {SWIFT}", "team": "runs full just then"}, staying={"scribe"}
        )
        week.promise("refused at once for new placements", seen.answers(SWIFT) == {"no"} and not week.on(SWIFT) - on)
        week.promise("whoever has to leave team goes to its successor", week.on(SWIFTER) == seen.did("demote"))
        seen = week.tick({"purse": "second list without it"}, staying={"scribe"})
        week.promise("its own seats stay where they are for two lists", week.on(SWIFT) == on and bool(on))
        seen = week.tick({"purse": "third list without it"})
        week.promise("after three they are moved", seen.writes == dict.fromkeys(on, "move"))
        week.until(week.at(THU, 12))
        week.tick({"team": "the window has reset"})


def three_days_later(week: Week) -> None:
    """A park ends, even where nothing can be read before somebody runs."""
    with week.episode("three days later, and the token has expired meanwhile"):
        week.until(week.at(FRI, 11, 40))
        seats = {name for name in week.seen[-1].acts if group_of(name) == "lab"}
        before = week.tick({"lab": "nobody ran, so nobody renewed its token"}, staying={"lab"})
        week.promise(
            "it cannot be read, and nobody guesses", before.state("lab") == "stale-credentials" and not before.writes
        )
        first = week.tick({"lab": "the park is due"}, staying={"lab"})
        week.promise("exactly one seat tries, on probation", list(first.writes.values()) == ["resume"])
        rest = week.tick({"lab": "its harness has renewed the token"})
        week.promise(
            "the pool is read again, and the others follow",
            rest.state("lab") == "ok" and len(rest.writes) == len(seats) - 1,
        )
        week.promise("every one of them is back", week.drawing("lab") == seats)
