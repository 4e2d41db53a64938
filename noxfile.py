"""Every check of the house, one session each; `nox` alone runs them all.

The law of this file: a session prints what it runs, and what could not be run is said by name.
`nox -s bench` and `nox -s real` stand outside the default list; `nox -l` shows all of them.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nox

ROOT = Path(__file__).parent
PYTHONS = ("3.11", "3.12", "3.13")  # as the classifiers say; a test compares the two
RUNNING = "{}.{}".format(*sys.version_info[:2])
PLUGINS = sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))
SOURCES = ("src", *(f"plugins/{plugin.name}/src" for plugin in PLUGINS))
CI = os.environ.get("CI", "").lower() in {"1", "true", "yes"}
CLOSING = re.compile(r"(\d+ (passed|failed|skipped|errors?|deselected|xfailed|xpassed)|no tests ran)\b.* in [\d.]+s")
REAL = {"codex": ("CAPACITY_CODEX", "npm"), "llama-server": ("CAPACITY_LLAMA_SERVER", None)}
# program → the variable that names it, and what its tests install it with where it is missing

nox.needs_version = ">=2025.10.16"
nox.options.default_venv_backend = "uv"
nox.options.download_python = "never"
nox.options.error_on_external_run = True
# The tests come last, so that the closing line said once more at the end is that of the newest Python.
CHECKS = ["interpreters", "lint", "floors", "typing", "docs", "wheels"]
TESTS = ["tests_lowest", "tests"]
nox.options.sessions = [*CHECKS, *TESTS]
# Elsewhere than on the newest Python: without what takes long and hangs on no Python, and with the laws tried less hard.
LIGHTLY = ("-m", "not once")
PARALLEL = ("-n", str(min(4, os.cpu_count() or 1)), "--dist=loadfile")
LIGHT = {"HYPOTHESIS_PROFILE": os.environ.get("HYPOTHESIS_PROFILE", "dev")}

closing_lines: list[tuple[str, str]] = []
not_run: list[str] = []


# --- which Pythons there are ------------------------------------------------------------------


def answer(python: Path, version: str) -> Path | None:
    """Start this file; if it is a Python of this version, say where it really is. A pyenv shim may exist and refuse."""
    code = "import os, sys; print('%d.%d' % sys.version_info[:2]); print(os.path.realpath(sys._base_executable))"
    try:
        done = subprocess.run([python, "-I", "-c", code], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    said = done.stdout.splitlines()
    return Path(said[1]) if done.returncode == 0 and said[0] == version else None


def version_managers() -> list[Path]:
    """The folders in which pyenv and uv keep the Pythons they installed."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    share = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "uv/python"
    return [folder for folder in (pyenv, share) if folder.is_dir()]


def places(version: str) -> Iterator[Path]:
    """Where a Python may be: the one running, each folder on PATH, then what a version manager installed."""
    if version == RUNNING:
        yield Path(sys.executable)
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        yield Path(folder or ".") / f"python{version}"
    for folder in version_managers():
        for home in sorted(folder.glob(f"*{version}.*"), reverse=True):
            yield home / "bin" / f"python{version}"


def find(version: str) -> Path | None:
    """Find the first Python of this version that starts, if there is one."""
    answers = (answer(place, version) for place in places(version) if place.exists())
    return next((python for python in answers if python), None)


def offer(found: dict[str, Path | None]) -> None:
    """Put one folder in front of PATH that has the found Pythons under their plain names, for nox and uv."""
    shelf = ROOT / ".nox" / ".pythons"
    shelf.mkdir(parents=True, exist_ok=True)
    for version, python in found.items():
        link = shelf / f"python{version}"
        link.unlink(missing_ok=True)
        if python is not None:
            link.symlink_to(python)
    os.environ["PATH"] = os.pathsep.join([str(shelf), os.environ.get("PATH", "")])


FOUND = {version: find(version) for version in dict.fromkeys([*PYTHONS, RUNNING])}
HERE = [version for version, python in FOUND.items() if python]
offer(FOUND)


@nox.session(python=False)
def interpreters(session: nox.Session) -> None:
    """Say which Pythons the tests run on. Under CI one that a version manager could provide must be there."""
    for version, python in FOUND.items():
        session.log(f"Python {version}: {python or 'NOT FOUND, its tests are not run'}")
    missing = [version for version, python in FOUND.items() if python is None]
    if missing and CI and version_managers():
        session.error(f"Python {', '.join(missing)} is missing; install it with `pyenv install` or `uv python install`")


# --- running ----------------------------------------------------------------------------------


def sync(session: nox.Session, *groups: str) -> None:
    """Install what the lock says into the session's own environment: the core, and these groups."""
    wanted = [f"--group={group}" for group in groups]
    session.run_install(
        *("uv", "sync", "--quiet", "--locked", "--no-default-groups", *wanted),
        f"--python={session.virtualenv.location}",
        env={"UV_PROJECT_ENVIRONMENT": session.virtualenv.location},
    )


@contextmanager
def heard(name: str) -> Iterator[int]:
    """Pass a program's output on as it comes, and keep pytest's closing line for the end of the run."""
    reading, writing = os.pipe()

    def listen() -> None:
        with os.fdopen(reading, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                sys.stdout.write(line)
                sys.stdout.flush()
                if CLOSING.search(line):
                    closing_lines.append((name, line.rstrip()))

    listener = threading.Thread(target=listen)
    listener.start()
    try:
        yield writing
    finally:
        os.close(writing)
        listener.join()


def pytest(session: nox.Session, *arguments: str, env: dict[str, str] | None = None) -> None:
    """Run pytest in the session's environment."""
    colour = ["--color=yes"] if sys.stdout.isatty() else []
    with heard(session.name) as output:
        session.run("python", "-m", "pytest", *colour, *arguments, stdout=output, stderr=None, env=env)


@atexit.register
def close() -> None:
    """Close the run: each session's last line, what was not run, and the last closing line as pytest gave it."""
    if not closing_lines:
        return
    sys.stderr.flush()
    print("\nPytest closed with:")
    for name, line in closing_lines:
        print(f"  {name}: {line.strip('= ')}")
    for what in [*not_run, *(f"tests on Python {v}: no such interpreter here" for v, p in FOUND.items() if not p)]:
        print(f"  not run: {what}")
    print(closing_lines[-1][1], flush=True)


# --- the sessions -----------------------------------------------------------------------------


@nox.session
def lint(session: nox.Session) -> None:
    """Ruff: the rules, and the layout of the code."""
    sync(session, "lint")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")


@nox.session
def floors(session: nox.Session) -> None:
    """The floor plan: who may import whom."""
    sync(session, "lint", "plugins")
    session.run("lint-imports", "--no-cache")


@nox.session
def typing(session: nox.Session) -> None:
    """Mypy --strict on the library, each plugin, and what a third party would write against them."""
    sync(session, "lint", "test", "plugins")
    session.run("mypy", "--strict", *SOURCES, "typing_tests")


@nox.session(python=HERE)
def tests(session: nox.Session) -> None:
    """The tests, the plugins' tests, and every example of the documents, on each Python."""
    sync(session, "test", "plugins")
    if session.python == HERE[-1]:
        pytest(session, *(session.posargs or PARALLEL))
    else:
        lightly(session)


@nox.session(python=HERE[0])
def tests_lowest(session: nox.Session) -> None:
    """The tests on the oldest Python with the oldest dependencies that the metadata admits."""
    editable = [word for plugin in PLUGINS for word in ("-e", f"plugins/{plugin.name}")]
    session.run_install(
        *("uv", "pip", "install", "--quiet", "--resolution=lowest-direct"),
        *("-e", ".[cli,testing]", *editable, "--group=test"),
    )
    lightly(session)


def lightly(session: nox.Session) -> None:
    """Run what may come out differently on another Python, and say what is left out."""
    session.log(
        f"tests marked `once` run on Python {HERE[-1]} only; laws are tried with {LIGHT['HYPOTHESIS_PROFILE']!r}"
    )
    pytest(session, *LIGHTLY, *(session.posargs or PARALLEL), env=LIGHT)


@nox.session
def docs(session: nox.Session) -> None:
    """Build the documents; a broken link or a missing page is an error."""
    sync(session, "docs")
    session.run("sphinx-build", "-W", "-n", "--keep-going", "-q", "-b", "html", "docs", "docs/_build/html")


@nox.session
def wheels(session: nox.Session) -> None:
    """Build every wheel, install them where there is no source tree, and use them there."""
    built, bare = Path(session.create_tmp()) / "dist", Path(session.create_tmp()) / "bare"
    for folder in (built, bare):
        shutil.rmtree(folder, ignore_errors=True)
    session.run("uv", "build", "--quiet", "--all-packages", "--wheel", f"--out-dir={built.resolve()}")
    shutil.copytree(ROOT / "tests" / "wheels", bare / "tests" / "wheels")
    shutil.copy(ROOT / "conftest.py", bare)
    shutil.copy(ROOT / "pyproject.toml", bare)
    core = next(built.glob("capacity_core-*.whl"))
    alone(session, built, core)
    plugins = [str(wheel.resolve()) for wheel in sorted(built.glob("*.whl")) if wheel != core]
    session.install("--quiet", f"{core.resolve()}[cli,testing]", *plugins, "sybil")
    session.chdir(bare)
    pytest(session, "tests/wheels", *session.posargs)
    session.run("capacity", "demo")


def alone(session: nox.Session, built: Path, core: Path) -> None:
    """Each plugin by itself, with what it asks for and nothing else: it must not live on a neighbour."""
    command = ("uv", "run", "--quiet", "--no-project", "--isolated", f"--with={core.resolve()}")
    for plugin in PLUGINS:
        module = next((plugin / "src").glob("capacity_*")).name
        wheel = next(built.glob(f"{module}-*.whl")).resolve()
        code = f"import {module}; print('{module} by itself:', {module}.__file__)"
        session.run(*command, f"--with={wheel}", "python", "-I", "-c", code)


@nox.session(default=False)
def bench(session: nox.Session) -> None:
    """Measure. The figures to compare with are in benchmarks/README.md."""
    sync(session, "test", "plugins")
    session.run("python", "-m", "benchmarks", *session.posargs)


@nox.session(default=False)
def real(session: nox.Session) -> None:
    """The tests against programs that nobody here wrote; those whose program is missing are skipped, and say so."""
    sync(session, "test", "plugins", "real")
    pytest(session, "tests/real", *session.posargs)


def missing() -> Iterator[str]:
    """Say which programs are neither here nor quickly installed; the SDKs always are."""
    for program, (variable, installer) in REAL.items():
        here = os.environ.get(variable) or shutil.which(program) or (installer and shutil.which(installer))
        if not here:
            wanted = f", and no {installer} to install it with" if installer else ""
            yield f"real, of {program}: none on PATH, none named in {variable}{wanted}"


if os.environ.get("CAPACITY_REAL"):
    nox.options.sessions = [*CHECKS, "real", *TESTS]
    not_run.extend(missing())
else:
    not_run.append("real: ask for it with `nox -s real`, or CAPACITY_REAL=1")
