"""One attention layer with hand-written weights, as a torch module.

All weights are evaluated from the SymPy matrices of theory. Each entry is rounded once, to nearest; so are the cosines
and sines of the exact angles t theta, which are never formed in floating point. Adjacent rotary layout, causal.
"""

import torch
from sympy import Expr, Matrix
from torch import Tensor, nn

from theory.arithmetic.ball import cos, sin
from theory.arithmetic.real import Real
from theory.errors import InputError
from theory.rope.head import Head
from theory.rope.precision.formats import rounded
from theory.rope.precision.logit_rounding import FORMATS, Format, logit_error


def format_of(dtype: torch.dtype) -> Format:
    """The binary format of a floating-point dtype. Raises InputError for any other dtype."""
    name = str(dtype).removeprefix("torch.")
    if name not in FORMATS:
        raise InputError(f"dtype {name} has no rounding-error bound here; use one of {', '.join(FORMATS)}")
    return FORMATS[name]


def to_tensor(matrix: Matrix, dtype: torch.dtype) -> Tensor:
    """A matrix of real constants as a tensor, each entry rounded once."""
    precision, known = format_of(dtype).precision, dict[Expr, float]()
    tensor = torch.zeros(matrix.shape, dtype=dtype)
    for (row, column), entry in matrix.todok().items():
        if entry not in known:
            known[entry] = float(rounded(Real.of(entry), precision))
        tensor[row, column] = known[entry]
    return tensor


class RopeHead(nn.Module):
    """Causal attention with rotary positions 1..n, and F(x, a) = W_R x + a.

    Args:
        head: query, key and value maps and the frequencies, all constants.
        residual: W_R, d x d; None for 0.
        beta: inverse temperature of the softmax; None for average hard attention, uniform on the largest logits.
        dtype: of weights, states and arithmetic.

    States have shape (..., n, d). For hard attention, logits count as equal if rounding can explain their difference.
    """

    W_Q: Tensor
    W_K: Tensor
    W_V: Tensor
    W_R: Tensor

    def __init__(
        self,
        head: Head,
        residual: Matrix | None = None,
        *,
        beta: float | None,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        self.beta, self.dtype = beta, dtype
        self._angles = [Real.of(angle) for angle in head.angles]
        for name, matrix in (("W_Q", head.W_Q), ("W_K", head.W_K), ("W_V", head.W_V), ("W_R", residual)):
            self.register_buffer(name, to_tensor(matrix if matrix is not None else 0 * head.W_V, dtype))
        norms = (float(weights.double().norm(dim=0).max()) for weights in (self.W_Q, self.W_K))
        self._table = torch.zeros(0, 0, 2, dtype=dtype)
        self.tie = 2 * float(logit_error(format_of(dtype).u, len(self._angles))) * next(norms) * next(norms)

    def rotations(self, length: int) -> Tensor:
        """The cosines and sines of t theta_k for positions t = 1..length and all planes k, length x planes x 2."""
        precision = format_of(self.dtype).precision
        rows = [
            [[float(rounded(function(t * angle), precision)) for function in (cos, sin)] for angle in self._angles]
            for t in range(len(self._table) + 1, length + 1)
        ]
        if rows:
            more = torch.tensor(rows, dtype=torch.float64).to(self.dtype)
            self._table = torch.cat([self._table.reshape(-1, len(self._angles), 2), more])
        return self._table[:length]

    def _rotated(self, vectors: Tensor) -> Tensor:
        c, s = self.rotations(vectors.shape[-2]).unbind(-1)
        a, b = vectors.unflatten(-1, (-1, 2)).unbind(-1)
        return torch.stack((c * a - s * b, s * a + c * b), dim=-1).flatten(-2)

    def logits(self, x: Tensor) -> Tensor:
        """(R^j k_j)^T (R^i q_i) for all queries i (rows) and keys j, those to come included; shape (..., n, n)."""
        queries, keys = (self._rotated(x @ weights.T) for weights in (self.W_Q, self.W_K))
        return queries @ keys.mT

    def weights(self, x: Tensor) -> Tensor:
        """The attention weights on keys j <= i, rows sum to 1; shape (..., n, n)."""
        logits, n = self.logits(x), x.shape[-2]
        scores = (logits if self.beta is None else self.beta * logits).masked_fill(
            torch.ones(n, n, dtype=torch.bool).triu(1), -torch.inf
        )
        scores = scores - scores.amax(-1, keepdim=True)
        weights = (scores >= -self.tie).to(self.dtype) if self.beta is None else torch.exp(scores)
        return weights / weights.sum(-1, keepdim=True)

    def attend(self, x: Tensor) -> Tensor:
        """The attention output a, shape (..., n, d)."""
        return self.weights(x) @ (x @ self.W_V.T)

    def forward(self, x: Tensor) -> Tensor:
        """F(x, a), shape (..., n, d)."""
        return x @ self.W_R.T + self.attend(x)
