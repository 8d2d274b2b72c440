"""Detectors that tell 0^w from the powers of two, each of which breaks one hypothesis of continuity, or none.

All but two give letter 1 the probability sigma(4 p + 2 a - 4.5) of theory.compact.isolation.detector, p a flag of the
position, and differ in how the feature a in [0, 1] is found. If a = 0 on 0^w and a >= 1/2 on the powers of two, both
are learned. Source: derived here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import log

import torch
from torch import Tensor
from torch.nn.functional import layer_norm

from constructions.compact.word_decoder import (
    Attention,
    Head,
    Layer,
    MarkedHead,
    Value,
    WordDecoder,
    averaging,
    softmax,
    two_letters,
)
from theory.compact.isolation.detector import FLAG, GAIN, OFFSET
from theory.errors import InputError


def ones(word: Tensor, positions: Tensor) -> Tensor:
    """The embedding 1[w_j = 1]."""
    return (word == 1).double()


def powers(positions: Tensor) -> Tensor:
    """1 at 1, 2, 4, 8, ..., 0 elsewhere."""
    return ((positions & (positions - 1)) == 0).double()


def squares(positions: Tensor) -> Tensor:
    """1 at 1, 4, 9, 16, ..., 0 elsewhere."""
    roots = positions.double().sqrt().round()
    return (roots * roots == positions).double()


def multiples(positions: Tensor, *, of: int) -> Tensor:
    """1 at the multiples of a number, 0 elsewhere."""
    return (positions % of == 0).double()


def readout(a: Tensor, lengths: Tensor, flags: Callable[[Tensor], Tensor] = powers) -> Tensor:
    """The common head of detectors, (m, 2): a length is flagged where the position after it is."""
    return two_letters(torch.sigmoid(FLAG * flags(lengths + 1) + GAIN * a - float(OFFSET)))


def itself(x: Tensor, positions: Tensor) -> Tensor:
    """Values that are the states."""
    return x


def within(lag: Tensor, window: int | Tensor) -> Tensor:
    """Logits 0 at lags below the window, -inf at others."""
    return torch.zeros_like(lag, dtype=torch.float64).masked_fill(lag >= window, -torch.inf)


def gathered(x: Tensor, a: Tensor, lengths: Tensor) -> Tensor:
    """The new state is what the head gathered: no residual."""
    return a


def detector(attention: Attention, update: Callable[..., Tensor] = gathered, output: Value = readout) -> WordDecoder:
    """One head on 1[w_j = 1], an update and the common head."""
    return WordDecoder(ones, (Layer((attention,), update),), output)


def bounded(delta: float, flags: Callable[[Tensor], Tensor] = powers) -> WordDecoder:
    """Logit delta on ones, value 1 on ones: everything is compact, and one of the two words is lost at last."""
    attention = MarkedHead(lambda i: torch.tensor(delta, dtype=torch.float64), itself, itself)
    return detector(attention, output=partial(readout, flags=flags))


def content_times_log(c: float = 1.0, flags: Callable[[Tensor], Tensor] = powers) -> WordDecoder:
    """E1: logits c ln(i) 1[w_j = 1] of query i grow with the length."""
    attention = MarkedHead(lambda i: c * i.double().log(), itself, itself)
    return detector(attention, output=partial(readout, flags=flags))


def first_times_log() -> WordDecoder:
    """E2: a logit ln(i) on the first token grows with the length."""
    return detector(Head(lambda x, y, i, j: (j == 1) * i.double().log(), itself))


def growing_with_lag(slope: float = log(2)) -> WordDecoder:
    """E2b: logits slope (i - j): the kernel increases in the lag."""
    return detector(Head(lambda x, y, i, j: slope * (i - j).double(), itself))


def unbounded_readout() -> WordDecoder:
    """E3: the update multiplies by the length: position data of the update grow."""
    return detector(averaging(itself), lambda x, a, i: (i * a).clamp(max=1))


def _centred(x: Tensor, j: Tensor) -> Tensor:
    return x - 0.5 * (j == 1)


def unguarded_norm(epsilon: float = 0.0) -> WordDecoder:
    """E4: a layer norm of (y, -y) without epsilon is a step at y = 0; with one, it is continuous and nothing evades."""

    def update(x: Tensor, y: Tensor, i: Tensor) -> Tensor:
        # The norm of torch takes epsilon = 0; y is (k - 1/2)/n and never 0.
        return (layer_norm(torch.stack((y, -y), dim=-1), (2,), eps=epsilon)[:, 0] + 1) / 2

    return detector(averaging(_centred), update)


def vanishing_margin() -> WordDecoder:
    """E5: compact throughout: z = 4 (p - 1) + (k - 1/2)/n is right on both words, by a margin that tends to 0."""
    return detector(averaging(_centred), output=lambda y, i: two_letters(torch.sigmoid(FLAG * (powers(i + 1) - 1) + y)))


def hardmax(logits: Tensor) -> Tensor:
    """Equal weights on the largest logits of each row."""
    largest = (logits == logits.amax(-1, keepdim=True)).double()
    return largest / largest.sum(-1, keepdim=True)


def hard_attention() -> WordDecoder:
    """E6: the softmax is replaced by average hard attention on ones."""
    return detector(Head(lambda x, y, i, j: y, itself, hardmax))


def expert_routing() -> WordDecoder:
    """E7: the update sends y to one of two experts, that say 1 and 0, by the larger of (y, -y)."""
    return detector(averaging(_centred), lambda x, y, i: (torch.stack((y, -y)).argmax(0) == 0).double())


def key_selection(keys: int = 4) -> WordDecoder:
    """E8: only the keys of largest score 1[w_j = 1], the earlier first, enter a softmax of ln(keys) times the score."""

    def weigh(scores: Tensor) -> Tensor:
        order = scores.argsort(dim=-1, descending=True, stable=True)[:, :keys]
        kept = torch.full_like(scores, -torch.inf).scatter(-1, order, scores.gather(-1, order))
        return softmax(log(keys) * kept)

    return detector(Head(lambda x, y, i, j: y, itself, weigh))


def sink_and_window(window: int = 8, boost: float | None = None) -> WordDecoder:
    """E9: a window beside the first token, which every query sees with weight 1/2: logit ln(window) or `boost`."""
    logit = log(window) if boost is None else boost

    def score(x: Tensor, y: Tensor, i: Tensor, j: Tensor) -> Tensor:
        return torch.where(j == 1, logit * (j == 1).double(), within(i - j, window))

    return detector(Head(score, itself))


def counted_positions(delta: float = 3.0) -> WordDecoder:
    """E10: position data count the letters 2 in (j, i], logit delta if there is one; T(0) is the weight of letters 0.

    No joint learner, but no continuity: one changed letter moves half of the weight.
    """

    def embed(word: Tensor, positions: Tensor) -> Tensor:
        return torch.stack((word == 0, (word == 2).cumsum(0)), dim=-1).double()

    return WordDecoder(
        embed,
        (Layer((Head(lambda x, y, i, j: delta * (x[..., 1] > y[..., 1]).double(), lambda x, j: x[:, 0]),), gathered),),
        lambda a, i: torch.stack((a, (1 - a) / 2, (1 - a) / 2), dim=-1),
    )


# By the names of theory.compact.evasions, which says what each breaks. E5 and E10 are no joint learners.
EVASIONS: dict[str, Callable[[], WordDecoder]] = {
    "E1": content_times_log,
    "E2": first_times_log,
    "E2b": growing_with_lag,
    "E3": unbounded_readout,
    "E4": unguarded_norm,
    "E5": vanishing_margin,
    "E6": hard_attention,
    "E7": expert_routing,
    "E8": key_selection,
    "E9": sink_and_window,
    "E10": counted_positions,
}


def evasion(name: str) -> WordDecoder:
    """A detector by its name. Raises InputError for a name that is not there."""
    if name not in EVASIONS:
        raise InputError(f"{name!r} is no detector; give one of {', '.join(EVASIONS)}")
    return EVASIONS[name]()
