"""Embedding (B), a log-linear family: the gradient in z is the log-likelihood up to offsets B, KL divergences."""
