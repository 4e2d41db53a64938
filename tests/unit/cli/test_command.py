"""The command line as such: what it loads, where its options stand, and how anything that happens ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from capacity.cli import app, main
from capacity.cli.call import Call
from capacity.cli.exits import Code, UsageFault, code_of
from capacity.errors import CapacityError, Fault, FormError, PluginError, PolicyError, StoreError, TimedOut

from .house import SAMPLES

READ = ["read", "deepseek", "--from", str(SAMPLES / "deepseek" / "balance_ok.json"), "--at", "2026-09-20T12:00:00Z"]


def child(*words: str, code: str = "", **options: Any) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own; with `code`, that is run instead."""
    argv = [sys.executable, *(["-c", code] if code else ["-m", "capacity.cli"]), *words]
    return subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60, **options)


def loaded_by(*words: str) -> set[str]:
    """The top-level modules a new process has loaded once the command has ended."""
    code = (
        "import sys; from capacity.cli import main; main(sys.argv[1:]);"
        "print(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    return set(child(*words, code=code).stderr.split())


# --- what it loads ------------------------------------------------------------------------------


def test_a_text_form_needs_no_rich() -> None:
    """Nor do words where nobody sits at a terminal; a recorded answer needs no client and no store either."""
    for words in (READ, [*READ, "--json"], ["plugins", "--json"], ["policy", "check", "--json"]):
        assert "rich" not in loaded_by(*words), words
    assert set() == loaded_by(*READ, "--json") & {"httpx", "sqlite3", "asyncio", "hypothesis", "pytest"}


def test_help_needs_no_rich() -> None:
    """It is plain text."""
    assert "rich" not in loaded_by("--help")


def test_without_the_extra_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One sentence, and 2."""
    monkeypatch.delitem(sys.modules, "capacity.cli.app")
    monkeypatch.setitem(sys.modules, "typer", None)

    assert 2 == main(["status"])
    assert (
        "",
        "capacity: the command needs more than the library; pip install 'capacity-core[cli]'\n",
    ) == capsys.readouterr()


def test_another_module_that_is_missing_is_no_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken installation is not told as a missing extra."""
    monkeypatch.delitem(sys.modules, "capacity.cli.app")
    monkeypatch.setitem(sys.modules, "capacity.cli.call", None)

    with pytest.raises(ModuleNotFoundError, match=r"capacity\.cli\.call"):
        main(["status"])


# --- words --------------------------------------------------------------------------------------


def test_common_options_stand_on_either_side(capsys: pytest.CaptureFixture[str]) -> None:
    """Before the command or behind it, with one meaning."""
    main(["--json", *READ])
    before = capsys.readouterr().out
    main([*READ, "--json"])

    assert before == capsys.readouterr().out
    assert before.startswith('{"account":null')


def test_the_nearer_option_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind the command before in front of it, and that before the environment."""
    for name in ("far", "near", "variable"):
        (tmp_path / name).write_text("version = 1\n", encoding="utf-8")
    seen = []
    monkeypatch.setattr(Call, "load_policy", lambda call: seen.append(call.policy_file.name) or fail())
    monkeypatch.setenv("CAPACITY_POLICY", str(tmp_path / "variable"))

    def fail() -> None:
        raise UsageFault("enough")

    far, near = (["--policy", str(tmp_path / name)] for name in ("far", "near"))
    for words in (["status"], [*far, "status"], [*far, "status", *near]):
        assert 2 == main(words)
    assert ["variable", "far", "near"] == seen


def test_the_store_has_its_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no option names it."""
    monkeypatch.setenv("CAPACITY_STORE", str(tmp_path / "mine.db"))

    assert 0 == main(["ticks"])
    assert (tmp_path / "mine.db").is_file()


@pytest.mark.parametrize(
    ("words", "near"),
    [
        (["stauts"], "did you mean: status?"),
        (["policy"], "did you mean: policy check, policy show, policy init?"),
        (["models", "chek", "x"], 'no reader "chek" is installed'),
        (["policy", "chek"], "did you mean: policy check"),
        (["zzz"], "there is no command 'zzz'"),
        (["read"], "capacity read: BACKEND is missing; `capacity read --help` tells how it is called"),
        (["status", "POOL"], "capacity status: nothing may follow, but 'POOL' does; `capacity status --help` tells"),
        (["explain", "a", "b", "c"], "capacity explain: nothing may follow, but 'c' does; "),
        (
            ["status", "--jsn"],
            "capacity status: there is no option --jsn; did you mean --json? `capacity status --help`",
        ),
        (["stop", "what", "x"], "'what' is not one of 'pool', 'backend', 'candidate'; `capacity stop --help`"),
        (["status", "--nonsense"], "capacity status: there is no option --nonsense; "),
        (["watch", "--times", "0"], "capacity watch: --times must be greater than or equal to 1; "),
        (["read", "claude", "--from", "x", "--status", "many"], "--status must be a valid integer; "),
    ],
)
def test_a_slip_of_the_tongue_is_helped(words: list[str], near: str, capsys: pytest.CaptureFixture[str]) -> None:
    """2, on standard error, in one line with what was meant."""
    assert 2 == main(words)
    out, err = capsys.readouterr()
    assert ("", 1) == (out, err.count("\n"))
    assert err.startswith("capacity")
    assert near in err


def test_help_is_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    """Every command with its first sentence, and every exit code with its meaning; each command by itself."""
    assert 0 == main(["--help"])
    out = capsys.readouterr().out
    assert [] == [name for name in app.COMMANDS if f"\n  {name} " not in out]
    assert "Exit codes: 0 fine; 1 failed" in out
    for name in app.COMMANDS:
        assert 0 == main([*name.split(), "--help"])
        assert f"Usage: capacity {name} " in capsys.readouterr().out


def test_it_tells_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    """The core's and every plugin's, by distribution."""
    assert 0 == main(["--version"])
    assert {"capacity-claude", "capacity-core"} <= {line.split()[0] for line in capsys.readouterr().out.splitlines()}


# --- ends ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageFault("x"), Code.USAGE),
        (FormError("x", (Fault("", "y"),)), Code.USAGE),
        (PolicyError("x", (Fault("", "y"),)), Code.USAGE),
        (PluginError("x"), Code.USAGE),
        (StoreError("x"), Code.FAILED),
        (TimedOut("x", "y"), Code.FAILED),
        (CapacityError("x"), Code.FAILED),
    ],
)
def test_an_error_has_its_code(error: CapacityError, code: Code) -> None:
    """What the operator can mend by writing otherwise, and everything else."""
    assert code == code_of(error)


def ending(monkeypatch: pytest.MonkeyPatch, error: BaseException, *words: str) -> int:
    """The code of a command in which something happens."""

    def failing(_: Call) -> Any:
        raise error

    monkeypatch.setattr(Call, "load_policy", failing)
    return main(["status", *words])


def test_one_fault_is_one_line_and_several_are_several(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each fault can be read by itself."""
    faults = (Fault("a.b", "is odd", "make it even"), Fault("c", "is missing"))
    assert 2 == ending(monkeypatch, PolicyError("p.toml", faults[:1]))
    assert "capacity: p.toml: a.b: is odd (make it even)\n" == capsys.readouterr().err
    assert 2 == ending(monkeypatch, PolicyError("p.toml", faults))
    assert "capacity: p.toml has 2 faults:\n  a.b: is odd (make it even)\n  c: is missing\n" == capsys.readouterr().err


def test_an_unexpected_error_is_a_sentence(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """1, without a traceback and without what may be a secret; `--debug` adds the traceback."""
    error = KeyError("sk-abcdefghijklmnop-0123456789")
    assert 1 == ending(monkeypatch, error)
    out, err = capsys.readouterr()
    assert ("", 1) == (out, err.count("\n"))
    assert "unexpected KeyError" in err
    assert "--debug" in err
    assert "0123456789" not in err

    assert 1 == ending(monkeypatch, ZeroDivisionError("x"), "--debug")
    assert "Traceback" in capsys.readouterr().err


def test_an_interrupt_is_130(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """As shells have it; nothing is said."""
    assert 130 == ending(monkeypatch, KeyboardInterrupt())
    assert "" == capsys.readouterr().out


def test_whoever_stops_reading_is_no_failure() -> None:
    """A pipe that is closed before anything is written: no traceback, and the code is what it would have been."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        for words in (READ, [*READ, "--json"], ["plugins"]):
            done = subprocess.run(
                [sys.executable, "-m", "capacity.cli", *words], stdout=writing, stderr=subprocess.PIPE, check=False
            )
            assert (0, b"") == (done.returncode, done.stderr)
    finally:
        os.close(writing)


def test_a_stream_that_knows_few_signs_gets_its_sentence() -> None:
    """In ASCII a sign it does not know is spelt out."""
    environ = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = child("models", "check", "claude", "größer", "--from", READ[3], env=environ)

    assert 3 == done.returncode
    done = child("read", "claude", "--from", "größe.json", env=environ)
    assert 2 == done.returncode
    assert "gr\\xf6\\xdfe.json" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a file that is always full")
def test_an_answer_that_cannot_be_written_is_a_sentence() -> None:
    """Where it goes is full, and nothing unexpected happened."""
    with Path("/dev/full").open("w") as full:
        argv = [sys.executable, "-m", "capacity.cli", "plugins", "--json"]
        done = subprocess.run(argv, stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    assert (1, "capacity: the answer cannot be written where it goes: No space left on device\n") == (
        done.returncode,
        done.stderr,
    )
