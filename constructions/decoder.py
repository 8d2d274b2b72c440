"""The number task and the letter task solved by ordinary decoders with hand-written weights.

Token embedding, then layers of softmax attention and a block of ReLUs on a residual stream, then an unembedding:
nothing is decoded between layers. The stream has two slots of width d. Attention reads the token slot and adds what it
finds to the second slot; the block (theory.rope.tasks.snap) turns both into one token again and clears the second. One
layer takes one hop, and its weights are the same at every depth. Source: arXiv 2605.31558, Sec. 3.2;
theory.rope.tasks.number_decoder and theory.rope.tasks.letter_decoder prove that it works.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import sympy
import torch
from sympy import Matrix
from torch import Tensor, nn

from constructions.on_tokens import OnTokens, T, temperature
from constructions.reference import Integer, Letter, Pair, Symbol
from constructions.relu_block import ReluBlock
from constructions.rope_head import RopeHead, to_tensor
from constructions.vocabulary import Vocabulary, number_vocabulary, pair_vocabulary
from theory.arithmetic.angle import Angle
from theory.errors import InputError
from theory.rope.head import Head
from theory.rope.index.head import index_embedding, index_head
from theory.rope.retrieval.repaired import r1_head
from theory.rope.softmax.attention_loss import Guarantee
from theory.rope.softmax.guarantees import index_angle, index_guarantee
from theory.rope.tasks.letter_margin import Margin

CACHED = 2**18  # numbers in a stream that a core's cache can hold several times


class Layer(nn.Module):
    """Attention and block, each added to the residual stream (..., n, 2d)."""

    def __init__(self, head: RopeHead, block: ReluBlock) -> None:
        super().__init__()
        self.head, self.block = head, block

    def forward(self, stream: Tensor) -> Tensor:
        token, _ = stream.chunk(2, dim=-1)
        stream = stream + torch.cat((torch.zeros_like(token), self.head.attend(token)), dim=-1)
        return stream + self.block(stream)


@dataclass(frozen=True)
class Trace:
    """What happens inside: the streams after 0, 1, ... layers, n x 2d each, and the attention weights, n x n each."""

    streams: tuple[Tensor, ...]
    attention: tuple[Tensor, ...]


class Decoder(OnTokens[T]):
    """A decoder of `depth` equal layers.

    Args:
        vocabulary: the token types.
        head: the attention maps over the token slot.
        terminal: for each token type, whether walks end there.
        guarantee: how much attention a layer loses on the worst input that it is meant for.
        length: the longest input.
        depth: the number of layers, and of hops.
        best: the guarantee at the best angle of each length, where the angle was not asked for.
        embedding: d x V; None for the identity.
        dtype: of weights, states and arithmetic.

    Raises InputError if the dtype cannot carry the length.
    """

    proved: Fraction
    W_U: Tensor

    def __init__(
        self,
        vocabulary: Vocabulary[T],
        head: Head,
        terminal: Sequence[bool],
        guarantee: Guarantee,
        *,
        length: int,
        depth: int,
        best: Guarantee | None = None,
        embedding: Matrix | None = None,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        if depth < 1:
            raise InputError(f"depth={depth} takes no hop; give depth >= 1, the number of hops")
        self.proved = temperature(guarantee, length, dtype, best)
        self.guarantee, self.vocabulary, self.dtype = guarantee, vocabulary, dtype
        layer = Layer(RopeHead(head, beta=float(self.proved), dtype=dtype), ReluBlock(terminal, dtype))
        self.layers = nn.ModuleList([layer] * depth)
        embed = to_tensor(sympy.eye(len(vocabulary)) if embedding is None else embedding, dtype)
        self.register_buffer("W_E", torch.cat((embed, torch.zeros_like(embed))))
        self.register_buffer("W_U", torch.eye(len(vocabulary), 2 * len(embed), dtype=dtype))

    @property
    def beta(self) -> float:
        """The inverse temperature of all layers."""
        return float(self.proved)

    def run(self, ids: Tensor) -> Tensor:
        """Token numbers (..., n) to the stream after the last layer, (..., n, 2d)."""
        stream = self.embed(ids)
        for layer in self.layers:
            stream = layer(stream)
        return stream

    def forward(self, ids: Tensor) -> Tensor:
        """Token numbers (..., n) to the coordinates of all token types at each position, (..., n, V)."""
        return self.run(ids) @ self.W_U.T

    def answers(self, ids: Tensor) -> Tensor:
        """Token numbers (inputs, n) to the numbers of the answers, (inputs,)."""
        batch = max(1, CACHED // (ids.shape[-1] * len(self.W_E)))
        last = [self.run(part)[:, -1] for part in ids.split(batch)]
        return (torch.cat(last) @ self.W_U.T).argmax(-1)

    def answer(self, tokens: Sequence[T]) -> T:
        """The token that the last position holds after the last layer."""
        return self.vocabulary.tokens[int(self.answers(self.ids(tokens)[None]))]

    def trace(self, tokens: Sequence[T]) -> Trace:
        """The streams and the attention weights on one input."""
        streams, attention = [self.embed(self.ids(tokens))], list[Tensor]()
        for layer in self.layers:
            assert isinstance(layer, Layer)
            attention.append(layer.head.weights(streams[-1].chunk(2, dim=-1)[0]))
            streams.append(layer(streams[-1]))
        return Trace(tuple(streams), tuple(attention))

    def held(self, stream: Tensor) -> tuple[T | None, ...]:
        """The token that each position of a stream n x 2d holds exactly; None where it holds none exactly."""
        rows = stream @ self.W_U.T
        exact = ((rows == 0) | (rows == 1)).all(-1) & (rows.sum(-1) == 1)
        best = rows.argmax(-1).tolist()
        return tuple(self.vocabulary.tokens[b] if e else None for b, e in zip(best, exact.tolist(), strict=True))


def number_decoder(
    letters: int,
    integers: int,
    length: int,
    depth: int,
    angle: Angle | None = None,
    *,
    dtype: torch.dtype = torch.float64,
) -> Decoder[Symbol]:
    """A decoder that solves the number task on every input of up to `length` tokens whose walk takes 1 to `depth` hops.

    The angle is 2 pi/length by default, radians. Integers off the walk may point anywhere. On a longer walk the answer
    is the last token itself, an integer. Raises InputError as Decoder.
    """
    vocabulary, free = number_vocabulary(letters, integers), angle is None
    angle = angle or index_angle(length)
    return Decoder(
        vocabulary,
        index_head(letters, integers, angle.expr, alpha=1),
        [isinstance(token, Letter) for token in vocabulary.tokens],
        replace(index_guarantee(angle), layers=True),
        length=length,
        depth=depth,
        best=replace(index_guarantee(), layers=True) if free else None,
        embedding=index_embedding(letters, integers),
        dtype=dtype,
    )


def letter_decoder(
    letters: int, integers: int, length: int, depth: int, *, dtype: torch.dtype = torch.float64
) -> Decoder[Pair]:
    """A decoder that solves the letter task on every input of up to `length` tokens that meets the path condition.

    That is: the walk takes at most `depth` hops, each to an earlier token, and each letter that it wants is the left
    letter of one token type in the whole input. Other positions may want letters that are missing or ambiguous. It is
    also right at every position of sequences that are strongly proper, or proper and in task format. Raises InputError
    as Decoder.
    """
    vocabulary = pair_vocabulary(letters, integers)
    return Decoder(
        vocabulary,
        r1_head(letters, integers),
        [isinstance(token.right, Integer) for token in vocabulary.tokens],
        Margin().guarantee(letters),
        length=length,
        depth=depth,
        dtype=dtype,
    )
