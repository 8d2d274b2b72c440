"""Where SymPy is known to return wrong numbers, truth values or limits, our own path is right, or refuses.

Each right value is computed here by other means (a loop, an exact identity, mpmath at high precision). No test depends
on SymPy being wrong: on a release that mends a trap everything here still passes.
"""

import ast
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import mpmath
import pytest
import sympy
from flint import arb
from sympy import Integer, Mod, Piecewise, Rational, Sum, Symbol, cos, exp, oo, pi, sin, sqrt, symbols

from tests.source import ROOT, library_files, tree
from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, besseli, evaluate, versine
from theory.arithmetic.ball import cos as real_cos
from theory.arithmetic.ball import sin as real_sin
from theory.errors import InputError
from theory.evidence import BoxCover, Identity
from theory.outcome import Outcome
from theory.rope.rotation import rotation
from theory.rope.scale import ceiling
from theory.symbols import theta

x, y, k = symbols("x y k", real=True)


def loop(term: Callable[[int], float], first: int, last: int) -> float:
    return math.fsum(term(index) for index in range(first, last + 1))


# Sums of more than fifty terms with small ends, as attention makes them, and one whose degenerate case is easily lost.
SUMS = [
    (exp(-(x**2) / 10) * cos(x), -40, 40, lambda i: math.exp(-(i**2) / 10) * math.cos(i)),
    (exp(-((x - 60) ** 2) / 9) * cos(x), 0, 128, lambda i: math.exp(-((i - 60) ** 2) / 9) * math.cos(i)),
    (exp(-((x - 32) ** 2) / 40) * sin(x / 64), 0, 64, lambda i: math.exp(-((i - 32) ** 2) / 40) * math.sin(i / 64)),
    (exp(-20 * (1 - cos(x / 3))), 1, 400, lambda i: math.exp(-20 * (1 - math.cos(i / 3)))),
    (exp(-(x**2)), -60, 60, lambda i: math.exp(-(i**2))),
]


@pytest.mark.parametrize(("term", "first", "last", "plain"), SUMS, ids=[str(term) for term, *_ in SUMS])
def test_softmax_like_sums(term: sympy.Expr, first: int, last: int, plain: Callable[[int], float]) -> None:
    right = loop(plain, first, last)
    assert float(evaluate(Sum(term, (x, first, last)))) == pytest.approx(right, rel=1e-12)


def test_a_softmax_weight_written_as_a_sum() -> None:
    beta = Rational(7, 2)
    total = Sum(exp(beta * cos(x - 90)), (x, 0, 180))
    right = math.exp(3.5) / loop(lambda i: math.exp(3.5 * math.cos(i - 90)), 0, 180)
    assert float(evaluate(exp(beta) / total)) == pytest.approx(right, rel=1e-12)


@pytest.mark.parametrize("n", [1, 7, 64])
def test_a_sum_of_cosines_keeps_its_degenerate_case(n: int) -> None:
    closed = Sum(cos(x * k), (x, 0, n - 1))
    assert evaluate(closed, {k: 0}).exact == n
    if n > 1:
        assert abs(float(evaluate(closed, {k: 2 * pi / n}))) < 1e-30


def test_geometric_sums() -> None:
    assert evaluate(Sum(Rational(1, 10) ** x, (x, 0, 60))).exact == Fraction(10**61 - 1, 9 * 10**60)
    for untold in (Sum(sympy.Float("0.1") ** x, (x, 0, 60)), Sum(Rational(1, 10) ** x, (x, 0, oo))):
        with pytest.raises(InputError):
            evaluate(untold)


@pytest.mark.parametrize(
    "untold",
    [
        Sum(1 / sqrt(x), (x, 1, oo)),
        Sum(1 - cos(1 / x), (x, 1, oo)),
        Piecewise((Integer(1), x < 0), (Integer(-1), True)),
        Piecewise((sin(x) / x, sympy.Ne(x, 0)), (Integer(2), True)),
        Mod(128 * Mod(x, 3), 356),
        sympy.floor(sqrt(x + 2)),
        sympy.Integral(exp(cos(x)), (x, 0, 2 * pi)),
        sympy.Limit(sin(x) / x, x, 0),
        sympy.Float("0.5") * x,
        x + oo,
    ],
    ids=str,
)
def test_what_has_no_certain_value_is_refused(untold: sympy.Expr) -> None:
    with pytest.raises(InputError):
        evaluate(untold, {x: 0})


@pytest.mark.parametrize("inexact", [0.1, float("nan"), sympy.Float("0.1"), complex(1), "1/3", None, oo, sympy.nan])
def test_inexact_input_is_refused(inexact: object) -> None:
    with pytest.raises(InputError):
        Real.of(inexact)


def test_gaps_keep_their_digits_near_a_removable_singularity() -> None:
    assert versine(Real.of(0)).exact == 0
    tiny = Fraction(1, 10**40)
    assert float(versine(Real.of(tiny)) / tiny**2) == pytest.approx(0.5, rel=1e-15)


@pytest.mark.parametrize("turn", [0, 1, -3, 10**20])
def test_inequalities_between_sine_and_cosine_hold_in_every_period(turn: int) -> None:
    at_zero, at_quarter = (Real.of(2 * pi * turn + shift) for shift in (0, pi / 2))
    assert (real_sin(at_zero) < real_cos(at_zero)) is Outcome.HOLDS
    assert (real_sin(at_quarter) < real_cos(at_quarter)) is Outcome.REFUTED


@pytest.mark.parametrize(("infimum", "right"), [("-727/1000", Outcome.REFUTED), ("-1001/1000", Outcome.HOLDS)])
def test_the_range_of_a_product_of_cosines(infimum: str, right: Outcome) -> None:
    """It is -1, at pi, which endpoints and critical points found by solving miss."""
    least = Fraction(infimum)

    def above(box: arb) -> Outcome:
        value = box.cos() * (4 * box).cos() - arb(least.numerator) / least.denominator
        return Outcome.HOLDS if value >= 0 else Outcome.REFUTED if value < 0 else Outcome.UNDECIDED

    assert BoxCover("period", ((Fraction(0), Fraction(63, 10)),), above).outcome is right


@pytest.mark.parametrize("beta", [1, Fraction(7, 3), 20])
def test_a_mean_over_a_period_is_not_zero(beta: int | Fraction) -> None:
    """The mean of e^(beta cos x) is I_0(beta); over q points it is off by Bessel functions of order q and more."""
    q = 80
    mean = Real.total(evaluate(exp(beta * cos(2 * pi * t / q))) for t in range(q)) / q
    assert float(besseli(0, Real.of(beta))) == pytest.approx(float(mean), rel=1e-15)


@pytest.mark.parametrize("value", [0, 1, 2, 5, 355])
def test_phases_are_reduced_as_integers(value: int) -> None:
    reduced = 128 * (value % 3) % 356
    assert Angle.turn(128 * (value % 3), 356).turns == Fraction(128 * (value % 3), 356)
    assert real_cos(Angle.turn(128 * (value % 3), 356).real - Angle.turn(reduced, 356).real).exact == 1


def test_huge_phases() -> None:
    with mpmath.workdps(80):
        right = float(mpmath.cos(mpmath.mpf(10) ** 40))
    assert float(real_cos(Real.of(10**40))) == pytest.approx(right, rel=1e-15)


def test_signs_under_cancellation() -> None:
    almost = exp(pi * sqrt(163)) - 262537412640768744
    assert (evaluate(almost) < 0) is Outcome.HOLDS
    assert (evaluate(almost) > Fraction(-1, 10**12)) is Outcome.HOLDS
    nested_zero = evaluate(sqrt(2) + sqrt(3) - sqrt(5 + 2 * sqrt(6)))
    assert (nested_zero > 0) is Outcome.UNDECIDED
    assert nested_zero.equals(0) is not Outcome.REFUTED


@pytest.mark.parametrize(("radicand", "right"), [(10**40, 10**20), (10**40 + 1, 10**20 + 1), (10**40 - 1, 10**20)])
def test_integers_next_to_irrational_numbers(radicand: int, right: int) -> None:
    assert ceiling(evaluate(sqrt(Integer(radicand)))) == right


def test_identities_are_reduced_not_asked() -> None:
    hidden = cos(x) ** 4 - sin(x) ** 4 - cos(2 * x)
    assert Identity("zero", [("hidden", hidden, Integer(0))]).outcome is Outcome.HOLDS
    assert Identity("determinant", [("rotation", rotation(theta).det(), Integer(1))]).outcome is Outcome.HOLDS
    assert Identity("not zero", [("near", hidden + Rational(1, 10**30), Integer(0))]).outcome is Outcome.REFUTED


def test_symbols_of_one_name_are_told_apart() -> None:
    assert Identity("names", [("x", Symbol("x"), Symbol("x", real=True))]).outcome is not Outcome.HOLDS


def test_values_are_substituted_at_once() -> None:
    assert evaluate(x - 2 * y, {x: evaluate(y, {y: 5}), y: evaluate(x, {x: 3})}).exact == -1


SUMS_AND_LIMITS = {"limit", "integrate", "summation", "doit", "is_convergent", "function_range"}
# A Piecewise may state a case distinction: `evaluate` refuses it, and its limits and integrals are named above.
CASES_AND_NUMBERS = {"Mod", "solveset", "ask", "refine", "n", "evalf", "nsimplify"}
UNTRUSTED = SUMS_AND_LIMITS | CASES_AND_NUMBERS


def untrusted(module: ast.Module) -> list[tuple[int, str]]:
    """Line and name of every call that takes a number or a truth value from SymPy's own heuristics."""
    found = []
    for node in ast.walk(module):
        if not isinstance(node, ast.Call):
            continue
        match node.func:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                pass
            case _:
                continue
        own_method = isinstance(node.func, ast.Attribute) and name == "limit" and len(node.args) < 2
        modules_chosen = len(node.args) > 2 or any(keyword.arg == "modules" for keyword in node.keywords)
        if (name in UNTRUSTED and not own_method) or (name == "lambdify" and not modules_chosen):
            found.append((node.lineno, name))
    return found


@pytest.mark.parametrize("path", library_files("theory"), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_theory_takes_no_number_from_heuristics(path: Path) -> None:
    assert untrusted(tree(path)) == []


@pytest.mark.parametrize(
    "line",
    [
        "expr.n()",
        "expr.evalf(30)",
        "sympy.limit(f, x, 0)",
        "f.limit(x, 0)",
        "solveset(f, x)",
        "sympy.integrate(f, x)",
        "lambdify(x, f)",
        "sympy.lambdify((x, y), f)",
        "Piecewise((1, x > 0), (0, True)).limit(x, 0)",
        "Sum(f, (k, 0, n)).doit()",
    ],
)
def test_the_rule_sees(line: str) -> None:
    assert len(untrusted(ast.parse(line))) == 1


@pytest.mark.parametrize(
    "line",
    [
        "head.n",
        "bound.limit()",
        "Piecewise((1, x > 0), (0, True))",
        'lambdify(x, f, modules="numpy")',
        "BoxCover(name, box, f, limit=9)",
    ],
)
def test_the_rule_lets_pass(line: str) -> None:
    assert untrusted(ast.parse(line)) == []
