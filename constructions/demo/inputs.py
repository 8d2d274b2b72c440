"""What the demo was asked for, and random inputs on which the constructions promise to be right."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from random import Random

import torch

from constructions import reference, tasks
from constructions.reference import Integer, Letter, Pair, Symbol
from theory.arithmetic.angle import Angle
from theory.errors import InputError

DEPTH = 4
LENGTH, LETTERS, INTEGERS = 17, 8, 8
LONGEST = 2048  # whole attention patterns are kept


@dataclass(frozen=True)
class Settings:
    """What was asked for; InputError where it is impossible.

    `angle`, of the heads that attend by position, and `slow_angle`, of the printed Retrieval head, are in radians per
    position; None lets each head take its own. `hops` None means as many as fit, up to 4. `symbols` or `pairs` is the
    input to show, if one was given.
    """

    length: int = LENGTH
    letters: int = LETTERS
    integers: int = INTEGERS
    hops: int | None = None
    angle: Angle | None = None
    slow_angle: Angle | None = None
    dtype: torch.dtype = torch.float64
    seed: int = 0
    symbols: tuple[Symbol, ...] | None = None
    pairs: tuple[Pair, ...] | None = None

    def __post_init__(self) -> None:
        if self.length < 2:
            raise InputError(f"length {self.length} is below 2: a query needs a token to be told from; give 2 or more")
        if self.length > LONGEST:
            raise InputError(f"length {self.length} is above {LONGEST}, the most that the demo shows; give less")
        if self.letters < 2:
            raise InputError(f"alphabet {self.letters} is below 2: one letter has no competitor; give 2 or more")
        if self.integers < 1:
            raise InputError(f"integers {self.integers} is below 1: no walk could end; give 1 or more")
        if self.hops is not None and not 1 <= self.hops < self.length:
            raise InputError(
                f"hops {self.hops} do not fit into {self.length} tokens; give 1 to {self.length - 1}, or more tokens"
            )

    def rng(self, task: str) -> Random:
        """The random numbers of one task, which do not depend on what else is shown."""
        return Random(f"{self.seed} {task}")

    def number_input(self, rng: Random) -> tuple[Symbol, ...]:
        """An input of the number task: letters, then integers."""
        hops = min(DEPTH, self.length - 1) if self.hops is None else self.hops
        # The integers must be within reach of that many hops.
        integers = max(hops, min(self.length - self.length // 2, hops * self.integers))
        return tasks.number_task(
            rng,
            hops=hops,
            letters=self.length - integers,
            integers=integers,
            alphabet=self.letters,
            largest=self.integers,
        )

    def letter_input(self, rng: Random) -> tuple[Pair, ...]:
        """An input of the letter task: pairs with an integer, then pairs of letters."""
        hops = min(DEPTH, self.length - 1, self.letters - 1) if self.hops is None else self.hops
        links = max(hops, self.length - self.length // 2)
        return tasks.letter_task(
            rng,
            hops=hops,
            targets=self.length - links,
            links=links,
            alphabet=self.letters,
            largest=self.integers,
        )

    def index_input(self, rng: Random) -> tuple[Symbol, ...]:
        """An Index-valid sequence that ends with an integer that points at a letter."""
        tokens: list[Symbol] = []
        for before in range(self.length - 1):
            if before and rng.random() < 0.4:
                tokens.append(Integer(rng.randint(1, min(self.integers, before))))
            else:
                tokens.append(Letter(rng.randrange(self.letters)))
        within_reach = range(1, min(self.integers, len(tokens)) + 1)
        steps = [step for step in within_reach if isinstance(tokens[-step], Letter)]
        if not steps:
            steps = [rng.choice(within_reach)]
            tokens[-steps[0]] = Letter(rng.randrange(self.letters))
        return (*tokens, Integer(rng.choice(steps)))

    def retrieval_input(self, rng: Random, integer_query: bool = False) -> tuple[Pair, ...]:
        """A proper sequence that ends with a pair of letters, or with a pair that has an integer."""
        wanted = Letter(rng.randrange(self.letters))
        target = Pair(wanted, Integer(rng.randint(1, self.integers)))
        place = rng.randrange(self.length - 1)
        tokens: list[Pair] = []
        for position in range(self.length - 1):
            token = target if position == place else self._proper_next(rng, tokens)
            tokens.append(target if token.left == wanted else token)
        others = [Letter(number) for number in range(self.letters) if Letter(number) != wanted]
        return (*tokens, self._integer_pair(rng) if integer_query else Pair(rng.choice(others), wanted))

    def _integer_pair(self, rng: Random) -> Pair:
        return Pair(Letter(rng.randrange(self.letters)), Integer(rng.randint(1, self.integers)))

    def _proper_next(self, rng: Random, tokens: Sequence[Pair]) -> Pair:
        drawn = Pair(Letter(rng.randrange(self.letters)), Letter(rng.randrange(self.letters)))
        if rng.random() < 0.5 and drawn.left != drawn.right and _retrievable(tokens, drawn):
            return drawn
        return self._integer_pair(rng)


def _retrievable(tokens: Sequence[Pair], query: Pair) -> bool:
    try:
        reference.retrieval_at((*tokens, query), len(tokens) + 1)
    except reference.UndefinedError:
        return False
    return True


def parse_input(text: str, kinds: Collection[str]) -> tuple[tuple[Symbol, ...] | None, tuple[Pair, ...] | None]:
    """Symbols or pairs, whichever the text spells; `kinds` are the kinds that the chosen constructions read.

    Raises InputError for a text that spells neither, or not what is read.
    """
    if not text.split():
        raise InputError("the input has no tokens; give some, such as 'n h n v 3 1'")
    try:
        found = tasks.parse_symbols(text), None
    except InputError as error:
        if "pairs" not in kinds:
            raise
        try:
            return None, tasks.parse_pairs(text)
        except InputError as other:
            raise (other if "symbols" not in kinds else error) from None
    if "symbols" not in kinds:
        tasks.parse_pairs(text)
    return found


def fitted(symbols: Sequence[Symbol] | None, pairs: Sequence[Pair] | None) -> tuple[int, int]:
    """The least numbers of letters and integers whose tokens cover an input; 0 where it has none."""
    parts = [*(symbols or ()), *(half for pair in pairs or () for half in (pair.left, pair.right))]
    letters = [part.index + 1 for part in parts if isinstance(part, Letter)]
    integers = [part.value for part in parts if isinstance(part, Integer)]
    return max(letters, default=0), max(integers, default=0)


def check_input(task: str, symbols: Sequence[Symbol] | None, pairs: Sequence[Pair] | None) -> None:
    """Raise InputError unless what the construction computes is defined at the end of the given input."""
    try:
        if task == "index" and symbols:
            reference.index_at(symbols, len(symbols))
        elif task == "number-task" and symbols:
            reference.number_walk(symbols)
        elif task.startswith("retrieval") and pairs:
            reference.retrieval_at(pairs, len(pairs))
        elif task == "letter-task" and pairs:
            reference.letter_walk(pairs)
    except reference.UndefinedError as error:
        raise InputError(f"{task} is {error}; change the input there") from error
    if task == "letter-task" and pairs and not reference.path_condition(pairs):
        raise InputError(
            f"{tasks.show(pairs)}: a letter that the walk wants is the left letter of two different pairs, and then "
            "nothing is promised; change one of them"
        )
