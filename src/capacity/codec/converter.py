"""The converter: attrs classes ↔ trees, strictly, with every fault gathered. Built on first use and then only read.

A class is told by its attributes, in the keys of `keys`. A few are told otherwise (`shapes`), and a decision refers to
its tables (`references`). A document also tells its form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cache, partial
from typing import Any, Literal, get_args, get_origin

import attrs
from cattrs import Converter
from cattrs.cols import is_frozenset, is_mapping
from cattrs.errors import ClassValidationError
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from capacity.codec import leaves, shapes
from capacity.codec.faults import Faulty, faults_of, gathered, misplaced
from capacity.codec.keys import keys_of
from capacity.codec.references import inconsistencies, referring, resolved
from capacity.errors import Fault
from capacity.values.choice import Choice
from capacity.values.conditions import Figure
from capacity.values.decision import Decision
from capacity.values.evidence import Alias
from capacity.values.failures import Failure, Stop
from capacity.values.history import History, Level
from capacity.values.leases import Lease, Settled
from capacity.values.limits import Headroom, Reading, Scope
from capacity.values.models import Inventory, Listing
from capacity.values.policy import Policy
from capacity.values.proposals import Proposal
from capacity.values.rankings import Rankings
from capacity.values.seats import Candidate
from capacity.values.tick import Snapshot, Tick
from capacity.values.tiers import TierSet

Tree = Any
Hook = Callable[..., Any]

FORM = 1
"""The form of every document written and read here."""

WORDS_OR_FLAG: Any = tuple[str, ...] | bool
"""The one annotation of a value that is told in two ways."""

DOCUMENTS: Mapping[str, type[Any]] = {
    "alias": Alias,
    "choice": Choice,
    "decision": Decision,
    "failure": Failure,
    "headroom": Headroom,
    "history": History,
    "inventory": Inventory,
    "lease": Lease,
    "level": Level,
    "listing": Listing,
    "policy": Policy,
    "proposal": Proposal,
    "rankings": Rankings,
    "reading": Reading,
    "settled": Settled,
    "snapshot": Snapshot,
    "stop": Stop,
    "tick": Tick,
    "tier-set": TierSet,
}
"""Name → class of what is kept or handed over by itself. It tells its form wherever it stands: same value, same bytes."""


READ: Mapping[type[Any], Hook] = {
    str: leaves.text,
    bool: leaves.flag,
    int: leaves.whole,
    float: leaves.number,
    Decimal: leaves.amount,
    datetime: leaves.instant,
    timedelta: leaves.span,
    Candidate: shapes.read_candidate,
    Scope: shapes.read_scope,
    Figure: shapes.read_figure,
}
WRITTEN: Mapping[type[Any], Hook] = {
    float: leaves.from_number,
    Decimal: str,
    datetime: leaves.from_instant,
    timedelta: leaves.from_span,
    Candidate: shapes.write_candidate,
    Scope: shapes.write_scope,
    Figure: shapes.write_figure,
}


@cache
def converter() -> Converter:
    """The converter of every text form."""
    made = Converter(forbid_extra_keys=True, detailed_validation=True)
    for cls, read in READ.items():
        made.register_structure_hook(cls, read)
    for cls, write in WRITTEN.items():
        made.register_unstructure_hook(cls, write)
    made.register_structure_hook_func(lambda hint: hint == WORDS_OR_FLAG, shapes.read_words_or_flag)
    made.register_structure_hook_factory(_is_literal, _literal)
    made.register_structure_hook_factory(_is_list, partial(_listed, made))
    made.register_structure_hook_factory(is_mapping, partial(_mapped, made))
    made.register_structure_hook_factory(attrs.has, partial(_reader, made))
    made.register_unstructure_hook_func(is_frozenset, sorted)
    made.register_unstructure_hook_factory(attrs.has, partial(_writer, made))
    return made


def _is_literal(hint: Any) -> bool:
    return get_origin(hint) is Literal


def _is_list(hint: Any) -> bool:
    return get_origin(hint) in (tuple, frozenset)


def _literal(hint: Any) -> Hook:
    words = get_args(hint)
    return lambda tree, _: leaves.one_of(tree, words)


def _listed(made: Converter, hint: Any) -> Hook:
    """Reads a list as a tuple or a frozen set of one kind of member."""
    kind, member = get_origin(hint), get_args(hint)[0]
    read = partial(_read, made.get_structure_hook(member), member)

    def hook(tree: Tree, _: Any) -> Any:
        if not isinstance(tree, list | tuple):
            raise misplaced(tree, "a list")
        return kind(gathered((index, read, inner) for index, inner in enumerate(tree)))

    return hook


def _mapped(made: Converter, hint: Any) -> Hook:
    """Reads a table of words, of a closed list or any, and one kind of value."""
    word, member = get_args(hint)
    named = partial(_read, made.get_structure_hook(word), word)
    read = partial(_read, made.get_structure_hook(member), member)

    def hook(tree: Tree, _: Any) -> Any:
        if not isinstance(tree, dict):
            raise misplaced(tree, "a table")
        if word is not str:
            gathered((key, named, key) for key in tree)
        return dict(zip(tree, gathered((key, read, inner) for key, inner in tree.items()), strict=True))

    return hook


def _read(hook: Hook, hint: Any, tree: Tree) -> Any:
    return hook(tree, hint)


def _reader(made: Converter, cls: type[Any]) -> Hook:
    """Reads a class from a table with its keys; what is one already stays as it is."""
    read: Hook = make_dict_structure_fn(cls, made, **_renamed(cls))
    if cls is Decision:
        read = partial(_read_decision, read, made.structure)
    if cls in DOCUMENTS.values():
        read = partial(_read_document, read)

    def hook(tree: Tree, _: Any) -> Any:
        if isinstance(tree, cls):
            return tree
        if not isinstance(tree, dict):
            raise misplaced(tree, "a table")
        return read(tree, cls)

    return hook


def _renamed(cls: type[Any]) -> Any:
    return {name: override(rename=key) for name, key in keys_of(cls).items()}


def _read_document(read: Hook, tree: dict[str, Tree], cls: type[Any]) -> Any:
    """Reads what tells its form. In another form every key may mean something else, so nothing more is looked at."""
    form = tree.get("form", FORM)
    if form != FORM or isinstance(form, bool):
        raise Faulty(Fault("form", f"{form!r} is not known here", f"this release reads form {FORM}"))
    missing = [] if "form" in tree else [Fault("form", "is missing", f"this release reads form {FORM}")]
    return _read_on(read, {key: inner for key, inner in tree.items() if key != "form"}, cls, missing)


def _read_decision(read: Hook, member: Hook, tree: dict[str, Tree], cls: type[Any]) -> Any:
    whole, faults = resolved(dict(tree), member)
    decision = _read_on(read, whole, cls, faults)
    astray = list(inconsistencies(decision))
    if astray:
        raise Faulty(*astray)
    return decision


def _read_on(read: Hook, tree: dict[str, Tree], cls: type[Any], faults: list[Fault]) -> Any:
    """Read on although there are faults, so that all of them are told at once."""
    try:
        value = read(tree, cls)
    except (Faulty, ClassValidationError) as error:
        raise Faulty(*faults, *faults_of(error)) from None
    if faults:
        raise Faulty(*faults)
    return value


def _writer(made: Converter, cls: type[Any]) -> Hook:
    """Writes a class as a table with its keys, all of them."""
    write: Hook = make_dict_unstructure_fn(cls, made, **_renamed(cls))
    if cls is Decision:
        return lambda value: {**referring(write(value)), "form": FORM}
    if cls in DOCUMENTS.values():
        return lambda value: {**write(value), "form": FORM}
    return write
