"""The duels, a module a family; `table.py` gathers them."""
