"""An attention layer between an embedding and an unembedding of tokens, at the temperature that its margin calls for.

At most 1/8 of the attention is lost in exact arithmetic and less than 1/2 with the rounding of the dtype, and every
head here decodes while less than 1/2 is lost (theory.rope.softmax.attention_loss). So the temperature is never tuned,
and a dtype that cannot carry the requested length is refused.
"""

from collections.abc import Hashable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Generic, TypeVar

import sympy
import torch
from sympy import Matrix
from torch import Tensor

from constructions.rope_head import RopeHead, format_of, to_tensor
from constructions.vocabulary import Vocabulary
from theory.errors import InputError
from theory.rope.head import Head
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


class TokenHead(RopeHead, Generic[T]):
    """One layer on tokens.

    Args:
        vocabulary: the token types.
        head: the attention maps over the embedding.
        guarantee: how much attention its worst input loses.
        length: the longest input that is to be decoded.
        best: the guarantee at the best angle of each length, where the angle was not asked for.
        residual: W_R, d x d; None for 0.
        embedding, unembedding: d x V and V x d; None for the identity.
        beta: an inverse temperature in place of the one that the guarantee calls for; then nothing is guaranteed.
        hard: average hard attention in place of softmax; then nothing is guaranteed either.
        dtype: of weights, states and arithmetic.

    Raises InputError if the dtype cannot carry the length.
    """

    W_E: Tensor
    W_U: Tensor

    def __init__(
        self,
        vocabulary: Vocabulary[T],
        head: Head,
        guarantee: Guarantee,
        *,
        length: int,
        best: Guarantee | None = None,
        residual: Matrix | None = None,
        embedding: Matrix | None = None,
        unembedding: Matrix | None = None,
        beta: float | None = None,
        hard: bool = False,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        free = hard or beta is not None
        self._proved = None if free else temperature(guarantee, length, dtype, best)
        self.guarantee = guarantee
        scale = beta if self._proved is None else float(self._proved)
        super().__init__(head, residual, beta=None if hard else scale, dtype=dtype)
        self.vocabulary = vocabulary
        one = sympy.eye(len(vocabulary))
        self.register_buffer("W_E", to_tensor(one if embedding is None else embedding, dtype))
        self.register_buffer("W_U", to_tensor(one if unembedding is None else unembedding, dtype))

    @cached_property
    def guaranteed_length(self) -> int:
        """The longest input that is certainly decoded at this temperature in this dtype; 0 if nothing is guaranteed."""
        return 0 if self._proved is None else self.guarantee.length_at(self._proved, format_of(self.dtype))

    def embed(self, ids: Tensor) -> Tensor:
        """Token numbers (..., n) to states (..., n, d). Raises InputError beyond the guaranteed length."""
        length = ids.shape[-1]
        if self._proved is not None and length > self.guaranteed_length:
            raise InputError(
                f"an input of {length} tokens is longer than the {self.guaranteed_length} that this temperature is "
                f"guaranteed for; build for length={length}"
            )
        return self.W_E.T[ids]

    def outputs(self, ids: Tensor) -> Tensor:
        """Token numbers (..., n) to the output coordinates of all token types, (..., n, V)."""
        return self(self.embed(ids)) @ self.W_U.T

    def ids(self, tokens: Sequence[T]) -> Tensor:
        """The numbers of tokens, shape (n,). Raises InputError for a token that is not in the vocabulary."""
        return torch.tensor(self.vocabulary.encode(tokens))

    def attention(self, tokens: Sequence[T]) -> Tensor:
        """The attention weights, n x n."""
        return self.weights(self.embed(self.ids(tokens)))

    def decode(self, tokens: Sequence[T]) -> tuple[T, ...]:
        """The token at each position after the layer."""
        return self.vocabulary.decode(self.outputs(self.ids(tokens)).argmax(-1).tolist())
