"""Children that behave, and children that do not."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest

from capacity.errors import Ended, NotFound, Refused, TimedOut, TooLarge, WireError
from capacity.ports import Hear, Pause, Run, Say, Secret, Start
from capacity.wire import Host, arun, run, run_all

from .conftest import LONG, PYTHON, SHORT, alive, descriptors, ends, leaks, reaped

ECHO = "import sys\nfor line in sys.stdin: print('heard', line.strip(), flush=True)"


def script(code):
    return (*PYTHON, code)


async def ask(effect):
    return await effect


@pytest.fixture
def perform(host):
    """Perform one effect."""
    return lambda effect: run(ask(effect), deadline=LONG, host=host)


@pytest.fixture
def pids(tmp_path):
    """A file in which children leave their numbers; whoever is left is killed in the end."""
    path = tmp_path / "pids"
    path.touch()

    def read():
        return [int(line) for line in path.read_text().split()]

    read.note = f"open({str(path)!r}, 'a').write('%d\\n' % os.getpid())"
    yield read
    for pid in read():
        if alive(pid):
            os.kill(pid, signal.SIGKILL)


# --- run --------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [0, 3])
def test_every_exit_code_is_an_answer(perform, code):
    """What a program printed, what it complained, and how it ended."""
    done = perform(Run(script(f"import sys; print('out'); print('err', file=sys.stderr); sys.exit({code})")))

    assert (code, b"out\n", b"err\n") == (done.code, done.stdout, done.stderr)
    assert (code, b"out\n") == (done.document.exit_code, done.document.body)
    assert done.asked.startswith(" ".join(PYTHON))


def test_a_killed_program_says_by_what(perform):
    """A negative code is the signal."""
    assert -signal.SIGKILL == perform(Run(script("import os; os.kill(os.getpid(), 9)"))).code


def test_a_child_has_the_environment_it_is_given(perform):
    """PATH, HOME, LANG and TZ where the host has them, a mark, and what the effect says; secrets are opened."""
    host = Host(environ={"PATH": os.environ["PATH"], "TZ": "UTC", "SECRET_OF_THE_HOST": "1"})
    effect = Run(
        script("import os; print(sorted(set(os.environ) - {'LC_CTYPE'}), os.environ['KEY'][:3])"),
        env={"KEY": Secret("abc-0123")},
    )

    assert b"['CAPACITY_CHILD', 'KEY', 'PATH', 'TZ'] abc\n" == run(ask(effect), deadline=LONG, host=host).stdout


def test_a_child_hears_nothing_unless_told(perform):
    """Standard input is at its end, or what the effect says, in full."""
    code = "import sys; print(len(sys.stdin.read()))"

    assert b"0\n" == perform(Run(script(code))).stdout
    assert b"1000000\n" == perform(Run(script(code), stdin=b"x" * 10**6)).stdout
    assert b"" == perform(Run(script("import sys; sys.stdin.close()"), stdin=b"x" * 10**6)).stdout


def test_a_child_starts_in_an_empty_folder_that_goes_with_it(perform):
    """Nothing is found where nobody put it, and what the child leaves there goes too."""
    code = "import os; print(os.getcwd(), os.listdir()); open('litter', 'w').close()"
    folder, found = perform(Run(script(code))).stdout.decode().split(" ", 1)

    assert "[]\n" == found
    assert not Path(folder).exists()


def test_a_child_starts_where_it_is_told(perform, host):
    """A folder may be named with variables, and stays."""
    done = perform(Run(script("import os; print(os.getcwd())"), cwd="${HOME}"))

    assert done.stdout.decode().strip() == host.environ["HOME"]
    assert Path(host.environ["HOME"]).exists()


def test_there_is_no_shell(perform):
    """What a shell would read as more is an argument."""
    assert b"$HOME; `x` *\n" == perform(Run((*script("import sys; print(sys.argv[1])"), "$HOME; `x` *"))).stdout


@pytest.mark.parametrize(
    ("effect", "fault", "why"),
    [
        (Run(("no-such-program",)), NotFound, "no-such-program: No such file or directory: no-such-program"),
        (Run((sys.executable,), cwd="/no/folder"), NotFound, "No such file or directory: /no/folder"),
        (Run(("/",)), Refused, "/: Permission denied"),
        (Run(("a\0b",)), Refused, "null byte"),
    ],
)
def test_a_program_that_cannot_be_started_says_why(perform, effect, fault, why):
    """A missing program, a missing folder, one that may not be run."""
    with pytest.raises(fault, match=why):
        perform(effect)


def test_a_failed_start_leaves_no_folder(perform, monkeypatch, tmp_path):
    """The fresh folder goes even if nobody moved in."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(NotFound):
        perform(Run(("no-such-program",)))

    assert [] == list(tmp_path.glob("capacity-*"))


# --- children that do not end -----------------------------------------------------------------


def test_a_child_that_never_answers_is_ended(perform, pids):
    """At its time-out a program is killed and reaped."""
    with pytest.raises(TimedOut, match="no end within 1 s"):
        perform(Run(script(f"import os, time\n{pids.note}\ntime.sleep(60)"), timeout=timedelta(seconds=1)))

    assert [True] == [reaped(pid) for pid in pids()]


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_child_that_asks_for_somebody_is_ended_at_once(perform, pids, stream):
    """What it said up to then is the answer, be it half a line, on either stream; nobody waits for the time-out."""
    code = (
        f"import os, sys, time\n{pids.note}\nsys.{stream}.write('who are you? '); sys.{stream}.flush()\ntime.sleep(60)"
    )
    done = perform(Run(script(code), timeout=LONG * 3, until=(b"no such text", b"who are you?")))

    assert b"who are you? " == getattr(done, stream)
    assert -signal.SIGTERM == done.code
    assert [True] == [reaped(pid) for pid in pids()]


def test_a_child_that_never_asks_runs_to_its_end(perform):
    """A text that ends a program changes nothing where it is not said."""
    done = perform(Run(script("print('out')"), until=(b"who are you?",)))

    assert (0, b"out\n") == (done.code, done.stdout)


STUBBORN = {
    "ignores SIGTERM": "signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True)",
    "is stopped": "print('ready', flush=True); os.kill(os.getpid(), signal.SIGSTOP)",
    "floods": "print('ready', flush=True)\nwhile True: print('x' * 4096)",
}


@pytest.mark.parametrize("habit", STUBBORN)
def test_a_child_that_will_not_end_is_ended(host, pids, habit):
    """Whatever it does against that."""

    async def flow():
        await Hear(await Start(script(f"import os, signal, time\n{pids.note}\n{STUBBORN[habit]}\ntime.sleep(60)")))

    run(flow(), deadline=LONG, host=host)

    assert [True] == [reaped(pid) for pid in pids()]


def test_a_child_may_leave_by_itself(host, tmp_path):
    """It is asked before it is killed: a program that puts its things away is given the time."""
    left = tmp_path / "left"
    code = (
        "import os, signal, time\n"
        f"signal.signal(signal.SIGTERM, lambda *_: (os.mkdir({str(left)!r}), os._exit(0)))\n"
        "print('ready', flush=True)\ntime.sleep(60)"
    )

    async def flow():
        await Hear(await Start(script(code)))

    run(flow(), deadline=LONG, host=host)

    assert left.exists()


MARKED = not Path("/proc/self/environ").exists()
"""Whether a grandchild that left the group is still there: only where the system shows no environments."""


def settled(pids):
    """Whether what left the group comes to what it should, within some seconds: it is looked for beside the flow."""
    end = time.monotonic() + 10
    while [MARKED] != [alive(pid) for pid in pids()]:
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


FORKED = (
    "import os, time\nready, told = os.pipe()\n"
    "if os.fork() == 0:\n    {detach}\n    {note}\n    os.write(told, b'1')\n    time.sleep(60)\n"
    "os.read(ready, 1)\nprint('said', flush=True)\ntime.sleep({wait})"
)
"""A child with a grandchild that keeps its pipes; it speaks when the grandchild is there."""


@pytest.mark.parametrize("wait", [0, 60])
def test_the_group_of_a_child_ends_with_it(host, pids, wait):
    """A grandchild in its group is killed when the child has ended, and when it is."""

    async def flow():
        code = script(FORKED.format(detach="pass", note=pids.note, wait=wait))
        return (await Hear(await Start(code))).text if wait else (await Run(code)).stdout

    assert run(flow(), deadline=LONG, host=host) in {"said", b"said\n"}
    assert [True] == [ends(pid) for pid in pids()]


@pytest.mark.parametrize("wait", [0, 60])
def test_a_grandchild_that_holds_the_pipe_holds_nobody(perform, pids, wait):
    """In a session of its own it is not of the group; nobody waits for it, and it is ended by its mark."""
    code = script(FORKED.format(detach="os.setsid()", note=pids.note, wait=wait))
    before = descriptors()
    if wait:
        with pytest.raises(TimedOut):
            perform(Run(code, timeout=timedelta(seconds=1)))
    else:
        assert b"said\n" == perform(Run(code)).stdout

    assert settled(pids)
    assert not leaks(before)


@pytest.mark.parametrize("pipe", ["stdout", "stderr"])
def test_a_flood_is_cut_off(perform, pids, pipe):
    """Beyond its cap nobody listens, and the child ends."""
    code = f"import os, sys\n{pids.note}\nwhile True: sys.{pipe}.write('x' * 4096)"
    with pytest.raises(TooLarge, match="said more than 100000 bytes"):
        perform(Run(script(code), cap=100_000))

    (pid,) = pids()
    assert reaped(pid)


@pytest.mark.parametrize(("size", "fits"), [(1000, True), (1001, False)])
def test_the_cap_is_exact(perform, size, fits):
    """As many bytes as the effect says, and not one more."""
    effect = Run(script(f"print('x' * {size}, end='')"), cap=1000)
    if fits:
        assert b"x" * size == perform(effect).stdout
    else:
        with pytest.raises(TooLarge):
            perform(effect)


# --- conversations ----------------------------------------------------------------------------


def test_a_conversation(host):
    """Lines go both ways, and a line needs no newline."""

    async def flow():
        child = await Start(script(ECHO))
        heard = []
        for word in ("one", "zwei", "三"):
            said = await Say(child, word)
            heard.append((await Hear(child)).text)
        return child.at <= said.at, heard

    assert (True, ["heard one", "heard zwei", "heard 三"]) == run(flow(), deadline=LONG, host=host)


def test_two_children_are_told_apart(host):
    """Each answers for itself."""

    async def flow():
        children = [await Start(script(f"print({number})")) for number in (1, 2)]
        return [(await Hear(child)).text for child in reversed(children)]

    assert ["2", "1"] == run(flow(), deadline=LONG, host=host)


def test_the_last_line_needs_no_end(host):
    """What a child said before it ended is heard, and then that it ended, and how."""

    async def flow():
        child = await Start(script("import sys; sys.stdout.write('a\\r\\n\\nb'); sys.exit(3)"))
        heard = [(await Hear(child)).text for _ in range(3)]
        with pytest.raises(Ended, match="it ended with exit code 3"):
            await Hear(child)
        return heard

    assert ["a", "", "b"] == run(flow(), deadline=LONG, host=host)


def test_a_closed_pipe_is_an_end(host):
    """A child that only stops speaking has ended its conversation."""

    async def flow():
        child = await Start(script("import os, time; os.close(1); time.sleep(60)"))
        with pytest.raises(Ended, match="it closed its pipe"):
            await Hear(child)

    run(flow(), deadline=LONG, host=host)


def test_nobody_talks_to_the_dead(host):
    """`Say` to a child that has ended is a fault, every time."""

    async def flow():
        child = await Start(script("pass"))
        with pytest.raises(Ended):
            await Hear(child)
        for _ in range(2):
            with pytest.raises(Ended, match="it ended with exit code 0"):
                await Say(child, "hello")

    run(flow(), deadline=LONG, host=host)


def test_a_dead_child_is_dead_though_a_grandchild_holds_its_pipes(host, pids):
    """Neither `Hear` nor `Say` takes the one for the other."""
    code = FORKED.format(detach="os.setsid()", note=pids.note, wait=0)

    async def flow():
        child = await Start(script(code))
        heard = (await Hear(child)).text
        with pytest.raises(Ended, match="exit code 0"):
            await Hear(child)
        with pytest.raises(Ended, match="exit code 0"):
            await Say(child, "hello")
        return heard

    assert "said" == run(flow(), deadline=LONG, host=host)
    assert settled(pids)


def test_a_silent_child_is_timed_out_and_may_speak_later(host):
    """A half line is no line, and is not lost."""

    async def flow():
        code = "import sys\nprint('ha', end='', flush=True)\nsys.stdin.readline()\nprint('lf')"
        child = await Start(script(code))
        with pytest.raises(TimedOut, match=r"no line within 0\.2 s"):
            await Hear(child, timeout=SHORT)
        await Say(child, "go on")
        return (await Hear(child)).text

    assert "half" == run(flow(), deadline=LONG, host=host)


def test_a_child_that_does_not_listen_is_timed_out(host):
    """A pipe that is full stays full."""

    async def flow():
        child = await Start(script("import time; time.sleep(60)"))
        with pytest.raises(TimedOut, match="no ear for a line"):
            await Say(child, "x" * 10**6, timeout=SHORT)

    run(flow(), deadline=LONG, host=host)


def test_a_talkative_child_is_heard_up_to_its_cap(host):
    """Whole lines within the cap are answers, the rest is too much."""

    async def flow():
        child = await Start(script("while True: print('x' * 9)"), cap=25)
        heard = [(await Hear(child)).text for _ in range(2)]
        with pytest.raises(TooLarge):
            await Hear(child)
        return heard

    assert ["x" * 9] * 2 == run(flow(), deadline=LONG, host=host)


def test_a_line_holds_no_newline(host):
    """Two lines said as one is the flow's own fault."""

    async def flow():
        await Say(await Start(script(ECHO)), "a\nb")

    with pytest.raises(ValueError, match="holds no newline"):
        run(flow(), deadline=LONG, host=host)


def test_a_child_that_repeats_a_key_is_masked(host):
    """In its output, its complaints and its lines."""

    async def flow():
        env = {"KEY": Secret("sk-0123456789")}
        done = await Run(
            script("import os, sys; sys.stderr.write(os.environ['KEY']); print(os.environ['KEY'])"), env=env
        )
        child = await Start(script("import os; print(os.environ['KEY'])"), env=env)
        return done.stdout, done.stderr, (await Hear(child)).text

    assert (b"***\n", b"***", "***") == run(flow(), deadline=LONG, host=host)


# --- nothing is left --------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["returns", "raises", "is late"])
def test_a_flow_leaves_no_child(host, pids, ending):
    """However it ends: children are gone by number, pipes and folders with them."""
    folder = []

    async def flow():
        code = f"import os, time\n{pids.note}\nprint(os.getcwd(), flush=True)\ntime.sleep(60)"
        child = await Start(script(code))
        folder.append((await Hear(child)).text)
        if ending == "raises":
            raise ValueError("mine")
        if ending == "is late":
            await Pause(timedelta(hours=1))

    before = descriptors()
    got = run_all({"a": (flow(), timedelta(seconds=1) if ending == "is late" else LONG)}, host=host)["a"]

    assert {"returns": "NoneType", "raises": "ValueError", "is late": "TimedOut"}[ending] == type(got).__name__
    assert [True] == [reaped(pid) for pid in pids()]
    assert not Path(folder[0]).exists()
    assert not leaks(before)


def test_a_cancelled_flow_leaves_no_child(host, pids):
    """Not even one that will not leave, and not though the driver is cancelled again while it lets go."""
    code = (
        f"import os, signal, time\nsignal.signal(15, signal.SIG_IGN)\n{pids.note}\nprint(1, flush=True)\ntime.sleep(60)"
    )
    started = asyncio.Event()

    async def flow():
        await Hear(await Start(script(code)))
        started.set()
        await Run(script("import time; time.sleep(60)"))

    async def main():
        task = asyncio.create_task(arun(flow(), deadline=LONG, host=host))
        await started.wait()
        for _ in range(3):
            task.cancel()
            await asyncio.sleep(0.02)
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(main())
    assert [True] == [ends(pid) for pid in pids()]


def test_children_of_flows_side_by_side(host):
    """Many children at once, none of which waits for another's end."""

    async def flow(number):
        return (await Run(script(f"import time; time.sleep(0.1); print({number})"))).stdout

    got = run_all({str(number): (flow(number), LONG) for number in range(12)}, host=host)

    assert {str(number): b"%d\n" % number for number in range(12)} == got


def test_faults_carry_no_secret(perform):
    """Neither a program that cannot be started nor one that is late says what it was given."""
    for argv in (("no-such-program",), script("import time; time.sleep(60)")):
        with pytest.raises(WireError) as error:
            perform(Run(argv, env={"KEY": Secret("sk-0123456789")}, timeout=SHORT))
        assert "0123456789" not in repr(error.value)
