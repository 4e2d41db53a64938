"""`read`: every recorded answer is what is written down for it, and nothing else is ever a figure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from capacity.cli import main, reading
from capacity.codec import loads
from capacity.plugins import READERS, Plugin, Plugins
from capacity.ports import Reading
from capacity.testing.fakes import FakeReader

from .house import SAMPLES

FOLDERS = {"agy": "agy", "claude": "claude", "codex": "codex", "deepseek": "deepseek", "llama-cpp": "llamacpp"}
AT = {
    "usage_limits_scoped_exhausted.json": "2026-09-02T18:00:00Z",
    # screens of a terminal say a time of day; these are the moments the samples' page names
    "usage_tui_ansi_cr.txt": "2026-12-22T09:00:00Z",
    "usage_tui_bars_fable.txt": "2026-07-25T03:00:00Z",
    "usage_tui_compact_garbled.txt": "2026-02-11T20:00:00Z",
}
NOON = "2026-09-20T12:00:00Z"


def expected(backend: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SAMPLES / FOLDERS[backend] / "expected.json").read_text(encoding="utf-8"))
    return found


def samples() -> Iterator[Any]:
    for backend in FOLDERS:
        for name, told in expected(backend).items():
            yield pytest.param(backend, name, told["readings"], id=f"{backend}-{name}")


def holds(whole: Any, part: Any) -> bool:
    """Whether a text form holds everything that is written down, by attribute; instants and spans as they are there."""
    if isinstance(part, dict):
        return all(holds(whole[f"{key}_s" if key == "window" else key], inner) for key, inner in part.items())
    if isinstance(part, list):
        return len(part) == len(whole) and all(map(holds, whole, part))
    if isinstance(part, str) and part.endswith("Z"):
        return datetime.fromisoformat(part) == datetime.fromisoformat(whole)
    return bool(part == whole)


@pytest.mark.parametrize(("backend", "name", "readings"), list(samples()))
def test_a_sample_is_read_as_expected(
    backend: str, name: str, readings: list[Any] | None, capsys: pytest.CaptureFixture[str]
) -> None:
    """The readings written down, in their text form, under the backend's name; or nothing, "not mine" and 3."""
    file = str(SAMPLES / FOLDERS[backend] / name)
    code = main(["read", backend, "--from", file, "--at", AT.get(name, NOON), "--json"])
    out, err = capsys.readouterr()
    told = [json.loads(line) for line in out.splitlines()]

    assert (0 if readings else 3) == code
    assert bool(readings) is ("not mine" not in err)
    assert len(readings or ()) == len(told)
    for one, wanted in zip(told, readings or (), strict=True):
        assert isinstance(loads(Reading, json.dumps(one)), Reading)
        assert holds(one, {**wanted, "pool": "/".join(filter(None, [backend, wanted["pool"]]))})


@pytest.mark.parametrize("backend", FOLDERS)
def test_every_other_backends_samples_are_nobodys(backend: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A list of models, an error and another backend's answer end as not mine."""
    others = [path for other, folder in FOLDERS.items() if other != backend for path in (SAMPLES / folder).iterdir()]
    shared = {"usage_empty_object.json"}  # `{}` might be anybody's
    for path in sorted(others):
        code = main(["read", backend, "--from", str(path), "--at", NOON])
        if path.name not in shared:
            assert (3, "") == (code, capsys.readouterr().out), path


def hostile() -> Iterator[Any]:
    usage = (SAMPLES / "claude" / "usage_limits_list.json").read_bytes()
    yield pytest.param(b"", id="empty")
    yield pytest.param(usage[: len(usage) // 2], id="truncated")
    yield pytest.param(b"<!DOCTYPE html><html><body>502</body></html>", id="html")
    yield pytest.param(bytes(range(256)) * 64, id="binary")
    yield pytest.param(b"[" * 100_000, id="nested")
    yield pytest.param(b'{"five_hour":' * 100_000, id="nested-like-ours")
    yield pytest.param(b'{"five_hour":{"utilization":"NaN"}}', id="no-figure")


@pytest.mark.parametrize("backend", FOLDERS)
@pytest.mark.parametrize("asked", [None, "/api/oauth/usage", "/user/balance", "/slots"])
@pytest.mark.parametrize("body", list(hostile()))
def test_broken_input_is_never_a_figure(
    backend: str, asked: str | None, body: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever the body, and whatever it is said to answer: not mine, or a reading without a limit."""
    (tmp_path / "body").write_bytes(body)
    options = [] if asked is None else ["--asked", asked]
    code = main(["read", backend, "--from", str(tmp_path / "body"), "--json", *options])
    told = [loads(Reading, line) for line in capsys.readouterr().out.splitlines()]

    assert code == (0 if told else 3)
    assert {"unreachable", "unrecognised"} >= {one.state for one in told}
    assert [] == [limit for one in told for limit in one.limits]


def test_too_much_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Fifty megabytes end with 2, nothing on standard output, and one line."""
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(50 * 2**20)

    assert 2 == main(["read", "claude", "--from", str(tmp_path / "huge")])
    out, err = capsys.readouterr()
    assert ("", 1) == (out, err.count("\n"))
    assert "larger than 8 MiB" in err
    assert "`tail -c 1000000 FILE | capacity read ... --from -`" in err


def test_several_files_are_a_reading_each(capsys: pytest.CaptureFixture[str]) -> None:
    """One line a reading, in the order given, either way of giving them; one that is not mine takes no other down."""
    folder = SAMPLES / "deepseek"
    files = [str(folder / name) for name in ("balance_ok.json", "error_402.json", "balance_negative.json")]

    for words in (["--from", *files], [word for file in files for word in ("--from", file)]):
        assert 3 == main(["read", "deepseek", "--at", NOON, *words])
        out, err = capsys.readouterr()
        assert ["14.37", "-1.23"] == [line.split(" USD")[0].split()[-1] for line in out.splitlines()]
        assert ["capacity: not mine: the reader of deepseek does not take " + files[1]] == err.splitlines()


def test_a_reading_is_one_line_in_words(capsys: pytest.CaptureFixture[str], snapshot: Any) -> None:
    """What a person reads of every state and every kind of limit."""
    names = [
        ("claude", "usage_limits_list.json"), ("claude", "usage_429_block.http.txt"), ("claude", "credentials.json"),
        ("claude", "usage_empty_object.json"), ("deepseek", "balance_negative.json"), ("llama-cpp", "slots.json"),
        ("llama-cpp", "health_503.json"),
    ]  # fmt: skip  # read as pairs
    for backend, name in names:
        assert 0 == main(["read", backend, "--from", str(SAMPLES / FOLDERS[backend] / name), "--at", NOON])

    assert snapshot == capsys.readouterr().out


class Failing(FakeReader):
    """A reader that raises."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def readings(self, doc: Any) -> Any:
        raise self.error

    def listing(self, doc: Any) -> Any:
        raise self.error


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """From an error to the words that make a reader raise it."""
    (tmp_path / "body").write_bytes(b"{}")

    def words(error: Exception) -> list[str]:
        plugin = Plugin(READERS, "fake", "capacity-fake", "1.2", lambda: Failing(error))
        monkeypatch.setattr(reading, "load_plugins", lambda: Plugins([plugin]))
        return ["fake", "--from", str(tmp_path / "body"), "--at", NOON]

    return words  # type: ignore[return-value]  # a fixture without an end


@pytest.mark.parametrize("error", [ValueError("odd"), RecursionError("deep")])
def test_what_a_reader_cannot_read_is_unrecognised(
    failing: Any, error: Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where a parser gives up there is a reading that says so."""
    assert 0 == main(["read", *failing(error), "--json"])
    told = loads(Reading, capsys.readouterr().out)
    assert ("fake", "unrecognised", ()) == (told.pool, told.state, told.limits)


def test_a_listing_that_cannot_be_read_is_a_fault(failing: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """There is no listing that says "unrecognised": it ends with 2 and a sentence."""
    words = failing(ValueError("odd"))
    assert 2 == main(["models", *words])
    assert f"capacity: {words[2]}: the listing of fake cannot be read: ValueError: odd\n" == capsys.readouterr().err


@pytest.mark.parametrize("command", ["read", "models"])
def test_a_reader_that_breaks_its_contract_is_named(
    failing: Any, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Any other error is the plugin's fault, told in a line, without a traceback."""
    words = failing(KeyError("oops"))
    assert 2 == main([command, *words])
    out, err = capsys.readouterr()
    assert ("", f"capacity: {words[2]}: the reader of fake broke its contract: KeyError: 'oops'\n") == (out, err)


def test_a_backend_nobody_installed_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """With what to install, and the name that is nearest."""
    assert 2 == main(["read", "claud", "--from", "x"])
    assert 'no reader "claud" is installed (install capacity-claud; did you mean "claude"?)' in capsys.readouterr().err
