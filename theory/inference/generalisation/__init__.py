"""Tasks that were never learned: recombination of learned ones, forgetting, and how strange data are told."""
