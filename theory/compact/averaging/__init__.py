"""Repeated causal averages: the earliest positions weigh most, and Poisson tails bound them."""
