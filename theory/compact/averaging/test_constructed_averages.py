"""Evidence from nets of uniform attention, for what repeated causal averages do."""

from collections.abc import Iterator
from random import Random

import torch

from constructions.compact.nets import averaging_net
from theory.compact.averaging.averages import averaged, averages, poisson_tail
from theory.evidence import Case, Constructed
from theory.ledger import Submissions

torch.set_num_threads(1)
SEED = 2505
EPSILON = 2.0**-52


def output(layers: int, ones: list[int], n: int) -> float:
    """T(1) of the averaging net after n letters, 1 at `ones`."""
    word = torch.zeros(n, dtype=torch.int64)
    word[torch.tensor(ones) - 1] = 1
    return float(averaging_net(layers)(word, torch.tensor([n]))[0, 1])


def test_poisson_tails(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        random = Random(SEED)
        for n in (2, 10, 61, 200):
            for k in {1, n // 3 + 1, n}:
                ones = sorted(random.sample(range(1, n + 1), k))
                for m in (1, 2, 3, 6):
                    found, earliest = output(m, ones, n), output(m, list(range(1, k + 1)), n)
                    # Sums of n numbers in [0, 1] in each of m layers.
                    rounding = m * n * EPSILON
                    tail = float(poisson_tail(m, k / n))
                    right = abs(found - float(averaged(ones, n, m))) <= rounding
                    yield {"n": n, "m": m, "D": ones}, right and found <= earliest + rounding <= tail + 2 * rounding

    def long() -> Iterator[Case]:
        n = 10**5
        for k in (1, 100, 10**4):
            for m in (1, 2, 4, 8):
                found, tail = output(m, list(range(1, k + 1)), n), float(poisson_tail(m, k / n))
                # The bound is attained in the limit of large k at one share.
                close = k == 1 or found >= 0.97 * tail
                yield {"n": n, "m": m, "k": k}, close and found <= tail + m * n * EPSILON

    ledger.submit("poisson-tail-averaging", Constructed("averaging nets, random and earliest places", cases()))
    ledger.submit("poisson-tail-averaging", Constructed("averaging nets at 10^5 letters", long()))


def test_logarithms(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        for n in (2, 20, 200):
            for k in {1, n // 2}:
                exact = averages(range(1, k + 1), n, 4, 1.0)
                for layers, expected in enumerate(exact, start=1):
                    gap = output(layers, list(range(1, k + 1)), n)
                    yield {"L": layers, "n": n, "k": k}, abs(gap - expected) <= 2 * layers * n * EPSILON

    def unbounded() -> Iterator[Case]:
        """Gap over distance is the harmonic number over two layers, at least ln n; and g_L is reached at any share."""
        for power in range(1, 18):
            n = 2**power
            yield {"n": n}, output(2, [1], n) * n >= 1 + power / 2 - 1e-9
        n = 10**5
        for layers in (1, 8, 16, 24):
            passed = output(layers, list(range(1, n // 1000 + 1)), n) > 0.9
            yield {"n": n, "d": 0.001, "L": layers}, passed is (layers >= 16)

    ledger.submit("logs-necessary", Constructed("averaging nets against the recursion", cases()))
    ledger.submit("logs-necessary", Constructed("no constant, no share for all depths", unbounded()))
