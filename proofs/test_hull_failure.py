"""The companion on tasks in the hull of others: broken formulas stop it, and its tables agree with floating point."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm

from proofs import hull_cases, hull_failure
from tests.companions import output, stops
from theory.inference.embeddings import Gaussian
from theory.inference.gaussian.consistency import Consistency, large_sample_consistency
from theory.inference.gaussian.hull import Failure
from theory.inference.gaussian.hull import hull_failure as failure
from theory.inference.gaussian.hulls import affine_distance
from theory.inference.log_linear.families import poisson

test_a_broken_formula_stops_the_script = stops(
    hull_failure,
    (hull_cases, "dot", lambda x, y: x[0] * y[0], 1),
    (hull_failure, "hull_failure", replace(failure, variant=Failure(hull="affine")), 2),
    (hull_cases, "FAILURE", Failure(ties=False), 3),
    (hull_cases, "corrected", lambda model, x: model.gradient(x), 5),
    (hull_cases, "LINE", Gaussian(((Fraction(0),), (Fraction(0),), (Fraction(5),))), 6),
    (hull_cases, "nearest", lambda points, own: (Fraction(1), (Fraction(1, 3),) * 3), 7),
    (hull_cases, "affine_distance", lambda points, own: Fraction(1), 8),
    (hull_cases, "in_hull", lambda points, own: affine_distance(points, own) == 0, 9),
    (hull_cases, "bernoulli", poisson, 10),
    (hull_cases, "drift", lambda model, c, j: model.offsets()[c] - model.offsets()[j], 11),
    (
        hull_failure,
        "large_sample_consistency",
        replace(large_sample_consistency, variant=Consistency(lambda s, divergence: divergence > 0)),
        12,
    ),
    (hull_cases, "right_way", lambda model, c, j, n: 1 - Fraction(1, n + 1), 14),
)


def test_tables_in_floating_point() -> None:
    means = np.array([0.0, 1.0, 5.0])
    for x, *found in hull_cases.line_rows((-7, 1, 4, 9)):
        g, ell = means * (x - means.mean()), -((x - means) ** 2) / 2
        assert [*map(float, found[:3])] == pytest.approx([*g])
        assert found[3:] == [means[g.argmax()], means[ell.argmax()], means[ell.argmax()]]
    for n, below, above in hull_cases.sample_rows((1, 3, 30)):
        assert float(below) == pytest.approx(norm.cdf(-np.sqrt(n)), abs=1e-6)
        assert float(above) == pytest.approx(norm.cdf(np.sqrt(n)), abs=1e-6)


def test_what_is_printed() -> None:
    text = output(hull_failure)
    assert re.search(r" 1 +0 +-1 +-5 +0 +1 +1\n", text)
    assert re.search(r"10 +0\.000783 +0\.999217\n", text)
