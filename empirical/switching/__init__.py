"""A stream that switches between Gaussian tasks, and LSTMs that are told the task or not."""
