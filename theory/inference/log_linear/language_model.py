"""A language model whose next-letter logits are linear in z: g, and the divergences that are its offsets.

With logits sum_k z_k L_k(c) in a context c, g_k(y) = L_k[y] - <p_u, L_k> and B_k(c) = KL(p_u || p_k), where p_u is the
softmax of the mean logits, the normalised geometric mean of the p_k. Over a sequence both add up.

Source: derived here, from claim gbi-log-linear-master-identity with t = one-hot(y), A = log sum exp.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import sympy

from theory.arithmetic.real import Real
from theory.claims import Hypothesis, Source, claim
from theory.compact.elementary import exp, log
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity
from theory.inference.log_linear.families import categorical, constant, left_over, one_hot
from theory.inference.simplex import Vector, combined, dot, kullback_leibler, softmax, uniform
from theory.outcome import Outcome

CLAIM = "gbi-softmax-lm-corollary"
Table = Sequence[Vector]  # one row of logits a task
TABLES = (((2, 0, -1), (0, 1, 0)), ((0, 0, 1), (3, 1, 0), (1, -2, 0)))


def geometric(rows: Table) -> Vector:
    """p_u: the softmax of the mean logits."""
    return softmax(combined(uniform(len(rows)), rows))


def arithmetic(rows: Table) -> Vector:
    """The mean of the p_k: not what p_u is."""
    return combined(uniform(len(rows)), [softmax(row) for row in rows])


def divergences(rows: Table, centre: Vector, letter: int) -> Vector:
    """KL(centre || p_k)."""
    return tuple(kullback_leibler(centre, softmax(row)) for row in rows)


def reversed_divergences(rows: Table, centre: Vector, letter: int) -> Vector:
    """KL(p_k || centre)."""
    return tuple(kullback_leibler(softmax(row), centre) for row in rows)


def at_letter(rows: Table, centre: Vector, letter: int) -> Vector:
    """Log centre(y)/p_k(y) at the letter that came: of mean KL(centre || p_k), and no constant of the task."""
    return tuple(log(centre[letter] / softmax(row)[letter]) for row in rows)


@dataclass(frozen=True)
class Offsets:
    """What the offsets are said to be.

    Args:
        centre: the distribution at u.
        divergence: from the rows, that distribution and the letter.
        linear: whether z enters the logits linearly, or by the cube of sum_k z_k a_k.
    """

    centre: Callable[[Table], Vector] = geometric
    divergence: Callable[[Table, Vector, int], Vector] = divergences
    linear: bool = True

    def __str__(self) -> str:
        names = {
            geometric: "softmax of the mean logits",
            arithmetic: "mean of the p_k",
            divergences: "KL(p_u || p_k)",
            reversed_divergences: "KL(p_k || p_u)",
            at_letter: "log p_u(y)/p_k(y)",
        }
        return (
            f"g_k = L_k[y] - <p_u, L_k>, ell_k = g_k - B_k + constant, B_k = {names[self.divergence]}, "
            f"p_u the {names[self.centre]}; sums over a sequence"
        )

    def gradient(self, rows: Table, letter: int) -> Vector:
        """Of linear logits; of the cube, for rows a_k, by the chain rule."""
        if self.linear:
            mean = dot
            p = geometric(rows)
            return tuple(row[letter] - mean(p, row) for row in rows)
        inner = combined(uniform(len(rows)), rows)
        p = softmax([a**3 for a in inner])
        residual = [3 * a**2 * (int(place == letter) - q) for place, (a, q) in enumerate(zip(inner, p, strict=True))]
        return tuple(dot(residual, row) for row in rows)

    def logits(self, rows: Table) -> Table:
        """Of the tasks."""
        return rows if self.linear else [tuple(a**3 for a in row) for row in rows]

    def left(self, rows: Table, letter: int) -> Vector:
        """G - B - ell at one position."""
        tasks = self.logits(rows)
        ell = categorical(tasks).log_likelihoods(one_hot(letter, len(rows[0])))
        return left_over(self.gradient(rows, letter), self.divergence(tasks, self.centre(tasks), letter), ell)


@claim(
    CLAIM,
    source=Source("2407.17356", "Language modelling", "derived"),
    quantifiers="for all K >= 2 rows of logits in R^V, letters, and sequences of contexts and letters; equalities",
    statement=str,
    variant=Offsets(),
    controls={
        "the mean of the p_k for p_u": Offsets(centre=arithmetic),
        "B at the letter that came": Offsets(divergence=at_letter),
        "KL(p_k || p_u)": Offsets(divergence=reversed_divergences),
    },
    hypotheses=(Hypothesis("linear", "z enters the logits linearly, and no hidden state", Offsets(linear=False)),),
    does_not_show="anything of models that feed z to their recurrence: their logits are not linear in z",
)
def softmax_lm_corollary(offsets: Offsets, thorough: bool) -> Iterator[Evidence]:
    """Tables of logits in balls, one letter and sequences; symbols for the derivative and the identity."""
    yield Enumeration("one letter, to 10^-30", _letters(offsets))
    yield Enumeration("sequences, to 10^-30", _sequences(offsets, 3 if thorough else 2))
    yield Identity("derivative and identity", _symbols(offsets), sympy.expand)


def _letters(offsets: Offsets) -> Iterator[Case]:
    for rows in TABLES:
        for letter in range(3):
            yield {"logits": rows, "letter": letter}, constant(offsets.left(rows, letter))


def _sequences(offsets: Offsets, length: int) -> Iterator[Case]:
    """Contexts that shift the logits of the tasks; and the distribution at u as a normalised geometric mean."""
    contexts = [TABLES[1], tuple(tuple(2 * a for a in row) for row in TABLES[1][::-1])]
    third = Fraction(1, 3)
    for letters in product(range(3), repeat=length):
        rows = [contexts[position % 2] for position in range(length)]
        columns = zip(*(offsets.left(table, letter) for table, letter in zip(rows, letters, strict=True)), strict=True)
        yield {"letters": letters}, constant([sum(column) for column in columns])
    shares = [softmax(row) for row in TABLES[1]]
    means = [exp(sum(log(share[v]) for share in shares) * third) for v in range(3)]
    total: Any = sum(means)
    gaps = [constant([Real.of(mean) / total, p]) for mean, p in zip(means, geometric(TABLES[1]), strict=True)]
    yield {"p_u": "geometric mean"}, Outcome.every(gaps)


def _symbols(offsets: Offsets) -> Iterator[Equation]:
    """SymPy's derivative of log softmax(sum_k z_k L_k)[y], and ell_k - ell_1 with A as the log of a sum."""
    for tasks, letters in ((2, 2), (2, 3), (3, 2)):
        rows = [sympy.symbols(f"L_{k}_1:{letters + 1}", real=True) for k in range(1, tasks + 1)]
        z = sympy.symbols(f"z_1:{tasks + 1}", positive=True)
        family = categorical(rows)
        u = {symbol: sympy.Rational(1, tasks) for symbol in z}
        derivative = sympy.diff(family.log_likelihood(one_hot(0, letters), z), z[0]).subs(u)
        yield f"g_1, K = {tasks}, V = {letters}", derivative, offsets.gradient(rows, 0)[0]
        g, b, ell = (offsets.gradient(rows, 0), family.offsets(), family.log_likelihoods(one_hot(0, letters)))
        yield f"ell_2 - ell_1, K = {tasks}, V = {letters}", ell[1] - ell[0], (g[1] - b[1]) - (g[0] - b[0])
