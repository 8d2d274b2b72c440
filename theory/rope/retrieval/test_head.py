"""The maps of the Retrieval heads, entry by entry, and torch layers built from them against the reference semantics."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import product

import pytest
import sympy
import torch

from constructions import reference
from theory.arithmetic.ball import evaluate
from theory.errors import InputError
from theory.evidence import Constructed
from theory.ledger import Submissions
from theory.rope.head import Head
from theory.rope.retrieval.decoding import Design, printed, r1, r2, r3
from theory.rope.retrieval.head import letter_step, pairs, retrieval_head, wanted_letter
from theory.rope.retrieval.repaired import (
    integer_step,
    r1_doubled_head,
    r1_doubled_unembedding,
    r1_head,
    r1_residual,
    r2_head,
    r3_head,
)
from theory.rope.sequences import Pair, pair_alphabet, proper_sequences, retrieval, show

torch.set_num_threads(1)
TIE = 1e-12  # logits of float64 maps with entries below 1; true gaps here are above 1e-3


def tensor(matrix: sympy.Matrix) -> torch.Tensor:
    return torch.tensor([[float(evaluate(entry)) for entry in row] for row in matrix.tolist()], dtype=torch.float64)


class Layer:
    """One attention layer y = U (R x + a) with rotations written out; R and U are optional."""

    def __init__(
        self, head: Head, tokens: list[Pair], residual: sympy.Matrix = None, unembedding: sympy.Matrix = None
    ) -> None:
        self.W_Q, self.W_K, self.W_V = map(tensor, (head.W_Q, head.W_K, head.W_V))
        self.angles = torch.tensor([float(evaluate(angle)) for angle in head.angles], dtype=torch.float64)
        width = self.W_V.shape[0]
        self.W_R = torch.zeros(width, width, dtype=torch.float64) if residual is None else tensor(residual)
        self.U = torch.eye(width, dtype=torch.float64) if unembedding is None else tensor(unembedding)
        self.tokens, self.number = tokens, {token: number for number, token in enumerate(tokens)}

    def embed(self, tokens: Sequence[Pair]) -> torch.Tensor:
        one_hot = torch.eye(self.W_Q.shape[1], dtype=torch.float64)
        return one_hot[:, [self.number[token] for token in tokens]]

    def turn(self, vector: torch.Tensor, position: int) -> torch.Tensor:
        c, s = torch.cos(position * self.angles), torch.sin(position * self.angles)
        even, odd = vector[0::2], vector[1::2]
        return torch.stack((c * even - s * odd, s * even + c * odd), dim=1).flatten()

    @cache  # noqa: B019 (a layer lives as long as its test)
    def turned(self, query: bool, token: Pair, position: int) -> torch.Tensor:
        maps = self.W_Q if query else self.W_K
        return self.turn(maps[:, self.number[token]], position)

    def logits(self, tokens: Sequence[Pair]) -> torch.Tensor:
        keys = torch.stack([self.turned(False, token, place) for place, token in enumerate(tokens, 1)])
        return keys @ self.turned(True, tokens[-1], len(tokens))

    def output(self, tokens: Sequence[Pair], beta: float | None = None) -> torch.Tensor:
        logits, x = self.logits(tokens), self.embed(tokens)
        weights = (logits >= logits.max() - TIE).double() if beta is None else torch.softmax(beta * logits, 0)
        weights = weights / weights.sum()
        return self.U @ (self.W_R @ x[:, -1] + self.W_V @ x @ weights)

    def margin(self, tokens: Sequence[Pair], beta: float | None = None) -> float:
        output = self.output(tokens, beta)
        target = self.number[retrieval(tokens)[-1]]
        others = torch.cat((output[:target], output[target + 1 :]))
        return float(output[target] - others.max())


def layers(letters: int, integers: int) -> dict[str, tuple[Layer, Design]]:
    tokens = pair_alphabet(letters, integers)
    size = letters, integers
    doubled = Layer(
        r1_doubled_head(*size),
        tokens,
        sympy.eye(2 * len(tokens)),
        r1_doubled_unembedding(*size),
    )
    return {
        "R1": (Layer(r1_head(*size), tokens, r1_residual(*size)), r1(letters)),
        "R1'": (doubled, r1(letters)),
        "R2": (Layer(r2_head(*size), tokens), r2(*size)),
        "R3": (Layer(r3_head(*size), tokens), r3(*size)),
    }


def test_maps_entry_by_entry() -> None:
    head = retrieval_head(2, 1, sympy.pi / 5)
    assert head.angles == (sympy.pi / 5,)
    assert pairs(2, 1) == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    assert head.W_Q.tolist() == [[0] * 6, [1, -1, 1, 1, -1, -1]]
    assert head.W_K.tolist() == [[0] * 6, [1, 1, 1, -1, -1, -1]]
    assert head.W_V.is_Identity
    quarter = retrieval_head(4, 1)
    assert quarter.W_K[:, 5].T.tolist() == [[1, 0]] and quarter.W_K[:, 15].T.tolist() == [[-1, 0]]
    assert [wanted_letter(1, right, 2) for right in range(3)] == [0, 1, 1]


def test_maps_of_the_repairs() -> None:
    assert r1_head(2, 1).angles == (0,) and r1_head(2, 1).W_Q == retrieval_head(2, 1).W_Q
    assert list(r1_residual(2, 1, 3).diagonal()) == [0, 0, 3, 0, 0, 3]
    doubled = r1_doubled_head(2, 1)
    assert doubled.W_Q.shape == (2, 12) and doubled.W_V.shape == (12, 12)
    assert doubled.W_V[6:, :6] == sympy.eye(6) and doubled.W_V[:6, :].is_zero_matrix
    assert r1_doubled_unembedding(2, 1, 2)[:, 6:] == sympy.eye(6)
    head = r2_head(2, 2)
    assert head.angles == (0, 0)
    assert head.W_Q.tolist() == [
        [0] * 8,
        [1, -1, 1, 1, 1, -1, -1, -1],
        [0] * 8,
        [0, 0, -1, 1, 0, 0, -1, 1],
    ]
    assert head.W_K[1, :].tolist() == [[1, 1, 1, 1, -1, -1, -1, -1]] and head.W_K[2:, :] == head.W_Q[2:, :]
    sub = r3_head(2, 1)  # sub-sectors of a quarter turn, half of one beside the middle of a letter
    root = sympy.sqrt(2) / 2
    assert sub.W_K.tolist() == [
        [-root, -root, root, root, root, -root],
        [root, root, root, -root, -root, -root],
    ]
    assert sub.W_Q.tolist() == [[0, 0, root, 0, 0, -root], [1, -1, root, 1, -1, -root]]


@pytest.mark.parametrize(
    ("letters", "integers", "named"),
    [(1, 2, "letters=1"), (0, 2, "letters=0"), (2, 0, "integers=0"), (-3, 1, "letters=-3")],
)
def test_alphabets_that_say_nothing(letters: int, integers: int, named: str) -> None:
    for build in (retrieval_head, r1_head, r1_doubled_head, r1_residual, r2_head, r3_head):
        with pytest.raises(InputError, match=named):
            build(letters, integers)


def test_steps() -> None:
    assert letter_step(8) == sympy.pi / 4 and integer_step(1) == 2 * sympy.pi
    with pytest.raises(InputError, match="integers=0"):
        integer_step(0)


@pytest.mark.parametrize(("letters", "integers"), [(2, 2), (3, 1)])
def test_logits_of_all_pairs_of_tokens(letters: int, integers: int) -> None:
    tokens = pair_alphabet(letters, integers)
    turning = Layer(retrieval_head(letters, integers, 2 * sympy.pi * sympy.Rational(1, 14)), tokens)
    heads = layers(letters, integers)
    for key, query in product(tokens, repeat=2):
        for name, (layer, design) in heads.items():
            expected = [float(design.logit(level)) for level in design.levels((key, query))]
            assert layer.logits((key, query)).tolist() == pytest.approx(expected, abs=1e-12), name
        design = printed(letters, Fraction(1, 14))
        long = (key, tokens[0], query)
        expected = [float(design.logit(level)) for level in design.levels(long)]
        assert turning.logits(long).tolist() == pytest.approx(expected, abs=1e-12)


def margins(layer: Layer, inputs: Iterable[Sequence[Pair]], beta: float | None = None) -> list[tuple[str, float]]:
    return [(show(tokens), layer.margin(tokens, beta)) for tokens in inputs]


def test_sub_sectors_at_a_frequency() -> None:
    layer = Layer(r3_head(3, 2, 2 * sympy.pi * sympy.Rational(1, 14)), pair_alphabet(3, 2))
    design = r3(3, 2, Fraction(1, 14))
    for tokens in product(pair_alphabet(3, 2)[::2], repeat=3):
        expected = [float(design.logit(level)) for level in design.levels(tokens)]
        assert layer.logits(tokens).tolist() == pytest.approx(expected, abs=1e-12)


def test_printed_head_at_a_small_frequency(ledger: Submissions) -> None:
    tokens = pair_alphabet(2, 2)
    layer = Layer(retrieval_head(2, 2, sympy.pi * sympy.Rational(99, 1000)), tokens)  # 0.99 omega/(2 * 5)
    found = margins(layer, proper_sequences(2, 2, 4))
    assert len(found) == 1622
    ledger.submit(
        "retrieval-feasibility",
        Constructed("all proper inputs, n <= 4", ((case, abs(m - 1) < 1e-9) for case, m in found)),
    )


def test_printed_head_at_rest_fails_where_the_plurality_says(ledger: Submissions) -> None:
    layer = Layer(retrieval_head(2, 2, 0), pair_alphabet(2, 2))

    def plurality(tokens: Sequence[Pair]) -> bool:
        query = tokens[-1]
        if isinstance(query[1], str):
            return True
        rivals = [token for token in tokens if token[0] == query[0] and token != query]
        return all(tokens.count(query) > tokens.count(rival) for rival in rivals)

    cases = [(show(tokens), (layer.margin(tokens) > 1e-9) is plurality(tokens)) for tokens in proper_sequences(2, 2, 4)]
    ledger.submit("retrieval-letter-integer-collision", Constructed("all proper inputs, n <= 4, theta = 0", cases))
    wrong = [tokens for tokens in proper_sequences(2, 2, 4) if layer.margin(tokens) < 1e-9]
    assert len(wrong) == 620
    assert layer.margin((("a", 1), ("a", 2))) == pytest.approx(0)
    assert layer.margin((("a", 1), ("a", 1), ("a", 2))) == pytest.approx(-1 / 3)


@pytest.mark.parametrize(("letters", "integers", "longest"), [(2, 2, 3), (3, 1, 3)])
def test_repaired_heads_decode_all_proper_inputs(
    ledger: Submissions, letters: int, integers: int, longest: int
) -> None:
    inputs = list(proper_sequences(letters, integers, longest))
    for name, (layer, design) in layers(letters, integers).items():
        cases = []
        for tokens in inputs:
            margin = layer.margin(tokens)
            exact = float(design.hard_margin(tokens, retrieval(tokens)[-1]))
            cases.append((show(tokens), margin > 1e-9 and abs(margin - exact) < 1e-9))
        ledger.submit(
            "retrieval-repaired", Constructed(f"{name}, A = {letters}, I = {integers}, n <= {longest}", cases)
        )


def test_plain_residuals_fail() -> None:
    tokens = pair_alphabet(2, 2)
    a1, a2, ba = ("a", 1), ("a", 2), ("b", "a")
    plain = Layer(r1_head(2, 2), tokens, sympy.eye(8))
    assert plain.margin((a1, ba)) == pytest.approx(0)
    strong = Layer(
        Head((sympy.Integer(0),), r1_head(2, 2).W_Q, r1_head(2, 2).W_K, 2 * sympy.eye(8)), tokens, sympy.eye(8)
    )
    assert strong.margin((a1, ba)) == pytest.approx(1)
    assert strong.margin((a1, a1, a2)) > 0 and strong.margin((a1, a1, a1, a2)) == pytest.approx(0)


def test_residual_margin_at_scale_zero() -> None:
    layer, _ = layers(2, 1)["R1"]
    worst = min(
        layer.margin(tokens, 0.0) for tokens in proper_sequences(2, 1, 4) if len(tokens) == 4 and tokens[-1][1] == 1
    )
    assert worst == pytest.approx(0.5)


def test_semantics_agree_with_the_reference() -> None:
    def translated(token: Pair) -> reference.Pair:
        left, right = token
        letter = reference.Letter(ord(left) - ord("a"))
        other = reference.Integer(right) if isinstance(right, int) else reference.Letter(ord(right) - ord("a"))
        return reference.Pair(letter, other)

    for length in range(1, 5):
        proper = {tokens for tokens in proper_sequences(2, 1, 4) if len(tokens) == length}
        for tokens in product(pair_alphabet(2, 1), repeat=length):
            words = [translated(token) for token in tokens]
            assert reference.is_proper(words) is (tokens in proper)
            if tokens in proper:
                assert [translated(token) for token in retrieval(tokens)] == list(reference.retrieval(words))


def test_r3_bears_no_frequency() -> None:
    layer = Layer(r3_head(2, 2, sympy.Rational(311, 1000)), pair_alphabet(2, 2))
    assert sum(layer.margin(tokens) < 1e-9 for tokens in proper_sequences(2, 2, 4)) == 24
