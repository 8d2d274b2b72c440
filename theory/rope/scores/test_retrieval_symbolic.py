"""Which heads act symbolically: the defect of the Retrieval head against its matrices, and layers in torch."""

from fractions import Fraction
from functools import cache
from itertools import permutations

import numpy as np
import pytest
import sympy
import torch
from hypothesis import given
from hypothesis import strategies as st

from theory.arithmetic.angle import Angle
from theory.errors import InputError
from theory.evidence import Case, Constructed
from theory.ledger import Submissions
from theory.outcome import Outcome
from theory.rope.retrieval.head import letter_number, pairs, retrieval_head, wanted_letter
from theory.rope.scores.realisation import Floats
from theory.rope.scores.retrieval_symbolic import retrieval_defect
from theory.rope.scores.symbolic_iff_nope import KEYS, Family


@cache
def matrices(letters: int) -> tuple[Floats, Floats]:
    head = retrieval_head(letters, 1, sympy.Integer(0))
    W_Q, W_K = (np.array(matrix.tolist(), dtype=np.float64) for matrix in (head.W_Q, head.W_K))
    return W_Q, W_K


@given(st.integers(2, 5), st.data())
def test_defect_is_that_of_the_matrices(letters: int, data: st.DataObject) -> None:
    """Against float64 rotations of the columns of W_Q and W_K, over all permutations of the contents."""
    left = data.draw(st.lists(st.integers(0, letters - 1), min_size=1, max_size=4))
    wanted = data.draw(st.integers(0, letters - 1))
    turn = data.draw(st.fractions(-2, 2, max_denominator=12))
    tokens = pairs(letters, 1)
    query = next(q for q, token in enumerate(tokens) if wanted_letter(*token, letters) == wanted)
    W_Q, W_K = matrices(letters)

    def turned(vector: Floats, position: int) -> complex:
        return complex(vector[0], vector[1]) * np.exp(1j * position * float(turn))

    size = len(left)
    asked = turned(W_Q[:, query], size + 1)

    def logit(content: int, position: int) -> float:
        key = W_K[:, tokens.index((left[content], letters))]
        return float((asked * turned(key, position + 1).conjugate()).real)

    moves = [abs(logit(j, pi[j]) - logit(j, j)) for pi in permutations(range(size)) for j in range(size)]
    angle = Angle(sympy.Rational(turn.numerator, turn.denominator))
    number = sympy.Integer(wanted)
    found = retrieval_defect(letters, tuple(map(sympy.Integer, left)), number, angle)
    assert float(found["defect"].value) == pytest.approx(max(moves), abs=1e-13)
    assert found["defect"].value.ball() <= found["bound"].value.ball() or size == 1


@pytest.mark.parametrize("value", [-1, 3, Fraction(1, 2), sympy.sqrt(2)])
def test_no_letter_is_named(value: object) -> None:
    with pytest.raises(InputError, match="no letter of an alphabet of 3"):
        letter_number(value, 3)


def test_families_hold_what_they_say() -> None:
    assert all(any(any(key) for key in head.keys) and any(head.query) for head in Family().instances())
    everything = Family(earlier=1, zero_query=True, zero_keys=True).instances()
    assert len(list(everything)) == 5 * 3 * len(KEYS)


def attend(layer: dict[str, torch.Tensor], tokens: torch.Tensor, theta: float) -> torch.Tensor:
    """One plane: the attention output at the last position, whose sums do not depend on the order of their terms."""
    phases = theta * torch.arange(1, len(tokens) + 1, dtype=torch.float64)
    queries, keys, values = ((tokens[:, None] * layer[name]).sum(dim=-1) for name in ("W_Q", "W_K", "W_V"))
    query, turned = (torch.view_as_complex(side) * torch.exp(1j * phases) for side in (queries, keys))
    weights = torch.exp((query[-1] * turned.conj()).real)
    return (weights[:, None] * values).sort(dim=0).values.sum(dim=0) / weights.sort().values.sum()


def test_layers_in_torch(ledger: Submissions) -> None:
    """At frequency 0 the output is the same for all orders of the earlier tokens, bit for bit in sorted summation."""
    random, cases = torch.Generator().manual_seed(2511), list[Case]()
    for case in range(30):
        shape = {"W_Q": (2, 5), "W_K": (2, 5), "W_V": (5, 5)}
        layer = {name: torch.randn(size, generator=random, dtype=torch.float64) for name, size in shape.items()}
        tokens = torch.randn(4, 5, generator=random, dtype=torch.float64)
        orders = [torch.tensor([*order, 3]) for order in permutations(range(3))]
        still = {attend(layer, tokens[order], 0.0).numpy().tobytes() for order in orders}
        turned = {attend(layer, tokens[order], 0.7).numpy().tobytes() for order in orders}
        cases.append((case, Outcome.of((len(still), len(turned)) == (1, 6))))
    ledger.submit("one-plane-symbolic-iff-nope", Constructed("random layers at frequencies 0 and 0.7", cases))
