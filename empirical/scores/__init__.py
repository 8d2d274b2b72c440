"""Positional and symbolic scores of attention heads, from their queries and keys."""
