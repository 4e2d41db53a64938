"""PURE floor: folds, rules and the decision. No clock, chance, log or I/O; everything comes in as a value."""
