"""Sequences to train on and to measure with, generated in bulk from a seed, and solved from the tokens alone."""
