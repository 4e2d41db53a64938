"""Good, broken, duplicate, slow, missing and wrong-typed plugins, each a distribution made for the test."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from capacity.errors import PluginError
from capacity.plugins import PORTS, Plugin, PluginFailure, Plugins, load_plugins, made_by

from .distributions import GOOD, install

READERS, PROBERS, ACTUATORS = "capacity.readers", "capacity.probers", "capacity.actuators"
Installer = Callable[..., None]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Installer]:
    """Installs a distribution with one module, whose name begins with `sample`, and forgets it after the test."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def put(name: str, source: str, *, module: str, groups: dict[str, str], version: str = "1.0") -> None:
        entry = name.removeprefix("capacity-")
        entries = {group: {entry: f"{module}:{thing}"} for group, thing in groups.items()}
        install(tmp_path, name, entries, {module: source}, version)

    yield put
    for module in [module for module in sys.modules if module.startswith("sample")]:
        del sys.modules[module]


def sampled(plugins: Plugins) -> list[tuple[str, str]]:
    return [(plugin.group, plugin.name) for plugin in plugins if plugin.distribution.startswith("capacity-sample")]


def why(plugins: Plugins, group: str, name: str) -> str:
    with pytest.raises(PluginError) as caught:
        plugins.require(group, name)
    return str(caught.value)


def test_what_is_installed_is_known_without_importing_it(installed: Installer) -> None:
    """Metadata alone shows which ports a plugin offers, by whom and in which version."""
    installed("capacity-sample-good", GOOD, module="sample_good", groups={READERS: "reader", PROBERS: "prober"})
    plugins = load_plugins()
    (found,) = [plugin for plugin in plugins if plugin.name == "sample-good" and plugin.group == READERS]

    assert [(PROBERS, "sample-good"), (READERS, "sample-good")] == sampled(plugins)
    assert ("capacity-sample-good", "1.0") == (found.distribution, found.version)
    assert "sample_good" not in sys.modules
    assert plugins.failed == ()


def test_a_plugin_is_imported_when_it_is_asked_for(installed: Installer) -> None:
    """What it makes is its own port, made with the options given."""
    installed("capacity-sample-good", GOOD, module="sample_good", groups={READERS: "reader", PROBERS: "prober"})
    plugin = load_plugins().require(PROBERS, "sample-good")

    assert "sample_good" in sys.modules
    assert "Prober" == type(plugin.factory(base_url="http://127.0.0.1:1")).__name__
    assert ["credentials", "base_url", "retries"] == list(plugin.takes)
    with pytest.raises(TypeError, match="base_ulr"):
        plugin.factory(base_ulr="x")


def test_a_port_that_is_not_offered_is_none(installed: Installer) -> None:
    """A backend that has no inventory simply does not offer one."""
    installed("capacity-sample-good", GOOD, module="sample_good", groups={READERS: "reader"})
    plugins = load_plugins()

    assert plugins.get(PROBERS, "sample-good") is None
    assert plugins.get(READERS, "sample-good") is not None
    assert plugins.failed == ()


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import nothing_of_that_name", "ModuleNotFoundError: No module named 'nothing_of_that_name'"),
        ("raise RuntimeError('no luck')", "RuntimeError: no luck"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("def broken(:", "SyntaxError: "),
        ("x = 1", "AttributeError: module 'sample_broken' has no attribute 'prober'"),
        ("prober = 'text'", "sample_broken:prober is a str, not a factory; mend the plugin"),
    ],
    ids=["import", "raise", "exit", "syntax", "nothing", "text"],
)
def test_a_broken_plugin_is_a_value(installed: Installer, source: str, said: str) -> None:
    """It is reported with entry, group, distribution, version and the exception's words, while the others work."""
    installed("capacity-sample-broken", source, module="sample_broken", groups={PROBERS: "prober"}, version="2.1")
    installed("capacity-sample-good", GOOD, module="sample_good", groups={PROBERS: "prober"})
    plugins = load_plugins()

    assert plugins.failed == ()
    assert plugins.get(PROBERS, "sample-broken") is None
    (failure,) = plugins.failed
    assert (PROBERS, "sample-broken", "capacity-sample-broken", "2.1") == (
        failure.group, failure.name, failure.distribution, failure.version,
    )  # fmt: skip  # the four together
    assert said in failure.why
    assert why(plugins, PROBERS, "sample-broken") == str(failure)
    assert str(failure).startswith('prober "sample-broken" of capacity-sample-broken 2.1 cannot be used: ')
    assert plugins.get(PROBERS, "sample-good") is not None


def test_a_secret_in_an_exception_is_masked(installed: Installer) -> None:
    """A plugin that puts a key into its own error does not get it into ours."""
    source = "raise RuntimeError('bad key sk-abc123def456ghi789jkl at https://me:pw@host/x')"
    installed("capacity-sample-leaky", source, module="sample_leaky", groups={PROBERS: "prober"})

    told = why(load_plugins(), PROBERS, "sample-leaky")

    assert "RuntimeError: bad key *** at https://***host/x" in told


def test_a_plugin_that_hangs_keeps_nobody_waiting(installed: Installer) -> None:
    """One whose import would never end is listed, and the others are loaded and used, without importing it."""
    installed("capacity-sample-slow", "while True: pass", module="sample_slow", groups={PROBERS: "prober"})
    installed("capacity-sample-good", GOOD, module="sample_good", groups={PROBERS: "prober"})
    plugins = load_plugins()

    assert [(PROBERS, "sample-good"), (PROBERS, "sample-slow")] == sampled(plugins)
    assert plugins.require(PROBERS, "sample-good").factory()
    assert "sample_slow" not in sys.modules


def test_a_missing_plugin_is_named_with_what_to_install(installed: Installer) -> None:
    """The nearest name, and the distribution that offers this one."""
    installed("capacity-sample-good", GOOD, module="sample_good", groups={PROBERS: "prober"})

    assert 'no prober "sample-god" is installed (install capacity-sample-god; did you mean "sample-good"?)' == why(
        load_plugins(), PROBERS, "sample-god"
    )


def test_two_that_offer_one_name_are_both_refused(installed: Installer) -> None:
    """Neither wins by its place on the path, and both are named."""
    for name in ("one", "two"):
        source = GOOD
        installed(
            f"capacity-{name}", source, module=f"sample_{name}", groups={READERS: "reader"}, version=f"{len(name)}.0"
        )
    installed("capacity-sample-good", GOOD, module="sample_good", groups={PROBERS: "prober"})
    folder = Path(sys.path[0])
    for name in ("one", "two"):
        entry = next(folder.glob(f"capacity_{name}-*")) / "entry_points.txt"
        entry.write_text(f"[{READERS}]\nsample-both = sample_{name}:reader\n", encoding="utf-8")
    plugins = load_plugins()

    (failure,) = plugins.failed
    assert PluginFailure(
        READERS, "sample-both", "capacity-one, capacity-two", "3.0, 3.0",
        "it is offered by capacity-one 3.0 and capacity-two 3.0; uninstall all but one",
    ) == failure  # fmt: skip  # one value
    assert plugins.get(READERS, "sample-both") is None
    assert why(plugins, READERS, "sample-both") == str(failure)
    assert [(PROBERS, "sample-good")] == sampled(plugins)


def test_of_two_versions_the_first_on_the_path_counts(
    installed: Installer, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A distribution that lies on the path twice is no duplicate: Python imports the first."""
    installed("capacity-sample-good", GOOD, module="sample_good", groups={PROBERS: "prober"}, version="2.0")
    other = tmp_path_factory.mktemp("later")
    install(other, "Capacity.Sample_Good", {PROBERS: {"sample-good": "sample_good:prober"}}, {}, "1.0")
    monkeypatch.setattr(sys, "path", [*sys.path, str(other)])
    plugins = load_plugins()

    assert "2.0" == plugins.require(PROBERS, "sample-good").version
    assert plugins.failed == ()


@pytest.mark.parametrize(
    ("group", "source", "missing"),
    [
        (PROBERS, "def make(**options): return object()", "budget, account, probe"),
        (READERS, "class make:\n    def readings(self, doc): return None", "listing, failure"),
        (ACTUATORS, "class make:\n    abilities = frozenset({'prepare'})\n    fleet = apply = None", "prepare"),
    ],
)
def test_what_is_no_such_port_is_found_when_it_is_made(
    installed: Installer, group: str, source: str, missing: str
) -> None:
    """A factory whose result lacks members of its port is a fault of its distribution, and says which."""
    installed("capacity-sample-odd", source, module="sample_odd", groups={group: "make"})

    with pytest.raises(
        PluginError, match=rf"capacity-sample-odd 1\.0 cannot be used: it made a \w+ without {missing};"
    ):
        load_plugins().require(group, "sample-odd").factory()


def test_an_actuator_need_not_do_what_it_does_not_say(installed: Installer) -> None:
    """Preparing and reporting are asked for only where an ability declares them."""
    source = "class make:\n    abilities = frozenset({'move'})\n    fleet = apply = None"
    installed("capacity-sample-plain", source, module="sample_plain", groups={ACTUATORS: "make"})

    assert load_plugins().require(ACTUATORS, "sample-plain").factory()


def test_broken_metadata_hides_nobody(installed: Installer, tmp_path: Path) -> None:
    """A distribution whose entry points cannot be read is reported, and the others work."""
    installed("capacity-sample-good", GOOD, module="sample_good", groups={PROBERS: "prober"})
    installed("capacity-sample-torn", GOOD, module="sample_torn", groups={PROBERS: "prober"})
    next(tmp_path.glob("capacity_sample_torn-*")).joinpath("entry_points.txt").write_bytes(
        b"[capacity.probers]\n\xff\xfe"
    )
    installed("capacity-sample-bare", GOOD, module="sample_bare", groups={PROBERS: "prober"})
    next(tmp_path.glob("capacity_sample_bare-*")).joinpath("METADATA").unlink()
    plugins = load_plugins()

    (failure,) = plugins.failed
    assert ("", "", "capacity-sample-torn", "1.0") == (
        failure.group,
        failure.name,
        failure.distribution,
        failure.version,
    )
    assert str(failure).startswith("the entry points of capacity-sample-torn 1.0 cannot be used: UnicodeDecodeError")
    assert plugins.require(PROBERS, "sample-good").factory()
    assert plugins.require(PROBERS, "sample-bare").factory()


def test_only_what_is_allowed_is_there(installed: Installer) -> None:
    """An allow-list narrows to its names."""
    for name in ("one", "two"):
        installed(f"capacity-sample-{name}", GOOD, module=f"sample_{name}", groups={PROBERS: "prober"})

    assert [(PROBERS, "sample-two")] == sampled(load_plugins(only=["sample-two"]))
    assert [] == sampled(load_plugins(only=[]))


def test_whoever_looks_can_try_them_all(installed: Installer) -> None:
    """`tried` imports every plugin and tells what failed, each once."""
    installed(
        "capacity-sample-broken", "raise RuntimeError", module="sample_broken", groups={PROBERS: "x", READERS: "y"}
    )
    installed("capacity-sample-good", GOOD, module="sample_good", groups={PROBERS: "prober"})
    plugins = load_plugins(only=["sample-broken", "sample-good"])

    assert [(PROBERS, "sample-broken"), (READERS, "sample-broken")] == [
        (one.group, one.name) for one in plugins.tried()
    ]
    assert plugins.tried() == plugins.failed


def test_a_tick_says_who_made_it(installed: Installer) -> None:
    """The core and every installed plugin, with their versions; a failing one is not in it."""
    installed("capacity-sample-good", GOOD, module="sample_good", groups={PROBERS: "prober"}, version="1.2")
    made = made_by(load_plugins())

    assert made == made_by()
    assert "1.2" == made["capacity-sample-good"]
    assert "capacity-core" in made


def test_plugins_can_be_given_by_hand() -> None:
    """A host, or a test, needs no installation to bring a plugin."""
    plugin = Plugin(READERS, "mine", "host", "0", dict)
    plugins = Plugins([plugin])

    assert [plugin] == list(plugins)
    assert plugin is plugins.require(READERS, "mine")
    assert {} == plugins.require(READERS, "mine").factory()


def test_every_group_has_its_port() -> None:
    """There is one group for each port."""
    assert ["actuator", "inventory", "preparer", "prober", "reader", "store", "tier source"] == sorted(
        word for word, _ in PORTS.values()
    )
