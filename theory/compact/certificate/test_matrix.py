"""Norms that are said to be upper bounds, against balls and brute force."""

import numpy as np
import pytest
from flint import arb, arb_mat, ctx
from hypothesis import given
from hypothesis import strategies as st

from theory.compact.certificate.activations import SLOPES, activated
from theory.compact.certificate.matrix import Matrix, diameter, length

SHAPES = st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(0, 2**32))


def gram_power(matrix: np.ndarray, doublings: int = 6) -> tuple[arb, arb]:
    """Both bounds of the spectral norm from (M^T M)^(2^q) in balls: its trace over n, and its Frobenius norm."""
    power = arb_mat([[arb(float(x)) for x in row] for row in matrix.T]) * arb_mat(
        [[arb(float(x)) for x in row] for row in matrix]
    )
    for _ in range(doublings):
        power = power * power
    root = arb(1) / 2 ** (doublings + 1)
    trace = sum((power[i, i] for i in range(power.nrows())), arb(0))
    squares = sum((x**2 for x in power.entries()), arb(0)).sqrt()
    return (trace / power.nrows()) ** root, squares**root


def drawn(sizes: tuple[int, int, int]) -> np.ndarray:
    rows, columns, seed = sizes
    random = np.random.default_rng(seed)
    found: np.ndarray = random.standard_normal((rows, columns)) * 10.0 ** random.integers(-6, 6)
    if seed % 3 == 0:
        found = np.outer(found[:, 0], found[0])
    return found


@given(SHAPES)
def test_a_spectral_norm_is_above_the_true_one_and_close(sizes: tuple[int, int, int]) -> None:
    matrix = drawn(sizes)
    with ctx.workprec(256):
        low, high = gram_power(matrix)
        found = arb(Matrix(matrix).spectral())
        assert found >= low
        assert found <= high * (1 + arb(2) ** -30)
        exact = max(np.linalg.svd(matrix, compute_uv=False))
        assert float(found) == pytest.approx(exact, rel=1e-10)


@pytest.mark.parametrize("size", [64, 200])
def test_large_norms_are_tight_and_flat_spectra_as_well(size: int) -> None:
    random = np.random.default_rng(size)
    matrix = random.standard_normal((size, 3 * size))
    for case in (matrix, np.linalg.qr(matrix.T)[0]):
        top = float(np.linalg.svd(case, compute_uv=False)[0])
        found = Matrix(case).spectral()
        assert top * (1 - 1e-12) <= found <= top * (1 + 1e-7)


def test_norms_of_nothing_and_of_what_is_no_number() -> None:
    assert Matrix(np.zeros((3, 4))).spectral() == 0
    with np.errstate(all="ignore"):
        assert Matrix(np.array([[np.inf, 1.0]])).spectral() == np.inf
    assert length(np.array([3e200, 4e200])) == pytest.approx(5e200)


@pytest.mark.parametrize("size", [1e-160, 1e-165, 1e-170, 1e-200, 1e-280, 1e150])
def test_rows_and_diameters_of_any_size(size: float) -> None:
    points = np.array([[3.0, 4.0], [0.0, 0.0], [0.0, -8.0]])
    found = Matrix(points * size)
    assert found.rows() == pytest.approx([5 * size, 0, 8 * size], rel=1e-9, abs=1e-289)
    assert diameter(found) == pytest.approx(153**0.5 * size, rel=1e-9)
    assert diameter(found) >= 153**0.5 * size * (1 - 1e-15)
    assert Matrix(points[::2] * size).least_row() == pytest.approx(5 * size, rel=1e-9)
    assert found.spectral() >= float(np.linalg.norm(points, 2)) * size * (1 - 1e-15)


@given(SHAPES, st.integers(1, 9))
def test_products_contain_the_true_product(sizes: tuple[int, int, int], columns: int) -> None:
    left, right = drawn(sizes), drawn((sizes[1], columns, sizes[2] + 1))
    found = Matrix(left) @ Matrix(right)
    with ctx.workprec(512):
        exact = arb_mat([[arb(float(x)) for x in row] for row in left]) * arb_mat(
            [[arb(float(x)) for x in row] for row in right]
        )
        squares = [
            (exact[i, j] - arb(float(found.middle[i, j]))) ** 2
            for i in range(exact.nrows())
            for j in range(exact.ncols())
        ]
        assert sum(squares, arb(0)).sqrt() <= arb(found.radius)


@given(SHAPES)
def test_rows_and_centring(sizes: tuple[int, int, int]) -> None:
    matrix = drawn(sizes)
    with ctx.workprec(256):
        exact = [sum((arb(float(x)) ** 2 for x in row), arb(0)).sqrt() for row in matrix]
        assert all(arb(float(x)) >= y for x, y in zip(Matrix(matrix).rows(), exact, strict=True))
        assert all(arb(Matrix(matrix).least_row()) <= y for y in exact)
        centred = Matrix(matrix).centred()
        for row, found in zip(matrix, centred.middle, strict=True):
            mean = sum((arb(float(x)) for x in row), arb(0)) / len(row)
            off = sum(((arb(float(x)) - mean - arb(float(y))) ** 2 for x, y in zip(row, found, strict=True)), arb(0))
            assert off.sqrt() <= arb(centred.radius)


@given(SHAPES, st.sampled_from([1, 3, 4096]))
def test_a_diameter_is_at_least_the_largest_distance(sizes: tuple[int, int, int], most: int) -> None:
    points = drawn((sizes[0] + 1, *sizes[1:]))
    found = diameter(Matrix(points), most)
    with ctx.workprec(256):
        exact = [
            sum(((arb(float(a)) - arb(float(b))) ** 2 for a, b in zip(x, y, strict=True)), arb(0)).sqrt()
            for i, x in enumerate(points)
            for y in points[:i]
        ]
        assert all(arb(found) >= distance for distance in exact)
    largest = max(float(distance) for distance in exact)
    assert found <= largest * (2 if most < 4096 else 1 + 1e-9) + 1e-280


def _slope(name: str, t: np.ndarray) -> np.ndarray:
    h = 1e-5
    return (activated(name, t + h) - activated(name, t - h)) / (2 * h)


@pytest.mark.parametrize("name", SLOPES)
def test_slopes_of_activations_are_bounded_and_closely(name: str) -> None:
    t = np.linspace(-30, 30, 600_001)
    slopes = np.abs(_slope(name, t))
    assert slopes.max() <= SLOPES[name] + 1e-9
    assert slopes.max() >= SLOPES[name] - 1e-9
    assert (np.abs(activated(name, t)) <= np.abs(t)).all()


@pytest.mark.parametrize(("name", "near"), [("silu", 2.39936), ("gelu", 1.41421), ("gelu-tanh", 1.41850)])
def test_the_largest_slope_is_enclosed_below_the_bound(name: str, near: float) -> None:
    """The slope at its top by differences of balls at 400 bits, where 2^-100 is a step."""
    with ctx.workprec(400):
        step = arb(2) ** -100

        def slope(t: arb) -> arb:
            ends = activated(name, np.array([t + step, t - step], dtype=object))
            return (ends[0] - ends[1]) / (2 * step)

        low, high = arb(near) - arb("1e-4"), arb(near) + arb("1e-4")
        for _ in range(80):  # the top of a concave arc, by thirds
            a, b = low + (high - low) / 3, high - (high - low) / 3
            low, high = (a, high) if slope(a) < slope(b) else (low, b)
        top = slope((low + high) / 2)
        assert top < arb(SLOPES[name])
        assert top > arb(SLOPES[name]) - arb("1e-10")
        assert slope(arb(near) - arb("1e-4")) < top
        assert slope(arb(near) + arb("1e-4")) < top
