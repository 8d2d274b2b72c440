"""Evidence from torch decoders for the copy task: prompts b_1..b_N|, own outputs, log-perplexities and gradients."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import exp, log, log1p, sqrt

import torch
from torch import Tensor

from constructions.compact import necessity
from constructions.compact.decoder import CompactConfig, CompactDecoder
from constructions.compact.detectors import gathered, itself
from constructions.compact.word_decoder import Layer, WordDecoder, averaging
from theory.arithmetic.ball import evaluate
from theory.compact.copy_task.perplexity import LENGTH, Perplexity, floor, xi
from theory.compact.copy_task.perplexity_printed import PRINTED, PRINTED_LENGTH
from theory.compact.copy_task.runs import BAR
from theory.evidence import Case, Constructed
from theory.ledger import Submissions

torch.set_num_threads(1)
SEED = 2601
EPSILON = 2.0**-52


def mean_model(embeddings: Tensor) -> WordDecoder:
    """T = softmax of the mean embedding (3, 3): one layer of uniform attention."""
    return WordDecoder(
        lambda word, i: embeddings[word], (Layer((averaging(itself),), gathered),), lambda x, i: x.softmax(-1)
    )


def confident(random: torch.Generator) -> Tensor:
    """Random embeddings in which letter 0 calls for letter 0."""
    embeddings = 2 * torch.rand(3, 3, generator=random, dtype=torch.float64) - 1
    embeddings[0, 0] += 1.5 + 2.5 * torch.rand((), generator=random, dtype=torch.float64)
    return embeddings


@dataclass(frozen=True)
class Run:
    """Probabilities (N, 3) at the N steps after 0^N| (p) and after the same with a flipped bit (q); own outputs 0^N."""

    p: Tensor
    q: Tensor
    flipped: int

    @property
    def answers_alpha(self) -> bool:
        """Whether 0 is the most probable letter at every step of both runs, so that these are their outputs."""
        return bool((self.p.argmax(-1) == 0).all() and (self.q.argmax(-1) == 0).all())

    @property
    def excess(self) -> float:
        """pplx(beta_N) - pplx(alpha_N)."""
        asked = torch.zeros(len(self.q), dtype=torch.int64)
        asked[self.flipped] = 1
        return float((self.p[:, 0].log() - self.q.gather(1, asked[:, None])[:, 0].log()).mean())


def run(model: WordDecoder, length: int, flipped: int) -> Run:
    """Both runs, if the model says 0 throughout."""
    word = torch.zeros(2 * length, dtype=torch.int64)
    word[length] = BAR
    steps = torch.arange(length + 1, 2 * length + 1)
    p = model(word, steps)
    word[flipped] = 1
    return Run(p, model(word, steps), flipped)


def test_perplexity(ledger: Submissions) -> None:
    def averages() -> Iterator[Case]:
        random, claimed = torch.Generator().manual_seed(SEED), Perplexity()
        for length in (10, 50, 200, 20000):
            for flipped in (0, length // 2, length - 1):
                embeddings = confident(random)
                found = run(mean_model(embeddings), length, flipped)
                margin, close = float(found.p[:, 0].min()) - 0.5, float((found.p - found.q).abs().max())
                if not 0 < close < margin:
                    continue
                spread = float((embeddings.amax(1) - embeddings.amin(1)).max())
                least = 1 / (1 + 2 * exp(spread))
                bound = float(claimed.bound(length, *map(Fraction, (margin, close, least))))
                case = {"N": length, "flipped": flipped}
                yield case, found.answers_alpha and abs(found.excess) <= bound - 16 * EPSILON * log(least)

    def constant() -> Iterator[Case]:
        """T = (9/10, 9/100, 1/100): the difference is ln(10)/N, below 1/100 from 231 on; 922 are enough."""
        enough = float(evaluate(LENGTH, {floor: Fraction(1, 100), xi: Fraction(1, 100)}))
        for length in (1, 10, 230, 231, 922, 10**5):
            found = run(necessity.constant_model(0.9, 0.09, 0.01), length, length - 1)
            exact = abs(found.excess - log(10) / length) <= 64 * EPSILON
            below = found.excess <= 0.01 if length >= enough else True
            yield {"N": length}, found.answers_alpha and exact and below

    ledger.submit("copy-task-perplexity", Constructed("mean embeddings, up to 20000 letters", averages()))
    ledger.submit("copy-task-perplexity", Constructed("the constant decoder", constant()))


def test_what_is_printed(ledger: Submissions) -> None:
    values = {str(symbol): symbol for expression in (PRINTED, PRINTED_LENGTH) for symbol in expression.free_symbols}
    given = {"epsilon": Fraction(39, 100), "p_min": Fraction(1, 100), "xi": Fraction(1, 100)}

    def at(length: int) -> Run:
        return run(necessity.constant_model(0.9, 0.09, 0.01), length, 0)

    def inequality() -> Iterator[Case]:
        for length in (1, 100):
            known = {values[name]: value for name, value in {**given, "N": length}.items() if name in values}
            yield {"N": length}, at(length).excess <= float(evaluate(PRINTED, known))

    def start() -> Iterator[Case]:
        known = {values[name]: value for name, value in given.items() if name in values}
        length = max(1, int(float(evaluate(PRINTED_LENGTH, known))) + 1)
        yield {"n'": length}, at(length).excess <= 0.01

    @torch.no_grad()
    def certain() -> Iterator[Case]:
        for gains in ("small", "default"):
            loss = 1 - CompactDecoder.reference(gains).next_letter(torch.zeros(1, 9, dtype=torch.int64)).max()
            yield {"reference": gains}, float(loss) <= 0

    def residual() -> Iterator[Case]:
        """Two letters of 1 - g and g: at the flipped one |p - y| = sqrt(2) (1 - g)."""
        g = 0.01
        p = necessity.constant_model(1 - g, g)(torch.zeros(1, dtype=torch.int64))[0]
        for asked in (0, 1):
            apart = float((p - torch.eye(2, dtype=torch.float64)[asked]).norm())
            yield {"asked": asked}, apart <= sqrt(2) * g * (1 + 8 * EPSILON)

    ledger.submit("copy-task-perplexity-printed", Constructed("the constant decoder", inequality()))
    ledger.submit("copy-task-length-printed", Constructed("the constant decoder at the printed length", start()))
    ledger.submit("copy-task-certain-printed", Constructed("losses of reference decoders", certain()))
    ledger.submit("copy-task-gradient-printed", Constructed("the constant decoder, a flipped letter", residual()))


def test_sampling(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        random = torch.Generator().manual_seed(SEED)
        for length in (5, 50, 500, 5000):
            for case in range(5):
                found = run(mean_model(4 * confident(random)), length, case % length)
                change = found.q.log() - found.p.log()
                zeta = float((change.amax(-1) - change.amin(-1)).max())
                left, before = 1 - found.q[:, 0], 1 - found.p[:, 0]
                # What is left of 1 is off by an ulp of 1.
                each = bool((left <= exp(zeta) * before + 8 * EPSILON).all())
                gamma, all_right = float(before.max()), float(found.q[:, 0].log().sum())
                whole = exp(length * log1p(-min(1 - 1e-12, exp(zeta) * gamma)))
                yield {"N": length, "case": case}, each and exp(all_right) >= whole - length * 8 * EPSILON

    ledger.submit("copy-task-sampling", Constructed("mean embeddings, a flipped bit in the prompt", cases()))


def test_gradients(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        """K is the largest norm of the derivatives of the logits of one step, here by automatic differentiation."""
        torch.manual_seed(SEED)
        for encoding, gain in (("rope", 1.0), ("none", 3.0), ("sinusoidal", 1.0)):
            config = CompactConfig(letters=3, width=4, layers=1, heads=1, mlp_width=4, encoding=encoding)
            model = CompactDecoder(config).double()
            with torch.no_grad():
                model.unembedding.weight.mul_(gain)
            parameters = list(model.parameters())
            for length in (1, 2, 4):
                word = torch.randint(2, (1, 2 * length + 1))
                word[0, length] = BAR
                word[0, length + 1 :] = word[0, :length]
                logits = model(word[:, :-1])[0, length:]
                norms = []
                for step in logits:
                    rows = [torch.autograd.grad(z, parameters, retain_graph=True) for z in step]
                    jacobian = torch.stack([torch.cat([part.flatten() for part in row]) for row in rows])
                    norms.append(float(torch.linalg.matrix_norm(jacobian, 2)))
                loss = torch.nn.functional.cross_entropy(logits, word[0, length + 1 :])
                gradient = torch.cat([part.flatten() for part in torch.autograd.grad(loss, parameters)])
                bound = sqrt(2) * max(norms) * float(loss.detach())
                yield {"encoding": encoding, "N": length}, float(gradient.norm()) <= bound * (1 + 1e-12)

    ledger.submit("copy-task-gradient", Constructed("small decoders, automatic derivatives", cases()))
