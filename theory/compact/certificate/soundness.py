"""The certificate is sound: no two words of a decoder have outputs further apart than its weights allow.

Proof: a layer is G(x + attention), G = id + MLP after a norm, with Lipschitz constant kappa, so that phi_0 = phi_h =
kappa. A norm with epsilon maps all states into a ball of radius sd before gain and bias, and stretches states of length
>= rho by at most nu = 1/sqrt(rho^2/d + epsilon), as |X/|X| - Y/|Y|| <= |X - Y|/min(|X|, |Y|) for X = (x, sqrt(d
epsilon)). So spectral norms bound queries, keys, values and logits; of a gated MLP act(g) u - act(g') u' = (act(g) -
act(g')) u + act(g') (u - u'); of the softmax dp_s = p_s sum_t p_t (dz_s - dz_t), p_s (1 - p_s) <= 1/4. rho falls by no
more than what is added. The rest is continuity-explicit. Source: derived here.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

import numpy as np
import sympy
from flint import arb, ctx
from sympy import symbols

from theory.claims import Hypothesis, Source, claim
from theory.compact.certificate.certificate import Certificate
from theory.compact.certificate.certify import BITS
from theory.compact.certificate.controls import (
    AnyLastLetter,
    BiasInsideCap,
    FirstKeyHead,
    HalfOscillation,
    NoDownBias,
    NoOutputBias,
    NoOutputTemperature,
    ReadoutWithoutCap,
    SeenLength,
    SinkIgnored,
    TemperatureAfterCap,
    TemperatureOnDeltaOnly,
    ValuesWithoutOutput,
)
from theory.compact.certificate.forward import next_letter, traces
from theory.compact.certificate.random_decoders import Draw, random_decoder, random_words
from theory.compact.certificate.reference import reference
from theory.compact.certificate.rules import Rules
from theory.compact.certificate.traps import TRAPS
from theory.compact.certificate.trials import layer_steps, seen_oscillation, word_pairs
from theory.compact.words import disagreements
from theory.evidence import Enumeration, Equation, Evidence, Identity, Search, Trial
from theory.outcome import Outcome

CLAIM = "certificate-soundness"
SEED = 2505
ROUNDING = 1e-13  # of probabilities and states of a few dozen operations each, relative to 1


@claim(
    CLAIM,
    source=Source("2505.10606", "continuity theorem, with constants read off the weights", "derived"),
    quantifiers="for all pre-norm decoders of the class, all n, all u, w of length n that differ at D, n not in D",
    statement=str,
    variant=Rules(),
    controls={
        "rho measured": SeenLength(),
        "Delta = tau Q K": HalfOscillation(),
        "D_v without W_o": ValuesWithoutOutput(),
        "no output temperature": NoOutputTemperature(),
        "the wrong key head": FirstKeyHead(),
        "no bias of the output projection": NoOutputBias(),
        "no last bias of the MLP": NoDownBias(),
        "the sink's value left out": SinkIgnored(),
        "a temperature in Delta alone": TemperatureOnDeltaOnly(),
        "a temperature after the cap": TemperatureAfterCap(),
        "a bias inside the cap": BiasInsideCap(),
        "no cap in Lambda": ReadoutWithoutCap(),
    },
    hypotheses=(
        Hypothesis("the last letter", "the words share it", AnyLastLetter()),
        Hypothesis(
            "epsilon > 0", "in every norm", remark="else nu may be infinite: non-compact-evasions has a decoder"
        ),
        Hypothesis("no routing", "no experts, no selection of keys", remark="continuity can fail at ties"),
    ),
    does_not_show="that the bounds are near what a decoder does: products over layers make them loose by orders of "
    "magnitude, and a length beyond which words cannot be told apart need not be the least",
)
def certificate_soundness(rules: Rules, thorough: bool) -> Iterator[Evidence]:
    """Decoders that catch a wrong formula each, and all pairs of short words, in balls; random decoders."""
    yield Enumeration("decoders of a few numbers, in balls", _traps(rules))
    yield Identity("steps of the proof", _steps(), reduce=lambda e: sympy.expand(sympy.together(e)))
    for gains in ("small", "default") if thorough else ("small",):
        longest = 4 if thorough else 3
        yield Enumeration(
            f"reference decoder, {gains} gains, words up to {longest}, in balls", _words(rules, gains, longest)
        )
    yield Search("random decoders", _random(rules, 400 if thorough else 24), seed=SEED)


def below(observed: arb, bound: arb) -> Outcome:
    """Whether a number is at most the upper end of a bound, which is what is certified."""
    if observed.upper() <= bound.upper():
        return Outcome.HOLDS
    return Outcome.REFUTED if observed.lower() > bound.upper() else Outcome.UNDECIDED


def _traps(rules: Rules) -> Iterator[tuple[object, Outcome]]:
    for name, trap in TRAPS.items():
        if isinstance(trap.caught, AnyLastLetter) and rules.last_letter:
            continue  # two words that the statement does not speak of
        for what, observed, bound in trap.pairs(rules):
            yield f"{name}: {what}", below(observed, bound)


def _words(rules: Rules, gains: str, longest: int) -> Iterator[tuple[object, Outcome]]:
    weights = reference(gains)
    for n in range(2, longest + 1):
        words = list(product(range(3), repeat=n))
        pairs = [(u, w) for u, w in combinations(words, 2) if u[-1] == w[-1]]
        if n > 2:
            pairs = pairs[:: 1 + len(pairs) // (300 if longest > 3 else 60)]
        with ctx.workprec(BITS):
            found = list(word_pairs(weights, rules, pairs))
        for what, observed, bound in found:
            yield what, below(observed, bound)


def _steps() -> Iterator[Equation]:
    p, u, v, g, h = symbols("p u v g h", real=True)
    yield "1/4 - p (1 - p)", sympy.Rational(1, 4) - p * (1 - p), (p - sympy.Rational(1, 2)) ** 2
    yield "gated product", g * u - h * v, (g - h) * u + h * (u - v)
    z, dz = symbols("z:3", real=True), symbols("d:3", real=True)
    powers = [sympy.exp(value) for value in z]
    shares = [power / sum(powers) for power in powers]
    for s in range(3):
        moved = sum(sympy.diff(shares[s], z[t]) * dz[t] for t in range(3))
        differences = sum(shares[s] * shares[t] * (dz[s] - dz[t]) for t in range(3))
        yield f"softmax, letter {s}", moved, differences


def _random(rules: Rules, decoders: int) -> Iterator[Trial]:
    random = np.random.default_rng(SEED)
    for index in range(decoders):
        depth = 1 + index % 4
        weights = random_decoder(random, Draw(depth, 0.25))
        certificate = Certificate.of(weights, rules)
        n, k = int(random.integers(3, 40)), 1
        u, w = random_words(random, weights.letters, n, k, 4)
        apart = np.abs(next_letter(weights, u) - next_letter(weights, w)).max(axis=1)
        for row, gap in enumerate(apart):
            bound = float(certificate.at_places(n, disagreements(u[row].tolist(), w[row].tolist())))
            yield Trial(f"decoder {index}, outputs {row}", float(gap), bound, ROUNDING, vacuous=bound >= 1)
        first, second = list(traces(weights, u)), list(traces(weights, w))
        if not weights.by_lag:
            for layer, (seen, most) in enumerate(layer_steps(certificate.constants, first, second)):
                worst = np.unravel_index(np.argmax(seen - most), seen.shape)
                yield Trial(f"decoder {index}, states {layer}", float(seen[worst]), float(most[worst]), ROUNDING)
        for layer, trace in enumerate(first):
            if weights.blocks[layer].attention.slopes is None:
                for head, seen in enumerate(seen_oscillation(trace)):
                    bound = float(certificate.constants.oscillations[layer][head].upper())
                    yield Trial(f"decoder {index}, Delta {layer}/{head}", float(seen), bound, ROUNDING)
