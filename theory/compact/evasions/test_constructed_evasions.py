"""Evidence from torch detectors: which learn 0^w and the powers of two together, from which length the others fail."""

from collections.abc import Iterator
from fractions import Fraction
from math import exp, log, log10, sqrt, tanh

import pytest
import torch
from torch import Tensor

from constructions.compact.detectors import (
    bounded,
    content_times_log,
    counted_positions,
    evasion,
    squares,
    unguarded_norm,
)
from constructions.compact.nets import exponent_witness
from constructions.compact.word_decoder import letters_of
from theory.arithmetic.ball import Real
from theory.arithmetic.ball import exp as ball_exp
from theory.compact.evasions.models import MODELS, growing_content
from theory.compact.evasions.token_positions import output, pair
from theory.compact.evasions.two_layers import query_gap, total_length_gap
from theory.compact.isolation.detector import LEARNED, BoundedDetector
from theory.compact.words import POWERS, SQUARES, ZEROS
from theory.evidence import Case, Constructed
from theory.ledger import Submissions

torch.set_num_threads(1)
EPSILON = 2.0**-52
ALL, FAR = 2100, 17  # every length up to one, flagged lengths up to two to the other


def flagged(most: int) -> Tensor:
    """2^j - 1 for j = 1, ..., most."""
    return 2 ** torch.arange(1, most + 1) - 1


def test_joint_learners(ledger: Submissions, request: pytest.FixtureRequest) -> None:
    least, most = float(LEARNED) - 8 * EPSILON, ALL if request.config.getoption("thorough") else 128

    def learned() -> Iterator[Case]:
        for name in MODELS:
            model = evasion(name)
            for word in (ZEROS, POWERS):
                margins = model.margins(letters_of(word, most + 1))
                for n, margin in enumerate(margins.tolist(), start=1):
                    yield {"model": name, "word": word.name, "n": n}, margin >= least
                far = model.margins(letters_of(word, 2**FAR), flagged(FAR))
                yield {"model": name, "word": word.name, "n": f"2^j - 1, j <= {FAR}"}, float(far.min()) >= least

    def features() -> Iterator[Case]:
        word, lengths = letters_of(POWERS, 2**FAR), flagged(FAR)
        for name, (build, usual) in MODELS.items():
            found, evader = evasion(name).states(word, lengths).tolist(), build(usual)
            for n, a in zip(lengths.tolist(), found, strict=True):
                expected = float(Real.of(evader.feature(POWERS, n)))
                # Logits up to 12 (n ln 2 for the growing lag) and n terms.
                yield {"model": name, "n": n}, abs(a - expected) <= (4 * n + 64) * EPSILON

    ledger.submit("non-compact-evasions", Constructed("detectors by name on both words", learned()))
    ledger.submit("non-compact-evasions", Constructed("their features in closed form", features()))


def test_the_one_without_a_fixed_margin(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        model = evasion("E5")
        for word in (ZEROS, POWERS):
            for n, margin in enumerate(model.margins(letters_of(word, ALL + 1)).tolist(), start=1):
                yield {"word": word.name, "n": n}, margin > 0
        lengths = flagged(FAR)
        for n, margin in zip(lengths.tolist(), model.margins(letters_of(ZEROS, 2**FAR), lengths).tolist(), strict=True):
            # A difference of probabilities near 1/2.
            yield {"flagged n": n}, abs(margin - tanh(1 / (4 * n))) <= 8 * EPSILON

    ledger.submit("argmax-without-margin", Constructed("the decoder E5 on both words", cases()))


def test_layer_norm_with_epsilon(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        for epsilon in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 3e-8, 1e-8):
            limit, lengths = sqrt(3 / epsilon) / 2, flagged(FAR)
            errors = unguarded_norm(epsilon).errors(torch.zeros(2**FAR, dtype=torch.int64), lengths)
            yield {"epsilon": epsilon}, errors == [n for n in lengths.tolist() if n >= limit]

    ledger.submit("layer-norm-loses-zeros", Constructed("layer norms in float64 on 0^n", cases()))


def test_positions_that_count_tokens(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        for boost in (Fraction(1), Fraction(2), Fraction(20)):
            for half in (1, 2, 10, 50):
                for word in pair(half):
                    n = len(word)
                    found = float(counted_positions(log(boost))(torch.tensor(word), torch.tensor([n]))[0, 0])
                    case = {"m": half, "word": "".join(map(str, word)), "e^Delta": str(boost)}
                    yield case, abs(found - float(output(word, boost))) <= (4 * n + 16) * EPSILON
        n, words = 2 * 10**4 + 1, pair(10**4)
        u, w = (float(counted_positions(3.0)(torch.tensor(word), torch.tensor([n]))[0, 0]) for word in words)
        # Within 1/n of the limits.
        yield {"m": 10**4, "Delta": 3}, abs(u - 1 / 2) < 1 / n and abs(w - 1 / (1 + exp(-3))) < 1 / n

    ledger.submit("token-positions-discontinuous", Constructed("one letter of 2m + 1 changed", cases()))


def test_bounded_logits(ledger: Submissions) -> None:
    def errors() -> Iterator[Case]:
        word, lengths = letters_of(POWERS, 2**FAR), flagged(FAR)
        for delta in (Fraction(0), Fraction(1, 2), *map(Fraction, (1, 2, 3, 4, 5, 7, 12))):
            exact, found = BoundedDetector(ball_exp(delta)), bounded(float(delta)).errors(word, lengths)
            predicted = [2**j - 1 for j in range(1, FAR + 1) if exact.wrong_on_powers(j).value == "holds"]
            yield {"Delta": str(delta)}, found == predicted
            everywhere = bounded(float(delta)).errors(letters_of(POWERS, ALL))
            yield {"Delta": str(delta), "n": f"all up to {ALL}"}, everywhere == [n for n in predicted if n < ALL]

    def radii() -> Iterator[Case]:
        """Early ones in 0^n, one fewer and one more than the radius allows."""
        for delta in (0, 1, 2, 5):
            for n in (1023, 2**14 - 1):
                most = int(n * float(Real.of(BoundedDetector(ball_exp(delta)).radius)))
                for k in (most, most + 1):
                    word = (torch.arange(n + 1) < k).long()
                    wrong = bounded(float(delta)).errors(word, torch.tensor([n]))
                    # Letter n + 1 is 0 in the word that is learned.
                    yield {"Delta": delta, "n": n, "k": k}, bool(wrong) is (k > most)

    ledger.submit("finite-n-obstruction", Constructed("the detector of bounded logits on the powers of two", errors()))
    ledger.submit("finite-n-obstruction", Constructed("how many changed letters it takes", radii()))


def test_growing_logits(ledger: Submissions) -> None:
    def one_layer() -> Iterator[Case]:
        """Errors where the exponent plus that of the word is below 1 and the first one is in reach; none from 1 on."""
        for name, word, flags, kappa in (
            ("powers", POWERS, None, 0.0),
            ("squares", SQUARES, squares, 0.5),
        ):
            n = 2**FAR
            letters = letters_of(word, n)
            lengths = torch.arange(1, n)
            for c in (0.0, 0.25, 0.4, 0.5, 1.0, 1.2):
                model = content_times_log(c, flags) if flags is not None else content_times_log(c)
                wrong = model.errors(letters, lengths)
                if c + kappa >= 1:
                    yield {"word": name, "c": c}, not wrong
                elif c + kappa <= 0.5 + kappa / 2:
                    yield {"word": name, "c": c}, bool(wrong)
                exact = growing_content(Fraction(str(c)))
                for at in (15, 1023, n - 1):
                    a = float(model.states(letters, torch.tensor([at])))
                    expected = float(Real.of(exact.feature(word, at)))
                    yield {"word": name, "c": c, "n": at}, abs(a - expected) <= (4 * at + 64) * EPSILON

    def two_layers() -> Iterator[Case]:
        for power in (3, 4, 5):
            n = 10**power
            word = torch.eye(1, n, dtype=torch.int64)[0]
            for c in (Fraction(1, 2), Fraction(2, 5)):
                for total, exact in ((None, query_gap), (n, total_length_gap)):
                    found = float(exponent_witness(float(c), total)(word, torch.tensor([n]))[0, 1])
                    case = {"n": n, "c": str(c), "factor": "query" if total is None else "length"}
                    yield case, abs(found - float(exact(n, c))) <= 8 * n * EPSILON

    def slopes() -> Iterator[Case]:
        """Over two layers with factors of the query the gap falls like n^-(1 - c)^2, within 1/20 at these lengths."""
        for c in (0.25, 0.5):
            gaps = []
            for n in (10**5, 10**6):
                word = torch.eye(1, n, dtype=torch.int64)[0]
                gaps.append(float(exponent_witness(c)(word, torch.tensor([n]))[0, 1]))
            yield {"c": c}, abs(log10(gaps[0] / gaps[1]) - (1 - c) ** 2) < 0.05

    ledger.submit("log-scaling-threshold", Constructed("one head, c times ln of the query", one_layer()))
    ledger.submit("log-scaling-threshold", Constructed("two layers against their sums", two_layers()))
    ledger.submit("log-scaling-threshold", Constructed("two layers, slope of the gap", slopes()))
