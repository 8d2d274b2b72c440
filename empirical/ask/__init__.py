"""One-hop tasks asked of a language model in words: `python -m empirical ask`."""
