"""Basins of a decoder: how far its weights certify that words cannot be told apart, and how far that is measured."""
