"""Hugging Face models: padded batches, and what is refused on the way from the disk."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import torch

from empirical.capture.conftest import TINY, config
from empirical.capture.hugging_face import HuggingFace
from empirical.capture.loading import check_model, digest, load_model, load_tokenizer, random_model
from empirical.scores.score import score_layer
from theory.errors import InputError

transformers = pytest.importorskip("transformers")
Build = Callable[[str], Any]


@pytest.mark.parametrize("name", ["llama, yarn", "gptj", "gpt_neox", "qwen2", "gemma3", "phi, norms"])
def test_a_left_padded_batch_scores_as_its_prompts_alone(tiny: Build, name: str) -> None:
    adapter = HuggingFace(tiny(name))
    prompts = [torch.randint(50, (n,), generator=torch.Generator().manual_seed(n)) for n in (9, 14, 9, 12)]
    tokens, mask = torch.zeros(4, 14, dtype=torch.int64), torch.zeros(4, 14, dtype=torch.int64)
    for row, prompt in enumerate(prompts):
        tokens[row, -len(prompt) :], mask[row, -len(prompt) :] = prompt, 1
    found = 0
    for rows, heads in adapter.padded_heads(tokens, mask):
        scores = score_layer(heads)
        for at, row in enumerate(rows.tolist()):
            alone = list(adapter.heads(prompts[row][None]))[heads.layer]
            assert alone.queries.shape[2] == heads.queries.shape[2] == len(prompts[row])
            torch.testing.assert_close(heads.queries[at], alone.queries[0], rtol=0, atol=1e-4)
            # Not only close vectors: the same scores, to what single precision upstream leaves of them.
            torch.testing.assert_close(scores.positional[at], score_layer(alone).positional[0], rtol=0, atol=1e-3)
            torch.testing.assert_close(scores.symbolic[at], score_layer(alone).symbolic[0], rtol=0, atol=1e-3)
            found += 1
    assert found == 4 * adapter.layers


@pytest.mark.parametrize("mask", [[1, 1, 0], [1, 0, 1], [0, 0, 0]])
def test_other_padding_is_refused(tiny: Build, mask: list[int]) -> None:
    with pytest.raises(InputError, match="padded on the left"):
        list(HuggingFace(tiny("llama")).padded_heads(torch.ones(1, 3, dtype=torch.int64), torch.tensor([mask])))


def test_users_hooks_and_attention_stay(tiny: Build) -> None:
    model = tiny("llama")
    before = model.config._attn_implementation
    list(HuggingFace(model).heads(torch.zeros(1, 3, dtype=torch.int64)))
    assert model.config._attn_implementation == before
    assert not any(module._forward_hooks for module in model.modules())


def test_half_precision_is_refused(tiny: Build) -> None:
    with pytest.raises(InputError, match=r"bfloat16; load it with dtype=torch.float32"):
        HuggingFace(tiny("llama").to(torch.bfloat16))


def test_a_release_without_the_attention_interface(tiny: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("empirical.capture.hugging_face.noting", lambda config, note: nullcontext())
    with pytest.raises(InputError, match="0 of 2 layers of GPTJForCausalLM use the attention interface"):
        HuggingFace(tiny("gptj"))


@pytest.fixture
def folder(tiny: Build, tmp_path: Path) -> Path:
    """A saved model in several shards, in bfloat16."""
    tiny("llama").to(torch.bfloat16).save_pretrained(tmp_path / "model", max_shard_size="10KB")
    return tmp_path / "model"


def changed(folder: Path, **fields: Any) -> Path:
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))
    return folder


def test_shards_of_bfloat16(folder: Path, tiny: Build, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(list(folder.glob("*.safetensors"))) > 1
    adapter = load_model(folder)
    tokens = torch.arange(6)[None]
    model = tiny("llama")
    for parameter in model.parameters():
        parameter.data = parameter.data.bfloat16().float()
    for heads, other in zip(adapter.heads(tokens), HuggingFace(model).heads(tokens), strict=True):
        torch.testing.assert_close(heads.queries.cpu(), other.queries, rtol=1e-5, atol=1e-5)
    assert capsys.readouterr() == ("", "")  # the library's bars and reports are not ours


def test_random_weights_follow_their_seed(folder: Path) -> None:
    state = torch.random.get_rng_state()
    first, again, other = (random_model(folder, seed).model.model.embed_tokens.weight for seed in (0, 0, 1))
    assert torch.equal(first, again) and not torch.equal(first, other)
    assert torch.equal(state, torch.random.get_rng_state())


def test_the_digest_is_of_config_and_weights(folder: Path) -> None:
    first = digest(folder)
    assert first == digest(folder) != digest(changed(folder, rms_norm_eps=1e-5))


LIES: dict[str, tuple[dict[str, Any], str]] = {
    "head_dim": ({"head_dim": 16}, r"has shape \(16, 32\) in the weights, but \(32, 32\) by the config"),
    "odd head_dim": ({"head_dim": 7}, "even rotary dimension"),
    "heads": ({"num_attention_heads": 8}, "has shape"),
    "key heads": ({"num_key_value_heads": 4}, "has shape"),
    "layer too many": ({"num_hidden_layers": 3}, "9 tensors that the config calls for are not in the weights"),
    "layer too few": ({"num_hidden_layers": 1}, "9 tensors of the weights have no place"),
    "vocabulary": ({"vocab_size": 51}, "has shape"),
    "rope": ({"rope_parameters": {"rope_type": "spiral", "rope_theta": 1e4}}, '"spiral" is unknown'),
    "quantised": ({"quantization_config": {"quant_method": "awq"}}, r"quantised \(awq\)"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_config_that_lies_is_refused(folder: Path, lie: str) -> None:
    fields, reason = LIES[lie]
    with pytest.raises(InputError, match=reason) as caught:
        load_model(changed(folder, **fields))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("model_type", "reason"),
    [
        ("bloom", "ALiBi"),
        ("mpt", "ALiBi"),
        ("gpt2", "absolute positions"),
        ("t5", "relative position bias"),
        ("smollm3", "model_type 'smollm3' is not a family whose queries and keys can be read"),
        ("cohere", "model_type 'cohere' is not a family"),
        ("nonesuch", "nonesuch"),
    ],
)
def test_other_families_are_refused_by_name(folder: Path, model_type: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        check_model(changed(folder, model_type=model_type))


def truncate(folder: Path) -> None:
    shard = sorted(folder.glob("*.safetensors"))[1]
    shard.write_bytes(shard.read_bytes()[:-10])


def without_weights(folder: Path) -> None:
    for path in folder.glob("*.safetensors*"):
        path.unlink()


def to_pickle(folder: Path) -> None:
    without_weights(folder)
    torch.save({"weight": torch.zeros(1)}, folder / "pytorch_model.bin")


def spoil(folder: Path, number: float) -> None:
    """Put a number into the last values: no query or key depends on them."""
    safetensors = pytest.importorskip("safetensors.torch")
    for path in folder.glob("*.safetensors"):
        tensors = safetensors.load_file(path)
        if (value := tensors.get("model.layers.1.self_attn.v_proj.weight")) is not None:
            value[0, 0] = number
            safetensors.save_file(tensors, path, metadata={"format": "pt"})


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "truncated": (truncate, r"model-00002-of-\d+.safetensors is damaged"),
    "shard gone": (lambda folder: next(folder.glob("*.safetensors")).unlink(), "cannot be loaded: No such file"),
    "NaN": (lambda folder: spoil(folder, torch.nan), r"layers.1.self_attn.v_proj.weight has weights that are NaN"),
    "infinite": (lambda folder: spoil(folder, -torch.inf), "has weights that are NaN or infinite"),
    "pickle": (to_pickle, "weights in a pickle, which can run code; save them as safetensors"),
    "no weights": (without_weights, "has no weights"),
    "no config": (lambda folder: (folder / "config.json").unlink(), "has no config.json"),
    "broken config": (lambda folder: (folder / "config.json").write_text("{"), "not a valid JSON"),
    "gone": (lambda folder: folder.rename(folder.with_name("elsewhere")), "does not exist"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_refused(folder: Path, damage: str) -> None:
    act, reason = DAMAGES[damage]
    act(folder)
    with pytest.raises(InputError, match=reason) as caught:
        load_model(folder)
    assert "\n" not in str(caught.value)


def test_files_that_are_no_models(tmp_path: Path) -> None:
    for name, content, reason in (
        ("model.pt", b"PK", "may be a pickle"),
        ("model.gguf", b"nope", "no GGUF file"),
        ("cut.gguf", b"GGUF\3\0\0\0", "cannot be loaded"),
    ):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(InputError, match=reason) as caught:
            load_model(path)
        assert "\n" not in str(caught.value)


def test_a_missing_tokenizer(folder: Path) -> None:
    with pytest.raises(InputError, match=r"has no tokenizer that can be read .*or give --tokens"):
        load_tokenizer(folder)


def test_gguf(tmp_path: Path, tiny: Build) -> None:
    """GGUF files of Llama hold Q and K for adjacent pairs; they are read back as half-split."""
    gguf = pytest.importorskip("gguf")
    model = tiny("llama")
    shape, weights = model.config, {name: value.numpy() for name, value in model.state_dict().items()}
    writer = gguf.GGUFWriter(tmp_path / "tiny.gguf", "llama")
    writer.add_context_length(shape.max_position_embeddings)
    writer.add_embedding_length(shape.hidden_size)
    writer.add_block_count(shape.num_hidden_layers)
    writer.add_feed_forward_length(shape.intermediate_size)
    writer.add_head_count(shape.num_attention_heads)
    writer.add_head_count_kv(shape.num_key_value_heads)
    writer.add_rope_freq_base(10000.0)
    writer.add_layer_norm_rms_eps(shape.rms_norm_eps)
    writer.add_vocab_size(shape.vocab_size)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list([f"t{i}" for i in range(shape.vocab_size)])
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, shape.num_hidden_layers)
    for name, weight in weights.items():
        heads = {"q_proj": shape.num_attention_heads, "k_proj": shape.num_key_value_heads}.get(name.split(".")[-2])
        if heads:  # (heads, 2, planes) to (heads, planes, 2)
            weight = weight.reshape(heads, 2, -1, shape.hidden_size).swapaxes(1, 2).reshape(weight.shape)  # noqa: PLW2901
        writer.add_tensor(names.get_name(name, try_suffixes=(".weight",)), weight)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    adapter = load_model(tmp_path / "tiny.gguf")
    tokens = torch.arange(6)[None]
    for heads, other in zip(adapter.heads(tokens), HuggingFace(model).heads(tokens), strict=True):
        torch.testing.assert_close(heads.queries.cpu(), other.queries, rtol=1e-5, atol=1e-5)


def test_the_tiny_models_are_of_all_families() -> None:
    from empirical.capture.families import FAMILIES

    assert {model_type for model_type, _ in TINY.values()} == set(FAMILIES)
    assert config("llama").model_type == "llama"
