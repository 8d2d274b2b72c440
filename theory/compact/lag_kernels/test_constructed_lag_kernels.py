"""Evidence from torch nets whose attention depends on the lag: slopes, windows and any bias that does not rise."""

from collections.abc import Iterator
from itertools import product
from math import exp, log

import numpy as np
import torch

from constructions.compact.decoder import CompactConfig, CompactDecoder
from constructions.compact.nets import alibi, averaging_net, scalar_net, window_net
from theory.compact.continuity.constants import plain_coefficients, polynomial
from theory.compact.continuity.scalar_head import ScalarLayer
from theory.compact.lag_kernels.alibi import lag_one_weight
from theory.compact.lag_kernels.alibi_recency import Recency, geometric_tail
from theory.compact.lag_kernels.kernels import random_biases
from theory.compact.lag_kernels.lag_kernel_continuity import LagBound
from theory.compact.lag_kernels.nets import READOUT, BiasedHead
from theory.compact.lag_kernels.sliding_window import window_reach
from theory.compact.words import one_sided_density
from theory.evidence import Case, Constructed
from theory.ledger import Submissions

torch.set_num_threads(1)
SEED = 10606
EPSILON = 2.0**-52


def layers_with(random: np.random.Generator, biases: list[np.ndarray]) -> tuple[ScalarLayer, ...]:
    """One head a layer, each with its own biases."""
    return tuple(ScalarLayer(float(random.uniform(-1.5, 1.5)), (BiasedHead.biased(random, bias),)) for bias in biases)


def gap_and_coefficients(
    random: np.random.Generator, layers: tuple[ScalarLayer, ...], flips: np.ndarray
) -> tuple[float, list[float], float]:
    """|T(u) - T(w)|, D_0 c_m, and what rounding may add, for random letters and codes."""
    u, codes = random.integers(0, 2, len(flips)), random.uniform(-1, 1, 2)
    net, constants = scalar_net(torch.tensor(codes), layers), [layer.constants for layer in layers]
    one, other = (net(torch.tensor(word), torch.tensor([len(word)])) for word in (u, u ^ flips))
    growth = max(1.0, sum(polynomial([(each.a, each.b) for each in constants])))
    rounding = len(layers) * (2 * len(flips) + 24) * EPSILON * growth
    return float((one - other).abs().max()), plain_coefficients(constants, float(np.ptp(codes))), rounding


def test_any_bias_that_does_not_rise(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        random, bound = np.random.default_rng(SEED), LagBound()
        for case in range(150):
            n = int(random.integers(2, 40))
            flips = random.random(n) < random.choice([0.05, 0.3])
            flips[-1] = False
            layers = layers_with(random, [random_biases(random, n) for _ in range(int(random.integers(1, 4)))])
            gap, coefficients, rounding = gap_and_coefficients(random, layers, flips)
            places = [int(i) + 1 for i in np.flatnonzero(flips)]
            allowed = READOUT * float(bound.modulus(coefficients, float(one_sided_density(places, n))))
            yield {"case": case, "D": places}, gap <= allowed + rounding

    def uniform() -> Iterator[Case]:
        """The uniform kernel at a prefix comes close: M_D(n) = k/n."""
        n, k = 20000, 1000
        word = (torch.arange(n) < k).long()
        for m in (1, 2, 3):
            found = float(averaging_net(m)(word, torch.tensor([n]))[0, 1])
            limit = float(LagBound().modulus([0] * m + [1], k / n))
            yield {"m": m}, 0.97 * limit <= found <= limit + m * n * EPSILON

    ledger.submit("lag-kernel-continuity", Constructed("random biases, one to three layers", cases()))
    ledger.submit("lag-kernel-continuity", Constructed("averaging nets at 20000 letters", uniform()))


def test_slopes_are_not_continuous(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        for n, slope in product((2, 3, 10, 1000, 10**5), (log(2), 1.0, 0.5, 1 / 16, 1 / 256)):
            word, at = torch.zeros(n, dtype=torch.int64), torch.tensor([n])
            model = alibi(slope)
            before = float(model(word, at)[0, 1])
            word[-2] = 1
            gap = float(model(word, at)[0, 1]) - before
            # Of the logits up to slope n, and of n terms.
            rounding = (n + slope * n + 8) * EPSILON
            yield {"n": n, "slope": slope}, abs(gap / lag_one_weight(exp(-slope), n) - 1) <= 4 * rounding

    ledger.submit("alibi-discontinuity", Constructed("one letter before the last, up to 10^5 letters", cases()))


def test_slopes_forget(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        random, bound = np.random.default_rng(SEED), Recency()
        for case in range(100):
            n = int(random.integers(3, 40))
            far = int(random.integers(1, n))
            slopes = (0.01 + random.exponential(1.0, int(random.integers(1, 4)))).tolist()
            lags = np.subtract.outer(np.arange(n), np.arange(n)).astype(float)
            layers = layers_with(random, [np.where(lags >= 0, -slope * lags, -np.inf) for slope in slopes])
            flips = random.random(n) < 0.8
            flips[n - far :] = False
            gap, coefficients, rounding = gap_and_coefficients(random, layers, flips)
            allowed = READOUT * float(bound.modulus(coefficients, far, exp(-min(slopes))))
            yield {"case": case, "R": far}, gap <= allowed + rounding

    def attained() -> Iterator[Case]:
        n = 600
        for (m, slope), far in product(((1, 0.5), (2, 0.25), (3, 0.1)), (1, 8, 20)):
            word = (torch.arange(n) < n - far).long()
            found = float(alibi(slope, layers=m)(word, torch.tensor([n]))[0, 1])
            limit = geometric_tail(m, far, exp(-slope))
            yield {"m": m, "R": far}, abs(found - limit) <= 1e-9 * limit

    ledger.submit("alibi-recency", Constructed("random nets, a slope a layer", cases()))
    ledger.submit("alibi-recency", Constructed("x <- A_q x, all letters from lag R on changed", attained()))


@torch.no_grad()
def test_windows(ledger: Submissions) -> None:
    def decoders() -> Iterator[Case]:
        """Bit for bit the same where a letter out of reach changes, and not the same within reach."""
        generator = torch.Generator().manual_seed(SEED)
        torch.manual_seed(SEED)
        for layers, window in product((1, 2, 3), (1, 2, 4)):
            config = CompactConfig(
                letters=3, width=8, layers=layers, heads=2, mlp_width=8, encoding="window", window=window
            )
            model, reach, n = CompactDecoder(config).double(), window_reach(layers, window), 16
            word = torch.randint(3, (1, n), generator=generator)
            plain = model.next_letter(word)
            for lag in range(n):
                changed = word.clone()
                changed[0, n - 1 - lag] = (word[0, n - 1 - lag] + 1) % 3
                same = torch.equal(model.next_letter(changed), plain)
                yield {"L": layers, "W": window, "lag": lag}, same is (lag >= reach)

    def means() -> Iterator[Case]:
        for layers, window in ((2, 2), (3, 5), (2, 60)):
            reach, n = window_reach(layers, window), 2000
            for lag, weight in ((reach, 0.0), (reach - 1, window**-layers)):
                word = torch.zeros(n, dtype=torch.int64)
                word[n - 1 - lag] = 1
                found = float(window_net(layers, window)(word, torch.tensor([n]))[0, 1])
                yield {"L": layers, "W": window, "lag": lag}, abs(found - weight) <= layers * window * EPSILON * weight

    ledger.submit("sliding-window-exact", Constructed("random decoders with windows, each letter changed", decoders()))
    ledger.submit("sliding-window-exact", Constructed("nets of window means, 2000 letters", means()))
