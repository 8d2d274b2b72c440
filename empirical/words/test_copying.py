"""The copy task, and what a change of one letter does to a language model on constant strings."""

from __future__ import annotations

from math import log

import pytest
import torch
from torch import Tensor

from constructions.compact.decoder import CompactConfig, CompactDecoder
from empirical.words.constants import changes, perplexity, places, spread
from empirical.words.copying import END, CopyPlan, accuracy, answer, compare, learn_copying, prompted
from theory.errors import InputError

SMALL = CompactConfig(letters=3, width=8, layers=1, heads=2, mlp_width=12)


def decoder(seed: int) -> CompactDecoder:
    torch.manual_seed(seed)
    model = CompactDecoder(SMALL).double().eval()
    for weight in model.parameters():
        torch.nn.init.normal_(weight, std=1.0)
    return model


def slowly(model: CompactDecoder, bits: Tensor) -> tuple[list[int], list[list[float]]]:
    """The answer letter by letter, and the distribution of each."""
    read, outputs, seen = [*bits.tolist(), END], list[int](), list[list[float]]()
    for _ in bits:
        seen.append(model.next_letter(torch.tensor([read]))[0].tolist())
        outputs.append(seen[-1].index(max(seen[-1])))
        read.append(outputs[-1])
    return outputs, seen


@pytest.mark.parametrize("seed", range(6))
def test_answers_letter_by_letter(seed: int) -> None:
    model = decoder(seed)
    bits = torch.randint(2, (9,), generator=torch.Generator().manual_seed(seed))
    outputs, seen = slowly(model, bits)
    found = answer(model, bits)
    assert found.outputs.tolist() == outputs
    assert found.distributions.flatten().tolist() == pytest.approx([p for row in seen for p in row])


@pytest.mark.parametrize("flipped", [1, 4, 7])
@torch.no_grad()
def test_comparison(flipped: int) -> None:
    model, zeros = decoder(3), torch.zeros(7, dtype=torch.int64)
    other = zeros.clone()
    other[flipped - 1] = 1
    found = compare(model, 7, flipped)
    for bits, pplx, copied in ((zeros, found.alpha, found.alpha_copied), (other, found.beta, found.beta_copied)):
        outputs, seen = slowly(model, bits)
        own = [row[letter] for row, letter in zip(seen, bits.tolist(), strict=True)]
        assert pplx == pytest.approx(-sum(map(log, own)) / 7)
        assert copied == (outputs == bits.tolist())
    ends = [prompted(bits[None], zeros[None, :k]) for k in range(7) for bits in (zeros, other)]
    pairs = [(model.next_letter(a)[0], model.next_letter(b)[0]) for a, b in zip(ends[::2], ends[1::2], strict=True)]
    assert found.gap == pytest.approx(max(float((p - q).abs().max()) for p, q in pairs))
    spans = [(p.log() - q.log()) for p, q in pairs]
    assert found.zeta == pytest.approx(max(float(x.max() - x.min()) for x in spans))


def test_a_few_steps_are_repeatable_and_lower_the_loss() -> None:
    plan = CopyPlan(model=SMALL, bits=1, batch=16, steps=100, rate=1e-2)
    (model, loss), (_, same) = learn_copying(plan), learn_copying(plan)
    assert loss == same < 0.69
    assert 0.5 < accuracy(model, 1, 50, 0) <= 1


@pytest.mark.parametrize(
    "change", [{"model": CompactConfig(letters=2, width=8, layers=1, heads=1, mlp_width=8)}, {"bits": 0}]
)
def test_plans_that_are_none(change: dict[str, object]) -> None:
    with pytest.raises(InputError):
        CopyPlan(**change)  # type: ignore[arg-type]


@pytest.mark.parametrize("fronted", [False, True])
@torch.no_grad()
def test_constant_strings(fronted: bool) -> None:
    model = decoder(5)
    found = list(changes(model, "x", 0, 2, 20, 1 if fronted else None))
    assert [at.place for at in found] == places(20) and places(20)[-1] < 20
    first = [1] if fronted else []
    for at in found:
        string = [0] * 20
        plain = model.next_letter(torch.tensor([first + string]))[0]
        string[at.place - 1] = 2
        moved = model.next_letter(torch.tensor([first + string]))[0]
        assert at.fronted == fronted and at.gap == pytest.approx(float((moved - plain).abs().max()))
        chances = [model.next_letter(torch.tensor([first + string[:n]]))[0, string[n]].log() for n in range(1, 20)]
        assert at.changed == pytest.approx(-float(sum(chances)) / 19)
    assert spread(model, 0, 40) < 1e-9  # positions are only scored
    assert perplexity(torch.full((3, 2), 0.5).log(), torch.tensor([0, 1, 1])) == pytest.approx(log(2))
