"""Cassettes keep what was asked and answered, and no secret."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capacity.errors import Ended, FormError, NotFound, Refused, TimedOut, TooLarge
from capacity.ports import (
    Child,
    Document,
    Env,
    Exit,
    File,
    Get,
    Hear,
    Line,
    List,
    Paths,
    Pause,
    Pulse,
    Read,
    Replace,
    Replaced,
    Reply,
    Retry,
    Run,
    Say,
    Secret,
    Send,
    Start,
)
from capacity.wire import Cassette, Host, Recorder, replay, run, run_all
from capacity.wire.recorded import dump, load
from capacity.wire.redaction import Redaction

from .conftest import LONG, PYTHON

KEY = "sk-0123456789"
AT = datetime(2026, 1, 2, 3, 4, 5, 678000, tzinfo=UTC)
CHILD = Child(1, AT)


def recording(host):
    """The host with a recorder, and the recorder."""
    recorder = Recorder()
    return Host(environ=host.environ, recorder=recorder), recorder


# --- the form ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("effect", "form"),
    [
        (Get("http://h/p?q=1"), {"is": "Get", "url": "http://h/p?q=1"}),
        (Get("http://me:pw@h/p"), {"is": "Get", "url": "http://h/p"}),
        (
            Get("http://h/", bearer=Secret(KEY), headers={"X-Key": Secret(KEY), "a": "1", "Cookie": "c"}),
            {
                "is": "Get",
                "url": "http://h/",
                "bearer": {"is": "Secret", "blank": False},
                "headers": {"X-Key": {"is": "Secret", "blank": False}, "a": "1"},
            },
        ),
        (
            Get("http://h/", timeout=LONG, cap=1, retry=Retry(), keep=True),
            {"is": "Get", "url": "http://h/"},
        ),
        (Send("POST", "http://h/", body={"b": [1, None]}), {"is": "Send", "method": "POST", "url": "http://h/", "body": {"b": [1, None]}}),
        (
            Run(("a", "b"), env={"K": Secret("")}, stdin=b"x"),
            {"is": "Run", "argv": ["a", "b"], "env": {"K": {"is": "Secret", "blank": True}}, "stdin": {"text": "x"}},
        ),
        (Start(("a",)), {"is": "Start", "argv": ["a"]}),
        (Hear(CHILD), {"is": "Hear", "child": {"is": "Child", "id": 1, "at": "2026-01-02T03:04:05.678000Z"}}),
        (Say(CHILD, "x"), {"is": "Say", "line": "x", "child": {"is": "Child", "id": 1, "at": "2026-01-02T03:04:05.678000Z"}}),
        (Read("~/x", secret=True, plain=frozenset("ba")), {"is": "Read", "path": "~/x", "secret": True, "plain": ["a", "b"]}),
        (List("*"), {"is": "List", "pattern": "*"}),
        (Replace("x", b"\xff", None), {"is": "Replace", "path": "x", "content": {"base64": "/w=="}, "was": None}),
        (Env("A"), {"is": "Env", "name": "A"}),
        (Pause(timedelta(minutes=1)), {"is": "Pause", "span": 60.0}),
    ],
)  # fmt: skip  # one row an effect
def test_every_effect_has_its_form(effect, form):
    """What was asked, without what merely says how; defaults are left out; no secret, and whether it was blank."""
    assert form == dump(effect, Redaction())


REPLIES = [
    Reply(Document(b"\xff\x00", AT, asked="/p", status=200, headers=(("a", "1"), ("a", "2"))), AT, unchanged=True),
    Reply(Document(b'{"a":"\xc3\xa4"}', AT, status=500), AT),
    Exit(-9, b"out", b"", AT, "a b"),
    CHILD,
    Pulse(AT),
    Line("ä\u2028", AT),
    File("~/x", b"body", "00", AT),
    Paths(("/a", "/no-text-\udcff"), AT),
    Replaced(False, None, AT),
]


@pytest.mark.parametrize("reply", REPLIES, ids=[f"{type(reply).__name__}-{n}" for n, reply in enumerate(REPLIES)])
def test_every_reply_comes_back_as_it_was(reply):
    """Through JSON and back, bytes that are no text included."""
    assert reply == load(json.loads(json.dumps(dump(reply, Redaction()))))


@pytest.mark.parametrize("kind", [Ended, NotFound, Refused, TimedOut, TooLarge])
def test_every_fault_comes_back_as_it_was(kind):
    """Its kind and both its texts."""
    back = load(dump(kind("asked", "why"), Redaction()))

    assert (kind, "asked", "why") == (type(back), back.asked, back.why)


@given(st.binary(max_size=20))
def test_every_body_comes_back_as_it_was(body):
    """Byte for byte, whatever they are."""
    assert body == load(json.loads(json.dumps(dump(body, Redaction()))))


def test_a_secret_comes_back_masked():
    """As blank as it was; a file's has the same parts, masked."""
    file = File("f", b'{"a":{"b":"***"},"c":""}', "00", AT, secret=Secret('{"a":{"b":"sk-1"},"c":""}'))
    back = load(dump(file, Redaction()))

    assert (Secret("***"), Secret("")) == (load(dump(Secret(KEY), Redaction())), load(dump(Secret(" "), Redaction())))
    assert (Secret("***"), Secret(""), None) == tuple(back.secret.part(*path) for path in [("a", "b"), ("c",), ("d",)])
    assert Secret("***") == load(dump(File("f", b"", "00", AT, secret=Secret(KEY)), Redaction())).secret
    assert not load(dump(File("f", b"", "00", AT, secret=Secret("")), Redaction())).secret


# --- recorder and cassette --------------------------------------------------------------------


async def conversation(url):
    """A flow that does some of everything, and falls back."""
    key = await Env("KEY")
    file = await Read("~/login", secret=True)
    seen = [(await Get(url, bearer=key)).status, (await Get(url, bearer=file.secret.part("key"))).document.body]
    try:
        await Get("http://127.0.0.1:1/")
    except Refused as fault:
        seen.append(str(fault))
    child = await Start(
        (*PYTHON, "import os\nfor word in (input(), os.environ['K']): print(word, flush=True)"), env={"K": key}
    )
    seen.append((await Say(child, "hello")).at)
    seen += [(await Hear(child)).text for _ in range(2)]
    with pytest.raises(Ended):
        await Hear(child)
    return seen, (await Pause(timedelta(0))).at


@pytest.fixture
def recorded(host, serve, tmp_path):
    """A recorded conversation with a server that repeats every key: the flow's value, its url, the recorder."""
    url = serve(lambda handler: handler.say(200, handler.headers["authorization"].encode(), Set_Cookie="s=1")).url
    (tmp_path / "home" / "login").write_text('{"key":"sk-of-the-file-1"}')
    host, recorder = recording(Host(environ={**host.environ, "KEY": KEY}))
    return run(conversation(url), deadline=LONG, host=host), url, recorder


def test_a_recorded_flow_replays_to_the_same(recorded, tmp_path):
    """Through a file: the same value with the recorded time, although nothing is asked any more."""
    value, url, recorder = recorded
    recorder.save(tmp_path / "cassette.jsonl")

    assert value == replay(conversation(url), Cassette.load(tmp_path / "cassette.jsonl"))


def test_no_secret_is_recorded(recorded):
    """Neither what went out nor what came back."""
    text = recorded[2].cassette.dumps()

    assert 10 < len(text.splitlines())
    assert [] == [word for word in (KEY, "sk-of-the-file-1", "s=1", "set-cookie") if word in text]


def test_a_cassette_has_one_stable_text(recorded):
    """Sorted, one line an exchange, each with the version of its form; loading and writing change no byte."""
    text = recorded[2].cassette.dumps()
    lines = [json.loads(line) for line in text.splitlines()]

    assert text == Cassette.loads(text).dumps()
    assert text.splitlines() == [json.dumps(line, sort_keys=True, separators=(",", ":")) for line in lines]
    assert {1} == {line["form"] for line in lines}
    assert text.endswith("}\n")


def test_flows_are_told_apart(host):
    """Flows that were recorded side by side are numbered as they began, and replayed one by one."""
    host, recorder = recording(host)

    async def flow(number):
        for _ in range(3):
            await Pause(timedelta(milliseconds=number))
        return number

    run_all({"a": (flow(1), LONG), "b": (flow(2), LONG)}, host=host)
    cassette = recorder.cassette

    assert (0, 1) == cassette.flows
    assert [1, 2] == [replay(flow(number + 1), cassette.flow(number)) for number in (0, 1)]


def test_a_late_flow_is_recorded_as_late(host):
    """What was refused at the deadline is part of what happened."""
    host, recorder = recording(host)

    async def flow():
        with pytest.raises(TimedOut):
            await Pause(timedelta(hours=1))
        with pytest.raises(TimedOut):
            await Read("/")
        return "late"

    run(flow(), deadline=timedelta(milliseconds=50), host=host)

    assert "late" == replay(flow(), recorder.cassette)


def test_a_name_that_is_no_text_is_kept(tmp_path, host):
    """A file may be called anything; the cassette can be written and read all the same."""
    host, recorder = recording(host)
    (tmp_path / "odd-\udcff").touch()

    async def flow():
        return (await List(f"{tmp_path}/odd-*")).paths

    got = run(flow(), deadline=LONG, host=host)
    recorder.save(tmp_path / "tape")

    assert (f"{tmp_path}/odd-\udcff",) == got == replay(flow(), Cassette.load(tmp_path / "tape"))


def test_a_cassette_that_is_none_names_every_bad_line():
    """All of them at once, each with its number."""
    good = '{"effect":{},"flow":0,"form":1,"reply":null}'
    lines = [
        good,
        "nonsense",
        "[]",
        good.replace("1", "2"),
        good.replace("reply", "answer"),
        good,
        "",
        '{"form":1,"flow":0}',
    ]
    lines += [good.replace("null", '{"is":"Nothing"}'), good.replace("null", '{"is":"Pulse","at":"noon"}')]
    with pytest.raises(FormError) as error:
        Cassette.loads("\n".join(lines), source="tape.jsonl")

    assert [f"line {number}" for number in (2, 3, 4, 5, 8, 9, 10)] == [fault.path for fault in error.value.faults]
    assert str(error.value).startswith("tape.jsonl: line 2: ")


@pytest.mark.parametrize("name", ["missing", "."])
def test_a_cassette_that_cannot_be_read_names_the_file(tmp_path, name):
    """A missing file and a folder."""
    with pytest.raises(FormError, match="cannot be read"):
        Cassette.load(tmp_path / name)


def test_recording_changes_nothing(host, serve):
    """A flow sees the same with and without a recorder."""
    url = serve(lambda handler: handler.say(200, b"\xff")).url

    async def flow():
        return (await Get(url)).document.body, (await Run((sys.executable, "-c", "print(1)"))).stdout

    assert run(flow(), deadline=LONG, host=host) == run(flow(), deadline=LONG, host=recording(host)[0])
