"""Margins of the Reflexive heads, the inverse temperature they need at a length, and the length that one reaches.

Source: derived here for arXiv 2605.31558, Section 3. F_{0,n-1} adds e^(-beta (1 - cos t theta)) over t = 1..n-1.
"""

from __future__ import annotations

from theory.arithmetic.ball import Real, exp, log, versine
from theory.quantities import AnyAngle, Enclosure, Exact, Length, Letters, NonzeroAngle, Number, Positive, quantity
from theory.rope.index.length import first_token_reach
from theory.rope.index.temperature import least_beta, sufficient_beta
from theory.rope.index.weights import weight_sum
from theory.rope.reflexive.head import token_step
from theory.rope.scale import ceiling

POSITIONAL, SYMBOLIC = "reflexive-positional", "reflexive-symbolic"


@quantity("reflexive-residual-margin", unit="output coordinate", claim="reflexive-constructions")
def reflexive_residual_margin(n: Length, theta: AnyAngle, beta: Number) -> Enclosure:
    """Least margin 2 w_n = 2/(1 + F_{0,n-1}) of the positional head with a residual, over all inputs of length n."""
    return Enclosure(2 / (1 + weight_sum(0, n - 1, beta, theta)))


@quantity("reflexive-positional-margin", unit="output coordinate", claim=POSITIONAL)
def reflexive_positional_margin(n: Length, theta: AnyAngle, beta: Number) -> Enclosure:
    """Least margin (1 - F)/(1 + F), F = F_{0,n-1}, of the positional head without a residual at length n."""
    competing = weight_sum(0, n - 1, beta, theta)
    return Enclosure((1 - competing) / (1 + competing))


@quantity("reflexive-positional-beta", unit="inverse temperature", claim=POSITIONAL)
def reflexive_positional_beta(n: Length, theta: NonzeroAngle) -> Enclosure:
    """The least inverse temperature above which the positional head without a residual decodes at length n."""
    return Enclosure(least_beta(n, theta, [0], 1) if n > 1 else Real.of(0))


@quantity("reflexive-positional-sufficient-beta", unit="inverse temperature", claim=POSITIONAL)
def reflexive_positional_sufficient_beta(n: Length, theta: NonzeroAngle) -> Enclosure:
    """ln(n - 1)/Delta_inf(n): above it the positional head without a residual decodes, though less may be enough."""
    return Enclosure(sufficient_beta(n, theta, n - 1) if n > 2 else Real.of(0))


@quantity("reflexive-positional-length", unit="tokens", claim=POSITIONAL)
def reflexive_positional_length(beta: Positive, theta: NonzeroAngle) -> Exact:
    """The longest length at which the positional head without a residual decodes all inputs."""
    return Exact(first_token_reach(beta, theta))


def symbolic_gaps(tokens: int) -> dict[str, Real]:
    """The logit gap to the nearest other token: for tokens at equal angles on a circle, and for orthonormal ones."""
    return {"circle": versine(Real.of(token_step(tokens))), "orthonormal": Real.of(1)}


@quantity("reflexive-symbolic-beta", unit="inverse temperature", claim=SYMBOLIC)
def reflexive_symbolic_beta(n: Length, tokens: Letters) -> dict[str, Enclosure]:
    """ln(n - 1)/gap, the inverse temperature above which a symbolic head without a residual decodes at length n."""
    least = log(n - 1) if n > 2 else Real.of(0)
    return {keys: Enclosure(least / distance) for keys, distance in symbolic_gaps(tokens).items()}


@quantity("reflexive-symbolic-length", unit="tokens", claim=SYMBOLIC)
def reflexive_symbolic_length(beta: Positive, tokens: Letters) -> dict[str, Exact]:
    """ceil(e^(beta gap)), the longest length at which a symbolic head without a residual decodes."""
    return {keys: Exact(ceiling(exp(beta * distance))) for keys, distance in symbolic_gaps(tokens).items()}
