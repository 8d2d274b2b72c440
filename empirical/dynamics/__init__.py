"""Learning dynamics: accuracy by hops, scores and entropy of the heads, and pure heads, over a training."""
