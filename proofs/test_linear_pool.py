"""The companion on linear pools: broken formulas stop it, and its table agrees with Bayes' rule in floating point."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from proofs import linear_pool, linear_pool_cases
from tests.companions import output, stops
from theory.inference.embeddings import LinearPool
from theory.inference.linear_pool.likelihood import Reading, gradient_is_likelihood
from theory.inference.linear_pool.natural import Natural, natural_gradient_unit_step
from theory.inference.simplex import multiplied


class Unnormalised(LinearPool):
    """The gradient without its denominator."""

    def gradient(self, z: object = None) -> tuple[object, ...]:
        return self.likelihoods


test_a_broken_formula_stops_the_script = stops(
    linear_pool,
    (linear_pool_cases, "LinearPool", Unnormalised, 1),
    (linear_pool_cases, "dot", lambda x, y: sum(y), 2),
    (linear_pool_cases, "READING", Reading(weights=multiplied), 3),
    (linear_pool, "gradient_is_likelihood", replace(gradient_is_likelihood, variant=Reading(power=lambda t: 1)), 3),
    (linear_pool_cases, "repeated", lambda z, p, steps: z, 5),
    (linear_pool_cases, "READING", Reading(rate=lambda tasks: Fraction(1)), 7),
    (linear_pool_cases, "natural_gradient", multiplied, 8),
    (
        linear_pool,
        "natural_gradient_unit_step",
        replace(natural_gradient_unit_step, variant=Natural(chain=lambda temperature: temperature)),
        9,
    ),
    (linear_pool_cases, "centred", lambda g: g, 10),
    (linear_pool_cases, "FALSE", {"a true reading": Reading()}, 14),
)


def test_the_table_by_bayes_rule_in_floating_point() -> None:
    p, z, prior = np.array([2, 5, 1, 9]) / 10, np.array([1, 2, 3, 4]) / 10, np.array([4, 3, 2, 1]) / 10
    expected = [p, 4 * p / p.sum(), p / (z @ p), prior, prior * p / (prior @ p)]
    for index, (task, *row) in enumerate(linear_pool_cases.example()):
        assert task == index + 1
        assert [*map(float, row)] == pytest.approx([column[index] for column in expected], abs=1e-4)


def test_what_is_printed() -> None:
    text = output(linear_pool)
    assert re.search(r"4 +0\.9000 +2\.1176 +1\.7647 +0\.1000 +0\.2647\n", text)
