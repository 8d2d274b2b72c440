"""The letter task on sequences that are not proper: what the walk itself has to satisfy, and why that is enough.

Source: derived here for arXiv 2605.31558, Section 3.2; its own inputs are mostly not proper, its walks are fine.

*Path condition* on tokens sigma_1..sigma_n: positions n = p_0 > p_1 > ... > p_HL exist such that p_HL holds an LI token
and, for i < HL, p_i holds an LL token and sigma_{p_{i+1}} is the only token type in the whole input with the left
letter that p_i wants.

Layers. A position holds a mixture: weights >= 0 of sum <= 1 on token types. Retrieval with hard attention leaves an LI
token alone; a position that holds an LL token (x, y) becomes the average of the mixtures, up to its own position, that
lie wholly on tokens with left letter y, since no other mixture attains the largest logit; without such a mixture it
becomes anything. Positions off the walk need not even obey this: they hold any mixture of token types of the input.

Proof, by induction on t: p_i holds the token of p_min(i+t, HL), and every mixture is on token types of the input. If
i + t < HL, p_i wants the left letter y of p_{i+t+1}; p_{i+1} < p_i holds exactly that token now, so some mixture lies
wholly on left letter y, and the only token type of the input with left letter y is that one. If i + t >= HL, p_i holds
an LI token and keeps it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from random import Random

from theory.claims import Hypothesis, Source, claim
from theory.evidence import Enumeration, Evidence, Search, Trial
from theory.rope.rotation import PAPER
from theory.rope.sequences import ALPHABET, Pair, Symbol, show

Tokens = Sequence[Pair]
Mixture = frozenset[tuple[Pair, Fraction]]
NOTHING: Mixture = frozenset()
SEED = 2605


def only(token: Pair) -> Mixture:
    """The mixture that is one token."""
    return frozenset({(token, Fraction(1))})


def average(mixtures: Sequence[Mixture]) -> Mixture:
    """The mixture with the mean weight of each token."""
    total: dict[Pair, Fraction] = {}
    for token, weight in (entry for mixture in mixtures for entry in mixture):
        total[token] = total.get(token, Fraction(0)) + weight / len(mixtures)
    return frozenset(total.items())


@cache
def wholly_on(mixture: Mixture) -> str | None:
    """The left letter of all of a mixture, if its weights sum to 1 and there is one such letter."""
    lefts = {left for (left, _), _ in mixture}
    return min(lefts) if len(lefts) == 1 and sum(weight for _, weight in mixture) == 1 else None


@dataclass(frozen=True)
class Promise:
    """That under a path condition position n holds, after t layers, the token `hops(t)` hops along the walk.

    Attributes:
        text: the promise in words.
        whole: whether a second token type with a wanted left letter is excluded in the whole input, or only before
            the wanting position.
        forward: whether walks may step to later positions as well.
        foreign: whether positions off the walk may also hold tokens that are not in the input, over its letters.
        hops: the hops that t layers are promised to take.
    """

    text: str = "after t layers position n holds the token t hops along the walk, from t = HL on the answer"
    whole: bool = True
    forward: bool = False
    foreign: bool = False
    hops: Callable[[int], int] = lambda layers: layers

    def __str__(self) -> str:
        return self.text

    def walk(self, tokens: Tokens) -> list[int] | None:
        """A walk that meets the condition (1-based positions, n first), or None.

        Of several occurrences of a token it takes the latest: if any choice reaches an LI token, this one does.
        """
        path = [len(tokens)]
        while isinstance(wanted := tokens[path[-1] - 1][1], str):
            rivals = tokens if self.whole else tokens[: path[-1] - 1]
            reachable = tokens if self.forward else tokens[: path[-1] - 1]
            places = [at for at, token in enumerate(reachable, 1) if token[0] == wanted and at not in path]
            if not places or len({token for token in rivals if token[0] == wanted}) != 1:
                return None
            path.append(places[-1])
        return path

    def held_off_the_walk(self, tokens: Tokens) -> list[Mixture]:
        """What positions off the walk are tried with: each allowed token, nothing, and the average of the input."""
        allowed = set(tokens)
        if self.foreign:
            allowed |= set(product((left for left, _ in tokens), (right for _, right in tokens)))
        return [*map(only, sorted(allowed, key=str)), NOTHING, average([only(token) for token in tokens])]


def after_a_layer(state: Sequence[Mixture], position: int) -> Mixture | None:
    """What a position of the walk holds after one layer on `state`; None where it may become anything."""
    match list(state[position - 1]):
        case [((_, int()), weight)] if weight == 1:
            return state[position - 1]
        case [((_, str() as wanted), weight)] if weight == 1:
            found = [mixture for mixture in state[:position] if wholly_on(mixture) == wanted]
            return average(found) if found else None
    return None


def place(tokens: Tokens, path: Sequence[int], on: Sequence[Mixture], off: Sequence[Mixture]) -> list[Mixture]:
    """The state with mixtures `on` at the positions of the walk and `off` at all others, in order."""
    walk, others = dict(zip(path, on, strict=True)), iter(off)
    return [walk[at] if at in walk else next(others) for at in range(1, len(tokens) + 1)]


def everything_held(promise: Promise, tokens: Tokens, path: Sequence[int]) -> Iterator[set[Mixture]]:
    """After t = 0, 1, 2, ... layers, all that position n may hold, whatever happens off the walk."""
    free = promise.held_off_the_walk(tokens)
    reached = {tuple(only(tokens[at - 1]) for at in path)}
    while True:
        yield {on[0] for on in reached}
        states = [
            place(tokens, path, on, off) for on in reached for off in product(free, repeat=len(tokens) - len(path))
        ]
        layers = [[after_a_layer(state, at) for at in path] for state in states]
        reached = {on for row in layers for on in product(*(free if new is None else [new] for new in row))}


def keeps(promise: Promise, tokens: Tokens, path: Sequence[int]) -> bool:
    """Whether position n holds what is promised after 0..HL+1 layers, against every behaviour off the walk."""
    return all(
        held == {only(tokens[path[min(promise.hops(t), len(path) - 1)] - 1])}
        for t, held in zip(range(len(path) + 1), everything_held(promise, tokens, path), strict=False)
    )


@claim(
    "letter-path-condition",
    source=Source(PAPER, "Sec. 3.2", "derived"),
    quantifiers="for all inputs with the path condition, all t >= 0, and all mixtures of input tokens off the walk",
    statement=str,
    variant=Promise(),
    hypotheses=(
        Hypothesis(
            "one token type in the whole input",
            "each letter wanted on the walk is the left letter of one token type, later positions included",
            dropped=Promise(text="a second token type after the wanting position does no harm", whole=False),
        ),
        Hypothesis(
            "earlier positions",
            "each step of the walk goes to an earlier position",
            dropped=Promise(text="walks may step to later positions", forward=True),
        ),
        Hypothesis(
            "tokens of the input",
            "positions off the walk hold mixtures of token types that are in the input",
            dropped=Promise(text="positions off the walk may hold any tokens", foreign=True),
        ),
    ),
    controls={
        "HL - 1 layers": Promise(text="t layers take t + 1 hops", hops=lambda t: t + 1),
        "2^h hops in h layers": Promise(text="t layers take 2^t hops", hops=lambda t: 2**t if t else 0),
    },
    does_not_show="that softmax at a finite inverse temperature does it: that needs the margins of the head",
)
def letter_path_condition(promise: Promise, thorough: bool) -> Iterator[Evidence]:
    """All inputs of up to four tokens, over any alphabet, and long ones against random mixtures off the walk."""
    for length in (2, 3, 4):
        paths = ((tokens, promise.walk(tokens)) for tokens in up_to_renaming(length) if isinstance(tokens[-1][1], str))
        cases = ((show(tokens), keeps(promise, tokens, path)) for tokens, path in paths if path)
        yield Enumeration(f"all inputs of {length} tokens up to the names of letters and integers", cases)
    rng = Random(SEED)
    inputs = (_planted(rng) for _ in range(1000 if thorough else 150))
    walks = ((tokens, path) for tokens in inputs if (path := promise.walk(tokens)))
    trials = (Trial(show(tokens), float(_wrong(rng, promise, tokens, path)), 0.0) for tokens, path in walks)
    yield Search("random inputs of 17 tokens, as wrong layers", trials, seed=SEED)


def up_to_renaming(length: int) -> Iterator[tuple[Pair, ...]]:
    """All inputs in which letters appear for the first time in the order a, b, ..., and integers 1, 2, ..."""

    def extend(prefix: tuple[Pair, ...], letters: int, integers: int) -> Iterator[tuple[Pair, ...]]:
        if len(prefix) == length:
            yield prefix
            return
        for left in range(letters + 1):
            known = max(letters, left + 1)
            for right in range(known + 1):
                yield from extend((*prefix, (ALPHABET[left], ALPHABET[right])), max(known, right + 1), integers)
            for value in range(1, integers + 2):
                yield from extend((*prefix, (ALPHABET[left], value)), known, max(integers, value))

    return extend((), 0, 0)


def _planted(rng: Random) -> tuple[Pair, ...]:
    """17 tokens with a walk of 1 to 4 hops at random places, copies of its tokens, and others of any kind."""
    letters = rng.sample(ALPHABET[:8], 8)
    hops = rng.randint(1, 4)
    wanted, free = letters[:hops], letters[hops:]
    rights: list[Symbol] = [*wanted, rng.randint(1, 3)]
    walk: list[Pair] = list(zip([rng.choice(free), *wanted], rights, strict=True))
    others: list[Symbol] = [*letters, 1, 2, 3]
    tokens: list[Pair] = [
        rng.choice(walk) if rng.random() < 0.2 else (rng.choice(free), rng.choice(others)) for _ in range(17)
    ]
    for at, token in zip([16, *sorted(rng.sample(range(16), hops), reverse=True)], walk, strict=True):
        tokens[at] = token
    return tuple(tokens)


def _wrong(rng: Random, promise: Promise, tokens: Tokens, path: Sequence[int]) -> int:
    """After how many of 0..HL+1 layers position n does not hold what is promised, against random mixtures."""
    free, wrong = promise.held_off_the_walk(tokens), 0
    on = [only(tokens[at - 1]) for at in path]
    for t in range(len(path) + 1):
        wrong += on[0] != only(tokens[path[min(promise.hops(t), len(path) - 1)] - 1])
        off = [average(rng.choices(free, k=rng.randint(1, 3))) for _ in range(len(tokens) - len(path))]
        state = place(tokens, path, on, off)
        on = [rng.choice(free) if (new := after_a_layer(state, at)) is None else new for at in path]
    return wrong
