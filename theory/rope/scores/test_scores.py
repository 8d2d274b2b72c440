"""Scores: the definition by brute force in float64, blind spots as rotary heads, and layers in torch."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
import sympy
import torch
from hypothesis import given
from hypothesis import strategies as st

from constructions.rope_head import RopeHead, to_tensor
from tests.asked import floats
from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real
from theory.errors import InputError
from theory.evidence import Case, Constructed
from theory.ledger import Submissions
from theory.outcome import Outcome
from theory.rope.head import Head
from theory.rope.index.head import index_embedding, index_head
from theory.rope.retrieval.head import retrieval_head
from theory.rope.scores.definition import scores
from theory.rope.scores.heads import index_head_scores, retrieval_head_scores
from theory.rope.scores.realisation import Floats, realise, residual_bound


def by_definition(M: Floats, own: float, beta: float, tau: float) -> tuple[float, float]:
    """Softmax over all keys, contents exchanged one pair at a time, everything recomputed."""
    size = len(M)

    def attention(order: Sequence[int]) -> Floats:
        logits = beta * np.array([*(M[order[p], p] for p in range(size)), own])
        weights = np.exp(logits - logits.max())
        return weights / weights.sum()

    before, found, depths = attention(range(size)), [], []
    for i, j in combinations(range(size), 2):
        order = list(range(size))
        order[i], order[j] = j, i
        after = attention(order)
        u, v = after[[i, j]], before[[i, j]]
        norm = np.linalg.norm(u) * np.linalg.norm(v)
        found.append((u @ v / norm, u @ v[::-1] / norm))
        depths.append(abs(v[0] - v[1]) / tau)
    alpha = np.exp(np.array(depths) - max(depths))
    positional, symbolic = alpha @ np.array(found) / alpha.sum()
    return float(positional), float(symbolic)


def test_long_inputs() -> None:
    """A number of swaps beyond any depth of recursion."""
    size, theta = 60, 0.05
    offsets = size + 1 - np.arange(1, size + 1)
    index = floats("index-head-scores", n=size + 1, theta="0.05", beta=9, tau="0.1", offset=7)
    rows = np.tile(np.cos((offsets - 7) * theta), (size, 1))
    assert (index["s-pos"], index["s-sym"]) == pytest.approx(by_definition(rows, np.cos(7 * theta), 9, 0.1), rel=1e-12)
    left = [(5 * at * at) % 8 for at in range(size + 1)]
    found = floats("retrieval-head-scores", letters=8, left=left, wanted=3, theta="0.05", beta=9, tau="0.1")
    M = np.cos((np.array(left[:-1])[:, None] - 3) * np.pi / 4 + offsets * theta)
    own = np.cos((left[-1] - 3) * np.pi / 4)
    assert (found["s-pos"], found["s-sym"]) == pytest.approx(by_definition(M, own, 9, 0.1), rel=1e-12)
    defect = floats("retrieval-defect", letters=8, left=left[:-1], wanted=3, theta="0.05")["defect"]
    assert defect == pytest.approx(np.abs(M - M.diagonal()[:, None]).max(), rel=1e-12)


RETRIEVAL = {"letters": "8", "left": "[0, 3, 5, 2, 6, 1]", "wanted": "3", "beta": "4", "tau": "0.1"}


@pytest.mark.parametrize(("g", "h"), [("2", "0.3"), ("-1.5", "4"), ("0", "-3")])
def test_cosines_of_weights(g: str, h: str) -> None:
    v, u = (np.exp([float(x) / 2, -float(x) / 2]) for x in (g, h))
    norm = np.linalg.norm(u) * np.linalg.norm(v)
    found = floats("score-cosines", g=g, h=h)
    assert [found["positional"], found["symbolic"]] == pytest.approx([u @ v / norm, u @ v[::-1] / norm], rel=1e-14)
    assert found["sum"] == pytest.approx(found["positional"] + found["symbolic"], rel=1e-15)


def test_attention_before_and_after_a_swap() -> None:
    """Contents 2 and 3 exchanged: M[2][3] and M[3][2] in place of the diagonal."""
    found = floats("swapped-attention", M="[[1, 0, 2], [0.5, -1, 3], [1, 2, 0]]", own="-2", i="2", j="3", beta="1/2")
    for time, logits in (("before", [1, -1, 0, -2]), ("after", [1, 2, 3, -2])):
        weights = np.exp(np.array(logits) / 2)
        shares = [found[f"{time}-{position}"] for position in (1, 2, 3, 4)]
        assert shares == pytest.approx(list(weights / weights.sum()), rel=1e-14)


def test_limits_of_hand_built_heads() -> None:
    index = floats("index-head-scores", n="7", theta="0.8", beta="3", tau="1e-5", offset="2")
    logits = 3 * np.cos((np.arange(1, 7) - 2) * 0.8)
    assert index["range"] == pytest.approx(np.ptp(logits), rel=1e-14)
    assert index["s-sym"] == pytest.approx(index["s-sym-limit"], rel=1e-9)
    assert index["s-sym-limit"] == pytest.approx(1 / np.cosh(np.ptp(logits)), rel=1e-13)
    floor = floats("retrieval-score-floor", n="9", theta="0.02", beta="3")["retrieval-score-floor"]
    assert floor == pytest.approx(1 / np.cosh(3 * 7 * 0.02), rel=1e-14)


@given(st.integers(2, 5), st.sampled_from([0.01, 0.1, 1.0]), st.integers(0, 2**32 - 1))
def test_scores_are_those_of_the_definition(size: int, tau: float, seed: int) -> None:
    random = np.random.default_rng(seed)
    entries = random.integers(-20, 21, (size, size))
    M = [[sympy.Rational(int(entry), 10) for entry in row] for row in entries]
    own, beta = sympy.Rational(int(random.integers(-20, 21)), 10), int(random.integers(1, 4))
    found = [float(score) for score in scores(M, own, beta, sympy.Rational(tau).limit_denominator(100))]
    assert found == pytest.approx(by_definition(entries / 10, float(own), beta, tau), abs=1e-11 / tau)


@given(st.integers(3, 6), st.data())
def test_head_scores_are_those_of_the_definition(n: int, data: st.DataObject) -> None:
    turn = data.draw(st.fractions(-2, 2, max_denominator=9))
    angle = Angle(sympy.Rational(turn.numerator, turn.denominator))
    offset, letters = data.draw(st.integers(0, n - 1)), data.draw(st.integers(2, 5))
    left = data.draw(st.lists(st.integers(0, letters - 1), min_size=n, max_size=n))
    positions, beta, tau = np.arange(1, n + 1), Real.of(3), Real.of(sympy.Rational(1, 5))
    index = np.cos((n - positions - offset) * float(turn))
    found = index_head_scores(n, angle, beta, tau, offset)
    expected = by_definition(np.tile(index[:-1], (n - 1, 1)), index[-1], 3, 0.2)
    assert [float(found[name].value) for name in ("s-pos", "s-sym")] == pytest.approx(expected, abs=1e-12)
    assert float(found["range"].value) == pytest.approx(3 * np.ptp(index[:-1]), abs=1e-13)
    phases = np.array(left)[:, None] * 2 * np.pi / letters + (n - positions) * float(turn)
    retrieval = retrieval_head_scores(letters, tuple(map(sympy.Integer, left)), Real.of(0), angle, tau, beta)
    M = np.cos(phases)
    expected = by_definition(M[:-1, :-1], M[-1, -1], 3, 0.2)
    assert [float(result.value) for result in retrieval.values()] == pytest.approx(expected, abs=1e-12)


def test_range_bound_is_reached() -> None:
    """Two logits apart by r that become equal under the swap have both scores at the bound's limit."""
    for r in ("0.3", "1", "1.7"):
        found = floats("positional-symbolic-scores", M=f"[[{r}, 1], [1, 0]]", own="0", tau="1")
        assert found["s-pos"] == pytest.approx(found["s-sym"], abs=1e-14)
        bound = floats("score-range-bound", eps=f"{1 - found['s-pos']:.17f}")["score-range-bound"]
        assert bound == pytest.approx(float(r), abs=1e-7)


def test_many_equal_keys_need_small_tau() -> None:
    """One peak among ten: with equal weights on the swaps both scores are high, with the steepest they are not."""
    M = str([[6 if c == 0 else 0] * 10 for c in range(10)])
    flat, steep = (floats("positional-symbolic-scores", M=M, own="0", tau=tau) for tau in ("1e6", "1e-4"))
    assert flat["s-pos"] > 0.8 and flat["s-sym"] == pytest.approx(1)
    assert steep["s-pos"] < 0.01


@pytest.mark.parametrize(
    ("quantity", "arguments", "words"),
    [
        ("positional-symbolic-scores", {"M": "[[1]]", "own": "0", "tau": "1"}, "no swap.*n >= 3"),
        ("positional-symbolic-scores", {"M": "[[1, 2]]", "own": "0", "tau": "1"}, "1 x 2.*square"),
        ("positional-symbolic-scores", {"M": "[[1, 2], [3, 4]]", "own": "0", "tau": "0"}, "0 is not positive"),
        ("swapped-attention", {"M": "[[1, 2], [3, 4]]", "own": "0", "i": "1", "j": "3"}, "position 3"),
        ("score-range-bound", {"eps": "0.3"}, "eps=0.3.*0.2928"),
        ("score-range-bound", {"eps": "1.9"}, "eps=1.9"),
        ("score-range-bound", {"eps": "-0.1"}, "eps=-0.1"),
        ("index-head-scores", {"n": "2", "theta": "1", "beta": "1", "tau": "1"}, "no swap"),
        ("index-head-scores", {"n": "4", "offset": "4", "theta": "1", "beta": "1", "tau": "1"}, "offset=4"),
        ("retrieval-head-scores", {**RETRIEVAL, "theta": "0", "left": "[0, 1]"}, "n >= 3"),
        ("retrieval-head-scores", {**RETRIEVAL, "theta": "0", "left": "[0, 8, 1]"}, "8 is no letter"),
        ("retrieval-head-scores", {**RETRIEVAL, "theta": "0", "wanted": "0.5"}, "no letter"),
    ],
)
def test_bad_input_is_named(quantity: str, arguments: dict[str, str], words: str) -> None:
    with pytest.raises(InputError, match=words) as error:
        floats(quantity, **arguments)
    assert "\n" not in str(error.value)


def swap_cases(head: RopeHead, states: torch.Tensor, tau: float) -> tuple[float, float, float, float]:
    """Scores of a layer by moving embeddings about, the average of sech g, and how far rounding may take them."""
    before, size = head.weights(states)[-1], len(states) - 1
    beta = float(head.beta or 1)
    logits = beta * head.logits(states)[-1]
    terms, depths = [], []
    for i, j in combinations(range(size), 2):
        order = list(range(size + 1))
        order[i], order[j] = j, i
        u, v = head.weights(states[order])[-1, [i, j]], before[[i, j]]
        norm = u.norm() * v.norm()
        terms.append(torch.stack([u @ v / norm, u @ v.flip(0) / norm, 1 / torch.cosh(logits[i] - logits[j])]))
        depths.append((v[0] - v[1]).abs() / tau)
    alpha = torch.softmax(torch.stack(depths), dim=0)
    positional, symbolic, sech = (alpha @ torch.stack(terms)).tolist()
    # Weights are off by some beta n u, and so are cosines and, through alpha, their average by 1/tau of that.
    return positional, symbolic, sech, beta * (size + 1) * 2.0**-50 * (1 + 1 / tau)


def test_hand_built_heads_in_torch(ledger: Submissions) -> None:
    random, cases = torch.Generator().manual_seed(31558), list[Case]()
    for case in range(12):
        n, tau, beta = 4 + case % 4, (0.1, 1.0)[case % 2], 1.0 + case
        index = RopeHead(index_head(3, n - 1, sympy.Integer(1)), beta=beta)
        tokens = torch.cat(
            [torch.randint(0, 3 + n - 1, (n - 1,), generator=random), torch.tensor([3 + case % (n - 1)])]
        )
        states = to_tensor(index_embedding(3, n - 1), torch.float64).T[tokens]
        positional, symbolic, sech, allowance = swap_cases(index, states, tau)
        agrees = abs(positional - 1) <= allowance and abs(symbolic - sech) <= allowance
        cases.append(({"T_Index": tokens.tolist(), "beta": beta}, Outcome.of(agrees)))
        retrieval = RopeHead(retrieval_head(3, 2, sympy.Integer(0)), beta=beta)
        states = torch.eye(15, dtype=torch.float64)[torch.randint(0, 15, (n,), generator=random)]
        positional, symbolic, sech, allowance = swap_cases(retrieval, states, tau)
        agrees = abs(symbolic - 1) <= allowance and abs(positional - sech) <= allowance
        cases.append(({"T_Retrieval": states.argmax(-1).tolist(), "beta": beta}, Outcome.of(agrees)))
    ledger.submit("score-hand-built-heads", Constructed("T_Index at theta = 1, T_Retrieval at theta = 0", cases))


def test_retrieval_head_in_torch(ledger: Submissions) -> None:
    random, cases = torch.Generator().manual_seed(605), list[Case]()
    for case in range(12):
        n, theta, beta = 3 + case % 5, sympy.Rational(1 + case % 3, 10), 1.0 + case % 4
        head = RopeHead(retrieval_head(4, 1, theta), beta=beta)
        states = torch.eye(20, dtype=torch.float64)[torch.randint(0, 20, (n,), generator=random)]
        _, symbolic, _, allowance = swap_cases(head, states, 0.01)
        floor = 1 / np.cosh(beta * (n - 2) * float(theta))
        cases.append(
            ({"tokens": states.argmax(-1).tolist(), "theta": theta}, Outcome.of(symbolic >= floor - allowance))
        )
    ledger.submit("score-retrieval-floor", Constructed("T_Retrieval at small frequencies", cases))


def test_blind_spots_as_rotary_heads(ledger: Submissions) -> None:
    """Heads that realise blind logit matrices: the scores stay at 1 while attention moves elsewhere."""
    blind = [[[0, 5], [5, 0]], [[0, -2], [-3, 1]], [[0, -2, -1], [-3, 1, -1], [-3, -2, 2]]]
    closed, moved = list[Case](), list[Case]()
    for rows in blind:
        M, size = np.array(rows, dtype=np.float64), len(rows)
        angles = [sympy.Integer(1), sympy.Rational(7, 10)][: (size + 1) // 2]
        frequencies = np.array([float(angle) for angle in angles])
        query, keys = realise(M, frequencies)
        vectors = np.vstack([keys, 0 * query]), np.vstack([np.zeros_like(keys), query])
        W_K, W_Q = (sympy.Matrix([[sympy.Rational(x) for x in row] for row in side]).T for side in vectors)
        head = RopeHead(Head(tuple(angles), W_Q, W_K, sympy.eye(size + 1)), beta=1.0)
        states = torch.eye(size + 1, dtype=torch.float64)
        positional, symbolic, _, allowance = swap_cases(head, states, 1.0)
        allowance += 4 * residual_bound(keys, frequencies)
        expected = scores([[int(entry) for entry in row] for row in rows], 0, 1, 1)
        agree = np.abs(np.array(expected, dtype=float) - (positional, symbolic)).max() <= allowance
        closed.append((rows, Outcome.of(bool(agree))))
        swapped = [size - 1, *range(1, size - 1), 0, size]
        weights = head.weights(states)[-1], head.weights(states[swapped])[-1]
        still = bool((weights[0] - weights[1]).abs().max() < 0.01)
        assert abs(positional - 1) <= allowance
        moved.append((rows, Outcome.of(still)))
    ledger.submit("score-blind-spot", Constructed("blind matrices as rotary heads, scores as predicted", closed))
    ledger.submit("score-swaps-printed", Constructed("full positional score and moving attention", moved))
