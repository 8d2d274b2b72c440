"""Every quantity at arguments that nobody would give: a result that says something, or one line; never a traceback."""

import inspect
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from math import nan
from typing import TypeVar

import pytest
from flint import arb, ctx, fmpz

from theory.arithmetic.ball import Real, exp
from theory.command_line import bounded
from theory.errors import InputError, Undecided
from theory.printing import as_json, describe
from theory.quantities import Bound, Enclosure, Exact, Optimum, Quantity, quantities

T = TypeVar("T")

HIDDEN_TURN = "2*pi*(sqrt(2)+1)*(sqrt(2)-1)"
HIDDEN_ZERO = "sqrt(2)^2-2"
INTEGERS = ["0", "1", "1/2", "nan", "", "٣"]
NASTY = {
    "angle": ["0", "2*pi", HIDDEN_TURN, "2^-4000", "rope(base=10000,d=127,k=2)", "theta"],
    "vector": ["[]", "[0]", "[NaN]", "[[1]]", "1", f'["{HIDDEN_ZERO}", 1]'],
    "matrix": ["[]", "[[]]", "[[0]]", "[[1], [2, 3]]", "[[1e1000, 1], [1, 1e-1000]]"],
    "real": ["0", "-1", "1e-1000", HIDDEN_ZERO, "inf"],
}
PLAIN = {
    "angle": "1",
    "vector": '[1, "1/2"]',
    "matrix": "[[1, 0], [0, 1]]",
    "real": "1",
    "offset": "1",
    "precision": "float64",
    "the same": "float64",
    "base": "10000",
    "rational": "1/10",
}


def _first(table: Mapping[str, T], description: str, default: T) -> T:
    return next((value for word, value in table.items() if word in description), default)


def requests(item: Quantity) -> Iterator[dict[str, str]]:
    """Plain arguments, with each of them in turn replaced by one that is not."""
    parameters = item.parameters
    plain = {
        name: _first(PLAIN, parameter.describe, "4")
        for name, (parameter, default) in parameters.items()
        if default is inspect.Parameter.empty
    }
    for name, (parameter, _) in parameters.items():
        for text in _first(NASTY, parameter.describe, INTEGERS):
            yield {**plain, name: text}


def answer(item: Quantity, arguments: dict[str, str]) -> str:
    try:
        results = item.evaluate(arguments).values()
        json.dumps([as_json(result) for result in results], allow_nan=False)
        return " ".join(map(describe, results))
    except (InputError, Undecided) as error:
        return f"error: {error}"


@pytest.mark.parametrize("name", quantities())
def test_nasty_arguments_are_answered_or_refused_in_one_line(name: str) -> None:
    item, precision = quantities()[name], ctx.prec
    for arguments in requests(item):
        shown = answer(item, arguments)
        if shown.startswith("error: "):
            assert "\n" not in shown, arguments
        else:
            assert not {"nan", "inf"} & set(re.findall("[a-z]+", shown)), arguments
        assert ctx.prec == precision, arguments


@pytest.mark.parametrize(
    "result", [Enclosure(Real(arb.nan)), Bound("upper", Real(arb.pos_inf)), Optimum(nan, "search")]
)
def test_nothing_known_is_undecided(result: Enclosure | Bound | Optimum) -> None:
    for show in (describe, as_json):
        with pytest.raises(Undecided):
            show(result)


def test_huge_results_are_printed_or_refused() -> None:
    assert describe(Enclosure(Real.of(10) ** 400 / 3)).endswith("= 3.33333333333333e+399 exactly")
    assert as_json(Enclosure(Real.of(10) ** 400 / 3))["midpoint"] is None
    assert "e-43429449" in describe(Enclosure(exp(-(10**8))))
    with pytest.raises(InputError, match="less extreme"):
        as_json(Enclosure(exp(-(10**8))))
    with pytest.raises(InputError, match="digits"):
        describe(Exact(10**10_000))


def _forever() -> None:
    while True:
        pass


def _deaf() -> None:
    fmpz(7) ** 10**10  # one step of the interpreter, in which it does not answer signals


def _deep(depth: int) -> int:
    return _deep(depth + 1)


def _dead() -> None:
    os.kill(os.getpid(), 9)


@pytest.mark.parametrize(
    ("function", "complaint"),
    [
        (_forever, "the sum takes more than 1 s"),
        (_deaf, "the sum takes more than 1 s or 4 GiB"),
        (_dead, "the sum takes more than 1 s or 4 GiB"),
    ],
)
def test_a_request_has_a_limit(function: Callable[[], None], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        bounded(1, "the sum", function)


def test_a_request_keeps_its_errors_and_its_result() -> None:
    assert bounded(5, "the sum", sum, [1, 2]) == 3
    with pytest.raises(InputError, match="beyond what can be computed"):
        bounded(5, "the sum", _deep, 0)
    with pytest.raises(ZeroDivisionError):
        bounded(5, "the sum", divmod, 1, 0)
    with pytest.raises(InputError, match="is not exact"):
        bounded(5, "the sum", Real.of, 0.5)
