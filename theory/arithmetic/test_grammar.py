from fractions import Fraction

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from theory.arithmetic.grammar import parse_matrix, parse_number, parse_vector
from theory.errors import InputError

Q = sympy.Rational


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("11", Q(11)),
        ("1/7", Q(1, 7)),
        ("0.25", Q(1, 4)),
        ("0.1", Q(1, 10)),
        ("3.", Q(3)),
        (".5e+2", Q(50)),
        ("1e-3", Q(1, 1000)),
        ("sqrt(2)", sympy.sqrt(2)),
        ("pi", sympy.pi),
        ("2*pi*5/13", 10 * sympy.pi / 13),
        ("-pi/3", -sympy.pi / 3),
        ("(1+sqrt(5))/2", (1 + sympy.sqrt(5)) / 2),
        ("10^(-1/64)", sympy.Pow(10, Q(-1, 64))),
        ("10**(-1/64)", sympy.Pow(10, Q(-1, 64))),
        ("rope(base=10000,d=128,k=2)", sympy.Pow(10000, Q(-1, 64))),
        (" rope( base = 5*10^5, d = 2*4, k = 2 ) ", sympy.Pow(500000, Q(-1, 4))),
        ("-2^2", Q(-4)),
        ("2^-3^2", Q(1, 512)),
        ("2-3-4", Q(-5)),
        ("8/4/2*3", Q(3)),
        ("--1", Q(1)),
        ("1/3+1/6*2", Q(2, 3)),
        ("(" * 30 + "1" + ")" * 30, Q(1)),
        ("1" * 1000, Q((10**1000 - 1) // 9)),
        ("1e1000*1e-1000", Q(1)),
    ],
)
def test_exact_values(text: str, value: sympy.Expr) -> None:
    assert parse_number(text) == value
    assert parse_number(str(value)) == value


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "ends where a number is needed"),
        (" \n", "number is needed"),
        ("nan", "'nan' where a number"),
        ("inf", "'inf' where a number"),
        ("9**9**9**9", "4096 bits"),
        ("((2*pi)^1000)^1000", "4096 bits"),
        ("*".join(["2^4000"] * 4), "4096 bits"),
        ("rope(base=2,d=4,k=" + "*".join(["2^4000"] * 4) + ")", "4096 bits"),
        ("1e999999999", "decimal exponent beyond 1000"),
        ("1e-99999999999999999999999", "decimal exponent beyond 1000"),
        ("2^(1/100000)", "too fine a root"),
        ("2^pi", "not rational"),
        ("(" * 400 + "1" + ")" * 400, "nested more than 32"),
        ("1+" * 99 + "(" * 40 + "1" + ")" * 40, "nested more than 32"),
        ("-" * 900 + "1", "nested more than 32"),
        ("1" * 1001, "longer than 1000"),
        ("__import__('os')", 'unexpected "\'"'),
        ("x", "'x' where a number"),
        ("1_000", "unexpected '_'"),
        ("0x10", "unexpected 'x"),
        ("2pi", "unexpected 'pi'"),
        ("1 2", "unexpected '2'"),
        ("١", "unexpected '١'"),
        ("1,5", "unexpected ','"),
        ("1;2", "unexpected ';'"),
        ("sqrt 2", "'2' where '\\('"),
        ("(1", "ends where '\\)'"),
        ("1/0", "divides"),
        ("0^-1", "divides"),
        ("1/((sqrt(2)+1)*(sqrt(2)-1)-1)", "divides"),
        ("sqrt(-1)", "root"),
        ("(-8)^(1/3)", "root"),
        ("rope(10000,128,2)", "'10000' where 'base'"),
        ("rope(base=10000,d=128,k=3/2)", "no integer"),
        ("rope(base=10000,d=127,k=2)", "even head dimension"),
        ("rope(base=10000,d=128,k=65)", "give one from 1 to d/2 = 64"),
        ("rope(base=-1,d=8,k=1)", "positive"),
    ],
)
def test_anything_else_is_one_line_that_says_why(text: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        parse_number(text)
    assert len(str(caught.value).splitlines()) == 1
    assert len(str(caught.value)) < 300


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9))
def test_decimals_are_the_rationals_they_spell(value: object) -> None:
    assert parse_number(str(value)) == Q(*Fraction(str(value)).as_integer_ratio())


@given(st.text(alphabet="0123456789.eE+-*/^()pisqrtobadk=, ", max_size=40))
def test_any_text_is_a_number_or_an_input_error(text: str) -> None:
    try:
        value = parse_number(text)
    except InputError:
        return
    assert value.is_number
    assert parse_number(str(value)) == value


def test_vectors_and_matrices_keep_every_digit() -> None:
    assert parse_vector('[1, 0.1234567890123456789012, "sqrt(2)/2", -1.5E+3]') == (
        1,
        Q(1234567890123456789012, 10**22),
        sympy.sqrt(2) / 2,
        -1500,
    )
    assert parse_matrix('[[1, "1/3"], [0.5, "-pi"]]') == ((1, Q(1, 3)), (Q(1, 2), -sympy.pi))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        "[]",
        "[NaN]",
        "[Infinity]",
        "[true]",
        "[null]",
        "[[1]]",
        '"12"',
        "12",
        '{"a": 1}',
        "[1, pi]",
        "[" * 10**5,
    ],
)
def test_what_is_no_vector_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_vector(text)


@pytest.mark.parametrize("text", ["[]", "[[]]", "[1, 2]", '["12", "34"]', "[[1], [2, 3]]", "3", "[[[1]]]"])
def test_what_is_no_matrix_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_matrix(text)


def test_a_long_matrix_is_refused() -> None:
    with pytest.raises(InputError, match="longer than"):
        parse_matrix("[" + "1," * 600_000 + "1]")
