"""Runs, bounds and thresholds of the copy task against their definitions; gradients by autograd of a small net."""

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from theory.arithmetic.ball import Real, exp, log
from theory.compact.copy_task.certain_printed import copy_least_loss
from theory.compact.copy_task.gradient import (
    copy_gradient_bound,
    copy_loss_excess,
    copy_residual_norm,
    differing_prefixes,
)
from theory.compact.copy_task.iso_perplexity import iso_perplexity_accuracy
from theory.compact.copy_task.perplexity_numbers import (
    copy_constant_difference,
    copy_perplexity_bound,
    copy_perplexity_length,
    copy_perplexity_logit_bound,
)
from theory.compact.copy_task.perplexity_printed import copy_perplexity_printed
from theory.compact.copy_task.runs import averaging_run, ceiling, excess
from theory.compact.copy_task.sampling import copy_sampling_loss
from theory.errors import InputError
from theory.evidence import Case, Constructed
from theory.ledger import Submissions
from theory.quantities import Quantity

torch.set_num_threads(1)
PROBABILITIES = st.fractions(Fraction(1, 50), Fraction(49, 50))


def value(quantity: Quantity, name: str = "", **arguments: object) -> float:
    results = quantity.evaluate({key: str(text) for key, text in arguments.items()})
    return float(results[name or quantity.name].value)


@given(st.lists(st.tuples(PROBABILITIES, PROBABILITIES), min_size=1, max_size=8), PROBABILITIES, st.data())
def test_excess_is_the_difference_of_two_means(
    pairs: list[tuple[Fraction, Fraction]], other: Fraction, data: st.DataObject
) -> None:
    p, q = (list(side) for side in zip(*pairs, strict=True))
    flipped = data.draw(st.integers(0, len(p) - 1))
    answered = [other if k == flipped else b for k, b in enumerate(q)]
    expected = np.mean([-math.log(b) for b in answered]) - np.mean([-math.log(a) for a in p])
    found = excess(p, q, flipped, other)
    assert found is not None and float(found) == pytest.approx(expected, abs=1e-12)
    assert excess(p, q, flipped, Fraction(0)) is None


@given(st.fractions(Fraction(1, 10), 10**6))
def test_ceiling(x: Fraction) -> None:
    assert ceiling(Real.of(x)) == math.ceil(x)
    assert ceiling(exp(log(2)) * x + Fraction(1, 3)) == math.ceil(2 * x + Fraction(1, 3))


def test_a_run_reads_its_own_outputs() -> None:
    embeddings = np.array([[1.0, 0.2, -0.5], [0.1, 3.0, 0.0], [0.3, 0.1, 0.0]])
    run = averaging_run(embeddings, 5, flipped=2)
    tokens = [0, 0, 1, 0, 0, 2]
    for step in range(5):
        logits = embeddings[tokens].mean(axis=0)
        p = np.exp(logits) / np.exp(logits).sum()
        assert run.q[step] == pytest.approx(p[0])
        assert step != 2 or run.other == pytest.approx(p[1])
        assert run.answer[step] == p.argmax()
        tokens.append(int(p.argmax()))


@given(
    st.integers(1, 500),
    st.fractions(Fraction(1, 100), Fraction(49, 100)),
    st.fractions(0, 1),
    st.fractions(Fraction(1, 1000), Fraction(49, 100)),
)
def test_bound_by_hand(n: int, margin: Fraction, part: Fraction, least: Fraction) -> None:
    close = margin * part
    right = 0.5 + float(margin)
    expected = math.log(1 / least) / n + (n - 1) / n * math.log(right / (right - float(close)))
    assert value(copy_perplexity_bound, n=n, margin=margin, close=close, least=least) == pytest.approx(expected)
    printed = -(math.log(right) - math.log(least) + (n - 1) * float(margin)) / n
    found = value(copy_perplexity_printed, "bound", n=n, margin=margin, least=least, target="1/10")
    assert found == pytest.approx(printed, abs=1e-12)


@given(st.fractions(Fraction(1, 100), 1), st.fractions(Fraction(1, 100), Fraction(49, 100)))
def test_from_the_length_on_the_bound_is_the_target(target: Fraction, margin: Fraction) -> None:
    found = copy_perplexity_length.evaluate({"target": str(target), "margin": str(margin), "least": "1/60"})
    n, close = int(str(found["length"].value)), Fraction(float(found["closeness"].value)) * Fraction(999, 1000)
    assert n == math.ceil(2 * math.log(60) / target)
    assert value(copy_perplexity_bound, n=n, margin=margin, close=close, least="1/60") <= target


@given(st.integers(1, 60), st.fractions(Fraction(1, 1000), Fraction(1, 2)), st.fractions(0, 2))
def test_sampling_by_hand(n: int, loss: Fraction, change: Fraction) -> None:
    grown = min(1.0, math.exp(change) * loss)
    found = copy_sampling_loss.evaluate({"n": str(n), "loss": str(loss), "change": str(change)})
    assert float(found["product"].value) == pytest.approx(1 - (1 - grown) ** n, abs=1e-12)
    assert float(found["linear"].value) == pytest.approx(n * loss * math.exp(change))


@given(st.integers(1, 20), st.data())
def test_prefixes_that_differ(length: int, data: st.DataObject) -> None:
    """Counted over the words themselves, the flipped letter from 1."""
    flipped = data.draw(st.integers(1, length))
    radius = data.draw(st.fractions(Fraction(1, 30), 1))
    alpha = [0] * length
    beta = [int(k == flipped) for k in range(1, length + 1)]
    found = 0
    for step in range(1, length + 1):
        u, w = [*alpha, 2, *alpha[: step - 1]], [*beta, 2, *beta[: step - 1]]
        far = Fraction(sum(a != b for a, b in zip(u, w, strict=True)), len(u)) > radius
        found += far or u[-1] != w[-1] or alpha[step - 1] != beta[step - 1]
    assert differing_prefixes(length, flipped, radius) == found


@given(PROBABILITIES, PROBABILITIES, st.fractions(0, 1))
def test_critical_accuracy_has_the_same_perplexity(a: Fraction, g: Fraction, part: Fraction) -> None:
    left = g * (1 - part)
    if 0 < left < Fraction(49, 100):
        found = value(iso_perplexity_accuracy, "critical", a=a, g=g, d=g - left)

        def level(accuracy: float, loss: float) -> float:
            return -accuracy * math.log(1 - loss) - (1 - accuracy) * math.log(loss)

        assert level(found, float(left)) == pytest.approx(level(float(a), float(g)), rel=1e-9)


def test_gradients_of_a_small_net(ledger: Submissions) -> None:
    """One layer of attention, teacher-forced: K is the largest norm of the derivatives of the logits."""
    torch.manual_seed(0)

    def cases() -> Iterator[Case]:
        for case in range(12):
            width, n = 4, 3 + case % 4
            shapes = [(3, width), (width, width), (width, width), (3, width)]
            parameters = torch.randn(sum(a * b for a, b in shapes), dtype=torch.float64) * (0.3 + case / 6)
            word = torch.randint(2, (2 * n + 1,))
            word[n], word[n + 1 :] = 2, word[:n]

            def logits(
                theta: torch.Tensor, word: torch.Tensor = word, shapes: list[tuple[int, int]] = shapes, n: int = n
            ) -> torch.Tensor:
                parts = torch.split(theta, [a * b for a, b in shapes])
                embedding, mix, values, out = (part.view(shape) for part, shape in zip(parts, shapes, strict=True))
                x = embedding[word[:-1]]
                scores = (x @ mix @ x.T).masked_fill(~torch.ones(2 * n, 2 * n).tril().bool(), -torch.inf)
                return ((torch.softmax(scores, -1) @ x @ values).tanh() @ out.T)[n:]

            theta = parameters.requires_grad_()
            loss = torch.nn.functional.cross_entropy(logits(theta), word[n + 1 :])
            (gradient,) = torch.autograd.grad(loss, theta)
            jacobian = torch.autograd.functional.jacobian(logits, theta)
            norm = max(float(torch.linalg.matrix_norm(step, 2)) for step in jacobian)
            bound = value(copy_gradient_bound, loss=Fraction(float(loss.detach())), jacobian=Fraction(norm))
            yield {"case": case, "n": n}, float(gradient.norm()) <= bound * (1 + 1e-12)

    ledger.submit("copy-task-gradient", Constructed("one layer by autograd", cases()))


@pytest.mark.parametrize(
    ("quantity", "arguments", "complaint"),
    [
        (copy_perplexity_bound, {"n": "3", "margin": "0.6", "close": "0", "least": "0.1"}, "margin"),
        (copy_perplexity_bound, {"n": "3", "margin": "0.1", "close": "0.2", "least": "0.1"}, "close"),
        (copy_perplexity_logit_bound, {"n": "3", "change": "-1", "least": "0.1"}, "change"),
        (copy_perplexity_length, {"target": "0", "margin": "0.1", "least": "0.1"}, "target"),
        (copy_constant_difference, {"n": "3", "right": "1/9", "flipped": "1/8"}, "flipped"),
        (copy_perplexity_printed, {"n": "3", "margin": "0.1", "least": "0.6", "target": "1"}, "least"),
        (copy_sampling_loss, {"n": "3", "loss": "1", "change": "0"}, "loss"),
        (copy_sampling_loss, {"n": "3", "loss": "1/2", "change": "-1"}, "change"),
        (copy_gradient_bound, {"loss": "-1", "jacobian": "1"}, "loss"),
        (copy_residual_norm, {"right": "1"}, "right"),
        (copy_loss_excess, {"n": "3", "modulus": "0", "radius": "0", "least": "1/2"}, "radius"),
        (copy_least_loss, {"letters": "2", "spread": "-1"}, "spread"),
        (iso_perplexity_accuracy, {"a": "1/2", "g": "3/4", "d": "1/8"}, "g - d"),
        (iso_perplexity_accuracy, {"a": "1", "g": "1/4", "d": "1/8"}, "a = 1"),
    ],
)
def test_bad_arguments_are_named(quantity: Quantity, arguments: dict[str, str], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint) as error:
        quantity.evaluate(arguments)
    assert "\n" not in str(error.value)
