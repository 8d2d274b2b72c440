"""Queries and keys of a model's attention heads, in one form for every kind of model."""
