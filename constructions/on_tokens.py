"""Modules on tokens, at the temperature that their margin calls for.

At most 1/8 of the attention is lost in exact arithmetic and less than 1/2 with the rounding of the dtype, and every
head here decodes while less than 1/2 is lost (theory.rope.softmax.attention_loss). So the temperature is never tuned,
and a dtype that cannot carry the requested length is refused.
"""

from collections.abc import Hashable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Generic, TypeVar

import torch
from torch import Tensor, nn

from constructions.rope_head import format_of
from constructions.vocabulary import Vocabulary
from theory.errors import InputError
from theory.rope.softmax.attention_loss import Guarantee

T = TypeVar("T", bound=Hashable)


def temperature(guarantee: Guarantee, length: int, dtype: torch.dtype, best: Guarantee | None = None) -> Fraction:
    """The inverse temperature for inputs of up to `length` tokens.

    Raises InputError if the dtype cannot carry them, with the longest length that it can carry: under `best` if that is
    given, because the angle is free.
    """
    if length < 1:
        raise InputError(f"length={length} is no length: an input has at least one token; give length >= 1")
    form = format_of(dtype)
    beta = guarantee.inverse_temperature(length)
    if not guarantee.holds(length, beta, form):
        longest = (best or guarantee).longest(form)
        remedy = f"give length <= {longest} or a wider dtype" if longest else "use a wider dtype"
        raise InputError(
            f"length={length} cannot be guaranteed in {form.name}: at inverse temperature {float(beta):.6g} rounding "
            f"may outweigh the margin; the longest length that can be guaranteed is {longest}: {remedy}"
        )
    return beta


class OnTokens(nn.Module, Generic[T]):
    """A module that reads tokens.

    Attributes:
        vocabulary: the token types.
        guarantee: how much attention its worst input loses.
        dtype: of weights, states and arithmetic.
        proved: the inverse temperature that the guarantee calls for; None if nothing is guaranteed.
        W_E: the embedding, d x V.
    """

    vocabulary: Vocabulary[T]
    guarantee: Guarantee
    dtype: torch.dtype
    proved: Fraction | None
    W_E: Tensor

    @cached_property
    def guaranteed_length(self) -> int:
        """The longest input that is certainly right at this temperature in this dtype; 0 if nothing is guaranteed."""
        return 0 if self.proved is None else self.guarantee.length_at(self.proved, format_of(self.dtype))

    def ids(self, tokens: Sequence[T]) -> Tensor:
        """The numbers of tokens, shape (n,). Raises InputError for a token that is not in the vocabulary."""
        return torch.tensor(self.vocabulary.encode(tokens))

    def embed(self, ids: Tensor) -> Tensor:
        """Token numbers (..., n) to states (..., n, d). Raises InputError beyond the guaranteed length."""
        length = ids.shape[-1]
        if self.proved is not None and length > self.guaranteed_length:
            raise InputError(
                f"an input of {length} tokens is longer than the {self.guaranteed_length} that this temperature is "
                f"guaranteed for; build for length={length}"
            )
        return self.W_E.T[ids]
