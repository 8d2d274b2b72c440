"""Positional and symbolic acting, the exclusion principle, and the scores that measure both."""
