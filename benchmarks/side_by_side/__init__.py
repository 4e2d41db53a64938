"""The same recorded situations put to opencode-broker and to `choose`, and wrong picks counted by a stated oracle."""
