"""Frequency use as arXiv 2605.31558 reports it, Table 1: the weighted average number of a plane, from 1, by layer."""

from __future__ import annotations

from empirical.decoder_config import DecoderConfig
from empirical.subjects import Subject
from empirical.tasks.letter import LetterTask
from empirical.tasks.number import NumberTask

NUMBER = (1, 2, 2, 2, 10, 39, 38, 38, 38, 37, 37, 38)
LETTER = (18, 32, 42, 37, 40, 38, 41, 38, 41, 39, 38, 40)


def reported(subject: Subject) -> tuple[int, ...] | None:
    """By layer, for a model of the paper's task and sizes; None for another, of which it says nothing."""
    known = {NumberTask(): NUMBER, LetterTask(): LETTER}
    config = subject.model.config
    same = config == DecoderConfig(subject.task.vocabulary_size, dropout=config.dropout)
    return known.get(subject.task) if same else None
