"""`plugins new`: what it writes, what it refuses, and that it never writes over anything."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from capacity.cli import main
from capacity.cli.making import _bound

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def told(folder: Path, name: str) -> dict[str, object]:
    return tomllib.loads((folder / name).read_text(encoding="utf-8"))


def test_a_plugin_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    """Distribution, module and entry name follow from one word, and what to do next is said."""
    assert 0 == main(["plugins", "new", "my-toy"])
    folder = Path("capacity-my-toy")
    project = told(folder, "pyproject.toml")["project"]

    assert isinstance(project, dict)
    assert "capacity-my-toy" == project["name"]
    assert {"readers", "probers", "inventories"} == {
        group.removeprefix("capacity.") for group in project["entry-points"]
    }
    assert {"my-toy": "capacity_my_toy:prober"} == project["entry-points"]["capacity.probers"]
    assert (folder / "src" / "capacity_my_toy" / "py.typed").read_bytes() == b""
    assert "pip install --no-deps -e ." in capsys.readouterr().out


def test_no_word_of_the_skeleton_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    """Every file is filled in, and listed in the text form."""
    assert 0 == main(["plugins", "new", "toy", "--to", "deep/er", "--json"])
    answer = json.loads(capsys.readouterr().out)
    found = {
        str(path.relative_to("deep/er")): path.read_text() for path in Path("deep/er").rglob("*") if path.is_file()
    }

    assert ("toy", "deep/er", sorted(found)) == (answer["plugin"], answer["folder"], answer["files"])
    assert [] == [path for path, text in found.items() if "$" in text]


def test_its_rules_are_ours() -> None:
    """What a plugin of this repository may not touch, a stranger's may not either."""
    main(["plugins", "new", "toy"])
    ours, theirs = told(ROOT / "plugins", "ruff.toml"), told(Path("capacity-toy"), "ruff.toml")

    assert _banned(ours) == _banned(theirs)


def _banned(rules: dict[str, object]) -> object:
    lint = rules["lint"]
    assert isinstance(lint, dict)
    return lint["flake8-tidy-imports"]["banned-api"]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("capacity-toy", 'call it "toy"'),
        ("Toy", "small letters"),
        ("my_toy", "small letters"),
        ("my--toy", "small letters"),
        ("../toy", "small letters"),
        ("deepseek", "capacity-deepseek"),
        ("core", "capacity-core, which is installed already"),
    ],
)
def test_a_name_that_cannot_be_is_refused(capsys: pytest.CaptureFixture[str], name: str, why: str) -> None:
    """With what to do instead, and nothing is written."""
    assert 2 == main(["plugins", "new", name])
    assert why in capsys.readouterr().err
    assert [] == list(Path().iterdir())


def test_nothing_is_written_over(capsys: pytest.CaptureFixture[str]) -> None:
    """A folder with something in it, or a file, is left as it is; an empty folder will do."""
    Path("file").write_text("mine")
    Path("full").mkdir()
    (Path("full") / "pyproject.toml").write_text("mine")
    Path("empty").mkdir()

    assert [2, 2, 0] == [main(["plugins", "new", "toy", "--to", to]) for to in ("file", "full", "empty")]
    assert ["mine", "mine"] == [Path("file").read_text(), (Path("full") / "pyproject.toml").read_text()]
    assert "name another folder with --to" in capsys.readouterr().err


def test_a_folder_that_cannot_be_made_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """Below a file there is no folder."""
    Path("file").write_text("mine")

    assert 2 == main(["plugins", "new", "toy", "--to", "file/below"])
    assert "file/below cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("version", "bound"), [("0.1.0", ">=0.1,<0.2"), ("0.10.3.dev1", ">=0.10,<0.11"), ("1.2", ">=1.2,<2")]
)
def test_it_is_bound_to_this_series(version: str, bound: str) -> None:
    """From the release that made it on, below the next that may break it."""
    assert bound == _bound(version)
