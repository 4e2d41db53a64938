"""Small distributions made for one test: as files on a path, or as a wheel that an installer takes."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from collections.abc import Mapping
from pathlib import Path

GOOD = """
class Reader:
    def readings(self, doc): return None
    def listing(self, doc): return None
    def failure(self, doc): return None


class Prober:
    budget = None
    async def account(self): return "x"
    async def probe(self): return ()


def reader():
    return Reader()


def prober(*, credentials=None, base_url="http://127.0.0.1", retries=1):
    if not base_url.startswith("http"):
        raise ValueError(f"base_url {base_url!r} is no address")
    return Prober()
"""
"""A module that offers a reader and a prober."""


def contents(
    name: str, entries: Mapping[str, Mapping[str, str]], modules: Mapping[str, str], version: str
) -> dict[str, str]:
    """Path → text of what an installed distribution consists of.

    Args:
        name: of the distribution.
        entries: entry-point group → name → object.
        modules: module → source.
        version: of the distribution.
    """
    home = f"{name.replace('-', '_')}-{version}.dist-info"
    groups = [
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in made.items()) for group, made in entries.items()
    ]
    return {
        **{f"{module}.py": source for module, source in modules.items()},
        f"{home}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{home}/entry_points.txt": "\n".join(groups),
        f"{home}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }


def install(
    folder: Path, name: str, entries: Mapping[str, Mapping[str, str]], modules: Mapping[str, str], version: str = "1.0"
) -> None:
    """Put a distribution where an installer would, in a folder that is on the path."""
    for path, text in contents(name, entries, modules, version).items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def wheel(
    folder: Path, name: str, entries: Mapping[str, Mapping[str, str]], modules: Mapping[str, str], version: str = "1.0"
) -> Path:
    """Build a wheel."""
    files = contents(name, entries, modules, version)
    stem = f"{name.replace('-', '_')}-{version}"
    record = "".join(f"{path},sha256={_digest(text)},{len(text.encode())}\n" for path, text in files.items())
    built = folder / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(built, "w") as archive:
        for path, text in {**files, f"{stem}.dist-info/RECORD": f"{record}{stem}.dist-info/RECORD,,\n"}.items():
            archive.writestr(path, text)
    return built


def _digest(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
