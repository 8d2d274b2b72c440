"""Gaussian tasks of one variance: what the gradient at the uniform point decides, and how often it is wrong."""
