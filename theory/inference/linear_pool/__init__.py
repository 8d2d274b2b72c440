"""Embedding (A), a linear pool of the tasks: the gradient in z is the likelihood, and what that gives and does not."""
