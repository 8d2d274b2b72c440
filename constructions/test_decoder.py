"""The composed decoders against the reference semantics, position by position and layer by layer."""

from collections.abc import Callable, Sequence
from itertools import pairwise, product
from random import Random
from typing import Any

import pytest
import sympy
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from constructions import reference as ref
from constructions.decoder import Decoder, Layer, letter_decoder, number_decoder
from constructions.reference import Integer, Letter, Pair, Symbol
from constructions.tasks import letter_task, number_task, parse_pairs, parse_symbols
from theory.arithmetic.angle import Angle
from theory.errors import InputError
from theory.rope.tasks.letter_path import up_to_renaming
from theory.rope.tasks.letter_task import COMPOSABLE

torch.set_num_threads(1)
FLOATS = [torch.float64, torch.float32]
INPUTS = 20_000
LETTER_FIGURE_3 = "e1 b2 e1 g6 a2 b2 e1 g6 be db ca ge eb hc dg fh eh"


def symbols(letters: int, integers: int) -> list[Symbol]:
    return [*map(Letter, range(letters)), *map(Integer, range(1, integers + 1))]


def disagreements(decoder: Decoder[Any], walk: Callable[[Any], ref.Walk], inputs: Sequence[Sequence[Any]]) -> int:
    """How many inputs of one length get another answer than their walk."""
    ids = torch.tensor([decoder.vocabulary.encode(tokens) for tokens in inputs])
    walks = [walk(tokens) for tokens in inputs]
    assert max(w.hops for w in walks) <= len(decoder.layers)
    return int((decoder.answers(ids) != torch.tensor(decoder.vocabulary.encode([w.answer for w in walks]))).sum())


def test_number_task_at_scale() -> None:
    """20,000 inputs of 8 letters and 9 integers, 5,000 for each number of hops; no disagreement."""
    rng = Random(17)
    inputs = [number_task(rng, hops=1 + i % 4, alphabet=26) for i in range(INPUTS)]
    for dtype in FLOATS:
        assert disagreements(number_decoder(26, 16, 17, 4, dtype=dtype), ref.number_walk, inputs) == 0


def test_letter_task_at_scale() -> None:
    """20,000 inputs of 17 tokens, 5,000 for each number of hops, nearly all of them not proper; no disagreement."""
    rng = Random(17)
    inputs = [letter_task(rng, hops=1 + i % 4) for i in range(INPUTS)]
    assert all(map(ref.path_condition, inputs))
    assert sum(map(ref.is_proper, inputs)) < INPUTS / 20
    for dtype in FLOATS:
        assert disagreements(letter_decoder(8, 8, 17, 4, dtype=dtype), ref.letter_walk, inputs) == 0


@pytest.mark.parametrize("dtype", FLOATS)
def test_number_task_on_every_small_input(dtype: torch.dtype) -> None:
    """Letters and integers in any order; integers off the walk may point before position 1."""
    for length in range(1, 6):
        inputs = []
        for tokens in product(symbols(2, 3), repeat=length):
            try:
                ref.number_walk(tokens)
            except ref.UndefinedError:
                continue
            inputs.append(tokens)
        decoder = number_decoder(2, 3, length, max(1, length - 1), dtype=dtype)
        assert disagreements(decoder, ref.number_walk, inputs) == 0
        assert length < 3 or not all(map(ref.is_index_valid, inputs))


def as_pairs(tokens: Sequence[tuple[str, str | int]]) -> tuple[Pair, ...]:
    return parse_pairs(" ".join(f"{left}{right}" for left, right in tokens))


@pytest.mark.parametrize("letters", [2, 3, 8])
@pytest.mark.parametrize("dtype", FLOATS)
def test_letter_task_on_every_small_input(letters: int, dtype: torch.dtype) -> None:
    """All inputs of up to four tokens that meet the path condition, up to the names of letters and integers."""
    for length in range(1, 5):
        decoder = letter_decoder(letters, 4, length, max(1, length - 1), dtype=dtype)
        named = map(as_pairs, up_to_renaming(length))
        fits = (tokens for tokens in named if all(half < letters for token in tokens for half in numbers(token)))
        inputs = list(filter(ref.path_condition, fits))
        assert inputs and disagreements(decoder, ref.letter_walk, inputs) == 0


def numbers(token: Pair) -> list[int]:
    return [half.index for half in (token.left, token.right) if isinstance(half, Letter)]


@pytest.mark.parametrize("dtype", FLOATS)
def test_every_position_of_composable_sequences(dtype: torch.dtype) -> None:
    decoder = letter_decoder(2, 1, 4, 3, dtype=dtype)
    for member in COMPOSABLE.up_to(2, 1, 4):
        tokens = as_pairs(member)
        for stream in decoder.trace(tokens).streams:
            assert decoder.held(stream) == tokens
            tokens = ref.retrieval(tokens)


@pytest.mark.parametrize("dtype", [*FLOATS, torch.float16])
@pytest.mark.parametrize("hops", [1, 2, 3, 4])
def test_walks_are_held_exactly_after_every_layer(hops: int, dtype: torch.dtype) -> None:
    """Rounding does not add up: on the walk the states are embeddings to the last bit, at every depth."""
    rng = Random(hops)
    length = 17 if dtype != torch.float16 else 15
    numeric = number_decoder(26, 16, length, 5, dtype=dtype)
    linked = letter_decoder(8, 8, 17, 5, dtype=dtype)
    for _ in range(20):
        symbols = number_task(rng, hops=hops, letters=length - 9, alphabet=26)
        walk = ref.number_walk(symbols)
        for t, stream in enumerate(numeric.trace(symbols).streams):
            assert numeric.held(stream)[-1] == (walk.answer if t >= hops else symbols[-1])
        pairs = letter_task(rng, hops=hops)
        path = ref.letter_walk(pairs).path
        for t, stream in enumerate(linked.trace(pairs).streams):
            for start, position in enumerate(path):
                assert linked.held(stream)[position - 1] == pairs[path[min(start + t, hops)] - 1]


@settings(max_examples=60)
@given(st.data())
def test_number_task_on_random_inputs(data: st.DataObject) -> None:
    letters, integers = data.draw(st.integers(2, 12)), data.draw(st.integers(1, 12))
    tokens = data.draw(st.lists(st.sampled_from(symbols(letters, integers)), min_size=1, max_size=40))
    try:
        walk = ref.number_walk(tokens)
    except ref.UndefinedError:
        return
    depth = max(1, walk.hops)
    decoder = number_decoder(letters, integers, len(tokens), depth, dtype=data.draw(st.sampled_from(FLOATS)))
    assert decoder.answer(tokens) == walk.answer


@settings(max_examples=60)
@given(st.data())
def test_letter_task_on_random_inputs(data: st.DataObject) -> None:
    letters = data.draw(st.integers(2, 12))
    hops = data.draw(st.integers(1, min(6, letters - 1)))
    links, targets = hops + data.draw(st.integers(0, 20)), data.draw(st.integers(1, 12))
    rng = Random(data.draw(st.integers(0, 2**32)))
    tokens = letter_task(rng, hops=hops, targets=targets, links=links, alphabet=letters, largest=3)
    decoder = letter_decoder(letters, 3, len(tokens), hops, dtype=data.draw(st.sampled_from(FLOATS)))
    assert decoder.answer(tokens) == ref.letter_walk(tokens).answer


@pytest.mark.parametrize("angle", [Angle(sympy.Integer(1)), Angle.turn(5, 23), Angle.rope(10000, 128, 2)])
def test_number_task_at_other_angles(angle: Angle) -> None:
    rng = Random(3)
    inputs = [number_task(rng, hops=1 + i % 4, alphabet=26) for i in range(200)]
    decoder = number_decoder(26, 16, 17, 4, angle)
    assert decoder.guaranteed_length >= 17
    assert disagreements(decoder, ref.number_walk, inputs) == 0


def test_fewer_layers_than_hops_stay_on_the_way() -> None:
    symbols = parse_symbols("n h n v h y r s 6 3 2 7 7 8 4 7 2")
    assert [str(number_decoder(26, 16, 17, depth).answer(symbols)) for depth in (1, 2, 3, 4, 5)] == [*"222nn"]
    pairs = parse_pairs(LETTER_FIGURE_3)
    assert [str(letter_decoder(8, 8, 17, depth).answer(pairs)) for depth in (1, 2, 3, 4)] == ["hc", "ca", "a2", "a2"]


def test_without_the_path_condition_the_answer_can_be_wrong() -> None:
    tokens = parse_pairs("a1 ba a2 a2 a2 a2 a2 cb")
    assert not ref.path_condition(tokens)
    assert str(ref.letter_walk(tokens).answer) == "a1"
    decoder = letter_decoder(3, 2, len(tokens), 2)
    assert str(decoder.answer(tokens)) == "a2"
    assert decoder.held(decoder.trace(tokens).streams[-1])[-1] is None


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_block_is_one_hidden_layer_of_relus(dtype: torch.dtype) -> None:
    for decoder in (number_decoder(3, 4, 6, 1, dtype=dtype), letter_decoder(3, 2, 6, 1, dtype=dtype)):
        layer = decoder.layers[0]
        assert isinstance(layer, Layer)
        width, types = len(decoder.W_E) // 2, len(decoder.vocabulary)
        W_in, b_in, W_out = layer.block.weights(width)
        assert W_in.shape == (6 * types, 2 * width) and W_out.shape == (2 * width, 6 * types)
        generator = torch.Generator().manual_seed(1)
        stream = torch.rand(200, 2 * width, generator=generator, dtype=dtype)
        if width > types:
            stream[:, width + types :] = 0  # attention never writes there
        dense = torch.relu(stream @ W_in.T + b_in) @ W_out.T
        # Each side adds at most 2 width terms of size at most 8, and 6 of size at most 8 more.
        bound = 8 * (2 * width + 6) ** 2 * torch.finfo(dtype).eps
        assert (layer.block(stream) - dense).abs().max() <= bound


def test_layers_read_nothing_but_the_stream() -> None:
    """A decoder in pieces: embedding, then attention and block as functions of the stream, then unembedding."""
    decoder = letter_decoder(8, 8, 17, 4)
    tokens = letter_task(Random(5), hops=4)
    trace = decoder.trace(tokens)
    for before, after in pairwise(trace.streams):
        assert torch.equal(decoder.layers[0](before), after)
        width = before.shape[-1] // 2
        assert torch.equal(after[:, width:], torch.zeros(17, width, dtype=torch.float64))
    assert torch.equal(decoder(decoder.ids(tokens)), trace.streams[-1] @ decoder.W_U.T)
    assert all(torch.allclose(weights.sum(-1), torch.ones(17).double()) for weights in trace.attention)
    assert all((weights.triu(1) == 0).all() for weights in trace.attention)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: number_decoder(1, 2, 5, 1), "letters=1"),
        (lambda: number_decoder(2, 2, 5, 0), "depth=0"),
        (lambda: number_decoder(2, 2, 0, 1), "length=0"),
        (lambda: number_decoder(2, 2, 5, 1, Angle.turn(1, 4)), "out of reach"),
        (lambda: number_decoder(2, 2, 17, 1, dtype=torch.bfloat16), "longest length that can be guaranteed is 3:"),
        (lambda: letter_decoder(8, 8, 78, 1, dtype=torch.float16), "longest length that can be guaranteed is 77:"),
        (lambda: letter_decoder(2, 2, 5, 1).answer(parse_pairs("a1 bc")), "token bc at position 2"),
        (lambda: number_decoder(2, 2, 5, 1).answer(parse_symbols("a a a a a 1")), "6 tokens is longer than the 5"),
    ],
)
def test_bad_input_is_named(make: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()
