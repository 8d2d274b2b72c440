"""What decoders on words learn together, in torch and as certified: three words that are apart, and two that are near.

Source: arXiv 2505.10606 for continuity and isolation; the decoders are derived in theory.compact.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import count

import torch

from constructions.compact.detectors import bounded, content_times_log
from constructions.compact.learners import joint
from constructions.compact.nets import alibi_detector
from constructions.compact.word_decoder import WordDecoder, letters_of
from constructions.demo.certified import EPSILON, Certified
from theory.arithmetic.ball import Real, evaluate, exp, log
from theory.compact.evasions.models import growing_content, growing_lag
from theory.compact.isolation.detector import LEARNED, BoundedDetector, Feature, errors, margin_on
from theory.compact.learnability.models import C, V, softmax_margin
from theory.compact.words import POWERS, ZEROS, Infinite, periodic
from theory.outcome import Outcome

FAMILY: tuple[Infinite, ...] = (ZEROS, periodic(1), periodic(2))
APART, GAIN = Fraction(1, 6), 30  # half the least distance of two of them, and C
LONG, CHANGED, PROMPT = 3000, (5, 10, 15), 300
DELTA, LARGE = 2, 20
SHORT = 300
FLAGGED = tuple(2**j - 1 for j in range(1, 15))


@dataclass(frozen=True, eq=False)
class Together:
    """Words that one decoder has learned.

    Attributes:
        words: the words.
        start, end: the lengths after which its letters were compared.
        margins: least and largest margin over all words and lengths.
        changed: the margin on zeros of which the first so many per cent are ones.
    """

    words: tuple[Infinite, ...]
    start: int
    end: int
    margins: tuple[Certified, Certified]
    changed: dict[int, Certified]
    claim = "joint-learnability"

    @property
    def right(self) -> bool:
        """Whether all margins are as certified."""
        return all(each.right for each in (*self.margins, *self.changed.values()))


@dataclass(frozen=True, eq=False)
class Rival:
    """A detector on 0^w and on the powers of two, which differ at few places.

    Attributes:
        name, reason: what it is, and why it errs or does not.
        claim: what says so.
        feature: its feature in closed form.
        margins: on the powers of two, by length.
        errors: the lengths tried after which it is wrong on them.
        predicted: the lengths tried after which it is proved to be wrong.
        zeros: its least margin on 0^w over the lengths tried.
    """

    name: str
    reason: str
    claim: str
    feature: Feature
    margins: dict[int, Certified]
    errors: list[int]
    predicted: list[int]
    zeros: float

    @property
    def right(self) -> bool:
        """Whether torch errs exactly where it is proved to, has the certified margins, and has learned 0^w."""
        certain = all(margin.right for margin in self.margins.values())
        learned = (Real.of(Fraction(self.zeros)) >= LEARNED - 8 * EPSILON) is Outcome.HOLDS
        return certain and learned and self.errors == self.predicted


@dataclass(frozen=True, eq=False)
class Compact:
    """What the demo found."""

    together: Together
    rivals: tuple[Rival, ...]

    @property
    def right(self) -> bool:
        """Whether all is as proved."""
        return self.together.right and all(rival.right for rival in self.rivals)


def learned_together() -> Compact:
    """Run the decoders."""
    return Compact(_together(), tuple(_rivals()))


def _together() -> Together:
    model = joint(FAMILY, LONG, gain=GAIN, apart=float(APART))
    start = 3  # from here on any two of them are farther apart than APART
    found = torch.cat([model.margins(letters_of(word, LONG + 1), torch.arange(start, LONG + 1)) for word in FAMILY])
    return Together(
        FAMILY,
        start,
        LONG,
        (_led(float(found.min()), APART, LONG), _led(float(found.max()), APART, LONG)),
        {percent: _changed(model, percent) for percent in CHANGED},
    )


def _changed(model: WordDecoder, percent: int) -> Certified:
    word = (torch.arange(PROMPT + 1) < PROMPT * percent // 100).long()
    found = float(model.margins(word, torch.tensor([PROMPT])))
    return _led(found, APART - Fraction(percent, 100), PROMPT)


def _led(observed: float, lead: Fraction, n: int) -> Certified:
    """A margin of two letters of which one leads by GAIN times `lead`; shares of n letters are off by n epsilon."""
    exact = evaluate(softmax_margin(C), {C: GAIN * lead, V: 2})
    return Certified(observed, exact, 8 * GAIN * n * EPSILON)


def _rivals() -> list[Rival]:
    slope, large = log(2), BoundedDetector(exp(LARGE))
    far = next(j for j in count(1) if large.wrong_on_powers(j) is Outcome.HOLDS)
    return [
        _rival(
            f"Delta = {DELTA}",
            f"Logits 0 and {DELTA}: it errs at n = 2^j - 1 once 3 e^{DELTA} j <= 2^j - 1 - j. "
            f"With logits 0 and {LARGE} that would be from n = 2^{far} - 1 on.",
            "finite-n-obstruction",
            bounded(DELTA),
            BoundedDetector(exp(DELTA)),
        ),
        _rival(
            "ALiBi",
            "Logits fall by ln 2 a place: the last letters decide, and before a power of two these are zeros.",
            "recency-isolation",
            alibi_detector(float(slope)),
            growing_lag(-slope).feature,
        ),
        _rival(
            "ln n",
            "Logits 0 and ln n are not bounded, so that this is no compact decoder.",
            "non-compact-evasions",
            content_times_log(),
            growing_content(Fraction(1)).feature,
        ),
    ]


def _rival(name: str, reason: str, claim: str, model: WordDecoder, feature: Feature) -> Rival:
    """The detector after all short prefixes and after those that a power of two ends, the places that matter."""
    lengths = torch.tensor(sorted({*range(1, SHORT + 1), *FLAGGED}))
    word = letters_of(POWERS, FLAGGED[-1] + 1)
    found = dict(zip(lengths.tolist(), model.margins(word, lengths).tolist(), strict=True))
    return Rival(
        name,
        reason,
        claim,
        feature,
        # Of n terms, with logits up to n ln 2.
        {n: Certified(found[n], margin_on(feature, POWERS, n), (4 * n + 64) * EPSILON) for n in FLAGGED},
        [n for n, margin in found.items() if margin <= 0],
        [*errors(feature, POWERS, lengths.tolist())],
        float(model.margins(torch.zeros_like(word), lengths).min()),
    )
