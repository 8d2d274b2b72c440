"""Accuracy against length, with irrelevant targets in front, and what a head's own planes predict of it."""
