"""How the constructions of the demo are built, their inputs, and what theory says of their gaps."""

from __future__ import annotations

from collections.abc import Sequence

from sympy import S
from torch import Tensor

from constructions import decoder, heads, reference
from constructions.demo.inputs import DEPTH, Settings
from constructions.demo.showcase import Showcase, Wanted, show_decoder, show_head
from constructions.reference import Integer, Letter, Pair, Symbol
from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real, cos, maximum
from theory.rope.index.discrepancy import query_gap
from theory.rope.retrieval.head import letter_step, retrieval_phase
from theory.rope.retrieval.letter_scale import smallest_gap
from theory.rope.retrieval.repairs import repaired_gap
from theory.rope.softmax.guarantees import check_printed_angle, index_angle

MOST_TRIALS, MOST_WEIGHTS = 100, 2**20


def _trials(settings: Settings) -> range:
    """One for each random input: a hundred, or as many as have a million attention weights together."""
    return range(max(1, min(MOST_TRIALS, MOST_WEIGHTS // settings.length**2)))


def index(settings: Settings) -> Showcase:
    """The Index head on a sequence that ends with an integer that points at a letter."""
    rng = settings.rng("index")
    head = heads.IndexHead(settings.letters, settings.integers, settings.length, settings.angle, dtype=settings.dtype)
    tokens = settings.symbols or settings.index_input(rng)
    trials = [settings.index_input(rng) for _ in _trials(settings)]
    return show_head(head, head.angle, reference.index_at, tokens, _look_back(tokens, tokens[-1], head.angle), trials)


def reflexive(settings: Settings) -> Showcase:
    """The Reflexive head that attends by position to the query itself."""
    rng = settings.rng("reflexive")
    head = heads.ReflexiveHead(
        settings.letters, settings.integers, settings.length, angle=settings.angle, dtype=settings.dtype
    )
    tokens = settings.symbols or settings.index_input(rng)
    trials = [settings.index_input(rng) for _ in _trials(settings)]

    def stays(tokens: Sequence[Symbol], position: int) -> Symbol:
        return reference.reflexive(tokens)[position - 1]

    return show_head(head, head.angle, stays, tokens, _look_back(tokens, None, head.angle), trials)


def _look_back(tokens: Sequence[object], query: Symbol | None, angle: Angle) -> Wanted:
    """An integer query wants the token so many places back, any other query its own place."""
    n, offset = len(tokens), query.value if isinstance(query, Integer) else 0
    rivals = [at for at in range(n) if at != n - 1 - offset]
    return Wanted([n - 1 - offset], rivals, query_gap(n, angle, 0), query_gap(n, angle, offset))


def retrieval_printed(settings: Settings) -> Showcase:
    """The printed Retrieval head at a small positive frequency, on a query that wants a letter."""
    if settings.slow_angle is not None:
        check_printed_angle(settings.letters, settings.length, settings.slow_angle)
    head = heads.RetrievalHead(
        settings.letters,
        settings.integers,
        settings.length,
        "printed",
        angle=settings.slow_angle,
        dtype=settings.dtype,
    )
    return _retrieval(settings, head, smallest_gap(settings.letters, settings.length, head.angle))


def retrieval_repaired(settings: Settings) -> Showcase:
    """The repair R1, at frequency 0 and with a gated residual, on the same input."""
    head = heads.RetrievalHead(settings.letters, settings.integers, settings.length, dtype=settings.dtype)
    return _retrieval(settings, head, repaired_gap("R1", settings.letters, settings.integers))


def _retrieval(settings: Settings, head: heads.RetrievalHead, least: Real) -> Showcase:
    rng = settings.rng("retrieval")
    tokens = settings.pairs or settings.retrieval_input(rng)
    trials = [settings.retrieval_input(rng, integer_query=trial % 2 == 1) for trial in _trials(settings)]
    wanted = _same_letter(tokens, tokens[-1].wanted, settings.letters, head.angle, least)
    return show_head(head, head.angle, reference.retrieval_at, tokens, wanted, trials)


def _same_letter(
    tokens: Sequence[Pair], letter: Letter | None, letters: int, angle: Angle, least: Real
) -> Wanted | None:
    """A query that wants a letter wants the tokens that have it on the left; others have no gap of this kind."""
    if letter is None:
        return None
    step, n = Real.of(letter_step(letters)), len(tokens)
    logits = [
        cos(retrieval_phase(token.left.index, letter.index, n - 1 - at, step, angle.real))
        for at, token in enumerate(tokens)
    ]
    targets = [at for at, token in enumerate(tokens) if token.left == letter]
    rivals = [at for at, token in enumerate(tokens) if token.left != letter]
    exact = maximum(logits[at] for at in targets) - maximum(logits[at] for at in rivals) if rivals else None
    return Wanted(targets, rivals, least, exact)


def number_task(settings: Settings) -> Showcase:
    """The decoder of Index layers on an input of the number task."""
    rng = settings.rng("number")
    tokens = settings.symbols or settings.number_input(rng)
    trials = [settings.number_input(rng) for _ in _trials(settings)]
    model = decoder.number_decoder(
        settings.letters,
        settings.integers,
        settings.length,
        max(DEPTH, settings.hops or 0, reference.number_walk(tokens).hops),
        settings.angle,
        dtype=settings.dtype,
    )
    angle = settings.angle or index_angle(settings.length)

    def wanted(held: Sequence[Symbol | None], weights: Tensor) -> Wanted | None:
        return _look_back(held, held[-1], angle) if isinstance(held[-1], Integer) else None

    return show_decoder(model, angle, reference.number_walk, tokens, wanted, trials)


def letter_task(settings: Settings) -> Showcase:
    """The decoder of repaired Retrieval layers on an input of the letter task."""
    rng = settings.rng("letter")
    tokens = settings.pairs or settings.letter_input(rng)
    trials = [settings.letter_input(rng) for _ in _trials(settings)]
    model = decoder.letter_decoder(
        settings.letters,
        settings.integers,
        settings.length,
        max(DEPTH, settings.hops or 0, reference.letter_walk(tokens).hops),
        dtype=settings.dtype,
    )
    # A wrong token, or a share of one, has at most the logit max(0, cos omega) (theory.rope.tasks.letter_margin).
    least = 1 - maximum((0, cos(Real.of(letter_step(settings.letters)))))

    def wanted(held: Sequence[Pair | None], weights: Tensor) -> Wanted | None:
        letter = held[-1].wanted if held[-1] is not None else None
        if letter is None:
            return None
        # Other positions may hold shares of tokens: those with a share of the right one are neither target nor rival.
        targets = [at for at, token in enumerate(held) if token is not None and token.left == letter]
        right = model.vocabulary.encode([token for token in held if token is not None and token.left == letter])
        rivals = [at for at, row in enumerate(weights) if not row[right].any()]
        return Wanted(targets, rivals, least)

    return show_decoder(model, Angle(S.Zero), reference.letter_walk, tokens, wanted, trials)
