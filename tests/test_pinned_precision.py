"""What the checkers look at: the size of their evidence and the first witness, for all variants that are quick.

A check that quietly looks at less, or a control that is refuted for another reason, shows here.
"""

from __future__ import annotations

import pytest

from tests.pinned import evidence, rows

TABLE = """
float-angle-error
  control: one rounding against theta | 243 cases | {'p': 3, 'theta': '1/47', 't': 7}
  control: independent of t | 4 cases | {'p': 2, 'theta': '1/47', 't': 3}
  control: products are exact | 4 cases | {'p': 2, 'theta': '1/47', 't': 3}
  control: half a rounding | 239 cases | {'p': 3, 'theta': '1/47', 't': 3}
  without t <= 2^p | 811 cases | {'p': 3, 'theta': '1/47', 't': 11}
  without no underflow | 660 cases | {'p': 4, 'theta': '1/47', 't': 1}
float-relative-phase
  statement | 2,636 cases; 1 identity; 1,000 examples, seed 25, largest ratio 0.9683
  control: exactly relative | 85 cases | {'p': 3, 'theta': '5/4', 'i': 0, 'j': 3}
  control: in proportion to the offset | 103 cases | {'p': 3, 'theta': '5/4', 'i': 2, 'j': 3}
  control: one of the two errors | 143 cases | {'p': 3, 'theta': '5/4', 'i': 6, 'j': 7}
  without i, j <= 2^p | 301 cases | {'p': 3, 'theta': '5/4', 'i': 0, 'j': 11}
float-order-certificate
  control: one error | 15 cases | {'p': 3, 'theta': '5/16', 'n': 8}
  control: no error | 12 cases | {'p': 3, 'theta': '5/16', 'n': 5}
  control: impossible from pi/(2 u theta) on | 75 cases | {'p': 3, 'theta': '5/4', 'n': 4}
float-gap-saturation
  statement | 884 cases; 637 cases; 14 cases; 41 examples, seed 16, largest ratio 0.9999
  control: the spacing, not half of it | 6 cases | {'p': 2, '1 - x': '5/32'}
  control: a quarter of the spacing | 4 cases | {'p': 2, '1 - x': '3/32'}
  control: one length less | 884 cases; 637 cases; 1 case | {'p': 2, 'n': 12, 'turns': '1/12'}
  control: one length more | 884 cases; 637 cases; 2 cases | {'p': 2, 'n': 13, 'turns': '1/13'}
  without ties to even | 5 cases | {'p': 2, '1 - x': '1/8'}
  without one plane | 884 cases; 637 cases; 1 case | {'p': 2, 'n': 13, 'turns': ['1/13', '6/13']}
float-position-collapse
  statement | 8 cases; 6 cases; 1 identity; 302 examples, seed 258, largest ratio 1
  control: 2^(p+1) + 2 | 1 case | {'p': 2, 'positions': '4, 5'}
  control: float32 fails at 65536 | 1 case | {'p': 2, 'positions': '4, 5'}
  control: one position earlier | 1 case | {'p': 2, 'positions': '4, 5'}
  without positions from 0 on | 1 case | {'p': 2, 'positions': '4, 5'}
  without ties to even | 1 case | {'p': 2, 'positions': '5, 6'}
"""


@pytest.mark.parametrize(("claim", "label", "expected"), rows(TABLE))
def test_domains_and_witnesses(claim: str, label: str, expected: str) -> None:
    assert evidence(claim, label) == expected
