"""One-hop tasks as text: an instruction, solved examples, and a sequence whose last token asks.

Source: arXiv 2605.31558, Definitions F.1 and F.2, with one hop: Index asks for a place, Retrieval for a letter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from empirical.tasks.batch import Batch
from empirical.tasks.index import IndexTask
from empirical.tasks.retrieval import RetrievalTask
from empirical.tasks.task import require
from theory.errors import InputError

LETTERS, DIGITS = 26, 9
INSTRUCTIONS = {
    "index": "Every sequence of letters and numbers ends with a number v. "
    "The answer is the letter v places before that last number.",
    "retrieval": "Every sequence of tokens ends with a token whose second character is a letter. "
    "The answer is the token of the sequence whose first character is that letter.",
}
SHORTEST = {"index": 2, "retrieval": 3}


@dataclass(frozen=True)
class Question:
    """One prompt, its only right answer, and how far before the last token the answer stands."""

    task: str
    length: int
    number: int
    prompt: str
    answer: str
    offset: int
    tokens: tuple[str, ...]

    @cached_property
    def key(self) -> str:
        """The SHA-256 of all that is asked."""
        return sha256(f"{self.task} {self.length} {self.number} {self.answer} {self.prompt}".encode()).hexdigest()

    @property
    def guess(self) -> float:
        """How often a uniformly drawn token of the sequence, without the last, is right."""
        return self.tokens[:-1].count(self.answer) / (len(self.tokens) - 1)

    def right(self, text: str) -> bool:
        """Exact match: the first line of the text, without surrounding white space, quotes and a final full stop."""
        lines = text.strip().splitlines()
        return bool(lines) and lines[0].strip().removesuffix(".").strip("'\"`* ") == self.answer


@dataclass(frozen=True)
class Quiz:
    """Questions of each task at each length, balanced over where the answer stands, after `shots` solved ones.

    Raises InputError for no tasks, lengths or questions, a length that the task does not have, or the same one twice.
    """

    tasks: tuple[str, ...] = ("index", "retrieval")
    lengths: tuple[int, ...] = (5, 9, 17, 33)
    questions: int = 40
    shots: int = 4
    seed: int = 0

    def __post_init__(self) -> None:
        require(1, questions=self.questions)
        require(0, shots=self.shots, seed=self.seed)
        if not self.tasks or not self.lengths:
            raise InputError("a quiz without tasks or lengths asks nothing; give at least one of each")
        for name, values in (("task", self.tasks), ("length", self.lengths)):
            if repeated := [value for at, value in enumerate(values) if value in values[:at]]:
                raise InputError(f"{name} {repeated[0]} is asked for twice; give each once")
        for task in self.tasks:
            require(SHORTEST[task], **{f"length of {task}": min(self.lengths)})

    def __iter__(self) -> Iterator[Question]:
        for task in self.tasks:
            for length in self.lengths:
                yield from self._asked(task, length)

    def __len__(self) -> int:
        return len(self.tasks) * len(self.lengths) * self.questions

    def _asked(self, name: str, length: int) -> Iterator[Question]:
        task = _task(name, length)
        # Examples have a seed of their own, so that more questions do not change them.
        shots = task.generate(self.shots, self.seed + 1, hops=1) if self.shots else None
        solved = [] if shots is None else [f"{_line(words)} {answer}" for words, answer, _ in _words(task, shots)]
        asked = task.generate(self.questions, self.seed, hops=1)
        for number, (words, answer, offset) in enumerate(_words(task, asked)):
            prompt = "\n\n".join([INSTRUCTIONS[name], *solved, _line(words)])
            yield Question(name, length, number, prompt, answer, offset, tuple(words))


def _task(name: str, length: int) -> IndexTask | RetrievalTask:
    if name == "index":
        return IndexTask(letters=LETTERS, integers=length - 1, length=length)
    return RetrievalTask(alphabet=LETTERS, integers=DIGITS, length=length)


def _line(words: Sequence[str]) -> str:
    return f"Sequence: {' '.join(words)}\nAnswer:"


def _words(task: IndexTask | RetrievalTask, batch: Batch) -> Iterator[tuple[list[str], str, int]]:
    vocabulary = task.vocabulary
    for row, position in zip(batch.tokens.tolist(), batch.positions.tolist(), strict=True):
        words = [str(token) for token in vocabulary.decode(row)]
        yield words, words[position - 1], len(words) - position
