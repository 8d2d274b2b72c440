"""What the checkers of the universal limits look at: the size of their evidence, the first witness, and the formulas.

A check that quietly looks at less, or a control that is refuted for another reason, shows here.
"""

from __future__ import annotations

import pytest

from tests.pinned import evidence, formula, rows, variants
from theory.evidence import Evidence, Search
from theory.wording import counted

TABLE = """
one-frequency-universal-limit
  statement | 168 cases; 81 cases; 2 identities; 384 examples, ratio 0.97
  control: T + 2 points | 1 case | {'n': 3, 's': 1, 'D': Fraction(1, 2)}
  control: n points | 1 case | {'n': 3, 's': 1, 'D': Fraction(1, 2)}
  control: T points, attained | 1 case | {'n': 3, 's': 1, 'D': Fraction(1, 2)}
  without interior | 1 case | {'n': 2, 's': 0, 'D': Fraction(1, 2)}
  without content-independent | 1 case | two letters at frequency 0, one of them the target's alone
  without one plane | 1 case | half a turn in 1, 2 and 4 steps
one-frequency-phase-optimal
  statement | 360 cases; 3 identities; 150 examples, ratio 1.00
  control: 1 - cos min(A, B) | 49 cases | {'turns': Fraction(1, 3), 'a': 0, 'b': 1}
  control: without min(., pi) | 49 cases | {'turns': Fraction(1, 3), 'a': 0, 'b': 1}
  control: 1 - cos((A + B)/2) | 49 cases | {'turns': Fraction(1, 3), 'a': 0, 'b': 1}
  without free phase | 49 cases | {'turns': Fraction(1, 3), 'a': 0, 'b': 1}
one-frequency-end-target
  statement | 14 cases; 22 cases; 1 box; 119 boxes; 157 boxes; 162 boxes; 2 identities; 19 cases; 300 examples, ratio 0.98
  control: pi/n | 14 cases; 1 case | {'n': 4, "q q'": 6}
  control: 2 sin(pi/(2 (n - 1))) | 14 cases; 2 cases | {'n': 5, "q q'": 6}
  control: 1 - cos(2 pi/n), aligned | 14 cases; 2 cases | {'n': 5, "q q'": 6}
  control: max_y(arc) at n | 14 cases; 2 cases | {'n': 5, "q q'": 6}
  control: a limit of pi | 14 cases; 22 cases; 1 box; 119 boxes; 157 boxes; 162 boxes; 2 identities; 2 cases | {'n': 4}
m-frequency-dirichlet-limit
  statement | 408 cases; 1,540 cases; 420 cases; 39 boxes; 461 boxes; 8 identities; 52 examples, ratio 0.99
  control: n^(-3/m) | 1 case | {'n': 2, 'turns': Fraction(1, 2)}
  control: V_m squared | 1 case | {'n': 2, 'turns': Fraction(1, 2)}
  control: the volume of the cube | 408 cases; 220 cases | {'a': ['1/4', '1/2'], 'turns': ['1/6', '1/3'], 'n': 6}
  without small | 408 cases; 1 case | {'a': ['1', '1/1000000000'], 'turns': ['1/10', '1/10'], 'n': 10}
m-frequency-box-limit
  statement | 209 cases; 420 cases; 300 cases; 4 boxes; 10 boxes; 60 examples, ratio 1.00
  control: n^(-2/m) | 1 case | {'n': 2, 'turns': Fraction(1, 2)}
  control: n + 1 parts | 1 case | {'n': 2, 'turns': Fraction(1, 2)}
  control: half of it | 1 case | {'n': 2, 'turns': Fraction(1, 2)}
  without long | 209 cases; 1 case | {'turns': ['1/2', '1/2'], 'n': 2}
m-frequency-slow-planes
  statement | 408 cases; 62 boxes; 164 boxes; 58 examples, ratio 0.84
  control: slow planes forgotten | 3 cases | {'n': 3, 'turns': ('1/2', '1/6')}
  control: one step of them | 39 cases | {'n': 4, 'turns': ('1/2', '1/8')}
  control: a quarter of it | 40 cases | {'n': 4, 'turns': ('1/2', '1/6')}
  without small | 1 case | a weak plane in S
m-frequency-two-sided-gap
  statement | 390 cases; 585 cases; 2 identities; 300 examples, ratio 1.00
  control: G(T + 2) | 13 cases | {'T': 1, 'n': 3, 'planes': ['1/2 at 0']}
  control: G(n) | 13 cases | {'T': 1, 'n': 3, 'planes': ['1/2 at 0']}
  control: G(T), attained | 13 cases | {'T': 2, 'n': 5, 'planes': ['1/2 at 0']}
  control: attained at all n | 39 cases | {'T': 1, 'n': 4, 'planes': ['1/2 at 0']}
  without two-sided | 2 cases | {'T': 0, 'n': 2, 'planes': ['1/6 at 1/6']}
  without content-independent | 1 case | two letters at frequency 0, one of them the target's alone
dyadic-frequencies
  statement | 502 cases; 37 identities
  control: 2 B/(m - 1) | 2 cases | {'m': 2, 't': 1, 'n': 2}
  control: theta_k = 2 pi/2^k | 1 case | {'m': 1, 't': 1, 'n': 2}
  control: no m planes do better | 502 cases; 1 case | {'m': 2, 'n': 4, 'turns': ['1/5', '2/5']}
  without n <= 2^m | 2 cases | {'m': 1, 't': 2, 'n': 3}
  without n > 2^(m-1) | 2 cases | {'m': 2, 't': 1, 'n': 2}
log-frequencies
  statement | 89 cases; 61 cases; 52 cases; 1 identity; 40 examples, ratio 1.00
  control: log2 n | 2 cases | {'n': 3, 'turns': Fraction(1, 3), 'D': Fraction(1, 3)}
  control: 3 pi/2 in place of 2 pi | 1 case | {'n': 2, 'turns': Fraction(1, 2), 'D': Fraction(1, 2)}
  control: one plane more | 1 case | {'n': 2, 'turns': Fraction(1, 2), 'D': Fraction(1, 2)}
  without two-sided | 1 case | {'n': 3}
  without content-independent | 1 case | n=3
log-frequencies-suffice
  statement | 30 cases; 4 cases; 30 cases; 30 cases; 1 identity
  control: m > ln(n - 1)/(4 epsilon) | 9 cases | {'n': 17, 'epsilon': '7/10', 'm': 1}
  control: m > ln(n - 1)/4 | 6 cases | {'n': 17, 'epsilon': '1/10', 'm': 1}
  without free frequencies | 30 cases; 1 case | {'n': 3, 'epsilon': '1/2', 'm': 6}
bessel-lower-bound
  statement | 19 cases; 45 boxes; 4 identities
  control: 6 in place of 2 pi | 8 cases | {'x': '10'}
  control: 2 in place of 2 pi | 1 case | {'x': '1/1000000'}
  without x >= 0 | 1 case | {'x': '-1/100'}
competitor-weight-floor
  statement | 640 cases; 64 cases; 12 boxes; 7 boxes; 11 boxes; 11 boxes; 10 identities
  control: two-sided without the half | 161 cases | {'a': 1, 'b': 1, 'beta': '1/2', 'turns': ['1/2']}
  control: one-sided with b + 2 | 1 case | {'a': 0, 'b': 1, 'beta': '1/2', 'turns': ['1/2']}
  control: two-sided, own weight forgotten | 161 cases | {'a': 1, 'b': 1, 'beta': '1/2', 'turns': ['1/2']}
  control: I_0 in place of Bes | 1 case | {'a': 0, 'b': 1, 'beta': '1/2', 'turns': ['1/2']}
  without aligned | 3 cases | {'b': 8, 'beta': '7'}
positional-weight-ceiling
  statement | 432 cases; 42 cases; 13 boxes; 188 boxes; 30 boxes; 6 identities; 124 examples, ratio 0.91
  control: T + 2 | 1 case | {'T': 1, 'beta': '1', 'turns': ['1/2']}
  control: 2 T + 1 | 1 case | {'T': 1, 'beta': '1', 'turns': ['1/2']}
  control: I_0 in place of Bes | 1 case | {'T': 1, 'beta': '1', 'turns': ['1/2']}
  without shorter side | 1 case | {'keys after an end target': 40}
  without content-independent | 1 case | {'letters': 2, 'T': 40}
temperature-separation
  statement | 4 cases; 253 cases; 4 boxes; 56 boxes; 23 boxes; 11 boxes; 15 cases; 3 identities
  control: letters: n M < 5 | 4 cases; 164 cases | {'n': 17, 'offset': 0, 'turns': '1/22'}
  control: integers: (n + 1) M < 3 | 4 cases; 205 cases | {'n': 17, 'offset': 8, 'turns': '1/11'}
  control: offset n - 1: n M < 2 | 4 cases; 9 cases | {'n': 3, 'offset': 2, 'turns': '2/7'}
  control: R1 above ln(n - 1)/2 | 4 cases | {'A': 3, 'n': 3, 'beta': '89/256'}
  without one plane | 2 cases | {'planes': 4, 'n': 16, 'offset': 8}
  without repaired | 1 case | {'A': 2, 'n': 2, 'beta': '1/512'}
temperature-several-planes
  statement | 19 cases; 48 cases; 220 cases; 46 boxes; 16 boxes; 5 boxes; 6 identities; 216 examples, ratio 0.64
  control: offset n - 1: n M < 2 | 19 cases; 3 cases | {'n': 9, 'offset': 8, 'turns': ['1/11']}
  control: integers: (n + 1) M < 3 | 19 cases; 10 cases | {'n': 9, 'offset': 4, 'turns': ['1/6']}
  control: several planes need n^2 | 11 cases | {'n': 16, 'offset': 15, 'turns': ['1/2', '1/4', '1/8', '1/16']}
  control: three times as much | 19 cases; 4 cases | {'n': 9, 'offset': 8, 'turns': ['1/11']}
  without aligned | 1 case | {'n': 17}
temperature-best-frequency
  statement | 18 cases; 2 cases; 200 examples, ratio 0.90
  control: the lattice 2 pi/n | 1 case | {'T': 2, 'sides': 1}
  control: 0.0202 n^2 is needed | 11 cases | {'T': 64, 'sides': 1}
  control: c stays at 3 | 13 cases | {'T': 128, 'sides': 1}
  control: u = pi/10 is enough | 2 cases | {'T': 2, 'sides': 2}
rope-optimal-amplitudes
  statement | 4 cases; 1 identity; 12 examples, ratio 0.99
  control: equal amplitudes are best | 1 case | {'base': 10000, 'd': 128, 'n': 17}
  control: 2 pi^2/n^2 | 1 case | {'base': 10000, 'd': 128, 'n': 17}
  control: the fastest plane at t = 1 | 1 case | {'base': 10000, 'd': 128, 'n': 17}
  without two-sided | 1 case | {'d': 2, 'n': 3}
"""  # noqa: E501

# What a statement says, and where its controls differ.
FORMULAS = """
one-frequency-universal-limit | statement | g(s) - max_{r != s} g(r) <= B*(1 - cos(2*pi/(T + 1)))
one-frequency-universal-limit | T + 2 points | g(s) - max_{r != s} g(r) <= B*(1 - cos(2*pi/(T + 2)))
one-frequency-universal-limit | n points | g(s) - max_{r != s} g(r) <= B*(1 - cos(2*pi/n))
one-frequency-universal-limit | T points, attained | g(s) - max_{r != s} g(r) <= B*(1 - cos(2*pi/T))
one-frequency-phase-optimal | statement | Eq(max_psi(gap), 2*sin(Min(pi, A)/2)*sin(Min(pi, B)/2))
one-frequency-phase-optimal | 1 - cos min(A, B) | Eq(max_psi(gap), 1 - cos(Min(A, B)))
one-frequency-phase-optimal | without min(., pi) | Eq(max_psi(gap), 2*sin(A/2)*sin(B/2))
one-frequency-phase-optimal | 1 - cos((A + B)/2) | Eq(max_psi(gap), 1 - cos(A/2 + B/2))
one-frequency-end-target | statement | Eq(sup_{theta,psi}(gap), max_y(2*sin(y/2)*sin(y/(2*n - 2))))
one-frequency-end-target | pi/n | Eq(sup_{theta,psi}(gap), pi/n)
one-frequency-end-target | 2 sin(pi/(2 (n - 1))) | Eq(sup_{theta,psi}(gap), 2*sin(pi/(2*n - 2)))
one-frequency-end-target | 1 - cos(2 pi/n), aligned | Eq(sup_{theta,psi}(gap), 1 - cos(2*pi/n))
one-frequency-end-target | max_y(arc) at n | Eq(sup_{theta,psi}(gap), max_y(2*sin(y/2)*sin(y/(2*n))))
m-frequency-dirichlet-limit | statement | G(n) <= 8*pi*sqrt(P)/n
m-frequency-dirichlet-limit | n^(-3/m) | G(n) <= 8*pi*sqrt(P)/n**(3/2)
m-frequency-dirichlet-limit | V_m squared | G(n) <= 8*sqrt(P)/n
m-frequency-dirichlet-limit | the volume of the cube | G(n) <= 2*pi**2*sqrt(P)/n
m-frequency-box-limit | statement | G(n) <= B*(1 - cos(2*pi/sqrt(n)))
m-frequency-box-limit | n^(-2/m) | G(n) <= B*(1 - cos(2*pi/n))
m-frequency-box-limit | n + 1 parts | G(n) <= B*(1 - cos(2*pi/sqrt(n + 1)))
m-frequency-box-limit | half of it | G(n) <= B*(1 - cos(pi/sqrt(n)))
m-frequency-slow-planes | statement | G(n) <= 2*pi**2*rho_S^2 + sum_{k not in S}(a*Min(2, theta**2*(n - 1)**2/2))
m-frequency-slow-planes | slow planes forgotten | G(n) <= 2*pi**2*rho_S^2 + sum_{k not in S}(0)
m-frequency-slow-planes | one step of them | G(n) <= 2*pi**2*rho_S^2 + sum_{k not in S}(a*theta**2/2)
m-frequency-slow-planes | a quarter of it | sum_{k not in S}(a*Min(2, theta**2*(n - 1)**2/2)/4)
m-frequency-two-sided-gap | statement | g(T) - max_{r != T} g(r) <= G(T + 1)
m-frequency-two-sided-gap | G(T + 2) | g(T) - max_{r != T} g(r) <= G(T + 2)
m-frequency-two-sided-gap | G(n) | g(T) - max_{r != T} g(r) <= G(n)
m-frequency-two-sided-gap | G(T), attained | g(T) - max_{r != T} g(r) <= G(T)
dyadic-frequencies | statement | Eq(G(n), 2*B/5)
dyadic-frequencies | 2 B/(m - 1) | Eq(G(n), B/2)
log-frequencies | statement | m >= log(n)/log(2*pi/acos(1 - c))
log-frequencies | log2 n | m >= log(n)/log(2)
log-frequencies | 3 pi/2 in place of 2 pi | m >= log(n)/log(3*pi/(2*acos(1 - c)))
log-frequencies | one plane more | m >= log(n)/log(2*pi/acos(1 - c)) + 1
log-frequencies-suffice | statement | Implies(m > log(n - 1)/epsilon**2, max_theta G(n) >= B*(1 - epsilon))
log-frequencies-suffice | m > ln(n - 1)/(4 epsilon) | m > log(n - 1)/(4*epsilon)
log-frequencies-suffice | m > ln(n - 1)/4 | Implies(m > log(n - 1)/4, max_theta G(n) >= B*(1 - epsilon))
bessel-lower-bound | statement | exp(-x)*besseli(0, x) >= 1/sqrt(2*pi*x + 1)
bessel-lower-bound | 6 in place of 2 pi | exp(-x)*besseli(0, x) >= 1/sqrt(6*x + 1)
bessel-lower-bound | 2 in place of 2 pi | exp(-x)*besseli(0, x) >= 1/sqrt(2*x + 1)
competitor-weight-floor | statement | F_0b >= M*(b + 1)/2 - 1/2
competitor-weight-floor | statement | F_ab >= M*(a + b + 2)/2 - 1
competitor-weight-floor | two-sided without the half | F_ab >= M*(a + b + 2) - 1
competitor-weight-floor | one-sided with b + 2 | F_0b >= M*(b + 2)/2 - 1/2
competitor-weight-floor | two-sided, own weight forgotten | F_ab >= M*(a + b + 2)/2
positional-weight-ceiling | statement | w <= 1/(prod_k Bes(beta*a_k)*(T + 1))
positional-weight-ceiling | T + 2 | w <= 1/(prod_k Bes(beta*a_k)*(T + 2))
positional-weight-ceiling | 2 T + 1 | w <= 1/(prod_k Bes(beta*a_k)*(2*T + 1))
temperature-separation | statement | Implies(letters_decode, Bes(beta)*n < 7)
temperature-separation | statement | Implies(offset_n-1_decode, Bes(beta)*n < 3)
temperature-separation | statement | Implies(integers_decode, Bes(beta)*(n + 1) < 4)
temperature-separation | statement | Implies(beta > log(n - 1)/(1 - cos(omega)), R1_decodes)
temperature-separation | letters: n M < 5 | Implies(letters_decode, Bes(beta)*n < 5)
temperature-separation | integers: (n + 1) M < 3 | Implies(integers_decode, Bes(beta)*(n + 1) < 3)
temperature-separation | offset n - 1: n M < 2 | Implies(offset_n-1_decode, Bes(beta)*n < 2)
temperature-separation | R1 above ln(n - 1)/2 | Implies(beta > log(n - 1)/2, R1_decodes)
temperature-several-planes | statement | Implies(letters_decode, n*prod_k Bes(beta*a_k) < 7)
temperature-several-planes | statement | Implies(offset_n-1_decode, n*prod_k Bes(beta*a_k) < 3)
temperature-several-planes | statement | Implies(integers_decode, prod_k Bes(beta*a_k)*(n + 1) < 4)
temperature-several-planes | statement | Implies(offset_n-1_decode, a_k=B/2, B*beta > (n/3 - 1)/pi)
temperature-several-planes | offset n - 1: n M < 2 | Implies(offset_n-1_decode, n*prod_k Bes(beta*a_k) < 2)
temperature-several-planes | integers: (n + 1) M < 3 | Implies(integers_decode, prod_k Bes(beta*a_k)*(n + 1) < 3)
temperature-several-planes | several planes need n^2 | a_k=B/2, B*beta > (n**2/9 - 1)/(2*pi)
temperature-several-planes | three times as much | Implies(offset_n-1_decode, a_k=B/2, B*beta > 3*(n/3 - 1)/pi)
temperature-best-frequency | statement | min_theta beta^* <= u*(T + c + 2)**2/(2*pi**2)
temperature-best-frequency | statement | ((T/2 + 1/2)**2 - 1)/(2*pi) <= min_theta beta^*
temperature-best-frequency | statement | ((T + 1)**2/9 - 1)/(2*pi) <= min_theta beta^*
temperature-best-frequency | 0.0202 n^2 is needed | 101*(T + 1)**2/5000 <= min_theta beta^*
temperature-best-frequency | u = pi/10 is enough | min_theta beta^* <= (T + c + 2)**2/(20*pi)
rope-optimal-amplitudes | statement | min_mu max_k sum_t mu_t (1 - cos(t theta_k)))
rope-optimal-amplitudes | equal amplitudes are best | min_t (2/d) sum_k (1 - cos(t theta_k)))
rope-optimal-amplitudes | 2 pi^2/n^2 | Eq(max_a min_t sum_k a_k (1 - cos(t theta_k)), 2 pi^2/n^2)
rope-optimal-amplitudes | the fastest plane at t = 1 | 1 - cos(theta_1))
"""


def size(piece: Evidence) -> str:
    if isinstance(piece, Search):
        return f"{counted(piece.count, 'examples')}, ratio {piece.largest_ratio:.2f}"
    return piece.size


@pytest.mark.parametrize(("claim", "label", "expected"), rows(TABLE))
def test_domains_and_witnesses(claim: str, label: str, expected: str) -> None:
    assert evidence(claim, label, size) == expected


def test_every_variant_is_in_the_table() -> None:
    assert {(claim, label) for claim, label, _ in rows(TABLE)} == variants(TABLE)


@pytest.mark.parametrize("row", FORMULAS.strip().splitlines())
def test_what_statements_and_controls_say(row: str) -> None:
    claim, label, expected = row.split(" | ")
    assert expected in formula(claim, label)
