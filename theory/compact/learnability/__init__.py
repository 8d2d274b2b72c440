"""Which words one continuous model can learn: one, finitely many that are apart, never all of them with one margin."""
