"""The policy file's sections about leases: what they say becomes the policy, and whatever is wrong is told at once."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from capacity.codec import dumps, load_policy, loads
from capacity.errors import FormError, PolicyError
from capacity.values.failures import HOLDS, Hold
from capacity.values.lanes import (
    BudgetWindow,
    Circuits,
    Deal,
    Lane,
    Lanes,
    Phrases,
    Pick,
    PoolBudget,
    Serving,
    Step,
    Watch,
)
from capacity.values.policy import Policy, Profile

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "policy-leases.md"

NAMED = """
version = 1
[tiers]
names = ["high", "mid", "low"]
[accounts.work]
plugin = "claude"
kind = "subscription"
[accounts.rack]
plugin = "llama-cpp"
kind = "local"
[accounts.agy]
plugin = "agy"
kind = "subscription"
pools = { one = {}, two = {} }
[harnesses.cli]
pools = ["work", "rack"]
"""

WHOLE = """
[profiles.private]
offline = true
[profiles.house]
egress = "lan"
allow = ["work"]
[profiles.own]
manual = true

[lanes]
default = "low"
agents = { plan = "high", "explore*" = "low", general = "inherit", "sort*" = "classifier" }
aliases = { low = "mid" }
points_tokens = 1000
step_tokens = 2000
cache_life_s = 60
roomy = 0.5

[[lanes.phrases]]
tier = "high"
any = ["load-bearing * wall"]
but = ["model of"]

[lanes.tiers.mid]
candidates = [{ pool = "work", model = "m" }, { harness = "cli", effort = "high" }]
local_share = 0.25
weights = { work = 2 }
fit = { m = 1.5 }
[[lanes.tiers.mid.fallback]]
candidates = [{ pool = "rack" }]
[[lanes.tiers.mid.fallback]]
candidates = [{ pool = "agy/one" }]
after_s = 9

[lanes.tiers.low]
local_share = "off"

[lanes.profiles.private]
candidates = [{ pool = "rack" }]

[lanes.classifier]
candidates = [{ pool = "rack" }]

[[deals]]
pool = "work"
multiplier = 0.5
model = "m"
start = "22:00"
end = "06:30"
zone = "Europe/Berlin"
since = 2026-01-01T00:00:00Z

[[deals]]
pool = "rack"
multiplier = 1

[budgets."agy/one"]
weights = { output = 5, cache_read = 0 }
shares = { review = 0.5, build = 0.5 }
reserve = 0.25
windows = [
  { name = "5h", length_s = 18000, ceiling = 500 },
  { name = "monthly", length_s = 2592000, meter = "USD", ceiling = "20.00", anchor = 2026-01-01T00:00:00Z, stops = true },
]

[watch]
span_s = 60
rewrites = 3
rest_s = 0

[circuits]
settle_s = 60
models = 3
[circuits.holds]
rate = { span_s = 30 }
other = { blames = "none" }
context = { blames = "candidate", span_s = 5, waits = true }
"""


def load(folder: Path, policy: str) -> Policy:
    (folder / "policy.toml").write_text(policy, encoding="utf-8")
    return load_policy(folder / "policy.toml")


def faults(folder: Path, policy: str) -> list[str]:
    with pytest.raises(PolicyError) as caught:
        load(folder, policy)
    return [str(fault) for fault in caught.value.faults]


def test_every_section_arrives_where_it_belongs(tmp_path: Path) -> None:
    """What the file tells in words of its own is the value's: clocks, whole ceilings, `off`, holds in part."""
    policy = load(tmp_path, NAMED + WHOLE)
    mid = Lane(
        "mid",
        (Pick(pool="work", model="m"), Pick("cli", effort="high")),
        (Step((Pick(pool="rack"),)), Step((Pick(pool="agy/one"),), timedelta(seconds=9))),
        0.25,
        {"work": 2},
        {"m": 1.5},
    )
    rack = (Pick(pool="rack"),)
    january = datetime(2026, 1, 1, tzinfo=UTC)
    windows = (
        BudgetWindow("5h", timedelta(hours=5), ceiling=Decimal(500)),
        BudgetWindow("monthly", timedelta(days=30), "USD", Decimal("20.00"), january, stops=True),
    )
    night = (timedelta(hours=22), timedelta(hours=6, minutes=30))

    assert policy.profiles == {
        "private": Profile("private", "lan", offline=True),
        "house": Profile("house", "lan", ("work",)),
        "own": Profile("own", manual=True),
    }
    assert policy.lanes == Lanes(
        {"mid": mid, "low": Lane("low")},
        {"private": Lane("private", rack)},
        "low",
        {"plan": "high", "explore*": "low", "general": "inherit", "sort*": "classifier"},
        {"low": "mid"},
        Lane("classifier", rack),
        (Phrases("high", ("load-bearing * wall",), ("model of",)),),
        1000,
        2000,
        timedelta(minutes=1),
        0.5,
    )
    assert policy.deals == (Deal("work", 0.5, "m", *night, "Europe/Berlin", january), Deal("rack", 1))
    weights, shares = {"output": 5.0, "cache_read": 0.0}, {"review": 0.5, "build": 0.5}
    assert policy.budgets == {"agy/one": PoolBudget("agy/one", windows, weights, shares, 0.25)}
    assert policy.watch == Watch(timedelta(minutes=1), 3, rest=timedelta(0))
    holds = {
        **HOLDS,
        "rate": Hold("candidate", timedelta(seconds=30)),
        "other": Hold("none"),
        "context": Hold("candidate", timedelta(seconds=5), waits=True),
    }
    assert policy.circuits == Circuits(holds, timedelta(minutes=1), 3)
    assert policy == loads(Policy, dumps(policy))


def test_a_watch_may_be_off(tmp_path: Path) -> None:
    """False is its own word; saying nothing leaves the watch on."""
    assert load(tmp_path, "version = 1\nwatch = false\n").watch is None
    assert Watch() == load(tmp_path, "version = 1\n").watch


def test_a_local_share_is_off_where_nothing_is_said(tmp_path: Path) -> None:
    """`off` is no share of one and no nought."""
    policy = load(tmp_path, NAMED + '[lanes.tiers.mid]\nlocal_share = "off"\n[lanes.tiers.low]\n')

    assert [None, None] == [lane.local_share for lane in policy.lanes.tiers.values()]


def test_parts_inherit_what_their_models_serve(tmp_path: Path) -> None:
    """As every other key of a pool: the account speaks for the parts that say nothing themselves."""
    account = '[accounts.a]\nplugin = "x"\nkind = "local"\nserving = [{ slots = 2 }]\n'
    policy = load(tmp_path, f"version = 1\n{account}[accounts.a.pools.p]\n[accounts.a.pools.q]\nserving = []\n")

    assert ((Serving(slots=2),), ()) == (policy.pools["a/p"].serving, policy.pools["a/q"].serving)


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    """Structure, names and bounds of every section, each by its path and with the nearest word."""
    wrong = """
    [accounts.more]
    plugin = "x"
    kind = "local"
    serving = [{ model = "m", slot = 2 }, { slots = 0 }]
    [profiles.p]
    offline = true
    allow = ["wrok"]
    [lanes]
    defualt = "low"
    agents = { plan = "hihg" }
    aliases = { high = "low", lo = "mid" }
    roomy = 2
    [lanes.tiers.hgh]
    [lanes.tiers.mid]
    candidates = [{ pool = "wrok" }, { modle = "m" }, {}]
    local_share = 1
    weights = { agy = 0 }
    fallback = [{ candidates = [], after_s = -1 }, 3]
    [lanes.profiles.q]
    [[deals]]
    pool = "work"
    multiplier = 0
    start = "24:00"
    zone = "Europe/Berln"
    [budgets.wrok]
    windows = [{ name = "5h", length_s = 0, meter = "token", ceiling = 1.5 }]
    weights = { cached = 1 }
    shares = { a = 0.7, b = 0.7 }
    [watch]
    rewrites = 0
    [circuits.holds]
    rte = {}
    rate = { blames = "provider" }
    """

    assert [
        'accounts.more.serving[0].slot: no such key (did you mean "slots"?)',
        "accounts.more.serving[1].slots: must be more than 0",
        'budgets.wrok: there is no pool "wrok" (did you mean "work"?)',
        'budgets.wrok.shares: add up to 1.4 (there is one whole of each window to share)',
        'budgets.wrok.weights.cached: there is no kind of token "cached" (did you mean "cache_read"?)',
        'budgets.wrok.windows[0].ceiling: 1.5 is a binary number, which cannot hold every amount exactly (write it as text: "1.5")',
        "budgets.wrok.windows[0].length_s: must be more than 0",
        'budgets.wrok.windows[0].meter: "token" is nothing that is counted (did you mean "tokens"?)',
        'circuits.holds.rate.blames: "provider" is not among its words (known: "candidate", "none", "pool")',
        'circuits.holds.rte: no such key (did you mean "rate"?)',
        'deals[0].multiplier: must be more than 0',
        'deals[0].start: "24:00" is no time of day (write it like "22:30")',
        'deals[0].zone: there is no zone "Europe/Berln" (did you mean "Europe/Berlin"?)',
        'lanes.agents.plan: there is no tier "hihg" (did you mean "high"?)',
        'lanes.aliases.high: "low" is no higher tier than "high" (an alias only leads upwards; tiers are named best first: high, mid, low)',
        'lanes.aliases.lo: there is no tier "lo" (did you mean "low"?)',
        'lanes.defualt: no such key (did you mean "default"?)',
        'lanes.profiles.q: there is no profile "q" (known: "p")',
        "lanes.roomy: 2.0 is out of range (give it from 0 to 1)",
        'lanes.tiers.hgh: there is no tier "hgh" (did you mean "high"?)',
        'lanes.tiers.mid.candidates[0].pool: there is no pool "wrok" (did you mean "work"?)',
        'lanes.tiers.mid.candidates[1].modle: no such key (did you mean "model"?)',
        "lanes.tiers.mid.candidates[2]: names no candidate (give a harness, a pool, a model or an effort)",
        "lanes.tiers.mid.fallback[0].after_s: must not be less than 0",
        "lanes.tiers.mid.fallback[0].candidates: a step without a candidate can serve nothing (name some, or take the step out)",
        "lanes.tiers.mid.fallback[1]: must be a table, not 3",
        'lanes.tiers.mid.local_share: 1.0 is no share of the leases (give it above 0 and below 1, or "off")',
        'lanes.tiers.mid.weights.agy: "agy" is an account in parts, not a pool (name its parts: "agy/one", "agy/two")',
        "lanes.tiers.mid.weights.agy: 0.0 is no weight (give a number above 0)",
        "profiles.p.allow: lets an offline profile out (take it out, or take offline out)",
        'profiles.p.allow: there is no pool "wrok" (did you mean "work"?)',
        "watch.rewrites: must be more than 0",
    ] == faults(tmp_path, NAMED + wrong)  # fmt: skip  # one fault a line


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("[profiles.p]\noffline = true\negress = 'any'", 'profiles.p.egress: is "any" and the profile is offline (say "lan" or "none", or take offline out)'),
        ("[profiles]\np = 3", "profiles.p: must be a table, not 3"),
        ("[lanes]\ndefault = 'lw'", 'lanes.default: there is no tier "lw" (did you mean "low"?)'),
        ("[lanes]\nagents = { 'a*b' = 'low' }", 'lanes.agents."a*b": holds a * that is not its end (write the beginning of a name and one `*`)'),
        ("[lanes]\nagents = { '' = 'low' }", 'lanes.agents."": is the rule of an agent without a name (name it; `*` stands for every agent)'),
        ("[lanes]\naliases = { mid = 'mid' }", 'lanes.aliases.mid: "mid" is no higher tier than "mid" (an alias only leads upwards; tiers are named best first: high, mid, low)'),
        ("[lanes]\nphrases = [{ tier = 'hi', any = ['a'] }]", 'lanes.phrases[0].tier: there is no tier "hi" (did you mean "high"?)'),
        ("[lanes]\nphrases = [{ tier = 'high' }]", "lanes.phrases[0].any: a rule without a phrase raises nothing (give one, or take the rule out)"),
        ("[lanes]\nphrases = [{ tier = 'high', any = ['* *'] }]", "lanes.phrases[0].any[0]: holds no word, so it would occur in everything (write some words)"),
        ("[lanes]\nphrases = {}", "lanes.phrases: must be a list, not a table"),
        ("[lanes]\npoints_tokens = 0", "lanes.points_tokens: must be more than 0"),
        ("[lanes]\nclassifier = []", "lanes.classifier: must be a table, not a list"),
        ("[lanes.tiers.low]\nlocal_share = 'of'", 'lanes.tiers.low.local_share: "of" is no share of the leases (give it above 0 and below 1, or "off")'),
        ("[lanes.tiers.low]\nlocal_share = 0", 'lanes.tiers.low.local_share: 0.0 is no share of the leases (give it above 0 and below 1, or "off")'),
        ("[lanes.tiers.low]\nfit = { m = 'inf' }", "lanes.tiers.low.fit.m: inf is no weight (give a number above 0)"),
        ("[lanes.tiers.low]\nfallback = [{ candidates = [{ pool = 'agy' }] }]", 'lanes.tiers.low.fallback[0].candidates[0].pool: "agy" is an account in parts, not a pool (name its parts: "agy/one", "agy/two")'),
        ("[lanes.tiers.low]\ncandidates = [{ harness = 'clj' }]", 'lanes.tiers.low.candidates[0].harness: there is no harness "clj" (did you mean "cli"?)'),
        ("[[deals]]\npool = 'work'\nmultiplier = 1.5", "deals[0].multiplier: 1.5 is out of range (give it from 0 to 1)"),
        ("[[deals]]\npool = 'work'\nmultiplier = 1\nstart = '22:00'", "deals[0].end: is missing (give both times of day, or neither for all day)"),
        ("[[deals]]\npool = 'work'\nmultiplier = 1\nstart = '22:00'\nend = '22:00'", "deals[0].end: is when it starts (leave both out for all day)"),
        ("[[deals]]\npool = 'work'\nmultiplier = 1\nend = 22:00:00", "deals[0].end: must be a text, not 22:00:00"),
        ("[[deals]]\npool = 'work'\nmultiplier = 1\nstart_s = 3", 'deals[0].start_s: no such key (did you mean "start"?)'),
        ("[[deals]]\npool = 'work'\nmultiplier = 1\nsince = 2026-01-02T00:00:00Z\nuntil = 2026-01-01T00:00:00Z", "deals[0].until: is not after since (exchange them)"),
        ("[[deals]]\npool = 'work'\nmultiplier = 1\nzone = '../etc'", 'deals[0].zone: there is no zone "../etc"'),
        ("[budgets.work]", "budgets.work.windows: a budget without a window counts nothing (give one, or take the budget out)"),
        ("[budgets.work]\nwindows = [{ name = 'a', length_s = 1 }, { name = 'a', length_s = 1 }]", 'budgets.work.windows[1].name: "a" stands there twice (give each its own name)'),
        ("[budgets.work]\nwindows = [{ name = ' ', length_s = 1 }]", "budgets.work.windows[0].name: is blank (name the window)"),
        ("[budgets.work]\nwindows = [{ name = 'a', length_s = 1, ceiling = 0 }]", "budgets.work.windows[0].ceiling: must be more than 0"),
        ("[budgets.work]\nwindows = [{ name = 'a', length_s = 1, meter = '' }]", 'budgets.work.windows[0].meter: "" is nothing that is counted (`requests`, `tokens`, or a unit of money)'),
        ("[budgets.work]\nwindows = [{ name = 'a', length_s = 1 }]\nweights = { input = -1 }", "budgets.work.weights.input: -1.0 is no weight (give a number from 0 up)"),
        ("[budgets.work]\nwindows = [{ name = 'a', length_s = 1 }]\nshares = { t = 0 }", "budgets.work.shares.t: 0.0 is no share (give it above 0 and up to 1)"),
        ("[budgets.work]\nwindows = [{ name = 'a', length_s = 1 }]\nreserve = 0.5", "budgets.work.reserve: is kept for nobody (name whom it is for under shares)"),
        ("[circuits.holds]\ncontext = { blames = 'pool' }", 'circuits.holds.context.span_s: is missing (say for how long, or blames = "none")'),
        ("[circuits.holds]\nrate = { span_s = -1 }", "circuits.holds.rate.span_s: must not be less than 0"),
        ("[circuits]\nmodels = 0", "circuits.models: must be more than 0"),
    ],
)  # fmt: skip  # one row a case
def test_a_fault_says_where_it_is_and_what_to_do(tmp_path: Path, more: str, said: str) -> None:
    """One wrong thing in an otherwise good file is one fault."""
    (told,) = faults(tmp_path, NAMED + more)

    assert told.startswith(said)


def test_a_switch_is_no_table(tmp_path: Path) -> None:
    """Only false switches the watch off; true says nothing that could be read."""
    assert ["watch: must be a table, not true or false"] == faults(tmp_path, "version = 1\nwatch = true\n")


@pytest.mark.parametrize(
    ("serving", "at"),
    [
        ('[{ model = "m" }, { model = "M", slots = 1 }]', 1),
        ('[{ slots = 1 }, { model = "m" }]', 1),
        ('[{ model = "m" }, {}, { model = "n" }]', 2),
    ],
)
def test_what_never_counts_is_a_fault(tmp_path: Path, serving: str, at: int) -> None:
    """The first table that names a model speaks for it, in whatever case, and one without a model for all."""
    account = f'[accounts.a]\nplugin = "x"\nkind = "local"\nserving = {serving}\n'
    (told,) = faults(tmp_path, f"version = 1\n{account}")

    assert f"accounts.a.serving[{at}]: never counts: one before it speaks for its model (change their order)" == told


def test_tenths_add_up_to_one(tmp_path: Path) -> None:
    """A whole that floats cannot tell exactly is a whole all the same."""
    shares = ", ".join(f"t{index} = 0.1" for index in range(10))
    policy = load(
        tmp_path, f"{NAMED}[budgets.work]\nwindows = [{{ name = 'a', length_s = 1 }}]\nshares = {{ {shares} }}\n"
    )

    assert 10 == len(policy.budgets["work"].shares)


def test_the_reference_is_true(tmp_path: Path) -> None:
    """The example on the page is a valid policy that says something in each section."""
    (example,) = re.findall(r"```toml\n(.*?)```", REFERENCE.read_text(encoding="utf-8"), re.DOTALL)
    policy = load(tmp_path, example)

    assert all((policy.lanes.tiers, policy.lanes.profiles, policy.deals, policy.budgets, policy.pools["rack"].serving))


def test_a_kind_of_failure_is_of_a_closed_list_in_every_text() -> None:
    """JSON of a policy is read as strictly as the file: a misspelled kind would hold nothing."""
    body = dumps(Circuits()).replace(b'"rate":', b'"rte":')

    with pytest.raises(FormError, match=r'holds\.rte: "rte" is not among its words \(did you mean "rate"\?\)'):
        loads(Circuits, body)
