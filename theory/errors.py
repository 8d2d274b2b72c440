"""The errors that the package raises on purpose."""


class InputError(ValueError):
    """Bad input: one line that names the value, the hypothesis it violates and the remedy."""


class Undecided(ArithmeticError):
    """A value depends on a question that was still undecided at the precision limit."""
