"""Evidence from torch's own rounding for when a mean collapses."""

from collections.abc import Iterator

import torch

from constructions.compact.detectors import gathered, itself
from constructions.compact.nets import share_of_ones
from constructions.compact.word_decoder import Layer, WordDecoder, averaging
from theory.compact.precision import Collapse
from theory.evidence import Case, Constructed
from theory.ledger import Submissions
from theory.rope.precision.logit_rounding import FORMATS

torch.set_num_threads(1)
NARROW = {"bfloat16": torch.bfloat16, "float16": torch.float16, "float32": torch.float32}


def test_collapse(ledger: Submissions) -> None:
    def stored() -> Iterator[Case]:
        """1 + 1/n as a float64, cast once; 1/n alone does not collapse."""
        claimed = Collapse()
        for name, dtype in NARROW.items():
            p = FORMATS[name].precision
            for n in (2 ** (p - 1), 2**p - 1, 2**p, 2**p + 1, 2 ** (p + 1)):
                mean = torch.tensor(1 + 1 / n, dtype=torch.float64)
                case = {"format": name, "n": n}
                yield case, bool(mean.to(dtype) == 1) is (n >= claimed.length(p))
                yield case, bool((mean - 1).to(dtype) > 0)

    def heads() -> Iterator[Case]:
        """A head of uniform attention over values 1 and 2, its output cast."""
        head = averaging(lambda x, j: 1 + x)
        model = WordDecoder(lambda word, i: word.double(), (Layer((head,), gathered),), share_of_ones)
        still = WordDecoder(lambda word, i: word.double(), (Layer((averaging(itself),), gathered),), share_of_ones)
        for name, dtype in (("bfloat16", torch.bfloat16), ("float16", torch.float16)):
            p = FORMATS[name].precision
            for n in (2**p - 1, 2**p):
                word, at = torch.eye(1, n, dtype=torch.int64)[0], torch.tensor([n])
                zeros = torch.zeros_like(word)
                same = bool(model.states(word, at).to(dtype) == model.states(zeros, at).to(dtype))
                apart = bool(still.states(word, at).to(dtype) > still.states(zeros, at).to(dtype))
                yield {"format": name, "n": n}, same is (n == 2**p) and apart

    def neighbours() -> Iterator[Case]:
        """Reals 2e-6 apart on both sides of a tie round to adjacent numbers."""
        low, high = (torch.tensor(1 + 2**-8 + side, dtype=torch.float64).to(torch.bfloat16) for side in (-1e-6, 1e-6))
        yield "bfloat16", (float(low), float(high)) == (1.0, 1.0078125)

    claim = "finite-precision-collapse"
    ledger.submit(claim, Constructed("casts of 1 + 1/n", stored()))
    ledger.submit(claim, Constructed("outputs of a head of uniform attention", heads()))
    ledger.submit(claim, Constructed("two sides of a tie", neighbours()))
