"""Checkpoints come back as they were written; what was cut, changed or is something else is refused in one line."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from empirical.checkpoint import load, load_model, save, save_model, write
from empirical.decoder import Decoder
from empirical.decoder_config import DecoderConfig
from theory.errors import InputError

CONFIG = DecoderConfig(9, layers=2, width=8, frequencies=(1.0, 0.1), without_rope=(1,))


@pytest.fixture
def card(tmp_path: Path) -> Path:
    torch.manual_seed(0)
    save_model(tmp_path / "model.json", Decoder(CONFIG), {"task": "number", "seed": 3})
    return tmp_path / "model.json"


def weights_of(card: Path) -> Path:
    return card.with_name(json.loads(card.read_text())["weights"])


def edit(card: Path, change: Callable[[dict[str, Any]], object]) -> None:
    values = json.loads(card.read_text())
    change(values)
    card.write_text(json.dumps(values))


def test_a_model_comes_back(card: Path) -> None:
    torch.manual_seed(0)
    expected = Decoder(CONFIG).state_dict()
    model, values = load_model(card)
    assert model.config == CONFIG and not model.training
    assert (values["task"], values["seed"]) == ("number", 3)
    assert all(torch.equal(weight, expected[name]) for name, weight in model.state_dict().items())
    assert all(weight.requires_grad for weight in model.parameters())


def test_the_old_weights_go_with_the_old_card(tmp_path: Path) -> None:
    card, other = tmp_path / "a.json", tmp_path / "a-b.json"
    save(other, {"x": torch.ones(1)}, {})
    for value in range(3):
        digest = save(card, {"x": torch.tensor([value])}, {})
    assert load(card)[1]["sha256"] == digest == hashlib.sha256(weights_of(card).read_bytes()).hexdigest()
    assert load(card)[0]["x"].item() == 2 and load(other)[0]["x"].item() == 1
    assert len(list(tmp_path.iterdir())) == 4


def test_same_tensors_same_file(tmp_path: Path) -> None:
    tensors = {"b": torch.arange(3), "a": torch.randn(4)}
    save(tmp_path / "one.json", tensors, {})
    save(tmp_path / "two.json", dict(sorted(tensors.items())), {})
    assert weights_of(tmp_path / "one.json").read_bytes() == weights_of(tmp_path / "two.json").read_bytes()


def test_a_write_that_fails_leaves_the_old_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "file", b"old")
    monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match=r"No space.*file'$"):
        write(tmp_path / "file", b"new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", b"old")]


def truncated(card: Path) -> None:
    path = weights_of(card)
    path.write_bytes(path.read_bytes()[:-7])


def tampered(card: Path) -> None:
    path = weights_of(card)
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


def replaced(card: Path, data: bytes) -> None:
    """Other weights under a card whose hash is right."""
    weights_of(card).write_bytes(data)
    edit(card, lambda values: values.update(bytes=len(data), sha256=hashlib.sha256(data).hexdigest()))


def piped(card: Path) -> None:
    card.unlink()
    os.mkfifo(card)


def weights_become(card: Path, change: Callable[[torch.Tensor], torch.Tensor]) -> None:
    """Another first tensor, under a card whose hash is right."""
    tensors, values = load(card)
    name = min(tensors)
    save(card, {**tensors, name: change(tensors[name])}, {key: values[key] for key in ("model", "model_sha256")})


class Bomb:
    def __reduce__(self) -> tuple[Callable[[str], object], tuple[str]]:
        return pytest.fail, ("a pickle was read",)


def model_says(**sizes: object) -> Callable[[Path], None]:
    return lambda card: edit(card, lambda values: values["model"].update(sizes))


def card_says(**fields: object) -> Callable[[Path], None]:
    return lambda card: edit(card, lambda values: values.update(fields))


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (truncated, r"truncated: \d+ of \d+ bytes"),
        (tampered, "SHA-256 differs"),
        (lambda card: replaced(card, pickle.dumps(Bomb())), "pickle"),
        (lambda card: card.write_bytes(pickle.dumps(Bomb())), "pickle"),
        (lambda card: torch.save({"x": torch.ones(1)}, card), "pickle"),
        (lambda card: replaced(card, b"\xff" * 40), "no safetensors file"),
        (lambda card: weights_of(card).unlink(), "cannot be read"),
        (lambda card: card.unlink(), "cannot be read"),
        (piped, "is not a file"),
        (lambda card: card.write_text('{"format": '), "no card"),
        (lambda card: card.write_bytes(b"\xff\xfe{}"), "no card"),
        (lambda card: card.write_text("[" * 100_000), "no card"),
        (lambda card: card.write_bytes(weights_of(card).read_bytes()), "no card"),
        (card_says(version=2), "version 2"),
        (card_says(sha256=None), "sha256=None"),
        *((card_says(weights=name), "no file of its folder") for name in ("../model.safetensors", "", "a\0b", "a\nb")),
        (card_says(model=None), "model=None"),
        (model_says(width=16), r"key.weight of shape \(16, 16\), but the weights have \(8, 8\)"),
        (model_says(width=10**12), "beyond any memory"),
        (model_says(width=10**20), "beyond any memory"),
        (model_says(vocabulary=10**30), "beyond any memory"),
        (model_says(frequencies=[10**400]), "model.json: "),
        (model_says(frequencies=""), "frequencies='' are no tuple"),
        (model_says(frequencies={}), "are no tuple"),
        (lambda card: weights_become(card, lambda weight: weight / 0), "weights that are NaN or infinite, blocks"),
        (
            lambda card: weights_become(card, lambda weight: weight.long()),
            "in torch.float32, torch.int64; save",
        ),
        (lambda card: weights_become(card, lambda weight: weight.half()), "weights in torch.float16, torch.float32"),
        (model_says(layers=3), "layers=3, but its weights have 2"),
        (model_says(layers=10**12), "but its weights have 2"),
        (model_says(vocabulary=10**12), r"\(1000000000000, 8\)"),
        (model_says(heads=2), "does not describe the model that was saved"),
        (model_says(frequencies=[1.0, 0.2]), "does not describe the model that was saved"),
        (model_says(without_rope=[]), "does not describe the model that was saved"),
        (card_says(model_sha256=None), "does not describe the model that was saved"),
        (model_says(heads=3), "heads=3 do not divide width=8"),
        (model_says(inner="8"), "inner='8'"),
        (model_says(dropout="none"), "model.json"),
        (model_says(activation="relu"), "does not describe a decoder"),
    ],
)
def test_what_is_not_what_it_says(card: Path, damage: Callable[[Path], object], words: str) -> None:
    damage(card)
    with pytest.raises(InputError, match=words) as error:
        load_model(card)
    assert "\n" not in str(error.value)


def test_tensors_that_are_missing_or_too_many(card: Path) -> None:
    tensors, values = load(card)
    values = {key: values[key] for key in ("model", "model_sha256")}
    save(card, {name: tensor for name, tensor in tensors.items() if name != "norm.bias"}, values)
    with pytest.raises(InputError, match=r"norm.bias of shape \(8,\), but the weights have none"):
        load_model(card)
    save(card, {**tensors, "spare": torch.ones(2)}, values)
    with pytest.raises(InputError, match=r"spare of shape none, but the weights have \(2,\)"):
        load_model(card)


def test_weights_whose_header_starts_like_a_pickle_are_read(tmp_path: Path) -> None:
    card = tmp_path / "model.json"
    for length in range(1, 400):
        save(card, {"x" * length: torch.ones(1)}, {})
        if weights_of(card).read_bytes().startswith(b"\x80"):
            break
    else:
        pytest.fail("no header of such a length")
    assert load(card)[0]["x" * length].item() == 1
