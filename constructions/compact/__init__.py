"""Decoders with compact positional encodings, what they learn together, and what escapes their limits."""
