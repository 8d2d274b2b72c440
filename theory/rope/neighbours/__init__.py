"""Statements of neighbouring papers about RoPE: what aligned keys can do, content over distance, the choice of base."""
