"""Reading config.json: every spelling of the settings, and whatever is none."""

from __future__ import annotations

import json
import math
import os
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.source import ROOT
from theory.arithmetic.angle import Angle
from theory.errors import InputError
from theory.rope.models.config import LARGEST_FILE, ModelRope, published_models, read_config
from theory.rope.models.settings import RopeSettings

LLAMA: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 1024,
    "num_attention_heads": 16,
    "max_position_embeddings": 8192,
    "rope_theta": 500000.0,
}
LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 2048,
}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 2048}
LONGROPE = {
    "rope_type": "longrope",
    "short_factor": [1 + k / 64 for k in range(32)],
    "long_factor": [1 + k for k in range(32)],
    "original_max_position_embeddings": 4096,
}
SCALINGS: dict[str, dict[str, Any]] = {
    "linear": {"rope_type": "linear", "factor": 2.5},
    "dynamic": {"rope_type": "dynamic", "factor": 2.0},
    "llama3": LLAMA3,
    "yarn": YARN,
    "yarn, not truncated": {**YARN, "truncate": False, "beta_fast": 16, "beta_slow": 2.5},
    "yarn, mscale": {**YARN, "mscale": 0.707, "mscale_all_dim": 1.0},
    "yarn, attention factor": {**YARN, "attention_factor": 1.25},
    "yarn, all kept": {**YARN, "original_max_position_embeddings": 8_000_000_000},
    "yarn, no width": {**YARN, "original_max_position_embeddings": 5},
    "longrope": LONGROPE,
    "longrope, factor": {**LONGROPE, "factor": 32.0},
}
MODELS = {model.name: model for model in published_models()}
RAW: dict[str, dict[str, Any]] = {
    entry["name"]: entry["config"]
    for entry in json.loads((ROOT / "theory/rope/models/models.json").read_text(encoding="utf-8"))
}


def read(config: Any) -> ModelRope:
    """What read_config makes of a file with these bytes, or with this value as JSON."""
    content = config if isinstance(config, bytes) else json.dumps(config).encode()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "config.json")
        path.write_bytes(content)
        return read_config(path)


def settings_of(config: Any) -> RopeSettings:
    """The settings of a model without kinds of layers."""
    return read(config).layers["all"]


def text_part(config: dict[str, Any]) -> dict[str, Any]:
    return config.get("text_config", config)


def test_decimals_stay_exact() -> None:
    text = json.dumps({**LLAMA, "head_dim": 4}).replace("500000.0", "1000.1")
    settings = settings_of(text.encode())
    assert settings.base == Fraction(10001, 10)
    assert settings.planes[1] == Angle.rope(Fraction(10001, 10), 4, 2)
    linear = settings_of({**LLAMA, "rope_scaling": {"type": "linear", "factor": 1.1}})
    assert linear.planes[0].expr == Angle.parse("10/11").expr


def test_dynamic_below_and_beyond_the_trained_length() -> None:
    settings = settings_of({**LLAMA, "rope_scaling": SCALINGS["dynamic"]})
    plain = settings_of(LLAMA)
    assert settings.at(10).planes == settings.planes == plain.planes
    beyond = settings.at(8193)
    assert beyond.planes[0] == plain.planes[0]
    assert np.all(beyond.float64()[1:] < plain.float64()[1:])
    with pytest.raises(InputError, match="length 0"):
        settings.at(0)


def test_longrope_changes_lists_after_the_trained_length() -> None:
    settings = settings_of({**LLAMA, "rope_scaling": LONGROPE})
    short, long = settings.at(4096).float64(), settings.at(4097).float64()
    np.testing.assert_allclose(short / long, np.arange(1, 33) / (1 + np.arange(32) / 64), rtol=1e-14)


@pytest.mark.parametrize(
    ("config", "rotary_dim", "head_dim"),
    [
        ({"partial_rotary_factor": 0.25}, 16, 64),
        ({"rotary_pct": 0.25, "rotary_emb_base": 500000}, 16, 64),
        ({"partial_rotary_factor": 0.334, "head_dim": 192}, 64, 192),  # a floor: 64.128 coordinates
        ({"rotary_dim": 48}, 48, 64),
        ({"rotary_dim": 16, "partial_rotary_factor": 0.25}, 16, 64),
        ({"head_dim": 80}, 80, 80),
        ({"rope_parameters": {"rope_theta": 500000.0, "partial_rotary_factor": 0.5}}, 32, 64),
        ({"qk_rope_head_dim": 64, "qk_nope_head_dim": 128, "partial_rotary_factor": 0.5}, 64, 192),
    ],
)
def test_partial_rotary(config: dict[str, Any], rotary_dim: int, head_dim: int) -> None:
    """The exponent runs over the rotary width, not over the head."""
    settings = settings_of({**LLAMA, **config})
    assert (settings.rotary_dim, settings.head_dim) == (rotary_dim, head_dim)
    assert settings.planes[-1] == Angle.rope(500_000, rotary_dim, rotary_dim // 2)


def test_both_places_of_the_settings_agree() -> None:
    bare = {key: value for key, value in LLAMA.items() if key != "rope_theta"}
    for scaling in SCALINGS.values():
        older = read({**LLAMA, "rope_scaling": scaling})
        newer = read({**bare, "rope_parameters": {**scaling, "rope_theta": 500000}})
        early = read({**LLAMA, "rope_scaling": {"type" if k == "rope_type" else k: v for k, v in scaling.items()}})
        assert older.layers == newer.layers == early.layers


def test_two_bases() -> None:
    nested = {
        "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1000000.0},
        "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
    }
    newer = {**text_part(RAW["Gemma 3 4B"]), "rope_parameters": nested}
    del newer["rope_scaling"]
    assert read(newer).layers == MODELS["Gemma 3 4B"].layers
    unrotated = {**LLAMA, "rope_parameters": {**nested, "full_attention": None}}
    assert list(read(unrotated).layers) == ["sliding_attention"]


REFUSED = [
    ({"model_type": "gpt2", "n_embd": 768, "n_head": 12, "n_positions": 1024}, ["gpt2", "absolute positions"]),
    ({"model_type": "bloom", "hidden_size": 64, "n_head": 8}, ["bloom", "ALiBi"]),
    ({"model_type": "mpt", "d_model": 64, "n_heads": 8, "max_seq_len": 2048}, ["mpt", "ALiBi"]),
    ({"model_type": "t5", "d_model": 64, "num_heads": 8}, ["t5", "relative"]),
    ({**LLAMA, "model_type": "falcon", "alibi": True}, ["falcon", "ALiBi"]),
    ({**LLAMA, "position_embedding_type": "nope"}, ["nope"]),
    ({**RAW["GPT-J 6B"], "rotary": False}, ["switched off"]),
    ({**RAW["GPT-J 6B"], "rotary_dim": None}, ["rotary_dim = null"]),
    ({**RAW["GPT-J 6B"], "rotary_dim": 63}, ["rotary width 63", "odd"]),
    ({**LLAMA, "head_dim": 63}, ["rotary width 63", "odd"]),
    ({**LLAMA, "partial_rotary_factor": 0.05}, ["rotary width 3", "odd"]),
    ({**LLAMA, "partial_rotary_factor": 0.01}, ["rotary width 0"]),
    ({**LLAMA, "partial_rotary_factor": 1.5}, ["partial_rotary_factor", "above 1"]),
    ({**LLAMA, "partial_rotary_factor": 0.29, "head_dim": 200}, ["58", "57", "rotary_dim"]),
    ({**LLAMA, "partial_rotary_factor": 0.5, "rotary_dim": 16}, ["32", "16"]),
    ({**LLAMA, "partial_rotary_factor": 0.5, "rotary_pct": 0.25}, ["contradict"]),
    ({**LLAMA, "rotary_dim": 128}, ["128", "64"]),
    ({**LLAMA, "head_dim": 10**6}, ["1000000"]),
    ({**LLAMA, "hidden_size": 1000}, ["hidden_size = 1000", "head_dim"]),
    ({**LLAMA, "hidden_size": None}, ["head width", "head_dim"]),
    ({**LLAMA, "hidden_size": 64.5}, ["hidden_size = 64.5"]),
    ({**LLAMA, "max_position_embeddings": None}, ["max_position_embeddings"]),
    ({**LLAMA, "rope_theta": 0}, ["rope_theta = 0"]),
    ({**LLAMA, "rope_theta": 1.0}, ["rope_theta = 1"]),
    ({**LLAMA, "rope_theta": -10000.0}, ["rope_theta = -10000.0"]),
    ({**LLAMA, "rope_theta": "10000"}, ['rope_theta = "10000"']),
    ({**LLAMA, "rope_theta": True}, ["rope_theta = true"]),
    ({**LLAMA, "rope_theta": math.nan}, ["rope_theta = NaN"]),
    ({**LLAMA, "rope_theta": math.inf}, ["rope_theta = Infinity"]),
    ({**LLAMA, "rope_theta": [10000]}, ["rope_theta = a list"]),
    ({**LLAMA, "rope_theta": 10**40}, ["rope_theta = 1000000"]),
    ({**LLAMA, "rope_theta": None, "model_type": "novel"}, ["rope_theta is missing", "novel"]),
    ({**LLAMA, "rope_scaling": {"type": "ntk", "factor": 2.0}}, ["ntk", "linear"]),
    ({**LLAMA, "rope_parameters": {"rope_type": "proportional"}}, ["proportional"]),
    ({**LLAMA, "rope_scaling": {"type": "linear", "rope_type": "dynamic", "factor": 2.0}}, ["linear", "dynamic"]),
    ({**LLAMA, "rope_scaling": {"factor": 2.0}}, ["factor", "default"]),
    ({**LLAMA, "rope_scaling": {"type": "dynamic", "factor": 2.0, "alpha": 1000.0}}, ["alpha"]),
    ({**LLAMA, "rope_scaling": {"type": "linear"}}, ["linear", "factor"]),
    ({**LLAMA, "rope_scaling": {"type": "linear", "factor": 0.5}}, ["factor = 1/2"]),
    ({**LLAMA, "rope_scaling": {"type": "linear", "factor": -2}}, ["factor = -2"]),
    ({**LLAMA, "rope_scaling": {"type": 5, "factor": 2}}, ["type = 5"]),
    ({**LLAMA, "rope_scaling": [8.0]}, ["rope_scaling = a list"]),
    ({**LLAMA, "rope_scaling": {**LLAMA3, "high_freq_factor": 1.0}}, ["low_freq_factor = 1"]),
    ({**LLAMA, "rope_scaling": {**YARN, "beta_fast": 0.5}}, ["beta_slow = 1"]),
    ({**LLAMA, "rope_scaling": {**YARN, "truncate": "yes"}}, ['truncate = "yes"']),
    ({**LLAMA, "rope_scaling": {**YARN, "original_max_position_embeddings": 2}}, ["ramp", "= 2"]),
    ({**LLAMA, "rope_scaling": {**LONGROPE, "long_factor": [1.0]}}, ["long_factor has 1 entries", "32"]),
    ({**LLAMA, "rope_scaling": {**LONGROPE, "long_factor": [0] * 32}}, ["long_factor = a list"]),
    ({**LLAMA, "rope_scaling": {**LONGROPE, "original_max_position_embeddings": 1}}, ["= 1"]),
    ({**LLAMA, "head_dim": 2, "rope_scaling": SCALINGS["dynamic"]}, ["rotary width 2", "dynamic"]),
    ({**LLAMA, "rope_scaling": YARN, "rope_parameters": LLAMA3}, ["rope_scaling", "rope_parameters"]),
    ({**LLAMA, "rope_parameters": {"rope_theta": 10000.0}}, ["10000", "500000", "contradict"]),
    ({**LLAMA, "rope_parameters": {"full_attention": {}, "rope_theta": 1e4}}, ["rope_parameters.rope_theta"]),
    ({**LLAMA, "sliding_window": 0}, ["sliding_window = 0"]),
    ({**LLAMA, "original_max_position_embeddings": 1024, "rope_scaling": YARN}, ["1024", "2048", "contradict"]),
    ({"text_config": "gemma"}, ['text_config = "gemma"']),
    ({}, ["max_position_embeddings"]),
    (b"", ["empty"]),
    (b"   \n", ["empty"]),
    (json.dumps(LLAMA)[:-9].encode(), ["not JSON", "complete"]),
    (b"[1, 2]", ["a list", "not an object"]),
    (b"NaN", ["NaN", "not an object"]),
    (b"[" * 100_000, ["not JSON"]),
    (b'{"rope_theta": 1' + b"0" * 10_000 + b"}", ["max_position_embeddings"]),
    (json.dumps(LLAMA).replace("500000.0", "1e999999999999999999999").encode(), ["rope_theta = 1e999"]),
]


@pytest.mark.parametrize(
    ("config", "words"),
    REFUSED,
    ids=lambda value: " ".join(value) if value is not None and isinstance(value, list) else "",
)
def test_refused(config: Any, words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        read(config)
    message = str(caught.value)
    assert "\n" not in message
    assert ";" in message or "use one of" in message
    assert [word for word in words if word not in message] == [], message


def test_infinity_where_no_setting_is_read() -> None:
    """State-space hybrids publish an infinite limit of their time step."""
    assert read({**LLAMA, "time_step_limit": [0.0, math.inf]}).layers == read(LLAMA).layers


def test_files_that_are_no_config(tmp_path: Path) -> None:
    large = tmp_path / "large.json"
    large.write_bytes(b" " * (LARGEST_FILE + 1))
    binary = tmp_path / "model.bin"
    binary.write_bytes(b"\x80\x02\xff")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    cases: list[tuple[Path | str, str]] = [
        (tmp_path / "missing.json", "is not a file"),
        (tmp_path, "is a directory"),
        (large, "more than"),
        (binary, "not UTF-8"),
        (pipe, "is not a file"),
        (tmp_path / ("x" * 5000), "cannot be read"),
        ("nul\0byte", "is not a file"),
    ]
    for path, word in cases:
        with pytest.raises(InputError, match=word) as caught:
            read_config(path)
        assert "\n" not in str(caught.value)


HOSTILE = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, -1, 1, 2, 3, 7, 64, 2**63, 10**30, 10**400, 0.1, 1e-300, 1e300, math.nan, math.inf, -math.inf]),
    st.floats(),
    st.integers(),
    st.text(max_size=5),
    st.lists(st.floats(0.5, 64), max_size=33),
    st.dictionaries(st.text(max_size=5), st.integers(), max_size=2),
    st.sampled_from([*SCALINGS.values(), {"a": {"b": {}}}]),
)
NAMES = sorted(
    {*LLAMA, *LLAMA3, *YARN, *LONGROPE, "rope_scaling", "rope_parameters", "head_dim", "rotary_dim", "rotary_pct"}
    | {"text_config", "full_attention", "sliding_attention", "rope_local_base_freq", "sliding_window", "alibi"}
    | {"truncate", "mscale", "mscale_all_dim", "attention_factor", "beta_fast", "beta_slow", "type", "qk_rope_head_dim"}
)
DAMAGE = st.dictionaries(st.sampled_from(NAMES), HOSTILE, max_size=4)


def read_or_refuse(content: bytes) -> None:
    """Either one line of refusal, or settings that can be computed."""
    refusal, layers = "", []
    try:
        layers = list(read(content).layers.values())
    except InputError as error:
        refusal = str(error)
    assert "\n" not in refusal
    assert len(refusal) < 600
    for settings in layers:
        if settings.rotary_dim <= 64:
            angles = settings.float64()
            assert np.all(np.isfinite(angles)) and np.all(angles > 0)
            assert float(settings.attention_factor) > 0


@given(base=st.sampled_from(list(RAW.values())), outer=DAMAGE, inner=DAMAGE, place=st.sampled_from(NAMES))
def test_damaged_configs(base: dict[str, Any], outer: Any, inner: Any, place: str) -> None:
    config = {**base, **outer}
    if isinstance(config.get("rope_scaling"), dict):
        config["rope_scaling"] = {**config["rope_scaling"], **inner}
    elif inner:
        config[place] = {**SCALINGS["yarn"], **inner}
    read_or_refuse(json.dumps(config).encode())


@given(st.recursive(HOSTILE, lambda inner: st.dictionaries(st.sampled_from(NAMES), inner), max_leaves=8))
def test_arbitrary_json(value: Any) -> None:
    read_or_refuse(json.dumps(value).encode())


@given(st.binary(max_size=200))
def test_arbitrary_bytes(content: bytes) -> None:
    read_or_refuse(content)


def test_truncated_files() -> None:
    content = json.dumps(RAW["Llama 3.1 8B"]).encode()
    for end in range(len(content)):
        read_or_refuse(content[:end])
