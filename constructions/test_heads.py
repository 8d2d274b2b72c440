"""The single-layer heads against the reference semantics, the closed forms and their own guarantees."""

import math
from collections.abc import Callable, Iterator
from itertools import product
from random import Random
from typing import Any

import pytest
import sympy
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from constructions import reference as ref
from constructions.heads import IndexHead, ReflexiveHead, RetrievalHead
from constructions.reference import Integer, Letter, Pair, Symbol
from constructions.rope_head import RopeHead
from constructions.token_head import TokenHead
from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import cos, exp
from theory.arithmetic.real import Real
from theory.errors import InputError
from theory.rope.index.head import index_head
from theory.rope.precision.logit_rounding import FORMATS, logit_error

torch.set_num_threads(1)
DTYPES = [torch.float64, torch.float32, torch.float16, torch.bfloat16]
ONE = Angle(sympy.Integer(1))


def symbols(letters: int, integers: int) -> list[Symbol]:
    return [*map(Letter, range(letters)), *map(Integer, range(1, integers + 1))]


def pairs(letters: int, integers: int) -> list[Pair]:
    return [Pair(Letter(left), right) for left in range(letters) for right in symbols(letters, integers)]


def proper(letters: int, integers: int, length: int) -> Iterator[tuple[Pair, ...]]:
    return filter(ref.is_proper, product(pairs(letters, integers), repeat=length))


def wrong(head: TokenHead[Any], reference: Callable[[Any], tuple[Any, ...]], inputs: list[tuple[Any, ...]]) -> int:
    """How many inputs, all of one length, are not decoded as the reference says at some position."""
    ids = torch.stack([head.ids(tokens) for tokens in inputs])
    expected = torch.stack([head.ids(reference(tokens)) for tokens in inputs])
    return int((head.outputs(ids).argmax(-1) != expected).any(-1).sum())


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("angle", [None, ONE])
def test_index_on_every_input(dtype: torch.dtype, hard: bool, angle: Angle | None) -> None:
    evaluations = 0
    for length in range(1, 6):
        head = IndexHead(2, 2, length, angle, dtype=dtype, hard=hard)
        inputs = list(filter(ref.is_index_valid, product(symbols(2, 2), repeat=length)))
        evaluations += len(inputs)
        assert wrong(head, ref.index, inputs) == 0
    assert evaluations == sum(2 * 3 * 4 ** (length - 2) if length > 1 else 2 for length in range(1, 6))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("repair", ["R1", "R2", "R3", "printed"])
@pytest.mark.parametrize(("letters", "integers", "longest"), [(2, 2, 4), (3, 2, 3), (2, 1, 5)])
def test_retrieval_on_every_proper_sequence(
    repair: Any, letters: int, integers: int, longest: int, dtype: torch.dtype
) -> None:
    counts = []
    for length in range(1, longest + 1):
        inputs = list(proper(letters, integers, length))
        counts.append(len(inputs))
        for hard in (False, True):
            head = RetrievalHead(letters, integers, length, repair, dtype=dtype, hard=hard)
            assert wrong(head, ref.retrieval, inputs) == 0
    if (letters, integers) == (2, 2):
        assert sum(counts) == 1622


def test_printed_retrieval_at_rest_decodes_the_plurality_only() -> None:
    head = RetrievalHead(2, 2, 4, "printed", angle=Angle(sympy.S.Zero), hard=True)
    failed = 0
    for length in range(1, 5):
        for tokens in proper(2, 2, length):
            last = tokens[-1]
            output = head.outputs(head.ids(tokens))[-1]
            number = int(head.ids((ref.retrieval(tokens)[-1],)))
            others = torch.cat((output[:number], output[number + 1 :]))
            right = bool(output[number] > others.max() + 1e-12)
            rivals = [tokens.count(other) for other in set(tokens) - {last} if other.left == last.left]
            assert right == (last.wanted is not None or tokens.count(last) > max(rivals, default=0))
            failed += not right
    assert failed == 620


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("codes", ["positional", "circle", "orthonormal"])
@pytest.mark.parametrize("residual", [True, False])
def test_reflexive_on_every_input(codes: Any, residual: bool, dtype: torch.dtype) -> None:
    for length in range(1, 6):
        head = ReflexiveHead(2, 1, length, codes, residual=residual, dtype=dtype)
        assert wrong(head, ref.reflexive, list(product(symbols(2, 1), repeat=length))) == 0


@settings(max_examples=40)
@given(st.integers(2, 26), st.integers(1, 30), st.integers(1, 60), st.integers(0, 2**32), st.sampled_from(DTYPES[:2]))
def test_index_on_random_inputs(letters: int, integers: int, length: int, seed: int, dtype: torch.dtype) -> None:
    rng = Random(seed)
    tokens = [
        Integer(rng.randint(1, min(integers, at))) if at and rng.random() < 0.6 else Letter(rng.randrange(letters))
        for at in range(length)
    ]
    assert IndexHead(letters, integers, length, dtype=dtype).decode(tokens) == ref.index(tokens)


@settings(max_examples=40)
@given(
    st.integers(2, 9),
    st.integers(1, 4),
    st.integers(1, 40),
    st.integers(0, 2**32),
    st.sampled_from(["R1", "R2", "R3", "printed"]),
)
def test_retrieval_on_random_proper_sequences(letters: int, integers: int, length: int, seed: int, repair: Any) -> None:
    rng, tokens = Random(seed), list[Pair]()
    alphabet = pairs(letters, integers)
    while len(tokens) < length:
        drawn = (rng.choice(alphabet) for _ in range(200))
        tokens.append(next((token for token in drawn if ref.is_proper([*tokens, token])), Pair(Letter(0), Integer(1))))
        if not ref.is_proper(tokens):
            return
    assert RetrievalHead(letters, integers, length, repair).decode(tokens) == ref.retrieval(tokens)


def test_weights_are_those_of_theory() -> None:
    head, expected = IndexHead(3, 4, 9, ONE), index_head(3, 4, sympy.Integer(1))
    for name in ("W_Q", "W_K", "W_V"):
        exact = getattr(expected, name)
        values = [[float(Real.of(entry)) for entry in row] for row in exact.tolist()]
        assert getattr(head, name).tolist() == pytest.approx(torch.tensor(values, dtype=torch.float64), rel=2**-53)


@pytest.mark.parametrize("dtype", DTYPES)
def test_logits_stay_within_the_error_bound(dtype: torch.dtype) -> None:
    """At the angle 1 and 300 positions; the exact logits are cos(i - j - s)."""
    form = FORMATS[str(dtype).removeprefix("torch.")]
    head = IndexHead(2, 9, 300, ONE, beta=1.0, dtype=dtype)
    tokens = [symbols(2, 9)[at % 11] for at in range(300)]
    logits = head.logits(head.embed(head.ids(tokens)))
    offsets = torch.tensor([token.value if isinstance(token, Integer) else 0 for token in tokens])
    place = torch.arange(300)
    exact = torch.cos((place[:, None] - place - offsets[:, None]).double())
    error = (logits.double() - exact).abs().max()
    # The comparison itself is in float64, with phases up to 309.
    assert error <= float(logit_error(form.u)) + 310 * 2.0**-53
    assert error > float(form.u) / 4


def test_exact_angles_beat_angles_in_the_dtype() -> None:
    """cos of fl(t theta) in float32 is off by far more than the table of exact angles."""
    angle, length = Angle.rope(10000, 128, 2), 2000
    head = IndexHead(2, 1, 3, angle, beta=1.0, dtype=torch.float32)
    exact = torch.tensor([float(cos(t * angle.real)) for t in range(1, length + 1)], dtype=torch.float64)
    formed = torch.cos(torch.arange(1, length + 1) * torch.tensor(float(angle.real), dtype=torch.float32))
    assert (head.rotations(length)[:, 0, 0] - exact).abs().max() <= 2.0**-24
    assert (formed - exact).abs().max() > 1e-4


@pytest.mark.parametrize("dtype", DTYPES)
def test_exp_is_within_four_units(dtype: torch.dtype) -> None:
    form = FORMATS[str(dtype).removeprefix("torch.")]
    args = -torch.linspace(0, 9, 2001).to(dtype)
    for given_, computed in zip(args.tolist(), torch.exp(args).tolist(), strict=True):
        exact = float(exp(Real.of(sympy.Rational(*given_.as_integer_ratio()))))
        assert abs(computed - exact) <= 4 * float(form.u) * exact * (1 + 2.0**-50)


def worst_inputs(head: TokenHead[Any]) -> Iterator[tuple[int, list[Any]]]:
    """Inputs whose competitors all carry one wrong token, with the position of the target."""
    for s in range(1, 16):
        tokens: list[Any] = [Letter(0)] * 17
        tokens[16], tokens[16 - s] = Integer(s), Letter(1)
        yield 16 - s, tokens


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_lost_attention_stays_within_the_guarantee(dtype: torch.dtype) -> None:
    head = IndexHead(2, 16, 17, dtype=dtype)
    lost = [1 - float(head.attention(tokens)[-1, target]) for target, tokens in worst_inputs(head)]
    assert max(lost) <= 1 / 8
    assert max(lost) > 1 / 9  # the temperature is not higher than it need be


def test_temperature_grows_with_the_length_only_as_it_must() -> None:
    assert IndexHead(2, 3, 100).beta == pytest.approx(math.log(15) / (1 - math.cos(2 * math.pi / 100)), rel=1e-4)
    assert RetrievalHead(8, 8, 17).beta == pytest.approx(math.log(7 * 16) / (1 - math.cos(math.pi / 4)), rel=1e-4)
    assert IndexHead(2, 3, 1).beta == 1


def build(name: str, length: int, dtype: torch.dtype) -> TokenHead[Any]:
    match name:
        case "index":
            return IndexHead(2, 2, length, dtype=dtype)
        case "index at 1":
            return IndexHead(2, 2, length, ONE, dtype=dtype)
        case "circle" | "orthonormal":
            return ReflexiveHead(2, 2, length, name, dtype=dtype)
        case "R1" | "R2" | "R3" | "printed":
            return RetrievalHead(3, 2, length, name, dtype=dtype)
    raise ValueError(name)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["index", "index at 1", "R1", "R2", "R3", "printed", "circle", "orthonormal"])
def test_the_longest_length_is_accepted_and_the_next_is_not(name: str, dtype: torch.dtype) -> None:
    with pytest.raises(InputError, match="longest length that can be guaranteed is") as refused:
        build(name, 10**17, dtype)
    longest = int(str(refused.value).rpartition("guaranteed is ")[2].partition(":")[0])
    assert build(name, longest, dtype).guaranteed_length >= longest
    with pytest.raises(InputError, match=f"guaranteed is {longest}:"):
        build(name, longest + 1, dtype)
    if longest < 60:
        rng, head = Random(longest), build(name, longest, dtype)
        vocabulary = head.vocabulary.tokens
        for _ in range(30):
            tokens = [rng.choice(vocabulary) for _ in range(longest)]
            if name.startswith("index") and ref.is_index_valid(tokens):
                assert head.decode(tokens) == ref.index(tokens)
            elif name in ("circle", "orthonormal"):
                assert head.decode(tokens) == ref.reflexive(tokens)
            elif isinstance(tokens[0], Pair) and ref.is_proper(tokens):
                assert head.decode(tokens) == ref.retrieval(tokens)


def test_too_hot_a_head_fails() -> None:
    """The temperature matters: at a fifth of the threshold some input is decoded wrongly."""
    tokens: list[Symbol] = [*[Letter(0)] * 15, Letter(1), Integer(1)]
    assert IndexHead(2, 2, 17).decode(tokens)[-1] == Letter(1)
    assert IndexHead(2, 2, 17, beta=4.0).decode(tokens)[-1] != Letter(1)
    assert IndexHead(2, 2, 17, beta=4.0).guaranteed_length == 0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: IndexHead(1, 2, 5), "letters=1"),
        (lambda: IndexHead(2, 0, 5), "integers=0"),
        (lambda: IndexHead(2, 2, 0), "length=0"),
        (lambda: IndexHead(2, 2, -3), "length=-3"),
        (lambda: IndexHead(2, 2, 5, Angle(sympy.S.Zero)), "out of reach"),
        (lambda: IndexHead(2, 2, 5, Angle.turn(1, 4)), "out of reach"),
        (lambda: IndexHead(2, 2, 5, dtype=torch.int64), "dtype int64"),
        (lambda: RetrievalHead(2, 2, 5, "R4"), "repair='R4'"),  # type: ignore[arg-type]
        (lambda: RetrievalHead(2, 2, 5, "R1", angle=ONE), "frequency 0"),
        (lambda: RetrievalHead(2, 2, 5, "printed", angle=ONE), "angle"),
        (lambda: RetrievalHead(2, 2, 5, "printed", angle=Angle(sympy.S.Zero)), "angle"),
        (lambda: ReflexiveHead(2, 2, 5, "nope"), "codes='nope'"),  # type: ignore[arg-type]
        (lambda: ReflexiveHead(2, 2, 5, "circle", angle=ONE), "frequency 0"),
        (lambda: IndexHead(2, 2, 5).decode([Letter(2)]), "token c at position 1"),
        (lambda: IndexHead(2, 2, 5).decode([]), "at least one token"),
        (lambda: IndexHead(2, 2, 5).decode([Letter(0)] * 6), "6 tokens is longer than the 5"),
    ],
)
def test_bad_input_is_named(make: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        make()
    assert "\n" not in str(refused.value)


def test_a_plain_head_runs_at_beta_zero() -> None:
    head = RopeHead(index_head(2, 2, sympy.Integer(1)), beta=0.0)
    weights = head.weights(torch.eye(5, dtype=torch.float64)[:3])
    assert torch.allclose(weights, torch.tensor([[1, 0, 0], [1 / 2, 1 / 2, 0], [1 / 3] * 3]).double())
