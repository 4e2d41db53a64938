"""GROUND floor: frozen values, with units in every docstring and no behaviour beyond their own invariants.

Nothing here imports anything of the house but `errors` and its neighbours on this floor.
"""
