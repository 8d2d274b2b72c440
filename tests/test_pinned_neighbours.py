"""What the checkers look at: the size of their evidence and the first witness, for all variants that are quick.

A check that quietly looks at less, or a control that is refuted for another reason, shows here.
"""

from __future__ import annotations

import pytest

from tests.pinned import evidence, rows

TABLE = """
barbero-basics
  control: turned the other way | 1 identity | m = 1
  control: the nearest key wins | 3 identities; 2 cases | {'turns': ['1/2', '1/3'], 'n': 2, 'r': 1}
  control: the gap of length n | 3 identities; 4 cases | {'turns': ['1/2', '1/3'], 'n': 3, 'r': 1}
  control: offsets behind the target only | 3 identities; 5 cases | {'turns': ['1/2', '1/3'], 'n': 3, 'r': 2}
  without no return | 3 identities; 30 cases | {'turns': ['1/2', '1/4'], 'n': 5, 'r': 0}
barbero-nope-diagonal
  statement | 400 cases; 1 box; 1 identity; 1 identity
  control: a third at most | 1 case | {'e^(bos - x)': '1'}
  control: below 49/100 | 400 cases; 2 boxes | ((Fraction(-10, 1), Fraction(-5, 1)),)
  without bos | 1 case | {'e^(bos - x)': '0'}
  without no rotation | 0 cases; 2 boxes | ((Fraction(-10, 1), Fraction(-5, 1)),)
barbero-no-decay
  control: decays with the distance | 2 identities | d = 2, variance
  control: decays as its square | 2 identities | d = 2, variance
  control: one term a plane | 2 identities | d = 2, variance
  without independent | 1 identity | d = 2, mean
  without variance 1 | 2 identities | d = 2, variance
barbero-attention-bound
  control: one competitor | 3 cases | {'turns': ['1/3'], 'N': 3, 'eps': '1/100'}
  control: one competitor too few | 1 case | {'turns': ['1/3'], 'N': 3, 'eps': '1/100'}
  control: the gap of length N - 1 | 5 cases | {'turns': ['1/3'], 'N': 4, 'eps': '1/100'}
  without aligned | 1 case | {'turns': ['1/3'], 'N': 2, 'eps': '1/100'}
men-any-larger-base
  control: bases from 200 on | 9,659 cases | d=8, L=16: base 200 is admissible, base 230 is not
men-base-set-not-interval
  statement | 499 cases; 3 cases; 6 boxes; 22 boxes; 36 boxes; 14 boxes
  control: any larger base | 229 cases | {'base': 230}
  control: what bisection from 2 to 300 finds | 229 cases | {'base': 230}
  control: one length less | 229 cases | {'base': 230}
  control: one length more | 193 cases | {'base': 194}
  control: the middle base of three | 499 cases; 2 cases | {'base': 6800}
men-bm-identity
  control: squares of the cosines | 1 identity | d = 2
  control: d terms | 1 identity | d = 2
  without noise of mean 0 | 1 identity | d = 2
  without independent noise | 1 identity | d = 2
men-longest-length
  control: B_m > d/4 | 14 cases | {'d': 4, 'base': '11/3'}
  control: distances up to L | 1 case | {'d': 2, 'base': '3'}
  control: B_m above -1/10 | 13 cases | {'d': 4, 'base': '3'}
men-worst-gap-link
  control: the least B_t | 1 identity; 2 cases | {'d': 4, 'base': 7, 'n': 5}
  control: d in place of d/2 | 1 identity | G = d/2 - B_t
  control: t from 0 | 1 identity; 1 case | {'d': 4, 'base': 7, 'n': 2}
one-plane-semantic-flip
  statement | 60 cases; 17 boxes; 1,000 examples, seed 660, largest ratio 0
  control: n >= pi/theta | 1 case | {'turns': '1/3', 'n': 2}
  control: one window | 1 case | {'turns': '1/3', 'n': 3}
  control: one offset less | 1 case | {'turns': '1/3', 'n': 5}
  without theta > 0 | 1 case | {'turns': '0', 'n': 84}
  without theta < pi | 1 case | {'turns': '1/2', 'n': 6}
  without A2 > 0 | 1 case | {'turns': '1/3', 'n': 6}
semantic-flip-sharp-length
  statement | 36 cases; 50 boxes; 497 examples, seed 660, largest ratio 0
  control: one window | 1 case | {'turns': '1/5', 'n': 4}
  control: two windows | 4 cases | {'turns': '1/5', 'n': 7}
  without theta < pi/2 | 1 case | {'turns': '1/3', 'n': 4}
  without theta > 0 | 1 case | {'turns': '0', 'n': 43}
symbolic-margin-needs-zero-frequency
  statement | 105 cases; 6 identities; 300 examples, seed 6, largest ratio 0.2282
  control: 1/h^2 | 7 cases | {'turns': '1/40', 'n': 12, "|c|, |c'|": '1, 1'}
  control: the target's amplitudes only | 2 cases | {'turns': '1/40', 'n': 2, "|c|, |c'|": '1/1000, 1'}
  control: the distractor's amplitudes only | 3 cases | {'turns': '1/40', 'n': 2, "|c|, |c'|": '1, 1/1000'}
  control: a quarter | 7 cases | {'turns': '1/40', 'n': 12, "|c|, |c'|": '1, 1'}
"""


@pytest.mark.parametrize(("claim", "label", "expected"), rows(TABLE))
def test_domains_and_witnesses(claim: str, label: str, expected: str) -> None:
    assert evidence(claim, label) == expected
