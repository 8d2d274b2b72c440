"""The SymPy symbols of this family, built once."""

from sympy import symbols

# The range of the logits of a query, and its exponential.
Delta = symbols("Delta", nonnegative=True)
# The share of changed letters, a level that a bound is to meet, and ln(1/x).
d, x, y = symbols("d x y", positive=True)
# Changed letters, the length of a word, the number of layers and of averages.
k, n, L, m = symbols("k n L m", integer=True, positive=True)
# Virtual keys: none of the word's positions, but in the softmax.
v = symbols("v", integer=True, nonnegative=True)
