"""Which positional encodings are compact, and what a model's configuration makes of continuity and isolation."""
