"""Log-linear families with one parameter vector a task, and what one gradient at u says of a datum of theirs.

Source: classical. The statistic is the number of events (Poisson), the outcome 0 or 1 (Bernoulli), the one-hot vector
of a letter (categorical); log h is left out of Poisson, where it is -log x!.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from theory.arithmetic.real import Real
from theory.compact.elementary import exp, log
from theory.errors import InputError
from theory.inference.arguments import distribution, largest_task, number, positive, results, rows, same_length, vector
from theory.inference.embeddings import ExponentialFamily, Gaussian, LogLinear
from theory.inference.simplex import Vector as Entries
from theory.inference.simplex import softmax, uniform
from theory.outcome import Outcome
from theory.quantities import Amount, Matrix, Positive, Result, Vector, quantity

CLAIM = "gbi-log-linear-master-identity"
SMALL = Fraction(1, 10**30)


def poisson(rates: Sequence[Any]) -> LogLinear:
    """Poisson tasks by their rates: eta = log rate, A = e^eta."""
    return poisson_of_logs([log(rate) for rate in rates])


def poisson_of_logs(logs: Sequence[Any]) -> LogLinear:
    """Poisson tasks by the logarithms of their rates."""
    return LogLinear(tuple((a,) for a in logs), lambda eta: exp(eta[0]), lambda eta: (exp(eta[0]),))


def bernoulli(probabilities: Sequence[Any]) -> LogLinear:
    """Bernoulli tasks by their probabilities of 1: eta = log odds, A = log(1 + e^eta)."""
    return bernoulli_of_logits([log(p / (1 - p)) for p in probabilities])


def bernoulli_of_logits(logits: Sequence[Any]) -> LogLinear:
    """Bernoulli tasks by their log odds."""
    return LogLinear(
        tuple((a,) for a in logits), lambda eta: log(1 + exp(eta[0])), lambda eta: (1 - 1 / (1 + exp(eta[0])),)
    )


def categorical(logits: Sequence[Entries]) -> LogLinear:
    """Categorical tasks by rows of logits, one entry a letter: A = log sum exp."""
    return LogLinear(tuple(logits), lambda eta: log(sum(map(exp, eta))), softmax)


def one_hot(letter: int, letters: int) -> tuple[int, ...]:
    """The statistic of a letter."""
    return tuple(int(place == letter) for place in range(letters))


def corrected(g: Sequence[Any], offsets: Sequence[Any], prior: Sequence[Any] | None = None) -> Entries:
    """softmax(g - B + log pi)."""
    return softmax([a - b for a, b in zip(g, offsets, strict=True)], prior)


def left_over(g: Sequence[Any], offsets: Sequence[Any], ell: Sequence[Any]) -> Entries:
    """G - B - ell, which is constant over the tasks by the master identity."""
    return tuple(a - b - c for a, b, c in zip(g, offsets, ell, strict=True))


def constant(values: Sequence[Any]) -> Outcome:
    """Whether all entries are equal: exactly where they are rational, else to 10^-30."""
    gaps = [value - values[0] for value in values[1:]]
    return Outcome.every(
        Outcome.of(gap == 0) if isinstance(gap, int | Fraction) else abs(Real.of(gap)) <= SMALL for gap in gaps
    )


def report(family: ExponentialFamily, t: Entries, prior: Entries = (), start: Entries = ()) -> dict[str, Result]:
    """Gradient at the start, offsets, log-likelihoods, g - B - ell, and the three ways to weigh the tasks."""
    weights, z = prior or uniform(family.tasks), start or uniform(family.tasks)
    same_length("prior", weights, family.tasks)
    same_length("start", z, family.tasks)
    distribution("prior", weights)
    if Real.of(sum(z)).equals(1) is Outcome.REFUTED:
        raise InputError("start does not add up to 1: the identity is of such starts; divide by the sum")
    g, offsets, ell = family.gradient(t, z), family.offsets(z), family.log_likelihoods(t)
    return results(
        mean=family.mean(family.parameter(z)),
        gradient=g,
        offset=offsets,
        log_likelihood=ell,
        left=left_over(g, offsets, ell),
        posterior=family.posterior(t, weights),
        step=softmax(g, weights),
        corrected=corrected(g, offsets, weights),
        gradient_task=largest_task(g),
        likelihood_task=largest_task(ell),
    )


@quantity("one-step-poisson", unit="nats, probability", claim=CLAIM)
def one_step_poisson(rates: Vector, x: Amount, prior: Vector = ()) -> dict[str, Result]:
    """One gradient at u for Poisson tasks of given rates at a count x; log-likelihoods without log x!."""
    values = vector(rates)
    positive("rates", values)
    return report(poisson(values), (x,), vector(prior))


@quantity("one-step-bernoulli", unit="nats, probability", claim=CLAIM)
def one_step_bernoulli(p: Vector, x: Amount, prior: Vector = ()) -> dict[str, Result]:
    """One gradient at u for Bernoulli tasks of given probabilities of 1, at an outcome x of 0 or 1."""
    values = vector(p)
    positive("p", values)
    positive("1 - p", [1 - value for value in values])
    if x > 1:
        raise InputError(f"x = {x} is no outcome of a Bernoulli variable; give 0 or 1")
    return report(bernoulli(values), (x,), vector(prior))


@quantity("one-step-gaussian", unit="nats, probability", claim="gbi-gaussian-corollary")
def one_step_gaussian(
    means: Matrix, x: Vector, variance: Positive, prior: Vector = (), start: Vector = ()
) -> dict[str, Result]:
    """One gradient at a start (u if not given) for Gaussian tasks, one row of means a task, at a datum x.

    The radii are the squared distances of the means from the mean of the start.
    """
    gaussian = Gaussian(rows(means), number(variance))
    datum, z = vector(x), vector(start)
    same_dimension(datum, gaussian)
    found = report(gaussian, datum, vector(prior), z)
    return found | results(squared_radius=gaussian.squared_distances(gaussian.output(z or None)))


def same_dimension(datum: Entries, gaussian: Gaussian) -> None:
    """Raises InputError where a datum has not one entry a coordinate."""
    if len(datum) != len(gaussian.means[0]):
        raise InputError(f"x has {len(datum)} entries and the means {len(gaussian.means[0])}; give equal lengths")


@quantity("one-step-categorical", unit="nats, probability", claim="gbi-softmax-lm-corollary")
def one_step_categorical(logits: Matrix, letter: Amount, prior: Vector = ()) -> dict[str, Result]:
    """One gradient at u for tasks that are rows of next-letter logits, at the letter (from 0) that came."""
    table = rows(logits)
    if letter >= len(table[0]):
        raise InputError(f"letter = {letter} has no logit; give one below {len(table[0])}")
    return report(categorical(table), one_hot(letter, len(table[0])), vector(prior))
