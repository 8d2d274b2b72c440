"""Torch modules with hand-written weights, and the plain-Python semantics they are held to."""
