"""hive for `capacity`: seats, readings, models, placements."""
