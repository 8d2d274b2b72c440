"""What is left of one step where the log-likelihood bends in z: remainders, their bounds, and models without any."""
