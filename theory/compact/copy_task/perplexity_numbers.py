"""What a flipped bit costs in log-perplexity at most, and from which length on that is as little as wanted."""

from __future__ import annotations

from fractions import Fraction

from theory.arithmetic import ball
from theory.arithmetic.ball import evaluate
from theory.compact.copy_task.perplexity import CLAIM, CLOSENESS, LENGTH, Perplexity, eps, floor, xi
from theory.compact.copy_task.runs import ceiling
from theory.errors import InputError
from theory.quantities import Bound, Count, Enclosure, Exact, Rational, Result, quantity


@quantity("copy-perplexity-bound", unit="nats", claim=CLAIM)
def copy_perplexity_bound(n: Count, margin: Rational, close: Rational, least: Rational) -> Bound:
    """By how much the log-perplexities of n letters and of the same with a flipped bit differ at most."""
    _check(margin, least)
    if not 0 <= close <= margin:
        raise InputError(f"close = {close} is not between 0 and margin = {margin}; give by how much T moves at most")
    return Bound("upper", Perplexity().bound(n, margin, close, least))


@quantity("copy-perplexity-logit-bound", unit="nats", claim=CLAIM)
def copy_perplexity_logit_bound(n: Count, change: Rational, least: Rational) -> Bound:
    """The same bound from the logits: ln(1/least)/n + zeta, where their changes lie within zeta = `change`."""
    if change < 0 or not 0 < least < Fraction(1, 2):
        raise InputError(f"change = {change}, least = {least}: change >= 0 and 0 < least < 1/2 are needed; give such")
    return Bound("upper", change - ball.log(least) / n)


@quantity("copy-perplexity-length", unit="letters", claim=CLAIM)
def copy_perplexity_length(target: Rational, margin: Rational, least: Rational) -> dict[str, Result]:
    """Which closeness of the outputs, and which length, bring both log-perplexities within `target` of each other.

    Where the model reads the letters asked for in place of its own, two terms are bad, and the length is twice as much.
    """
    _check(margin, least)
    if target <= 0:
        raise InputError(f"target = {target} is not positive; give the difference that is allowed, such as 1/100")
    values = {eps: margin, floor: least, xi: target}
    threshold = evaluate(LENGTH, values)
    return {
        "closeness": Enclosure(evaluate(CLOSENESS, values)),
        "threshold": Enclosure(threshold),
        "length": Exact(ceiling(threshold)),
        "length-teacher-forced": Exact(ceiling(2 * threshold)),
    }


@quantity("copy-constant-difference", unit="nats", claim=CLAIM)
def copy_constant_difference(n: Count, right: Rational, flipped: Rational) -> Enclosure:
    """ln(right/flipped)/n: what one flipped bit costs a model that always gives these two letters these chances."""
    if not 0 < flipped <= right < 1:
        raise InputError(f"{right} and {flipped} are not 0 < flipped <= right < 1; give two such probabilities")
    return Enclosure(ball.log(right / flipped) / n)


def _check(margin: Fraction, least: Fraction) -> None:
    for name, value in (("margin", margin), ("least", least)):
        if not 0 < value < Fraction(1, 2):
            raise InputError(
                f"{name} = {value} is not between 0 and 1/2, the range of a part of a half; give such a number"
            )
