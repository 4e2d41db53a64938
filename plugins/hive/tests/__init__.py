"""Tests of capacity-hive; every answer in them is invented or recorded in shape."""
