"""Six steps, in their order; nothing is taken for being similar."""

from __future__ import annotations

from datetime import timedelta

import pytest

from capacity import Inventory, Model
from capacity.core.tiering.names import Names, bare, harness_name, newest, signature
from capacity.values.evidence import Alias
from capacity.values.rankings import KnownModel

from .scene import DAY, NOW, answer, inventory


def names(*known: str | KnownModel, listed: Inventory | None = None, said: tuple[Alias, ...] = ()) -> Names:
    """A resolver that knows these models of a catalogue."""
    models = tuple(one if isinstance(one, KnownModel) else KnownModel(one) for one in known)
    return Names(listed or Inventory(NOW), [answer(known=models)], said)


def alias(name: str, means: str, ago: timedelta = DAY, since: timedelta | None = None) -> Alias:
    return Alias("model", name, means, "ann", NOW - ago, None if since is None else NOW - since)


@pytest.mark.parametrize(
    ("name", "found", "step"),
    [
        ("Sample Large", "sample-large-2", "operator"),
        ("sample-large-2", "sample-large-2", "inventory"),
        ("maker/sample-swift-5", "maker/sample-swift-5", "catalogue"),
        ("swift", "maker/sample-swift-5", "alias"),
        ("Sample 5 Swift", "maker/sample-swift-5", "signature"),
        ("sample-huge-9", None, "unresolved"),
    ],
)
def test_each_step_is_told(name: str, found: str | None, step: str) -> None:
    """Operator, inventory, catalogue, alias, signature, unresolved: the first that knows it decides."""
    known = KnownModel("maker/sample-swift-5", aliases=("swift",))
    meaning = names(known, listed=inventory("sample-large-2"), said=(alias("sample large", "sample-large-2"),)).meaning(
        name
    )

    assert (found, step) == (meaning.model, meaning.step)


@pytest.mark.parametrize(
    "name",
    [
        "sample-4-5-large", "sample-large-4-5", "sample-large-4-5-20250929", "maker/sample-large-4-5", "sample-large-4.5",
        "Sample 4.5 Large (20250929)", "us.maker.sample-large-4-5-v1:0", "cloud/sample-large-4-5@default",
        "sample-large-4.5:free", "https://hub.example/maker/sample-large-4.5",
    ],
)  # fmt: skip  # one spelling each
def test_the_spellings_of_one_model(name: str) -> None:
    """Order of words, provider, region, date, tail and the sign between version numbers make no other model."""
    assert "sample-large-4-5" == names("sample-large-4-5").meaning(name).model


def test_a_trailing_nought_is_no_other_version() -> None:
    """Four and four point nought are one; four and forty are not."""
    assert signature("large-4-0") == signature("large-4") != signature("large-40")


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("kimi-k2-thinking", "kimi-k2"),
        ("kimi-k2", "kimi-k2-thinking"),
        ("qwen-max", "qwen"),
        ("gpt-codex-max", "gpt-codex"),
        ("sample-mini-3", "sample-3"),
        ("sample-preview-05-06", "sample-preview-06-05"),
        ("sample-large-4-6", "sample-large-4-5"),
    ],
)
def test_what_is_only_similar_is_listed_and_never_guessed(name: str, known: str) -> None:
    """A mode, an effort or a snapshot may be part of a name: without an answer nobody knows, and the near one is shown."""
    resolver = names(known)

    assert None is resolver.meaning(name).model
    assert (known,) == resolver.nearest(name)


def test_a_name_that_several_models_fit_is_unresolved() -> None:
    """Two dated snapshots, and a name without a date: neither is taken."""
    resolver = names("sample-4-20250101", "sample-4-20250601")

    assert None is resolver.meaning("sample 4").model
    assert "sample-4-20250601" == resolver.meaning("Sample 4 (2025-06-01)").model


def test_an_effort_in_brackets_is_told_as_one() -> None:
    """What stands in brackets is no part of the name."""
    meaning = names("sample-4").meaning("Sample 4 (high)")

    assert ("sample-4", "high") == (meaning.model, meaning.effort)


def test_a_trailing_effort_is_one_only_where_the_model_takes_it() -> None:
    """The list of the model's own efforts says what its last word is."""
    listed = inventory(Model("sample-4", efforts=("low", "max")), Model("other-4", efforts=("low",)))

    assert ("sample-4", "max") == (lambda told: (told.model, told.effort))(names(listed=listed).meaning("Sample-4_max"))
    assert None is names(listed=listed).meaning("other-4-max").model


def test_a_model_goes_by_the_id_that_can_be_run() -> None:
    """A catalogue's id, its alias and the dated snapshot end at what the inventory lists."""
    listed = inventory("sample-large-4-5-20250929")
    known = KnownModel("sample-large-4-5"), KnownModel("shop/big", aliases=("sample-large-4-5-20250929",))
    found = {names(*known, listed=listed).meaning(name).model for name in ("sample-large-4-5", "shop/big", "big")}

    assert {"sample-large-4-5-20250929"} == found


def test_the_newest_answer_counts() -> None:
    """An operator may change their mind; what was said before is kept and does not count."""
    said = alias("it", "first", 3 * DAY), alias("IT", "second", DAY)

    assert "second" == names(said=said).meaning("it").model
    assert "second" == newest(reversed(said), "model")["it"].means


def test_when_a_name_was_re_pointed_is_told() -> None:
    """By the operator or by the catalogue; the later of the two."""
    known = KnownModel("sample-4", changed_at=NOW - 9 * DAY)

    assert NOW - 9 * DAY == names(known).meaning("sample-4").since
    assert NOW - 2 * DAY == names(known, said=(alias("sample-4", "sample-4", DAY, 2 * DAY),)).meaning("sample-4").since


@pytest.mark.parametrize(
    ("told", "means"),
    [
        ("Claude Code", "claude"),
        ("claude-code", "claude"),
        ("Codex", "codex"),
        ("CODEX CLI", "codex"),
        ("Some Tool 2", "some-tool-2"),
    ],
)
def test_a_harness_goes_by_the_policys_name(told: str, means: str) -> None:
    """Where the policy has one; else by the board's own word."""
    assert means == harness_name(told, ("claude", "codex"), {})


def test_a_policy_may_call_a_harness_as_the_board_does() -> None:
    """Its own name comes before the usual one, and an operator's answer before both."""
    said = {"claude code": Alias("harness", "Claude Code", "mine", "ann", NOW)}

    assert "claude-code" == harness_name("Claude Code", ("claude", "claude-code"), {})
    assert "mine" == harness_name("Claude Code", ("claude",), said)


def test_nothing_is_left_of_what_is_around_a_name() -> None:
    """Provider, region, tail and brackets go."""
    assert "sample-large-4-5" == bare("EU.maker.Sample-Large-4-5-v2:0 ")
