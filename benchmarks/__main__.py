"""All of our own benchmarks, one after another. Peers are measured by hand: they have to be installed first."""

from __future__ import annotations

import runpy
import sys

for name in ("assess", "choose", "classify", "decide", "imports", "store", "tiers"):
    print(f"--- benchmarks.{name}", flush=True)
    sys.argv = [f"benchmarks.{name}"]
    runpy.run_module(f"benchmarks.{name}", run_name="__main__")
