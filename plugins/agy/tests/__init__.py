"""Tests of capacity-agy; every answer in them is invented or recorded in shape."""
