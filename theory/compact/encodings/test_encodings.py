"""The classification: its rows, their constants against the formulas, and what configurations come to."""

import math
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theory.__main__ import run
from theory.claims import discover
from theory.compact.encodings.classify import classify
from theory.compact.encodings.constants import length_exponent, length_factor, longrope_logit_factor, yarn_logit_factor
from theory.compact.encodings.encoding import Verdict, decimal
from theory.compact.encodings.table import ENCODINGS, described
from theory.errors import InputError
from theory.rope.models.config import published_models
from theory.rope.models.fields import parse_json

VERDICTS = {
    Verdict.COMPACT: "sinusoidal learned-table finite-table nope rope rope-interpolated dynamic-ntk yarn longrope xpos "
    "t5-buckets fire learned-sink bidirectional",
    Verdict.BOUNDS: "logit-softcap qk-norm",
    Verdict.RECENCY: "alibi kerple-log sliding-window chunked hybrid-windows forget-gates",
    Verdict.LOG: "log-length ssmax qwen-logn llama4-tuning total-length-factor",
    Verdict.EVADES: "yarn-recomputed sink-and-window",
    Verdict.OUTSIDE: "top-k-experts top-k-keys cope",
}
LLAMA = {"model_type": "llama", "rope_theta": 10000.0, "max_position_embeddings": 4096}


def names(config: dict[str, Any]) -> list[str]:
    return [component.encoding.name for component in classify(config).components]


def test_every_row_has_its_verdict_and_is_described() -> None:
    said = {name: verdict for verdict, text in VERDICTS.items() for name in text.split()}
    assert {name: row.verdict for name, row in ENCODINGS.items()} == said
    assert not ENCODINGS.keys() & discover().keys()
    for name, row in ENCODINGS.items():
        assert re.fullmatch("[a-z0-9-]+", name)
        assert all(text and "\n" not in text for _, text in described(row))
        assert (row.factor is not None) == (row.verdict is Verdict.LOG or name == "yarn-recomputed")


def test_claims_that_rows_name_exist() -> None:
    for row in ENCODINGS.values():
        for name in re.findall(r"\(([a-z-]+)[,)]", row.holds):
            assert name in discover() or name in {"s", "n"}, row.name


@given(st.fractions(1, 1000), st.integers(2, 10**6))
def test_factors_of_yarn_and_longrope(factor: Fraction, trained: int) -> None:
    assert float(yarn_logit_factor(factor)) == pytest.approx((0.1 * math.log(factor) + 1) ** 2, rel=1e-12)
    expected = 1 + math.log(factor) / math.log(trained)
    assert float(longrope_logit_factor(factor, trained)) == pytest.approx(expected, rel=1e-12)


@given(st.integers(0, 10**8), st.integers(1, 10**5), st.fractions(Fraction(1, 100), 1))
def test_temperature_tuning_is_that_of_the_released_code(position: int, floor: int, scale: Fraction) -> None:
    """Positions there start at 0, and the code adds 1 to them."""
    expected = math.log1p((position + 1) // floor) * scale + 1
    found = length_factor.evaluate({"rule": f"stepped:{scale}:{floor}", "n": str(position + 1)})
    assert float(found["factor"].value) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("rule", ["ln", "ssmax:3/7", "logn:512", "llama4", "stepped:1/5:100", "total:1000"])
def test_slopes_are_what_factors_tend_to(rule: str) -> None:
    found = length_factor.evaluate({"rule": rule, "n": str(2**3000)})
    slope = float(found["slope"].value)
    assert float(found["factor"].value) / (3000 * math.log(2)) == pytest.approx(slope, rel=5e-3)
    c = length_exponent.evaluate({"rule": rule, "spread": "7/2"})["length-exponent"]
    assert float(c.value) == pytest.approx(slope * 3.5, rel=1e-14)


def test_a_square_outgrows_every_logarithm() -> None:
    assert length_factor.evaluate({"rule": "yarn:4096", "n": "10"})["slope"].value == "infinite"
    assert length_exponent.evaluate({"rule": "yarn:4096", "spread": "1"})["length-exponent"].value == "infinite"


@pytest.mark.parametrize("rule", ["", "yarn", "ssmax:0", "logn:1", "logn:1/2", "llama4:2", "stepped:1", "ssmax:log"])
def test_bad_rules_are_named(rule: str) -> None:
    with pytest.raises(InputError, match="argument rule"):
        length_factor.evaluate({"rule": rule, "n": "5"})


PUBLISHED = {
    "Llama 3.1 8B": ("COMPACT", "rope-interpolated"),
    "Gemma 2 9B": ("RECENCY", "rope hybrid-windows"),
    "Gemma 3 4B": ("RECENCY", "rope-interpolated rope hybrid-windows qk-norm"),
    "Mistral 7B v0.1": ("RECENCY", "rope sliding-window"),
    "Mistral 7B v0.3": ("COMPACT", "rope"),
    "Phi-3.5 mini": ("RECENCY", "longrope sliding-window"),
    "gpt-oss 20B": ("OUTSIDE", "yarn hybrid-windows learned-sink top-k-experts"),
    "InternLM2.5 7B": ("COMPACT", "dynamic-ntk"),
    "Qwen3 8B": ("COMPACT", "rope qk-norm"),
}


def test_published_models() -> None:
    from importlib.resources import files

    text = files("theory.rope.models").joinpath("models.json").read_text(encoding="utf-8")
    entries = {entry["name"]: entry["config"] for entry in parse_json(text, "models.json")}
    assert {model.name for model in published_models()} == entries.keys() >= PUBLISHED.keys()
    for name, config in entries.items():
        found = classify(config)
        if name in PUBLISHED:
            assert (found.verdict.value, " ".join(c.encoding.name for c in found.components)) == PUBLISHED[name]


CONFIGS = [
    ({"model_type": "bloom"}, "alibi", "RECENCY"),
    ({"model_type": "mpt", "attn_config": {"alibi": True}}, "alibi", "RECENCY"),
    ({"model_type": "falcon", "alibi": True}, "alibi", "RECENCY"),
    ({"model_type": "gpt2", "n_positions": 1024}, "learned-table", "COMPACT"),
    ({"model_type": "bert", "max_position_embeddings": 512}, "learned-table bidirectional", "COMPACT"),
    ({"model_type": "t5", "relative_attention_num_buckets": 32}, "t5-buckets", "COMPACT"),
    ({"model_type": "xglm"}, "sinusoidal", "COMPACT"),
    ({"model_type": "smollm3", "rope_theta": 5e6, "no_rope_layers": [1, 1, 1, 0]}, "nope rope", "COMPACT"),
    ({"model_type": "mixtral"}, "rope top-k-experts", "OUTSIDE"),
    ({**LLAMA, "num_local_experts": 4, "num_experts_per_tok": 4}, "rope", "COMPACT"),
    ({**LLAMA, "index_topk": 2048}, "rope top-k-keys", "OUTSIDE"),
    ({**LLAMA, "attn_logit_softcapping": 30.0}, "rope logit-softcap", "COMPACT"),
    ({**LLAMA, "sliding_window": 128, "num_sink_tokens": 4}, "rope sink-and-window", "EVADES"),
    ({**LLAMA, "dual_chunk_attention_config": {"chunk_size": 4096}}, "rope total-length-factor", "LOG"),
    ({**LLAMA, "attention_chunk_size": 512}, "rope chunked", "RECENCY"),
    ({**LLAMA, "rope_scaling": {"rope_type": "yarn", "factor": 8}}, "yarn", "COMPACT"),
    ({**LLAMA, "attn_temperature_tuning": 4, "floor_scale": 100}, "rope llama4-tuning", "LOG"),
    ({"model_type": "llama4_text", "attn_temperature_tuning": False, "max_position_embeddings": 9000},
     "nope rope hybrid-windows top-k-experts", "OUTSIDE"),
    ({"model_type": "qwen", "rotary_emb_base": 10000, "use_logn_attn": True, "seq_length": 2048,
      "max_position_embeddings": 8192, "use_dynamic_ntk": True}, "rope dynamic-ntk qwen-logn", "LOG"),
    ({"model_type": "x", "use_rope": False}, "nope", "COMPACT"),
    ({"text_config": {**LLAMA, "layer_types": ["full_attention", "sliding_attention"], "sliding_window": 8}},
     "rope hybrid-windows", "RECENCY"),
    ({**LLAMA, "rope_parameters": {"rope_type": "yarn", "factor": 16, "rope_theta": 1e4, "llama_4_scaling_beta": 0.1,
                                   "original_max_position_embeddings": 16384}}, "yarn llama4-tuning", "LOG"),
]  # fmt: skip


@pytest.mark.parametrize(("config", "components", "verdict"), CONFIGS)
def test_configurations(config: dict[str, Any], components: str, verdict: str) -> None:
    assert " ".join(names(config)) == components
    assert classify(config).verdict.value == verdict


FIELDS = [
    "model_type", "rope_theta", "rope_scaling", "rope_parameters", "alibi", "attn_config", "sliding_window",
    "layer_types", "use_sliding_window", "attention_chunk_size", "attn_temperature_tuning", "attn_scale", "floor_scale",
    "use_logn_attn", "seq_length", "max_position_embeddings", "position_embedding_type", "num_local_experts",
    "num_experts_per_tok", "index_topk", "attn_logit_softcapping", "use_qk_norm", "num_hidden_layers", "text_config",
    "dual_chunk_attention_config", "num_sink_tokens", "no_rope_layers", "relative_attention_num_buckets",
]  # fmt: skip
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 5000),
    st.floats(),
    st.sampled_from(["llama", "gpt2", "bloom", "mixtral", "qwen", "llama4_text", "yarn", "rope", "full_attention", ""]),
    st.lists(st.sampled_from(["full_attention", "sliding_attention", 3]), max_size=3),
    st.dictionaries(st.sampled_from(["rope_type", "factor", "alibi", "rope_theta", "model_type"]), st.integers(0, 9)),
    st.just({"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 2048}),
)


@given(st.dictionaries(st.sampled_from(FIELDS), ODD))
def test_odd_configurations_are_classified_or_refused_in_one_line(config: dict[str, Any]) -> None:
    message = ""
    try:
        found = classify({**LLAMA, **config})
    except InputError as error:
        message = str(error)
    else:
        assert found.verdict is not Verdict.BOUNDS and found.deciding
    assert "\n" not in message


def test_depth_is_refused() -> None:
    config: dict[str, Any] = {}
    for _ in range(10**5):
        config = {"a": config}
    with pytest.raises(InputError, match="nested too deep"):
        classify(config)


def test_numbers_of_a_configuration() -> None:
    found = classify({**LLAMA, "sliding_window": 4096, "num_hidden_layers": 32})
    assert found.components[-1].detail == "window of 4096 in all layers, R = 131041"
    tuned = classify({**LLAMA, "attn_temperature_tuning": True, "attn_scale": 0.2, "use_logn_attn": True})
    assert float(tuned.exponent(Fraction(10)) or 0) == pytest.approx(2)
    assert float(classify(LLAMA).exponent(Fraction(10)) or 0) == 0


@pytest.mark.parametrize(
    ("config", "complaint"),
    [
        ({}, "no positions are recognised"),
        ({"model_type": "mamba"}, "no attention over positions"),
        ({"model_type": "nobody"}, "no positions are recognised"),
        ({**LLAMA, "layer_types": ["linear_attention"]}, "linear_attention"),
        ({**LLAMA, "rope_scaling": {"type": "odd"}}, "unknown"),
        ({**LLAMA, "position_embedding_type": "kerple"}, "kerple"),
        ({"rope_theta": 1e4, "rope_scaling": {"type": "linear", "factor": 2}}, "max_position_embeddings is missing"),
        ({**LLAMA, "num_local_experts": "many"}, "num_local_experts"),
        ({**LLAMA, "attn_logit_softcapping": -1}, "attn_logit_softcapping"),
        ({**LLAMA, "use_logn_attn": True, "seq_length": 1}, "below 2"),
        ({**LLAMA, "rope_theta": float("nan")}, "rope_theta = nan is not a positive number"),
        ({**LLAMA, "rope_theta": float("inf")}, "rope_theta = inf is not a positive number"),
        ({**LLAMA, "rope_theta": -1e4}, "rope_theta = -10000.0 is not a positive number"),
        ({**LLAMA, "rope_theta": 0.5}, "rope_theta = 0.5 is not above 1"),
        ({**LLAMA, "rope_theta": "10000"}, "rope_theta"),
        ({**LLAMA, "rope_parameters": {"rope_theta": float("nan")}}, "rope_parameters.rope_theta = nan"),
        ({**LLAMA, "rope_parameters": {"full_attention": {"rope_theta": 1}}}, "not above 1"),
        ({"model_type": "bloom", "rope_theta": float("nan")}, "rope_theta = nan"),
        ({**LLAMA, "rotary_pct": 1.5}, "rotary_pct = 1.5 is above 1"),
        ({**LLAMA, "head_dim": 10**20}, "head_dim = 100000000000000000000 is above 4096"),
        ({**LLAMA, "hidden_size": 1e29}, "hidden_size = 1[0-9]* is above 10000000"),
        ({**LLAMA, "hidden_size": -5}, "hidden_size = -5 is not a positive whole number"),
        ({**LLAMA, "hidden_size": 4, "num_attention_heads": 8}, "hidden_size = 4 of 8 heads"),
        ({**LLAMA, "hidden_size": 10**6, "num_attention_heads": 8}, "not between 1 and 4096"),
        ({**LLAMA, "num_hidden_layers": 10**9}, "num_hidden_layers = 1000000000 is above"),
        ({**LLAMA, "rotary_dim": 63}, "rotary width 63 is odd"),
        ({"text_config": {**LLAMA, "head_dim": float("nan")}}, "head_dim = nan"),
    ],
)
def test_bad_configurations_are_named(config: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint) as error:
        classify(config)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [(["encodings", "alib"], "did you mean alibi"), (["encodings", "none.json"], "is not a file")],
)
def test_bad_names_are_one_line(arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == 2
    message = capsys.readouterr().err
    assert complaint in message and message.count("\n") == 1


def test_a_file_with_a_number_that_is_none_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "config.json"
    path.write_text('{"model_type": "llama", "rope_theta": NaN, "max_position_embeddings": 4096}')
    assert run(["encodings", str(path)]) == 2
    message = capsys.readouterr().err
    assert "rope_theta = NaN is not a positive number" in message and message.count("\n") == 1


def test_decimals() -> None:
    assert [decimal(yarn_logit_factor(Fraction(s))) for s in (1, 4)] == ["1", "1.296477"]
