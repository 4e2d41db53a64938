"""Antigravity for `capacity`: quota groups, models."""
