"""Codex for `capacity`: limits, credits, models."""
