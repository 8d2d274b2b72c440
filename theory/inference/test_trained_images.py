"""Claims about one gradient, on decoders trained on digits that come with the package, and on digits they never saw."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import torch
from torch import Tensor

from constructions.inference import Diagnosis, diagnose, exact_offsets, gaussian, max_entropy, one_step
from constructions.inference.offsets import Output
from empirical.images.inference import encoded, output
from empirical.images.networks import Autoencoder
from empirical.images.packaged import FOLDER, NAMES, TASKS, images, trained
from theory.evidence import Case, Trained
from theory.inference.simplex import kullback_leibler, total_variation
from theory.ledger import Submissions

torch.set_num_threads(1)
F64 = torch.float64
SHARES = 64  # times the allowance of logits: the rounding of what is computed from shares of them


def digits() -> Tensor:
    return images().pixels.double()


def network(name: str) -> tuple[Autoencoder, dict[str, Any]]:
    """A decoder in float64, and how evidence names it."""
    model, card = trained(name)
    return model.double(), {"checkpoint": card["sha256"], "seeds": (card["network"]["plan"]["seed"],)}


def decoded(model: Autoencoder, x: Tensor) -> Output:
    return output(model, encoded(model, x))


def diagnosed(model: Autoencoder, x: Tensor) -> Diagnosis:
    return diagnose(gaussian(decoded(model, x), x, 1.0), len(x), TASKS, dtype=F64)


def within(a: Tensor, b: Tensor, allowance: Tensor) -> list[bool]:
    """Of every row."""
    found: list[bool] = ((a - b).abs().amax(-1) <= allowance).tolist()
    return found


def shifted(a: Tensor, b: Tensor) -> Tensor:
    """By how much two rows of logits differ, as shares: largest minus least difference, (batch,)."""
    return (a - b).amax(-1) - (a - b).amin(-1)


def numbered(part: str, right: list[bool]) -> Iterator[Case]:
    yield from (({part: at}, each) for at, each in enumerate(right))


def test_cards() -> None:
    files = sorted(path.stem for path in FOLDER.glob("*.json"))
    assert files == sorted(["digits", *NAMES])
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 5e5
    for name in NAMES:
        card = trained(name)[1]
        assert card["command"].startswith("python -m empirical images") and card["network"]["plan"]["kind"] == name
    x = digits()
    assert float(x.mean(-1).abs().max()) < 1e-6 and float((x.std(-1, correction=0) - 1).abs().max()) < 1e-6
    assert set(images().known.tolist()) == set(range(TASKS))


def test_offsets_of_every_image(ledger: Submissions) -> None:
    """The gated decoder: g - B is ell, image by image, and B of another image is not its B."""
    model, weights = network("gated")
    x = digits()
    found, f = diagnosed(model, x), decoded(model, x)
    B = exact_offsets(f, len(x), TASKS, variance=1.0, dtype=F64)
    left = found.gradient - B - found.likelihoods
    allowance = 4 * found.allowance
    identity = within(left, left.mean(-1, keepdim=True), allowance)
    prior = torch.tensor(np.random.default_rng(0).dirichlet(np.ones(TASKS)))
    ours, expected = one_step(found.gradient, offsets=B, prior=prior), one_step(found.likelihoods, prior=prior)
    own = within(ours, expected, SHARES * allowance)
    others = shifted(found.gradient - B.roll(1, 0), found.likelihoods) > 0.01
    corrected = [right and other for right, other in zip(own, others.tolist(), strict=True)]
    vertices = torch.stack([f(e.expand(len(x), TASKS)) for e in torch.eye(TASKS, dtype=F64)])
    mean = within(f(max_entropy(len(x), TASKS, F64)), vertices.mean(0), found.allowance)
    for claim, right in (
        ("gbi-log-linear-master-identity", identity),
        ("gbi-bias-corrected-equals-lli", corrected),
        ("gbi-multiplicative-gating-linear", mean),
    ):
        ledger.submit(claim, Trained("gated decoder of digits", numbered("image", right), **weights))


def test_offsets_once(ledger: Submissions) -> None:
    """The decoder that sees no code: ten numbers serve all images, and it leans to digits far from the mean one."""
    model, weights = network("free")
    x = digits()
    found = diagnosed(model, x)
    B = exact_offsets(decoded(model, x[:1]), 1, TASKS, variance=1.0, dtype=F64)[0]
    ours = within(one_step(found.gradient, offsets=B), one_step(found.likelihoods), SHARES * found.allowance)
    means = decoded(model, x[:1])(torch.eye(TASKS, dtype=F64))
    radii = (means - means.mean(0)).square().sum(-1)
    left = found.offsets - radii / 2
    closed = within(left, left[:, :1], 4 * found.allowance)
    name = "decoder of digits without a code"
    ledger.submit("gbi-bias-corrected-equals-lli", Trained(name, numbered("image", ours), **weights))
    ledger.submit("gbi-gaussian-corollary", Trained(name, numbered("image", closed), **weights))


def test_ten_classes_are_biased_and_two_are_not(ledger: Submissions) -> None:
    """Offsets of ten digits differ, so softmax(g) is off on every image; those of two are equal, so it is exact."""
    x = digits()
    pairs = list(combinations(range(TASKS), 2))
    ends = torch.eye(TASKS, dtype=F64)[torch.tensor(pairs)].repeat_interleave(len(x), dim=0)  # (pairs * images, 2, K)
    repeated = x.repeat(len(pairs), 1)
    for name in ("gated", "free"):
        model, weights = network(name)
        tens, f = diagnosed(model, x), decoded(model, repeated)
        B = exact_offsets(decoded(model, x), len(x), TASKS, variance=1.0, dtype=F64)

        def between(z: Tensor, f: Output = f) -> Tensor:
            return f(torch.einsum("bi,bik->bk", z, ends))

        twos = diagnose(gaussian(between, repeated, 1.0), len(repeated), 2, dtype=F64)
        both = exact_offsets(between, len(repeated), 2, variance=1.0, dtype=F64)
        off = (shifted(tens.gradient, tens.likelihoods) > 0.01) & (shifted(B, torch.zeros_like(B)) > 0.01)
        equal = shifted(both, torch.zeros_like(both)) <= 4 * twos.allowance
        exact = equal & (shifted(twos.gradient, twos.likelihoods) <= 4 * twos.allowance)

        def cases(off: Tensor = off, exact: Tensor = exact) -> Iterator[Case]:
            yield from numbered("image of ten classes", off.tolist())
            for pair, right in zip(pairs, exact.view(len(pairs), -1).all(-1).tolist(), strict=True):
                yield {"classes": pair}, right

        title = f"{name} decoder of digits, ten classes and all pairs"
        ledger.submit("gbi-exactness-iff-equal-offsets", Trained(title, cases(), **weights))


def test_bounds_of_a_decoder_that_bends(ledger: Submissions) -> None:
    """Concatenated, z passes a ReLU: what is lost stays within the bounds of any two vectors of logits."""
    model, weights = network("concat")
    found = diagnosed(model, digits())
    assert float(found.oscillation.min()) > 0.1
    same = found.gradient.argmax(-1) == found.likelihoods.argmax(-1)
    assert bool(found.decided.any()) and not bool(same.all())
    rows = zip(found.posterior.tolist(), one_step(found.gradient).tolist(), strict=True)

    def distances() -> Iterator[Case]:
        for at, (p, q) in enumerate(rows):
            slack = SHARES * float(found.allowance[at])
            near = max(kullback_leibler(p, q), kullback_leibler(q, p)) <= float(found.divergence_bound[at]) + slack
            yield {"image": at}, near and total_variation(p, q) <= float(found.variation_bound[at]) + slack

    ledger.submit("gbi-curvature-kl-tv", Trained("decoder of digits with z concatenated", distances(), **weights))
    # So it is of any two vectors that differ by rho. For the claim, which bounds rho, a ReLU has kinks.
    assert bool(same[found.decided].all())
