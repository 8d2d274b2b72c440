"""The commands whose output is kept, by the name of its file."""

from __future__ import annotations

import contextlib
import io
import json
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from constructions.demo.__main__ import run as demo
from proofs import (
    head_continuity,
    hull_failure,
    isolation,
    joint_learnability,
    layer_continuity,
    linear_pool,
    master_identity,
)
from proofs.command import run as prove
from theory.__main__ import run as theory

FOLDER = Path(__file__).parent
Run = Callable[[Sequence[str]], int]

_ONE = {"model_type": "llama", "hidden_size": 32, "num_attention_heads": 2, "rope_theta": 500.0}
# What CONFIG stands for in the command of that name.
CONFIGS: dict[str, dict[str, Any]] = {
    "limits": {**_ONE, "max_position_embeddings": 100},
    "limits-two-kinds": {
        "model_type": "gemma3_text",
        "hidden_size": 32,
        "head_dim": 8,
        "num_attention_heads": 4,
        "max_position_embeddings": 200,
        "rope_theta": 4000,
        "rope_local_base_freq": 50,
        "sliding_window": 30,
    },
    "limits-part-turned": {
        **_ONE,
        "max_position_embeddings": 80,
        "partial_rotary_factor": 0.5,
        "rope_scaling": {
            "rope_type": "yarn",
            "factor": 4.0,
            "original_max_position_embeddings": 20,
            "attention_factor": 0.75,
        },
    },
    "encodings-config": {
        "model_type": "llama4_text",
        "num_hidden_layers": 48,
        "max_position_embeddings": 131072,
        "rope_theta": 500000.0,
        "attention_chunk_size": 8192,
        "attn_temperature_tuning": True,
        "no_rope_layer_interval": 4,
        "use_qk_norm": True,
        "num_local_experts": 16,
        "num_experts_per_tok": 1,
    },
    "demo-models": {**_ONE, "max_position_embeddings": 64},
}
_SMALL = ["--length", "6", "--alphabet", "3", "--integers", "3"]
COMMANDS: dict[str, tuple[Run, list[str]]] = {
    "value-help": (theory, ["value", "--help"]),
    "limits-help": (theory, ["limits", "--help"]),
    "demo-help": (demo, ["--help"]),
    "encodings": (theory, ["encodings"]),
    "encodings-alibi": (theory, ["encodings", "alibi"]),
    "encodings-config": (theory, ["encodings", "CONFIG"]),
    "show": (theory, ["show", "index-discrepancy-printed"]),
    "show-encoding": (theory, ["show", "qwen-logn"]),
    "show-latex": (theory, ["show", "index-discrepancy-printed", "--latex"]),
    "limits": (theory, ["limits", "CONFIG"]),
    "limits-two-kinds": (theory, ["limits", "CONFIG", "--beta", "7/2", "--letters", "5", "--dtype", "float16"]),
    "limits-part-turned": (theory, ["limits", "CONFIG", "--zero-planes", "1"]),
    "limits-bases": (theory, ["limits", "--base", "100", "--head-dim", "16", "--target-length", "64"]),
    "limits-no-bases": (theory, ["limits", "--base", "10", "--head-dim", "4", "--target-length", "500"]),
    "demo": (demo, [*_SMALL, "--task", "all"]),
    "demo-printed": (demo, [*_SMALL, "--task", "retrieval-printed", "--angle", "1/100", "--seed", "1"]),
    "demo-models": (demo, ["--task", "models", "--config", "CONFIG", "--length", "40"]),
    "proof-head-continuity": (partial(prove, head_continuity.main), []),
    "proof-hull-failure": (partial(prove, hull_failure.main), []),
    "proof-isolation": (partial(prove, isolation.main), []),
    "proof-joint-learnability": (partial(prove, joint_learnability.main), []),
    "proof-layer-continuity": (partial(prove, layer_continuity.main), []),
    "proof-linear-pool": (partial(prove, linear_pool.main), []),
    "proof-master-identity": (partial(prove, master_identity.main), []),
}


def printed(name: str) -> str:
    """What a command prints on a terminal of 100 columns, with its exit code."""
    run, arguments = COMMANDS[name]
    text = io.StringIO()
    with TemporaryDirectory() as folder, patch.dict(os.environ, {"COLUMNS": "100"}), contextlib.chdir(folder):
        Path("config.json").write_text(json.dumps(CONFIGS.get(name, {})), encoding="utf-8")
        with contextlib.redirect_stdout(text):
            code = run(["config.json" if word == "CONFIG" else word for word in arguments])
    return "\n".join([*(line.rstrip() for line in text.getvalue().splitlines()), f"exit code {code}", ""])
