"""Tests of capacity-codex; every answer in them is invented or recorded in shape."""
