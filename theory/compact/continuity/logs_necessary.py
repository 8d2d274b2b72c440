"""Causal averages force the logarithms: without causality the modulus is linear, with constant Gamma_L.

Source: derived here. A network of L uniform heads and no residual turns letters 0 and 1 into (A^L 1_D)(n), which tends
to g_L(k/n): g_2(d)/d = 1 + ln(1/d) has no bound, and g_L(d) tends to 1 as L grows. Without the mask every query sees
the same mean J, with J^2 = J, and prod (a_l + b_l J) = prod a_l + Gamma_L J.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np
import sympy
from sympy import Expr, Symbol

from theory.claims import Hypothesis, Source, claim
from theory.compact.averaging.averages import averaged, poisson_tail
from theory.compact.continuity.constants import HeadConstants, LayerConstants, total_growth
from theory.compact.continuity.scalar_head import ScalarLayer, run
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.quantities import Exact, Length, quantity

CLAIM = "logs-necessary"
SEED = 2509
LONGEST = 2000
Growth = Callable[[Sequence[LayerConstants]], Any]


@quantity("one-change-ratio", unit="gap over share of changed letters", claim=CLAIM)
def one_change_ratio(n: Length) -> Exact:
    """The gap of two uniform causal heads on 0^n and 1 0^(n-1), divided by d = 1/n: the harmonic number H_n.

    Raises InputError for lengths whose fraction is too long.
    """
    if n > LONGEST:
        raise InputError(f"n = {n} gives a fraction too long to print; give at most {LONGEST}")
    return Exact(harmonic(n))


def harmonic(n: int) -> Fraction:
    """1 + 1/2 + ... + 1/n."""
    return sum((Fraction(1, t) for t in range(1, n + 1)), Fraction(0))


@dataclass(frozen=True)
class Logs:
    """What is said of causal and of other networks.

    Args:
        linear: a constant C with gap <= C d for two causal averages, or None: there is no such constant.
        layers: of the causal network.
        growth: the constant of networks without a mask, from the constants of their layers.
        depth: a share said to serve every number of layers at level 9/10, or None: there is no such share.
        masked: whether the second part is of causal networks too.
    """

    linear: int | None = None
    layers: int = 2
    growth: Growth = total_growth
    depth: Fraction | None = None
    masked: bool = False

    @property
    def statement(self) -> Expr:
        ratio, d = sympy.symbols("sup_gap/d d")
        first = LayerConstants(Symbol("a_1"), (HeadConstants(sympy.S.Zero, 0, 0, 0, Symbol("b_1")),))
        second = LayerConstants(Symbol("a_2"), (HeadConstants(sympy.S.Zero, 0, 0, 0, Symbol("b_2")),))
        shares = Symbol("delta(9/10)")
        return sympy.And(
            sympy.Eq(ratio, sympy.oo) if self.linear is None else ratio <= self.linear,
            sympy.Eq(Symbol("L_causal"), self.layers),
            Symbol("bidirectional_gap" if not self.masked else "causal_gap") <= self.growth([first, second]) * d,
            sympy.Eq(Symbol("inf_L") * shares, 0) if self.depth is None else Symbol("inf_L") * shares >= self.depth,
        )


@claim(
    CLAIM,
    source=Source("2505.10606", "Continuity", "derived"),
    quantifiers="supremum over n and pairs of words, L >= 2 layers; without a mask: for all n, L, constants and words "
    "that share the last letter",
    statement=lambda logs: logs.statement,
    variant=Logs(),
    controls={
        "gap <= 4 d": Logs(linear=4),
        "no mask: prod b_l": Logs(growth=lambda layers: prod(layer.b for layer in layers)),
        "no mask: sum b_l": Logs(growth=lambda layers: sum(layer.b for layer in layers)),
        "d = 1/1000 serves all depths": Logs(depth=Fraction(1, 1000)),
    },
    hypotheses=(
        Hypothesis("depth", "at least two layers", Logs(layers=1)),
        Hypothesis("no mask", "the linear bound is of heads that see all positions", Logs(masked=True)),
    ),
    does_not_show="that trained networks come near: their heads need not be uniform",
)
def logs_necessary(logs: Logs, thorough: bool) -> Iterator[Evidence]:
    """Uniform networks run as they are; ratios; depths; symbols for the mean; random networks without a mask."""
    yield Enumeration("ratios", _ratios(logs, 12 if thorough else 9))
    yield Enumeration("depths", _depths(logs))
    yield Enumeration("uniform networks, run", _uniform(*((9, 4) if thorough else (6, 3))))
    yield Identity("networks of means", _means(logs), sympy.expand)
    yield Enumeration("residual means, run", _residual(logs, 6 if thorough else 4))
    yield Search("random networks without a mask", _random(logs, 400 if thorough else 60), seed=SEED)


def _ratios(logs: Logs, powers: int) -> Iterator[Case]:
    """At n = 2^j the ratio of one change is at least 1 + j/2, so that no constant lasts; or it stays below C."""
    for power in range(1, powers + 1):
        ratio = averaged((1,), 2**power, logs.layers) * 2**power
        holds = ratio >= 1 + Fraction(power, 2) if logs.linear is None else ratio <= logs.linear
        yield {"n": 2**power, "ratio": f"{float(ratio):.4f}"}, holds


def _depths(logs: Logs) -> Iterator[Case]:
    """At every share the tail passes 9/10 at some depth."""
    for power in range(1, 6):
        share = Fraction(1, 10**power) if logs.depth is None else logs.depth
        depth = 2 ** (power + 2)
        passed = poisson_tail(depth, share) > Fraction(9, 10)
        yield {"x": str(share), "L": depth}, passed if logs.depth is None else ~passed


def _uniform(longest: int, layers: int) -> Iterator[Case]:
    """Softmax of zero logits over the letters seen, L times; outputs (1 - x, x), against the recursion."""
    for depth, length in product(range(1, layers + 1), range(1, longest + 1)):
        for word in product((0, 1), repeat=length):
            states: list[Fraction] = [Fraction(letter) for letter in word]
            for _ in range(depth):
                states = [sum((states[j] / (i + 1) for j in range(i + 1)), Fraction(0)) for i in range(length)]
            places = tuple(j + 1 for j, letter in enumerate(word) if letter)
            yield {"word": word, "L": depth}, states[-1] == averaged(places, length, depth)


def _means(logs: Logs) -> Iterator[Equation]:
    """(a_1 + b_1 J) ... (a_L + b_L J) 1_D at an agreeing position, for one changed letter of three."""
    for layers in (1, 2, 3):
        factors = [(Symbol(f"a_{index}"), Symbol(f"b_{index}")) for index in range(1, layers + 1)]
        values: list[Any] = [sympy.S.One, sympy.S.Zero, sympy.S.Zero]
        for a, b in factors:
            mean = sum(values) / sympy.Integer(3)
            values = [a * value + b * mean for value in values]
        constants = [LayerConstants(a, (HeadConstants(sympy.S.Zero, 0, 0, 0, b),)) for a, b in factors]
        yield f"{layers} layers", values[-1], logs.growth(constants) / sympy.Integer(3)


def _residual(logs: Logs, longest: int) -> Iterator[Case]:
    """Networks x <- x + 2 mean(x), with or without a mask, at one changed letter."""
    for layers, length in product((1, 2, 3), range(2, longest + 1)):
        states = [Fraction(place == 0) for place in range(length)]
        for _ in range(layers):
            means = [
                sum(seen, Fraction(0)) / len(seen)
                for i in range(length)
                for seen in [states[: i + 1] if logs.masked else states]
            ]
            states = [x + 2 * mean for x, mean in zip(states, means, strict=True)]
        constants = [LayerConstants(1, (HeadConstants(0, 1, 0, 0, 2),))] * layers
        yield {"L": layers, "n": length}, states[-1] <= logs.growth(constants) * Fraction(1, length)


def _random(logs: Logs, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    for case in range(count):
        layers = tuple(ScalarLayer.draw(random) for _ in range(int(random.integers(1, 4))))
        length = int(random.integers(2, 25))
        states = random.uniform(-1, 1, size=(2, length))
        agree = random.uniform(size=length) < random.choice([0.2, 0.9])
        agree[-1], agree[random.integers(length - 1)] = True, False
        states[1, agree] = states[0, agree]
        start = float(abs(states[0] - states[1]).max())
        constants = [layer.constants for layer in layers]
        bound = float(logs.growth(constants)) * start * float((~agree).mean())
        first, second = (run(layers, row, causal=False)[-1] for row in states)
        growth = float(np.prod([1 + layer.a + layer.b for layer in constants]))
        allowance = (4 * length + 64) * 8 * growth * np.finfo(np.float64).eps
        yield Trial(case, float(abs(first - second)), bound, allowance, vacuous=bound > 2)
