"""Rounded angles, cosines and positions: NumPy and torch beside the emulation, brute force."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random

import numpy as np
import pytest
import sympy
import torch

from tests.asked import values
from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, cos, sin, sqrt
from theory.claims import discover
from theory.errors import InputError
from theory.evidence import Case, Constructed
from theory.ledger import Submissions
from theory.quantities import Exact, quantities
from theory.rope.precision.angle_error import worst_angle_errors
from theory.rope.precision.first_failure import angles, first_failure
from theory.rope.precision.formats import rounded
from theory.rope.precision.gap_saturation import gap_saturation_length
from theory.rope.precision.logit_rounding import FORMATS, nearest

torch.set_num_threads(1)
DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


@pytest.mark.parametrize(("theta", "precision", "n"), [("sqrt(2)/9", "7", 90), ("0.3", "float16", 400)])
def test_bounds_on_angle_errors(theta: str, precision: str, n: int) -> None:
    found = quantities()["angle-error"].evaluate({"theta": theta, "n": str(n), "precision": precision})
    numbers = {name: float(result.value) for name, result in found.items()}
    angle, u = float(Angle.parse(theta).real), 2.0 ** -(11 if precision == "float16" else int(precision))
    assert numbers["storage error"] == pytest.approx(numbers["stored angle"] - angle, abs=1e-15)
    assert abs(numbers["storage error"]) <= u * angle
    assert numbers["bound against stored"] == pytest.approx(u * (n - 1) * numbers["stored angle"], rel=1e-14)
    assert numbers["bound against true"] == pytest.approx((2 * u + u * u) * (n - 1) * angle, rel=1e-14)
    for against in ("stored", "true"):
        assert 0 < numbers[f"against {against}"] <= numbers[f"bound against {against}"]


def test_first_plane_has_no_angle_error() -> None:
    found = worst_angle_errors(Angle(sympy.Integer(1)), 2**11 + 1, 11)
    assert found["stored"].exact == found["true"].exact == 0


@pytest.mark.parametrize("seed", range(6))
def test_worst_angle_errors_against_every_position(seed: int) -> None:
    random = Random(seed)
    theta = Angle(sympy.sqrt(random.choice([2, 3, 7])) / random.randint(1, 50))
    precision = random.choice([3, 5, 8, 11])
    n = random.randint(2, min(2**precision + 1, 300))
    found = worst_angle_errors(theta, n, precision)
    stored = rounded(theta.real, precision)
    products = [nearest(t * stored, precision) for t in range(n)]
    true = max(float(abs(a - theta.real * t)) for t, a in enumerate(products))
    assert found["stored"].exact == max(abs(a - t * stored) for t, a in enumerate(products))
    assert float(found["true"]) == pytest.approx(true, rel=1e-14)


def test_lengths_of_the_certificate() -> None:
    found = quantities()["angle-error-length"].evaluate({"precision": "6", "theta": "1/3"})
    lengths = [float(found[name].value) for name in ("stored theta", "rounded theta")]
    assert lengths == pytest.approx([np.sqrt(np.pi * 64 * 3), np.sqrt(np.pi * 32 * 3)], rel=1e-14)


@pytest.mark.parametrize("precision", [2, 3, 4, 5, 6, 7])
def test_saturation_length_by_rounding_every_cosine(precision: int) -> None:
    """From n on some offset saturates at every angle of a fine grid; at n - 1 the root of unity does not."""
    found = values("gap-saturation-length", precision=precision)
    n = found["n"]
    arcs = 2 * np.pi / np.arccos(1 - 2.0 ** (-precision - 1))
    assert n == np.floor(arcs) + 1 and float(found["arcs"]) == pytest.approx(arcs, rel=1e-12)
    theta = np.linspace(0.001, np.pi, 3001)
    t = np.arange(1, n)[:, None]
    largest = np.cos(t * theta).max(axis=0)
    assert (largest >= 1 - 2.0 ** (-precision - 1) - 1e-12).all()
    turn = 2 * sympy.pi / (n - 1)
    assert all(rounded(cos(Real.of(turn * k)), precision) < 1 for k in range(1, n - 1))


@pytest.mark.parametrize(("precision", "n"), [("4", 18), ("2", 6), ("float64", 2**53 + 2)])
def test_lengths_at_which_positions_collapse(precision: str, n: int) -> None:
    assert quantities()["position-collapse-length"].evaluate({"precision": precision}) == {
        "position-collapse-length": Exact(n)
    }


def test_lengths_that_are_said_of_float32() -> None:
    collapse = discover()["float-position-collapse"]
    assert collapse.variant.length(24) == 2**24 + 2
    assert collapse.controls["float32 fails at 65536"].length(24) == 65536


@pytest.mark.parametrize(("theta", "angle", "storage"), [("3/7", 6, 6), ("sqrt(2)", None, 5), ("5/2", 4, 9)])
def test_first_failures_by_comparing_all_pairs(theta: str, angle: int | None, storage: int) -> None:
    table: list[tuple[Fraction, Fraction]] = []
    for phase in angles(Angle.parse(theta), angle):
        c, s = rounded(cos(phase), storage), rounded(sin(phase), storage)
        if any(a * c + b * s >= c * c + s * s for a, b in table):
            break
        table.append((c, s))
    n = len(table) + 1
    assert first_failure(Angle.parse(theta), angle, storage, 300) == n
    assert first_failure(Angle.parse(theta), angle, storage, n - 1) is None


def test_rounded_reals_against_numpy() -> None:
    for k in range(1, 200):
        value = sqrt(Fraction(k, 7))
        assert rounded(value, 53) == Fraction(float(np.sqrt(np.longdouble(k) / 7)))
        assert rounded(value, 24) == Fraction(float(np.float32(np.sqrt(np.longdouble(k) / 7))))
    assert rounded(Real.of(Fraction(9, 8)), 3) == 1 and rounded(Real.of(Fraction(11, 8)), 3) == Fraction(3, 2)


def test_torch_rounds_as_the_emulation(ledger: Submissions) -> None:
    def products() -> Iterator[Case]:
        for name, dtype in DTYPES.items():
            precision = FORMATS[name].precision
            last = min(2**precision, 3000)
            for theta in (0.8659643, 0.1, 0.031, 1.0, 2.7182818):
                stored = torch.tensor(theta, dtype=torch.float64).to(dtype)
                computed = torch.arange(last + 1).to(dtype) * stored
                exact = Fraction(float(stored))
                assert exact == nearest(Fraction(theta), precision)
                for t in (*range(100), *range(101, last + 1, 97), last):
                    same = Fraction(float(computed[t])) == nearest(t * exact, precision)
                    yield {"format": name, "theta": theta, "t": t}, same

    def cosines() -> Iterator[Case]:
        for name, dtype in DTYPES.items():
            precision = FORMATS[name].precision
            n = gap_saturation_length(precision)["n"].value
            for length in (n - 1, n):
                turn = 2 * torch.pi * torch.arange(1, length, dtype=torch.float64) / length
                saturates = bool((turn.cos().to(dtype) == 1).any())
                yield {"format": name, "n": length}, saturates is (length == n)

    def positions() -> Iterator[Case]:
        for name, dtype in DTYPES.items():
            last = 2 ** FORMATS[name].precision
            low = torch.arange(last - 50, last + 1).to(dtype)
            yield {"format": name, "positions": "below"}, len(torch.unique(low)) == 51
            yield (
                {"format": name, "positions": "2^p, 2^p + 1"},
                bool(torch.equal(*torch.tensor([last, last + 1]).to(dtype))),
            )

    ledger.submit("float-angle-error", Constructed("torch products in three formats", products()))
    ledger.submit("float-gap-saturation", Constructed("cosines stored in three formats, n and n - 1", cosines()))
    ledger.submit("float-position-collapse", Constructed("positions in three formats", positions()))


def test_relative_phases_in_torch(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        for name, dtype in DTYPES.items():
            u, last = FORMATS[name].u, min(2 ** FORMATS[name].precision, 5000)
            random = Random(name)
            for theta in (0.8659643, 0.1, 0.5):
                stored = torch.tensor(theta).to(dtype)
                phases = torch.arange(last + 1).to(dtype) * stored
                for _ in range(200):
                    i, j = random.randrange(last + 1), random.randrange(last + 1)
                    exact = Fraction(float(stored))
                    error = abs(Fraction(float(phases[i])) - Fraction(float(phases[j])) - (i - j) * exact)
                    yield {"format": name, "i": i, "j": j}, error <= u * (i + j) * exact

    ledger.submit("float-relative-phase", Constructed("torch phases in three formats", cases()))


def test_first_failures_in_torch(ledger: Submissions) -> None:
    """Tables rounded by torch from float64, products and sums in float64, which are exact for half precision."""

    def cases() -> Iterator[Case]:
        for name, theta in product_of_formats():
            dtype, precision = DTYPES[name], FORMATS[name].precision
            phases = theta * torch.arange(200, dtype=torch.float64)
            table = torch.stack([phases.cos(), phases.sin()]).to(dtype).to(torch.float64)
            logits = table.T @ table
            worse = [n for n in range(2, 201) if logits[n - 1, : n - 1].max() >= logits[n - 1, n - 1]]
            exact = Fraction(theta)
            found = first_failure(Angle(sympy.Rational(exact.numerator, exact.denominator)), None, precision, 200)
            yield {"format": name, "theta": theta}, found == (worse[0] if worse else None)

    ledger.submit("float-position-collapse", Constructed("first failures of an aligned head", cases()))


def product_of_formats() -> Iterator[tuple[str, float]]:
    for name in ("float16", "bfloat16"):
        for theta in (1.0, 0.75, 0.3, 2.5):
            yield name, theta


def test_bad_input_is_named() -> None:
    table = quantities()
    for text, message in (("fp99", "no format"), ("1", "no precision"), ("9.5", "no precision"), ("", "no format")):
        with pytest.raises(InputError, match=message):
            table["gap-saturation-length"].evaluate({"precision": text})
    with pytest.raises(InputError, match="n=300 exceeds 257"):
        table["angle-error"].evaluate({"theta": "1", "n": "300", "precision": "bfloat16"})
    with pytest.raises(InputError, match="not known to be positive"):
        table["angle-error"].evaluate({"theta": "-1", "n": "30", "precision": "bfloat16"})
    with pytest.raises(InputError, match="takes too long"):
        table["first-order-failure"].evaluate({"theta": "1", "angle": "exact", "storage": "8", "up_to": "1e6"})
