"""Evidence from torch decoders for what a learned word does to the words near it."""

from collections.abc import Callable, Iterator
from functools import partial
from math import sqrt, tanh

import torch
from torch import Tensor

from constructions.compact import necessity
from constructions.compact.decoder import CompactConfig, CompactDecoder
from constructions.compact.detectors import bounded, evasion, multiples, powers, squares
from constructions.compact.learners import joint, table
from constructions.compact.nets import alibi_detector
from constructions.compact.word_decoder import WordDecoder, letters_of
from theory.arithmetic.ball import Real, exp, log
from theory.compact.continuity.single_head import changed_mass
from theory.compact.isolation.detector import LEARNED, BoundedDetector
from theory.compact.words import POWERS, SQUARES, ZEROS, Infinite, altered, periodic
from theory.evidence import Case, Constructed
from theory.ledger import Submissions

torch.set_num_threads(1)
SEED = 2505
EPSILON = 2.0**-52
LONG = 10**5
TRIPLE = (ZEROS, periodic(1), periodic(2))
FLAGS: tuple[tuple[Infinite, Callable[[Tensor], Tensor]], ...] = (
    (POWERS, powers),
    (SQUARES, squares),
    (periodic(9), partial(multiples, of=10)),
    (periodic(30), partial(multiples, of=31)),
)


def greedy(model: WordDecoder, prompt: list[int], steps: int) -> list[int]:
    """The letters that greedy decoding adds."""
    word = list(prompt)
    for _ in range(steps):
        word.append(int(model(torch.tensor(word), torch.tensor([len(word)]))[0].argmax()))
    return word[len(prompt) :]


def test_basins(ledger: Submissions) -> None:
    def prompts() -> Iterator[Case]:
        """Three words learned together, 1/3 apart: up to a sixth of the letters changed, anywhere but at the end."""
        generator = torch.Generator().manual_seed(SEED)
        n, steps = 90, 30
        model = joint(TRIPLE, n + steps, gain=30, apart=1 / 6)
        for word in TRIPLE:
            for k in (0, 1, 7, 14):
                for places in (torch.arange(k), torch.randperm(n - 1, generator=generator)[:k]):
                    prompt = letters_of(word, n)
                    prompt[places] = 1 - prompt[places]
                    added = greedy(model, prompt.tolist(), steps)
                    wanted = [word.letter(n + 1 + step) for step in range(steps)]
                    yield {"word": word.name, "changed": sorted(places.tolist())}, added == wanted

    def radii() -> Iterator[Case]:
        """The detector at flagged lengths: right below its radius, and above the margin that the bound leaves."""
        for delta in (0, 1, 2, 5):
            exact, model = BoundedDetector(exp(delta)), bounded(float(delta))
            radius, certified = float(Real.of(exact.radius)), float(exact.certified_radius)
            for n in (63, 1023, 2**16 - 1):
                for k in {0, int(radius * n / 2), int(certified * n), int(radius * n), int(radius * n) + 1}:
                    word = (torch.arange(n + 1) < k).long()
                    margin = float(model.margins(word, torch.tensor([n])))
                    left = float(LEARNED) - changed_mass(float(delta), k / n)
                    yield {"Delta": delta, "n": n, "k": k}, (margin > 0) is (k / n < radius) and margin >= left - 1e-12

    ledger.submit("basin", Constructed("greedy decoding beside three learned words", prompts()))
    ledger.submit("basin", Constructed("the detector of bounded logits, up to 65535 letters", radii()))


def test_isolation(ledger: Submissions) -> None:
    def detectors() -> Iterator[Case]:
        """0^w is learned, and a word is missed at every flagged length where its ones are sparse, and there alone."""
        for delta in (0, 1, 2):
            radius = float(Real.of(BoundedDetector(exp(delta)).radius))
            for word, flags in FLAGS:
                model, letters = bounded(float(delta), flags), letters_of(word, LONG)
                case = {"Delta": delta, "word": word.name}
                yield case, float(model.margins(torch.zeros_like(letters)).min()) >= tanh(0.25) - 8 * EPSILON
                lengths = torch.arange(1, LONG)
                # At the radius itself the two letters tie, which is an error too.
                dense = letters.cumsum(0)[:-1].double() / lengths > radius
                missed = lengths[(letters[1:] == 1) & ~dense].tolist()
                endless = float(letters.double().mean()) < radius
                yield case, model.errors(letters, lengths) == missed and (missed[-1] > LONG // 2) is endless

    def listed() -> Iterator[Case]:
        found = bounded(1.0).errors(letters_of(POWERS, 2**17))
        yield "Delta = 1 on the powers of two", found == [2**j - 1 for j in range(6, 18)]

    ledger.submit("isolation", Constructed("detectors on sparse words, up to 10^5 letters", detectors()))
    ledger.submit("isolation", Constructed("errors on the powers of two, up to 2^17", listed()))


def test_isolation_as_printed(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        model, words = necessity.constant_model(0.9, 0.1), (ZEROS, altered((1,), ZEROS))
        learned = [float(model.margins(letters_of(word, 1000))[1:].min()) >= 0.8 - EPSILON for word in words]
        yield {"T": (0.9, 0.1), "words": [word.name for word in words]}, not all(learned)

    ledger.submit("isolation-printed", Constructed("a constant decoder", cases()))


def test_tails(ledger: Submissions) -> None:
    def averages() -> Iterator[Case]:
        """Margin 4/5 - 4/(5 n) on 1 0^w: every smaller margin is reached, the margin itself never."""
        margins = necessity.linear_readout(0.1, 0.4).margins(letters_of(altered((1,), ZEROS), LONG))
        expected = 0.8 - 0.8 / torch.arange(1, LONG, dtype=torch.float64)
        yield {"n": f"up to {LONG}"}, float((margins - expected).abs().max()) <= 8 * EPSILON

    def detectors() -> Iterator[Case]:
        for start in ((1,), (1, 0, 1, 1), (1,) * 20):
            model, k = bounded(1.0), sum(start)
            margins = model.margins(letters_of(altered(start, ZEROS), LONG))
            # Twice the modulus of the detector is the mass of the changed letters.
            first = next(n for n in range(k, LONG) if changed_mass(1.0, k / n) <= 0.05 * tanh(0.25))
            yield {"start": start, "from": first}, float(margins[first - 1 :].min()) >= 0.95 * tanh(0.25)

    def unbounded() -> Iterator[Case]:
        """Logits ln(n) on ones: after a single one no flagged letter is right any more."""
        lengths = 2 ** torch.arange(2, 17) - 1
        errors = evasion("E1").errors(letters_of(altered((1,), ZEROS), LONG), lengths)
        yield {"model": "E1"}, errors == lengths.tolist()

    ledger.submit("tail-invariance", Constructed("an averaging readout on 1 0^w", averages()))
    ledger.submit("tail-invariance", Constructed("the detector after a few ones", detectors()))
    ledger.submit("tail-invariance", Constructed("not so with logits that grow", unbounded()))


def test_sparse_words(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        for word, flags in FLAGS:
            letters = letters_of(word, LONG)
            errors = bounded(1.0, flags).errors(letters)
            yield {"word": word.name, "learned": "0^w"}, errors[-1] > LONG // 2
            # The other way round: a table of the word is wrong on 0^w wherever the word has a one.
            missed = table(letters, 2, 5.0).errors(torch.zeros_like(letters))
            yield {"word": word.name, "learned": "itself"}, missed == (letters[1:].nonzero()[:, 0] + 1).tolist()

    ledger.submit("sparse-words", Constructed("detectors with the flags of each word, and tables of it", cases()))


@torch.no_grad()
def test_positions_in_logits_only(ledger: Submissions) -> None:
    position_data = {"none": {}, "rope": {}, "alibi": {}, "window": {"window": 5}}

    def random(encoding: str, **settings: int) -> CompactDecoder:
        torch.manual_seed(SEED)
        config = CompactConfig(
            letters=2, width=16, layers=2, heads=2, mlp_width=16, encoding=encoding, window=settings.get("window")
        )
        return CompactDecoder(config).double()

    def constant() -> Iterator[Case]:
        """T(s^n) is the same at every n, up to the rounding of n terms, magnified by a norm."""
        same = 400 / sqrt(1e-5) * EPSILON
        for encoding, settings in position_data.items():
            model = random(encoding, **settings)
            for letter in (0, 1):
                outputs = model(torch.full((1, 400), letter))[0].softmax(-1)
                case = {"encoding": encoding, "s": letter}
                yield case, float((outputs - outputs[0]).abs().max()) <= same
        for gains in ("small", "default"):
            outputs = CompactDecoder.reference(gains)(torch.zeros(1, 400, dtype=torch.int64))[0].softmax(-1)
            yield {"reference": gains}, float((outputs - outputs[0]).abs().max()) <= same

    def powers_of_two() -> Iterator[Case]:
        """After 511 letters of the powers of two comes a one, after 400 a zero: no such decoder is right on both."""
        word = letters_of(POWERS, 512)
        for encoding, settings in position_data.items():
            p = random(encoding, **settings)(word[None, :511])[0].softmax(-1)
            right = bool(p[510, 1] > p[510, 0]) and bool(p[399, 0] > p[399, 1])
            yield {"encoding": encoding}, not right

    def sinks() -> Iterator[Case]:
        """A sink makes T(s^n) depend on n, and windows beside it learn the powers of two without reading a letter."""
        a = necessity.counting_sink().states(torch.zeros(1000, dtype=torch.int64))
        n = torch.arange(1, 1001, dtype=torch.float64)
        yield "sink", float((a - n / (n + 1)).abs().max()) <= 1000 * EPSILON
        margins = necessity.sink_in_narrow_windows().margins(letters_of(POWERS, 3000))
        yield "sink and windows", float(margins[1:].min()) >= tanh(2.5) - 1e-12

    claim = "score-only-obstruction"
    ledger.submit(claim, Constructed("one letter repeated, without positions and in four encodings", constant()))
    ledger.submit(claim, Constructed("random decoders on the powers of two", powers_of_two()))
    ledger.submit(claim, Constructed("a sink is a way out", sinks()))


def test_recency(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        lengths = 2 ** torch.arange(1, 17) - 1
        model, word = alibi_detector(float(log(2))), letters_of(POWERS, 2**16)
        yield "powers of two", model.errors(word, lengths) == lengths[2:].tolist()
        margins = model.margins(torch.zeros_like(word), lengths)
        yield "0^w", float(margins.min()) >= tanh(0.25) - 8 * EPSILON
        # Agreement on the last 3 letters moves T by q^3/2 at most.
        zeros, given = torch.zeros(300, dtype=torch.int64), letters_of(POWERS, 300)
        near = torch.tensor([n for n in range(3, 300) if not given[n - 3 : n].any()])
        moved = (model(zeros, near) - model(given, near)).abs().amax(-1)
        yield "three letters", float(moved.max()) <= 1 / 16 + 1e-12

    ledger.submit("recency-isolation", Constructed("slope ln 2 with the head of detectors, up to 2^16", cases()))
