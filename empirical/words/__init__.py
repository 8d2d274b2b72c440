"""Decoders trained on infinite words, and what the theory of compact position data says of them."""
