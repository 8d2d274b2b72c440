"""The plane angles against those of transformers, to the rounding of its float32; skipped where it is not installed."""

from __future__ import annotations

import importlib
import json
import math
from typing import Any

import numpy as np
import pytest

from tests.source import ROOT
from tests.test_rope_config import LLAMA, MODELS, RAW, SCALINGS, settings_of, text_part
from theory.arithmetic.angle import Angle
from theory.compact.encodings.classify import classify
from theory.rope.models.frequencies import Llama3
from theory.rope.models.settings import RopeSettings
from theory.rope.models.yarn import Yarn


def rounding(settings: RopeSettings) -> float:
    """A bound on the relative error of the same formula in float32.

    A power base^x with x in [0, 1] rounded loses (1 + log base) units, the other steps a handful. Where a ramp divides
    the angle, its error counts up to factor times; it comes from a difference of turns or of plane indices.
    """
    unit = 2.0**-24
    power = (math.log(settings.base) + 8) * unit
    scaling = settings.scaling
    if isinstance(scaling, Llama3):
        high, low = float(scaling.high_freq_factor), float(scaling.low_freq_factor)
        return power * (1 + float(scaling.factor) * high / (high - low))
    if isinstance(scaling, Yarn):
        low, high = (float(Angle(end).real) for end in scaling.ramp_range(settings.base, settings.rotary_dim))
        return power + float(scaling.factor) * settings.rotary_dim * unit * (1 + 1 / (high - low))
    return power


@pytest.mark.parametrize("scaling", SCALINGS.values(), ids=SCALINGS)
@pytest.mark.parametrize("length", [8192, 4096, 20_000])
def test_transformers_agrees_on_every_kind(scaling: dict[str, Any], length: int) -> None:
    transformers = pytest.importorskip("transformers")
    functions = importlib.import_module("transformers.modeling_rope_utils").ROPE_INIT_FUNCTIONS
    config = {**LLAMA, "rope_scaling": scaling}
    settings = settings_of(config).at(length)
    theirs = transformers.LlamaConfig(**json.loads(json.dumps(config)))
    frequencies, attention_factor = functions[settings.kind](theirs, "cpu", seq_len=length)
    np.testing.assert_allclose(settings.float64(), frequencies.double().numpy(), rtol=rounding(settings))
    assert float(settings.attention_factor) == pytest.approx(attention_factor, rel=1e-14)


@pytest.mark.parametrize("name", [name for name in RAW if name not in ("GPT-J 6B", "InternLM2.5 7B")])
def test_transformers_agrees_on_every_model(name: str) -> None:
    """The models' own rotary modules, at the length where they start: longrope with the short list."""
    pytest.importorskip("transformers")
    config = json.loads(json.dumps(text_part(RAW[name])))
    family = config["model_type"].removesuffix("_text")
    classes = importlib.import_module("transformers.models.auto.configuration_auto").CONFIG_MAPPING
    modeling = importlib.import_module(f"transformers.models.{family}.modeling_{family}")
    (rotary,) = (
        value
        for key, value in vars(modeling).items()
        if key.endswith("RotaryEmbedding") and "Scaled" not in key and value.__module__ == modeling.__name__
    )
    buffers = dict(rotary(classes[config["model_type"]](**config)).named_buffers())
    for kind, settings in MODELS[name].layers.items():
        theirs = buffers["inv_freq" if kind == "all" else f"{kind}_inv_freq"].double().numpy()
        short = settings.at(min(settings.length, 4096))
        np.testing.assert_allclose(short.float64(), theirs, rtol=rounding(settings))


def test_transformers_agrees_on_gptj() -> None:
    pytest.importorskip("transformers")
    table = importlib.import_module("transformers.models.gptj.modeling_gptj").create_sinusoidal_positions(2, 64)
    angles = MODELS["GPT-J 6B"].layers["all"].float64()
    np.testing.assert_allclose(np.sin(angles), table[1, :32].double().numpy(), rtol=(math.log(1e4) + 8) * 2.0**-24)


def test_class_defaults_are_those_of_transformers() -> None:
    pytest.importorskip("transformers")
    classes = importlib.import_module("transformers.models.auto.configuration_auto").CONFIG_MAPPING
    said = json.loads((ROOT / "theory/rope/models/model_types.json").read_text(encoding="utf-8"))
    for model_type, values in said["class_defaults"].items():
        config = classes[model_type]()
        parameters = getattr(config, "rope_parameters", None) or {}
        local = parameters.get("sliding_attention", {})
        parameters = parameters.get("full_attention", parameters)
        for name, value in values.items():
            if name in ("rope_theta", "partial_rotary_factor"):
                # The base of the older families stands in their code.
                assert parameters.get(name, 10000) == value, model_type
            elif name == "rope_local_base_freq":
                assert local["rope_theta"] == value, model_type
            else:
                assert getattr(config, name) == value, (model_type, name)
    for model_type in said["without_rope"].keys() & set(classes.keys()):  # a later release may drop a family
        assert not getattr(classes[model_type](), "rope_parameters", None), model_type


@pytest.mark.parametrize(
    ("name", "components"),
    [
        ("Llama4TextConfig", "nope rope llama4-tuning hybrid-windows qk-norm top-k-experts"),
        ("Gemma2Config", "rope hybrid-windows logit-softcap"),
        ("GptOssConfig", "yarn hybrid-windows learned-sink top-k-experts"),
        ("SmolLM3Config", "nope rope"),
        ("MptConfig", "alibi"),
        ("GPT2Config", "learned-table"),
    ],
)
def test_components_of_classes_with_their_defaults(name: str, components: str) -> None:
    config = getattr(pytest.importorskip("transformers"), name)().to_dict()
    assert " ".join(component.encoding.name for component in classify(config).components) == components
