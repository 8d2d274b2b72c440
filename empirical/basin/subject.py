"""The models whose basins are measured, all asked in one way: words in, logits of the next letter out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from empirical import checkpoint
from empirical.basin import describe
from empirical.basin.describe_transformers import hugging_face
from empirical.capture.loading import digest, load_model, load_tokenizer
from empirical.language.packaged import PACKAGED, packaged_file
from theory.compact.certificate.forward import next_letter
from theory.compact.certificate.refusal import check
from theory.compact.certificate.weights import Weights
from theory.errors import InputError

SHIPPED = Path(__file__).parent.parent / "checkpoints"
_AT_ONCE = 4096  # letters a forward pass
_FLOAT32 = 2e-3  # by how much a language model may differ, in probability, from its description in float64


@dataclass(frozen=True, eq=False)
class Subject:
    """A model.

    Args:
        name, sha256: what it is.
        weights: its description.
        run: words (b, n), int64, to logits (b, letters) of the next letter, in the model's own precision.
        context: the longest word, or None.
        letters: the tokens that stand for the letters 0 and 1.
        large: whether a forward pass takes long.
    """

    name: str
    sha256: str
    weights: Weights
    run: Callable[[Tensor], Tensor]
    context: int | None
    letters: tuple[int, int] = (0, 1)
    large: bool = False

    @property
    def vocabulary(self) -> int:
        return self.weights.letters

    @torch.inference_mode()
    def probabilities(self, words: Tensor) -> Tensor:
        """Words (b, n) to the probabilities of the next letter, (b, letters), float64; a few words at a time."""
        at_once = max(1, _AT_ONCE // words.shape[1])
        return torch.cat([self.run(some).double().softmax(-1).cpu() for some in words.split(at_once)])


def open_subject(model: str) -> Subject:
    """The model of that name: shipped with the project, inside a package, a card of ours, a folder, or a GGUF file.

    InputError, one line, for what is no such model, has no certificate, or is not what its description says.
    """
    path = Path(model)
    if model in PACKAGED and not path.exists():
        path = packaged_file(PACKAGED[model])
    if not path.exists() and (SHIPPED / model / "model.json").is_file():
        path = SHIPPED / model
    if (path / "model.json").is_file():
        path = path / "model.json"
    subject = _ours(path) if path.suffix == ".json" else _language_model(path)
    check(subject.weights)
    _as_described(subject)
    return subject


def _ours(path: Path) -> Subject:
    _, card = checkpoint.load(path)
    name, sha256 = path.parent.name or path.stem, str(card["sha256"])
    if "compact_decoder" in card:
        from empirical.words.files import load

        words, _ = load(path)
        words = words.double()
        longest = words.config.max_length
        return Subject(name, sha256, describe.compact(words), lambda w: words(w)[:, -1], longest)
    decoder, _ = checkpoint.load_model(path)
    return Subject(name, sha256, describe.decoder(decoder), decoder, None)


def _language_model(path: Path) -> Subject:
    adapter = load_model(path)
    model: Any = adapter.model

    def run(words: Tensor) -> Tensor:
        found: Tensor = model(input_ids=words.to(model.device), use_cache=False, logits_to_keep=1).logits
        return found[:, -1]

    weights = hugging_face(adapter)
    large = sum(parameter.numel() for parameter in model.parameters()) > 10**7
    return Subject(path.name, digest(path), weights, run, adapter.context, _digits(path, weights.letters), large)


def _digits(path: Path, vocabulary: int) -> tuple[int, int]:
    """The tokens of "0" and "1", if the tokenizer has them as one each; else tokens 0 and 1."""
    try:
        tokenizer: Any = load_tokenizer(path)
        found = [tokenizer(text, add_special_tokens=False)["input_ids"] for text in "01"]
    except InputError:
        return 0, 1
    if all(len(tokens) == 1 and tokens[0] < vocabulary for tokens in found) and found[0] != found[1]:
        return int(found[0][0]), int(found[1][0])
    return 0, 1


def _as_described(subject: Subject) -> None:
    """The description must answer as the model does, or its bounds are those of something else."""
    random = np.random.default_rng(0)
    length = min(12, subject.context or 12)
    words = random.integers(0, len(subject.weights.embedding), (2, length))
    described = next_letter(subject.weights, words)
    apart = float(np.abs(described - subject.probabilities(torch.from_numpy(words)).numpy()).max())
    if not apart <= _FLOAT32:
        raise InputError(
            f"no certificate: {subject.name} answers otherwise than its weights say (probabilities differ by "
            f"{apart:.2g}); it has a part that is not read here"
        )
