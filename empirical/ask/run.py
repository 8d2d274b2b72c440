"""A quiz put to a model: answers are kept as they come in, and a quiz that was interrupted goes on after them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from scipy.stats import binomtest

from empirical.ask.questions import Question, Quiz
from empirical.checkpoint import write_json
from empirical.training.journal import Journal
from theory.errors import InputError
from theory.progress import Progress

FORMAT = "headproof one-hop quiz"
VERSION = 1
REQUEST, ANSWERS, RESULT = "request.json", "answers.jsonl", "result.json"
LEVEL = 0.95
LONGEST = 200  # characters of an answer that are kept


@dataclass(frozen=True)
class Answer:
    """What was said to a question, and whether it is right."""

    question: Question
    text: str

    @property
    def right(self) -> bool:
        return self.question.right(self.text)

    def as_json(self) -> dict[str, Any]:
        question = self.question
        about = {name: getattr(question, name) for name in ("key", "task", "length", "number", "offset", "answer")}
        return {**about, "said": self.text, "right": self.right}


@dataclass(frozen=True)
class Share:
    """How often one task was answered rightly at one length, with its Wilson interval; `guess` is for random tokens."""

    task: str
    length: int
    asked: int
    right: int
    accuracy: float
    low: float
    high: float
    guess: float

    @classmethod
    def of(cls, answers: list[Answer]) -> Share:
        first, right = answers[0].question, sum(answer.right for answer in answers)
        interval = binomtest(right, len(answers)).proportion_ci(LEVEL, method="wilson")
        guess = sum(answer.question.guess for answer in answers) / len(answers)
        return cls(
            first.task,
            first.length,
            len(answers),
            right,
            right / len(answers),
            float(interval.low),
            float(interval.high),
            guess,
        )


def ask(
    model: Callable[[str], str], about: Mapping[str, Any], quiz: Quiz, out: Path, progress: Progress | None
) -> list[Answer]:
    """All answers, those that `out` holds already and then the rest.

    InputError where the folder holds answers of another model or quiz, or what is no such answer.
    """
    request = json.loads(json.dumps({"format": FORMAT, "version": VERSION, "asked": dict(about), "quiz": asdict(quiz)}))
    path = out / REQUEST
    questions, said, size = list(quiz), *_kept(out / ANSWERS)
    if path.exists() and (found := _read(path)) != request and (said or not _ours(found)):  # unanswered, it is replaced
        raise InputError(f"{path} asks something else; ask for the same, or give another folder")
    write_json(path, request)
    for question, (key, _) in zip(questions, said, strict=False):
        if key != question.key:
            raise InputError(f"{out / ANSWERS} has answers to other questions; give another folder")
    journal = Journal(out / ANSWERS, size)
    answers = [Answer(question, text) for question, (_, text) in zip(questions, said, strict=False)]
    for question in questions[len(answers) :]:
        text = model(question.prompt)
        answers.append(Answer(question, text[:LONGEST]))
        journal.append(answers[-1].as_json())
        if progress is not None:
            progress(len(answers), len(questions))
    shares = [asdict(share) for share in by_length(answers)]
    write_json(out / RESULT, {**request, "level": LEVEL, "shares": shares})
    return answers


def by_length(answers: list[Answer]) -> list[Share]:
    """The shares of right answers, in the order in which they were asked for."""
    groups: dict[tuple[str, int], list[Answer]] = {}
    for answer in answers:
        groups.setdefault((answer.question.task, answer.question.length), []).append(answer)
    return [Share.of(group) for group in groups.values()]


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return None


def _ours(found: Any) -> bool:
    return isinstance(found, dict) and found.get("format") == FORMAT


def _kept(path: Path) -> tuple[list[tuple[str, str]], int]:
    """Keys and texts of the answers in the file, and its length without a line that was cut short."""
    if not path.exists():
        return [], 0
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    said = []
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            found = json.loads(line)
            key, text = found["key"], found["said"]
        except (ValueError, LookupError, TypeError, RecursionError):
            key = text = None
        if not isinstance(key, str) or not isinstance(text, str):
            raise InputError(f"{path}, line {number} is no answer; remove the file, or give another folder")
        said.append((key, text))
    return said, len(whole)
