"""The Reflexive head, by residual, position or symbol."""
