"""Where a local model is, and what that says against running on it."""

from __future__ import annotations

import pytest
from attrs import evolve

from capacity import Model
from capacity.values.decision import Verdict

from .build import decided, inventory, place, policy


def verdict(residency: str | None, *, kind: str = "local", prepare: tuple[str, ...] | bool = ()) -> Verdict:
    """The verdict on the model of the pool `box`, in that residency."""
    rules = policy()
    box = evolve(rules.pools["box"], kind=kind, prepare=prepare)
    model = Model("box-small-9", residency=residency, context=16_000)  # type: ignore[arg-type]  # a word of the value
    made = decided(rules=evolve(rules, pools={**rules.pools, "box": box}), stock=inventory({"box": (model,)}))
    return dict(made.answers(0))[place("box-small-9")]


@pytest.mark.parametrize(
    ("residency", "prepare", "answer"),
    [
        ("resident", (), "yes"),
        ("sleeping", (), "yes"),
        ("loading", (), "wait"),
        ("loadable", (), "no"),
        ("failed", (), "no"),
        ("absent", (), "no"),
        ("loadable", ("load",), "wait"),
        ("failed", ("load",), "wait"),
        ("loadable", True, "wait"),
        ("loadable", False, "no"),
        ("absent", True, "no"),
        (None, (), "cannot-tell"),
        (None, ("load",), "cannot-tell"),
    ],
)
def test_residency_is_waited_for_refused_or_unknown(
    residency: str | None, prepare: tuple[str, ...] | bool, answer: str
) -> None:
    """What serves is a place; what could be loaded is waited for where the policy says how; unknown is neither."""
    assert answer == verdict(residency, prepare=prepare).answer


def test_a_model_that_is_nobodys_own_has_no_residency() -> None:
    """Outside a local pool nothing is loaded, and nobody needs to tell."""
    assert "yes" == verdict(None, kind="subscription").answer
