"""In a log-linear family the gradient at u is the log-likelihood up to constants of the tasks, which are divergences.

ell_k = ell(u) + (g_k - mean g) - B_k, with B_k = A(eta_k) - A(etabar) - <grad A(etabar), eta_k - etabar> =
KL(p_etabar || p_k) >= 0, whatever the datum.

Source: derived here. g_k = <eta_k, t - mubar>, so that g_k - mean g = <eta_k - etabar, t - mubar>, and ell_k - ell(u) =
<eta_k - etabar, t> - A(eta_k) + A(etabar): subtract.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import sympy

from theory.claims import Hypothesis, Source, claim
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity
from theory.inference.embeddings import ExponentialFamily, Gaussian, LogLinear
from theory.inference.log_linear.bent import Bent
from theory.inference.log_linear.families import (
    CLAIM,
    SMALL,
    bernoulli,
    bernoulli_of_logits,
    categorical,
    constant,
    one_hot,
    poisson,
    poisson_of_logs,
)
from theory.inference.simplex import Vector, centred, dot, kullback_leibler, normalised, softmax, uniform
from theory.outcome import Outcome

Offsets = Callable[[ExponentialFamily], Vector]
TRIANGLE = ((0, 0), (2, 0), (0, 1))


def reversed_offsets(family: ExponentialFamily) -> Vector:
    """KL(p_k || p_etabar), the divergence the other way round."""
    origin = family.parameter()
    found = []
    for eta in family.natural:
        step = tuple(a - b for a, b in zip(origin, eta, strict=True))
        found.append(family.log_partition(origin) - family.log_partition(eta) - dot(family.mean(eta), step))
    return tuple(found)


@dataclass(frozen=True)
class Master:
    """ell_k - ell(u) in terms of the gradient.

    Args:
        offsets: B of a family.
        sign: of B.
        centre: whether the mean of g is subtracted.
        copies: how many times B counts for n observations.
        at_uniform: whether g is taken at u, or at shares proportional to 1, ..., K.
        linear: whether eta is linear in z.
    """

    offsets: Offsets = lambda family: family.offsets()
    sign: int = -1
    centre: bool = True
    copies: Callable[[int], int] = lambda n: n
    at_uniform: bool = True
    linear: bool = True

    def __str__(self) -> str:
        poisson_pair = poisson((1, 4))
        first = self.offsets(poisson_pair)[0]
        g = "(g_k - mean g)" if self.centre else "g_k"
        sign = "-" if self.sign < 0 else "+"
        return (
            f"ell_k = ell(u) + {g} {sign} {self.copies(3)} B_k for 3 observations, "
            f"g at {'u' if self.at_uniform else 'z'}; "
            f"B_1 = {float(first):.6f} of Poisson rates 1 and 4"
        )

    def explained(self, g: Vector, offsets: Vector, observations: int = 1) -> Vector:
        """What ell_k - ell(u) is said to be."""
        left = centred(g) if self.centre else g
        return tuple(a + self.sign * self.copies(observations) * b for a, b in zip(left, offsets, strict=True))

    def start(self, family: ExponentialFamily) -> Vector:
        return uniform(family.tasks) if self.at_uniform else normalised(range(1, family.tasks + 1))

    def verdict(self, family: ExponentialFamily, data: tuple[Vector, ...]) -> Outcome:
        """Whether it is right for independent data."""
        n, z = len(data), self.start(family)
        g, ell = (
            tuple(map(sum, zip(*rows, strict=True)))
            for rows in ([family.gradient(t, z) for t in data], [family.log_likelihoods(t) for t in data])
        )
        level = sum(family.log_likelihood(t) for t in data)
        found = self.explained(g, self.offsets(family), n)
        # One number more, 0, so that a common error of all tasks counts.
        return constant([0, *(a - level - b for a, b in zip(ell, found, strict=True))])


@claim(
    CLAIM,
    source=Source("2407.17356", "Gradients as likelihoods", "derived"),
    quantifiers="for all log-linear families, K >= 2, numbers of independent observations and data; equalities",
    statement=str,
    variant=Master(),
    controls={
        "KL(p_k || p_etabar)": Master(offsets=reversed_offsets),
        "B of one observation": Master(copies=lambda n: 1),
        "g not centred": Master(centre=False),
        "+ B": Master(sign=1),
    },
    hypotheses=(
        Hypothesis("log-linear", "eta is linear in z", Master(linear=False)),
        Hypothesis("at u", "g is taken at u, as B is", Master(at_uniform=False)),
        Hypothesis("finite", "A finite at every eta_k and differentiable at etabar", remark="or B is not defined"),
    ),
    does_not_show="that one step picks the most likely task: offsets differ, and favour tasks far from the mean one",
)
def log_linear_master_identity(master: Master, thorough: bool) -> Iterator[Evidence]:
    """Gaussians exactly, Poisson, Bernoulli and categorical tasks in balls; divergences; any A in symbols."""
    yield Enumeration("Gaussian tasks", _gaussians(master, 3 if thorough else 1))
    yield Enumeration("counts, outcomes and letters, to 10^-30", _others(master, 6 if thorough else 2))
    yield Enumeration("offsets are divergences, to 10^-30", _divergences(master))
    yield Enumeration("contexts", _contexts(master))
    yield Identity("any A, and derivatives", _symbols(master), _reduced)


def _gaussians(master: Master, reach: int) -> Iterator[Case]:
    family = Gaussian if master.linear else Bent
    grid = list(map(Fraction, range(-reach, reach + 1)))
    for means in (((0,), (1,), (3,)), TRIANGLE, ((1, 0), (0, 1), (-1, 0), (2, 2))):
        tasks = family(means, Fraction(1, 4))
        points = list(product(grid, repeat=len(means[0])))
        for n in (1, 2):
            for first in points:
                data = (first, *points[: n - 1])
                yield {"means": means, "x": data}, master.verdict(tasks, data)


def _others(master: Master, most: int) -> Iterator[Case]:
    tables = ((2, 0, -1), (0, 1, 0), (0, 0, 1))
    families: list[tuple[str, ExponentialFamily, list[Vector]]] = [
        ("Poisson 1, 2, 6", poisson((1, 2, 6)), [(x,) for x in range(most + 1)]),
        ("Bernoulli 1/2, 99/100", bernoulli((Fraction(1, 2), Fraction(99, 100))), [(0,), (1,)]),
        ("categorical", categorical(tables), [one_hot(v, 3) for v in range(3)]),
    ]
    for name, family, data in families:
        for n in (1, 2):
            for first in data:
                yield {"family": name, "t": first, "n": n}, master.verdict(family, (first,) * n)


def _divergences(master: Master) -> Iterator[Case]:
    """KL(p_etabar || p_k) as a sum over outcomes."""
    for rows in (((2, 0, -1), (0, 1, 0)), ((0, 0), (3, 1), (1, -2))):
        family = categorical(rows)
        centre = softmax(family.parameter())
        defined = tuple(kullback_leibler(centre, softmax(row)) for row in rows)
        gaps = [constant([a, b]) for a, b in zip(master.offsets(family), defined, strict=True)]
        yield {"logits": rows}, Outcome.every([*gaps, *(b >= -SMALL for b in defined)])


def _contexts(master: Master) -> Iterator[Case]:
    """Every datum of a sequence has tasks of its own: offsets are those of each, summed."""
    families = [Gaussian(((0,), (1,), (3,))), Gaussian(((2,), (0,), (1,)), Fraction(1, 2))]
    for x, y in product(map(Fraction, range(-1, 3)), repeat=2):
        pairs = list(zip(families, ((x,), (y,)), strict=True))
        g, b, ell = (
            tuple(map(sum, zip(*rows, strict=True)))
            for rows in (
                [f.gradient(t, master.start(f)) for f, t in pairs],
                [master.offsets(f) for f, _ in pairs],
                [f.log_likelihoods(t) for f, t in pairs],
            )
        )
        level = sum(f.log_likelihood(t) for f, t in pairs)
        found = master.explained(g, b)
        yield {"x": (x, y)}, constant([0, *(a - level - c for a, c in zip(ell, found, strict=True))])


def _any() -> LogLinear:
    """Three tasks of one parameter with A and its derivative left open."""
    A, slope = sympy.Function("A"), sympy.Function("dA")
    eta = sympy.symbols("eta_1:4", real=True)
    return LogLinear(
        tuple((a,) for a in eta), lambda eta: A(sympy.expand(eta[0])), lambda eta: (slope(sympy.expand(eta[0])),)
    )


def _symbols(master: Master) -> Iterator[Equation]:
    t = sympy.Symbol("t", real=True)
    family = _any()
    z = master.start(family)
    level = family.log_likelihood((t,))
    found = master.explained(family.gradient((t,), z), master.offsets(family))
    for k, ell in enumerate(family.log_likelihoods((t,))):
        yield f"ell_{k + 1} for any A", ell - level, found[k]
    names = sympy.symbols("a_1:3", real=True)
    shares = sympy.symbols("z_1:3", positive=True)
    models: list[tuple[str, ExponentialFamily]] = [
        ("Gaussian", Gaussian(tuple((a,) for a in names), sympy.Symbol("sigma", positive=True) ** 2)),
        ("Poisson", poisson_of_logs(names)),
        ("Bernoulli", bernoulli_of_logits(names)),
    ]
    for name, model in models:
        derivative = sympy.diff(model.log_likelihood((t,), shares), shares[0])
        yield f"g_1, {name}", derivative, model.gradient((t,), shares)[0]


def _reduced(difference: sympy.Expr) -> sympy.Expr:
    return sympy.cancel(sympy.expand(difference, power_exp=False))
