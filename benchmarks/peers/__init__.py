"""What peers take for the nearest thing they do, measured in the same run. Each says what has to be installed."""
