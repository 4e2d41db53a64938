"""The credentials file: its state is told without a token, from its plain and its masked form alike."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve
from capacity.ports import Document, Reading
from capacity.ports.secret import masked
from capacity_claude import reader
from capacity_claude._credentials import PLAIN

from .documents import AT, SAMPLES

LOGIN: dict[str, Any] = json.loads((SAMPLES / "credentials.json").read_bytes())["claudeAiOauth"]
NO_PROFILE = ["user:inference"]


def ends(span: timedelta) -> int:
    return int((AT + span).timestamp() * 1000)


def read(body: Any, **parts: Any) -> Reading:
    (reading,) = reader().readings(Document(json.dumps(body).encode(), AT, **parts)) or ()
    return reading


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "ok"),
        ({"expiresAt": ends(timedelta(minutes=3))}, "ok"),
        ({"expiresAt": ends(timedelta(minutes=2))}, "stale-credentials"),
        ({"expiresAt": ends(-timedelta(days=3))}, "stale-credentials"),
        ({"expiresAt": str(ends(-timedelta(days=3)))}, "stale-credentials"),
        ({"expiresAt": ends(-timedelta(days=3)), "refreshToken": ""}, "login-required"),
        ({"expiresAt": ends(-timedelta(days=3)), "refreshToken": None}, "login-required"),
        ({"expiresAt": ends(-timedelta(days=3)), "scopes": NO_PROFILE}, "unsupported"),
        ({"expiresAt": None}, "ok"),
        ({"expiresAt": 0}, "ok"),
        ({"accessToken": ""}, "login-required"),
        ({"accessToken": "  "}, "login-required"),
        ({"accessToken": None}, "login-required"),
        ({"accessToken": 7}, "login-required"),
        ({"scopes": NO_PROFILE}, "unsupported"),
        ({"scopes": []}, "ok"),
        ({"scopes": "user:inference"}, "unsupported"),
        ({"scopes": "user:inference user:profile"}, "ok"),
        ({"scopes": 7}, "ok"),
        ({"scopes": None}, "ok"),
    ],
)
@pytest.mark.parametrize("hidden", [False, True])
def test_each_login_has_its_state(changes: dict[str, Any], expected: str, hidden: bool) -> None:
    """Blank is logged out, ended is stale while something can refresh it, and a login without the scope never reports."""
    body = json.dumps({"claudeAiOauth": {**LOGIN, **changes}}).encode()
    (reading,) = reader().readings(Document(masked(body, PLAIN) if hidden else body, AT)) or ()

    assert (expected, "credentials", ()) == (reading.state, reading.source, reading.limits)


def test_scopes_that_cannot_be_seen_lack_nothing() -> None:
    """A file whose scopes are masked too is not taken for one without the scope."""
    body = masked(json.dumps({"claudeAiOauth": LOGIN}).encode())
    (reading,) = reader().readings(Document(body, AT)) or ()

    assert ("ok", None) == (reading.state, reading.plan)


@pytest.mark.parametrize(
    "body",
    [
        {"claudeAiOauth": {}},
        {"claudeAiOauth": None},
        {"claudeAiOauth": "***"},
        {"mcpOAuth": {"a": {"accessToken": "mcp-sample"}}},
    ],
)
def test_a_file_without_a_login_is_logged_out(body: dict[str, Any]) -> None:
    """A document knows of no other store that may hold the login."""
    assert "login-required" == read(body).state


def test_an_emptied_file_is_known_by_its_name() -> None:
    """An empty object is a usage answer of a new shape, unless it says that it is the credentials file."""
    assert ("login-required", "credentials") == (
        read({}, asked="~/.claude/.credentials.json").state,
        read({}, asked="~/.claude/.credentials.json").source,
    )


def test_the_plan_is_the_files_own_word() -> None:
    """It is what the file calls the subscription."""
    assert "max" == read({"claudeAiOauth": LOGIN}).plan


def test_no_token_is_in_what_is_said() -> None:
    """Whatever the state, neither token occurs in the reading."""
    for changes in ({}, {"expiresAt": ends(-timedelta(days=1))}, {"accessToken": ""}, {"scopes": NO_PROFILE}):
        reading = read({"claudeAiOauth": {**LOGIN, **changes}})
        assert "SAMPLE" not in repr(reading)
        assert "SAMPLE" not in repr(evolve(reading, account="x"))


def test_a_plan_that_repeats_a_token_is_no_plan() -> None:
    """Whatever a file calls its plan, its tokens are in no reading."""
    login = {"accessToken": "sample-TOKEN-1", "refreshToken": "r", "subscriptionType": "Sample-token-1"}
    assert read({"claudeAiOauth": login}).plan is None
