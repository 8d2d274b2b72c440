"""Heads with prescribed logits: read back from the definition, exactly, in balls, in float64 and in torch."""

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
import torch
from flint import arb, arb_mat, fmpq, fmpq_mat
from hypothesis import given
from hypothesis import strategies as st

from theory.arithmetic.angle import Angle
from theory.errors import InputError
from theory.evidence import Case, Constructed
from theory.ledger import Submissions
from theory.outcome import Outcome
from theory.rope.scores.realisation import (
    Floats,
    determinant,
    least_keys,
    orbit,
    realisation_determinant,
    realise,
    residual_bound,
)

BLIND = [
    [[0, 5], [5, 0]],
    [[0, -2], [-3, 1]],
    [[f if c == p else f - 3 for p, f in enumerate((0, 1, 2))] for c in range(3)],
]


def logits(query: Floats, keys: Floats, angles: Floats) -> Floats:
    """Each side turned by its own position, in extended precision."""
    size = len(keys)
    turned = np.exp(1j * (size + 1) * angles.astype(np.longdouble)) * (query[::2] + 1j * query[1::2])
    placed = np.exp(1j * np.outer(np.arange(1, size + 1), angles.astype(np.longdouble)))
    return np.einsum("k,pk,ck->cp", turned, placed.conj(), (keys[:, ::2] + 1j * keys[:, 1::2]).conj()).real


@given(st.integers(1, 10), st.integers(0, 3), st.integers(0, 2**32 - 1))
def test_realised_logits_stay_within_the_derived_bound(size: int, spare: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    planes = (size + 1) // 2 + spare
    angles = (np.arange(planes) + random.uniform(0.1, 0.9, planes)) * np.pi / planes
    M = random.normal(size=(size, size)) * 10.0 ** random.integers(-3, 4)
    query, keys = realise(M, angles)
    assert query.shape == (2 * angles.size,) and keys.shape == (size, 2 * angles.size)
    assert abs(logits(query, keys, angles) - M).max() <= residual_bound(keys, angles)


@given(st.integers(2, 10), st.floats(1e-12, 1.0))
def test_close_frequencies_are_carried_or_refused(size: int, spacing: float) -> None:
    M, angles = np.eye(size), 1.0 + spacing * np.arange((size + 1) // 2) / size
    try:
        query, keys = realise(M, angles)
    except InputError:
        assert spacing < 0.1
    else:
        assert abs(logits(query, keys, angles) - M).max() <= residual_bound(keys, angles) <= 1


def test_the_keys_are_the_shortest() -> None:
    M, angles = np.array(BLIND[2], dtype=np.float64), np.array([0.3, 1.1, 2.0])
    phases = np.outer([3, 2, 1], angles)
    rows = np.stack([np.cos(phases), np.sin(phases)], axis=-1).reshape(3, 6)
    assert realise(M, angles)[1] == pytest.approx(M @ np.linalg.pinv(rows).T, abs=1e-12)


@pytest.mark.parametrize("M", BLIND)
def test_balls_enclose_what_float64_finds(M: list[list[int]]) -> None:
    angles = [Angle.rope(10_000, 8, k) for k in (1, 2)]
    rows, with_balls = ball_rows(angles, len(M)), least_keys(arb_mat(M), arb_mat(ball_rows(angles, len(M)))).tolist()
    frequencies = np.array([float(angle.real) for angle in angles])
    keys = realise(M, frequencies)[1]
    # Errors of the logits and of the row space, each carried to the keys by the inverse on it.
    least = np.linalg.svd(np.array([[float(entry.mid()) for entry in row] for row in rows]), compute_uv=False).min()
    allowance = 2 * np.sqrt(len(M)) * residual_bound(keys, frequencies) / least
    for ball, number in zip((entry for row in with_balls for entry in row), keys.ravel(), strict=True):
        assert ball.rad() < 1e-9 and abs(float(ball.mid()) - number) <= allowance
    at_positions = (arb_mat(rows) * arb_mat(with_balls).transpose()).transpose()
    assert at_positions.contains(fmpq_mat(M))


def ball_rows(angles: list[Angle], size: int) -> list[list[arb]]:
    return orbit([(angle.real.at(53).cos(), angle.real.at(53).sin()) for angle in angles], [(1, 0)] * len(angles), size)


TANGENTS = [Fraction(1, 7), Fraction(4, 5), Fraction(9, 4), Fraction(5), Fraction(-1, 3)]


def cosine(t: Fraction) -> fmpq:
    return fmpq(*((1 - t * t) / (1 + t * t)).as_integer_ratio())


def sine(t: Fraction) -> fmpq:
    return fmpq(*(2 * t / (1 + t * t)).as_integer_ratio())


@pytest.mark.parametrize("m", range(1, 6))
def test_determinant_of_more_planes_exactly(m: int) -> None:
    for tangents in combinations(TANGENTS, m):
        query = [(fmpq(k + 1), fmpq(-k, 3)) for k in range(m)]
        rows = orbit([(cosine(t), sine(t)) for t in tangents], query, 2 * m)[::-1]
        norms = [a * a + b * b for a, b in query]
        assert fmpq_mat(rows).det() == determinant(tangents, norms, cosine, sine)


@pytest.mark.parametrize(
    ("angles", "brute_force"),
    [('["1/3"]', np.sin(1 / 3)), ('[1, "sqrt(2)", 0.25]', None), ('["pi/3", "2*pi/3"]', 3.0), ("[1, 1]", 0.0)],
)
def test_quantity(angles: str, brute_force: float | None) -> None:
    value = float(realisation_determinant.evaluate({"angles": angles})["realisation-determinant"].value)
    if brute_force is None:
        phases = np.outer(range(1, 7), [1, np.sqrt(2), 0.25])
        brute_force = np.linalg.det(np.stack([np.cos(phases), np.sin(phases)], axis=-1).reshape(6, 6))
    assert value == pytest.approx(brute_force, rel=1e-9)


@pytest.mark.parametrize(
    ("M", "angles", "words"),
    [
        ([[1, 2]], [1.0], "no square matrix"),
        (3.0, [1.0], "no square matrix"),
        ([], [1.0], "no square matrix"),
        ([[np.nan]], [1.0], "finite"),
        (np.eye(3), [1.0], "N = 3 positions take at least N/2 planes; angles has 1"),
        (np.eye(2), [], "angles has 0"),
        (np.eye(3), [1.0, 1.0], "repeat"),
        (np.eye(2), [0.0], "leave"),
        (np.eye(2), [np.pi], "leave"),
        (np.eye(2), [np.nan], "leave"),
        (np.eye(4), [1e-300, 2e-300], "coincide"),
        (np.eye(4), [1e-160, 1.0], "coincide"),
    ],
)
def test_bad_input_is_named(M: Any, angles: list[float], words: str) -> None:
    with pytest.raises(InputError, match=words) as error:
        realise(M, angles)
    assert "\n" not in str(error.value)


def turn(vectors: torch.Tensor, positions: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
    phase = positions[:, None] * angles
    x, y = vectors[..., ::2], vectors[..., 1::2]
    return torch.stack([x * phase.cos() - y * phase.sin(), x * phase.sin() + y * phase.cos()], dim=-1).flatten(-2)


def test_realised_heads_in_torch(ledger: Submissions) -> None:
    ledger.submit("rope-realises-any-logits", Constructed("score blind spots as rotary heads", _torch_cases()))


def _torch_cases() -> list[Case]:
    cases: list[Case] = []
    for M in BLIND:
        angles = np.array([1.0, 0.7])[: (len(M) + 1) // 2]
        query, keys = realise(M, angles)
        frequencies, positions = torch.tensor(angles), torch.arange(1, len(M) + 1, dtype=torch.float64)
        asked = turn(torch.tensor(query)[None], torch.tensor([len(M) + 1.0], dtype=torch.float64), frequencies)
        placed = turn(torch.tensor(keys)[:, None], positions, frequencies)
        seen = (placed @ asked.T).squeeze(-1).numpy()
        cases.append((M, Outcome.of(bool(abs(seen - np.array(M)).max() <= residual_bound(keys, angles)))))
    return cases
