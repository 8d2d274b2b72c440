"""The plane angles of every kind of scaling and of the published models, against arithmetic that shares nothing."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.test_rope_config import LLAMA, MODELS, RAW, SCALINGS, settings_of, text_part
from theory.arithmetic.angle import Angle
from theory.errors import InputError
from theory.rope.models.frequencies import Default, Dynamic, Linear, Llama3, Scaling
from theory.rope.models.settings import RopeSettings
from theory.rope.models.yarn import Yarn

# Model, layers, kind, base, rotary width, head width, context, as in the papers and model cards.
TABLE = [
    ("GPT-J 6B", "all", "default", 10_000, 64, 256, 2048),
    ("GPT-NeoX 20B", "all", "default", 10_000, 24, 96, 2048),
    ("Pythia 6.9B", "all", "default", 10_000, 32, 128, 2048),
    ("Llama 2 7B", "all", "default", 10_000, 128, 128, 4096),
    ("Llama 3 8B", "all", "default", 500_000, 128, 128, 8192),
    ("Llama 3.1 8B", "all", "llama3", 500_000, 128, 128, 131_072),
    ("Qwen2.5 7B Instruct", "all", "default", 1_000_000, 128, 128, 32_768),
    ("Qwen3 8B", "all", "default", 1_000_000, 128, 128, 40_960),
    ("Gemma 2 9B", "all", "default", 10_000, 256, 256, 8192),
    ("Gemma 3 4B", "full_attention", "linear", 1_000_000, 256, 256, 131_072),
    ("Gemma 3 4B", "sliding_attention", "default", 10_000, 256, 256, 131_072),
    ("Mistral 7B v0.1", "all", "default", 10_000, 128, 128, 32_768),
    ("Mistral 7B v0.3", "all", "default", 1_000_000, 128, 128, 32_768),
    ("Phi-2", "all", "default", 10_000, 32, 80, 2048),
    ("Phi-3 mini 4k", "all", "default", 10_000, 96, 96, 4096),
    ("Phi-3.5 mini", "all", "longrope", 10_000, 96, 96, 131_072),
    ("SmolLM2 135M", "all", "default", 100_000, 64, 64, 8192),
    ("gpt-oss 20B", "all", "yarn", 150_000, 64, 64, 131_072),
    ("InternLM2.5 7B", "all", "dynamic", 1_000_000, 128, 128, 32_768),
]


def power(base: Fraction, exponent: Fraction) -> float:
    """base^exponent by decimal arithmetic with 40 digits, which shares nothing with balls."""
    with localcontext() as context:
        context.prec = 40
        logarithm = (Decimal(base.numerator) / base.denominator).ln()
        return float((logarithm * exponent.numerator / exponent.denominator).exp())


def closed_form(settings: RopeSettings, config: dict[str, Any]) -> list[float]:
    """The plane angles in float64, formula by formula from the definitions."""
    d, base, length = settings.rotary_dim, settings.base, settings.length
    plain = [power(base, Fraction(-2 * k, d)) for k in range(d // 2)]
    scaling = config.get("rope_scaling") or {}
    factor = scaling.get("factor", 1.0)
    trained = scaling.get("original_max_position_embeddings", config.get("original_max_position_embeddings", 0))
    match settings.kind:
        case "linear":
            return [theta / factor for theta in plain]
        case "dynamic":
            longest = max(length, config["max_position_embeddings"])
            growth = factor * longest / config["max_position_embeddings"] - (factor - 1)
            grown = float(base) * growth ** (d / (d - 2))
            return [grown ** (-2 * k / d) for k in range(d // 2)]
        case "llama3":
            low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
            # Clipping the smooth part covers the two others: s = 0 is the division, s = 1 leaves the angle alone.
            smooth = [min(max((trained * x / (2 * math.pi) - low) / (high - low), 0.0), 1.0) for x in plain]
            return [theta * ((1 - s) / factor + s) for theta, s in zip(plain, smooth, strict=True)]
        case "longrope":
            divisors = scaling["long_factor" if length > trained else "short_factor"]
            return [theta / divisor for theta, divisor in zip(plain, divisors, strict=True)]
        case "yarn":
            turns = (scaling.get("beta_fast", 32), scaling.get("beta_slow", 1))
            low, high = (d * math.log(trained / (2 * math.pi * b)) / (2 * math.log(base)) for b in turns)
            if scaling.get("truncate", True):
                low, high = math.floor(low), math.ceil(high)
            low, high = max(low, 0), min(high, d - 1)
            width = high - low or 0.001
            ramps = [min(max((k - low) / width, 0.0), 1.0) for k in range(d // 2)]
            return [theta * (ramp / factor + 1 - ramp) for theta, ramp in zip(plain, ramps, strict=True)]
    return plain


def test_every_model_is_in_the_table() -> None:
    assert {(name, kind) for name, kind, *_ in TABLE} == {(m.name, kind) for m in MODELS.values() for kind in m.layers}
    assert all(model.source for model in MODELS.values())


@pytest.mark.parametrize(("name", "layer", "kind", "base", "rotary_dim", "head_dim", "context"), TABLE)
def test_models(name: str, layer: str, kind: str, base: int, rotary_dim: int, head_dim: int, context: int) -> None:
    model = MODELS[name]
    settings = model.layers[layer]
    assert (settings.kind, settings.base) == (kind, Fraction(base))
    assert (settings.rotary_dim, settings.head_dim) == (rotary_dim, head_dim)
    assert model.context_length == settings.length == context
    computed = settings.float64()
    assert computed.shape == (len(settings.planes),) == (rotary_dim // 2,)
    np.testing.assert_allclose(computed, closed_form(settings, text_part(RAW[name])), rtol=1e-12)
    if kind == "default":
        assert settings.planes == tuple(Angle.rope(base, rotary_dim, k) for k in range(1, rotary_dim // 2 + 1))
    assert np.all(np.diff(computed) < 0)


def test_known_values() -> None:
    """Values worked out by hand: the slowest planes of GPT-J and Phi-2, attention factors, YaRN's range for gpt-oss."""
    assert MODELS["GPT-J 6B"].layers["all"].planes[-1] == Angle.rope(10_000, 64, 32)
    assert MODELS["Phi-2"].layers["all"].float64()[-1] == pytest.approx(10_000 ** (-30 / 32), rel=1e-15)
    assert float(MODELS["gpt-oss 20B"].layers["all"].attention_factor) == pytest.approx(1 + math.log(32) / 10)
    assert float(MODELS["Phi-3.5 mini"].layers["all"].attention_factor) == pytest.approx(math.sqrt(1 + 5 / 12))
    scaling = MODELS["gpt-oss 20B"].layers["all"].scaling
    assert isinstance(scaling, Yarn)
    low, high = (float(Angle(end).real) for end in scaling.ramp_range(Fraction(150_000), 64))
    assert (low, high) == pytest.approx((8.0928, 17.3980), abs=1e-3)
    assert MODELS["Gemma 3 4B"].sliding_window == 1024
    assert MODELS["Qwen2.5 7B Instruct"].sliding_window is None


@pytest.mark.parametrize("scaling", SCALINGS.values(), ids=SCALINGS)
@pytest.mark.parametrize("length", [1, 2048, 4096, 4097, 8192, 100_000])
def test_kinds_by_closed_formula(scaling: dict[str, Any], length: int) -> None:
    config = {**LLAMA, "rope_scaling": scaling}
    settings = settings_of(config).at(length)
    np.testing.assert_allclose(settings.float64(), closed_form(settings, config), rtol=1e-12)


@given(
    base=st.fractions(Fraction(11, 10), 10**7, max_denominator=1000),
    width=st.integers(2, 20).map(lambda m: 2 * m),
    length=st.integers(1, 10**6),
    kind=st.sampled_from(["default", "linear", "dynamic", "llama3", "yarn"]),
    factor=st.fractions(1, 64, max_denominator=8),
    trained=st.integers(64, 10**5),
    truncate=st.booleans(),
)
def test_formulas_at_random_settings(
    base: Fraction, width: int, length: int, kind: str, factor: Fraction, trained: int, truncate: bool
) -> None:
    scalings: dict[str, Scaling] = {
        "default": Default(),
        "linear": Linear(factor),
        "dynamic": Dynamic(factor, trained),
        "llama3": Llama3(factor, Fraction(1, 2), Fraction(5), trained),
        "yarn": Yarn(factor, trained, truncate=truncate),
    }
    config = {
        "max_position_embeddings": trained,
        "rope_scaling": {
            "factor": float(factor),
            "low_freq_factor": 0.5,
            "high_freq_factor": 5.0,
            "original_max_position_embeddings": trained,
            "truncate": truncate,
        },
    }
    try:
        settings = RopeSettings(base, width, width, scalings[kind], length)
    except InputError:
        # The only refusal among these: YaRN's ramp starts above or ends below all coordinates.
        turns = (width * math.log(trained / (2 * math.pi * beta)) / (2 * math.log(base)) for beta in (32, 1))
        assert kind == "yarn"
        assert max(turns) > width - 1
        return
    # The reference loses a few units in its powers; in a ramp, units of a plane index count up to factor times.
    tolerance = 1e-12 + float(factor) * width * 2.0**-50
    np.testing.assert_allclose(settings.float64(), closed_form(settings, config), rtol=tolerance)
