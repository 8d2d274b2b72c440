"""Reflexive heads: quantities against brute force from the definition, bad input, and the heads in torch."""

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
import sympy
import torch
from hypothesis import given
from hypothesis import strategies as st

from theory.arithmetic.ball import evaluate
from theory.errors import InputError, Undecided
from theory.evidence import Case, Constructed
from theory.ledger import Submissions
from theory.outcome import Outcome
from theory.quantities import Quantity
from theory.rope.head import Head
from theory.rope.reflexive import temperature as scale
from theory.rope.reflexive.head import (
    circle_reflexive_head,
    orthonormal_reflexive_head,
    positional_reflexive_head,
)
from theory.rope.reflexive.residual import margins

EPS = torch.finfo(torch.float64).eps


def value(quantity: Quantity, name: str = "", **arguments: object) -> float:
    """The result of a quantity as the command line reads it."""
    results = quantity.evaluate({key: str(argument) for key, argument in arguments.items()})
    return float(results[name or quantity.name].value)


def weights(logits: Sequence[float], beta: float) -> list[float]:
    top = max(logits)
    raw = [math.exp(beta * (logit - top)) for logit in logits]
    return [each / sum(raw) for each in raw]


def least_margin(logit: Callable[[int, int, int], float], tokens: int, n: int, beta: float, residual: bool) -> float:
    """Brute force over all inputs: `logit` takes the query token, the key token and the offset."""
    least = math.inf
    for chosen in product(range(tokens), repeat=n):
        own = chosen[-1]
        attended = [0.0] * tokens
        for token, w in zip(
            chosen, weights([logit(own, key, n - 1 - at) for at, key in enumerate(chosen)], beta), strict=True
        ):
            attended[token] += w
        attended[own] += residual
        least = min(least, *(attended[own] - attended[c] for c in range(tokens) if c != own))
    return least


POSITIONS = [(1, "1", 0.7), (2, "pi/3", 1.9), (4, "sqrt(2)", 0.3), (5, "5/2", 4.0), (6, "2*pi*2/5", 2.0)]


@pytest.mark.parametrize(("n", "theta", "beta"), POSITIONS)
def test_positional_margins_are_those_of_all_inputs(n: int, theta: str, beta: float) -> None:
    angle = {"1": 1.0, "pi/3": math.pi / 3, "sqrt(2)": math.sqrt(2), "5/2": 2.5, "2*pi*2/5": math.pi * 0.8}[theta]

    def brute(residual: bool) -> float:
        return least_margin(lambda query, key, offset: math.cos(offset * angle), 2, n, beta, residual)

    for quantity, residual in ((scale.reflexive_residual_margin, True), (scale.reflexive_positional_margin, False)):
        assert value(quantity, n=n, theta=theta, beta=beta) == pytest.approx(brute(residual), abs=1e-13)


@pytest.mark.parametrize(("n", "theta"), [(3, "1"), (4, "7/5"), (6, "sqrt(3)"), (5, "2*pi/5")])
def test_positional_beta_separates_all_inputs(n: int, theta: str) -> None:
    angle = {"1": 1.0, "7/5": 1.4, "sqrt(3)": math.sqrt(3), "2*pi/5": math.pi * 0.4}[theta]
    least = value(scale.reflexive_positional_beta, n=n, theta=theta)
    sides = [
        least_margin(lambda query, key, offset: math.cos(offset * angle), 3, n, least * (1 + side * 1e-9), False)
        for side in (-1, 1)
    ]
    assert sides[0] < 0 < sides[1]
    assert least <= value(scale.reflexive_positional_sufficient_beta, n=n, theta=theta)
    assert value(scale.reflexive_positional_length, beta=math.ceil(least * 1e6) / 1e6, theta=theta) >= n


@pytest.mark.parametrize(("beta", "theta", "angle"), [(3, "1", 1.0), (50, "sqrt(2)", 2**0.5), (400, "1/10", 0.1)])
def test_positional_length_by_running_sum(beta: int, theta: str, angle: float) -> None:
    total, n = 0.0, 1
    while total < 1:
        total += math.exp(-beta * 2 * math.sin(n * angle / 2) ** 2)
        n += 1
    assert value(scale.reflexive_positional_length, beta=beta, theta=theta) == n - 1


@pytest.mark.parametrize(("n", "tokens"), [(2, 2), (3, 3), (4, 3), (3, 5), (4, 4), (1, 2)])
def test_symbolic_beta_separates_all_inputs(n: int, tokens: int) -> None:
    logits = {
        "circle": lambda query, key, offset: math.cos(2 * math.pi * (query - key) / tokens),
        "orthonormal": lambda query, key, offset: float(query == key),
    }
    for keys, logit in logits.items():
        least = value(scale.reflexive_symbolic_beta, keys, n=n, tokens=tokens)
        assert least_margin(logit, tokens, n, least + 1e-9, False) > 0
        if n > 2:
            assert least_margin(logit, tokens, n, least - 1e-9, False) < 0


@pytest.mark.parametrize(("beta", "tokens"), [("3", 3), ("1.5", 4), ("12", 8), ("0.1", 2)])
def test_symbolic_length_is_the_last_that_decodes(beta: str, tokens: int) -> None:
    gaps = {"circle": 1 - math.cos(2 * math.pi / tokens), "orthonormal": 1.0}
    for keys, gap in gaps.items():
        longest = value(scale.reflexive_symbolic_length, keys, beta=beta, tokens=tokens)
        share = math.exp(-float(beta) * gap)
        assert (longest - 1) * share < 1 <= longest * share


@pytest.mark.parametrize(
    ("quantity", "arguments", "name"),
    [
        (scale.reflexive_positional_beta, {"n": "3", "theta": "0"}, "theta"),
        (scale.reflexive_positional_beta, {"n": "4", "theta": "2*pi/3"}, "theta"),
        (scale.reflexive_positional_sufficient_beta, {"n": "4", "theta": "2*pi/3"}, "theta"),
        (scale.reflexive_positional_length, {"beta": "1e11", "theta": "1"}, "beta"),
        (scale.reflexive_positional_length, {"beta": "-1", "theta": "1"}, "beta"),
        (scale.reflexive_symbolic_beta, {"n": "0", "tokens": "3"}, "n"),
        (scale.reflexive_symbolic_beta, {"n": "4", "tokens": "1"}, "tokens"),
        (scale.reflexive_symbolic_length, {"beta": "nan", "tokens": "3"}, "nan"),
    ],
)
def test_bad_arguments_are_named(quantity: Quantity, arguments: dict[str, str], name: str) -> None:
    with pytest.raises(InputError, match=rf"\b{name}\b") as error:
        quantity.evaluate(arguments)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("head", [positional_reflexive_head, circle_reflexive_head, orthonormal_reflexive_head])
def test_one_token_has_no_competitor(head: Callable[[int], Head]) -> None:
    with pytest.raises(InputError, match="tokens=1"):
        head(1)


def test_a_length_that_balls_do_not_tell_is_undecided() -> None:
    with pytest.raises(Undecided):
        scale.reflexive_symbolic_length(evaluate(sympy.log(7)), 3)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=9), st.integers(0, 2**20))
def test_margins_are_output_differences(tokens: list[int], seed: int) -> None:
    raw = [Fraction(1 + (seed * (at + 3)) % 17) for at in range(len(tokens))]
    values = [[int(row == column) for column in range(4)] for row in range(4)]
    shares = [sum(w for w, token in zip(raw, tokens, strict=True) if token == c) / sum(raw) for c in range(4)]
    own = tokens[-1]
    assert margins(values, tokens, raw, residual=True) == {c: 1 + shares[own] - shares[c] for c in range(4) if c != own}


class Layer(torch.nn.Module):
    """One softmax layer with the maps of a head, in float64."""

    def __init__(self, head: Head, beta: float, residual: bool) -> None:
        super().__init__()
        maps = (head.W_Q, head.W_K, head.W_V)
        self.W_Q, self.W_K, self.W_V = (as_tensor(matrix) for matrix in maps)
        self.angles = as_tensor(sympy.Matrix([head.angles])).flatten()
        self.beta, self.residual = beta, residual

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Output at the last position, shape (batch, d), of tokens with shape (batch, n)."""
        x = torch.nn.functional.one_hot(tokens, self.W_V.shape[1]).double()
        phases = torch.arange(1, tokens.shape[1] + 1)[:, None] * self.angles
        turn = torch.polar(torch.ones_like(phases), phases)
        queries, keys = (torch.view_as_complex((x @ W.T).unflatten(-1, (-1, 2))) * turn for W in (self.W_Q, self.W_K))
        logits = (queries[:, -1:].conj() * keys).sum(-1).real
        attended = torch.einsum("bn,bnd->bd", (self.beta * logits).softmax(-1), x @ self.W_V.T)
        return attended + x[:, -1] if self.residual else attended


def as_tensor(matrix: sympy.Matrix) -> torch.Tensor:
    return torch.tensor([[float(evaluate(entry)) for entry in row] for row in matrix.tolist()], dtype=torch.float64)


def layer_cases(layer: Layer, tokens: int, n: int, least: float) -> Iterator[Case]:
    """All inputs decode, and the least margin is the one that is claimed, up to rounding of a sum of n weights."""
    inputs = torch.tensor(list(product(range(tokens), repeat=n)))
    output = layer(inputs)
    own = output.gather(1, inputs[:, -1:])
    others = output.scatter(1, inputs[:, -1:], -math.inf)
    found = (own.squeeze(1) - others.max(1).values).tolist()
    # A logit is off by 8 eps and by its phase, n eps; weights and sums by n more.
    allowance = (8 + 2 * n) * (1 + layer.beta) * EPS
    yield from ((tuple(chosen), margin > 0) for chosen, margin in zip(inputs.tolist(), found, strict=True))
    yield {"tokens": tokens, "n": n, "least margin": least}, abs(min(found) - least) <= allowance


def claimed() -> Iterator[tuple[str, str, Callable[[], Iterator[Any]]]]:
    def residual() -> Iterator[Case]:
        for head, beta in ((positional_reflexive_head(3, sympy.Integer(1)), 2.0), (circle_reflexive_head(3), 0.0)):
            n = 5
            least = value(scale.reflexive_residual_margin, n=n, theta=1, beta=beta) if beta else 2 / n
            yield from layer_cases(Layer(head, beta, residual=True), 3, n, least)

    def positional() -> Iterator[Case]:
        beta = math.ceil(value(scale.reflexive_positional_beta, n=5, theta=1)) + 1
        least = value(scale.reflexive_positional_margin, n=5, theta=1, beta=beta)
        yield from layer_cases(Layer(positional_reflexive_head(3, sympy.Integer(1)), beta, False), 3, 5, least)

    def symbolic() -> Iterator[Case]:
        for head, keys in ((circle_reflexive_head(5), "circle"), (orthonormal_reflexive_head(5), "orthonormal")):
            beta = value(scale.reflexive_symbolic_beta, keys, n=4, tokens=5) + 1
            competing = 3 * math.exp(-beta * (1 - math.cos(2 * math.pi / 5) if keys == "circle" else 1))
            yield from layer_cases(Layer(head, beta, False), 5, 4, (1 - competing) / (1 + competing))

    yield "reflexive-constructions", "positional and uniform weights with a residual", residual
    yield "reflexive-positional", "one unit above beta*", positional
    yield "reflexive-symbolic", "one unit above ln(n - 1)/gap", symbolic


@pytest.mark.parametrize(("claim", "name", "cases"), [pytest.param(*parts, id=parts[0]) for parts in claimed()])
def test_heads_in_torch(ledger: Submissions, claim: str, name: str, cases: Callable[[], Iterator[Case]]) -> None:
    evidence = Constructed(name, cases())
    assert evidence.outcome is Outcome.HOLDS, evidence.witness
    ledger.submit(claim, evidence)
