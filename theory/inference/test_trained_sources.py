"""Claims about models that are linear in z, on a character model of three sources and texts it was not trained on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from constructions.inference import Diagnosis, diagnose, exact_offsets, one_step, tokens
from empirical.sources.evidence import output
from empirical.sources.networks import SourceModel
from empirical.sources.packaged import FOLDER, NAME, excerpts, trained
from theory.evidence import Case, Trained
from theory.ledger import Submissions

torch.set_num_threads(1)
F64 = torch.float64
LENGTH = 128  # letters that a window predicts
TITLE = "LSTM with z at its head, three sources, 128 letters of other texts"


def network() -> tuple[SourceModel, dict[str, Any]]:
    """The model in float64, and how evidence names it."""
    model, card = trained()
    return model.double(), {"checkpoint": card["sha256"], "seeds": (card["training"]["seed"],)}


def diagnosed(model: SourceModel, windows: Tensor) -> Diagnosis:
    ell = tokens(output(model, windows[:, :-1]), windows[:, 1:])
    return diagnose(ell, len(windows), model.K, dtype=F64)


def within(a: Tensor, b: Tensor, allowance: Tensor) -> list[bool]:
    """Of every row."""
    found: list[bool] = ((a - b).abs().amax(-1) <= allowance).tolist()
    return found


def centred(values: Tensor) -> Tensor:
    return values - values.mean(-1, keepdim=True)


def numbered(right: list[bool]) -> Iterator[Case]:
    yield from (({"window": at}, each) for at, each in enumerate(right))


def test_card() -> None:
    model, card = trained()
    assert card["command"].startswith("python -m empirical sources")
    assert card["training"]["mode"] == NAME and model.K == len(card["sources"]) == 3
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 5e5
    windows = excerpts(LENGTH)
    assert windows.shape == (24, LENGTH + 1)
    # Of 96 letters it knows the usual ones: far below log 96 = 4.56.
    assert float(-diagnosed(model.double(), windows).likelihoods.amax(-1).mean()) / LENGTH < 3


def test_offsets_of_every_window(ledger: Submissions) -> None:
    """g - B is ell up to a constant, window by window, and so is the posterior with any prior; not with another's B."""
    model, weights = network()
    windows = excerpts(LENGTH)
    found = diagnosed(model, windows)
    B = exact_offsets(output(model, windows[:, :-1]), len(windows), model.K, dtype=F64)
    # Three numbers are compared, each off by the allowance at most, and a mean is taken away.
    allowance = 4 * found.allowance
    left = centred(found.gradient - B - found.likelihoods)
    identity = within(left, torch.zeros_like(left), allowance)
    prior = torch.tensor(np.random.default_rng(0).dirichlet(np.ones(model.K)))
    expected = one_step(found.likelihoods, prior=prior)
    own = within(one_step(found.gradient, offsets=B, prior=prior), expected, 2 * allowance)
    others = within(one_step(found.gradient, offsets=B.roll(1, 0), prior=prior), expected, 1e-9 + 0 * allowance)
    corrected = [right and not other for right, other in zip(own, others, strict=True)]
    ledger.submit("gbi-log-linear-master-identity", Trained(TITLE, numbered(identity), **weights))
    ledger.submit("gbi-bias-corrected-equals-lli", Trained(TITLE, numbered(corrected), **weights))


def test_letters_by_hand(ledger: Submissions) -> None:
    """g and B from the rows of logits L_k at every position; another centre than p_u gives other offsets."""
    model, weights = network()
    windows = excerpts(LENGTH)
    found = diagnosed(model, windows)
    logits = output(model, windows[:, :-1])
    rows = torch.stack([logits(z.expand(len(windows), -1)) for z in torch.eye(model.K, dtype=F64)])
    centre, each = rows.mean(0).softmax(-1), rows.log_softmax(-1)
    reached = rows.gather(-1, windows[None, :, 1:, None].expand(model.K, -1, -1, -1))[..., 0]
    g = (reached - (centre * rows).sum(-1)).sum(-1).T

    def offsets(centre: Tensor) -> Tensor:
        return (centre * (centre.log() - each)).sum(-1).sum(-1).T

    allowance = 4 * found.allowance
    slopes = within(centred(g), centred(found.gradient), allowance)
    divergences = within(centred(offsets(centre)), centred(found.offsets), allowance)
    mixture = within(centred(offsets(each.exp().mean(0))), centred(found.offsets), 1e-6 + 0 * allowance)
    right = [a and b and not c for a, b, c in zip(slopes, divergences, mixture, strict=True)]
    ledger.submit("gbi-softmax-lm-corollary", Trained(TITLE, numbered(right), **weights))
