"""An attention layer between an embedding and an unembedding of tokens."""

from collections.abc import Sequence

import sympy
import torch
from sympy import Matrix
from torch import Tensor

from constructions.on_tokens import OnTokens, T, temperature
from constructions.rope_head import RopeHead, to_tensor
from constructions.vocabulary import Vocabulary
from theory.rope.head import Head
from theory.rope.softmax.attention_loss import Guarantee


class TokenHead(RopeHead, OnTokens[T]):
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
        self.proved = None if free else temperature(guarantee, length, dtype, best)
        self.guarantee = guarantee
        scale = beta if self.proved is None else float(self.proved)
        super().__init__(head, residual, beta=None if hard else scale, dtype=dtype)
        self.vocabulary = vocabulary
        one = sympy.eye(len(vocabulary))
        self.register_buffer("W_E", to_tensor(one if embedding is None else embedding, dtype))
        self.register_buffer("W_U", to_tensor(one if unembedding is None else unembedding, dtype))

    def outputs(self, ids: Tensor) -> Tensor:
        """Token numbers (..., n) to the output coordinates of all token types, (..., n, V)."""
        return self(self.embed(ids)) @ self.W_U.T

    def attention(self, tokens: Sequence[T]) -> Tensor:
        """The attention weights, n x n."""
        return self.weights(self.embed(self.ids(tokens)))

    def decode(self, tokens: Sequence[T]) -> tuple[T, ...]:
        """The token at each position after the layer."""
        return self.vocabulary.decode(self.outputs(self.ids(tokens)).argmax(-1).tolist())
