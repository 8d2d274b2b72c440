"""Decoders that learn as many words as continuity allows: one word, finitely many apart, or all periodic ones.

Source: derived here; the notion of learning, a fixed margin on all long prefixes, is of arXiv 2505.10606.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from constructions.compact.detectors import gathered, itself, ones
from constructions.compact.word_decoder import Layer, WordDecoder, averaging, letters_of, two_letters
from theory.compact.words import Infinite
from theory.errors import InputError


def table(word: Tensor, letters: int, gain: float) -> WordDecoder:
    """No layers: the code of position i is the letter at i + 1 of one word, whatever the letters are.

    The table ends with the word; longer words raise InputError.
    """
    following = gain * one_hot(word[1:], letters).double()

    def embed(given: Tensor, i: Tensor) -> Tensor:
        _within(given, len(following))
        return following[i - 1]

    return WordDecoder(embed, (), lambda x, i: x.softmax(-1))


def _within(word: Tensor, length: int) -> None:
    if len(word) > length:
        raise InputError(f"the word has {len(word)} letters and the codes end at {length}; give them a longer table")


def _stacked(words: Sequence[Infinite], length: int) -> Tensor:
    if not words:
        raise InputError("there are no words to learn; give at least one")
    return torch.stack([letters_of(word, length + 1) for word in words])


def gate(agreement: Tensor, apart: float) -> Tensor:
    """max(0, f - 1 + d): open where a word is nearer than d."""
    return (agreement - 1 + apart).relu()


def joint(words: Sequence[Infinite], length: int, *, letters: int = 2, gain: float, apart: float) -> WordDecoder:
    """One layer of uniform attention that learns words pairwise more than `apart` = d apart, up to a length.

    Codes of position i are the letters at i and i + 1 of every word. The head finds f_k, the share of letters that
    agree with word k; word k then votes for its next letter with gain max(0, f_k - 1 + d).
    """
    known = _stacked(words, length)
    following = one_hot(known[:, 1:].T, letters).double()

    def embed(word: Tensor, i: Tensor) -> Tensor:
        _within(word, length)
        return (word[:, None] == known[:, i - 1].T).double()

    def output(f: Tensor, i: Tensor) -> Tensor:
        return torch.einsum("mk,mks->ms", gain * gate(f, apart), following[i - 1]).softmax(-1)

    return WordDecoder(embed, (Layer((averaging(itself),), gathered),), output)


def joint_relu(words: Sequence[Infinite], length: int, *, letters: int = 2, gain: float, apart: float) -> WordDecoder:
    """The same function with additive codes and ReLUs alone: matrices that no product of code and letter enters.

    The state is one_hot(w_j) + one_hot(alpha^k_j) + one_hot(alpha^k_{j+1}) in separate slots; a block of ReLUs counts
    the coordinates where the first two are both 1, and another one opens the gates.
    """
    known = _stacked(words, length)
    r = len(words)
    slots = letters * (1 + 2 * r)
    # Hidden unit (k, s): relu(one_hot(w)_s + one_hot(alpha^k)_s - 1), summed over s.
    unit = torch.eye(letters, dtype=torch.float64)
    matching = torch.zeros(r * letters, slots, dtype=torch.float64)
    counting = torch.zeros(r, r * letters, dtype=torch.float64)
    voting = torch.zeros(letters, r * letters, dtype=torch.float64)
    for k in range(r):
        rows = slice(k * letters, (k + 1) * letters)
        matching[rows, :letters] = unit
        matching[rows, letters * (1 + k) : letters * (2 + k)] = unit
        counting[k, rows] = 1
        voting[:, rows] = gain * unit

    def embed(word: Tensor, i: Tensor) -> Tensor:
        _within(word, length)
        now, then = (one_hot(known[:, at].T, letters).flatten(1) for at in (i - 1, i))
        # A table of tokens plus a table of positions: their slots are disjoint.
        return torch.cat((one_hot(word, letters), now, then), dim=-1).double()

    def value(x: Tensor, j: Tensor) -> Tensor:
        return (x @ matching.T - 1).relu() @ counting.T

    def update(x: Tensor, f: Tensor, i: Tensor) -> Tensor:
        return torch.cat((f @ counting, x[:, letters * (1 + r) :]), dim=-1)

    def output(x: Tensor, i: Tensor) -> Tensor:
        f, following = x.chunk(2, dim=-1)
        return ((f + following - 2 + apart).relu() @ voting.T).softmax(-1)

    return WordDecoder(embed, (Layer((averaging(value),), update),), output)


MOST_DIGITS = 24  # base 4 in the 53 bits of a float64, with room


def cantor_code(lengths: Tensor, periods: int) -> Tensor:
    """sum_m 4^-m 1[(m + 1) divides n + 1], m = 1..periods: one number in a compact set for each length n, (m,)."""
    m = torch.arange(1, periods + 1)
    return (((lengths[:, None] + 1) % (m + 1) == 0) * 4.0 ** -m.double()).sum(-1)


def cantor_digits(code: Tensor, periods: int) -> Tensor:
    """The flags (m, periods) of codes (m,): each digit is continuous on the set of codes."""
    m = torch.arange(1, periods + 1)
    return (code[:, None] * 4.0 ** m.double()).floor() % 4


def tent(f: Tensor, periods: int) -> Tensor:
    """max(0, 1 - |f - 1/(m + 1)|/r_m), m = 1..periods, r_m half the distance to 1/(m + 2); (m, periods)."""
    m = torch.arange(1, periods + 1, dtype=torch.float64)
    radius = (1 / (m + 1) - 1 / (m + 2)) / 2
    return (1 - (f[:, None] - 1 / (m + 1)).abs() / radius).relu()


def doubtful(periods: int = MOST_DIGITS) -> WordDecoder:
    """One layer of uniform attention that learns per_m for every m up to `periods`, each with a margin of its own.

    With f the share of ones so far and q_m flagging the multiples of m + 1, the logit of letter 1 is
    8 sum_m 2^-m (q_m - 1/2) tent_m(f). The position enters by `cantor_code`. Raises InputError for periods that the
    digits of a float64 do not tell apart.
    """
    if not 1 <= periods <= MOST_DIGITS:
        raise InputError(f"periods={periods} is outside 1, ..., {MOST_DIGITS}, the digits of a float64; give fewer")
    gains = 8 * 2.0 ** -torch.arange(1, periods + 1, dtype=torch.float64)

    def output(f: Tensor, lengths: Tensor) -> Tensor:
        flags = cantor_digits(cantor_code(lengths, periods), periods)
        return two_letters(torch.sigmoid((gains * (flags - 0.5) * tent(f, periods)).sum(-1)))

    return WordDecoder(ones, (Layer((averaging(itself),), gathered),), output)
