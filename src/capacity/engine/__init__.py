"""EDGE: the only room that decides *when*: it asks, folds, decides, applies and keeps, one tick after another."""

from __future__ import annotations

from capacity.engine.broker import Broker
from capacity.engine.engine import Engine
from capacity.engine.leasing import Reply
from capacity.engine.settings import Settings
from capacity.engine.threaded import AsyncBroker, AsyncEngine
from capacity.engine.tick import Report

__all__ = ["AsyncBroker", "AsyncEngine", "Broker", "Engine", "Reply", "Report", "Settings"]
