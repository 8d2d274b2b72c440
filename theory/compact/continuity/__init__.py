"""Outputs at two words that share the last token and differ in few places: explicit moduli of continuity."""
