"""Measures, scores, costs and bands against their definitions, and against decoders whose answer is known."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from constructions.inference import likelihood_of_every_task
from constructions.inference.models import gaussian
from empirical import checkpoint
from empirical.images import bands, costs, inference, measures, outside, packaged
from empirical.images.data import Images
from empirical.images.networks import Autoencoder, Classifier
from theory.errors import InputError
from theory.inference.cost import Cost, Decoder

torch.set_num_threads(1)
D, K, H = 9, 3, 5


def built(mode: str, width: int = 2, seed: int = 0) -> Autoencoder:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = Autoencoder(D, 0 if mode == "free" else width, K, mode, H)
        for weight in model.parameters():  # far from 0, so that z matters
            torch.nn.init.normal_(weight)
    return model.double().requires_grad_(False)


def random(count: int, seed: int = 1, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(count, D, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def near(a: Tensor, b: Tensor) -> bool:
    return torch.allclose(a, b, atol=1e-9, rtol=1e-9)


def test_a_decoder_that_is_its_means() -> None:
    """The "free" decoder is sum_k z_k m_k: every part of the evidence has a closed form."""
    model, x = built("free"), random(7)
    means = model.decode(x.new_empty(K, 0), torch.eye(K, dtype=x.dtype))
    middle = means.mean(0)
    found = inference.evidence(model, x)
    # Less its mean over k: the bias of the last layer is in all m_k, and no part of the Jacobian.
    assert near(inference.centred(found.gradient), inference.centred((x - middle) @ means.T))
    assert near(found.likelihoods, -(x[:, None] - means).square().sum(-1) / 2)
    assert near(found.offsets, ((means - middle).square().sum(-1) / 2).expand(7, K))
    assert near(found.distance, (x - middle).norm(dim=-1))
    assert near(inference.centred(found.norm), inference.centred(2 * middle @ means.T).expand(7, K))
    # Of a Bernoulli pixel with log-odds a = 2 o, the slope of minus the entropy is a p (1 - p).
    p = (2 * middle).sigmoid()
    slope = inference.centred((4 * middle * p * (1 - p)) @ means.T).expand(7, K)
    assert near(inference.centred(found.entropy), slope)
    assert found.identity.abs().max() < 1e-9
    assert inference.variation(found.offsets)["over images"] < 1e-20


@pytest.mark.parametrize(("mode", "exact"), [("free", True), ("gated", True), ("concat", False)])
def test_the_identity_holds_where_the_decoder_is_linear_in_z(mode: str, exact: bool) -> None:
    found = inference.evidence(built(mode), random(2000))
    assert (found.identity.abs().max() < 1e-9) == exact
    assert (inference.unlike(found.gradient - found.offsets, found.likelihoods) == 0) == exact
    # Offsets of another image are those of this one where they do not depend on the code.
    other = inference.unlike(found.gradient - found.offsets[0], found.likelihoods)
    assert (other == 0) == (mode == "free")


def test_images_in_parts_are_images_together(monkeypatch: pytest.MonkeyPatch) -> None:
    model, x, looks = built("gated"), random(10), list[int]()
    whole, z = inference.evidence(model, x), inference.iterated(model, x, steps=3)
    regret = outside.regret(model, x, whole.likelihoods, steps=3)
    for module in (inference, outside):
        monkeypatch.setattr(module, "AT_ONCE", 4)
    parts = inference.evidence(model, x, lambda: looks.append(1))
    for name, values in vars(whole).items():
        assert torch.allclose(getattr(parts, name), values, atol=1e-12)
    assert torch.allclose(inference.iterated(model, x, steps=3), z, atol=1e-12)
    assert torch.allclose(outside.regret(model, x, whole.likelihoods, steps=3), regret, atol=1e-12)
    assert len(looks) == 3


def test_several_steps_end_at_the_best_mixture() -> None:
    """At a maximum over the simplex no class has a larger slope than the mixture has on average."""
    model, x = built("gated"), random(5)
    ell = gaussian(inference.output(model, inference.encoded(model, x)), x, 1.0)
    z = inference.iterated(model, x, steps=400).requires_grad_()
    (slopes,) = torch.autograd.grad(ell(z).sum(), z)
    assert (slopes.amax(-1) - (z * slopes).sum(-1)).max() < 0.05
    assert (ell(z) >= ell(torch.full_like(z, 1 / K))).all()


def test_rules_and_their_counts() -> None:
    found = inference.evidence(built("gated"), random(6))
    constant, single, z = torch.tensor([1.0, 0.0, -1.0]), found.offsets[0], torch.rand(6, K).softmax(-1)
    scores = inference.scores(found, constant, single, z)
    assert torch.equal(scores["constant offsets"], found.gradient - constant)
    assert torch.equal(scores["offsets of one image"][0], scores["offsets of the image"][0])
    assert torch.equal(scores["iterative"].argmax(-1), z.argmax(-1))
    rows = torch.tensor([[3.0, 1.0, 0.0], [0.0, 2.0, 2.0], [0.0, 1.0, 1.00005]])
    labels = torch.tensor([0, 1, 2])
    assert inference.accuracies({"a": rows}, labels) == {"a": pytest.approx(2 / 3)}
    assert inference.ties({"a": rows}) == {"a": pytest.approx(2 / 3)}
    likelihoods = torch.tensor([[0.0, 1.0, 0.0], [0.0, 2.0, 3.0], [0.0, 1.00001, 1.0]])
    assert inference.unlike(rows, likelihoods) == 2  # the third is tied
    assert inference.agreement(rows, likelihoods) == 0
    assert inference.agreement(rows, rows) == pytest.approx(2 / 3)


def test_correlation_by_its_definition() -> None:
    a, b = random(8), random(8, seed=2)
    ours, theirs = (inference.centred(each).flatten().numpy() for each in (a, b))
    assert inference.correlation(a, b) == pytest.approx(float(np.corrcoef(ours, theirs)[0, 1]), abs=1e-12)
    assert inference.correlation(a, a + random(8)[:, :1]) == pytest.approx(1)
    assert inference.correlation(a, torch.ones_like(a)) == 0


def test_decodings_their_spread_and_the_error() -> None:
    model, x = built("concat"), random(6)
    labels = torch.tensor([0, 1, 2, 2, 1, 0])
    found = inference.decodings(model, x)
    for image in range(6):
        for k in range(K):
            one = model(x[image, None], torch.eye(K, dtype=x.dtype)[k, None])[0]
            assert torch.allclose(found[image, k], one, atol=1e-12)
    array = found.numpy()
    assert inference.spread(model, x) == pytest.approx(array.var(axis=1).mean())
    told = array[np.arange(6), labels.numpy()]
    assert inference.reconstruction(model, x, labels) == pytest.approx(((told - x.numpy()) ** 2).mean())


def test_variation_over_images_and_over_classes() -> None:
    offsets = torch.tensor([[1.0, 3.0], [3.0, 1.0]])
    assert inference.variation(offsets) == {"over images": 1.0, "over classes": 0.0}
    assert inference.variation(offsets[:1].repeat(4, 1)) == {"over images": 0.0, "over classes": 1.0}


def test_regret_is_the_distance_to_what_a_code_can_make() -> None:
    """With all units on, the decoder is affine in the code: the best code is a least-squares fit."""
    model, noise = built("concat"), 0.1 * random(5)
    model.inner.bias.data += 20
    for weight in model.encoder.parameters():  # every image is encoded as 0
        weight.zero_()
    codes = noise.new_tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.5], [0.5, -1.0], [0.0, 0.0]])
    x = model.decode(codes, torch.eye(K, dtype=noise.dtype)[torch.arange(5) % K]) + noise
    likelihoods = inference.evidence(model, x).likelihoods
    found = outside.regret(model, x, likelihoods, steps=400)
    z = torch.eye(K, dtype=x.dtype)[likelihoods.argmax(-1)]
    matrix = (model.outer.weight @ model.inner.weight[:, : model.width]).numpy()
    left = (x - model.decode(torch.zeros_like(codes), z)).numpy()
    best = [np.linalg.lstsq(matrix, each, rcond=None)[1].item() for each in left]
    assert found.numpy() == pytest.approx(-np.array(best) / 2 - likelihoods.amax(-1).numpy(), abs=1e-3)
    assert found.max() > 1
    assert outside.regret(model, x, likelihoods, steps=0).abs().max() < 1e-9


def test_scores_of_other_images() -> None:
    model, x = built("gated").float(), random(6, dtype=torch.float32)
    classifier = Classifier(D, K, 4).requires_grad_(False)
    found = inference.evidence(model, x)
    scores = outside.scores(model, [classifier, classifier], x, found)
    assert torch.allclose(scores["classifier"], classifier(x).double().softmax(-1).amax(-1))
    assert torch.allclose(scores["ensemble"], scores["classifier"])
    assert torch.allclose(scores["confidence"].sigmoid(), found.likelihoods.softmax(-1).amax(-1))
    assert torch.allclose(scores["soft"].sigmoid(), found.gradient.softmax(-1).amax(-1))
    assert torch.allclose(scores["likelihood"], found.likelihoods.amax(-1))
    assert (scores["regret"] <= 0).all() and all(each.shape == (6,) for each in scores.values())
    plain = built("free").float()
    assert "regret" not in outside.scores(plain, [classifier], x, inference.evidence(plain, x))
    areas = outside.areas({"a": torch.tensor([2.0, 3.0])}, {"low": {"a": torch.zeros(3)}, "same": {"a": torch.ones(1)}})
    assert areas == {"low": {"a": 1.0}, "same": {"a": 1.0}}
    assert outside.areas({"a": torch.zeros(2)}, {"high": {"a": torch.tensor([0.0, 1.0])}}) == {"high": {"a": 0.25}}


def test_posteriors_that_are_rounded_to_1_stay_apart() -> None:
    evidence = torch.tensor([[0.0, -20.0, -300.0], [-40.0, 0.0, -40.0], [5.0, 5.0, -300.0]])
    assert evidence.softmax(-1).amax(-1)[:2].tolist() == [1, 1]
    assert outside.log_odds(evidence).tolist() == pytest.approx([20, 40 - np.log(2), 0], abs=1e-5)


def images(count: int, seed: int, labelled: bool = True) -> Images:
    return Images(random(count, seed, torch.float32), torch.arange(count) % K if labelled else None, 3)


def test_measures_of_a_model() -> None:
    model, classifiers = built("gated").float(), [Classifier(D, K, 4) for _ in range(2)]
    train, test, other = images(9, 3), images(30, 4), images(5, 5, labelled=False)
    found = measures.measure(model, classifiers, train, test, {"other": other})
    learned, here = (inference.evidence(model, each.pixels) for each in (train, test))
    constant = (learned.gradient - learned.likelihoods).mean(0)
    right = ((here.gradient - constant).argmax(-1) == test.known).float().mean()
    assert found["accuracy"]["constant offsets"] == pytest.approx(float(right))
    assert found["accuracy"]["offsets of the image"] == found["accuracy"]["likelihoods"]
    assert found["unlike likelihoods"]["offsets of the image"] == 0
    assert found["identity in float64"] < 1e-9 < found["identity"] < 1e-2
    assert set(found["auroc"]) == {"other"} and all(0 <= area <= 1 for area in found["auroc"]["other"].values())
    assert found == measures.measure(model, classifiers, train, test, {"other": other})
    assert measures.measure(model, classifiers, train, test, {})["auroc"] == {}
    for picture in found["pictures"]:
        shown = torch.tensor(measures.levels(picture["pixels"]))
        assert torch.allclose(shown, test.pixels[picture["image"]].clamp(-3, 5), atol=8 / 255)
        assert len(picture["decodings"]) == K and picture["label"] == picture["image"] % K
        assert int(np.argmax(picture["likelihoods"])) == picture["label"]
    with pytest.raises(InputError, match="labels"):
        measures.measure(model, classifiers, train, other, {})


def test_counts_are_those_that_are_proved() -> None:
    counts = counted()
    for each in costs.TASKS:
        decoder = Decoder(2, each, (H, D))
        concat, gated, free = (counts[mode][str(each)] for mode in ("concat", "gated", "free"))
        # The columns of the code are next to those of z in one product, whose gradient is that of all columns.
        assert (concat["forward"], concat["one-step"]) == (decoder.forward, 2)
        assert concat["likelihoods, code once"] * decoder.forward == pytest.approx(decoder.reused + each * each * H)
        assert gated["forward"] == decoder.forward
        assert gated["one-step"] * decoder.forward == pytest.approx(Cost().step(decoder))
        assert (free["forward"], free["one-step"]) == ((each + D) * H, 2)
        for found in (concat, gated, free):
            assert found["likelihoods"] == each
            assert found["offsets of the image"] == pytest.approx(found["one-step"] + each + 1)
            assert found["iterative"] == pytest.approx(50 * found["one-step"])


def test_all_classes_at_once_are_all_classes() -> None:
    for mode in ("concat", "gated", "free"):
        model, x = built(mode).float(), random(4, dtype=torch.float32)
        codes = inference.encoded(model, x)
        ell = gaussian(inference.output(model, codes), x, 1.0)
        assert torch.allclose(costs.at_once(model, codes, x), likelihood_of_every_task(ell, 4, K), atol=1e-3)


def test_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "TASKS", (2, 3))
    monkeypatch.setattr(costs, "BATCHES", (1, 2))
    monkeypatch.setattr(costs, "STEPS", 2)
    times = costs.times(4, 1, 2, 1)
    assert set(times) == {"concat", "gated", "free"} and set(times["free"]) == {"2", "3"}
    assert all(
        each > 0 for mode in times.values() for K in mode.values() for size in K.values() for each in size.values()
    )


def measured(**changes: Any) -> dict[str, Any]:
    """Results of a digit decoder that meet every band."""
    rules = ("classifier", "likelihoods", "iterative", "offsets of the image", "constant offsets", "one-step")
    accuracy = dict(zip(rules, (0.985, 0.96, 0.96, 0.96, 0.93, 0.9), strict=True))
    area = {"centred max": 0.8, "alignment": 0.99, "likelihood": 1.0}
    found = {
        "accuracy": {**accuracy, "entropy": 0.2, "norm": 0.1},
        "unlike likelihoods": {"offsets of the image": 0, "offsets of one image": 0},
        "auroc": {"photographs": area, "faces": area},
        **dict(agreement=0.9, correlation=0.9, identity=1e-5, spread=0.1, reconstruction=0.1),
    }
    return {**found, **changes}


@cache
def counted() -> dict[str, Any]:
    return costs.counts(D, 2, H)


def study(**changed: list[dict[str, Any]]) -> dict[str, Any]:
    wide: dict[str, Any] = measured(spread=0.01, reconstruction=0.01)
    wide["accuracy"] = {**wide["accuracy"], "likelihoods": 0.6, "one-step": 0.6}
    chance = measured(accuracy={"one-step": 0.1, "likelihoods": 0.1}, auroc={})
    found = {"concat": [measured()] * 2, "gated": [measured()] * 2, "free": [measured()] * 2}
    found |= {"wide": [wide], "permuted": [chance] * 2, **changed}
    sizes = {"concat": 4, "gated": 8, "free": 0, "wide": 32, "permuted": 4}
    models = [
        {
            "kind": "concat" if name in ("wide", "permuted") else name,
            "width": sizes[name],
            "permuted": name == "permuted",
            "measures": each,
        }
        for name, seeds in found.items()
        for each in seeds
    ]
    return {"models": models, "costs": {"counts": counted()}}


def missed(found: dict[str, Any], data: str = "digits") -> list[str]:
    return [row.name for row in bands.rows(found, data) if not row.met]


def test_bands() -> None:
    assert missed(study()) == []
    names = [row.name for row in bands.rows(study(), "digits")]
    assert len(names) == len(set(names))
    fewer = [row.name for row in bands.rows(study(), "fashion")]
    assert set(fewer) < set(names) and not any("permuted" in name or "width" in name for name in fewer)


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"gated": [measured(), measured(identity=2e-4)]}, "gated, largest |P(g - B - ell)|"),
        ({"concat": [measured(agreement=0.7)] * 2}, "concat-4, agreement of one-step with likelihoods"),
        (
            {"free": [measured(), measured(**{"unlike likelihoods": {"offsets of one image": 1}})]},
            "free, offsets of one image: images unlike likelihoods",
        ),
        ({"wide": [measured(spread=0.2, reconstruction=0.01)]}, "width 32 - 4: spread of decodings"),
        (
            {"permuted": [measured(accuracy={"one-step": 0.3, "likelihoods": 0.1}, auroc={})]},
            "permuted-4, one-step",
        ),
    ],
)
def test_a_band_is_missed(changed: dict[str, list[dict[str, Any]]], name: str) -> None:
    assert name in missed(study(**changed))


def test_packaged_decoders(tmp_path: Path) -> None:
    test = packaged.images()
    for name in packaged.NAMES:
        model, card = packaged.trained(name)
        found = inference.evidence(model, test.pixels)
        right = inference.accuracies({"all": found.likelihoods}, test.known)["all"]
        assert right > 0.8 and card["network"]["plan"]["kind"] == model.mode == name
        assert (float(found.identity.abs().max()) < inference.CLOSE) == (name != "concat")
    tensors, card = checkpoint.load(packaged.FOLDER / "gated.json")
    for plan in ({"kind": "concat", "width": 8, "hidden": 128}, {"kind": "gated"}):
        checkpoint.save(tmp_path / "gated.json", tensors, {"network": {"plan": plan}})
        with pytest.raises(InputError, match="do not fit together"):
            packaged.trained("gated", tmp_path)
    with pytest.raises(InputError, match="choose among"):
        packaged.trained("words")
    checkpoint.save(tmp_path / "digits.json", tensors, {})
    with pytest.raises(InputError, match="no images"):
        packaged.images(tmp_path)
