"""Claims about scores, on heads that are measured as trained ones are: from queries, keys and one logit matrix."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import sympy
import torch
from torch import Tensor

from constructions.rope_head import RopeHead, to_tensor
from empirical.capture.heads import LayerHeads
from empirical.rotary import Rotary
from empirical.scores.head_scores import HeadScores
from empirical.scores.score import score_layer
from theory.evidence import Case, Constructed, Search, Trial
from theory.ledger import Submissions
from theory.outcome import Outcome
from theory.rope.head import Head
from theory.rope.index.head import index_embedding, index_head
from theory.rope.retrieval.head import retrieval_head
from theory.rope.scores.realisation import realise

SEED = 2605


def measured(head: Head, states: Tensor, beta: float, tau: float) -> HeadScores:
    """A hand-built head on states (inputs, n, d)."""
    layer = RopeHead(head, beta=beta)
    rotary = Rotary.adjacent([float(angle) for angle in head.angles])
    queries, keys = ((states @ weights.T)[:, None] for weights in (layer.W_Q, layer.W_K))
    return score_layer(LayerHeads(0, queries, keys, rotary, beta), tau=tau)


def one_hot(tokens: list[int], types: int) -> Tensor:
    return torch.eye(types, dtype=torch.float64)[torch.tensor(tokens)][None]


def index_states(tokens: Tensor, letters: int, integers: int) -> Tensor:
    return to_tensor(index_embedding(letters, integers), torch.float64).T[tokens]


@pytest.mark.parametrize(("tau", "symbolic"), [(0.1, 0.0559486699388), (1e-4, 0.000699860075105)])
def test_worked_index_head(tau: float, symbolic: float) -> None:
    tokens = torch.tensor([[0, 1, 1, 0, 1, 0, 0, 1, 2 + 2]])  # two letters, then the integer 3 as query
    found = measured(index_head(2, 8, sympy.Integer(1)), index_states(tokens, 2, 8), 4.0, tau)
    assert float(found.positional) == pytest.approx(1, abs=1e-13)
    assert float(found.symbolic) == pytest.approx(symbolic, rel=1e-11)
    assert float(found.counted.nulls.pure) == pytest.approx(symbolic, rel=1e-11)
    assert found.counted.purity(0.1) == ["positional"]
    assert float(found.counted.exclusion()) == pytest.approx(1, abs=1e-12)  # the sharp form is reached by pure heads


@pytest.mark.parametrize(
    ("theta", "positional", "symbolic"),
    [
        ("0", 0.0317652968975, 1),
        ("1/20", 0.0222325376304, 0.999957721313),
        ("1/5", 0.0404803929595, 0.998858438252),
    ],
)
def test_worked_retrieval_head(theta: str, positional: float, symbolic: float) -> None:
    left, integers = [0, 3, 5, 2, 6], 1
    tokens = [letter * (8 + integers) + 8 for letter in left] + [1 * (8 + integers) + 3]
    found = measured(retrieval_head(8, integers, sympy.Rational(theta)), one_hot(tokens, 8 * (8 + integers)), 4.0, 0.1)
    assert float(found.positional) == pytest.approx(positional, rel=1e-11)
    assert float(found.symbolic) == pytest.approx(symbolic, rel=1e-11)
    assert found.counted.purity(0.1) == ["symbolic"]


def test_hand_built_heads_as_measured(ledger: Submissions) -> None:
    ledger.submit("score-hand-built-heads", Constructed("T_Index and T_Retrieval, scored by batches", _hand_built()))


def _hand_built() -> Iterator[Case]:
    random = torch.Generator().manual_seed(SEED)
    for n, beta, tau in ((3, 2.0, 1e-4), (9, 5.0, 0.1), (40, 30.0, 1.0)):
        tokens = torch.randint(0, 3 + n - 1, (20, n), generator=random)
        index = measured(index_head(3, n - 1, sympy.Rational(1, 7)), index_states(tokens, 3, n - 1), beta, tau)
        states = torch.eye(15, dtype=torch.float64)[torch.randint(0, 15, (20, n), generator=random)]
        retrieval = measured(retrieval_head(3, 2, sympy.Integer(0)), states, beta, tau)
        # Logits are off by some beta n u; so are cosines and, through alpha, their averages by 1/tau of that.
        allowance = beta * n * 2.0**-50 * (1 + 1 / tau)
        for name, found, own, other in (
            ("T_Index", index, index.positional, index.symbolic),
            ("T_Retrieval", retrieval, retrieval.symbolic, retrieval.positional),
        ):
            off = torch.stack([(own - 1).abs(), (other - found.counted.nulls.pure).abs()]).amax((0, 2))
            for number, largest in enumerate(off.tolist()):
                yield {name: number, "n": n, "beta": beta, "tau": tau}, Outcome.of(largest <= allowance)


BLIND = [[0, -2, -1], [-3, 1, -1], [-3, -2, 2]]


def test_blind_spot_as_measured(ledger: Submissions) -> None:
    """Realised with two planes and scored: full positional score, and yet far from positional."""
    frequencies = np.array([1.0, 0.7])
    query, keys = (torch.from_numpy(side) for side in realise(BLIND, frequencies))
    q = query.expand(1, 1, 4, 4)
    k = torch.cat((keys, torch.zeros(1, 4, dtype=torch.float64)))[None, None]
    found = score_layer(LayerHeads(0, q, k, Rotary.adjacent(frequencies.tolist()), 1.0))
    assert float(found.symbolic) == pytest.approx(1 / np.cosh(2), abs=1e-6)
    assert found.counted.purity(0.1) == [""] and float(found.counted.exclusion()) < 0.2
    held = abs(float(found.positional) - 1) <= 1e-12
    ledger.submit("score-blind-spot", Constructed("scored from queries and keys", [(BLIND, Outcome.of(held))]))


def test_adversarial_heads_keep_the_bounds(ledger: Submissions) -> None:
    """Gradient ascent on queries, keys and frequencies against both bounds of the sum and the exclusion inequality."""
    ascents = {goal: list(_ascend(goal)) for goal in ("smallest sum", "largest sum", "exclusion")}
    lower = [Trial((goal, step), 1.0, total) for goal, a in ascents.items() for step, total, _ in a]
    upper = [Trial((goal, step), total, 2.0, allowance=2e-15) for goal, a in ascents.items() for step, total, _ in a]
    ledger.submit("score-sum-bounds", Search("gradient ascent on rotary heads", [*lower, *upper], seed=SEED))
    # Both sides of the inequality are sums of squares, each rounded some N^2 times.
    ratios = [Trial((goal, step), r, 1.0, allowance=1e-14) for goal, a in ascents.items() for step, _, r in a]
    ledger.submit("rope-exclusion-principle", Search("gradient ascent on rotary heads", ratios, seed=SEED))
    assert max(total for _, total, _ in ascents["largest sum"]) > 1.99
    assert min(total for _, total, _ in ascents["smallest sum"]) < 1.01
    assert max(ratio for *_, ratio in ascents["exclusion"]) > 0.9


def _ascend(goal: str) -> Iterator[tuple[int, float, float]]:
    """Sum of the scores and exclusion ratio at each step, of the worst of eight heads."""
    random = torch.Generator().manual_seed(SEED)
    q, k = (torch.randn(1, 8, 6, 6, dtype=torch.float64, generator=random).requires_grad_() for _ in range(2))
    adam = torch.optim.Adam([q, k], lr=0.2)
    for step in range(25):
        found = score_layer(LayerHeads(0, q, k, Rotary.adjacent([1.0, 0.3, 0.0]), 1.0), tau=0.05)
        total, ratio = found.positional + found.symbolic, found.counted.exclusion()
        loss = {"smallest sum": total, "largest sum": -total, "exclusion": -ratio}[goal]
        # The worst of what each bound is about, although only one of them is driven.
        worst = total.min() if goal == "smallest sum" else total.max()
        yield step, float(worst.detach()), float(ratio.detach().max())
        adam.zero_grad()
        loss.sum().backward()
        adam.step()
