"""Information flow of a trained model: attention along the walk, answers in the residual stream, heads removed."""
