"""The decoder against Hugging Face's GPT-J, both ways, and what a GPT-J cannot hold."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from empirical.decoder import Decoder
from empirical.decoder_config import DecoderConfig, rope_frequencies
from empirical.gptj import decoder_config, from_gptj, to_gptj
from theory.errors import InputError

transformers = pytest.importorskip("transformers")

SIZES = {"vocab_size": 13, "n_embd": 8, "n_layer": 2, "n_head": 2, "rotary_dim": 4}


@st.composite
def configs(draw: st.DrawFn) -> DecoderConfig:
    heads, planes = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    turning = draw(st.integers(1, planes))
    return DecoderConfig(
        vocabulary=draw(st.integers(2, 30)),
        layers=draw(st.integers(1, 3)),
        heads=heads,
        width=heads * 2 * planes,
        inner=draw(st.sampled_from([None, 3, 16])),
        frequencies=None if turning == planes else rope_frequencies(10_000, 2 * turning),
    )


@given(configs(), st.integers(0, 2**32 - 1))
@settings(max_examples=8)
def test_logits_are_equal_both_ways(config: DecoderConfig, seed: int) -> None:
    torch.manual_seed(seed)
    decoder = Decoder(config).eval()
    for weight in decoder.parameters():
        torch.nn.init.normal_(weight, std=0.5)
    tokens = torch.randint(config.vocabulary, (3, 17))
    model = to_gptj(decoder, positions=17)
    with torch.no_grad():
        logits = decoder(tokens)
        assert (model(tokens).logits[:, -1] - logits).abs().max() <= 1e-5 * max(1, float(logits.abs().max()))
        back = from_gptj(model)
        assert back.config == config
        assert torch.equal(back(tokens), logits)


def test_attention_is_that_of_gptj() -> None:
    torch.manual_seed(0)
    model = transformers.GPTJForCausalLM(transformers.GPTJConfig(**SIZES, attn_implementation="eager")).eval()
    tokens = torch.randint(13, (2, 9))
    with torch.no_grad():
        attentions = model(tokens, output_attentions=True).attentions
    for layer, expected in zip(from_gptj(model).heads(tokens), attentions, strict=True):
        assert layer.attention is not None
        assert torch.allclose(layer.attention, expected, atol=1e-6)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (DecoderConfig(9, layers=2, width=8, without_rope=(1,)), r"without_rope=\(1,\)"),
        (DecoderConfig(9, layers=2, width=8, frequencies=(1.0, 0.5)), r"frequencies=\(1.0, 0.5\)"),
        (DecoderConfig(9, layers=2, width=8, frequencies=()), r"frequencies=\(\)"),
    ],
)
def test_export_of_what_gptj_cannot_hold(config: DecoderConfig, words: str) -> None:
    with pytest.raises(InputError, match=words) as error:
        to_gptj(Decoder(config))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"activation_function": "relu"}, "activation_function='relu'"),
        ({"layer_norm_epsilon": 1e-6}, "layer_norm_epsilon=1e-06"),
        ({"attn_pdrop": 0.1}, r"dropouts \[0.0, 0.1\] differ"),
        ({"rotary_dim": None}, "rotary_dim=None turns 8 coordinates of heads of width 4"),
        ({"rotary_dim": 0}, "rotary_dim=0"),
        ({"rotary_dim": 3}, "rotary_dim=3"),
        ({"rotary_dim": 6}, "rotary_dim=6"),
    ],
)
def test_import_of_what_a_decoder_cannot_hold(change: dict[str, Any], words: str) -> None:
    config = transformers.GPTJConfig(**SIZES)
    for name, value in change.items():  # as a file might say: transformers' own checks are stricter in places
        object.__setattr__(config, name, value)
    with pytest.raises(InputError, match=words):
        decoder_config(config)


def test_rotary_dim_none_with_one_head() -> None:
    config = transformers.GPTJConfig(**{**SIZES, "n_head": 1})
    object.__setattr__(config, "rotary_dim", None)
    assert decoder_config(config) == DecoderConfig(13, layers=2, width=8)
