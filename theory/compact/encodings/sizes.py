"""Numbers of a configuration that no model can have, whether the verdict depends on them or not."""

from __future__ import annotations

from collections.abc import Iterable

from theory.errors import InputError
from theory.rope.models.fields import Fields
from theory.rope.models.settings import WIDEST

BASES = ("rope_theta", "rotary_emb_base", "rope_local_base_freq")
PARTS = ("partial_rotary_factor", "rotary_pct", "rope_pct")
HEADS, HIDDEN = ("num_attention_heads", "n_head", "n_heads"), ("hidden_size", "n_embd", "d_model")
LIMITS = {  # a thousand times what published models have, but for the width of a head, which RoPE sets
    **dict.fromkeys(("head_dim", "rotary_dim", "qk_rope_head_dim"), WIDEST),
    **dict.fromkeys((*HEADS, "num_hidden_layers", "n_layer", "n_layers"), 10**5),
    **dict.fromkeys(HIDDEN, 10**7),
    **dict.fromkeys(("max_position_embeddings", "n_positions", "max_seq_len", "sliding_window"), 10**12),
    "vocab_size": 10**9,
}


def check_sizes(fields: Fields, tables: Iterable[Fields]) -> None:
    """Raise InputError, in one line, for a base of RoPE, a part or a size that is no number or is impossible."""
    for table in (fields, *tables):
        for name in BASES:
            if (base := table.number(name)) is not None and base <= 1:
                raise InputError(
                    f"base {name} = {float(base):g} is not above 1, so no plane is slower; give e.g. 10000"
                )
        for name in PARTS:
            if (part := table.number(name)) is not None and part > 1:
                raise InputError(
                    f"{name} = {float(part):g} is above 1; give the rotated part of the head, such as 0.25"
                )
    for name, most in LIMITS.items():
        if (size := fields.integer(name)) is not None and size > most:
            raise InputError(f"{name} = {size} is above {most}, which no model has; give the model's own")
    hidden, heads = fields.integer(*HIDDEN), fields.integer(*HEADS)
    width = next(filter(None, (fields.integer(name) for name in ("qk_rope_head_dim", "head_dim"))), None)
    if width is None and hidden is not None and heads is not None and not 1 <= hidden // heads <= WIDEST:
        raise InputError(
            f"hidden_size = {hidden} of {heads} heads gives each a width that is not between 1 and {WIDEST}; correct "
            "them, or add head_dim"
        )
    rotated = fields.integer("qk_rope_head_dim") or fields.integer("rotary_dim")
    if rotated is not None and rotated % 2:
        raise InputError(f"rotary width {rotated} is odd, but a plane is a pair of coordinates; give an even number")
