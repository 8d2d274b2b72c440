"""Evidence from the composed decoders, for the claims on compositions, on the block between layers and on rounding."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import sympy
import torch

from constructions import reference as ref
from constructions.decoder import Decoder, letter_decoder, number_decoder
from constructions.heads import IndexHead
from constructions.reference import Letter, Pair, Symbol
from constructions.relu_block import ReluBlock
from constructions.tasks import letter_task, number_task, parse_pairs, show
from theory.arithmetic.angle import Angle
from theory.evidence import Case, Constructed
from theory.ledger import Submissions
from theory.rope.precision.logit_rounding import FORMATS, logit_error
from theory.rope.precision.softmax_rounding import average_roundings, gamma
from theory.rope.tasks.letter_task import COMPOSABLE

torch.set_num_threads(1)
SEED = 2605
DTYPES = {torch.float64: "float64", torch.float32: "float32", torch.float16: "float16", torch.bfloat16: "bfloat16"}


def held_last(decoder: Decoder[Any], tokens: Sequence[Any]) -> list[Any]:
    """What the last position holds exactly after 0, 1, ... layers."""
    return [decoder.held(stream)[-1] for stream in decoder.trace(tokens).streams]


def test_number_compositions(ledger: Submissions) -> None:
    decoder, rng = number_decoder(8, 16, 17, 5), Random(SEED)

    def valid() -> Iterator[Case]:
        for i in range(60):
            tokens: Sequence[Symbol] = number_task(rng, hops=1 + i % 4, alphabet=8)
            iterates = [tuple(tokens)]
            while len(iterates) < 6:
                iterates.append(ref.index(iterates[-1]))
            yield show(tokens), held_last(decoder, tokens) == [state[-1] for state in iterates]

    def any_integers() -> Iterator[Case]:
        while True:
            names = decoder.vocabulary.tokens
            tokens = [rng.choice(names[:8] if rng.random() < 0.4 else names[8:]) for _ in range(17)]
            try:
                walk = ref.number_walk(tokens)
            except ref.UndefinedError:
                continue
            if 1 <= walk.hops <= 5:
                expected = [tokens[-1]] * walk.hops + [walk.answer] * (6 - walk.hops)
                yield show(tokens), held_last(decoder, tokens) == expected

    cases = any_integers()
    ledger.submit("number-composition", Constructed("softmax decoder on Index-valid inputs, 17 tokens", valid()))
    some = (next(cases) for _ in range(60))
    ledger.submit("number-decoder-margins", Constructed("softmax decoder on defined walks, 17 tokens", some))


def test_letter_compositions(ledger: Submissions) -> None:
    decoder, rng = letter_decoder(8, 3, 24, 4), Random(SEED)

    def composable() -> Iterator[Case]:
        for member in COMPOSABLE.random(count=30, longest=24):
            tokens: tuple[Pair, ...] = parse_pairs(" ".join(f"{left}{right}" for left, right in member))
            iterates = [tokens]
            while len(iterates) < 5:
                iterates.append(ref.retrieval(iterates[-1]))
            yield show(tokens), [decoder.held(stream) for stream in decoder.trace(tokens).streams] == iterates

    def walks() -> Iterator[Case]:
        for i in range(60):
            hops = 1 + i % 4
            tokens = letter_task(rng, hops=hops, largest=3)
            path = ref.letter_walk(tokens).path
            expected = [tokens[path[min(t, hops)] - 1] for t in range(5)]
            yield show(tokens), held_last(decoder, tokens) == expected

    ledger.submit("letter-composition", Constructed("softmax decoder, all positions, up to 24 tokens", composable()))
    ledger.submit("letter-decoder-proper", Constructed("softmax decoder, all positions", composable()))
    ledger.submit("letter-decoder-path-condition", Constructed("softmax decoder, 17 tokens, mostly improper", walks()))


def test_decoder_snap(ledger: Submissions) -> None:
    """The torch block on random shares, in every dtype: one type at most, and exact where 3/4 is found."""

    def cases() -> Iterator[Case]:
        generator = torch.Generator().manual_seed(SEED)
        for dtype, name in DTYPES.items():
            block = ReluBlock([True, True, False, False, False], dtype)
            found = torch.rand(500, 5, generator=generator, dtype=torch.float64) ** 4
            found = (found / found.sum(-1, keepdim=True) * torch.rand(500, 1, generator=generator)).to(dtype)
            shares = torch.rand(500, 1, generator=generator).round(decimals=1).clamp(0, 1)
            token = torch.eye(5)[torch.randint(5, (500,), generator=generator)].mul(shares).to(dtype)
            stream = torch.cat((token, found), dim=-1)
            after = (stream + block(stream)).chunk(2, dim=-1)
            for row in range(500):
                new, held = after[0][row], int(token[row].argmax())
                single = int((new != 0).sum()) <= 1 and bool(((new >= 0) & (new <= 1)).all())
                if float(token[row, held]) == 1:
                    best = held if held < 2 or found[row].sum() <= 0.25 else int(found[row].argmax())
                    sure = held < 2 or float(found[row].sum()) <= 0.25 or float(found[row, best]) >= 0.75
                    single = single and (not sure or float(new[best]) == 1)
                yield (
                    f"{name}: x = {token[row].tolist()}, a = {found[row].tolist()}",
                    single and not after[1][row].any(),
                )

    ledger.submit("decoder-snap", Constructed("the block in four dtypes, random shares", cases()))


def test_rounding(ledger: Submissions) -> None:
    """Logits at 200 positions, and averages, against the exact values; the exact logits are cos(i - j - s)."""

    def logits() -> Iterator[Case]:
        for dtype, name in DTYPES.items():
            head = IndexHead(2, 5, 200, Angle(sympy.Integer(1)), beta=1.0, dtype=dtype)
            ids = torch.arange(200) % 7
            place, offsets = torch.arange(200), (ids - 1).clamp(0)
            exact = torch.cos((place[:, None] - place - offsets[:, None]).double())
            error = (head.logits(head.embed(ids)).double() - exact).abs()
            # The comparison is itself in float64, with phases up to 205.
            bound = float(logit_error(FORMATS[name].u)) + 206 * 2.0**-53
            for i in range(200):
                yield f"{name}, query {i}", bool(error[i].max() <= bound)

    def averages() -> Iterator[Case]:
        for dtype, name in DTYPES.items():
            u, n = FORMATS[name].u, 10
            head = IndexHead(2, 9, n, beta=3.0, dtype=dtype)
            roundings = average_roundings(n)
            if roundings * u >= 1:
                continue
            rng = Random(SEED)
            for _ in range(50):
                ids = torch.tensor([rng.randrange(11) for _ in range(n)])
                x = head.embed(ids)
                scores = (3.0 * head.logits(x)[-1]).to(dtype)
                scores = (scores - scores.max()).double()
                exact = (torch.exp(scores) / torch.exp(scores).sum()) @ (x @ head.W_V.T).double()
                error = (head.attend(x)[-1].double() - exact).abs()
                bound = float(gamma(roundings, u)) * exact + n * 2.0**-50
                yield f"{name}: {ids.tolist()}", bool((error <= bound).all())

    ledger.submit("rope-logit-rounding", Constructed("Index head at angle 1 in four dtypes", logits()))
    ledger.submit("softmax-average-rounding", Constructed("Index head at beta = 3 in four dtypes", averages()))


def test_attention_loss(ledger: Submissions) -> None:
    """At the temperature of the guarantee the attention off the target is at most 1/8, and 1/2 with rounding."""

    def cases() -> Iterator[Case]:
        for dtype, length in ((torch.float64, 17), (torch.float32, 17), (torch.float16, 28), (torch.bfloat16, 8)):
            head = IndexHead(2, length, length, dtype=dtype)
            for offset in range(1, length):
                tokens: list[Symbol] = [*[Letter(0)] * (length - 1), head.vocabulary.tokens[1 + offset]]
                lost = 1 - float(head.attention(tokens)[-1, length - 1 - offset])
                yield f"{DTYPES[dtype]}, offset {offset}", lost <= (1 / 8 if dtype == torch.float64 else 1 / 2)

    ledger.submit("attention-loss", Constructed("Index head at 2 pi/n and its own temperature", cases()))
