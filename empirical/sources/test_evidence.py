"""What models say of windows, against definitions."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from constructions.inference import frozen
from empirical.correlation import centred
from empirical.sources.evidence import context_offsets, drawn, gradients, likelihoods, losses, output
from empirical.sources.networks import build
from empirical.sources.plan import Plan
from empirical.sources.texts import VOCABULARY
from theory.errors import InputError

torch.set_num_threads(1)
PLAN = Plan("head", "true", 3, 7, 1, 4)


@pytest.mark.parametrize("body", ["lstm", "transformer"])
@pytest.mark.parametrize("mode", ["input", "head"])
def test_what_models_say(mode: str, body: str) -> None:
    """Of real networks: likelihoods by the definition; where z is at the head, the identity by hand as well."""
    nets = frozen(build(replace(PLAN, mode=mode, body=body, hidden=12)))
    windows = torch.randint(VOCABULARY, (5, 10), generator=torch.Generator().manual_seed(1))
    rows = torch.stack([nets(windows[:, :-1], z.expand(5, 3)) for z in torch.eye(3)])
    log = rows.log_softmax(-1).gather(-1, windows[None, :, 1:, None].expand(3, -1, -1, -1))[..., 0]
    ell = log.sum(-1).T
    assert torch.allclose(likelihoods(nets, windows), ell, atol=1e-4)
    assert torch.allclose(losses(nets, windows, torch.eye(3)[1]), -ell[:, 1] / 9, atol=1e-5)
    z = torch.rand(5, 3)
    assert torch.allclose(output(nets, windows)(z), nets(windows, z), atol=1e-6)
    value, g = gradients(nets, windows)
    step = 1e-2 * torch.eye(3)[0]  # float32: a difference is good to (1e-2)^2 of it, and to 1e-5/1e-2 for rounding
    slope = (losses(nets, windows, torch.full((3,), 1 / 3) - step) - losses(nets, windows, 1 / 3 + step)) * 9 / 2e-2
    assert torch.allclose(g[:, 0], slope, atol=5e-3)
    if mode == "head":
        centre = rows.mean(0).log_softmax(-1)
        exact = (centre.exp() * (centre - rows.log_softmax(-1))).sum(-1).sum(-1).T
        assert torch.allclose(context_offsets(nets, windows), exact, atol=1e-4)
        mean = (centre.exp() * rows).sum(-1).sum(-1).T
        reached = rows.gather(-1, windows[None, :, 1:, None].expand(3, -1, -1, -1))[..., 0].sum(-1).T
        assert torch.allclose(centred(g), centred(reached - mean), atol=1e-4)
        assert torch.allclose(value[:, None] + centred(g) - exact, ell, atol=1e-4)


def test_windows() -> None:
    found = drawn(torch.arange(20), 400, 6, (1, 2))
    assert found.shape == (400, 7) and torch.equal(found, found[:, :1] + torch.arange(7))
    assert (int(found.min()), int(found.max())) == (0, 19)
    assert torch.equal(found, drawn(torch.arange(20), 400, 6, (1, 2)))
    assert not torch.equal(found, drawn(torch.arange(20), 400, 6, (1, 3)))
    assert drawn(torch.arange(7), 2, 6, (1,)).shape == (2, 7)
    with pytest.raises(InputError, match="6 characters has no window of 7"):
        drawn(torch.arange(6), 2, 6, (1,))
