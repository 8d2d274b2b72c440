"""What a continuous decoder that has learned one word does to the words near it (arXiv 2505.10606)."""
