"""The letter task on proper sequences: when Retrieval can be applied again, and that each layer then takes one hop.

Source: arXiv 2605.31558, Section 3.2 and Definition F.2. A walk steps from an LL token (x, y) to an earlier token with
left letter y and ends at an LI token, a letter with an integer. Two hypotheses make Retrieval composable. *Strongly
proper*: every wanted letter is the left letter of one token type in the whole sequence, and occurs in time. *Task
format*: the sequence is proper and its LI tokens precede its LL tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product
from random import Random

from theory.claims import Hypothesis, Source, claim
from theory.errors import InputError
from theory.evidence import Enumeration, Evidence, Search
from theory.outcome import Outcome
from theory.rope.rotation import PAPER
from theory.rope.sequences import Pair, is_proper, matches, pair_alphabet, retrieval, show
from theory.wording import counted

Tokens = Sequence[Pair]
SEED = 2605


def is_strongly_proper(tokens: Tokens) -> bool:
    """Whether the sequence is proper and no wanted letter has a second token type further on."""
    wanted = {right for _, right in tokens if isinstance(right, str)}
    types = {token for token in tokens if token[0] in wanted}
    return is_proper(tokens) and len(types) == len({left for left, _ in types})


def is_task_format(tokens: Tokens) -> bool:
    """Whether all LI tokens precede all LL tokens."""
    linked = [isinstance(right, str) for _, right in tokens]
    return linked == sorted(linked)


@dataclass(frozen=True)
class Class:
    """A class of sequences, of which a prefix of a member is a member."""

    text: str
    contains: Callable[[Tokens], bool]

    def __str__(self) -> str:
        return self.text

    def up_to(self, letters: int, integers: int, longest: int) -> Iterator[tuple[Pair, ...]]:
        """All members of 1 to `longest` tokens, the shortest first."""
        shorter: list[tuple[Pair, ...]] = [()]
        for _ in range(longest):
            longer = product(shorter, pair_alphabet(letters, integers))
            shorter = [member for prefix, token in longer if self.contains(member := (*prefix, token))]
            yield from shorter

    def random(self, count: int, longest: int) -> Iterator[tuple[Pair, ...]]:
        """Random members over 8 letters and 3 integers, grown token by token."""
        rng, alphabet = Random(SEED), pair_alphabet(8, 3)
        for _ in range(count):
            tokens: tuple[Pair, ...] = ()
            for _ in range(rng.randint(2, longest)):
                drawn = ((*tokens, rng.choice(alphabet)) for _ in range(60))
                tokens = next((longer for longer in drawn if self.contains(longer)), tokens)
            yield tokens


PROPER = Class("proper", is_proper)
STRONG = Class("strongly proper", is_strongly_proper)
ORDERED = Class("proper and in task format", lambda tokens: is_task_format(tokens) and is_proper(tokens))
COMPOSABLE = Class(
    "strongly proper, or proper and in task format",
    lambda tokens: STRONG.contains(tokens) or ORDERED.contains(tokens),
)


@claim(
    "retrieval-proper-not-closed",
    source=Source(PAPER, "Sec. 3.2 and Def. F.2", "derived"),
    quantifiers="for all sequences of the class",
    statement=lambda members: f"if a sequence is {members}, then its Retrieval is proper",
    variant=PROPER,
    printed="f_LET = Reflexive^(l-h) Retrieval^h, without a hypothesis that makes Retrieval^2 defined",
    expected=Outcome.REFUTED,
    counterexample="aa ba a1 ab",
    near_miss=("the hypotheses of the composition", COMPOSABLE),
    repaired_by="letter-composition",
    controls={
        "no token wants its own left letter": Class(
            "proper and without tokens that want their own left letter",
            lambda tokens: is_proper(tokens) and all(left != right for left, right in tokens),
        ),
        "no token twice": Class(
            "proper and without repeated tokens",
            lambda tokens: is_proper(tokens) and len(set(tokens)) == len(tokens),
        ),
        "an LI token first": Class(
            "proper and led by an LI token",
            lambda tokens: is_proper(tokens) and isinstance(tokens[0][1], int),
        ),
    },
    does_not_show="that a walk fails: on many of these inputs the last position is still right",
)
def retrieval_closed(members: Class, thorough: bool) -> Iterator[Evidence]:
    """All members over small alphabets, the shortest first; three letters and integers serve up to three tokens."""
    bounds = [(3, 3, 3), (2, 1, 6), (2, 2, 6), (3, 2, 4), (3, 1, 5)] if thorough else [(3, 3, 3), (2, 1, 5), (2, 2, 4)]

    def cases(sequences: Iterable[Tokens]) -> Iterator[tuple[str, bool]]:
        return ((show(tokens), is_proper(retrieval(tokens))) for tokens in sequences)

    small = chain.from_iterable(members.up_to(*bound) for bound in bounds)
    yield Enumeration(f"all sequences for (letters, integers, tokens) up to {bounds}", cases(small))
    large = members.random(count=100, longest=24)
    yield Search.decided("random sequences of up to 24 tokens, as improper images", cases(large), seed=SEED)


@dataclass(frozen=True)
class Composition:
    """That t layers are defined on a class and take every position exactly `hops(t)` hops along its walk."""

    members: Class = COMPOSABLE
    hops: Callable[[int], int] = lambda layers: layers
    layer: Callable[[Tokens], tuple[Pair, ...]] = retrieval
    text: str = "t layers take each position t hops along its walk, or to the walk's end"

    def __str__(self) -> str:
        return f"if a sequence is {self.members}: {self.text}"


def own_letter_queries(tokens: Tokens) -> tuple[Pair, ...]:
    """Retrieval where an LI token moves on to the first token with its own left letter."""
    firsts = {left: (left, right) for left, right in reversed(tokens)}
    found = retrieval(tokens)
    return tuple(firsts[old[0]] if isinstance(old[1], int) else new for old, new in zip(tokens, found, strict=True))


@claim(
    "letter-composition",
    source=Source(PAPER, "Sec. 3.2"),
    quantifiers="for all sequences of the class, all t >= 0, all positions and all choices among equal tokens",
    statement=str,
    variant=Composition(),
    hypotheses=(
        Hypothesis(
            "strongly proper or task format",
            "either suffices; each is as defined above",
            dropped=Composition(PROPER),
        ),
        Hypothesis(
            "proper",
            "every wanted letter is the left letter of exactly one token type up to the wanting position",
            dropped=Composition(Class("in task format", is_task_format)),
        ),
    ),
    controls={
        "2^h hops in h layers": Composition(hops=lambda t: 2**t if t else 0, text="t layers take 2^t hops"),
        "HL - 1 layers": Composition(hops=lambda t: t + 1, text="t layers take t + 1 hops"),
        "LI tokens move on": Composition(layer=own_letter_queries, text="walks go on from LI tokens"),
    },
    does_not_show="anything about sequences that are not proper: see letter-path-condition",
)
def letter_composition(composition: Composition, thorough: bool) -> Iterator[Evidence]:
    """All sequences of the class over small alphabets, at every position after every number of layers.

    The proof is by induction on t with k(j) <= j the position that j points to: position j holds the token of k^t(j).
    """
    bounds = [(2, 1, 6), (2, 2, 6), (3, 2, 4), (3, 1, 5)] if thorough else [(2, 1, 5), (2, 2, 4), (3, 1, 4)]

    def cases(sequences: Iterable[tuple[Pair, ...]]) -> Iterator[tuple[str, bool]]:
        return ((show(tokens), _takes_hops(composition, tokens)) for tokens in sequences)

    for letters, integers, longest in bounds:
        name = f"all of up to {longest} tokens over {letters} letters and {counted(integers, 'integers')}"
        yield Enumeration(name, cases(composition.members.up_to(letters, integers, longest)))
    large = composition.members.random(count=60, longest=17)
    yield Search.decided("random sequences of up to 17 tokens, as wrong walks", cases(large), seed=SEED)


def _takes_hops(composition: Composition, tokens: tuple[Pair, ...]) -> bool:
    """Whether every state is proper and holds, at each position, the token that any choice of hops leads to."""
    found = [matches(tokens, position) for position in range(1, len(tokens) + 1)]
    steps = [{k for k in range(j + 1) if tokens[k] in found[j]} for j in range(len(tokens))]
    state = tokens
    for t in range(len(tokens)):
        for position, token in enumerate(state):
            reached = {position}
            for _ in range(composition.hops(t)):
                reached = set().union(*(steps[at] for at in reached))
            if {tokens[at] for at in reached} != {token}:
                return False
        try:
            state = composition.layer(state)
        except InputError:
            return False
    return True
