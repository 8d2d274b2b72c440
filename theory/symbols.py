"""The SymPy symbols that all statements share, built once so that equal names are equal symbols."""

from sympy import symbols

# A rotation angle in radians, and the same in turns.
theta, alpha = symbols("theta alpha", real=True)
# The angle between neighbouring letters, and the inverse temperature.
omega, beta = symbols("omega beta", positive=True)
# A length, at least 1.
n = symbols("n", integer=True, positive=True)
# The value of an integer token, the offset of a key, and a number of steps.
s, r, t = symbols("s r t", integer=True)
# Positions; a content c placed at position p.
i, j, c, p = symbols("i j c p", integer=True)
# Letter indices of a key and of the query.
phi_c, phi_q = symbols("phi_c phi_q", integer=True)
