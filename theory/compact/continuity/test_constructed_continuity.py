"""Evidence from torch decoders for the claims on continuity: bounds hold and are met, hypotheses are needed."""

from collections.abc import Iterator
from math import exp, prod

import numpy as np
import torch
from torch import Tensor

from constructions.compact import necessity
from constructions.compact.decoder import CompactDecoder
from constructions.compact.detectors import bounded, counted_positions, evasion
from constructions.compact.nets import scalar_head, scalar_net
from constructions.compact.word_decoder import WordDecoder
from theory.compact.continuity.constants import modulus, modulus_at, plain_coefficients, refined_coefficients
from theory.compact.continuity.perturbation import Perturbation
from theory.compact.continuity.scalar_head import ScalarHead, ScalarLayer
from theory.compact.continuity.single_head import changed_mass
from theory.compact.lag_kernels.nets import READOUT
from theory.evidence import Case, Constructed
from theory.ledger import Submissions

torch.set_num_threads(1)
SEED = 2505
EPSILON = 2.0**-52


def test_weights(ledger: Submissions) -> None:
    def bounds(i: int, spread: float, virtual: int = 0) -> tuple[float, float]:
        return 1 / (1 + (i + virtual - 1) * exp(spread)), exp(spread) / (exp(spread) + i - 1)

    def within(weights: Tensor, i: int, spread: float, virtual: int = 0) -> bool:
        low, high = bounds(i, spread, virtual)
        slack = 1 + (i + 6 * spread + 8) * EPSILON
        return low <= float(weights.min()) * slack and float(weights.max()) <= high * slack

    @torch.no_grad()
    def reference() -> Iterator[Case]:
        words = torch.randint(3, (2, 60), generator=torch.Generator().manual_seed(SEED))
        for gains in ("small", "default"):
            model = CompactDecoder.reference(gains)
            x = model.embed(words)
            for number, block in enumerate(model.layers, start=1):
                q, k, _ = block.heads(x)
                for head, logits in enumerate(block.logits(q, k).flatten(0, 1)):
                    for i in (1, 7, 60):
                        row = logits[i - 1, :i]
                        case = {"gains": gains, "layer": number, "head": head, "i": i}
                        yield case, within(row.softmax(-1), i, float(row.max() - row.min()))
                x = block(x)

    def sinks() -> Iterator[Case]:
        generator = torch.Generator().manual_seed(SEED)
        for i in (1, 2, 10, 50):
            rows = 5 * torch.rand(4, i, generator=generator, dtype=torch.float64)
            for row in rows:
                spread = max(float(row.max()), 0.0) - min(float(row.min()), 0.0)
                yield {"row": row.tolist()}, within(necessity.with_sink(row[None])[0], i, spread, 1)

    ledger.submit("weights-bound", Constructed("heads of the reference decoder at their own oscillation", reference()))
    ledger.submit("weights-bound", Constructed("random rows beside a sink", sinks()))


def test_one_head(ledger: Submissions) -> None:
    def attained() -> Iterator[Case]:
        """The head with logits and values on ones, at any places before the last."""
        random = np.random.default_rng(SEED)
        for n in (2, 10, 1000, 10**5):
            for delta in (0.0, 1.0, 5.0, 10.0):
                k = int(random.integers(1, n))
                word = torch.zeros(n, dtype=torch.int64)
                word[torch.tensor(random.permutation(n - 1)[:k])] = 1
                found = float(bounded(delta).states(word, torch.tensor([n])))
                expected = changed_mass(delta, k / n)
                yield {"n": n, "k": k, "Delta": delta}, abs(found - expected) <= (4 * n + 16) * EPSILON * expected

    ledger.submit("single-head-continuity-sharp", Constructed("the head that attains it, any places", attained()))


def test_perturbed_states(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        random, bound = np.random.default_rng(SEED), Perturbation()
        for case in range(200):
            head, n = ScalarHead.draw(random), int(random.integers(1, 40))
            x = torch.tensor(random.uniform(-1, 1, n))
            e = torch.tensor(random.uniform(-1, 1, n) * random.choice([1e-3, 0.1, 1], n))
            y = (x + e).clamp(-1, 1)
            at = torch.tensor([n])
            moved = float((scalar_head(head)(x, at) - scalar_head(head)(y, at)).abs())
            distances = (x - y).abs()
            allowed = bound.output(head.constants(), float(distances[-1]), float(distances.mean()))
            yield {"case": case, "n": n}, moved <= allowed + 8 * (n + 16) * abs(head.value) * EPSILON

    ledger.submit("attention-perturbation", Constructed("random heads, random states of two runs", cases()))


def test_explicit_bounds(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        random = np.random.default_rng(SEED)
        for case in range(150):
            layers = tuple(ScalarLayer.draw(random) for _ in range(int(random.integers(1, 4))))
            codes, n = random.uniform(-1, 1, 3), int(random.integers(2, 60))
            u = random.integers(3, size=n)
            changed = random.random(n) < random.choice([0.05, 0.5])
            changed[0], changed[-1] = True, False
            w = np.where(changed, (u + 1) % 3, u)
            net = scalar_net(torch.tensor(codes), layers)
            gap = float((net(torch.tensor(u))[-1] - net(torch.tensor(w))[-1]).abs().max())
            constants, start = [layer.constants for layer in layers], float(np.ptp(codes))
            places = [int(i) + 1 for i in np.flatnonzero(changed)]
            bounds = []
            for c in (plain_coefficients(constants, start), refined_coefficients(constants, start)):
                bounds += [modulus_at(c, places, n), modulus(c, len(places) / n)]
            # A layer's sums are off by n eps and its exponentials by Delta eps; later layers multiply that by a + b.
            spread = max(head.oscillation for each in constants for head in each.heads)
            rounding = (2 * n + 2 * spread + 8) * 8 * EPSILON * prod(1 + each.a + each.b for each in constants)
            yield {"case": case, "D": places}, gap <= READOUT * float(min(bounds)) + rounding

    ledger.submit("continuity-explicit", Constructed("random nets of one to three layers", cases()))


def last(model: WordDecoder, word: Tensor) -> Tensor:
    return model(word, torch.tensor([len(word)]))[0]


def one_changed(n: int) -> tuple[Tensor, Tensor]:
    """0^n and 1 0^(n - 1)."""
    return torch.zeros(n, dtype=torch.int64), torch.eye(1, n, dtype=torch.int64)[0]


def test_continuity(ledger: Submissions) -> None:
    def compact() -> Iterator[Case]:
        """One changed letter moves compact decoders less and less: the detector by e^Delta/n at most."""
        for delta in (0.0, 2.0, 4.0):
            for n in (10, 1000, 10**5):
                u, w = (last(bounded(delta), word) for word in one_changed(n))
                yield {"Delta": delta, "n": n}, float((u - w).abs().max()) <= exp(delta) / n
        model = CompactDecoder.reference()
        with torch.no_grad():
            gaps = [
                float((model.next_letter(u[None]) - model.next_letter(w[None])).abs().max())
                for u, w in map(one_changed, (50, 100, 200, 400, 800))
            ]
        for n, gap, double in zip((50, 100, 200, 400), gaps, gaps[1:], strict=False):
            yield {"reference decoder, n": n, "gap": gap}, double < 0.6 * gap

    def broken() -> Iterator[Case]:
        """Without one hypothesis the gap stays above 1/3 at one changed letter of many."""
        for n in (101, 1001):
            u, w = one_changed(n)
            differ_last = w.flip(0)
            half = (n - 1) // 2
            gates = torch.cat((torch.zeros(half), torch.tensor([1.0]), torch.ones(half))).long()
            changed = gates.clone()
            changed[half] = 2
            for name, model, pair in (
                ("last letter", necessity.bigram((0, 1), 5.0), (u, differ_last)),
                ("length", necessity.parity_of_length(), (u, u[1:])),
                ("bounded logits", evasion("E1"), (u, w)),
                ("bounded data", evasion("E3"), (u, w)),
                ("continuity", evasion("E4"), (u, w)),
                ("softmax", necessity.sum_attention(), (u, w)),
                ("positions", counted_positions(), (gates, changed)),
                ("last letter, one head", necessity.alternating_query(2.0), (u, differ_last)),
            ):
                # Detectors read a feature, whose gap is what counts.
                read = model.states if name in ("bounded logits", "bounded data", "continuity") else model
                one, other = (read(word, torch.tensor([len(word)])) for word in pair)
                yield {"without": name, "n": n}, float((one - other).abs().max()) > 1 / 3

    ledger.submit("continuity-qualitative", Constructed("one changed letter under compact decoders", compact()))
    ledger.submit("continuity-qualitative", Constructed("models without one hypothesis keep their gap", broken()))
