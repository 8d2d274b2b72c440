"""The commands of `python -m theory`, one a module."""
