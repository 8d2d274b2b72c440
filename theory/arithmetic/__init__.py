"""Arithmetic that can prove: balls, exact angles, continued fractions, and a grammar of exact numbers."""
