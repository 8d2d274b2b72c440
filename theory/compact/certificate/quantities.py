"""The certificate of the reference decoder, and of the decoders that catch wrong formulas, as named numbers."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import numpy as np
from flint import arb, ctx

from theory.arithmetic.ball import Real
from theory.compact.certificate.certificate import Certificate
from theory.compact.certificate.certify import BITS
from theory.compact.certificate.forward import next_letter
from theory.compact.certificate.reference import GAINS, reference
from theory.compact.certificate.rules import Rules
from theory.compact.certificate.soundness import CLAIM
from theory.compact.certificate.traps import TRAPS
from theory.compact.words import disagreements
from theory.errors import InputError
from theory.quantities import Bound, Count, Enclosure, Exact, Length2, Parameter, Positive, Result, quantity


def _one_of(noun: str, names: tuple[str, ...]) -> Parameter:
    def read(text: str) -> str:
        if text not in names:
            raise InputError(f"{text!r} is no {noun}; give one of {', '.join(names)}")
        return text

    return Parameter(f"{noun}: {', '.join(names)}", read)


def _word(text: str) -> tuple[int, ...]:
    """Letters 0 to 2; 0*99+1 is shorthand for 99 zeros and a one."""
    letters: list[int] = []
    for part in text.split("+"):
        letter, _, times = part.partition("*")
        if not letter.isascii() or not letter.isdigit() or not (times or "1").isdigit() or len(times) > 4:
            raise InputError(f"{text!r} is no word; write letters as 0120, or repeated ones as 0*99+1")
        letters += [int(x) for x in letter] * int(times or 1)
    return tuple(letters)


Gains = Annotated[str, _one_of("gains", tuple(GAINS))]
TrapName = Annotated[str, _one_of("decoder", tuple(TRAPS))]
Word = Annotated[tuple[int, ...], Parameter("word, as 0120 or 0*99+1", _word)]


def _upper(value: arb) -> Bound:
    upper = value.upper()
    return Bound("upper", Real(lambda: upper))


@quantity("certificate-layer", unit="1", claim=CLAIM)
def certificate_layer(gains: Gains, layer: Count) -> dict[str, Result]:
    """Bounds of the constants of one layer of the reference decoder, counted from 1, head by head."""
    layers = Certificate.of(reference(gains)).constants.layers
    if layer > len(layers):
        raise InputError(f"layer {layer} is beyond the last; the reference decoder has {len(layers)}")
    found = layers[layer - 1]
    values = {
        "nu-attention": found.attention_slope,
        "nu-mlp": found.mlp_slope,
        "J": found.mlp_inner,
        "kappa": found.constants.skip,
        "a": found.constants.a,
        "b": found.constants.b,
    }
    for number, head in enumerate(found.constants.heads):
        values |= {
            f"Delta-{number}": head.oscillation,
            f"D_v-{number}": head.diameter,
            f"lambda_v-{number}": head.value,
            f"lambda_q-{number}": head.query,
            f"lambda_k-{number}": head.key,
        }
    return {name: _upper(value) for name, value in values.items()}


@quantity("certificate-polynomial", unit="1", claim=CLAIM)
def certificate_polynomial(gains: Gains) -> dict[str, Result]:
    """D_0, B, Lambda and P_0, P_1, P_2 of the reference decoder."""
    constants = Certificate.of(reference(gains)).constants
    _, mean = constants.layers[0].constants.first(constants.start)
    found = {"D_0": constants.start, "B": mean, "Lambda": constants.readout}
    return {
        **{name: _upper(value) for name, value in found.items()},
        **{f"P_{m}": _upper(value) for m, value in enumerate(constants.coefficients)},
    }


@quantity("certificate-radius", unit="share of the letters", claim=CLAIM)
def certificate_radius(gains: Gains, eps: Positive) -> Bound:
    """The share delta(eps) of changed letters up to which outputs of the reference decoder are within eps."""
    return Bound("lower", Certificate.of(reference(gains)).radius(eps))


@quantity("certificate-length", unit="letters", claim=CLAIM)
def certificate_length(gains: Gains, k: Count, eps: Positive) -> Exact:
    """The length n*(k, eps) from which on k changed letters move no output of the reference decoder by more."""
    return Exact(Certificate.of(reference(gains)).sufficient_length(k, eps).length)


@quantity("certificate-bound", unit="probability", claim=CLAIM)
def certificate_bound(gains: Gains, n: Length2, k: Count) -> Bound:
    """The bound(n, k) of the reference decoder."""
    return _upper(Certificate.of(reference(gains)).at_distance(n, k))


@quantity("certificate-pair", unit="probability", claim=CLAIM)
def certificate_pair(gains: Gains, u: Word, w: Word) -> dict[str, Result]:
    """Two words that share the last letter: the distance of the reference decoder's outputs, and bound(n, D)."""
    weights = reference(gains)
    _require_letters(weights.letters, u, w)
    bound = Certificate.of(weights).at_places(len(u), disagreements(u, w))

    def enclose() -> arb:
        one, other = next_letter(weights, np.array([u, w]), balls=True)
        distances = [abs(x - y) for x, y in zip(one, other, strict=True)]
        largest = distances[0]
        for distance in distances[1:]:
            largest = largest.max(distance)
        return largest

    return {"distance": Enclosure(Real(enclose)), "bound": _upper(bound)}


@quantity("certificate-output", unit="probability", claim=CLAIM)
def certificate_output(gains: Gains, word: Word) -> dict[str, Result]:
    """What the reference decoder gives each next letter after a word; without a sink it is the same after all s^n."""
    weights = reference(gains)
    _require_letters(weights.letters, word)

    def enclose(letter: int) -> arb:
        (found,) = next_letter(weights, np.array([word]), balls=True)
        return found[letter]

    return {f"T({letter})": Enclosure(Real(partial(enclose, letter))) for letter in range(weights.letters)}


def _require_letters(letters: int, *words: tuple[int, ...]) -> None:
    for word in words:
        if not word or max(word) >= letters:
            raise InputError(f"the letters of {word} are not all below {letters}; give letters 0, 1, 2")


@quantity("certificate-trap", unit="1", claim=CLAIM)
def certificate_trap(decoder: TrapName, case: Count = 1) -> dict[str, Result]:
    """What a decoder of a few numbers does, the bound, and what the formula that it catches would have said."""
    trap = TRAPS[decoder]
    pairs, wrong = trap.pairs(Rules()), trap.pairs(trap.caught)
    if case > len(pairs):
        raise InputError(f"case {case} is beyond the last; the decoder {decoder} has {len(pairs)}")
    _, observed, bound = pairs[case - 1]
    with ctx.workprec(BITS):
        seen = +observed
    return {
        "observed": Enclosure(Real(lambda: seen)),
        "bound": _upper(bound),
        "claimed": _upper(wrong[case - 1][2]),
    }
