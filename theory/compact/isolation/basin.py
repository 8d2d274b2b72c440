"""A prompt near a learned word is continued by the learned word for ever.

Source: arXiv 2505.10606, abstract, for the idea; statement and radius are reconstructed here. omega bounds by how much
two outputs differ whose words share length and last letter; (*) T(u) prefers the learned letter by eps - 2 omega(d).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import sympy

from theory.arithmetic.ball import Real, exp
from theory.claims import Hypothesis, Source, claim
from theory.compact.isolation.detector import LEARNED, BoundedDetector, logit, margin, right, share
from theory.compact.isolation.models import REPEAT, Decoder, greedy, matching
from theory.compact.isolation.situations import fading_logit
from theory.compact.words import POWERS, ZEROS, disagreements, periodic, running_distance
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity
from theory.outcome import Outcome
from theory.quantities import Count, Enclosure, Exact, Number, quantity
from theory.rope.scale import ceiling

CLAIM = "basin"
SOURCE = Source("2505.10606", "abstract", "reconstructed")
THIRD, HALF = Fraction(1, 3), Fraction(1, 2)
# The last one knows nothing before length 3; the one before it is continuous in the one-sided density only.
DECODERS = (
    *(matching(word, HALF, HALF) for word in (ZEROS, POWERS, periodic(1))),
    matching(periodic(2), Fraction(4, 5), Fraction(2)),
    REPEAT,
    matching(POWERS, HALF, HALF, one_sided=True),
    matching(ZEROS, HALF, THIRD, start=3),
)


@dataclass(frozen=True)
class Basin:
    """From u with omega(d) < eps/2 greedy decoding gives the learned word, each step by eps - loss omega(d) at least.

    Args:
        loss: how often omega(d) is lost.
        last, begun, near: whether u_n = alpha_n, n >= n0 and omega(d) < eps/2 are demanded.
        fixed: whether the word is learned with a margin that does not fade.
        hamming: whether d is d_H whatever the decoder is continuous in.
        tokens: below how many changed letters the detector of bounded logits is right at flagged n, from its radius.
    """

    loss: int = 2
    last: bool = True
    begun: bool = True
    near: bool = True
    fixed: bool = True
    hamming: bool = False
    tokens: Callable[[Any, int], Any] = lambda radius, n: radius * n

    def __str__(self) -> str:
        given = [
            *["u_n = alpha_n"] * self.last,
            *["n >= n0"] * self.begun,
            *["omega(d) < eps/2"] * self.near,
            *["eps > 0 fixed"] * self.fixed,
            f"d = {'d_H' if self.hamming else 'd_H, or M_D where kernels fall'}",
        ]
        radius, length = sympy.symbols("radius n")
        return (
            f"{', '.join(given)}: greedy decoding from u gives alpha with margin eps - {self.loss} omega(d); "
            f"the detector keeps 0 at flagged n for k < {self.tokens(radius, length)}"
        )

    def premise(self, decoder: Decoder, u: tuple[int, ...], shift: Fraction) -> bool:
        """Whether anything is said of the prompt u; `shift` is omega(d)."""
        return (
            (not self.last or u[-1] == decoder.word.letter(len(u)))
            and (not self.begun or len(u) >= decoder.start)
            and (not self.near or 2 * shift < decoder.margin)
        )


@claim(
    CLAIM,
    source=SOURCE,
    quantifiers="for all decoders with modulus omega, words learned with margin eps from n0, prompts u in the basin",
    statement=str,
    variant=Basin(),
    controls={
        "margin eps - omega(d)": Basin(loss=1),
        "d_H for a decoder that is continuous in M_D": Basin(hamming=True),
        "as many letters as at n = 63": Basin(tokens=lambda radius, n: 63 * radius),
    },
    hypotheses=(
        Hypothesis("the last letters agree", "u_n = alpha_n", Basin(last=False)),
        Hypothesis("the word is learned by then", "n >= n0", Basin(begun=False)),
        Hypothesis("a prompt that is near", "omega(d) < eps/2", Basin(near=False)),
        Hypothesis("a fixed margin", "eps > 0 does not depend on n", Basin(fixed=False)),
    ),
    does_not_show="that a trained model has such a basin at a length of interest: its radius is about e^-Delta",
)
def basin(claimed: Basin, thorough: bool) -> Iterator[Evidence]:
    """(*) on all pairs of a grid; greedy decoding from all short prompts; the radius of a detector; (*) as identity."""
    if not claimed.fixed:
        yield Enumeration("a margin that fades, one letter changed", _fading())
    yield Enumeration("pairs of distributions", _pairs(claimed, 12 if thorough else 7))
    yield Enumeration("greedy decoding from all prompts", _prompts(claimed, 9 if thorough else 6))
    yield Identity("the worst pair of outputs", _worst(claimed), sympy.expand)
    yield Enumeration("radius of the detector", _radii(claimed, 12 if thorough else 10))


def _pairs(claimed: Basin, parts: int) -> Iterator[Case]:
    """All pairs of distributions on three letters in steps of 1/parts; letter 0 is the learned one."""
    grid = [(a, b, parts - a - b) for a in range(parts + 1) for b in range(parts + 1 - a)]
    for p, q in product(grid, repeat=2):
        lead, led = (x[0] - max(x[1:]) for x in (p, q))
        omega = max(abs(x - y) for x, y in zip(p, q, strict=True))
        if lead > 0:
            yield {"T(alpha)": p, "T(u)": q, "in": parts}, led >= lead - claimed.loss * omega


def _prompts(claimed: Basin, longest: int) -> Iterator[Case]:
    for decoder, n in product(DECODERS, range(1, longest + 1)):
        density = running_distance if claimed.hamming else decoder.density
        for u in product((0, 1), repeat=n):
            shift = decoder.modulus(density(disagreements(u, decoder.word.prefix(n)), n))
            if claimed.premise(decoder, u, shift):
                steps = greedy(decoder, u, n + 2)
                wanted = [decoder.word.letter(n + 1 + step) for step in range(n + 2)]
                least = decoder.margin - claimed.loss * shift
                case = {"decoder": str(decoder), "u": "".join(map(str, u))}
                yield case, [letter for letter, _ in steps] == wanted and all(lead >= least for _, lead in steps)


def _fading() -> Iterator[Case]:
    """0^w is learned by less and less, and after a single one it is lost at all flagged lengths."""
    for n in (2**j - 1 for j in range(7, 40)):
        yield {"n": n, "d": f"1/{n}"}, Outcome.every([right(fading_logit(0, n, 1), 0), right(fading_logit(1, n, 1), 0)])


def _worst(claimed: Basin) -> Iterator[Equation]:
    """The learned letter loses omega and the best other one gains it."""
    own, other, omega = sympy.symbols("T_a T_s omega", positive=True)
    yield "margin at u", (own - omega) - (other + omega), (own - other) - claimed.loss * omega


def _radii(claimed: Basin, longest: int) -> Iterator[Case]:
    """Any k letters of 0^n at flagged n; and that the single-head bound certifies 97 % of the radius."""
    for delta in (0, 1, 2, 5):
        detector = BoundedDetector(exp(delta))
        certified, exact = detector.certified_radius, Real.of(detector.radius)
        yield {"Delta": delta}, Outcome.every([certified < exact, certified > Fraction(97, 100) * exact])
        for n in (2**j - 1 for j in range(2, longest)):
            limit = claimed.tokens(exact, n)
            for k in range(1, n // 4 + 2, max(1, n // 64)):
                z = logit(share(detector.boost, k, n), 1)
                case = {"Delta": delta, "n": n, "k": k}
                yield case, right(z, 0) if (limit > k) is Outcome.HOLDS else ~right(z, 0)
                if (certified * n > k) is Outcome.HOLDS:
                    # The output moves by at most half the weight of the changed letters.
                    yield case, margin(z, 0) >= LEARNED - Fraction(claimed.loss, 2) * share(detector.boost, k, n)


@quantity("basin-radius", unit="share of letters", claim=CLAIM)
def basin_radius(delta: Number) -> dict[str, Enclosure]:
    """The share of ones below which the detector of oscillation delta keeps 0^w at flagged n: exact and certified."""
    detector = BoundedDetector(exp(delta))
    return {"exact": Enclosure(Real.of(detector.radius)), "certified": Enclosure(detector.certified_radius)}


@quantity("basin-letters", unit="letters", claim=CLAIM)
def basin_letters(delta: Number, n: Count) -> Exact:
    """The largest number of ones among n letters at which the detector keeps 0^w, should n be flagged."""
    return Exact(ceiling(Real.of(BoundedDetector(exp(delta)).radius) * n) - 1)
