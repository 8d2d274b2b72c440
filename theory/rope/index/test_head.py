"""The maps of the Index head, entry by entry, and its layer against the reference semantics."""

from itertools import product

import numpy as np
import pytest
import sympy
from numpy.typing import NDArray
from sympy import cos, sin, symbols

from constructions.reference import Integer, Letter, UndefinedError, index_at
from theory.errors import InputError
from theory.evidence import Enumeration
from theory.rope.index.feasibility import index_feasibility
from theory.rope.index.head import index_embedding, index_head, index_unembedding, key_column, query_column

theta = symbols("theta", real=True)


def test_maps_entry_by_entry() -> None:
    head = index_head(2, 3)
    assert head.angles == (theta,)
    assert head.W_Q.tolist() == [
        [0, 0, *(sin(s * theta) for s in (1, 2, 3)), 0],
        [1, 1, *(cos(s * theta) for s in (1, 2, 3)), 0],
    ]
    assert head.W_K.tolist() == [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1]]
    assert head.W_V.is_diagonal() and list(head.W_V.diagonal()) == [2, 2, 0, 0, 0, 0]
    assert list(index_head(2, 1, alpha=5).W_V.diagonal()) == [5, 5, 0, 0]
    assert index_head(2, 1, angle=sympy.pi / 2).W_Q.tolist() == [[0, 0, 1, 0], [1, 1, 0, 0]]
    assert query_column(0) == key_column() == sympy.Matrix([0, 1])


def test_embedding_and_unembedding() -> None:
    assert index_embedding(2, 1) == sympy.Matrix([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]])
    assert index_unembedding(2, 1) * index_embedding(2, 1) == sympy.eye(3)


@pytest.mark.parametrize(("letters", "integers", "named"), [(1, 3, "letters=1"), (2, 0, "integers=0")])
def test_alphabets_that_say_nothing(letters: int, integers: int, named: str) -> None:
    with pytest.raises(InputError, match=named):
        index_head(letters, integers)


def numeric(matrix: sympy.Matrix) -> NDArray[np.float64]:
    return np.array(matrix.subs(theta, 1).tolist(), dtype=float)


class FloatLayer:
    """The layer from its maps in double precision at theta = 1, rotations and attention written out."""

    def __init__(self, letters: int, integers: int) -> None:
        head = index_head(letters, integers)
        self.W_Q, self.W_K, self.W_V = map(numeric, (head.W_Q, head.W_K, head.W_V))
        self.E = numeric(index_embedding(letters, integers))
        self.U = numeric(index_unembedding(letters, integers))

    def logits(self, tokens: tuple[int, ...]) -> NDArray[np.float64]:
        def turned(vector: NDArray[np.float64], position: int) -> NDArray[np.float64]:
            x, y = vector
            return np.array([x * np.cos(position) - y * np.sin(position), x * np.sin(position) + y * np.cos(position)])

        query = turned(self.W_Q @ self.E[:, tokens[-1]], len(tokens))
        return np.array([turned(self.W_K @ self.E[:, t], at) @ query for at, t in enumerate(tokens, start=1)])

    def output(self, tokens: tuple[int, ...], beta: float) -> NDArray[np.float64]:
        weights = np.exp(beta * (self.logits(tokens) - 1))
        attended = self.E[:, list(tokens)] @ weights / weights.sum()
        return self.U @ (self.E[:, tokens[-1]] + self.W_V @ attended)


def symbol(number: int, letters: int) -> Letter | Integer:
    return Letter(number) if number < letters else Integer(number - letters + 1)


def test_every_short_input_decodes_at_one_radian() -> None:
    """A = I = 2, n <= 5: 1358 valid inputs; at a large inverse temperature the margins are those of hard attention."""
    layer, margins = FloatLayer(2, 2), []
    for n in range(1, 6):
        for tokens in product(range(4), repeat=n):
            try:
                wanted = index_at([symbol(t, 2) for t in tokens], n)
            except UndefinedError:
                continue
            right = wanted.index if isinstance(wanted, Letter) else wanted.value + 1
            output = layer.output(tokens, beta=1e4)
            margins.append(output[right] - np.max(np.delete(output, right)))
    assert len(margins) == 1358
    assert {round(margin, 9) for margin in margins} == {1.0, 3.0}


def test_the_enumeration_counts_all_valid_inputs() -> None:
    statement = list(index_feasibility.check(index_feasibility.variant, True))
    inputs = next(piece for piece in statement if isinstance(piece, Enumeration))
    # By length: the inputs whose query has a target, and the turns in [0, 1/2] that are tried on them.
    valid = {1: 2, 2: 3 * 4, 3: 4**3, 4: 4**4, 5: 4**5}
    turns = {1: 3, 2: 2, 3: 2, 4: 3, 5: 3}
    assert inputs.count == sum(valid[n] * turns[n] for n in valid)
