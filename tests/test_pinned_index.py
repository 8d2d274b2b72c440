"""What the checkers of the Index claims look at: the size of every piece of evidence, and the first witness.

A check that quietly looks at less, or a control that is refuted for another reason, shows here.
"""

from __future__ import annotations

import pytest

from tests.pinned import evidence, formula, rows, variants
from theory.claims import STATEMENT

TABLE = """
index-logit
  statement | 1 identity; 16 identities; 120 cases
  control: the head looks forward | 1 identity | logit
  control: one position beside | 1 identity | logit
  control: sine | 1 identity | logit
index-feasibility
  statement | 926 cases; 1 identity; 3 identities
  control: rotation exponent j - n | 19 cases | a 1 at theta = 2*pi/3: margin 0
  control: integers are copied too | 9 cases | 1 1 at theta = pi: margin 3
  control: no residual connection | 1 case | a at theta = 0: margin 2
  control: margin 2 where an integer finds a letter | 7 cases | a 1 at theta = pi: margin 1
  without Index-valid | 33 cases | a 2 at theta = 2*pi/3: margin 0
  without no alias | 45 cases | a a 2 at theta = pi: margin 0
  without copies outweigh the residual | 7 cases | a 1 at theta = pi: margin 0
index-softmax-threshold
  statement | 707 cases; 9 identities; 30 cases; 162 cases; 1 box; 1 box; 1 box; 1 box
  control: bound 1 for letters | 7 cases | {'s': 0, 'n': 2, 'attained': False}
  control: bound 3 for integers | 8 cases | {'s': 1, 'input': (0, 2)}
  control: offsets up to n | 7 cases | {'s': 0, 'n': 2, 'attained': False}
  control: the query's own key forgotten | 8 cases | {'s': 1, 'input': (0, 2)}
  without alpha = 2 | 2 cases | {'s': 0, 'input': (0, 1)}
index-discrepancy-printed
  statement | 30 cases; 30 examples, seed 31558, largest ratio 1.394 | n=4, theta=2*pi/3, s=1
  control: without 1 - cos theta | 30 cases | n=4, theta=2*pi/3, s=1
  control: pi^2/(2 n^2), for the minimum | 1 case | n=2, theta=pi
  near miss: the minimum over all inputs | 131 cases; 400 examples, seed 31558, largest ratio 1
index-discrepancy-neighbour
  statement | 830 cases; 2 identities
  control: 1 - cos(2 theta) | 1 case | n=2, x=1/2, s=0
  control: 1 - cos(theta/2) | 1 case | n=2, x=1/2, s=0
index-discrepancy-worst-case
  statement | 726 cases; 454 cases; 23 cases; 1 box; 7 boxes; 18 boxes; 60 examples, seed 31558, largest ratio 1
  control: n + 1 parts | 1 case | {'n': 2, 'turns': Fraction(1, 2), 'D': Fraction(1, 2)}
  control: n - 1 parts | 2 cases | {'n': 2, 'supremum': Fraction(1, 2)}
  control: offsets up to n | 2 cases | {'n': 2, 'supremum': Fraction(1, 3)}
  without letter queries | 3 cases | {'n': 3, 'turns': Fraction(1, 2), 'D': Fraction(1, 2)}
index-discrepancy-best-case
  statement | 306 cases; 143 cases; 15 cases; 100 examples, seed 31558, largest ratio 0.99
  control: the middle rounded down | 1 case | {'n': 2, 'm': 1, 'turns': Fraction(1, 2)}
  control: 2 pi^2/n^2, as printed | 306 cases; 9 cases | {'n': 4, 'm': 1}
  control: 8 pi^2/(n + 2)^2 | 306 cases; 40 cases | {'n': 7, 'm': 3}
  without few integers | 306 cases; 18 cases | {'n': 4, 'm': 8, 'bound': 2*pi**2/(-m + n)**2}
index-positivity-condition
  statement | 180 cases; 36 cases; 1 identity
  control: theta/pi must be irrational | 2 cases | n=2, theta=pi
  control: denominators above n | 2 cases | n=2, theta=pi
  control: theta irrational | 6 cases | n=3, theta=pi
index-positivity-printed
  statement | 4 cases; 8 examples, seed 31558, largest ratio 0 | n=3, theta=pi
  control: theta not 0 | 5 cases | n=3, theta=pi
  control: theta a rational multiple of pi | 2 cases | n=3, theta=pi
  near miss: theta/(2 pi) irrational | 21 cases; 64 examples, seed 31558, largest ratio 0
delta-min-continued-fraction
  statement | 324 cases; 76 cases; 200 examples, seed 31558, largest ratio 1; 1 identity
  control: T = n | 1 case | {'turns': Fraction(1, 2), 'T': 1}
  control: the convergent before | 2 cases | {'turns': Fraction(1, 2), 'T': 2}
  control: intermediate convergents for the minimum | 5 cases | {'turns': Fraction(1, 3), 'T': 1}
  control: j - 1 steps | 1 case | {'turns': Fraction(1, 2), 'T': 1}
  control: theta rounded to double precision | 324 cases; 10 cases | theta=1, T=1000000000: t=571845701 above
"""

FORMULAS = {
    ("index-logit", "the head looks forward"): "cos(theta*(-j + n + s))",
    ("index-logit", "one position beside"): "cos(theta*(-j + n - s + 1))",
    ("index-logit", "sine"): "sin(theta*(-j + n - s))",
    ("index-discrepancy-printed", STATEMENT): "Delta_sup(n) <= Min(2*pi**2/n**2, 1 - cos(theta))",
    ("index-discrepancy-printed", "without 1 - cos theta"): "Delta_sup(n) <= 2*pi**2/n**2",
    (
        "index-discrepancy-printed",
        "pi^2/(2 n^2), for the minimum",
    ): "Delta_inf(n) <= Min(pi**2/(2*n**2), 1 - cos(theta))",
    ("index-discrepancy-best-case", "8 pi^2/(n + 2)^2"): "sup_theta(Delta_sup(n)) <= 8*pi**2/(n + 2)**2",
    ("index-discrepancy-best-case", "2 pi^2/n^2, as printed"): "sup_theta(Delta_sup(n)) <= 2*pi**2/n**2",
    ("index-discrepancy-best-case", "the middle rounded down"): "floor(n/2 - 1/2)",
    ("index-discrepancy-worst-case", STATEMENT): "1 - cos(2*pi/n)",
    ("index-feasibility", "rotation exponent j - n"): "cos(theta*(j - n - s)), y = 1 x + a, letters copied 2 times",
    ("index-feasibility", "integers are copied too"): "y = 1 x + a, letters and integers copied 2 times",
    ("index-feasibility", "no residual connection"): "y = 0 x + a, letters copied 2 times",
    ("index-softmax-threshold", STATEMENT): "iff F < 3 for letter queries, F < 1 for integer queries",
    ("index-softmax-threshold", "bound 1 for letters"): "iff F < 1 for letter queries, F < 1 for integer queries",
    ("index-softmax-threshold", "bound 3 for integers"): "iff F < 3 for letter queries, F < 3 for integer queries",
    ("index-softmax-threshold", "offsets up to n"): "over -s <= t <= n-s, t != 0:",
    ("index-softmax-threshold", "the query's own key forgotten"): "over -s <= t <= n-1-s, t != 0, t != -s:",
}


@pytest.mark.parametrize(("claim", "label", "expected"), rows(TABLE))
def test_domains_and_witnesses(claim: str, label: str, expected: str) -> None:
    assert evidence(claim, label).startswith(expected)


def test_every_variant_is_in_the_table() -> None:
    assert {(claim, label) for claim, label, _ in rows(TABLE)} == variants(TABLE)


@pytest.mark.parametrize(("claim", "label"), FORMULAS)
def test_what_statements_and_controls_say(claim: str, label: str) -> None:
    assert FORMULAS[claim, label] in formula(claim, label)
