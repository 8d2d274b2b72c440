"""An entropy added to the log-likelihood, or a square in its place: concavity, fixed points, and projections."""
