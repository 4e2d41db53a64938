"""EDGE: the only room that decides *when*: it asks, folds, decides, applies and keeps, one tick after another."""

from __future__ import annotations

from capacity.engine.engine import Engine
from capacity.engine.settings import Settings
from capacity.engine.threaded import AsyncEngine
from capacity.engine.tick import Report

__all__ = ["AsyncEngine", "Engine", "Report", "Settings"]
