"""Models that break one hypothesis and learn 0^w and the powers of two together, which no continuous model can.

Source: derived here. Each gives the detector head a feature that is 0 on 0^w and at least 1/2 on the powers of two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import sympy

from theory.arithmetic import ball
from theory.arithmetic.ball import Real
from theory.claims import Hypothesis, Source, claim
from theory.compact.evasions.models import (
    MODELS,
    Evader,
    growing_content,
    growing_first,
    growing_lag,
    hard_attention,
    layer_norm,
    sink_and_window,
    unbounded_count,
)
from theory.compact.evasions.named import Model
from theory.compact.isolation.detector import LEARNED, Number, errors, logit_on
from theory.compact.symbols import k, n
from theory.compact.words import POWERS, ZEROS, Infinite, altered, periodic
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome
from theory.quantities import Count, Enclosure, Exact, Length, Result, quantity

CLAIM = "non-compact-evasions"
PAPER = "2505.10606"
SEED = 25051
USUAL = {name: build(number) for name, (build, number) in MODELS.items()}


@dataclass(frozen=True)
class Evaders:
    """The models that are said to learn both words; `changed` says how they differ from the usual ones."""

    changed: str = ""
    models: Mapping[str, Evader] = field(default_factory=lambda: USUAL, repr=False)

    def __str__(self) -> str:
        names = ", ".join(self.models)
        note = f" ({self.changed})" if self.changed else ""
        return f"{names}{note}: the feature is 0 on 0^w and at least 1/2 on the powers of two, at all n"


def _with(name: str, changed: str, evader: Evader) -> Evaders:
    """This model first, so that it is tried first."""
    return Evaders(f"{name} with {changed}", {name: evader, **{key: USUAL[key] for key in USUAL if key != name}})


@claim(
    CLAIM,
    source=Source(PAPER, "necessity of its hypotheses", "derived"),
    quantifiers="for all n; each model is as D2 in all else: one head, the detector head behind it",
    statement=str,
    variant=Evaders(),
    controls={
        "E1, c = 1/2": _with("E1", "c = 1/2", growing_content(Fraction(1, 2))),
        "E2b, m = 1/20": _with("E2b", "m = 1/20", growing_lag(Fraction(1, 20))),
        "E3, position data sqrt(n)": _with("E3", "position data sqrt(n)", unbounded_count(Fraction(1, 2))),
        "E6 of two ones": _with("E6", "two ones", hard_attention(2)),
    },
    hypotheses=(
        Hypothesis(
            "eps = 0", "LayerNorm of E4 divides by |y|", _with("E4", "eps = 10^-6", layer_norm(Fraction(1, 10**6)))
        ),
        Hypothesis("ln W", "the sink of E9 has the logit ln W", _with("E9", "logit 0", sink_and_window(8, 1))),
        Hypothesis("growing logits", "E2 has the logit ln n", _with("E2", "logit 0", growing_first(Fraction(0)))),
    ),
    does_not_show="that trained models of these kinds learn both words, or that other models that break one do",
)
def non_compact_evasions(claimed: Evaders, thorough: bool) -> Iterator[Evidence]:
    """Flagged lengths up to 2^40, all short lengths, closed forms from the weights, and forward passes."""
    flagged = [2**j - 1 for j in range(1, 41)]
    for name, evader in claimed.models.items():
        lengths = [*flagged, *range(1, 400 if thorough else 40)]
        yield Enumeration(f"{name}, breaks {evader.breaks}", _fact(evader, lengths))
    yield Identity("E1, E2 and E2b above 1/2", _identities(), sympy.simplify)
    yield Search("forward passes on any words", _passes(claimed, 40 if thorough else 8), seed=SEED)


def _fact(evader: Evader, lengths: list[int]) -> Iterator[Case]:
    for length in lengths:
        zeros, powers = (Real.of(evader.feature(word, length)) for word in (ZEROS, POWERS))
        yield {"n": length}, Outcome.every((zeros.equals(0), powers >= Fraction(1, 2)))


def _identities() -> Iterator[Equation]:
    a = n * k / (n * k + n - k)
    yield "E1", a - sympy.Rational(1, 2), (n * k + k - n) / (2 * (n * k - k + n))
    yield "E2, first key", n / (n + (n - 1)) - sympy.Rational(1, 2), 1 / (2 * (2 * n - 1))
    q = sympy.Symbol("q", positive=True)
    for size in (2, 5):
        yield f"E2b, first key, n = {size}", 1 / sum(q**j for j in range(size)), (1 - q) / (1 - q**size)


def _passes(claimed: Evaders, count: int) -> Iterator[Trial]:
    """The closed forms are what float64 comes to on words of few ones, early and late."""
    random = np.random.default_rng(SEED)
    for name, evader in claimed.models.items():
        for case in range(count):
            length = int(random.integers(1, 300))
            start = tuple(int(x) for x in random.random(length // 2) < 0.1)
            word: Infinite = altered(start, (ZEROS, POWERS, periodic(6))[case % 3])
            found = evader.forward(np.array(word.prefix(length), dtype=float))
            wanted = float(Real.of(evader.feature(word, length)))
            # Softmax of logits up to 6 (300 m for the growing lag) over 300 keys.
            yield Trial((name, length, case % 3), abs(found - wanted), 0.0, 2e-11)


def signed_logit(feature: Number, letter: int) -> Real:
    """The logit in favour of the letter."""
    return Real.of(feature if letter else -feature)


@quantity("evasion-feature", unit="1", claim=CLAIM)
def evasion_feature(model: Model, n: Length) -> dict[str, Result]:
    """What the model's head gives after n letters of 0^w and of the powers of two."""
    found = {word.name: Real.of(model.feature(word, n)) for word in (ZEROS, POWERS)}
    return {"zeros": Enclosure(found[ZEROS.name]), "powers": Enclosure(found[POWERS.name])}


@quantity("evasion-margin", unit="probability", claim=CLAIM)
def evasion_margin(model: Model, n: Length) -> dict[str, Result]:
    """The least margin of the model with the detector head on 0^w and on the powers of two, over lengths 1 to n."""
    least = {}
    for word in (ZEROS, POWERS):
        logits = (signed_logit(logit_on(model.feature, word, i), word.letter(i + 1)) for i in range(1, n + 1))
        least[word.name] = ball.tanh(ball.minimum(logits) / 2)
    return {
        "zeros": Enclosure(least[ZEROS.name]),
        "powers": Enclosure(least[POWERS.name]),
        "of-the-fact": Enclosure(LEARNED),
    }


@quantity("evasion-first-error", unit="letters", claim=CLAIM)
def evasion_first_error(model: Model, exponents: Count = 200) -> dict[str, Result]:
    """The first flagged length n, as n + 1 = 2^j, at which the model errs on the powers of two, and on 0^w."""
    found: dict[str, Result] = {}
    for name, word in (("powers", POWERS), ("zeros", ZEROS)):
        lengths = (2**j - 1 for j in range(1, exponents + 1))
        first = next(errors(model.feature, word, lengths), None)
        found[name] = Exact(f"none up to 2^{exponents}" if first is None else f"2^{(first + 1).bit_length() - 1}")
    return found
