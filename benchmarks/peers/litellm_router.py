"""LiteLLM's Router picking one of N deployments, in the way that costs it least here.

    pip install litellm
    LITELLM_LOCAL_MODEL_COST_MAP=True python -m benchmarks.peers.litellm_router

It answers which deployment, without reasons. The router is built before the watch starts; what building takes is told
beside. CPU microseconds, median of 400 calls.
"""

from __future__ import annotations

import os
import statistics
import time
from typing import Any

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
MESSAGES = [{"role": "user", "content": "hello"}]
STRATEGIES = ("simple-shuffle", "least-busy")


def deployments(count: int) -> list[dict[str, Any]]:
    """So many deployments of one group, none of which is ever called."""
    params = {"api_key": "invented", "api_base": "http://127.0.0.1:9", "rpm": 1_000}
    return [
        {"model_name": "group", "litellm_params": {"model": f"openai/model-{number}", **params}}
        for number in range(count)
    ]


def measure(count: int, strategy: str) -> tuple[float, float]:
    """(microseconds per pick, milliseconds to build) for a group of that size."""
    from litellm import Router

    start = time.process_time()
    router = Router(model_list=deployments(count), routing_strategy=strategy)
    built = time.process_time() - start
    spent = []
    for _ in range(400):
        start = time.process_time()
        router.get_available_deployment(model="group", messages=MESSAGES, request_kwargs={})
        spent.append(time.process_time() - start)
    return statistics.median(spent) * 1e6, built * 1e3


def main() -> None:
    """Measure, and print a table."""
    for strategy in STRATEGIES:
        for count in (5, 50, 500):
            pick, built = measure(count, strategy)
            print(f"litellm {strategy}, {count:>3} deployments: {pick:.0f} us a pick, {built:.0f} ms to build")


if __name__ == "__main__":
    main()
