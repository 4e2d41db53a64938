"""The policy file: what it says becomes the policy, and whatever is wrong with it is told at once."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from capacity import plugins
from capacity.codec import dumps, load_policy, loads, policy_template, read_policy, text
from capacity.codec.draft import LATER
from capacity.errors import FormError, PolicyError
from capacity.values.policy import (
    AccountPolicy,
    Credentials,
    FleetPolicy,
    HarnessPolicy,
    HighVolume,
    Pacing,
    Policy,
    PoolPolicy,
    Profile,
    SeatRule,
)
from capacity.values.tiers import TierRow, Tiers

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "policy-file.md"

WHOLE = """
version = 1
freshness_s = 600
seat_points = 4

[tiers]
names = ["high", "low"]
adopted = "sets/adopted.toml"
adoption = "auto"

[accounts.work]
plugin = "claude"
kind = "subscription"
exhausted_at = 85
exhausted_at_paced = 99.5
preference = 1
uncontrolled = 0.2
credentials = { file = "~/work.json" }

[accounts.cash]
plugin = "deepseek"
kind = "metered"
money_floor = { USD = "1.00" }
credentials = { env = "CASH_KEY" }

[accounts.rack]
plugin = "llama-cpp"
kind = "local"
models = ["small-*"]
prepare = ["load", "it"]
options = { base_url = "http://127.0.0.1:1", slots = [1, 2] }

[accounts.agy]
plugin = "agy"
kind = "subscription"
exhausted_at = 80
[accounts.agy.pools.one]
unmeasurable = true
[accounts.agy.pools.two]
kind = "metered"
exhausted_at = 70
egress = "lan"

[harnesses.cli]
pools = ["work", "rack", "agy/one"]
aliases = { short = "long-name" }

[fleets.main]
actuator = "file"
mode = "enforce"
options = { path = "fleet.json" }

[seats.default]
tier = "low"
[seats.names."build-1"]
pinned = true
[seats.globs."build-*"]
profile = "private"
harnesses = ["cli"]
pools = ["rack"]
models = ["small-*"]
[seats.roles.reviewer]
tier = "high"
floor = "low"
context = 100000
capabilities = ["tools", "image"]
effort = "high"
cadence_s = 60
rise = true
held = true

[profiles.private]
egress = "lan"

[high_volume]
cadence_s = 300
caps = { work = 2 }

[pacing]
mode = "off"
band = 0.1
reserve = 2
share = 0
tick_s = 60
rungs = { long-name = 2 }

[notify]
command = ["tell", "me"]
"""

ADOPTED = """
[[rows]]
tier = "high"
harness = "cli"
model = "long-name"
effort = "max"
source = "bench"
adopted_at = 2026-06-15T00:00:00Z
adopted_by = "ann"

[[rows]]
tier = "low"
harness = "cli"
model = "small-1"
"""

NAMED = """
version = 1
[tiers]
names = ["high", "mid", "low"]
[accounts.work]
plugin = "claude"
kind = "subscription"
[accounts.agy]
plugin = "agy"
kind = "subscription"
pools = { one = {}, two = {} }
[harnesses.cli]
pools = ["work"]
[profiles.private]
"""


def write(folder: Path, policy: str, adopted: str | None = None, name: str = "adopted.toml") -> Path:
    (folder / "policy.toml").write_text(policy, encoding="utf-8")
    if adopted is not None:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(adopted, encoding="utf-8")
    return folder / "policy.toml"


def faults(folder: Path, policy: str, adopted: str | None = None) -> list[str]:
    with pytest.raises(PolicyError) as caught:
        load_policy(write(folder, policy, adopted))
    assert str(caught.value).startswith(f"{folder / 'policy.toml'}: ")
    return [str(fault) for fault in caught.value.faults]


def test_a_whole_file_becomes_a_policy(tmp_path: Path) -> None:
    """Every key of every section arrives where it belongs."""
    adopted_at = datetime(2026, 6, 15, tzinfo=UTC)
    rows = (
        TierRow("high", "cli", "long-name", "max", "bench", adopted_at, "ann"),
        TierRow("low", "cli", "small-1"),
    )
    shared: dict[str, Any] = {"account": "agy", "exhausted_at": 80}
    pools = (
        PoolPolicy("work", "work", "subscription", 85, 99.5, preference=1, uncontrolled=0.2),
        PoolPolicy("cash", "cash", "metered", money_floor={"USD": Decimal("1.00")}),
        PoolPolicy("rack", "rack", "local", models=("small-*",), prepare=("load", "it"), egress="lan"),
        PoolPolicy("agy/one", kind="subscription", unmeasurable=True, **shared),
        PoolPolicy("agy/two", kind="metered", egress="lan", **{**shared, "exhausted_at": 70}),
    )
    accounts = (
        AccountPolicy("work", "claude", Credentials(file="~/work.json")),
        AccountPolicy("cash", "deepseek", Credentials(env="CASH_KEY")),
        AccountPolicy("rack", "llama-cpp", options={"base_url": "http://127.0.0.1:1", "slots": [1, 2]}),
        AccountPolicy("agy", "agy"),
    )
    reviewer = SeatRule(
        "role", "reviewer", "high", "low", 100_000, ("image", "tools"), effort="high",
        cadence=timedelta(minutes=1), rise=True, held=True,
    )  # fmt: skip  # read as the table above
    builders = SeatRule("glob", "build-*", profile="private", harnesses=("cli",), pools=("rack",), models=("small-*",))

    assert load_policy(write(tmp_path, WHOLE, ADOPTED, "sets/adopted.toml")) == Policy(
        tiers=Tiers(("high", "low"), rows, "auto", "sets/adopted.toml"),
        accounts={account.name: account for account in accounts},
        pools={pool.name: pool for pool in pools},
        harnesses={"cli": HarnessPolicy("cli", ("work", "rack", "agy/one"), {"short": "long-name"})},
        fleets={"main": FleetPolicy("main", "file", "enforce", {"path": str(tmp_path / "fleet.json")})},
        seats=(SeatRule("default", tier="low"), SeatRule("name", "build-1", pinned=True), builders, reviewer),
        profiles={"private": Profile("private", "lan")},
        high_volume=HighVolume(timedelta(minutes=5), {"work": 2}),
        pacing=Pacing("off", 0.1, 2, 0, timedelta(minutes=1), {"long-name": 2}),
        freshness=timedelta(minutes=10),
        seat_points=4,
        notify=("tell", "me"),
    )


@pytest.mark.parametrize(
    ("said", "prepare"), [("[]", ()), ("false", ()), ("true", True), ('["load", "{model}"]', ("load", "{model}"))]
)
def test_who_loads_is_told_in_words_or_by_a_flag(tmp_path: Path, said: str, prepare: object) -> None:
    """A program of one's own, whoever else can, or nobody; a part may say something else than its account."""
    one = f'[accounts.a]\nplugin = "x"\nkind = "local"\nprepare = {said}\n[accounts.a.pools.p]\n'
    policy = load_policy(write(tmp_path, "version = 1\n" + one + "[accounts.a.pools.q]\nprepare = false\n"))

    assert (prepare, ()) == (policy.pools["a/p"].prepare, policy.pools["a/q"].prepare)
    assert policy == loads(Policy, dumps(policy))


def test_a_policy_survives_its_json(tmp_path: Path) -> None:
    """What `policy show` prints says everything the file said."""
    policy = load_policy(write(tmp_path, WHOLE, ADOPTED, "sets/adopted.toml"))

    assert policy == loads(Policy, dumps(policy))


def test_an_empty_policy_is_a_policy(tmp_path: Path) -> None:
    """Nothing but a version is valid, and every default is the value's own."""
    assert Policy() == load_policy(write(tmp_path, "version = 1\n"))


def test_paths_begin_at_the_policys_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever the program runs, a relative path means the same file; `~` and `$` are left to whoever opens it."""
    accounts = {"a": "keys/a", "b": "/keys/b", "c": "~/c", "d": "${KEYS}/d"}
    tables = [
        f'[accounts.{name}]\nplugin = "x"\nkind = "metered"\ncredentials = {{ file = "{file}" }}\n'
        for name, file in accounts.items()
    ]
    write(tmp_path, "version = 1\n" + "".join(tables))
    monkeypatch.chdir(tmp_path)

    policy = load_policy("policy.toml")
    files = [account.credentials.file for account in policy.accounts.values() if account.credentials]

    assert [str(tmp_path / "keys" / "a"), "/keys/b", "~/c", "${KEYS}/d"] == files


def test_the_template_is_a_policy(tmp_path: Path) -> None:
    """What `policy init` writes is valid as it stands, and says nothing but the names of tiers."""
    assert Policy(tiers=Tiers(("high", "mid", "low"))) == load_policy(write(tmp_path, policy_template()))


def test_the_template_shows_every_key(tmp_path: Path) -> None:
    """With every example taken out of its comment it is still valid, and no key of any section is left out."""
    shown = re.sub(r"^#(?=\S)", "", policy_template(), flags=re.MULTILINE)
    policy = load_policy(write(tmp_path, shown, "rows = []"))
    keys = set(re.findall(r"\b([a-z_]+) = ", shown))

    assert {"work", "cash", "rack", "pair/one", "pair/two"} == set(policy.pools)
    assert policy.seats
    assert policy.harnesses
    assert policy.fleets
    assert policy.notify
    assert [] == sorted(EVERY_KEY - keys)


EVERY_KEY = {
    "actuator", "adopted", "adoption", "after_s", "agents", "aliases", "allow", "any", "band", "base_url", "blames",
    "but", "cache_life_s", "cadence_s", "candidates", "capabilities", "caps", "ceiling", "command", "context",
    "credentials", "default", "device", "effort", "egress", "end", "env", "exhausted_at", "exhausted_at_paced",
    "fallback", "file", "fit", "floor", "fresh", "freshness_s", "harnesses", "held", "kind", "length_s",
    "local_share", "manual", "meter", "mode", "model", "models", "money_floor", "multiplier", "name", "names",
    "offline", "options", "path", "phrases", "pinned", "plugin", "points_tokens", "pool", "pools", "preference",
    "prepare", "profile", "prompt", "quarantine_s", "reserve", "rest_s", "rewrites", "rise", "roomy", "rungs",
    "seat_points", "serving", "sessions", "settle_s", "share", "shares", "slots", "span_s", "start", "step_tokens",
    "stops", "tick_s", "tier", "uncontrolled", "unmeasurable", "version", "waits", "weights", "windows", "within_s",
    "zone",
}  # fmt: skip  # a list of words


def test_the_reference_is_true(tmp_path: Path) -> None:
    """The example in the reference is a valid policy with its adopted set."""
    policy, adopted = re.findall(r"```toml\n(.*?)```", REFERENCE.read_text(encoding="utf-8"), re.DOTALL)

    assert load_policy(write(tmp_path, policy, adopted)).tiers.rows


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    """Structure, references, bounds and the adopted set: one reading of the error is enough."""
    policy = """
    version = 1
    service = {}
    acounts = 3
    seat_points = 400
    [tiers]
    names = ["high", "low", "high", ""]
    adopted = "adopted.toml"
    sources = []
    [accounts.work]
    plugn = "claude"
    kind = "subscripton"
    money_floor = { USD = 1.5 }
    credentials = { env = "NAME", file = "x" }
    [accounts.agy]
    plugin = "agy"
    exhausted_at = 190
    pools = { one = { prefrence = 1 }, two = { kind = "metered" } }
    [harnesses.cli]
    pools = ["wrok", "agy"]
    [harnesses.none]
    [fleets.main]
    mode = "shadw"
    [seats.globs."b*"]
    tier = "hihg"
    cadence_s = 0
    [seats.roles.r]
    capabilities = "tools"
    profile = "privat"
    [high_volume]
    caps = { wrk = -1 }
    """
    adopted = """
    rows = [
      { tier = "hgh", harness = "cli", model = "x" },
      { tier = "low", harness = "cl", model = "X", effort = "" },
      { tier = "low", harness = "cli", model = "X", adopted_at = 2026-06-15 },
    ]
    """

    assert [
        'accounts.agy.exhausted_at: 190.0 is out of range (give it from 0 to 100)',
        "accounts.agy.pools.one.kind: is missing",
        'accounts.agy.pools.one.prefrence: no such key (did you mean "preference"?)',
        "accounts.work.credentials: must say either env or file (keep the one that holds the secret)",
        'accounts.work.kind: "subscripton" is not among its words (did you mean "subscription"?)',
        'accounts.work.money_floor.USD: 1.5 is a binary number, which cannot hold every amount exactly (write it as text: "1.5")',
        "accounts.work.plugin: is missing",
        'accounts.work.plugn: no such key (did you mean "plugin"?)',
        'acounts: no such key (did you mean "accounts"?)',
        'adopted.toml: rows[0].tier: there is no tier "hgh" (did you mean "high"?)',
        'adopted.toml: rows[1].harness: there is no harness "cl" (did you mean "cli"?)',
        "adopted.toml: rows[2]: tells of the same harness, model and effort as rows[0] (keep one of them)",
        "adopted.toml: rows[2].adopted_at: 2026-06-15 is a day, not an instant (write 2026-06-15T00:00:00Z)",
        "fleets.main.actuator: is missing",
        'fleets.main.mode: "shadw" is not among its words (did you mean "shadow"?)',
        'harnesses.cli.pools: "agy" is an account in parts, not a pool (name its parts: "agy/one", "agy/two")',
        'harnesses.cli.pools: there is no pool "wrok" (did you mean "work"?)',
        "harnesses.none.pools: a harness without a pool can run nothing (name the pools it may draw on)",
        "high_volume.caps.wrk: -1 seats are less than none",
        'high_volume.caps.wrk: there is no pool "wrk" (did you mean "work"?)',
        'seat_points: 400.0 is out of range (give it from 0 to 100)',
        'seats.globs."b*".cadence_s: must be more than 0',
        'seats.globs."b*".tier: there is no tier "hihg" (did you mean "high"?)',
        "seats.roles.r.capabilities: must be a list, not a text",
        'seats.roles.r.profile: there is no profile "privat" (the policy declares no profile)',
        "service: needs release 0.6 (take it out until then)",
        'tiers.names[2]: "high" stands there twice (a tier has one rank)',
        "tiers.names[3]: a tier has no name (name it, or take it out)",
        "tiers.sources: must be a table, not a list",
    ] == faults(tmp_path, policy, adopted)  # fmt: skip  # one fault a line


@pytest.mark.parametrize(
    ("names", "tier", "floor", "told"),
    [
        (
            '["top", "mid", "top"]', "mid", "top",
            [
                'seats.default.floor: the floor "top" is above the tier "mid" (tiers are named best first: top, mid, top)',
                'tiers.names[2]: "top" stands there twice (a tier has one rank)',
            ],
        ),
        (
            '["top", 1, "top", ""]', "top", "low",
            [
                'seats.default.floor: there is no tier "low" (known: "top")',
                "tiers.names[1]: must be a text, not 1",
                'tiers.names[2]: "top" stands there twice (a tier has one rank)',
                "tiers.names[3]: a tier has no name (name it, or take it out)",
            ],
        ),
        ('"top"', "top", "top", ["tiers.names: must be a list, not a text"]),
        ("5", "top", "top", ["tiers.names: must be a list, not 5"]),
        ('{ top = 1 }', "top", "top", ["tiers.names: must be a list, not a table"]),
    ],
)  # fmt: skip  # one fault a line
def test_a_faulty_ladder_hides_no_other_fault(
    tmp_path: Path, names: str, tier: str, floor: str, told: list[str]
) -> None:
    """Each rung is looked at by itself, and what nobody can read is no reason to call every tier unknown."""
    policy = f'version = 1\n[tiers]\nnames = {names}\n[seats.default]\ntier = "{tier}"\nfloor = "{floor}"\n'

    assert told == faults(tmp_path, policy)


@pytest.mark.parametrize(("path", "release"), LATER.items())
def test_sections_of_later_releases_are_refused(tmp_path: Path, path: str, release: str) -> None:
    """What this release cannot do is not silently left undone."""
    assert [f"{path}: needs release {release} (take it out until then)"] == faults(
        tmp_path, f"version = 1\n{path} = {{}}"
    )


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('[fleets."a/b"]\nactuator = "file"', 'fleets."a/b": the name of a fleet holds a / (names of pools and seats are joined by it; use another sign)'),
        ('[accounts."a/b"]\nplugin = "x"\nkind = "local"', 'accounts."a/b": the name of an account holds a / (names of pools and seats are joined by it; use another sign)'),
        ('[accounts.""]\nplugin = "x"\nkind = "local"', 'accounts."": an account has no name (give it one)'),
        ('[accounts.a]\nplugin = "x"\nkind = "local"\npools."b/c" = {}', 'accounts.a.pools."b/c": the name of a part holds a / (names of pools and seats are joined by it; use another sign)'),
        ('[accounts.a]\nplugin = "x"\nkind = "local"\nprepare = "load it"', "accounts.a.prepare: must be a list of words, or true, not a text"),
        ('[accounts.a]\nplugin = "x"\nkind = "local"\nprepare = ["load", 1]', "accounts.a.prepare[1]: must be a text, not 1"),
        ('[accounts.a]\nplugin = "x"\nkind = "local"\npools = {}', "accounts.a.pools: names no part (name one, or take the key out)"),
        ('[accounts.a]\nplugin = "x"', "accounts.a.kind: is missing"),
        ('[accounts.a]\nplugin = "x"\nkind = "local"\nuncontrolled = 20', "accounts.a.uncontrolled: 20.0 is out of range (give it from 0 to 1)"),
        ('[accounts.a]\nplugin = "x"\nkind = "local"\nexhausted_at = inf', "accounts.a.exhausted_at: inf is no figure"),
        ('[accounts.a]\nplugin = "x"\nkind = "local"\nname = "b"', "accounts.a.name: no such key"),
        ('[accounts.a]\nplugin = "x"\nkind = "local"\ncredentials = {}', "accounts.a.credentials: must say either env or file (keep the one that holds the secret)"),
        ('[accounts.a]\nplugin = "x"\nkind = "local"\noptions = { since = 2026-01-01 }', "accounts.a.options.since: is neither a text, a finite number, a flag, a list nor a table (write it as text)"),
        ('[accounts.a]\nplugin = "x"\nkind = "local"\noptions = { in = [{ it = nan }] }', "accounts.a.options.in[0].it: is neither a text, a finite number, a flag, a list nor a table (write it as text)"),
        ('[harnesses.h]\npools = "work"', "harnesses.h.pools: must be a list, not a text"),
        ('[harnesses.h]\npools = [1]', "harnesses.h.pools[0]: must be a text, not 1"),
        ('[harnesses.h]\npools = ["work"]\nalias = {}', 'harnesses.h.alias: no such key (did you mean "aliases"?)'),
        ('[seats.default]\nfloor = "high"\ntier = "mid"', 'seats.default.floor: the floor "high" is above the tier "mid" (tiers are named best first: high, mid, low)'),
        ('[seats.default]\ntier = "mid"\n[seats.names.a]\nfloor = "high"', 'seats.names.a.floor: the floor "high" is above the tier "mid" (tiers are named best first: high, mid, low)'),
        ('[seats.default]\ntier = "mid"\nfloor = "mid"\n[seats.names.a]\ntier = "low"', 'seats.names.a.tier: the floor "mid" is above the tier "low" (tiers are named best first: high, mid, low)'),
        ('[seats.default]\nharnesses = ["clj"]', 'seats.default.harnesses: there is no harness "clj" (did you mean "cli"?)'),
        ('[seats.default]\npools = ["agy/on"]', 'seats.default.pools: there is no pool "agy/on" (did you mean "agy/one"?)'),
        ('[seats.default]\ncontext = 0', "seats.default.context: must be more than 0"),
        ('[seats.globs.""]\nheld = true', 'seats.globs."": an empty glob matches no seat (use [seats.default] for all seats)'),
        ('[seats.glob.x]', 'seats.glob: no such key (did you mean "globs"?)'),
        ("[pacing]\nrungs = { m = 0 }", "pacing.rungs.m: must be more than 0 (a rung is a burn relative to the others)"),
        ("[pacing]\ntick_s = -1", "pacing.tick_s: must be more than 0"),
        ("[notify]\ncommand = []", "notify.command: is empty (name a program, or take it out)"),
        ('[notify]\ncommand = "tell me"', "notify.command: must be a list, not a text"),
        ("[high_volume]\ncaps = { agy = 1 }", 'high_volume.caps.agy: "agy" is an account in parts, not a pool (name its parts: "agy/one", "agy/two")'),
        ("[profiles.p]\negress = 'wan'", 'profiles.p.egress: "wan" is not among its words (did you mean "lan"?)'),
    ],
)  # fmt: skip  # one row a case
def test_a_fault_says_where_it_is_and_what_to_do(tmp_path: Path, more: str, said: str) -> None:
    """One wrong thing in an otherwise good file is one fault."""
    (told,) = faults(tmp_path, f"{NAMED}\n{more}")

    assert told.startswith(said)


def test_a_floor_is_left_to_the_seat_where_another_rule_may_raise_its_tier(tmp_path: Path) -> None:
    """A glob between name and default may give the tier, so nobody can say that the floor is above it."""
    seats = '[seats.default]\ntier = "mid"\n[seats.names.a]\nfloor = "high"\n[seats.globs."a*"]\ntier = "high"\n'

    assert 3 == len(load_policy(write(tmp_path, NAMED + seats)).seats)


@pytest.mark.parametrize(
    "account",
    [
        'credentials = "sk-123456"',
        'credentials = { env = "sk-123456" }',
        'options = { api_key = "sk-123456" }',
        'options = { base_url = "http://me:sk-123456@host" }',
        'options = { deep = [{ auth_token = "sk-123456" }] }',
    ],
)
def test_a_secret_in_the_file_is_refused_and_not_repeated(tmp_path: Path, account: str) -> None:
    """The policy says where a secret is and never holds one; the error does not show it either."""
    (told,) = faults(tmp_path, f'version = 1\n[accounts.a]\nplugin = "x"\nkind = "metered"\n{account}\n')

    assert "sk-123456" not in told


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "version: is missing (begin the file with `version = 1`)"),
        (b"version = 2\nanything = 1", "version: 2 is not known here (this release reads version 1)"),
        (b"version = true", "version: True is not known here (this release reads version 1)"),
        (b"version = 1\na = [1,\n\n", "is no TOML: Invalid value (at line 4, column 1, where it ends) (mend it there)"),
        (b"version = 1\nversion = 1\n", "is no TOML: Cannot overwrite a value (at line 2, column 12)"),
        (b"version = 1\n\n[x\n", "is no TOML: Expected ']' at the end of a table declaration (at line 3, column 3)"),
        (b"version = 1\nx = '\xff'", "is no UTF-8 text: line 2 holds a byte that cannot be (save it as UTF-8)"),
        (b"a = " + b"[" * 100_000, "is nested too deeply"),
    ],
    ids=["empty", "newer", "flag", "cut", "twice", "broken", "latin", "deep"],
)
def test_a_file_that_is_no_policy_is_one_fault(tmp_path: Path, body: bytes, said: str) -> None:
    """It names the file, the place in it and the remedy."""
    (tmp_path / "policy.toml").write_bytes(body)
    with pytest.raises(PolicyError) as caught:
        load_policy(tmp_path / "policy.toml")

    (fault,) = caught.value.faults
    assert str(fault).startswith(said)
    assert isinstance(caught.value, FormError)


def test_a_file_that_cannot_be_read_is_one_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing file, a folder and an endless one each say what to do."""
    with pytest.raises(PolicyError, match=r"none\.toml: does not exist \(check the path, or write the file\)"):
        load_policy(tmp_path / "none.toml")
    with pytest.raises(PolicyError, match=r"is a folder \(name the file in it\)"):
        load_policy(tmp_path)
    monkeypatch.setattr(text, "TOML_CAP", 2**20)
    with pytest.raises(PolicyError, match=r"/dev/zero: is larger than 1 MiB \(is it the right file\?\)"):
        load_policy("/dev/zero")


@pytest.mark.parametrize(
    ("adopted", "said"),
    [
        (None, 'tiers.adopted: "adopted.toml" does not exist (check the path, or write the file)'),
        ("rows = [", 'tiers.adopted: "adopted.toml" is no TOML: Invalid value (at line 1, column 9, where it ends) (mend it there)'),
        ("row = []", 'adopted.toml: row: no such key (did you mean "rows"?)'),
        ("rows = {}", "adopted.toml: rows: must be a list, not a table"),
        ("rows = [1]", "adopted.toml: rows[0]: must be a table, not 1"),
        ("rows = [{}]", "adopted.toml: rows[0].tier: is missing"),
        ('rows = [{ tier = "high", harness = "cli", model = "m", modle = 1 }]', 'adopted.toml: rows[0].modle: no such key (did you mean "model"?)'),
    ],
)  # fmt: skip  # one row a case
def test_faults_of_the_adopted_set_are_told_by_its_name(tmp_path: Path, adopted: str | None, said: str) -> None:
    """The file with the fault is named, as the policy names it."""
    assert said in faults(tmp_path, NAMED.replace("[tiers]\n", '[tiers]\nadopted = "adopted.toml"\n'), adopted)


def test_a_home_that_nobody_has_is_a_fault(tmp_path: Path) -> None:
    """A path under another user's home is looked for there, and that user may not exist."""
    policy = 'version = 1\n[tiers]\nadopted = "~nobody-of-that-name/adopted.toml"\n'

    assert [
        'tiers.adopted: "~nobody-of-that-name/adopted.toml" begins with a home that nobody has (write the path in full)'
    ] == faults(tmp_path, policy)


def test_a_part_with_a_fault_is_still_declared(tmp_path: Path) -> None:
    """A harness may name a pool whose table has faults: one mistake is one fault."""
    policy = 'version = 1\n[accounts.a]\nkind = "local"\n[harnesses.h]\npools = ["a"]\n[seats.default]\npools = ["a"]\n'

    assert ["accounts.a.plugin: is missing"] == faults(tmp_path, policy)


@pytest.mark.parametrize("body", ["[" + ".".join("a" * 101) + "]\n", "x = { " + "b . " * 100 + "c = 1 }\n"])
def test_a_key_without_end_is_refused_before_it_is_read(tmp_path: Path, body: str) -> None:
    """Its reader takes the square of its parts."""
    (tmp_path / "policy.toml").write_text(body)
    with pytest.raises(PolicyError, match="a dotted key of 100 parts or more"):
        load_policy(tmp_path / "policy.toml")


def test_plugins_are_asked_about_a_fleet_that_is_at_fault_elsewhere(tmp_path: Path) -> None:
    """A wrong mode hides no wrong actuator: every fault is told at once."""
    file = tmp_path / "policy.toml"
    file.write_text('version = 1\n[fleets.f]\nmode = "enforced"\nactuator = "fille"\n')
    policy, (fault,) = read_policy(file)
    assert ("fleets.f.mode", "fille") == (fault.path, policy.fleets["f"].actuator)
    assert ["fleets.f.actuator"] == [one.path for one in plugins.faults(policy, plugins.load_plugins())]
