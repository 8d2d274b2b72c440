"""The companion on log-linear models: broken formulas stop it, and its tables agree with floating point."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
import sympy

from proofs import master_cases, master_identity, offset_cases
from tests.companions import output, stops
from theory.inference.embeddings import Gaussian, LogLinear
from theory.inference.log_linear.bias_corrected import Corrected, bias_corrected_equals_lli
from theory.inference.log_linear.exactness import Exactness, any_pair, exactness_iff_equal_offsets
from theory.inference.log_linear.families import corrected
from theory.inference.log_linear.master import Master, log_linear_master_identity, reversed_offsets
from theory.inference.simplex import softmax


def steep(logs: tuple[sympy.Expr, ...]) -> LogLinear:
    """Poisson tasks with twice the mean."""
    return LogLinear(tuple((a,) for a in logs), lambda eta: sympy.exp(eta[0]), lambda eta: (2 * sympy.exp(eta[0]),))


test_a_broken_formula_stops_the_script = stops(
    master_identity,
    (master_cases, "poisson_of_logs", steep, 1),
    (master_cases, "MASTER", Master(offsets=reversed_offsets), 2),
    (master_cases, "centred", lambda g: g, 4),
    (master_cases, "MASTER", Master(sign=1), 5),
    (
        master_identity,
        "log_linear_master_identity",
        replace(log_linear_master_identity, variant=Master(copies=lambda n: 1)),
        5,
    ),
    (master_cases, "MASTER", Master(copies=lambda n: 1), 7),
    (offset_cases, "EXACT", Exactness(criterion=any_pair), 9),
    (offset_cases, "EXACT", Exactness(lean=-1), 10),
    (offset_cases, "wrong_datum", lambda gaussian: None, 11),
    (
        master_identity,
        "exactness_iff_equal_offsets",
        replace(exactness_iff_equal_offsets, variant=Exactness(criterion=any_pair)),
        11,
    ),
    (offset_cases, "NORMS", Gaussian(((1, 0), (0, 1), (-1, 0), (0, -1))), 12),
    (offset_cases, "corrected", lambda g, offsets, prior=None: softmax(g, prior), 13),
    (
        master_identity,
        "bias_corrected_equals_lli",
        replace(bias_corrected_equals_lli, variant=Corrected(priors=2)),
        13,
    ),
    (offset_cases, "jacobian_offsets", lambda gaussian: gaussian.squared_distances(), 14),
    (offset_cases, "corrected", lambda g, offsets, prior=None: corrected(g, offsets if prior else g, prior), 15),
    (master_cases, "Bent", Gaussian, 16),
    (master_cases, "FALSE", {"a true form": Master()}, 17),
)


def shares(logits: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.exp(logits - logits.max())
    return found / found.sum()


def test_counts_in_floating_point() -> None:
    rates = np.array([1.0, 2.0, 6.0])
    mean = np.exp(np.log(rates).mean())
    g, ell = np.log(rates) * (3 - mean), 3 * np.log(rates) - rates
    divergences = mean * np.log(mean / rates) - mean + rates
    expected = np.stack([g, divergences, ell, g - divergences - ell, shares(ell), shares(g)], axis=1)
    for row, (_, *printed) in zip(expected, master_cases.counts(), strict=True):
        assert [*map(float, printed)] == pytest.approx([*row], abs=1e-4)


def test_the_triangle_in_floating_point() -> None:
    means, x, prior = np.array([[0, 0], [2, 0], [0, 1]]), np.array([0.7, 0.2]), np.array([0.2, 0.3, 0.5])
    ell = -2 * ((x - means) ** 2).sum(axis=1)
    g = 4 * means @ (x - means.mean(axis=0))
    divergences = 2 * ((means - means.mean(axis=0)) ** 2).sum(axis=1)
    columns = [g, divergences, ell, shares(g), shares(ell), shares(ell + np.log(prior))]
    for row, (_, *printed) in zip(np.stack(columns, axis=1), offset_cases.triangle_rows(), strict=True):
        assert [*map(float, printed)] == pytest.approx([*row], abs=1e-4)


def test_what_is_printed() -> None:
    text = output(master_identity)
    assert re.search(r"3 +1\.2732 +1\.5048 +-0\.6247 +0\.3931 +0\.2696 +0\.5754\n", text)
    assert re.search(r"1 +0\.6644 +0\.6034\n", text)
