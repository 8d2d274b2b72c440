"""Evidence from torch decoders that learn one word, finitely many that are apart, or all periodic ones."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import exp, tanh

import torch

from constructions.compact.decoder import CompactConfig, CompactDecoder
from constructions.compact.learners import doubtful, joint, joint_relu, table
from constructions.compact.word_decoder import WordDecoder, letters_of
from theory.compact.learnability.joint import APART
from theory.compact.learnability.models import Doubt, JointDetector
from theory.compact.learnability.single_word import WORDS
from theory.compact.words import POWERS, ZEROS, count, periodic
from theory.evidence import Case, Constructed
from theory.ledger import Submissions

torch.set_num_threads(1)
SEED = 2505
EPSILON = 2.0**-52
# The reach of exp in a margin: logits up to 30 are off by a few ulp.
NEAR = 256 * EPSILON


def softmax_margin(lead: float, letters: int) -> float:
    """Of a letter that leads letters - 1 equal ones by `lead`."""
    return (exp(lead) - 1) / (exp(lead) + letters - 1)


def test_one_word(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        for word, letters, gain in product(WORDS, (2, 3), (0.5, 2.0, 5.0)):
            margins = table(letters_of(word, 10**4), letters, gain).margins(letters_of(word, 10**4))
            right = softmax_margin(gain, letters)
            case = {"word": word.name, "V": letters, "C": gain}
            yield case, float((margins - right).abs().max()) <= 8 * EPSILON

    def learned_table() -> Iterator[Case]:
        """The same in a decoder without blocks: position codes of the letters to come, and no letter codes."""
        for word in WORDS:
            letters = letters_of(word, 301)
            config = CompactConfig(
                letters=2, width=2, layers=0, heads=1, mlp_width=1, encoding="learned", max_length=300
            )
            model = CompactDecoder(config).double()
            with torch.no_grad():
                model.embedding.weight.zero_()
                model.unembedding.weight.copy_(4 * torch.eye(2))
                model.positions.weight.copy_(torch.eye(2, dtype=torch.float64)[letters[1:]])
                p = model(letters[None, :-1])[0].softmax(-1)
            # The norm makes sqrt(2) of one of two coordinates, less what epsilon takes off.
            margin = p.gather(1, letters[1:, None])[:, 0] * 2 - 1
            lead = 4 * 2**0.5 / (1 + 2 * config.epsilon) ** 0.5
            yield {"word": word.name}, float((margin - softmax_margin(lead, 2)).abs().max()) <= NEAR

    ledger.submit("any-single-word", Constructed("tables of three words, 10^4 letters", cases()))
    ledger.submit("any-single-word", Constructed("decoders without blocks", learned_table()))


def test_joint_learning(ledger: Submissions) -> None:
    gain, n = 30, 3000

    def learned() -> Iterator[Case]:
        for words, distance, letters in APART:
            exact = JointDetector(words, distance / 2, Fraction(gain), letters)
            start, margin = exact.learned_from(200), softmax_margin(gain * float(distance) / 2, letters)
            for build in (joint, joint_relu):
                model = build(words, n, letters=letters, gain=gain, apart=float(distance / 2))
                for word in words:
                    margins = model.margins(letters_of(word, n + 1))[start - 1 :]
                    case = {"words": [each.name for each in words], "word": word.name, "model": build.__name__}
                    # Gates are off by n eps, logits by C times that.
                    yield case, float((margins - margin).abs().max()) <= 8 * gain * n * EPSILON

    def equal() -> Iterator[Case]:
        generator = torch.Generator().manual_seed(SEED)
        for words, distance, letters in APART:
            one, other = (
                build(words, 400, letters=letters, gain=gain, apart=float(distance / 2))
                for build in (joint, joint_relu)
            )
            for case in range(5):
                word = torch.randint(letters, (400,), generator=generator)
                apart = float((one(word) - other(word)).abs().max())
                yield {"words": [each.name for each in words], "case": case}, apart <= 1e-14

    def changed() -> Iterator[Case]:
        """Early letters changed: the margin of a lead C (d0 - r)."""
        words, d0 = (ZEROS, periodic(1), periodic(2)), 1 / 6
        for length in (300, 3000):
            model = joint(words, length, gain=gain, apart=d0)
            for percent in (5, 10, 15):
                word = (torch.arange(length + 1) < length * percent // 100).long()
                margin = float(model.margins(word, torch.tensor([length])))
                lead = gain * (d0 - percent / 100)
                yield {"n": length, "%": percent}, abs(margin - softmax_margin(lead, 2)) <= 8 * gain * length * EPSILON

    claim = "joint-learnability"
    ledger.submit(claim, Constructed("families that are apart, 3000 letters", learned()))
    ledger.submit(claim, Constructed("additive codes and ReLUs do the same, random words", equal()))
    ledger.submit(claim, Constructed("early letters changed", changed()))


def test_doubts(ledger: Submissions) -> None:
    def margins() -> Iterator[Case]:
        """The exact witness, at lengths up to 10^5, and its limit."""
        model, exact = doubtful(), Doubt()
        for m in range(1, 11):
            word, start = periodic(m), 2 * (m + 1) * (m + 2)
            letters = letters_of(word, 10**5 + 1)
            lengths = torch.tensor([*range(start, start + 60), 3000, 99_999, 10**5])
            found = model.margins(letters, lengths).tolist()
            for n, margin in zip(lengths.tolist(), found, strict=True):
                z = float(exact.logit(word.nonzero(n), n))
                # The tent magnifies the rounding of f by 2 (m + 1)(m + 2), the gain is 4 at most.
                close = abs(margin - (1 if word.letter(n + 1) else -1) * tanh(z / 2)) <= 16 * start * EPSILON
                yield {"m": m, "n": n}, close and margin > 0
            yield {"m": m, "limit": True}, abs(found[-1] - tanh(2.0 ** (1 - m))) <= 1e-3

    def dilemma() -> Iterator[Case]:
        yield {"word": "0^w"}, float(doubtful()(letters_of(ZEROS, 10**5))[:, 1].sub(0.5).abs().max()) == 0

    ledger.submit("doubt-or-dilemma", Constructed("all per_m by one decoder, 10^5 letters", margins()))
    ledger.submit("doubt-or-dilemma", Constructed("the same decoder on zeros", dilemma()))


def test_margins_keep_words_apart(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        """One gate a word: logits move by C d, T by C d/2, so that words learned with margin eps are 2 eps/C apart."""
        for (m, other), gain in product(((1, 2), (2, 3), (1, 5), (3, 5)), (0.5, 4.0, 30.0)):
            words, n = (periodic(m), periodic(other)), 2400
            distance = count(*words, n) / n
            model = joint(words, n, gain=gain, apart=distance / 2)
            margins = [float(model.margins(letters_of(word, n + 1))[200:].min()) for word in words]
            yield {"m": (m, other), "C": gain}, min(margins) > 0 and distance >= 2 * min(margins) / gain

    ledger.submit("margin-separation", Constructed("pairs of periodic words learned by one decoder", cases()))


def test_learned_words_are_their_greedy_continuations(ledger: Submissions) -> None:
    def continued(model: WordDecoder, prompt: list[int], steps: int) -> list[int]:
        word = list(prompt)
        for _ in range(steps):
            word.append(int(model(torch.tensor(word), torch.tensor([len(word)]))[0].argmax()))
        return word

    def cases() -> Iterator[Case]:
        model = doubtful()
        for m in range(1, 9):
            word, start = periodic(m), 2 * (m + 1) * (m + 2)
            whole = list(word.prefix(start + 3 * m + 10))
            yield {"word": word.name}, continued(model, whole[:start], 3 * m + 10) == whole
        powers = table(letters_of(POWERS, 200), 2, 1.0)
        yield {"word": POWERS.name}, continued(powers, [1], 150) == list(POWERS.prefix(151))

    ledger.submit("learned-set-countable", Constructed("greedy continuations of prefixes", cases()))
