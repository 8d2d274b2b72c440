"""Claims about compact position data, on the decoders trained on words that come with the package."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from fractions import Fraction
from math import exp
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from constructions.compact.decoder import CompactDecoder
from empirical import checkpoints
from empirical.words.catalogue import informative, letters, undetermined
from empirical.words.copying import compare, prompted
from empirical.words.counted import Counted, flagged
from empirical.words.files import load
from empirical.words.margins import LEARNED, START, margins, probabilities
from empirical.words.plan import Plan
from empirical.words.precision import collapse
from theory.compact.copy_task.perplexity_numbers import copy_perplexity_bound
from theory.evidence import Case, Trained
from theory.ledger import Submissions
from theory.outcome import Outcome

FOLDER = Path(checkpoints.__file__).parent / "words"
UNIT = 2.0**-53


def trained(name: str) -> tuple[CompactDecoder, Any, dict[str, Any]]:
    """A decoder in float64, the part of the card that says what it was trained on, and how evidence names it."""
    model, card = load(FOLDER / f"{name}.json")
    (work,) = (card[part] for part in ("pairs", "scaling", "copying") if part in card)
    return model.double(), work, {"checkpoint": card["sha256"], "seeds": (work["plan"]["seed"],)}


def counted(name: str) -> tuple[Counted, dict[str, Any]]:
    model, work, weights = trained(name)
    plan = Plan(work["plan"]["entry"], tuple(work["plan"]["words"]), model.config, flags=True)
    return Counted(plan, model), weights


def test_cards() -> None:
    names = sorted(path.stem for path in FOLDER.glob("*.json"))
    assert names == ["copy", "log-below", "log-beyond", "periods", "powers"]
    for name in names:
        model, card = load(FOLDER / f"{name}.json")
        assert card["command"].startswith("python -m empirical words")
        assert (FOLDER / card["weights"]).stat().st_size < 3e5
        assert sum(weight.numel() for weight in model.parameters()) * 4 <= card["bytes"]


def test_constant_words_and_powers_of_two(ledger: Submissions) -> None:
    """A decoder with RoPE that learned 0^w and chi up to n = 128: T(0^n) is the same for all n; chi is lost."""
    model, work, weights = trained("powers")
    assert model.config.encoding == "rope" and work["plan"]["words"] == ["0", "chi"]
    words = letters(("0", "chi"), 1025)
    found = probabilities(model, words[:, :-1])
    right = margins(model, words)
    told = informative(words).any(0)

    def same() -> Iterator[Case]:
        """A mean of n equal values is off by n UNIT, and a norm magnifies that 1/sqrt(epsilon) = 316 times at most."""
        for n in range(1, 257):
            moved = float((found[0, n - 1] - found[0, 0]).abs().max())
            yield ("0^n", n), Outcome.of(moved <= n * UNIT * 1e3)

    def lost() -> Iterator[Case]:
        """At each flagged length from 255 on one of the two words is predicted wrongly; 1 and 11 are one to it."""
        for n in (told.nonzero()[:, 0] + 1).tolist():
            if n >= 255:
                yield ("flagged", n), Outcome.of(float(right[:, n - 1].min()) < 0)
        yield ("1 and 11", 2), Outcome.of(float(right[1, :2].sum().abs()) < 1e-9)

    ledger.submit("score-only-obstruction", Trained("RoPE, T(0^n) at n <= 256", same(), **weights))
    ledger.submit("score-only-obstruction", Trained("RoPE, powers of two up to 1024", lost(), **weights))
    upto = told & (torch.arange(1, 1025) >= START) & (torch.arange(1, 1025) <= work["plan"]["length"])
    assert float(right[:, upto].min()) > LEARNED  # both were learned as far as the training went


def test_below_the_threshold_one_word_is_lost(ledger: Submissions) -> None:
    """Logits within 0.5 ln n: from some flagged length on, the decoder goes on with 0 after chi as after 0^w."""
    decoder, weights = counted("log-below")
    lengths = flagged(decoder.beta, 200)
    assert max(decoder.exponents(lengths[-1])) <= 0.5
    found = [decoder.at(n) for n in lengths]
    assert all(min(at.zeros, at.ones) > LEARNED for at in found if at.length < 128)

    def collapses() -> Iterator[Case]:
        for at in found:
            if at.length > 2**20:
                yield ("2^", at.length.bit_length()), Outcome.of(at.zeros > 0 > at.ones)

    ledger.submit("isolation", Trained("one layer with flags, logits 0.5 ln n", collapses(), **weights))
    ledger.submit("log-scaling-threshold", Trained("c = 0.5, the powers of two are lost", collapses(), **weights))


def test_beyond_the_threshold_both_words_are_kept(ledger: Submissions) -> None:
    """Logits within 1.5 ln n, on the same words with the same training: no flagged length up to 2^200 is lost."""
    decoder, weights = counted("log-beyond")
    lengths = flagged(decoder.beta, 200)
    assert max(decoder.exponents(lengths[-1])) > 1

    def kept() -> Iterator[Case]:
        for n in lengths:
            at = decoder.at(n)
            yield ("2^", n.bit_length()), Outcome.of(min(at.zeros, at.ones) > LEARNED)

    ledger.submit("log-scaling-threshold", Trained("c > 1, both words up to 2^200", kept(), **weights))


def test_separated_words_are_learned_together(ledger: Submissions) -> None:
    """0^w and per_1 .. per_6 in one decoder with flags, far beyond the length of its training."""
    model, work, weights = trained("periods")
    words = letters(work["plan"]["words"], 1025)
    found = margins(model, words)
    known = ~undetermined(words)

    def learned() -> Iterator[Case]:
        for n in range(START, 1025):
            yield n, Outcome.of(float(found[known[:, n - 1], n - 1].min()) >= LEARNED)

    name = "flags, 0^w and six periods up to n = 1024"
    ledger.submit("joint-learnability", Trained(name, learned(), **weights))


LENGTHS = (32, 64, 128, 192)


def test_a_flipped_bit_is_not_copied(ledger: Submissions) -> None:
    """Beyond its training of 16 bits: 0^N is written after 0^N with a bit flipped, and perplexity hardly tells."""
    model, _, weights = trained("copy")
    found = [compare(model, length, place) for length in LENGTHS for place in (1, length // 2, length)]

    def perplexities() -> Iterator[Case]:
        for at in found:
            margin, close = Fraction(at.least_right) - Fraction(1, 2), Fraction(at.gap)
            if close > margin:
                continue
            bound = copy_perplexity_bound(at.length, margin, close, Fraction(at.least))
            # Each logarithm is off by some ulps of ln p_min at most, as is their mean.
            slack = 64 * UNIT * at.length
            inside = bound.value >= Fraction(abs(at.alpha - at.beta) - slack)
            yield (at.length, at.flipped), Outcome.every((inside, Outcome.of(at.answered_alpha)))

    def steps() -> Iterator[Case]:
        for at in found:
            zeros = torch.zeros(at.length, dtype=torch.int64)
            other = zeros.clone()
            other[at.flipped - 1] = 1
            p, q = (
                probabilities(model, prompted(bits[None], zeros[None])[:, :-1])[0, -at.length :]
                for bits in (zeros, other)
            )
            change = p.log() - q.log()
            spread = change.amax(-1) - change.amin(-1)
            wrong, bound = (1 - q[:, 0]).tolist(), ((1 - p[:, 0]) * spread.exp()).tolist()
            for k, (left, right) in enumerate(zip(wrong, bound, strict=True), 1):
                # 1 - p is off by a unit of 1, and is magnified as the bound is.
                allowance = 4 * UNIT * (1 + exp(float(spread[k - 1])))
                yield (at.length, at.flipped, k), Outcome.of(left <= right + allowance)

    ledger.submit("copy-task-perplexity", Trained("RoPE, trained on 16 bits, 32 to 192", perplexities(), **weights))
    ledger.submit("copy-task-sampling", Trained("odds at each step of the answer", steps(), **weights))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_computed_outputs_are_within_their_errors(dtype: torch.dtype, ledger: Submissions) -> None:
    model, _, weights = trained("copy")
    models = {kind: copy.deepcopy(model).to(kind) for kind in (torch.float64, dtype)}

    @torch.no_grad()
    def outputs(words: Tensor, kind: torch.dtype) -> Tensor:
        return models[kind](words)[:, -1].softmax(-1)

    def cases() -> Iterator[Case]:
        for length in (16, 32, 64, 128):
            bits = torch.zeros(2, length, dtype=torch.int64)
            bits[1, 0] = 1
            first, second = prompted(bits, bits[:, :0])
            at = collapse(outputs, first, second, dtype)
            yield length, Outcome.of(at.computed <= at.gap + 2 * at.error + 4 * UNIT)

    name = f"{str(dtype).removeprefix('torch.')}, prompts of the copy task with the first bit flipped"
    ledger.submit("finite-precision-collapse", Trained(name, cases(), **weights))
