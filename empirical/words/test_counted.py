"""One-layer decoders by counting keys are the decoders themselves."""

from __future__ import annotations

import pytest
import torch

from constructions.compact.decoder import CompactConfig, CompactDecoder
from empirical.words.catalogue import letters, word
from empirical.words.counted import Counted, adjacent, flagged
from empirical.words.margins import margins, oscillations
from empirical.words.plan import Plan
from theory.errors import InputError

LONGEST = 300


def plan(other: str, **changes: object) -> Plan:
    sizes = {"letters": 2, "width": 8, "layers": 1, "heads": 2, "mlp_width": 12, "max_length": LONGEST} | changes
    return Plan("pair", ("0", other), CompactConfig(encoding="learned", **sizes), flags=True, steps=1)  # type: ignore[arg-type]


def decoder(chosen: Plan, seed: int) -> CompactDecoder:
    """Large random weights, with rows of the table that are alike where flags are."""
    model = chosen.decoder()
    torch.nn.utils.parametrize.remove_parametrizations(model.positions, "weight")
    torch.manual_seed(seed)
    for weight in model.layers[0].parameters():
        torch.nn.init.normal_(weight, std=0.7)
    return model.double()


@pytest.mark.parametrize("other", ["chi", "sq"])
@pytest.mark.parametrize(
    "changes", [{}, {"softcap": 0.5, "log_scaling": 1.5}, {"norm": "layer", "key_heads": 1, "output_temperature": 2.0}]
)
def test_against_the_forward_pass(other: str, changes: dict[str, object]) -> None:
    chosen = plan(other, **changes)
    model = decoder(chosen, 1)
    counted, words = Counted(chosen, model), letters(("0", other), LONGEST + 1)
    with torch.no_grad():
        found, ranges = margins(model, words), oscillations(model, words[:, :LONGEST])[0]
    lengths = flagged(word(other), 8)
    assert len(lengths) == (6 if other == "chi" else 14)
    for n in lengths:
        at = counted.at(n)
        # Each of n weights and products is rounded; two norms with epsilon 1e-5 lie behind the mean.
        assert abs(at.zeros - float(found[0, n - 1])) < n * 2**-53 * 1e5
        assert abs(at.ones - float(found[1, n - 1])) < n * 2**-53 * 1e5
        assert at.gap == pytest.approx(abs(at.zeros + at.ones) / 2, abs=1e-12)
        assert all(a >= b - 1e-12 for a, b in zip(counted.oscillations(n), ranges[:, n - 1].tolist(), strict=True))


@pytest.mark.parametrize("other", ["chi", "sq"])
def test_pairs_of_neighbours_are_counted(other: str) -> None:
    beta = word(other)
    for n in range(1, 200):
        pairs = [(beta.letter(i), beta.letter(i + 1)) for i in range(1, n + 1)]
        assert adjacent(beta, n) == {kind: pairs.count(kind) for kind in ((0, 0), (0, 1), (1, 0), (1, 1))}


@pytest.mark.parametrize("other", ["chi", "sq"])
def test_flagged_lengths(other: str) -> None:
    beta, lengths = word(other), flagged(word(other), 60)
    assert lengths == sorted(set(lengths)) and lengths[-1].bit_length() >= 60
    assert all(beta.letter(n) == 0 and beta.letter(n + 1) == 1 for n in lengths)
    few = [n for n in range(4, 2**12 + 1) if not beta.letter(n) and beta.letter(n + 1)]
    assert [n for n in lengths if n <= 2**12] == few


def test_a_copy_computes() -> None:
    chosen = plan("chi")
    model = decoder(chosen, 2).float()
    exact, rough = Counted(chosen, model), Counted(chosen, model, torch.float32)
    assert model.embedding.weight.dtype == torch.float32
    assert rough.outputs(2**40 - 1).dtype == torch.float32
    assert torch.allclose(exact.outputs(2**40 - 1).float(), rough.outputs(2**40 - 1), atol=1e-4)


def test_refusals() -> None:
    chosen = plan("chi")
    counted = Counted(chosen, decoder(chosen, 0))
    with pytest.raises(InputError, match="length 5 is not flagged"):
        counted.at(5)
    two = plan("chi", layers=2)
    with pytest.raises(InputError, match="cannot be counted"):
        Counted(two, two.decoder())
