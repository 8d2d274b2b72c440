"""What lies beyond compact positional encodings: models that learn what continuity forbids, and where the border is."""
