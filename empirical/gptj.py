"""Weights to and from Hugging Face's GPT-J (extra `hf`).

GPT-J rotates the first `rotary_dim` coordinates of every head with the frequencies of base 10000, in every layer, out
of a table of `n_positions` rows: a longer sequence is an error there. With `rotary_dim` None the table has the width
of the embedding, which is the width of a head only if there is one head.
"""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import TYPE_CHECKING

from empirical.decoder import Decoder
from empirical.decoder_config import GPTJ_BASE, DecoderConfig, rope_frequencies
from theory.errors import InputError

if TYPE_CHECKING:
    from transformers import GPTJConfig, GPTJForCausalLM

_MODULES = {
    "embedding": "transformer.wte",
    "norm": "transformer.ln_f",
    "unembedding": "lm_head",
}
_OF_BLOCK = {
    "norm": "ln_1",
    "attention.query": "attn.q_proj",
    "attention.key": "attn.k_proj",
    "attention.value": "attn.v_proj",
    "attention.output": "attn.out_proj",
    "mlp.0": "mlp.fc_in",
    "mlp.2": "mlp.fc_out",
}
_GELU = ("gelu_new", "gelu_pytorch_tanh")  # the same function
_EPSILON = 1e-5


def to_gptj(decoder: Decoder, positions: int = 2048) -> GPTJForCausalLM:
    """The decoder as a GPT-J for sequences of up to `positions` tokens, in evaluation mode.

    Raises InputError for what a GPT-J cannot hold, and without the extra `hf`.
    """
    config = decoder.config
    if config.without_rope:
        raise InputError(
            f"without_rope={config.without_rope}, but every layer of a GPT-J rotates; export another decoder"
        )
    planes = config.planes(0)
    if not planes or planes != rope_frequencies(GPTJ_BASE, 2 * len(planes)):
        raise InputError(
            f"frequencies={config.frequencies} are not the first planes of a GPT-J, "
            "10000^(-2k / rotary_dim); export a decoder with those"
        )
    transformers = _transformers()
    model = transformers.GPTJForCausalLM(
        transformers.GPTJConfig(
            vocab_size=config.vocabulary,
            n_positions=positions,
            n_embd=config.width,
            n_layer=config.layers,
            n_head=config.heads,
            n_inner=config.inner,
            rotary_dim=2 * len(planes),
            resid_pdrop=config.dropout,
            embd_pdrop=config.dropout,
            attn_pdrop=config.dropout,
            bos_token_id=None,
            eos_token_id=None,
        )
    )
    ours, names = decoder.state_dict(), _names(config.layers)
    model.load_state_dict({names[name]: weight for name, weight in ours.items()})
    return model.eval()


def from_gptj(model: GPTJForCausalLM) -> Decoder:
    """The decoder with the weights of a GPT-J, in evaluation mode.

    Raises InputError for a GPT-J that a Decoder cannot hold.
    """
    decoder = Decoder(decoder_config(model.config)).to(model.dtype)
    theirs, names = model.state_dict(), _names(decoder.config.layers)
    decoder.load_state_dict({name: theirs[names[name]] for name in decoder.state_dict()})
    return decoder.eval()


def decoder_config(config: GPTJConfig) -> DecoderConfig:
    """The sizes of a GPT-J as those of a decoder. Raises InputError for what a Decoder cannot hold."""
    if config.activation_function not in _GELU:
        raise InputError(f"activation_function={config.activation_function!r} is not the GELU of GPT-J; use {_GELU[0]}")
    if config.layer_norm_epsilon != _EPSILON:
        raise InputError(f"layer_norm_epsilon={config.layer_norm_epsilon} is not that of GPT-J; use {_EPSILON}")
    dropouts = {config.resid_pdrop, config.embd_pdrop, config.attn_pdrop}
    if len(dropouts) > 1:
        raise InputError(f"the dropouts {sorted(dropouts)} differ, and a decoder has one; set them equal")
    rotary = config.n_embd if config.rotary_dim is None else config.rotary_dim
    ours = DecoderConfig(
        vocabulary=config.vocab_size,
        layers=config.n_layer,
        heads=config.n_head,
        width=config.n_embd,
        inner=config.n_inner,
        dropout=dropouts.pop(),
    )
    if not (0 < rotary <= ours.head_width and rotary % 2 == 0):
        raise InputError(
            f"rotary_dim={config.rotary_dim} turns {rotary} coordinates of heads of width {ours.head_width}; "
            "choose an even number from 2 up to that width"
        )
    if rotary == ours.head_width:
        return ours
    return replace(ours, frequencies=rope_frequencies(GPTJ_BASE, rotary))


def _names(layers: int) -> dict[str, str]:
    """Our name of every weight to its name in a GPT-J."""
    modules = dict(_MODULES)
    for layer in range(layers):
        modules |= {f"blocks.{layer}.{ours}": f"transformer.h.{layer}.{theirs}" for ours, theirs in _OF_BLOCK.items()}
    return {f"{ours}.{kind}": f"{theirs}.{kind}" for ours, theirs in modules.items() for kind in ("weight", "bias")}


def _transformers() -> ModuleType:
    try:
        import transformers
    except ImportError:
        raise InputError("transformers is not installed; pip install 'headproof[hf]'") from None
    return transformers
