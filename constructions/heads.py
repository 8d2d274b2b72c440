"""Index, Retrieval as printed and repaired, and Reflexive, as torch modules on tokens.

Source: arXiv 2605.31558, Thm 3.1 and App. F.2; repairs and Reflexive from theory.rope.
"""

from typing import Literal

import sympy
import torch

from constructions.reference import Pair, Symbol
from constructions.token_head import TokenHead
from constructions.vocabulary import number_vocabulary, pair_vocabulary
from theory.arithmetic.angle import Angle
from theory.errors import InputError
from theory.rope.index.head import index_embedding, index_head, index_unembedding
from theory.rope.reflexive.head import circle_reflexive_head, orthonormal_reflexive_head, positional_reflexive_head
from theory.rope.reflexive.temperature import symbolic_gaps
from theory.rope.retrieval.head import retrieval_head
from theory.rope.retrieval.repaired import r1_head, r1_residual, r2_head, r3_head
from theory.rope.softmax.guarantees import (
    gap_guarantee,
    index_angle,
    index_guarantee,
    printed_angle,
    printed_guarantee,
    repaired_guarantee,
)


class IndexHead(TokenHead[Symbol]):
    """T_Index: an integer v becomes the token v places back if that is a letter; all else stays.

    Every position that does not point before position 1 is decoded. The angle is 2 pi/length by default, radians.
    Raises InputError if the angle brings a wrong key back to the right phase, or the dtype cannot carry the length.
    """

    def __init__(
        self,
        letters: int,
        integers: int,
        length: int,
        angle: Angle | None = None,
        *,
        beta: float | None = None,
        hard: bool = False,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        self.angle = angle or index_angle(length)
        super().__init__(
            number_vocabulary(letters, integers),
            index_head(letters, integers, self.angle.expr),
            index_guarantee(self.angle),
            length=length,
            best=None if angle else index_guarantee(),
            residual=sympy.eye(letters + integers + 1),
            embedding=index_embedding(letters, integers),
            unembedding=index_unembedding(letters, integers),
            beta=beta,
            hard=hard,
            dtype=dtype,
        )


class RetrievalHead(TokenHead[Pair]):
    """T_Retrieval on proper sequences: an LL token (x, y) becomes the token with left letter y; LI tokens stay.

    `repair` is "R1" (gated residual), "R2" (integers in a second plane) or "R3" (sub-sectors), all at frequency 0, or
    "printed", which needs an angle in (0, omega/(2n)), radians, and is given omega/(2n + 1) by default. Raises
    InputError beyond that angle or if the dtype cannot carry the length.
    """

    def __init__(
        self,
        letters: int,
        integers: int,
        length: int,
        repair: Literal["R1", "R2", "R3", "printed"] = "R1",
        *,
        angle: Angle | None = None,
        beta: float | None = None,
        hard: bool = False,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        vocabulary = pair_vocabulary(letters, integers)
        best = residual = None
        if repair == "printed":
            self.angle = angle or printed_angle(letters, length)
            head = retrieval_head(letters, integers, self.angle.expr)
            guarantee = printed_guarantee(letters, self.angle)
            best = None if angle else printed_guarantee(letters)
        elif repair in ("R1", "R2", "R3"):
            if angle is not None:
                raise InputError(f"angle={angle}: {repair} has frequency 0; leave the angle out, or use repair=printed")
            self.angle = Angle(sympy.S.Zero)
            head = {"R1": r1_head, "R2": r2_head, "R3": r3_head}[repair](letters, integers)
            guarantee = repaired_guarantee(repair, letters, integers)
            # With gain 1 the margin of an LI query is 2/n, which rounding would eat up; with 2 it is above 1.
            residual = r1_residual(letters, integers, 2) if repair == "R1" else None
        else:
            raise InputError(f"repair={repair!r} is no Retrieval head; give R1, R2, R3 or printed")
        super().__init__(
            vocabulary,
            head,
            guarantee,
            length=length,
            best=best,
            residual=residual,
            beta=beta,
            hard=hard,
            dtype=dtype,
        )


class ReflexiveHead(TokenHead[Symbol]):
    """Reflexive: every token stays, with or without a residual F(x, a) = x + a.

    `codes` says what queries and keys are: "positional" (one vector, rotated by 2 pi/length a position or by `angle`,
    radians), "circle" (tokens at equal angles, frequency 0) or "orthonormal" (frequency 0). Raises InputError if the
    dtype cannot carry the length.
    """

    def __init__(
        self,
        letters: int,
        integers: int,
        length: int,
        codes: Literal["positional", "circle", "orthonormal"] = "positional",
        *,
        residual: bool = True,
        angle: Angle | None = None,
        beta: float | None = None,
        hard: bool = False,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        vocabulary = number_vocabulary(letters, integers)
        types, best = len(vocabulary), None
        if codes == "positional":
            self.angle = angle or index_angle(length)
            head, guarantee = positional_reflexive_head(types, self.angle.expr), index_guarantee(self.angle)
            best = None if angle else index_guarantee()
        elif codes in ("circle", "orthonormal"):
            if angle is not None:
                raise InputError(f"angle={angle}: {codes} codes have frequency 0; leave the angle out")
            self.angle = Angle(sympy.S.Zero)
            head = circle_reflexive_head(types) if codes == "circle" else orthonormal_reflexive_head(types)
            guarantee = gap_guarantee(symbolic_gaps(types)[codes], planes=len(head.angles))
        else:
            raise InputError(f"codes={codes!r} are none of positional, circle, orthonormal; give one of them")
        super().__init__(
            vocabulary,
            head,
            guarantee,
            length=length,
            best=best,
            residual=sympy.eye(types) if residual else None,
            beta=beta,
            hard=hard,
            dtype=dtype,
        )
