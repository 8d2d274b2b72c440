"""Training of decoders on the tasks: recipes, and a loop that can be killed at any moment and resumed to the bit."""
