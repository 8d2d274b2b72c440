"""The decoders with hand-written weights answer what the generators produce: theory and data have the same tasks."""

from __future__ import annotations

from typing import Any

import torch

from constructions.decoder import Decoder, letter_decoder, number_decoder
from empirical.tasks.letter import LetterTask
from empirical.tasks.number import NumberTask

torch.set_num_threads(1)


def wrong(decoder: Decoder[Any], task: NumberTask | LetterTask, sequences: int, prepended: int = 0) -> int:
    batch = task.generate(sequences, 1, prepended=prepended)
    assert decoder.vocabulary.tokens == task.vocabulary.tokens
    return int((decoder.answers(batch.tokens) != batch.answers).sum())


def test_number_decoder() -> None:
    assert wrong(number_decoder(120, 16, 17, 4), NumberTask(), 2_000) == 0
    assert wrong(number_decoder(120, 16, 40, 4), NumberTask(), 200, prepended=23) == 0


def test_letter_decoder() -> None:
    assert wrong(letter_decoder(8, 8, 17, 4), LetterTask(), 2_000) == 0
    assert wrong(letter_decoder(8, 8, 40, 4), LetterTask(), 200, prepended=23) == 0


def test_a_decoder_without_its_last_layer_is_caught() -> None:
    """Three layers answer all but the walks of four hops, a quarter of all."""
    assert wrong(number_decoder(120, 16, 17, 3), NumberTask(), 200) == 50
    assert wrong(letter_decoder(8, 8, 17, 3), LetterTask(), 200) == 50
