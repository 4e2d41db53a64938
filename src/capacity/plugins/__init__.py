"""Plugins: entry points as ports. What is installed is known without importing it; what fails is a value.

Looking reads metadata only. A plugin's module is imported when that plugin is asked for and no sooner, so one that
breaks or hangs at import is nobody else's trouble. Nothing is printed, and nothing raises for a plugin's sake but what
was asked for by name: `require`, and a factory that is called.
"""

from capacity.plugins.factories import PluginFailure
from capacity.plugins.installed import load_plugins, made_by
from capacity.plugins.ports import ACTUATORS, INVENTORIES, PORTS, PREPARERS, PROBERS, READERS, STORES, TIERS
from capacity.plugins.registry import Plugin, Plugins
from capacity.plugins.wanted import faults

__all__ = [
    "ACTUATORS",
    "INVENTORIES",
    "PORTS",
    "PREPARERS",
    "PROBERS",
    "READERS",
    "STORES",
    "TIERS",
    "Plugin",
    "PluginFailure",
    "Plugins",
    "faults",
    "load_plugins",
    "made_by",
]
