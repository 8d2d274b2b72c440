"""Acting positionally and symbolically: the exclusion principle against the definition, and on heads in torch."""

from fractions import Fraction
from itertools import permutations
from math import factorial

import numpy as np
import pytest
import sympy
import torch
from hypothesis import given
from hypothesis import strategies as st

from theory.errors import InputError
from theory.evidence import Case, Constructed
from theory.ledger import Submissions
from theory.outcome import Outcome
from theory.rope.scores.acting import acts_positionally, acts_symbolically, deviations, permuted_deviations, swaps
from theory.rope.scores.exclusion import exclusion_bounds, variance


@st.composite
def matrices(draw: st.DrawFn) -> list[list[Fraction]]:
    size = draw(st.integers(1, 4))
    entries = st.fractions(-3, 3, max_denominator=3)
    return [[draw(entries) for _ in range(size)] for _ in range(size)]


@given(matrices())
def test_acting_and_deviations_are_those_of_the_definition(M: list[list[Fraction]]) -> None:
    size = range(len(M))
    everything = list(permutations(size))
    assert acts_positionally(M) == all(M[pi[j]][j] == M[j][j] for pi in everything for j in size)
    assert acts_symbolically(M) == all(M[j][pi[j]] == M[j][j] for pi in everything for j in size)
    times = factorial(len(M) - 1)
    assert permuted_deviations(M, everything) == tuple(times * total for total in deviations(M))


def test_swaps_are_transpositions() -> None:
    assert swaps(3) == [[1, 0, 2], [2, 1, 0], [0, 2, 1]]
    assert swaps(1) == []


def test_pure_heads() -> None:
    columns, rows = [[1, 2], [1, 2]], [[1, 1], [2, 2]]
    assert acts_positionally(columns) and not acts_symbolically(columns)
    assert acts_symbolically(rows) and not acts_positionally(rows)
    assert acts_positionally([[5]]) and acts_symbolically([[5]])
    # Equal logits, so that the principle excludes nothing, and yet neither.
    assert not acts_positionally([[0, 1], [1, 0]]) and not acts_symbolically([[0, 1], [1, 0]])


@given(matrices())
def test_bounds_are_those_of_the_definition(M: list[list[Fraction]]) -> None:
    size, (P, S) = len(M), deviations(M)
    mean = sum(M[c][c] for c in range(size)) / Fraction(size)
    spread = sum((M[c][c] - mean) ** 2 for c in range(size)) / Fraction(size)
    assert variance([M[c][c] for c in range(size)]) == spread
    found = {name: result.value for name, result in exclusion_bounds(sympy.Matrix(M)).items()}
    assert found["variance"].exact == spread
    assert (found["positional-deviation"].exact, found["symbolic-deviation"].exact) == (P, S)
    assert found["loose-bound"].exact == (P + S) / Fraction(size**2)
    roots = (float(P) ** 0.5 + float(S) ** 0.5) ** 2 / (2 * size**2)
    assert float(found["sharp-bound"]) == pytest.approx(roots, rel=1e-14)
    assert found["sharp-bound"].ball() >= 0 and float(spread) <= float(found["sharp-bound"]) * (1 + 1e-14)


def test_no_square_matrix_is_named() -> None:
    with pytest.raises(InputError, match=r"2 x 3.*square"):
        exclusion_bounds(sympy.zeros(2, 3))


def test_rotary_heads_in_torch(ledger: Submissions) -> None:
    """Random queries and keys of several planes, up to the rounding of the logits."""
    random, cases = torch.Generator().manual_seed(2511), list[Case]()
    for case in range(40):
        size, planes = 2 + case % 6, 1 + case % 4
        angles = torch.rand(planes, generator=random, dtype=torch.float64) * np.pi
        query = torch.randn(planes, dtype=torch.complex128, generator=random)
        keys = torch.randn(size, planes, dtype=torch.complex128, generator=random)
        phases = torch.outer(torch.arange(1, size + 2, dtype=torch.float64), angles)
        turns = torch.exp(1j * phases)
        M = torch.einsum("k,pck->cp", turns[-1] * query, (turns[:-1, None] * keys).conj()).real
        P, S = deviations(M.tolist())
        logits = M.diagonal()
        # A logit is off by at most (2 phases + 8 + planes) u |q| |k|, and the square of a difference of two by 8 times
        # this times |q| |k|; means of such squares by as much.
        scale = float(query.abs().sum() * keys.abs().max())
        allowance = 3 * 8 * (2 * float(phases.max()) + 8 + planes) * 2.0**-53 * scale**2
        cases.append((case, Outcome.of(float(logits.var(correction=0)) <= (P + S) / size**2 + allowance)))
    ledger.submit("rope-exclusion-principle", Constructed("random rotary heads", cases))
