"""Decoders that see positions in their logits only cannot learn a sparse word at all, whatever their weights.

Source: derived here, for arXiv 2505.10606. (i) Without a sink T(s^n) is the same for all n, under any kernel. (ii) If T
is continuous it learns no word with infinitely many letters other than s at lower density 0, learned s^w or not. (iii)
It learns (0^m 1)^w, m >= 2, with margin eps only if omega(1/(m + 1)) >= eps/2. (iv) If the far past does not count
instead, it learns no word with infinitely many letters other than s and unbounded runs of s.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import sympy

from theory.arithmetic.ball import Real
from theory.claims import Hypothesis, Source, claim
from theory.compact.isolation.detector import margin
from theory.compact.isolation.models import matching
from theory.compact.isolation.score_only_nets import FLAGGING, Layer, Readout, features, lag_comb, states_after
from theory.compact.lag_kernels.kernels import FALLING, RISING, UNIFORM, geometric, window
from theory.compact.words import POWERS, SQUARES, ZEROS, Infinite, altered, constant, periodic, running_distance
from theory.evidence import Case, Enumeration, Equation, Evidence, Identity, rational
from theory.quantities import Count, Enclosure, quantity

CLAIM = "score-only-obstruction"
EPS = Fraction(1, 10)
HORIZON = 40
FAR, NEAR = Fraction(1, 2), Fraction(2)
COMPACT = (
    Layer(UNIFORM),
    Layer(UNIFORM, NEAR),
    Layer(lag_comb(2, 3), FAR),
    Layer(lag_comb(5, 9)),
)
RECENT = (Layer(geometric(FAR)), Layer(geometric(Fraction(2, 3)), NEAR), Layer(window(2)), Layer(window(5), FAR))
QUARTERS = [Fraction(k, 4) for k in range(5)]
ONES = constant(1)
# Of a = 1/2 and a = 2/3 it makes 0 and 1.
TELLING = Readout(Fraction(-3), Fraction(6))
_SLOPES = [Fraction(slope) for slope in (-2, -1, 0, 1, 2)]
# The last one says the letter that the last one is not.
READOUTS = [Readout(*three) for three in product(QUARTERS, _SLOPES, (Fraction(0), FAR))]
READOUTS.append(Readout(Fraction(1), Fraction(0), Fraction(-1)))


@dataclass(frozen=True)
class ScoreOnly:
    """What decoders without a sink that see positions in their logits only do not learn.

    Args:
        sink: whether a sink is allowed.
        absolute: whether states may see the parity of the position.
        table: whether the readout may see a table of positions.
        least: the least m of (iii).
        runs: whether the word of (iv) must have unbounded runs of one letter.
        often: whether other letters must come infinitely often.
    """

    sink: bool = False
    absolute: bool = False
    table: bool = False
    least: int = 2
    runs: bool = True
    often: bool = True

    def __str__(self) -> str:
        seen = " and in states" * self.absolute + " and in a table" * self.table
        ones = "infinitely many ones" if self.often else "ones"
        runs = "unbounded" if self.runs else "any"
        return (
            f"positions in logits{seen}, {'a' if self.sink else 'no'} sink: (i) T(s^n) is constant; (ii) no word with "
            f"{ones} at lower density 0 is learned; (iii) (0^m 1)^w with eps only if omega(1/(m + 1)) >= eps/2, m >= "
            f"{self.least}; (iv) where the far past does not count, none with {ones} and {runs} runs of 0"
        )


@claim(
    CLAIM,
    source=Source("2505.10606", "learnability, for decoders that see positions in their logits only", "derived"),
    quantifiers="for all weights, kernels and depths, letters s; continuous in d_H, or in the last letters (iv)",
    statement=str,
    variant=ScoreOnly(),
    controls={
        "(ii) with a table of positions": ScoreOnly(table=True),
        "(iii) for m = 1": ScoreOnly(least=1),
        "(i) with absolute positions": ScoreOnly(absolute=True),
    },
    hypotheses=(
        Hypothesis("a sinkless softmax", "no sink and no virtual key: T(s^n) would vary", ScoreOnly(sink=True)),
        Hypothesis("unbounded runs", "as powers and squares have, (iv)", ScoreOnly(runs=False)),
        Hypothesis("other letters for ever", "else one may be learned", ScoreOnly(often=False)),
    ),
    does_not_show="that decoders with rotations learn no periodic word: (iii) only asks for a modulus that is large",
)
def score_only(claimed: ScoreOnly, thorough: bool) -> Iterator[Evidence]:
    """Nets on s^n; late letters of sparse words before grids of readouts; periodic words; late neighbours."""
    yield Identity("the mean of equal values", _equal_values(claimed), rational)
    yield Enumeration("(i) nets on s^n", _constant(claimed, 12 if thorough else 7))
    yield Enumeration("(iv) recent letters", _unlearned(RECENT, _run_words(claimed), claimed.sink))
    yield Enumeration("(iii) periodic words", _periodic(claimed, 8 if thorough else 4))
    yield Enumeration("(ii) sparse words", _sparse(claimed))
    yield Enumeration("a late pair of equal letters, near s^n", _pairs(22 if thorough else 14))


def _equal_values(claimed: ScoreOnly) -> Iterator[Equation]:
    """Whatever the weights; and two leads of one output, which is why close outputs cannot be right both ways."""
    value, first, second = sympy.symbols("v T T'", positive=True)
    for count in range(1, 5):
        weights = sympy.symbols(f"p1:{count + 1}", positive=True)
        yield f"{count} keys", sum(p * value for p in weights) / (sum(weights) + int(claimed.sink)), value
    yield "leads of 1 and of 0", (2 * first - 1) + (1 - 2 * second), 2 * (first - second)


def _constant(claimed: ScoreOnly, longest: int) -> Iterator[Case]:
    kernels = (*FALLING, RISING, lag_comb(3, 5))
    stacks: list[tuple[Layer, ...]] = [(Layer(kernel, NEAR, claimed.sink),) for kernel in kernels]
    stacks += [(Layer(one, FAR, claimed.sink), Layer(other, NEAR)) for one, other in combinations(kernels, 2)]
    for stack, letter in product(stacks, range(3)):
        # States do not depend on later letters: those of the longest word are the last ones of all shorter.
        first, *later = states_after(stack, (letter,) * longest, claimed.absolute)
        for length, state in enumerate(later, start=2):
            case = {"kernels": [str(layer.kernel) for layer in stack], "word": f"{letter}^{length}"}
            yield case, state == first


@cache
def _features(layer: Layer, word: Infinite) -> dict[int, Fraction]:
    return features(layer, word, range(1, HORIZON))


def _leads(layer: Layer, readout: Readout, word: Infinite) -> Iterator[Fraction]:
    """The leads of the right letter over the second half of the horizon. A sink's head has the value 1 at all letters.

    So it sees how many keys there are, and no letter.
    """
    found = _features(layer, ONES if layer.sink else word)
    for n in range(HORIZON // 2, HORIZON):
        yield (2 * readout.one(found[n], word.letter(n)) - 1) * (1 if word.letter(n + 1) else -1)


def _run_words(claimed: ScoreOnly) -> list[Infinite]:
    words = [POWERS, SQUARES]
    return words + [periodic(2)] * (not claimed.runs) + [altered((1,), ZEROS)] * (not claimed.often)


def _unlearned(layers: tuple[Layer, ...], words: list[Infinite], sink: bool = False) -> Iterator[Case]:
    """No readout is right on all late letters by EPS."""
    tried = [*product(layers, READOUTS), *[(Layer(FLAGGING, sink=True), TELLING)] * sink]
    for (layer, readout), word in product(tried, words):
        case = {"kernel": str(layer.kernel), "gain": str(layer.gain), "readout": _shown(readout), "word": str(word)}
        yield case, any(lead < EPS for lead in _leads(layer, readout, word))


def _shown(readout: Readout) -> str:
    return f"{readout.level} + {readout.slope} a + {readout.own} u_n"


def _sparse(claimed: ScoreOnly) -> Iterator[Case]:
    words = [POWERS, SQUARES, *[altered((1,), ZEROS)] * (not claimed.often)]
    if claimed.table:
        table = matching(POWERS, Fraction(1), Fraction(0))
        leads = [table.lead((0,) * n, POWERS.letter(n + 1)) for n in range(1, HORIZON)]
        yield {"readout": "table of positions", "word": "chi"}, min(leads) < EPS
    yield from _unlearned(COMPACT, words)


def _periodic(claimed: ScoreOnly, most: int) -> Iterator[Case]:
    """T(0^n) is one number, and prefixes that end in 0 are within 1/(m + 1) of 0^n."""
    for m in range(claimed.least, most + 1):
        word = periodic(m)
        ends = [n for n in range(HORIZON // 2, HORIZON) if word.letter(n) == 0]
        for layer, readout in product([Layer(lag_comb(m + 1, boost)) for boost in (1, 4, 25)], READOUTS):
            eps = min(_leads(layer, readout, word))
            blind = readout.one(Fraction(0), 0)
            moved = max(abs(readout.one(_features(layer, word)[n], 0) - blind) for n in ends)
            yield {"m": m, "kernel": str(layer.kernel), "readout": _shown(readout)}, eps <= 2 * moved


def _pairs(longest: int) -> Iterator[Case]:
    """Where k of n letters differ from s, 4 k < n - 1, two neighbours in the second half are s and within 2 k/n."""
    for n in range(6, longest + 1):
        for size in range(1, (n - 2) // 4 + 1):
            for other in combinations(range(1, n + 1), size):
                late = (j for j in range((n + 1) // 2, n) if j not in other and j + 1 not in other)
                yield {"n": n, "D": other}, any(running_distance(other, j) * n <= 2 * size for j in late)


@quantity("sink-attention", unit="attention output; lead", claim=CLAIM)
def sink_attention(keys: Count) -> dict[str, Enclosure]:
    """The mean of keys of value 1 and a sink of value 0, all logits 0; and the lead of T(1) = sigma(60 (a - 7/12))."""
    a = Fraction(keys, keys + 1)
    return {"feature": Enclosure(Real.of(a)), "lead of 1": Enclosure(margin(60 * (a - Fraction(7, 12)), 1))}
