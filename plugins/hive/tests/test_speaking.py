"""How a hive is spoken to: one credential, never shown; options as they stand in a policy; who reads and who writes."""

from __future__ import annotations

import re
import tomllib
from datetime import timedelta
from pathlib import Path
from typing import Any

import capacity_hive
import pytest
from capacity import load_plugins, load_policy
from capacity.codec import dumps
from capacity.errors import CapacityError, WireError
from capacity.plugins import faults
from capacity.ports import Env, Get, Read, Send
from capacity.testing.flows import FakeWorld, play
from capacity.testing.servers import Answer, HiveAgent, HiveServer
from capacity.testing.servers.hive import TOKEN
from capacity.wire import Host, run

from .scene import acts, agent, scene, two, words
from .world import KEY, URL, hive, world

README = Path(__file__).parents[1] / "README.md"


def fleet(**options: Any) -> Any:
    given = {"credentials": {"env": "HIVE_TOKEN"}, "base_url": URL, "path": "parked.json", **options}
    return capacity_hive.actuator(fleet="reef", **given)


@pytest.mark.parametrize(
    ("auth", "names"), [("internal", {"X-Hive-Internal"}), ("cookie", {"Cookie"}), ("bearer", set())]
)
def test_one_credential_goes_with_a_request(auth: Any, names: set[str]) -> None:
    """Never a cookie beside the internal header: it would scope the request down to a session's role."""
    here = FakeWorld(hive().clock.now(), environ={"HIVE_TOKEN": TOKEN})
    with pytest.raises(WireError):
        play(fleet(auth=auth).fleet(), here)
    (asked,) = [effect for effect in here.asked if isinstance(effect, Get)]

    assert (names, auth == "bearer") == (set(asked.headers), asked.bearer is not None)
    assert timedelta(seconds=90) == asked.timeout


@pytest.mark.parametrize("role", ["owner", "viewer"])
def test_a_session_may_do_what_its_role_may(role: str, tmp_path: Path) -> None:
    """With the cookie of an owner's session seats are moved; with another's nothing is changed, and that is said."""
    with scene(tmp_path, agent("ada"), options={"auth": "cookie"}) as here:
        here.hive.sessions = {TOKEN: role}
        here.use("north", 100)

        assert {"ada": "applied" if role == "owner" else "unauthorised"} == words(here.tick())


def test_a_fleet_without_its_token_is_left_alone(tmp_path: Path) -> None:
    """A missing variable closes the fleet, and names the variable."""
    with scene(tmp_path, agent("ada"), options={"credentials": {"env": "NOBODY_SET_THIS"}}) as here:
        report = here.tick()

        assert ({}, ()) == (acts(report), here.hive.asked)
        (closed,) = report.tick.history.fleets
        assert "NOBODY_SET_THIS" in (closed.refuses or "")


def test_the_token_is_shown_nowhere(tmp_path: Path) -> None:
    """Not in a fleet, a tick, an outcome or an error, though a hive repeats it in its refusal."""
    with scene(tmp_path, agent("ada")) as here:
        here.use("north", 100)
        here.hive.token = "another-token-of-the-same-length"
        refused = here.tick()
        here.hive.spoil("/api/status", Answer(500, {"error": f"no Bearer {TOKEN} and no sk-live-1234567890"}))
        unread = here.tick()
        (closed,) = unread.tick.history.fleets

        text = "".join(repr(one) + dumps(one.tick).decode() for one in (refused, unread))
        assert ("unauthorised", False) == (words(refused)["ada"], TOKEN in text)
        assert "(HTTP 500: no *** and no ***)" in (closed.refuses or "")
        assert "1234567890" not in text


@pytest.mark.parametrize(
    ("options", "words_"),
    [
        ({"base_url": "hive.test"}, "base_url must be"),
        ({"base_url": "http://user:p4ss@hive.test"}, "base_url must be"),
        ({"auth": "both"}, "auth must be one of"),
        ({"credentials": {"token": "p4ss"}}, "credentials must be"),
        ({"credentials": {"env": "A", "file": "b"}}, "credentials must be"),
        ({"settle_s": 0}, "settle_s must be seconds"),
        ({"patience_s": "long"}, "patience_s must be seconds"),
        ({"modes": "busy"}, "modes must be a list"),
        ({"pools": ["claude"]}, "pools must be a table"),
        ({"report": {"claude": 1}}, "report must be a table"),
    ],
)
def test_an_option_that_cannot_be_is_refused_by_name(options: dict[str, Any], words_: str) -> None:
    """When the fleet is made, before anything is asked, and without repeating what may be a secret."""
    with pytest.raises(ValueError, match=words_) as refused:
        fleet(**options)

    assert "p4ss" not in str(refused.value)


def test_a_providers_table_that_cannot_be_is_refused() -> None:
    """For prober and inventory alike, since both are given it."""
    for factory in (capacity_hive.prober, capacity_hive.inventory):
        with pytest.raises(ValueError, match="providers must be a table of lists"):
            factory(providers={"anthropic": "claude"})  # type: ignore[arg-type]  # as a policy may have it


def test_the_policy_of_the_page_is_one(tmp_path: Path) -> None:
    """The fleet and the account of this plugin's own page load, and the plugin takes their options."""
    blocks = re.findall(r"```toml\n(.*?)```", README.read_text(), re.DOTALL)
    assert [["fleets"], ["accounts"]] == [list(tomllib.loads(block)) for block in blocks]
    path = tmp_path / "policy.toml"
    path.write_text("version = 1\n" + "\n".join(blocks))
    policy = load_policy(path)

    assert () == faults(policy, load_plugins())
    assert {"shore/anthropic", "shore/openai"} == set(policy.pools)


def test_a_token_may_lie_in_a_file(tmp_path: Path) -> None:
    """White space at its ends is not part of it."""
    (tmp_path / "token").write_text(f"{TOKEN}\n")
    server = hive(agents=[HiveAgent("ada", "loom", "m")])
    with server:
        path = str(tmp_path / "token")
        made = fleet(base_url=server.url, credentials={"file": path}, path=str(tmp_path / "parked.json"))
        told = run(made.fleet(), deadline=timedelta(seconds=10), host=Host(clock=server.clock, environ={}))

    assert ["ada"] == [seat.name for seat in told.seats]


def test_a_login_is_a_hive_and_its_token() -> None:
    """One token on two hives is two accounts; a slash at the end of an address is none of it."""
    here = world(hive())
    marks = [
        play(capacity_hive.prober(credentials=KEY, base_url=url).account(), here)
        for url in (URL, f"{URL}/", "http://other.test")
    ]

    assert marks[0] == marks[1] != marks[2]


@pytest.mark.parametrize(
    ("model", "effort", "shown"),
    [
        ("maker/m-x", None, ("maker/m-x", None)),
        ("maker/m-x:high", None, ("maker/m-x", "high")),
        ("maker/m-x:latest", None, ("maker/m-x:latest", None)),
    ],
)
def test_pi_carries_its_effort_in_the_model(model: str, effort: str | None, shown: tuple[str, str | None]) -> None:
    """It is told apart from the model, so that the model is found in a list; another tail is part of the name."""
    told = play(fleet().fleet(), world(hive(agents=[HiveAgent("ada", "pi", model, effort=effort)])))

    assert [shown] == [(seat.model, seat.effort) for seat in told.seats]


def test_pi_is_sent_its_effort_in_the_model(tmp_path: Path) -> None:
    """And read back as it was asked for."""
    with scene(tmp_path, agent("ada"), **two("pi", "maker/m-x", "high")) as here:
        here.use("north", 100)

        assert {"ada": "applied"} == words(here.tick())
        assert ("pi", "maker/m-x:high") == here.hive.agents["ada"].place
        assert {"ada": "keep"} == acts(here.tick())


def test_a_row_nobody_can_read_costs_no_other(tmp_path: Path) -> None:
    """An agent without a name is none; one without a place is a seat that is left alone."""
    with scene(tmp_path, agent("ada"), HiveAgent("ben", "", "")) as here:
        report = here.tick()

        assert {"ada": "keep", "ben": "leave"} == acts(report)


def test_our_own_file_is_not_guessed_at() -> None:
    """Where the file of our pauses is torn, the fleet is not read: a pause of ours would look like somebody else's."""
    here = world(hive(agents=[]))
    here.files["parked.json"] = b'{"parked": {"ada": "some day"}}'

    with pytest.raises(CapacityError, match=r"parked\.json: does not tell which seats we paused"):
        play(fleet().fleet(), here)


def test_looking_sends_nothing() -> None:
    """A look is three questions and no change."""
    server: HiveServer = hive(agents=[HiveAgent("ada", "loom", "m")])
    here = world(server)
    play(fleet().fleet(), here)

    assert [] == [effect for effect in here.asked if isinstance(effect, Send)]
    assert [Env("HIVE_TOKEN"), Get, Env("HIVE_TOKEN"), Get, Read] == [
        effect if isinstance(effect, Env) else type(effect) for effect in here.asked
    ]
