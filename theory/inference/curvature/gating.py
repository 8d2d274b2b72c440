"""Gates that are linear in z keep a model linear in z; a second layer of them, or a gate inside, does not.

f(z) = V [(G z) * phi(W x)], product entry by entry, is linear in z for every phi; for ReLU and G z >= 0 the gate may
stand inside: ReLU((G z) * h) = (G z) * ReLU(h). L such layers of ReLUs without biases after the first gate have
f(c z) = c^L f(z), c > 0. Where z is added, f = V phi(W x + U z), the Hessian is U^T diag(V phi'') U.

Source: derived here. Products are bilinear, ReLUs positively homogeneous; the rest is the chain rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import sympy

from theory.arithmetic.real import Real
from theory.claims import Hypothesis, Source, claim
from theory.compact.elementary import largest
from theory.errors import InputError
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.inference.arguments import number, results, rows, vector
from theory.inference.curvature.additive import cancelling, degrees, hessian
from theory.inference.linear_pool.calibration import tanh
from theory.inference.simplex import Vector as Entries
from theory.inference.simplex import combined, dot, multiplied, uniform
from theory.quantities import Matrix, Number, Positive, Result, Vector, quantity

CLAIM = "gbi-multiplicative-gating-linear"
SEED = 2432


def applied(matrix: Sequence[Entries], vector: Sequence[Any]) -> Entries:
    """Matrix times vector."""
    return tuple(dot(row, vector) for row in matrix)


def relu(x: Any) -> Any:
    """max(x, 0), of any number."""
    return largest(x, 0 * x)


@dataclass(frozen=True)
class Gated:
    """V [(G z) * ReLU(... [(G z) * ReLU(w x)])]: first weights w, later weights one matrix a layer, biases of these.

    Args:
        inside: whether the gate stands inside the last hidden function.
    """

    outer: tuple[Entries, ...]
    gates: tuple[Entries, ...]
    first: Entries
    later: tuple[tuple[Entries, ...], ...] = ()
    bias: Any = 0
    function: Any = relu
    inside: bool = False

    def __call__(self, x: Any, z: Sequence[Any]) -> Entries:
        gate = applied(self.gates, z)
        units = self._gated(gate, tuple(w * x for w in self.first))
        for matrix in self.later:
            units = self._gated(gate, tuple(entry + self.bias for entry in applied(matrix, units)))
        return applied(self.outer, units)

    def _gated(self, gate: Entries, inputs: Entries) -> Entries:
        if self.inside:
            return tuple(map(self.function, multiplied(gate, inputs)))
        return multiplied(gate, tuple(map(self.function, inputs)))

    def of_tasks(self, x: Any) -> tuple[Entries, ...]:
        """f(e_k)."""
        tasks = len(self.gates[0])
        return tuple(self(x, tuple(int(j == k) for j in range(tasks))) for k in range(tasks))

    def linear_at(self, x: Any, z: Sequence[Any]) -> bool:
        """Whether f(z) is the combination of the f(e_k), of fractions."""
        return self(x, z) == combined(z, self.of_tasks(x))


def _network(V: sympy.Matrix, G: sympy.Matrix, W: tuple[sympy.Expr, ...]) -> Gated:
    outer, gates, first = rows(V), rows(G), vector(W)
    if not len(outer[0]) == len(gates) == len(first):
        raise InputError(
            f"V has {len(outer[0])} columns, G {len(gates)} rows, W {len(first)} entries; give one each a hidden unit"
        )
    uniform(len(gates[0]))
    return Gated(outer, gates, first)


@quantity("gated-network", unit="output", claim=CLAIM)
def gated_network(V: Matrix, G: Matrix, W: Vector, x: Number) -> dict[str, Result]:
    """Outputs of V [(G z) * tanh(W x)] at the tasks and at u, and the mean of the former.

    Raises InputError for shapes that do not fit.
    """
    network = replace(_network(V, G, W), function=lambda h: tanh(Real.of(h)))
    return _outputs(network, number(x))


@quantity("gated-layers", unit="output", claim=CLAIM)
def gated_layers(V: Matrix, G: Matrix, W: Vector, W2: Matrix, x: Number, scale: Positive) -> dict[str, Result]:
    """Outputs of V [(G z) * ReLU(W2 [(G z) * ReLU(W x)])] at u and at scale u, and the mean of those of the tasks.

    Raises InputError for shapes that do not fit.
    """
    network = _network(V, G, W)
    if W2.shape != (len(network.first),) * 2:
        raise InputError(f"W2 is {W2.rows} x {W2.cols} for {len(network.first)} hidden units; give a square of these")
    network = replace(network, later=(rows(W2),))
    datum, factor = number(x), number(scale)
    u = uniform(len(network.gates[0]))
    scaled, plain = network(datum, tuple(factor * share for share in u)), network(datum, u)
    found = _outputs(network, datum) | results(at_scaled=scaled)
    if all(isinstance(entry, Fraction) and entry for entry in plain):
        ratios = tuple(a / b for a, b in zip(scaled, plain, strict=True))
        found |= results(ratio=ratios[0])
    return found


def _outputs(network: Gated, x: Any) -> dict[str, Result]:
    tasks = network.of_tasks(x)
    u = uniform(len(tasks))
    found = {f"task-{k}": f for k, f in enumerate(tasks, 1)}
    return results(**found, at_u=network(x, u), mean=combined(u, tasks))


@dataclass(frozen=True)
class Gating:
    """What is said of gated models.

    Args:
        layers: that are gated, and said to be linear in z.
        inside: whether the gate stands inside a tanh.
        degree: of c in f(c z), from the number of layers.
        nonnegative: whether gates are, where they move through a ReLU.
        unbiased: whether later layers have no bias.
        independent: whether units of an added z are such that none cancel, or any.
    """

    layers: int = 1
    inside: bool = False
    degree: int = 1
    nonnegative: bool = True
    unbiased: bool = True
    independent: bool = True

    def __str__(self) -> str:
        place = "inside tanh" if self.inside else "outside any phi"
        gates = "G z >= 0" if self.nonnegative else "any G z"
        biases = "without biases" if self.unbiased else "with a bias"
        power, steps = ("L", "T") if self.degree else ("1", "1")
        units = "independent U_j U_j^T" if self.independent else "any U"
        return (
            f"gates {place} in {self.layers} layers: f is linear in z; ReLU((G z) * h) = (G z) * ReLU(h) for {gates}; "
            f"L layers of ReLUs {biases}: f(c z) = c^{power} f(z); T recurrent gates: degree {steps}; z added, "
            f"V phi(h + U z): Hessian U^T diag(V phi'') U, for {units} 0 only if V phi'' is"
        )


@claim(
    CLAIM,
    source=Source("2407.17356", "Gated networks", "derived"),
    quantifiers="for all weights and x; z any vector for linearity, c > 0 and G z >= 0 for ReLUs; equality",
    statement=str,
    variant=Gating(),
    controls={
        "two gated layers": Gating(layers=2),
        "the gate inside tanh": Gating(inside=True),
        "f(c z) = c f(z) for L layers": Gating(degree=0),
        "units never cancel": Gating(independent=False),
    },
    hypotheses=(
        Hypothesis("gates", "G z >= 0, where a gate moves through a ReLU", Gating(nonnegative=False)),
        Hypothesis("no bias", "after the first gate, for the degree", Gating(unbiased=False)),
    ),
    does_not_show="that an additive z bends at every point: where phi'' is 0 it does not",
)
def multiplicative_gating_linear(gating: Gating, thorough: bool) -> Iterator[Evidence]:
    """Small rational networks; gates, recurrent too; units that cancel; Hessians in symbols; random networks."""
    yield Enumeration("linear in z", _linear(gating))
    yield Enumeration("gates through a ReLU", _through(gating, 4 if thorough else 3))
    yield Enumeration("degree", _degree(gating, 4 if thorough else 3))
    yield Enumeration("degree of recurrent gates", degrees(4 if thorough else 3, gating.degree > 0))
    yield Enumeration("units of an added z", cancelling(gating.independent))
    yield Identity("additive z, hyperbolic tangents", _hessian(), sympy.factor)
    yield Search("random tanh networks", _random(gating, 300 if thorough else 60), seed=SEED)


OUTER = ((Fraction(1), Fraction(-1)), (Fraction(1, 2), Fraction(2)))
GATES = ((Fraction(1), Fraction(0), Fraction(2)), (Fraction(1, 2), Fraction(3, 2), Fraction(0)))
BETWEEN = ((Fraction(1), Fraction(1, 2)), (Fraction(-3, 10), Fraction(4, 5)))
STARTS = (uniform(3), (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)), (Fraction(2), Fraction(-1, 2), Fraction(1)))


def _linear(gating: Gating) -> Iterator[Case]:
    """ReLUs, and a cube for a function that is no ReLU."""
    for function, x in product((relu, lambda h: h**3 + 1), (Fraction(1, 2), Fraction(-2))):
        for first in product((Fraction(3, 5), Fraction(-4, 5)), repeat=2):
            network = Gated(OUTER, GATES, first, (BETWEEN,) * (gating.layers - 1), function=function)
            for z in STARTS:
                yield {"phi(2)": function(2), "x": x, "w": first, "z": z}, network.linear_at(x, z)


def _through(gating: Gating, most: int) -> Iterator[Case]:
    for gate in range(0 if gating.nonnegative else -most, most):
        for h in range(-most, most):
            yield {"gate": gate, "h": h}, relu(gate * h) == gate * relu(h)


def _degree(gating: Gating, most: int) -> Iterator[Case]:
    bias = Fraction(0) if gating.unbiased else Fraction(1, 5)
    for layers, x, c in product(range(1, most + 1), (Fraction(1, 2), Fraction(-2)), (Fraction(2), Fraction(1, 3))):
        network = Gated(OUTER, GATES, (Fraction(3, 5), Fraction(4, 5)), (BETWEEN,) * (layers - 1), bias)
        network = replace(network, first=tuple(w * (1 if x > 0 else -1) for w in network.first))
        u = uniform(3)
        expected = tuple(c ** (layers if gating.degree else 1) * entry for entry in network(x, u))
        yield {"L": layers, "x": x, "c": c}, network(x, tuple(c * share for share in u)) == expected


def _hessian() -> Iterator[Equation]:
    """Two tasks, two units; then two equal units of weights 1 and -1, which cancel."""
    z = sympy.symbols("z_1 z_2", real=True)
    U = ((sympy.Symbol("U_11"), sympy.Symbol("U_12")), (sympy.Symbol("U_21"), sympy.Symbol("U_22")))
    V, h = sympy.symbols("V_1 V_2"), sympy.symbols("h_1 h_2")
    inputs = [b + dot(row, z) for b, row in zip(h, U, strict=True)]
    f = sum(v * sympy.tanh(a) for v, a in zip(V, inputs, strict=True))
    weights = [v * -2 * sympy.tanh(a) * (1 - sympy.tanh(a) ** 2) for v, a in zip(V, inputs, strict=True)]
    for (i, j), expected in zip(((0, 0), (1, 0)), hessian(weights, U), strict=False):
        yield f"entry {i + 1}, {j + 1}", sympy.diff(f, z[i], z[j]), expected
    equal = {V[0]: 1, V[1]: -1, h[1]: h[0], U[1][0]: U[0][0], U[1][1]: U[0][1]}
    yield "two that cancel", sympy.diff(f, z[0], 2).subs(equal), sympy.S.Zero


def _random(gating: Gating, count: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    for case in range(count):
        tasks, hidden, outputs = (int(random.integers(2, 6)) for _ in range(3))
        gates, outer = random.normal(size=(hidden, tasks)), random.normal(size=(outputs, hidden))
        between = tuple(random.normal(size=(hidden, hidden)) for _ in range(gating.layers - 1))
        network = Gated(
            tuple(map(tuple, outer.tolist())),
            tuple(map(tuple, gates.tolist())),
            tuple(random.normal(size=hidden).tolist()),
            tuple(tuple(map(tuple, matrix.tolist())) for matrix in between),
            function=np.tanh,
            inside=gating.inside,
        )
        u = tuple(map(float, uniform(tasks)))
        apart = np.array(network(1.0, u)) - np.array(combined(u, network.of_tasks(1.0)))
        # A few roundings of sums of a few normal numbers' products.
        yield Trial(case, float(np.abs(apart).max()), 0.0, 1e-12)
