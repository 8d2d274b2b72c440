"""Many steps from u: how exponentiated gradients fall and where they end, and how long a confident start takes."""
