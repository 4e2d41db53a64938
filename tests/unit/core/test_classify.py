"""Whose fault a failure is: each rule, which of two rules speaks first, and what is never taken for what it resembles."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import pytest
from attrs import evolve

from capacity import classify
from capacity.core.codes import EXACT, VAGUE
from capacity.core.sentences import SENTENCES, sentence
from capacity.core.wordings import WORDINGS
from capacity.values.conditions import Fact
from capacity.values.failures import HOLDS, NEEDS_HUMAN, Failure, FailureKind, Hold, Transport

NOON = datetime(2026, 9, 20, 12, tzinfo=UTC)
REFUSED_WEEK = {
    "Anthropic-RateLimit-Unified-Status": "rejected",
    "anthropic-ratelimit-unified-5h-status": "rejected",
    "anthropic-ratelimit-unified-5h-reset": "1789914600",
    "anthropic-ratelimit-unified-7d-status": "rejected",
    "anthropic-ratelimit-unified-7d-reset": "1790121600",
    "anthropic-ratelimit-unified-representative-claim": "seven_day",
}


def said(**given: Any) -> Failure:
    return classify(at=NOON, **given)


def codes(failure: Failure) -> list[str]:
    return [fact.code.removeprefix("core:") for fact in failure.facts]


# --- by itself ----------------------------------------------------------------------------------

BY_STATUS: dict[int, FailureKind] = {
    400: "payload", 401: "auth", 402: "balance", 403: "auth", 404: "other", 405: "payload", 408: "overload", 409: "other",
    413: "payload", 422: "payload", 429: "rate", 499: "noop", 500: "overload", 501: "payload", 502: "overload",
    503: "overload", 504: "overload", 520: "overload", 529: "overload",
}  # fmt: skip  # read as pairs


@pytest.mark.parametrize("status", BY_STATUS)
def test_a_status_alone_has_its_kind(status: int) -> None:
    """And only a 5xx that is no word of overload or of a route that is missing is evidence."""
    failure = said(status=status)

    assert BY_STATUS[status] == failure.kind
    assert (status in {500, 502, 504, 520}) is failure.indicts


@pytest.mark.parametrize(
    ("transport", "kind", "indicts"),
    [("unreached", "connect", False), ("broken", "overload", True), ("timeout", "overload", False), ("aborted", "noop", False)],
)  # fmt: skip  # one table
def test_a_request_without_an_answer_has_its_kind(transport: Transport, kind: str, indicts: bool) -> None:
    """Never connected is the pool's; broken after connecting is evidence; our patience and our word never are."""
    failure = said(transport=transport)

    assert (kind, indicts) == (failure.kind, failure.indicts)
    assert failure.facts[0] == Fact("core:by-transport", transport)


def test_every_way_to_end_is_known() -> None:
    """A new word of transport needs a line above."""
    assert {"unreached", "broken", "timeout", "aborted"} == set(get_args(Transport))


@pytest.mark.parametrize("exit_code", [130, 137, 143, -2, -9, -15])
def test_a_process_that_was_ended_did_not_fail(exit_code: int) -> None:
    """Whoever ends one from here is not told that a provider failed."""
    assert ("noop", ["by-exit"]) == (said(exit_code=exit_code).kind, codes(said(exit_code=exit_code)))


def test_what_nobody_knows_fences_one_candidate_and_indicts_nobody() -> None:
    """A text, an exit code, or a status that says nothing by itself."""
    for failure in (said(text="something is odd"), said(exit_code=1), said(status=404), said(status=409, text="?")):
        assert ("other", "candidate", timedelta(minutes=5), False) == (
            failure.kind, failure.blames, failure.hold, failure.indicts,
        )  # fmt: skip  # one tuple
        assert ["unexplained"] == codes(failure)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"status": 200, "body": b'{"choices":[{"message":{"content":"usage limit reached"}}]}'},
        {"body": b'{"error":null,"data":[{"id":"x","name":"overloaded"}]}', "status": 200},
        {"body": "the model wrote a page about limits. " * 20 + "You've hit your usage limit.", "exit_code": 0},
        {"body": b'data: {"type":"response.completed","response":{"status":"completed"}}\n\ndata: [DONE]\n'},
    ],
)
def test_what_did_not_fail_is_no_failure(given: dict[str, Any]) -> None:
    """A good answer may be about limits, and a long text may hold anything."""
    failure = said(**given)

    assert ("noop", "none", None, ["nothing-failed"]) == (failure.kind, failure.blames, failure.hold, codes(failure))


# --- what is never greedy -----------------------------------------------------------------------

TRAPS = [
    "billing address missing",
    "disk capacity",
    "disk capacity exceeded",
    "concurrent modification",
    "no content",
    "messages[0] has no content",
    "the rate limit must be positive",
    "overloaded method call",
    "capacity planning failed",
    "quota parameter missing",
    "the retry-after header is missing",
    "could not find the subscription id",
    "the model field is missing",
    "token limit per request",
    "your credit card was charged",
    "context deadline",
    "log files are rotated",
    "error 500 lines of log",
    "took 503 ms",
]


@pytest.mark.parametrize("text", TRAPS)
def test_a_word_that_means_other_things_is_no_evidence(text: str) -> None:
    """Alone it is unknown; beside a 400 it is a bad request; beside a 500 it takes nothing from the status."""
    assert "other" == said(text=text).kind
    assert "payload" == said(text=text, status=400).kind
    assert ("overload", True) == (said(text=text, status=500).kind, said(text=text, status=500).indicts)


def test_a_missing_parameter_named_limit_is_a_bad_request() -> None:
    """`usage: limit is a required parameter` speaks of an argument."""
    assert "payload" == said(text="usage: limit is a required parameter").kind


# --- whose words they are -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("OperationalError: database is locked", None),
        ("SQLITE_BUSY: database table plan is locked", 500),
        ("failed to execute statement", None),
        ("No space left on device", None),
        ("no provider could serve the request", 502),
        ("all lightweight routing targets are busy", 503),
        ("usage limit reached -- openai weekly returns Monday", 429),
        ("No deployments available for selected model", 429),
        ("upstream HTTP 499", 502),
        ("client closed request", None),
        ("Aborted", None),
        ("AbortError: This operation was aborted", None),
        ("classifier returned no text", None),
        ("empty response", None),
        ("routed model mismatch", None),
    ],
)
def test_our_own_trouble_is_nobodys_fault(text: str, status: int | None) -> None:
    """The caller's storage, a gateway's own words, an abort: released and forgotten, whatever the status."""
    failure = said(text=text, status=status)

    assert ("noop", "none", False) == (failure.kind, failure.blames, failure.indicts)


def test_a_gateway_that_names_the_provider_asked_makes_a_short_overload() -> None:
    """A 5xx behind a gateway counts for the very provider that was asked, and for nobody on hearsay."""
    text = "no provider could serve this: upstream qwen HTTP 502"
    short = said(text=text, status=502, provider="Qwen")

    assert ("overload", "candidate", timedelta(seconds=15), False) == (
        short.kind, short.blames, short.hold, short.indicts,
    )  # fmt: skip  # one tuple
    for other in ("", "openai", "qwen-2"):
        assert "noop" == said(text=text, status=502, provider=other).kind
    assert "noop" == said(text="no provider could serve: upstream qwen http 429", provider="qwen").kind


def test_another_provider_that_answered_is_not_charged_here() -> None:
    """Only where both names are known, and differ."""
    body = json.dumps({"error": {"message": "boom", "data": {"providerID": "openai"}}})

    assert ("noop", ["by-another"]) == (
        said(body=body, status=500, provider="qwen").kind,
        codes(said(body=body, status=500, provider="qwen")),
    )
    assert said(body=body, status=500, provider="OpenAI").indicts
    assert said(body=body, status=500).indicts


def test_a_gateways_own_field_names_who_answered() -> None:
    """Beside the code, in what a gateway adds to the error of another."""
    told = {"message": "usage limit reached", "code": 429, "metadata": {"provider_name": "Openai"}}
    body = json.dumps({"error": told})

    assert "noop" == said(body=body, status=429, provider="qwen").kind
    assert "quota" == said(body=body, status=429, provider="openai").kind


@pytest.mark.parametrize("status", [-1, 0, 600, 999, 99999])
def test_what_is_no_status_is_no_evidence(status: int) -> None:
    """Beyond 599 there is no status, whoever answers with one."""
    assert not said(status=status).indicts
    assert "overload" != said(status=status).kind


def test_half_of_a_pair_in_a_text_is_read_over() -> None:
    """A text that was decoded from bytes that are no UTF-8 is classified by the rest of it."""
    assert "quota" == said(text="You've hit your usage limit \udcff", status=429).kind


# --- the order of the rules ---------------------------------------------------------------------


def test_the_reader_speaks_before_codes_statuses_and_texts() -> None:
    """It has seen the same answer, and knows what its words mean there."""
    told = Failure.of("quota", blames="candidate", facts=(Fact("x:model", "m"),))
    failure = said(told=told, status=402, body=b'{"error":{"code":"context_length_exceeded"}}', text="Overloaded")

    assert ("quota", "candidate") == (failure.kind, failure.blames)
    assert ["by-reader", "x:model"] == codes(failure)


def test_a_reader_that_does_not_know_leaves_it_to_the_others() -> None:
    """Its `other` decides nothing, its facts are kept, and it is a word that something failed."""
    failure = said(told=Failure.of("other", facts=(Fact("x:odd"),)), status=429)

    assert ("rate", ["by-status", "x:odd"]) == (failure.kind, codes(failure))
    assert "other" == said(told=Failure.of("other")).kind


def test_no_reader_indicts() -> None:
    """Its flag is not asked; a 5xx that it calls an overload without a word of one still is evidence."""
    for kind in get_args(FailureKind):
        assert not said(told=evolve(Failure.of(kind), indicts=True)).indicts
    assert said(told=Failure.of("overload"), status=500).indicts
    assert not said(told=Failure.of("overload"), status=500, text="Overloaded").indicts
    assert not said(told=Failure.of("context"), status=500).indicts


def test_a_readers_own_hold_and_reset_are_kept() -> None:
    """The reset it tells is the provider's; one that has passed is evidence of nothing."""
    later, before = NOON + timedelta(hours=3), NOON - timedelta(hours=3)

    timed = said(told=Failure.of("quota", reset_at=later), headers={"retry-after": "5"})
    assert (later, True, timedelta(hours=3)) == (timed.reset_at, timed.reset_known, timed.hold)
    assert timedelta(minutes=1) == said(told=Failure.of("busy", hold=timedelta(minutes=1))).hold
    past = said(told=Failure.of("quota", reset_at=before))
    assert (None, False, timedelta(minutes=15)) == (past.reset_at, past.reset_known, past.hold)
    guess = evolve(Failure.of("quota", reset_at=later), reset_known=False)
    assert (later, False) == (said(told=guess).reset_at, said(told=guess).reset_known)


def test_what_was_given_up_is_asked_of_nobody() -> None:
    """An abort outranks whatever else came with it."""
    assert "noop" == said(transport="aborted", status=500, told=Failure.of("quota"), text="Overloaded").kind


def test_exact_codes_speak_before_texts_and_vague_ones_after() -> None:
    """DeepSeek calls a spent balance an invalid request; nobody calls a full context a payload by code."""
    body = {"error": {"message": "Insufficient Balance", "code": "invalid_request_error"}}

    assert "balance" == said(body=json.dumps(body), status=400).kind
    assert "context" == said(body='{"error":{"code":"context_length_exceeded","message":"Overloaded"}}').kind
    assert "payload" == said(body='{"error":{"code":"invalid_request_error","message":"?"}}').kind
    assert "rate" == said(body='{"error":{"type":"rate_limit_error","message":"?"}}').kind


def test_no_text_overrules_a_plain_status() -> None:
    """A 401 is the login's, whatever is written beside it; words about rates do not make a bad request a burst."""
    assert "auth" == said(status=401, text="Overloaded. Too many requests.").kind
    assert "payload" == said(status=422, text="too many requests").kind


def test_a_page_that_keeps_programs_out_says_nothing_of_the_login() -> None:
    """HTML with a 403 is unknown; HTML with a 502 is a broken provider all the same."""
    page = b"<!DOCTYPE html><html><title>Just a moment...</title></html>"

    assert "other" == said(body=page, status=403).kind
    assert said(body=page, status=502).indicts


# --- bursts and quotas --------------------------------------------------------------------------


def test_a_burst_moves_no_account_and_a_spent_quota_does() -> None:
    """Headers tell the two apart where text and status do not; without them it is a burst."""
    text = "This request would exceed your account's rate limit. Please try again later."

    burst = said(
        text=text, status=429, headers=[("anthropic-ratelimit-unified-status", "allowed"), ("retry-after", "12")]
    )
    assert ("rate", "candidate", timedelta(seconds=12)) == (burst.kind, burst.blames, burst.hold)
    spent = said(text=text, status=429, headers=REFUSED_WEEK)
    assert ("quota", "pool") == (spent.kind, spent.blames)
    assert ("rate", "candidate") == (said(text=text, status=429).kind, said(text=text).blames)


def test_of_two_full_windows_the_later_reset_counts() -> None:
    """The account serves again when the last of them has reset, and one that has room does not count."""
    assert datetime(2026, 9, 23, tzinfo=UTC) == said(status=429, headers=REFUSED_WEEK).reset_at
    fresh = {**REFUSED_WEEK, "anthropic-ratelimit-unified-7d-status": "allowed"}
    assert datetime(2026, 9, 20, 14, 30, tzinfo=UTC) == said(status=429, headers=fresh).reset_at


def test_a_window_of_some_models_blames_one_candidate() -> None:
    """What binds one model is no exhaustion of the account."""
    headers = {
        "anthropic-ratelimit-unified-status": "rejected",
        "anthropic-ratelimit-unified-representative-claim": "seven_day_something",
        "anthropic-ratelimit-unified-reset": "1790118000",
    }

    failure = said(status=429, headers=headers)
    assert ("quota", "candidate", datetime(2026, 9, 22, 23, tzinfo=UTC)) == (
        failure.kind,
        failure.blames,
        failure.reset_at,
    )


def test_a_reset_of_a_window_with_room_is_not_the_refusals() -> None:
    """Of the headers of a minute's limits those count whose limit is used up; the wait asked for counts before them."""
    headers = {
        "x-ratelimit-remaining-requests": "12", "x-ratelimit-reset-requests": "1h0m0s",
        "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s",
    }  # fmt: skip  # read as pairs

    assert timedelta(minutes=6) == said(status=429, headers=headers).hold
    assert timedelta(seconds=20) == said(status=429, headers={**headers, "retry-after": "20"}).hold


@pytest.mark.parametrize("value", ["0", "-1", "soon", ""])
def test_a_wait_that_is_none_keeps_the_policys(value: str) -> None:
    """Nought, less and nonsense name no wait."""
    failure = said(status=429, headers={"Retry-After": value})

    assert (timedelta(minutes=5), None, False) == (failure.hold, failure.reset_at, failure.reset_known)


def test_structure_tells_a_reset_before_headers_and_headers_before_text() -> None:
    """The most exact word counts."""
    given = {"status": 429, "text": "You've hit your usage limit, resets in 3 hours"}
    headers = {"retry-after": "7200"}
    body = '{"error":{"type":"usage_limit_reached","resets_in_seconds":3600}}'

    assert timedelta(hours=1) == said(**given, headers=headers, body=body).hold
    assert timedelta(hours=2) == said(**given, headers=headers).hold
    assert timedelta(hours=3) == said(**given).hold


def test_a_reset_beside_a_kind_that_no_time_ends_is_left_alone() -> None:
    """A retry wish does not shorten the stop of a model that is not there, nor lengthen a bad request."""
    assert HOLDS["model"].span == said(status=404, text="unknown model", headers={"retry-after": "5"}).hold
    assert said(status=400, headers={"retry-after": "5"}).hold is None


@pytest.mark.parametrize(
    ("text", "fact"),
    [("resets 3pm", "reset-zoneless"), ("resets Sep 19 3pm (UTC)", "reset-past"), ("resets on Nov 27 (UTC)", "reset-guessed"),
     ("resets in 900 days", "reset-invalid"), ("resets in 3 h", "reset-known")],
)  # fmt: skip  # one table
def test_how_far_a_reset_may_be_trusted_is_a_fact(text: str, fact: str) -> None:
    """Known and guessed are never the same, and why there is none is said."""
    failure = said(text=f"You've hit your usage limit · {text}")

    assert ["by-words", fact] == codes(failure)
    assert (fact == "reset-known") is failure.reset_known
    assert (fact in ("reset-known", "reset-guessed")) is (failure.reset_at is not None)


# --- what it is wrapped in ----------------------------------------------------------------------

ERROR = {
    "error": {"type": "usage_limit_reached", "message": "The usage limit has been reached", "resets_in_seconds": 3600}
}
WRAPPED = {
    "alone": json.dumps(ERROR),
    "list": json.dumps([ERROR]),
    "response": json.dumps({"type": "response.failed", "response": ERROR}),
    "string": json.dumps({"name": "APICallError", "responseBody": json.dumps(ERROR)}),
    "string in a string": json.dumps({"data": {"body": json.dumps({"raw": json.dumps(ERROR)})}}),
    "message": json.dumps({"error": {"message": f"429 {json.dumps(ERROR)}"}}),
    "cause": json.dumps({"name": "Error", "cause": {"cause": ERROR}}),
    "frames": f"event: error\ndata: {json.dumps(ERROR)}\n\ndata: [DONE]\n",
    "lines": f'{{"type":"started"}}\n{json.dumps(ERROR)}\n',
    "after text": f"warning: slow\n{json.dumps(ERROR)}",
}


@pytest.mark.parametrize("wrapped", WRAPPED)
def test_an_error_is_found_at_any_nesting(wrapped: str) -> None:
    """The same error in every envelope it was seen in."""
    failure = said(body=WRAPPED[wrapped].encode())

    assert ("quota", timedelta(hours=1), True) == (failure.kind, failure.hold, failure.reset_known)


def test_an_echo_of_the_request_is_no_error() -> None:
    """A client that dumps what it sent does not make the prompt an error."""
    body = {
        "error": {"message": "boom"},
        "requestBodyValues": {"messages": [{"content": "You've hit your usage limit."}]},
    }

    assert "other" == said(body=json.dumps(body)).kind


def test_headers_told_in_a_body_are_headers() -> None:
    """A frame of a stream brings its own; those of the answer itself outrank them."""
    body = json.dumps({"type": "error", "status_code": 429, "headers": {"Retry-After": 30}})

    assert ("rate", timedelta(seconds=30)) == (said(body=body).kind, said(body=body).hold)
    assert timedelta(seconds=5) == said(body=body, headers={"RETRY-AFTER": "5"}).hold


def test_a_status_that_is_only_told_never_indicts() -> None:
    """In a body, in a text, in a gateway's report."""
    for given in (
        {"body": '{"is_error":true,"api_error_status":500}'},
        {"text": "API Error: 500 oops"},
        {"text": "http 502"},
    ):
        assert ("overload", False) == (said(**given).kind, said(**given).indicts)


@pytest.mark.parametrize("text", ["ECONNRESET", "socket hang up", "connect ECONNREFUSED 127.0.0.1:1", "fetch failed"])
def test_a_clients_word_of_its_connection_never_indicts(text: str) -> None:
    """Whoever saw the connection break says so with `transport`, and then its words take nothing from that."""
    assert said(text=text).kind in ("connect", "overload")
    assert not said(text=text).indicts
    assert said(text=text, transport="broken").indicts


# --- kinds that need a word ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The long context beta is not yet available for this subscription.", "context-tier"),
        ("Fast mode needs more: your organization has no usage credits", "entitlement"),
        ("Usage credits are required to use fast mode", "entitlement"),
        ("Model.Unpurchased: the plan is unpurchased", "lapsed"),
        ("Your subscription has expired", "lapsed"),
        ("This model is not included in your plan", "entitlement"),
        ("This client does not support this model; version 2.1 or newer is required", "model"),
        ("ProviderModelNotFoundError: no such model", "model"),
        ("Access to model x denied", "model"),
        ("You are not authorized to use this model", "model"),
        ("Invalid 'messages': tool_use ids were found without tool_result blocks", "payload"),
        ("not found: not support", "payload"),
        ("blocked by our content policy", "payload"),
        ("Quota exceeded for quota metric 'Requests' and limit 'Requests per minute'", "rate"),
        ("Throttling: request rate increased too fast, burst rate", "rate"),
        ("daily quota exceeded", "quota"),
        ("monthly spend limit reached", "balance"),
        ("Too many concurrent requests for this account", "rate"),
        ("no slots available", "busy"),
        ("model is currently loading", "loading"),
    ],
)
def test_a_whole_phrase_has_its_kind(text: str, kind: str) -> None:
    """What nobody codes is told in words."""
    assert kind == said(text=text).kind


def test_two_words_far_apart_are_no_phrase() -> None:
    """A dumped log that holds both is not the refusal of fast mode."""
    assert "other" == said(text="fast mode is off. " + "x" * 200 + " usage credits were bought").kind


def test_what_only_a_person_ends_says_so() -> None:
    """A login, a payment; a token that its owner refreshes does not."""
    for text in ("Invalid API key · Please run /login", "You are not signed in.", "Credit balance is too low"):
        assert said(text=text).needs_human
    assert said(body='{"error":{"code":"refresh_token_reused","message":"x"}}').needs_human
    assert said(told=Failure.of("auth", human=True)).facts[-1] == Fact(NEEDS_HUMAN)
    assert not said(text="OAuth token has expired.").needs_human


def test_the_policys_holds_are_used() -> None:
    """Blame and span are settings; what a rule narrows stays narrow."""
    holds = {**HOLDS, "rate": Hold("pool", timedelta(minutes=1)), "quota": Hold("pool", timedelta(hours=1))}

    assert ("pool", timedelta(minutes=1)) == (said(status=429, holds=holds).blames, said(status=429, holds=holds).hold)
    scoped = said(text="You have exhausted your capacity on this model.", holds=holds)
    assert ("candidate", timedelta(hours=1)) == (scoped.blames, scoped.hold)
    assert timedelta(hours=1) == said(told=Failure.of("quota"), holds=holds).hold


# --- the tables ---------------------------------------------------------------------------------


def test_every_fact_has_a_sentence() -> None:
    """Each code a failure may rest on, with its figures filled in."""
    shown = [
        said(status=429),
        said(exit_code=3),
        said(text="Overloaded, retry after 5 s"),
        said(transport="broken"),
        said(),
    ]
    shown += [said(status=429, headers=REFUSED_WEEK), said(text="Invalid API key"), said(told=Failure.of("rate"))]
    for failure in shown:
        for fact in failure.facts:
            assert fact.code.removeprefix("core:") in SENTENCES
            assert "?" not in sentence(fact)


def test_no_code_is_both_exact_and_vague() -> None:
    """And each is written as it is looked up."""
    assert set() == EXACT.keys() & VAGUE.keys()
    assert [] == [code for code in (*EXACT, *VAGUE) if code != code.casefold() or set("_-. ") & set(code)]


def test_every_wording_can_be_said() -> None:
    """A needle that is not casefolded would never be found."""
    assert [] == [needle for row in WORDINGS for needle in row.needles if needle != needle.casefold() or not needle]
