"""HTTP as a flow meets it, against servers on this machine."""

from __future__ import annotations

import gzip
import json
import logging
import socket
import ssl
import threading
import time
import tracemalloc
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest

from capacity.errors import NotFound, Refused, TimedOut, TooLarge, WireError
from capacity.ports import Get, Reply, Retry, Secret, Send
from capacity.wire import Host, run

from .conftest import LONG, SHORT, descriptors, leaks

KEY = "sk-0123456789abcdef"
SOON = Retry(wait=timedelta(milliseconds=1))


async def ask(effect):
    return await effect


@pytest.fixture
def get(host):
    """Perform one request."""

    def get(effect: Get | Send) -> Reply:
        return run(ask(effect), deadline=LONG, host=host)

    return get


def forever(handler):
    """Begin an answer and never end it."""
    handler.send_response(200)
    handler.send_header("content-length", "1000000")
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(b" ")
            time.sleep(0.02)
    except OSError:
        handler.server.left.set()


# --- answers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [200, 204, 401, 404, 429, 500, 503])
def test_every_status_is_an_answer(get, serve, status):
    """Refusals and failures of a server are values, with their body and headers."""
    body = b"" if status == 204 else b'{"error":{}}'
    reply = get(Get(serve(lambda handler: handler.say(status, body, X_Left="3")).url + "/a/b?c=d"))

    assert (status, body, "3") == (reply.status, reply.document.body, reply.document.header("x-left"))
    assert ("/a/b?c=d", reply.at) == (reply.document.asked, reply.document.at)


def test_headers_come_in_lower_case_and_order(get, serve):
    """Names are lower case, and none is lost that occurs twice."""

    def answer(handler):
        handler.send_response(200)
        for name, value in [("X-B", "1"), ("X-A", "2"), ("x-b", "3"), ("Content-Length", "0")]:
            handler.send_header(name, value)
        handler.end_headers()

    headers = get(Get(serve(answer).url)).document.headers

    assert [("x-b", "1"), ("x-a", "2"), ("x-b", "3")] == [pair for pair in headers if pair[0].startswith("x-")]


def test_a_request_says_who_asks_and_what_the_flow_says(get, serve):
    """The host's name goes with each request; headers and bearer are opened; what the flow sets wins."""
    server = serve()
    get(Get(server.url, bearer=Secret(KEY), headers={"X-Key": Secret("other"), "x-plain": "1"}))
    get(Get(server.url, bearer=Secret(KEY), headers={"User-Agent": "mine", "Authorization": "Basic x"}))
    first, second = (handler.headers for handler in server.seen)

    assert ("capacity", f"Bearer {KEY}") == (first["user-agent"], first["authorization"])
    assert ("other", "1", "gzip") == (first["x-key"], first["x-plain"], first["accept-encoding"])
    assert ("mine", "Basic x") == (second["user-agent"], second["authorization"])


def test_a_blank_bearer_is_not_sent(get, serve):
    """A blank credential asks as nobody: the server's 401 is the better answer."""
    server = serve()
    get(Get(server.url, bearer=Secret(" ")))

    assert server.seen[0].headers["authorization"] is None


def test_a_body_is_sent_as_json(get, serve):
    """`Send` uses its method and says what it sends."""

    def answer(handler):
        body = handler.rfile.read(int(handler.headers["content-length"]))
        handler.say(200, json.dumps([handler.command, handler.headers["content-type"], json.loads(body)]).encode())

    assert ["POST", "application/json", {"a": 1}] == get(Send("POST", serve(answer).url, body={"a": 1})).document.json()


def test_a_question_with_a_body_is_posted_and_still_a_question(get, serve):
    """What a service takes as JSON is asked that way, and the answer to each question is kept by itself."""

    def answer(handler):
        asked = json.loads(handler.rfile.read(int(handler.headers["content-length"])))
        if handler.headers["if-none-match"] == f'"{asked["page"]}"':
            handler.say(304, b"")
        else:
            handler.say(200, json.dumps([handler.command, asked]).encode(), ETag=f'"{asked["page"]}"')

    server = serve(answer)
    replies = [get(Get(server.url, body={"page": page}, keep=True)) for page in (1, 2, 1)]

    assert [["POST", {"page": page}] for page in (1, 2, 1)] == [reply.document.json() for reply in replies]
    assert [False, False, True] == [reply.unchanged for reply in replies]


def test_no_cookie_reaches_the_next_request(host, serve):
    """What one account's answer set, another account's request does not carry; no document shows it either."""
    server = serve(lambda handler: handler.say(Set_Cookie="session=1"))

    async def twice():
        return await Get(server.url), await Get(server.url)

    first, _ = run(twice(), deadline=LONG, host=host)

    assert [None, None] == [handler.headers["cookie"] for handler in server.seen]
    assert first.document.header("set-cookie") is None


def test_proxies_of_the_process_are_not_used(get, serve, monkeypatch):
    """The process's own environment decides nothing unless the host is told to trust it."""
    server = serve()
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")

    assert 200 == get(Get(server.url)).status
    with pytest.raises(Refused):
        run(ask(Get(server.url)), deadline=LONG, host=Host(trust_env=True))


# --- redirects --------------------------------------------------------------------------------


def test_a_redirect_on_the_same_host_is_followed(get, serve):
    """With everything the request carried."""

    def answer(handler):
        handler.say(200) if handler.path == "/new" else handler.say(302, Location="/new")

    server = serve(answer)

    assert "/new" == get(Get(server.url + "/old", bearer=Secret(KEY))).document.asked
    assert f"Bearer {KEY}" == server.seen[1].headers["authorization"]


def test_a_redirect_to_another_host_is_the_answer(get, serve):
    """Another host, port or no TLS any more: nobody there hears of the request."""
    other = serve()
    server = serve(lambda handler: handler.say(307, Location=other.url + "/there"))
    reply = get(Get(server.url, bearer=Secret(KEY)))

    assert (307, other.url + "/there") == (reply.status, reply.document.header("location"))
    assert [] == other.seen


def test_redirects_end(get, serve):
    """A circle is no answer."""
    with pytest.raises(Refused, match="redirected more than 20 times"):
        get(Get(serve(lambda handler: handler.say(302, Location="/")).url))


# --- no answer --------------------------------------------------------------------------------


def test_a_dripping_body_ends_on_time(host, serve):
    """The time-out is for the whole answer, however often a byte of it comes."""
    server = serve(forever)
    server.left = threading.Event()

    with pytest.raises(TimedOut, match=r"no whole answer within 0\.2 s"):
        run(ask(Get(server.url, timeout=SHORT)), deadline=LONG, host=host)
    assert server.left.wait(10)  # and the connection is closed


def test_a_dripping_body_ends_at_the_deadline(host, serve):
    """The flow's deadline holds where the effect's own time is longer."""
    server = serve(forever)
    server.left = threading.Event()

    with pytest.raises(TimedOut, match=r"the flow's deadline of 0\.2 s has passed"):
        run(ask(Get(server.url, timeout=LONG)), deadline=SHORT, host=host)


def test_a_silent_server_is_timed_out(host):
    """So is one that takes the connection and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        with pytest.raises(TimedOut):
            run(ask(Get(url, timeout=SHORT)), deadline=LONG, host=host)


def test_a_huge_body_is_not_read_to_its_end(get, serve):
    """Beyond its cap nobody listens."""
    server = serve(forever)
    server.left = threading.Event()

    with pytest.raises(TooLarge, match="larger than 3 bytes"):
        get(Get(server.url, cap=3))
    assert server.left.wait(10)


@pytest.mark.parametrize(("size", "cap", "fits"), [(1000, 1000, True), (1001, 1000, False)])
def test_the_cap_is_for_what_is_unpacked(get, serve, size, cap, fits):
    """A packed body counts as what it unpacks to, to the byte."""
    effect = Get(
        serve(lambda handler: handler.say(200, gzip.compress(b"a" * size), Content_Encoding="gzip")).url, cap=cap
    )

    if fits:
        assert b"a" * size == get(effect).document.body
    else:
        with pytest.raises(TooLarge):
            get(effect)


def test_a_gzip_bomb_is_never_unpacked(get, serve):
    """16 kB that would unpack to 16 MB cost little more memory than the cap."""
    bomb = gzip.compress(b"\0" * 2**24)
    server = serve(lambda handler: handler.say(200, bomb, Content_Encoding="gzip"))
    get(Get(serve().url))  # so that imports are not counted
    tracemalloc.start()
    with pytest.raises(TooLarge):
        get(Get(server.url, cap=2**16))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 2**22


@pytest.mark.parametrize(
    "body", [gzip.compress(b"a" * 1000, mtime=0)[:-9], b"not gzip at all"], ids=["cut off", "none"]
)
def test_a_broken_packing_is_no_answer(get, serve, body):
    """Half a body is never taken for a whole one."""
    with pytest.raises(Refused):
        get(Get(serve(lambda handler: handler.say(200, body, Content_Encoding="gzip")).url))


def test_a_refused_connection_is_refused(get):
    """And says so in the system's words, with the address and without the query."""
    with pytest.raises(Refused) as error:
        get(Get("http://127.0.0.1:1/path?query=1"))
    assert "http://127.0.0.1:1/path: Connection refused" == str(error.value)


def test_a_caught_error_of_the_caller_is_not_taken_for_the_cause(get, serve):
    """Whoever asks while he handles an error of his own does not find that error in the answer."""

    def answer(handler):
        handler.wfile.write(b"nonsense\r\n\r\n")
        handler.close_connection = True

    try:
        raise FileNotFoundError(2, "my own")
    except FileNotFoundError:
        with pytest.raises(Refused) as error:
            get(Get(serve(answer).url))
    assert "illegal" in str(error.value).lower()


def test_an_unknown_host_is_not_found(get, monkeypatch):
    """A name nobody knows is told apart from a server that refuses."""

    def unknown(*args, **kwargs):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(NotFound, match=r"http://nowhere.invalid/: no such host"):
        get(Get("http://nowhere.invalid/"))


def test_a_broken_connection_is_refused(get, serve):
    """A server that hangs up in the middle gave no answer."""

    def answer(handler):
        handler.send_response(200)
        handler.send_header("content-length", "100")
        handler.end_headers()
        handler.wfile.write(b"half")
        handler.close_connection = True

    with pytest.raises(Refused, match="peer closed connection"):
        get(Get(serve(answer).url))


@pytest.mark.parametrize("url", ["nonsense", "ftp://127.0.0.1/", "http://", "http://[::1", "http://127.0.0.1:port/"])
def test_what_is_no_url_is_refused(get, url):
    """A policy's mistyped address is a fault that names it, not a crash."""
    with pytest.raises(Refused) as error:
        get(Get(url))
    assert str(error.value).startswith(f"{url}: ")


def test_an_untrusted_certificate_is_refused(get):
    """TLS is verified, always."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(Path(__file__).with_name("selfsigned.pem"))
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            connection, _ = server.accept()
            with connection, suppress(OSError):
                context.wrap_socket(connection, server_side=True).close()

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(Refused, match="its certificate is not trusted: self-signed certificate"):
            get(Get(f"https://127.0.0.1:{server.getsockname()[1]}/"))
        thread.join()


# --- again ------------------------------------------------------------------------------------


def failing(times, status=503, **headers):
    """A server that fails so often, then answers."""

    def answer(handler):
        handler.say(status if len(handler.server.seen) <= times else 200, **headers)

    return answer


def test_nothing_is_asked_twice_unless_the_flow_says_so(get, serve):
    """A failure is the answer."""
    server = serve(failing(1))

    assert 503 == get(Get(server.url)).status
    assert 1 == len(server.seen)


@pytest.mark.parametrize(("fails", "status", "asked"), [(0, 200, 1), (2, 200, 3), (5, 503, 3)])
def test_a_retry_ends_with_the_last_answer(get, serve, fails, status, asked):
    """As soon as there is a good one, and after so many attempts with the bad one."""
    server = serve(failing(fails))

    assert (status, asked) == (get(Get(server.url, retry=SOON)).status, len(server.seen))


def test_only_the_named_statuses_are_asked_again(get, serve):
    """A 429 says stop, not again."""
    server = serve(failing(2, 429))

    assert (429, 1) == (get(Get(server.url, retry=SOON)).status, len(server.seen))


def test_no_answer_is_asked_again(get, serve):
    """A connection that breaks counts as a failure."""

    def answer(handler):
        if len(handler.server.seen) < 3:
            handler.close_connection = True
        else:
            handler.say()

    server = serve(answer)

    assert (200, 3) == (get(Get(server.url, retry=SOON)).status, len(server.seen))
    with pytest.raises(Refused):
        get(Get("http://127.0.0.1:1/", retry=SOON))


def test_an_answer_is_not_lost_to_a_wait_that_would_pass_the_deadline(host, serve):
    """Where the next attempt would come too late, the answer at hand stands."""
    server = serve(failing(1, Retry_After="3600"))
    retry = Retry(wait=timedelta(milliseconds=1))

    assert 503 == run(ask(Get(server.url, retry=retry)), deadline=LONG, host=host).status
    assert 1 == len(server.seen)


@pytest.mark.parametrize(
    ("asked", "again"),
    [("0", True), ("soon", True), ("Thu, 01 Jan 2026 00:00:00 GMT", True), ("Sat, 01 Jan 2180 00:00:00 GMT", False)],
)
def test_retry_after_is_heard(get, serve, asked, again):
    """In seconds or as a date; what is neither asks for nothing."""
    server = serve(failing(1, Retry_After=asked))

    assert (200 if again else 503) == get(Get(server.url, retry=SOON)).status


# --- kept answers -----------------------------------------------------------------------------


def tagged(handler):
    """A resource with an ETag that has not changed."""
    if handler.headers["if-none-match"] == '"1"':
        handler.send_response(304)
        handler.send_header("x-left", "9")
        handler.end_headers()
    else:
        handler.say(200, b"[1]", ETag='"1"', X_Left="10", X_Old="1")


def test_an_unchanged_answer_comes_back_whole(get, serve):
    """A 304 is the last good answer, marked, as true as of now, with the newer headers."""
    server = serve(tagged)
    first, second, third = (get(Get(server.url, keep=True)) for _ in range(3))

    assert [False, True, True] == [first.unchanged, second.unchanged, third.unchanged]
    assert (200, b"[1]", "9", "1") == (
        third.status,
        third.document.body,
        third.document.header("x-left"),
        third.document.header("x-old"),
    )
    assert first.at < second.at == second.document.at < third.document.at


def test_an_answer_is_kept_only_where_asked(get, serve):
    """Without `keep` each answer is asked for anew."""
    server = serve(tagged)

    assert [False, False] == [get(Get(server.url)).unchanged for _ in range(2)]
    assert [None, None] == [handler.headers["if-none-match"] for handler in server.seen]


@pytest.mark.parametrize(
    "credential", [lambda key: {"bearer": key}, lambda key: {"headers": {"x-key": key}}], ids=["bearer", "header"]
)
def test_an_answer_is_kept_for_its_own_credential(get, serve, credential):
    """Two accounts at one address do not get each other's answer."""
    server = serve(tagged)
    one, two = (Get(server.url, keep=True, **credential(Secret(key))) for key in ("one", "two"))
    get(one)

    assert [False, True] == [get(two).unchanged, get(one).unchanged]


def test_a_bad_answer_does_not_take_the_place_of_a_good_one(get, serve):
    """After a failure the good answer is still the one that is asked about."""

    def answer(handler):
        handler.say(500, ETag='"2"') if len(handler.server.seen) == 2 else tagged(handler)

    server = serve(answer)

    assert [200, 500, 200] == [get(Get(server.url, keep=True)).status for _ in range(3)]
    assert '"1"' == server.seen[2].headers["if-none-match"]


def test_a_host_does_not_keep_for_ever(get, host, serve):
    """The oldest answers make room."""
    server = serve(tagged)
    for number in range(70):
        get(Get(f"{server.url}/{number}", keep=True))

    assert 64 == len(host._kept)
    assert not get(Get(f"{server.url}/0", keep=True)).unchanged
    assert get(Get(f"{server.url}/69", keep=True)).unchanged


# --- secrets ----------------------------------------------------------------------------------


def test_a_key_said_aloud_by_the_server_is_masked(get, serve):
    """What a server repeats of a secret does not reach the flow, in body or headers, in any spelling."""
    secret = 'ab"cd/ef gh%12345678'

    def answer(handler):
        heard = handler.headers["x-key"]
        handler.say(401, f"{heard} {json.dumps(heard)} ab%22cd%2Fef%20gh%2512345678".encode(), X_Echo=heard)

    document = get(Get(serve(answer).url, headers={"x-key": Secret(secret)})).document

    assert b'*** "***" ***' == document.body
    assert "***" == document.header("x-echo")


@pytest.mark.parametrize("key", ["a\nb-0123456789", "schlüssel-0123456789", "tab\t0123456789", "\x00123456789"])
def test_a_key_no_header_can_carry_is_refused_unsaid(get, serve, key):
    """A key with a line break or an umlaut is a fault that names the header and not the key."""
    for effect in (Get(serve().url, bearer=Secret(key)), Get(serve().url, headers={"x-key": Secret(key)})):
        with pytest.raises(Refused, match="holds a character that no header can carry") as error:
            get(effect)
        assert "0123456789" not in repr(error.value)


def test_a_password_in_a_url_goes_as_a_header(get, serve, caplog):
    """It works, and neither a fault, a document nor the client's log shows it."""
    caplog.set_level(logging.DEBUG)
    server = serve()
    url = server.url.replace("//", "//me:pass-word-1@")
    reply = get(Get(url + "/x"))
    with pytest.raises(WireError) as error:
        get(Get("http://me:pass-word-1@127.0.0.1:1/x?y"))

    assert "Basic bWU6cGFzcy13b3JkLTE=" == server.seen[0].headers["authorization"]
    assert "/x" == reply.document.asked
    assert "http://127.0.0.1:1/x: Connection refused" == str(error.value)
    assert "pass-word" not in caplog.text


def test_the_log_of_the_client_shows_no_secret(get, serve, caplog):
    """Whatever level somebody sets, and even if the server repeats a key; afterwards the log is as it was."""
    before = list(logging.getLogger("httpcore.http11").filters)
    caplog.set_level(logging.DEBUG)
    server = serve(lambda handler: handler.say(X_Echo=handler.headers["x-key"], Set_Cookie="session=1"))
    get(Get(server.url, bearer=Secret(KEY), headers={"x-key": Secret("0123-4567-89")}))

    assert {"httpx", "httpcore.http11"} <= {record.name for record in caplog.records}
    assert [] == [word for word in (KEY, "0123-4567-89", "session=1") if word in caplog.text]
    assert before == logging.getLogger("httpcore.http11").filters


def test_no_descriptor_is_left_after_a_fault(host, serve):
    """Time-outs, caps and broken answers close their connections."""
    slow, huge = serve(forever), serve(forever)
    slow.left = huge.left = threading.Event()

    async def flow():
        for effect in (
            Get(slow.url, timeout=timedelta(milliseconds=50)),
            Get(huge.url, cap=1),
            Get("http://127.0.0.1:1/"),
        ):
            with pytest.raises(WireError):
                await effect

    run(flow(), deadline=LONG, host=host)
    before = descriptors()
    run(flow(), deadline=LONG, host=host)

    assert not leaks(before)
