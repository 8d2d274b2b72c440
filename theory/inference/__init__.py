"""A task inferred by the gradient of a log-likelihood in the task variable z: when that is inference, and when not."""
