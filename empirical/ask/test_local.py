"""A model on the disk answers as greedy decoding without a cache does."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from empirical.ask.local import Local
from empirical.capture.conftest import config
from theory.errors import InputError

transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model")
    model = transformers.AutoModelForCausalLM.from_config(config("llama"))
    for parameter in model.parameters():
        parameter.data.normal_(0, 0.3, generator=torch.Generator().manual_seed(3))
    model.save_pretrained(path)
    words = {f"w{number}": number for number in range(model.config.vocab_size)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="w0"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="w0").save_pretrained(path)
    return path


def test_greedy_decoding(folder: Path) -> None:
    asked = Local(str(folder), tokens=6)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    tokens = torch.tensor([[3, 1, 4, 1, 5]])
    with torch.no_grad():
        for _ in range(6):
            tokens = torch.cat((tokens, model(tokens).logits[:, -1:].argmax(-1)), dim=1)
    assert asked("w3 w1 w4 w1 w5").split() == [f"w{token}" for token in tokens[0, 5:].tolist()]
    assert asked.about["model"] == folder.name and len(asked.about["sha256"]) == 64


def test_refused(folder: Path) -> None:
    with pytest.raises(InputError, match="no chat template"):
        Local(str(folder), chat=True)
    with pytest.raises(InputError, match=r"508 tokens does not fit into the model's 512"):
        Local(str(folder), tokens=6)("w1 " * 508)
