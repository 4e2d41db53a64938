"""What the reader makes of shapes that differ from the recorded ones by one thing."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve
from capacity.ports import Document, Limit, Listing, Reading
from capacity_agy import reader
from hypothesis import given
from hypothesis import strategies as st

from .documents import AT, SAMPLES, body, recorded

ASKED = "agy --output-format json --print /usage"


def read(text: str | bytes, **known: Any) -> tuple[Reading, ...]:
    content = text.encode() if isinstance(text, str) else text
    return reader().readings(Document(content, AT, **known)) or ()


def groups(*buckets: Any, name: str | None = "Gemini Models") -> str:
    return json.dumps({"command": {"name": "usage", "data": {"groups": [{"name": name, "buckets": list(buckets)}]}}})


def limits(text: str) -> tuple[Limit, ...]:
    (reading,) = read(text)
    return reading.limits


def listed(text: str, **known: Any) -> Listing | None:
    return reader().listing(Document(text.encode(), AT, **known))


WEEK = {"id": "gemini-weekly", "window": "weekly", "remaining_fraction": 0.25}


@pytest.mark.parametrize(
    ("share", "used"),
    [
        (1, 0.0), (0, 100.0), (0.6731, 32.69), ("0.5", 50.0), (-0.05, 105.0), (1e-5, 99.999),
        (None, None), (True, None), ("", None), ("n/a", None), (67, None), (float("nan"), None), (10**400, None), ([], None),
    ],
)  # fmt: skip  # one table, read as pairs
def test_a_share_is_told_or_unknown(share: Any, used: float | None) -> None:
    """What is left becomes what is used; what is no share of one is neither nothing nor everything."""
    other = {"id": "gemini-5h", "remaining_fraction": 0.5}
    told = {limit.name: limit.percent for limit in limits(groups({**WEEK, "remaining_fraction": share}, other))}

    assert {"weekly": used, "5h": 50.0} == told


def test_a_missing_share_is_unknown_unless_the_words_say_that_all_is_used() -> None:
    """Zeros are left out of some answers; the description is the second witness, and nothing else is."""
    spent = {"id": "gemini-weekly", "description": "You have used your weekly limit, it will fully refresh in 1 day."}
    some = {"id": "gemini-5h", "description": "You have used some of your five hour limit."}

    assert {("weekly", None, True), ("5h", None, None)} == {
        (limit.name, limit.percent, limit.blocked) for limit in limits(groups(spent, some))
    }


def test_a_pool_of_which_nothing_is_told_is_unrecognised() -> None:
    """What was known of it before says more than an answer without a figure."""
    assert [("gemini", "unrecognised", ())] == [
        (one.pool, one.state, one.limits) for one in read(groups({"id": "gemini-weekly"}, {"id": "gemini-5h"}))
    ]


def test_a_bucket_that_is_switched_off_serves() -> None:
    """It is no limit, whatever figure stands in it."""
    assert [Limit("weekly", blocked=False, window=timedelta(days=7))] == list(
        limits(groups({**WEEK, "remaining_fraction": 0, "disabled": True}))
    )


def test_both_windows_of_a_group_bind_its_pool() -> None:
    """No limit of a group is scoped, and the fuller of two that share a name is the one that counts."""
    found = limits(groups(WEEK, {"id": "gemini-5h", "remaining_fraction": 1}, {**WEEK, "remaining_fraction": 0.9}))

    assert {("5h", 0.0, None), ("weekly", 75.0, None)} == {(one.name, one.percent, one.scope) for one in found}


@pytest.mark.parametrize(
    ("name", "ident", "part"),
    [
        ("Gemini Models", "3p-weekly", "gemini"),
        (None, "3p-weekly", "3p"),
        ("Everybody's models", "3p-weekly", "3p"),
        ("Other New Models", "weekly", "other-new"),
        ("Other New Models", "five-hour", "other-new"),
    ],
)
def test_a_group_is_a_part_by_its_title_its_ids_or_its_words(name: str | None, ident: str, part: str) -> None:
    """A group that is new is a pool of its own, and never another one's."""
    assert [part] == [one.pool for one in read(groups({**WEEK, "id": ident}, name=name))]


def test_a_group_nobody_named_is_dropped_aloud() -> None:
    """Its figures bind models nobody knows."""
    (reading,) = read(groups({"window": "weekly", "remaining_fraction": 0.5}, name=None))

    assert ("", "unrecognised", "not read: weekly of no group") == (reading.pool, reading.state, reading.detail)


def test_a_window_of_another_length_keeps_its_word() -> None:
    """It binds under its own name; one without any name binds too."""
    found = limits(groups(*({"name": name, "remaining_fraction": 0.5} for name in ("Lunar Limit", None))))

    assert {"lunar limit", "limit"} == {limit.name for limit in found}


def test_json_behind_other_lines_is_read() -> None:
    """A program may say something before its answer."""
    assert ["ok"] == [one.state for one in read("Updating...\n" + groups(WEEK))]


def test_an_amount_in_an_unknown_word_is_not_told() -> None:
    """Of what is left of it nobody knows what it pays for; the share beside it stands."""
    text = body("cloud_retrieve_user_quota.json").replace(b'"REQUESTS"', b'"n/a"')
    (known,), (strange,) = read(body("cloud_retrieve_user_quota.json")), read(text)

    assert [100.0] == [limit.percent for limit in known.limits if limit.left]
    assert ([], [0.9, 100.0, None]) == (
        [one for one in strange.limits if one.left],
        [one.percent for one in strange.limits],
    )


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", "0", "{", "Usage of agy:", groups()])
def test_an_answer_without_quota_is_unrecognised_where_quota_was_asked(text: str) -> None:
    """Otherwise it is nobody's, but for an envelope that names the command."""
    assert ["unrecognised"] == [one.state for one in read(text, asked=ASKED)]
    assert (text == groups()) == bool(read(text))


@pytest.mark.parametrize(
    "asked", ["/v1internal:retrieveUserQuota", "/x.LanguageServerService/GetUserStatus", "agy --print /usage"]
)
@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("error_429_bare.json", "throttled"),
        ("error_403_subscription.json", "unsupported"),
        ("error_403_validation.json", "login-required"),
        ("error_404_model.json", "unreachable"),
    ],
)
def test_an_error_that_answers_a_question_about_quota_is_a_reading(asked: str, name: str, state: str) -> None:
    """The same body is nobody's where it answers something else."""
    assert [state] == [one.state for one in read(body(name), asked=asked)]
    assert () == read(body(name), asked="/v1internal:streamGenerateContent")


def test_a_service_that_knows_nobody_says_so_in_a_success() -> None:
    """Code 16 in an HTTP 200."""
    assert ["stale-credentials"] == [
        one.state for one in read(b'{"code": 16}', asked="/x.LanguageServerService/GetUserStatus", status=200)
    ]


# --- texts ------------------------------------------------------------------------------------

OLD = "Gemini Models\n  Weekly Limit Remaining: 67%\n  Five Hour Limit Remaining: 90%\n"
OLD += "Claude and GPT models\n  Weekly Limit Remaining: 12%\n  Five Hour Limit Remaining: 80%\n"


def told(text: str) -> dict[str, dict[str, float | None]]:
    return {one.pool: {limit.name: limit.percent for limit in one.limits} for one in read(text)}


def test_figures_under_a_lost_title_are_nobodys() -> None:
    """A window that comes again belongs to a group whose title is gone; those of the one before stand."""
    assert {"gemini": {"weekly": 33.0, "5h": 10.0}} == told(OLD.replace("Claude and GPT models\n", ""))
    assert {"3p": {"weekly": 88.0, "5h": 20.0}} == told(OLD.replace("Gemini Models\n", ""))


def test_a_title_ends_the_window_before_it() -> None:
    """A window of the same name under another title is another one, whatever was told of the first."""
    lines = ("Gemini Models", "Weekly Limit Remaining{}", "Claude and GPT models", "Weekly Limit Remaining: 12%\n")

    assert {"gemini": {"weekly": 88.0}, "3p": {"weekly": 88.0}} == told("\n".join(lines).format(": 12%"))
    assert [("3p", "ok"), ("gemini", "unrecognised")] == [
        (one.pool, one.state) for one in read("\n".join(lines).format(""))
    ]


def test_a_heading_drawn_twice_is_one() -> None:
    """A terminal that is drawn anew repeats lines."""
    twice = "".join(f"{line}\n{line}\n" for line in OLD.splitlines())

    assert told(OLD) == told(twice) == told(OLD.replace("\n", "\r\n")) == told("\x1b[1m" + OLD.replace(" ", " \x1b[0m"))


def test_a_figure_that_cannot_be_a_windows_own_is_not_taken() -> None:
    """Behind a lost heading stands another window's."""
    screen = body("usage_tui.txt").decode()
    torn = screen.replace("100.00%\nQuota available\n\nFive Hour Limit Remaining\n", "100.00%\n")

    assert {"weekly": 0.0} == told(torn)["3p"]


def test_a_wait_longer_than_its_window_is_no_reset() -> None:
    """It is another window's, or old."""
    late = body("usage_tui.txt").decode().replace("Refreshes in 3h 4m", "Refreshes in 9h 4m")
    (_, gemini) = read(late)

    assert [None] == [limit.resets_at for limit in gemini.limits if limit.name == "5h"]


def test_what_is_used_is_not_taken_for_what_is_left() -> None:
    """A percentage that says so itself counts the other way."""
    assert [] == [one for one in read("Gemini Models\nWeekly Limit Remaining\n5% used\n") if one.state == "ok"]


@pytest.mark.parametrize("row", ["Weekly Limit Used\t67%", "Weekly Limit\t67%", "Weekly Limit Remaining\t67"])
def test_a_row_that_does_not_say_which_way_it_counts_tells_nothing(row: str) -> None:
    """Neither what is left nor what is used."""
    assert "ok" not in {one.state for one in read(f"Gemini Models\t{row}\n", asked=ASKED)}


@pytest.mark.parametrize(
    "text",
    [
        "You are not signed in. Please sign in to view your quota.\n",
        "\x1b[1mFetching...\r\nYou are not logged in. Please\r\n",
        "Open this:\n  https://accounts.google.com/o/oauth2/v2/auth?client_id=SAMPLE",
    ],
)
def test_a_text_that_asks_for_a_login_is_login_required(text: str) -> None:
    """In each of its wordings."""
    assert [("", "login-required")] == [(one.pool, one.state) for one in read(text)]


TOKENS = json.loads(body("oauth_token_file.json"))


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({}, "ok"),
        ({"expiry": "2026-09-20T12:01:00Z"}, "stale-credentials"),
        ({"expiry": "2026-09-01T12:00:00Z", "refresh_token": ""}, "stale-credentials"),
        ({"access_token": ""}, "stale-credentials"),
        ({"access_token": "", "refresh_token": " "}, "login-required"),
        ({"expiry": "soon"}, "ok"),
    ],
)
def test_the_token_file_tells_its_state_and_no_limits(changes: dict[str, str], state: str) -> None:
    """An expired one is stale and no more: a keyring may hold a newer one."""
    text = json.dumps({**TOKENS, "token": {**TOKENS["token"], **changes}})

    assert [("", state, ())] == [(one.pool, one.state, one.limits) for one in read(text)]


# --- models -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "authority", "ids"),
    [
        ("small-1-low\nsmall-2\n", "authoritative", ["small-1-low", "small-2"]),
        ("small-1-low\nsmall-2", "partial", ["small-1-low", "small-2"]),  # broken off
        ("small-1\tSmall 1 · fast\n", "authoritative", ["small-1"]),
        ("Fetching available models...\n\nsmall-1\t\n", "authoritative", ["small-1"]),
        ("small-1\nSmall 2 (High)\n", "partial", ["Small 2 (High)", "small-1"]),
        ("small-1\n!!\n", "partial", ["small-1"]),
        ("Available models:\n  * small-1\n", "partial", []),
        ("Small 2 (High)\n", "partial", ["Small 2 (High)"]),
        ("Usage of agy:\n  models\n", "unknown", []),
        ("", "unknown", []),
    ],
)
def test_a_list_in_text_is_believed_as_far_as_it_is_whole(text: str, authority: str, ids: list[str]) -> None:
    """Only whole lines that all give ids may say what does not exist."""
    found = listed(text, asked="agy models")

    assert found is not None
    assert (authority if ids else "unknown", ids) == (found.authority, [model.id for model in found.models])


def test_a_program_that_failed_listed_no_whole() -> None:
    """An exit code is a reason to doubt the rest."""
    assert ("authoritative", "partial") == tuple(
        found.authority for code in (0, 1) if (found := listed("small-1\n", asked="agy models", exit_code=code))
    )


@pytest.mark.parametrize(
    ("ident", "label", "efforts"),
    [
        ("small-1-high", "Small 1 (High)", ("high",)),
        ("small-1-high", None, ("high",)),
        ("small-1-turbo", "Small 1 (Turbo)", ("turbo",)),
        ("small-1", "Small 1 (Thinking)", ("thinking",)),
        ("small-1", "Small 1 (Preview)", ()),
        ("small-1", None, ()),
    ],
)
def test_an_effort_is_the_end_of_an_id(ident: str, label: str | None, efforts: tuple[str, ...]) -> None:
    """Each effort is a model of its own; one without takes none. All answer to the name they share."""
    text = json.dumps({"command": {"name": "models", "data": {"models": [{"id": ident, "label": label}]}}})
    (model,) = (listed(text) or Listing(None, "unknown", "", AT)).models

    assert efforts == model.efforts
    assert {ident, *({"small 1", str(label).casefold()} if label else ())} == model.names


@pytest.mark.parametrize("rows", [None, [], [{}], [{"id": None, "label": "Small"}], "small-1"])
def test_a_list_without_ids_is_no_sample(rows: Any) -> None:
    """It says of no model that it is gone."""
    found = listed(json.dumps({"command": {"name": "models", "data": {"models": rows}}}))

    assert found is not None
    assert ("unknown", ()) == (found.authority, found.models)


# --- laws -------------------------------------------------------------------------------------

RECORDED = [recorded(path.name) for path in sorted(SAMPLES.glob("*.*")) if path.stem not in {"README", "expected"}]
ASKS = (None, ASKED, "agy models", "/v1internal:retrieveUserQuota", "~/.gemini/antigravity-cli/antigravity-oauth-token")
JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(["groups", "command", "token"]), inner),
    max_leaves=20,
)


@given(
    st.one_of(st.binary(), st.text().map(str.encode), JSONS.map(lambda tree: json.dumps(tree).encode())),
    st.sampled_from(ASKS),
    st.sampled_from([None, 200, 401, 429, 500]),
)
def test_no_document_raises(content: bytes, asked: str | None, status: int | None) -> None:
    """Whatever the bytes, whatever they claim to answer, the reader gives values or None."""
    doc = Document(content, AT, asked=asked, status=status)
    for reading in reader().readings(doc) or ():
        assert all(limit.percent != 0 for limit in reading.limits)
    found = reader().listing(doc)
    assert found is None or (found.authority == "unknown") == (found.models == ())


@given(st.sampled_from(RECORDED), st.data())
def test_a_torn_answer_rejects_no_model(doc: Document, data: st.DataObject) -> None:
    """A list that is broken off anywhere but between two lines never says what does not exist."""
    end = data.draw(st.integers(0, len(doc.body) - 1))
    found = reader().listing(evolve(doc, body=doc.body[:end], asked="agy models"))

    assert found is None or found.authority != "authoritative" or doc.body[end - 1 : end] in {b"\n", b"}"}


@given(st.permutations(json.loads(body("print_usage_json.json"))["command"]["data"]["groups"]))
def test_order_means_nothing(rows: list[Any]) -> None:
    """Groups and buckets in another order tell the same readings."""
    shuffled = [{**row, "buckets": row["buckets"][::-1]} for row in rows]
    text = json.dumps({"command": {"name": "usage", "data": {"groups": shuffled}}})

    assert read(body("print_usage_json.json")) == read(text)


def test_long_texts_end() -> None:
    """An object is found behind however many blank lines; a text longer than any screen is none."""
    told = json.dumps({"command": {"name": "models", "data": {"models": [{"id": "some-model-1"}]}}}).encode()
    found = reader().listing(Document(b"said\n" + b"\n" * 100_000 + b" \t" + told, AT))

    assert found is not None
    assert ["some-model-1"] == [model.id for model in found.models]
    assert reader().listing(Document(b"some-model-1\n" * 25_000, AT)) is None
