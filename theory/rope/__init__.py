"""Positional and symbolic attention heads under rotary position embedding (arXiv 2605.31558, 2511.11579)."""
