"""How z bends a model otherwise than through one gate: added to inputs of units, or through gates of a recurrence.

f = sum_j V_j phi(h_j + <U_j, z>) has the Hessian sum_j w_j U_j U_j^T, w_j = V_j phi''. Where these matrices are
linearly independent it is 0 only if all w_j are; else units can cancel. Gated recurrent steps h <- (G z) * (R h + w x),
which ReLUs of positive numbers leave alone, are a polynomial in z of as many degrees as there are steps.

Source: derived here, by the chain rule and by induction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, product
from typing import Any

from theory.evidence import Case
from theory.inference.simplex import Vector, dot, multiplied

ROWS = ((1, 0), (0, 1), (1, 1), (1, -1), (2, 0), (-2, -2))
MATRIX = ((Fraction(1, 2), Fraction(1)), (Fraction(2), Fraction(1, 3)))
GATE, FIRST = (Fraction(2, 3), Fraction(3, 2)), (Fraction(1), Fraction(1, 5))


def hessian(weights: Sequence[Any], rows: Sequence[Vector]) -> list[Any]:
    """The entries of sum_j w_j U_j U_j^T that are not above its diagonal."""
    tasks = len(rows[0])
    pairs = ((i, j) for i in range(tasks) for j in range(i + 1))
    return [sum(w * row[i] * row[j] for w, row in zip(weights, rows, strict=True)) for i, j in pairs]


def cancelling(independent: bool) -> Iterator[Case]:
    """Two units and two tasks: the Hessian is not 0, for independent U_j U_j^T or for all."""
    for first, second in product(ROWS, repeat=2):
        if independent and first[0] * second[1] == first[1] * second[0]:
            continue
        for weights in product((-1, 1, 4), repeat=2):
            yield {"U": (first, second), "w": weights}, any(hessian(weights, (first, second)))


def recurrent(gate: Vector, inputs: Sequence[Any]) -> Any:
    """The sum of units after as many steps as there are inputs."""
    units: Vector = (Fraction(0), Fraction(0))
    for x in inputs:
        units = multiplied(gate, tuple(dot(row, units) + w * x for row, w in zip(MATRIX, FIRST, strict=True)))
    return sum(units)


def degrees(most: int, of_steps: bool) -> Iterator[Case]:
    """Differences in c of as many orders as there are steps are one number that is not 0; or first ones are."""
    for steps, inputs in ((T, tail) for T in range(1, most + 1) for tail in combinations_with_replacement((1, 3), T)):
        order = steps if of_steps else 1
        values = [recurrent(tuple(c * entry for entry in GATE), inputs) for c in range(order + 2)]
        for _ in range(order):
            values = [after - before for before, after in pairwise(values)]
        yield {"T": steps, "inputs": inputs}, values[0] == values[1] != 0
