"""Every link between documents leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from . import house

LINK = re.compile(r"\]\(([^)\s]+)\)")
PAGES = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "plugins/*/*.md", "changelog.d/*.md", "benchmarks/*.md")
    for path in house.ROOT.glob(pattern)
    if "_build" not in path.parts
)


@pytest.mark.parametrize("page", PAGES, ids=house.short)
def test_links_lead_somewhere(page: Path) -> None:
    """A relative link names a file that exists."""
    links = [link.partition("#")[0] for link in LINK.findall(page.read_text(encoding="utf-8"))]
    inside = [link for link in links if link and "://" not in link and not link.startswith("mailto:")]

    assert [] == [link for link in inside if not (page.parent / link).exists()]
