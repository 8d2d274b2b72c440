"""The copy task: what a flipped bit does to outputs, perplexity, sampling and gradients of a continuous model."""
