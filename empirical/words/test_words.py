"""Words, margins and predictions against their definitions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from constructions.compact.decoder import CompactConfig, CompactDecoder
from empirical.words.catalogue import ENTRIES, informative, letters, undetermined, word
from empirical.words.learning import importance, learn
from empirical.words.margins import LEARNED, START, margins, measure, oscillations
from empirical.words.plan import Plan
from empirical.words.prediction import EXCLUDED, OPEN, POSSIBLE, distance, predict
from empirical.words.works import BINS, binned, edges
from theory.compact.words import hamming
from theory.errors import InputError

NAMES = ("0", "1+0", "chi", "sq", "per1", "per2", "per3", "per5")


def config(**changes: object) -> CompactConfig:
    sizes = {"letters": 2, "width": 8, "layers": 2, "heads": 2, "mlp_width": 12, "encoding": "rope"} | changes
    return CompactConfig(**sizes)  # type: ignore[arg-type]


def random_decoder(seed: int = 0, **changes: object) -> CompactDecoder:
    torch.manual_seed(seed)
    return CompactDecoder(config(**changes)).double().eval()


@given(st.lists(st.lists(st.integers(0, 1), min_size=8, max_size=8), min_size=1, max_size=4, unique_by=tuple))
def test_which_prefixes_tell(words: list[list[int]]) -> None:
    unknown, told = undetermined(torch.tensor(words)), informative(torch.tensor(words))
    for row, n in product(range(len(words)), range(1, 8)):
        others = [u for u in words if u[n] != words[row][n]]
        same = [u for u in others if u[:n] == words[row][:n]]
        like = [u for u in others if u[n - 1] == words[row][n - 1] and u[:n] != words[row][:n]]
        assert bool(unknown[row, n - 1]) == bool(same)
        assert bool(told[row, n - 1]) == bool(like and not same)


def test_flagged_lengths_of_the_powers_of_two() -> None:
    told = informative(letters(("0", "chi"), 300))
    assert (told.any(0).nonzero()[:, 0] + 1).tolist() == [3, 7, 15, 31, 63, 127, 255]


def test_unknown_words() -> None:
    for name in ("per0", "per65", "2", "perx"):
        with pytest.raises(InputError, match="no word is called"):
            word(name)


def test_half_of_the_loss_is_of_telling_prefixes() -> None:
    words = letters(("0", "chi"), 130)
    weights = importance(words)
    assert float(weights.sum()) == pytest.approx(1)
    assert float(weights[informative(words)].sum()) == pytest.approx(0.5)
    assert float(importance(letters(("per1", "per2"), 9))[:, 0].abs().max()) == 0  # both begin with 0 and go on apart


@torch.no_grad()
def test_margins_one_by_one() -> None:
    model, words = random_decoder(), letters(("chi", "per2"), 21)
    found = margins(model, words)
    for row, n in product(range(2), range(1, 21)):
        distribution = model.next_letter(words[row : row + 1, :n])[0].tolist()
        letter = int(words[row, n])
        assert float(found[row, n - 1]) == pytest.approx(distribution[letter] - distribution[1 - letter])


@pytest.mark.parametrize("encoding", ["none", "alibi", "window"])
def test_oscillations_row_by_row(encoding: str) -> None:
    model = random_decoder(encoding=encoding, window=3 if encoding == "window" else None, log_scaling=0.7)
    words = letters(("chi", "per2"), 9)
    found, x = oscillations(model, words), model.embed(words)
    for layer, block in enumerate(model.layers):
        q, k, _ = block.heads(x)
        logits = block.logits(q, k)
        for head, n in product(range(2), range(9)):
            seen = [[v for v in row if v > -1e300] for row in logits[:, head, n].tolist()]
            assert float(found[layer, head, n]) == pytest.approx(max(max(row) - min(row) for row in seen), abs=1e-12)
        x = block(x)


@torch.no_grad()
def test_measured_ranges_and_lengths() -> None:
    model = random_decoder()
    found = measure(model, ("0", "per2"), 16, 100)
    assert [(part.first, part.last) for part in found.ranges] == [(START, 16), (17, 32), (33, 64), (65, 100)]
    words = letters(("0", "per2"), 101)
    every, told = margins(model, words), informative(words)
    for part in found.ranges:
        inside = slice(part.first - 1, part.last)
        assert part.all == pytest.approx(float(every[:, inside].min()))
        assert part.informative == pytest.approx(float(every[:, inside][told[:, inside]].min()))
    wrong = [n for n in range(START, 101) if float(every[:, n - 1].min()) < LEARNED]
    assert found.learned_up_to == wrong[0] - 1
    gap = (model.next_letter(letters(("0",), 50)) - model.next_letter(letters(("1+0",), 50))).abs().max()
    assert float(found.flip_gap[49]) == pytest.approx(float(gap), abs=1e-12)


def test_bins() -> None:
    bins = edges(1024)
    assert bins[0] == START and bins[-1] == 1025 and len(bins) <= BINS + 1
    values = torch.rand(1024, generator=torch.Generator().manual_seed(0))
    values[500:700] = torch.inf
    for low, high, least in zip(bins, bins[1:], binned(values, bins), strict=False):
        assert (least is None) == (values[low - 1 : high - 1] == torch.inf).all()
        assert least is None or least == float(values[low - 1 : high - 1].min())


def test_a_few_steps_lower_the_loss_and_repeat() -> None:
    plan = Plan("per1, per2", ENTRIES["per1, per2"], config(), length=12, steps=40)
    (model, last), (again, same) = learn(plan), learn(plan)
    assert last == same < 0.6 and not model.training
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), again.parameters(), strict=True))


def test_flags_are_rows_for_letters_and_following_letters() -> None:
    plan = Plan("0, chi", ("0", "chi"), config(encoding="learned", max_length=70), flags=True, length=20, steps=3)
    table, chi = learn(plan)[0].positions.weight, word("chi")
    kinds = [(chi.letter(i), chi.letter(i + 1)) for i in range(1, 71)]
    for i, j in product(range(70), repeat=2):
        assert bool(torch.equal(table[i], table[j])) == (kinds[i] == kinds[j])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"words": ("0", "0")}, "repeat one"),
        ({"words": ("0", "pi")}, "no word is called 'pi'"),
        ({"flags": True}, "encoding=learned"),
        ({"steps": 0}, "steps=0"),
        ({"seed": -1}, "seed=-1"),
        ({"model": CompactConfig(letters=3, width=8, layers=1, heads=1, mlp_width=8)}, "letters=3"),
    ],
)
def test_plans_that_are_none(change: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words) as error:
        Plan(**({"entry": "0, chi", "words": ("0", "chi"), "model": config()} | change))  # type: ignore[arg-type]
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("first", "second"), [pair for pair in product(NAMES, repeat=2) if pair[0] < pair[1]])
def test_distances(first: str, second: str) -> None:
    n = 4 * 9 * 5 * 7 * 4
    found, at_n = distance(first, second), hamming(*(word(name).prefix(n) for name in (first, second)))
    if found is None:
        assert at_n == Fraction(1, n)
    else:
        assert abs(at_n - found) <= Fraction(n.bit_length(), n) + Fraction(75, n)  # the ones of chi, and of the squares


@pytest.mark.parametrize(
    ("words", "encoding", "exponent", "verdict", "claim"),
    [
        (("0", "chi"), "rope", None, EXCLUDED, "score-only-obstruction"),
        (("chi",), "alibi", None, EXCLUDED, "score-only-obstruction"),
        (("chi",), "learned", None, POSSIBLE, "any-single-word"),
        (("chi",), "sinusoidal", None, OPEN, "any-single-word"),
        (("0", "sq"), "flags", None, EXCLUDED, "isolation"),
        (("0", "chi"), "flags", 0.9, EXCLUDED, "log-scaling-threshold"),
        (("0", "chi"), "flags", 1.1, POSSIBLE, "log-scaling-threshold"),
        (("0", "sq"), "flags", 0.4, EXCLUDED, "log-scaling-threshold"),
        (("0", "sq"), "flags", 0.6, POSSIBLE, "log-scaling-threshold"),
        (("0", "1+0"), "none", None, POSSIBLE, "tail-invariance"),
        (("0", "per1"), "flags", None, POSSIBLE, "joint-learnability"),
        (("per1", "per2"), "rope", None, OPEN, "joint-learnability"),
    ],
)
def test_predictions(words: tuple[str, ...], encoding: str, exponent: float | None, verdict: str, claim: str) -> None:
    found = predict(words, encoding, exponent)
    assert (found.verdict, found.claim) == (verdict, claim) and found.reason
