"""The decoder against a slow plain reference, and what RoPE and the causal mask promise."""

from __future__ import annotations

import cmath
import math
from operator import mul
from typing import Any, cast

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from empirical.decoder import Block, Decoder
from empirical.decoder_config import DecoderConfig, rope_frequencies
from theory.errors import InputError

Row = list[float]
PROJECTIONS = ("query", "key", "value")

CONFIGS = [
    DecoderConfig(11, layers=1, heads=1, width=4),
    DecoderConfig(7, layers=3, heads=2, width=8, inner=5, without_rope=(1,)),
    DecoderConfig(9, layers=2, heads=3, width=12, frequencies=(1.0,)),
    DecoderConfig(9, layers=2, heads=1, width=8, frequencies=(0.5, 2.0, 0.1), without_rope=(0,)),
    DecoderConfig(5, layers=2, heads=2, width=8, frequencies=()),
]


def build(config: DecoderConfig, seed: int = 0) -> Decoder:
    """A decoder in float64 whose weights are large enough for every part of it to matter."""
    torch.manual_seed(seed)
    decoder = Decoder(config).double().eval()
    for weight in decoder.parameters():
        torch.nn.init.normal_(weight, std=0.6)
    return decoder


def blocks(decoder: Decoder) -> list[Block]:
    return cast("list[Block]", list(decoder.blocks))


class Slow:
    """The decoder one number at a time."""

    def __init__(self, decoder: Decoder) -> None:
        self.config = decoder.config
        self.weight = {name: value.tolist() for name, value in decoder.state_dict().items()}

    def linear(self, name: str, x: Row) -> Row:
        rows = self.weight[f"{name}.weight"]
        bias = self.weight.get(f"{name}.bias", [0.0] * len(rows))
        return [sum(map(mul, row, x)) + b for row, b in zip(rows, bias, strict=True)]

    def norm(self, name: str, x: Row) -> Row:
        mean = sum(x) / len(x)
        deviation = math.sqrt(sum((v - mean) ** 2 for v in x) / len(x) + 1e-5)
        gain, shift = self.weight[f"{name}.weight"], self.weight[f"{name}.bias"]
        return [(v - mean) / deviation * g + s for v, g, s in zip(x, gain, shift, strict=True)]

    def mlp(self, name: str, x: Row) -> Row:
        hidden = self.linear(f"{name}.0", x)
        gelu = [0.5 * v * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3))) for v in hidden]
        return self.linear(f"{name}.2", gelu)

    def turned(self, layer: int, x: Row, position: int) -> Row:
        x = list(x)
        for k, theta in enumerate(self.config.planes(layer)):
            z = complex(x[2 * k], x[2 * k + 1]) * cmath.exp(1j * position * theta)
            x[2 * k], x[2 * k + 1] = z.real, z.imag
        return x

    def attention(self, layer: int, q: list[Row], k: list[Row]) -> list[Row]:
        """The weights of one head, a row a query; queries and keys before rotation."""
        rows = []
        for i, query in enumerate(q):
            turned = self.turned(layer, query, i)
            logits = [sum(map(mul, turned, self.turned(layer, key, j))) for j, key in enumerate(k[: i + 1])]
            powers = [math.exp(logit / math.sqrt(len(query))) for logit in logits]
            rows.append([power / sum(powers) for power in powers] + [0.0] * (len(q) - i - 1))
        return rows

    def run(self, tokens: list[int]) -> tuple[Row, list[list[list[Row]]]]:
        """Logits at the last token, and weights [layer][head][query][key]."""
        stream = [self.weight["embedding.weight"][token] for token in tokens]
        seen = []
        for layer in range(self.config.layers):
            block = f"blocks.{layer}"
            normed = [self.norm(f"{block}.norm", x) for x in stream]
            q, k, v = ([self.linear(f"{block}.attention.{part}", y) for y in normed] for part in PROJECTIONS)
            mixed: list[Row] = [[] for _ in tokens]
            heads = []
            for start in range(0, self.config.width, self.config.head_width):
                own = slice(start, start + self.config.head_width)
                heads.append(self.attention(layer, [x[own] for x in q], [x[own] for x in k]))
                for i, row in enumerate(heads[-1]):
                    mixed[i] += [sum(map(mul, row, column)) for column in zip(*(x[own] for x in v), strict=True)]
            for i, y in enumerate(normed):
                parts = (stream[i], self.linear(f"{block}.attention.output", mixed[i]), self.mlp(f"{block}.mlp", y))
                stream[i] = [sum(terms) for terms in zip(*parts, strict=True)]
            seen.append(heads)
        return self.linear("unembedding", self.norm("norm", stream[-1])), seen


@pytest.mark.parametrize("config", CONFIGS)
def test_equals_the_slow_reference(config: DecoderConfig) -> None:
    decoder = build(config)
    tokens = torch.randint(config.vocabulary, (2, 6))
    logits, heads = decoder(tokens), list(decoder.heads(tokens))
    for row, prompt in enumerate(tokens.tolist()):
        expected, seen = Slow(decoder).run(prompt)
        assert logits[row].tolist() == pytest.approx(expected, abs=1e-10)
        for layer in heads:
            assert layer.attention is not None
            weights = torch.tensor(seen[layer.layer], dtype=torch.float64)
            assert torch.allclose(layer.attention[row], weights, atol=1e-12)


@pytest.mark.parametrize("config", CONFIGS)
def test_captured_heads_rebuild_the_attention(config: DecoderConfig) -> None:
    decoder, tokens = build(config), torch.randint(config.vocabulary, (3, 9))
    for layer in decoder.heads(tokens):
        q, k = (layer.rotary.rotate(x, torch.arange(9)) for x in (layer.queries, layer.keys))
        logits = (layer.scale * q @ k.mT).masked_fill(torch.ones(9, 9, dtype=torch.bool).triu(1), -torch.inf)
        assert layer.attention is not None
        assert torch.allclose(logits.softmax(-1), layer.attention, atol=1e-12)


@pytest.mark.parametrize("config", CONFIGS)
@given(seed=st.integers(0, 2**32 - 1), shift=st.integers(1, 500))
@settings(max_examples=5)
def test_attention_sees_offsets_only(config: DecoderConfig, seed: int, shift: int) -> None:
    decoder, n = build(config), 6
    random = torch.Generator().manual_seed(seed)
    q, k = torch.randn(2, 3, config.heads, n, config.head_width, generator=random, dtype=torch.float64)
    for layer, block in enumerate(blocks(decoder)):
        phases = decoder.phases(layer, n + shift)
        here, there = (block.attention.weights(q, k, window) for window in (phases[:n], phases[shift:]))
        assert torch.allclose(here, there, atol=1e-11)


@pytest.mark.parametrize("config", CONFIGS)
def test_later_tokens_change_nothing(config: DecoderConfig) -> None:
    decoder, tokens = build(config), torch.randint(config.vocabulary, (2, 8))
    for whole, part in zip(decoder.heads(tokens), decoder.heads(tokens[:, :5]), strict=True):
        assert torch.allclose(whole.queries[:, :, :5], part.queries, atol=1e-12)
        assert torch.allclose(whole.keys[:, :, :5], part.keys, atol=1e-12)
        assert whole.attention is not None and not whole.attention.triu(1).any()


def test_only_what_is_chosen_rotates() -> None:
    config = DecoderConfig(9, layers=2, width=8, frequencies=(0.5, 2.0), without_rope=(0,))
    decoder = Decoder(config)
    assert decoder.rotary(0).frequencies.tolist() == []
    assert decoder.rotary(1).frequencies.tolist() == [0.5, 2.0]
    assert decoder.rotary(1).pairs.tolist() == [[0, 1], [2, 3]]
    assert bool((decoder.phases(0, 5) == 1).all()) and bool((decoder.phases(1, 5)[:, 2:] == 1).all())


def test_frequencies_are_those_of_gptj_to_the_last_digit() -> None:
    theta = DecoderConfig(136).planes(0)
    assert theta == rope_frequencies(10_000, 128) and len(theta) == 64
    assert theta == pytest.approx([10_000 ** (-k / 64) for k in range(64)], rel=1e-15)
    assert Decoder(DecoderConfig(136, layers=1)).rotary(0).frequencies.tolist() == list(theta)


def test_dropout_in_training_only() -> None:
    decoder, tokens = Decoder(DecoderConfig(9, layers=2, width=8, dropout=0.5)), torch.randint(9, (4, 6))
    assert not torch.equal(decoder(tokens), decoder(tokens))
    with pytest.raises(InputError, match=r"dropout=0.5 .* eval\(\)"):
        next(decoder.heads(tokens))
    decoder.eval()
    assert torch.equal(decoder(tokens), decoder(tokens))


def test_parameters_of_the_papers_model() -> None:
    """Twelve blocks of 4 w^2 attention and 8 w^2 + 5 w MLP weights, with w = 128, and two of V w + V outside."""
    count = sum(weight.numel() for weight in Decoder(DecoderConfig(136)).parameters())
    assert count == 12 * (12 * 128**2 + 5 * 128 + 2 * 128) + 136 * (2 * 128 + 1) + 2 * 128


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ({"vocabulary": 0}, "vocabulary=0"),
        ({"layers": 1.5}, "layers=1.5"),
        ({"width": True}, "width=True"),
        ({"inner": -4}, "inner=-4"),
        ({"heads": 3}, "heads=3 do not divide width=128"),
        ({"heads": 2, "width": 10}, "odd width 5"),
        ({"width": 4, "frequencies": (1.0, 0.5, 0.1)}, "3 frequencies are more than the 2 planes"),
        ({"frequencies": (math.nan,)}, "not all finite"),
        ({"without_rope": (12,)}, "layer 12"),
        ({"dropout": 1.0}, "dropout=1.0"),
    ],
)
def test_sizes_that_do_not_fit_are_named(sizes: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words) as error:
        DecoderConfig(**{"vocabulary": 136, **sizes})
    assert "\n" not in str(error.value)
