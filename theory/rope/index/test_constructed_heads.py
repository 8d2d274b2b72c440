"""Evidence from the hand-built single-layer heads, for the claims on what they compute and at which temperature."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, Literal, get_args

import sympy
import torch

from constructions import reference as ref
from constructions.heads import IndexHead, ReflexiveHead, RetrievalHead
from constructions.reference import Integer, Letter, Pair, Symbol
from constructions.tasks import show
from constructions.token_head import TokenHead
from theory.arithmetic.angle import Angle
from theory.arithmetic.real import Real
from theory.evidence import Case, Constructed
from theory.ledger import Submissions
from theory.quantities import Enclosure, Exact
from theory.rope.index.temperature import beta_threshold
from theory.rope.index.weights import weight_sum
from theory.rope.reflexive.temperature import reflexive_positional_beta, reflexive_symbolic_beta
from theory.rope.retrieval.collision_order import integer_beta_threshold
from theory.rope.retrieval.repairs import repaired_beta_threshold

Codes = Literal["positional", "circle", "orthonormal"]
CODES: tuple[Codes, ...] = get_args(Codes)
REPAIRS: tuple[Literal["R1", "R2", "R3"], ...] = ("R1", "R2", "R3")

torch.set_num_threads(1)
ONE, REST = Angle(sympy.Integer(1)), Angle(sympy.S.Zero)
# Margins are differences of two numbers near 1, each with some ten roundings.
ROUNDING = 1e-14


def symbols(letters: int, integers: int) -> list[Symbol]:
    return [*map(Letter, range(letters)), *map(Integer, range(1, integers + 1))]


def proper(letters: int, integers: int, length: int) -> list[tuple[Pair, ...]]:
    tokens = [Pair(Letter(left), right) for left in range(letters) for right in symbols(letters, integers)]
    return [sequence for sequence in product(tokens, repeat=length) if ref.is_proper(sequence)]


def margins(head: TokenHead[Any], inputs: Sequence[Sequence[Any]], wanted: Sequence[Any]) -> list[float]:
    """The coordinate of the wanted token at the last position minus the largest other, for inputs of one length."""
    outputs = head.outputs(torch.tensor([head.vocabulary.encode(tokens) for tokens in inputs]))[:, -1]
    targets = torch.tensor(head.vocabulary.encode(wanted))[:, None]
    others = outputs.scatter(1, targets, -torch.inf).amax(-1)
    return (outputs.gather(1, targets)[:, 0] - others).tolist()


def decoded(head: TokenHead[Any], inputs: list[Any], function: Callable[[Any, int], Any]) -> list[float]:
    return margins(head, inputs, [function(tokens, len(tokens)) for tokens in inputs])


def around(threshold: Any, build: Callable[[float], list[float]], case: dict[str, object]) -> Iterator[Case]:
    """That all inputs decode just above a threshold, and not all just below it."""
    beta = float(threshold.value if isinstance(threshold, Enclosure | Exact) else threshold)
    yield {**case, "beta": beta}, min(build(beta * (1 + 1e-6) + 1e-9)) > 0
    if beta > 0:
        yield {**case, "beta": beta}, min(build(beta * (1 - 1e-6))) < 0


def index_valid(letters: int, integers: int, length: int) -> list[tuple[Symbol, ...]]:
    """Inputs whose last token, at least, points within them."""
    names = symbols(letters, integers)
    return [
        (*head, last)
        for head in product(names, repeat=length - 1)
        for last in names
        if isinstance(last, Letter) or last.value < length
    ]


def test_index_feasibility(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        for length in range(1, 6):
            head, inputs = IndexHead(2, 2, length, ONE, hard=True), index_valid(2, 2, length)
            for tokens, margin in zip(inputs, decoded(head, inputs, ref.index_at), strict=True):
                expected = 3 if isinstance(tokens[-1], Letter) else 1
                yield show(tokens), abs(margin - expected) < ROUNDING

    ledger.submit("index-feasibility", Constructed("T_Index with hard attention, n <= 5, margins", cases()))


def test_index_softmax_threshold(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        for length, angle in product((2, 4), (ONE, Angle.parse("13/10"))):
            inputs = index_valid(2, length - 1, length)
            for offset in range(length):
                wanted = [t for t in inputs if (t[-1].value if isinstance(t[-1], Integer) else 0) == offset]

                def least(beta: float, n: int = length, wanted: Any = wanted, angle: Angle = angle) -> list[float]:
                    return decoded(IndexHead(2, n - 1, n, angle, beta=beta), wanted, ref.index_at)

                yield from around(beta_threshold(length, angle, offset), least, {"n": length, "s": offset})

    ledger.submit("index-softmax-threshold", Constructed("T_Index beside its thresholds, all inputs", cases()))


def test_index_circle_bound(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        for length, integers in ((5, 4), (17, 16), (64, 63)):
            head = IndexHead(2, integers, length)
            for offset in range(1, length):
                tokens: list[Symbol] = [*[Letter(0)] * (length - 1), Integer(offset)]
                weights = head.attention(tokens)[-1]
                odds = float((1 - weights[length - 1 - offset]) / weights[length - 1 - offset])
                exact = float(weight_sum(offset, length - 1 - offset, Real.of(Fraction(head.beta or 0)), head.angle))
                yield {"n": length, "s": offset}, abs(odds - exact) < 1e-10 and odds <= 1 / 7

    ledger.submit("index-circle-bound", Constructed("odds of T_Index at the temperature from the bound", cases()))


def test_retrieval_feasibility(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        angle = Angle.turn(99, 100 * 2 * 10)  # 0.99 omega/(2 n0) at n0 = 5, A = 2
        for length in range(1, 5):
            head, inputs = RetrievalHead(2, 2, length, "printed", angle=angle, hard=True), proper(2, 2, length)
            for tokens, margin in zip(inputs, decoded(head, inputs, ref.retrieval_at), strict=True):
                yield show(tokens), abs(margin - 1) < ROUNDING

    ledger.submit("retrieval-feasibility", Constructed("T_Retrieval with hard attention, n <= 4, margins", cases()))


def test_retrieval_letter_integer_collision(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        for length in range(1, 5):
            head = RetrievalHead(2, 2, length, "printed", angle=REST, hard=True)
            inputs = [tokens for tokens in proper(2, 2, length) if tokens[-1].wanted is None]
            for tokens, margin in zip(inputs, decoded(head, inputs, ref.retrieval_at), strict=True):
                last = tokens[-1]
                rivals = [tokens.count(other) for other in tokens if other.left == last.left and other != last]
                yield show(tokens), (margin > ROUNDING) == (tokens.count(last) > max(rivals, default=0))

    ledger.submit("retrieval-letter-integer-collision", Constructed("T_Retrieval at frequency 0, LI queries", cases()))


def test_retrieval_collision_threshold(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        for letters, length in ((2, 3), (3, 3), (2, 4)):
            angle = Angle.turn(9, 10 * 2 * letters * length)
            inputs = [tokens for tokens in proper(letters, 2, length) if tokens[-1].wanted is None]

            def least(
                beta: float, n: int = length, a: int = letters, angle: Angle = angle, inputs: Any = inputs
            ) -> Any:
                return decoded(RetrievalHead(a, 2, n, "printed", angle=angle, beta=beta), inputs, ref.retrieval_at)

            found = integer_beta_threshold(letters, length, angle)
            yield from around(next(iter(found.values())), least, {"A": letters, "n": length})

    ledger.submit("retrieval-collision-threshold", Constructed("T_Retrieval beside its LI thresholds", cases()))


def test_retrieval_repaired(ledger: Submissions) -> None:
    def hard() -> Iterator[Case]:
        for (letters, integers, longest), repair in product(((2, 2, 3), (3, 2, 2)), REPAIRS):
            for length in range(1, longest + 1):
                head = RetrievalHead(letters, integers, length, repair, hard=True)
                inputs = proper(letters, integers, length)
                for tokens, margin in zip(inputs, decoded(head, inputs, ref.retrieval_at), strict=True):
                    yield f"{repair}: {show(tokens)}", margin > ROUNDING

    def soft() -> Iterator[Case]:
        for letters, integers, length in ((2, 2, 3), (3, 1, 3)):
            thresholds = repaired_beta_threshold(letters, integers, length)
            for repair, integer_query in product(REPAIRS, (False, True)):
                inputs = [t for t in proper(letters, integers, length) if (t[-1].wanted is None) == integer_query]
                size = (letters, integers, length, repair)

                def least(beta: float, size: Any = size, inputs: Any = inputs) -> list[float]:
                    return decoded(RetrievalHead(*size, beta=beta), inputs, ref.retrieval_at)

                kind = f"{repair} {'LI' if integer_query else 'LL'}"
                yield from around(thresholds[kind], least, {"A": letters, "I": integers, "n": length, "head": kind})

    ledger.submit("retrieval-repaired", Constructed("R1, R2, R3 with hard attention", hard()))
    ledger.submit("retrieval-repaired-threshold", Constructed("R1, R2, R3 beside their thresholds", soft()))


def test_retrieval_repaired_residual(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        for length, beta in product((2, 3, 4), (0.0, 0.5, 3.0)):
            inputs = [tokens for tokens in proper(2, 2, length) if tokens[-1].wanted is None]
            least = min(decoded(RetrievalHead(2, 2, length, "R1", beta=beta), inputs, ref.retrieval_at))
            yield {"n": length, "beta": beta}, least >= 2 - 1 + 2 / length - ROUNDING

    ledger.submit("retrieval-repaired-residual", Constructed("R1 with gain 2, LI queries, least margins", cases()))


def test_reflexive(ledger: Submissions) -> None:
    def residual() -> Iterator[Case]:
        for length, beta, codes in product((1, 3, 4), (0.0, 1.0), CODES):
            head = ReflexiveHead(2, 1, length, codes, beta=beta, angle=None)
            inputs = list(product(symbols(2, 1), repeat=length))
            own = [float(head.attention(tokens)[-1, -1]) for tokens in inputs]
            found = margins(head, inputs, [tokens[-1] for tokens in inputs])
            for tokens, weight, margin in zip(inputs, own, found, strict=True):
                yield f"{codes}, beta = {beta}: {show(tokens)}", margin >= 2 * weight - ROUNDING

    def alone(codes: Codes, length: int) -> Callable[[float], list[float]]:
        inputs = list(product(symbols(2, 2), repeat=length))

        def least(beta: float) -> list[float]:
            options: Any = {"residual": False, "angle": ONE if codes == "positional" else None, "beta": beta}
            return margins(ReflexiveHead(2, 2, length, codes, **options), inputs, [t[-1] for t in inputs])

        return least

    def positional() -> Iterator[Case]:
        for length in (3, 4, 5):
            yield from around(reflexive_positional_beta(length, ONE), alone("positional", length), {"n": length})

    def symbolic() -> Iterator[Case]:
        for length, codes in product((3, 4, 5), CODES[1:]):
            threshold = reflexive_symbolic_beta(length, 4)[codes]
            yield from around(threshold, alone(codes, length), {"n": length, "codes": codes})

    ledger.submit("reflexive-constructions", Constructed("with a residual, any temperature, all inputs", residual()))
    ledger.submit("reflexive-positional", Constructed("positional codes beside their thresholds", positional()))
    ledger.submit("reflexive-symbolic", Constructed("symbolic codes beside their thresholds", symbolic()))
