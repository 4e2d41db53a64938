"""Benchmarks: programs to run, never tests. The README says how to compare two runs."""
