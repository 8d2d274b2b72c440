"""Decoders whose position data is compact: continuity in the Hamming distance, isolation, and what evades them."""
