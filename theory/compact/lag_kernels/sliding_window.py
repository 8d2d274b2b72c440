"""L layers of windows of W tokens read the last L (W - 1) + 1 letters and no other, whatever the maps.

Source: arXiv 2310.06825 for windows and how far they reach; that the reach is exact is derived here. Nothing is assumed
of the maps, so the net that is tried is the free one, whose states remember all that they were made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import sympy

from theory.claims import Hypothesis, Source, claim
from theory.compact.lag_kernels.kernels import window
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity
from theory.quantities import Count, Exact, quantity

CLAIM = "sliding-window-exact"
DEPTH, SIZE = sympy.symbols("L W", integer=True, positive=True)
Z = sympy.Symbol("z")
Visible = Callable[[int, int], bool]


def window_reach(layers: int, size: int) -> int:
    """L (W - 1) + 1."""
    return layers * (size - 1) + 1


class Free:
    """The free net: a state is a number that stands for all that it was made of, and for nothing else."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}

    def _number(self, made_of: object) -> int:
        return self._numbers.setdefault(made_of, len(self._numbers))

    def states(self, letters: Sequence[int], layers: Sequence[Visible]) -> list[int]:
        """The states after the last layer; each layer tells which keys j a query i sees."""
        found = [self._number(("letter", letter, i)) for i, letter in enumerate(letters, start=1)]
        for depth, visible in enumerate(layers):
            found = [
                self._number((depth, i, *(found[j - 1] for j in range(1, i + 1) if visible(i, j))))
                for i in range(1, len(found) + 1)
            ]
        return found


@dataclass(frozen=True)
class Reach:
    """The output depends on the length and on the last `reach` letters, and on each of them.

    Args:
        reach: of the number L of layers and the size W of the window.
        sink: whether the first key is seen by every query.
        whole: whether the last layer sees all keys.
    """

    reach: Callable[[int, int], int] = window_reach
    sink: bool = False
    whole: bool = False

    def __str__(self) -> str:
        more = " and the first key" * self.sink + ", the last layer all keys" * self.whole
        return (
            f"queries see the last W keys{more}: T(w) is a function of n and the last {self.reach(DEPTH, SIZE)} letters"
        )

    def layers(self, depth: int, size: int) -> list[Visible]:
        """Which keys the queries of each layer see."""
        windows = [lambda i, j: i - j < size or (self.sink and j == 1)] * depth
        return [*windows[1:], lambda i, j: True] if self.whole else windows


@claim(
    CLAIM,
    source=Source("2310.06825", "sliding window attention", "derived"),
    quantifiers="for all L >= 1, W >= 1, all maps of states and positions, all n; the least such number of letters",
    statement=str,
    variant=Reach(),
    controls={
        "L (W - 1)": Reach(lambda layers, size: layers * (size - 1)),
        "W": Reach(lambda layers, size: size),
        "L W": Reach(lambda layers, size: layers * size),
    },
    hypotheses=(
        Hypothesis("hidden first key", "no key is seen from everywhere", Reach(sink=True)),
        Hypothesis("windows in every layer", "no layer sees all keys", Reach(whole=True)),
    ),
    does_not_show="that a trained model makes use of the farthest letters: their weight in a mean is W^-L",
)
def sliding_window_exact(claimed: Reach, thorough: bool) -> Iterator[Evidence]:
    """Each letter changed in turn in the free net and in nets of means; the leading weight as a polynomial."""
    most = 5 if thorough else 3
    sizes = [(depth, size) for depth in range(1, most + 1) for size in range(1, most + 1)]
    yield Enumeration("free net, each letter changed", _free(claimed, sizes))
    yield Enumeration("means of windows, each letter changed", _means(claimed, sizes))
    yield Identity("degree and last weight of the means", _polynomials(claimed), sympy.expand)


def _free(claimed: Reach, sizes: Sequence[tuple[int, int]]) -> Iterator[Case]:
    """Two letters are enough: the state tells whether the letter at a position can matter at all."""
    for depth, size in sizes:
        net, layers = Free(), claimed.layers(depth, size)
        for n in (1, 2, depth * size + 2):
            word = [0] * n
            plain = net.states(word, layers)[-1]
            for lag in range(n):
                changed = net.states([int(i == n - lag) for i in range(1, n + 1)], layers)[-1]
                seen = lag < claimed.reach(depth, size)
                yield {"L": depth, "W": size, "n": n, "lag": lag}, (changed != plain) is seen


def _means(claimed: Reach, sizes: Sequence[tuple[int, int]]) -> Iterator[Case]:
    """X <- mean of the window: the farthest letter that is read has weight W^-L, the next one none."""
    for depth, size in sizes:
        far = claimed.reach(depth, size) - 1
        n = far + depth * size + 2  # the first keys, where windows are short, are out of sight
        for lag, weight in ((far, Fraction(1, size**depth)), (far + 1, Fraction(0))):
            values = [Fraction(i == n - lag) for i in range(1, n + 1)]
            for _ in range(depth):
                values = window(size).means(values)
            yield {"L": depth, "W": size, "lag": lag}, values[-1] == weight


def _polynomials(claimed: Reach) -> Iterator[Equation]:
    """The weights of a chain of means are the coefficients of ((1 + z + ... + z^(W-1))/W)^L."""
    for depth, size in product((1, 2, 3), (2, 3, 4)):
        chain = sympy.Poly((sum(Z**r for r in range(size)) / size) ** depth, Z)
        label = f"L = {depth}, W = {size}"
        yield f"degree, {label}", sympy.Integer(chain.degree()), sympy.Integer(claimed.reach(depth, size) - 1)
        yield f"weight, {label}", chain.LC() * size**depth, sympy.Integer(1)


@quantity("window-reach", unit="letters", claim=CLAIM)
def window_letters(layers: Count, window: Count) -> Exact:
    """How many of the last letters the output depends on: L (W - 1) + 1 for L layers of windows of W."""
    return Exact(window_reach(layers, window))
