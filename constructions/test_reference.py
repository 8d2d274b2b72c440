"""The reference semantics against the papers' own examples, hand-made tables and random inputs."""

import itertools
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructions import reference as ref
from constructions.reference import Integer, Letter, Pair, Symbol
from constructions.tasks import letter_task, number_task, parse_pairs, parse_symbols, show
from theory.errors import InputError

NUMBER_FIGURE_1 = "c b a 1 4 1 3 2 1"
NUMBER_FIGURE_3 = "n h n v h y r s 6 3 2 7 7 8 4 7 2"
LETTER_FIGURE_1 = "c2 b1 a3 fa ec de hf gd ig"
LETTER_FIGURE_3 = "e1 b2 e1 g6 a2 b2 e1 g6 be db ca ge eb hc dg fh eh"

symbols = st.one_of(st.integers(0, 2).map(Letter), st.integers(1, 4).map(Integer))
letters = st.integers(0, 2).map(Letter)
pairs = st.builds(Pair, letters, st.one_of(letters, st.just(Integer(1))))
seeds = st.integers(0, 2**32)


@pytest.mark.parametrize(
    ("text", "path", "answer"),
    [
        (NUMBER_FIGURE_1, (9, 8, 6, 5, 1), "c"),
        (NUMBER_FIGURE_3, (17, 15, 11, 9, 3), "n"),
        ("a", (1,), "a"),
        ("a b 2 1", (4, 3, 1), "a"),
        ("a 3 b 1", (4, 3), "b"),
    ],
)
def test_number_walk(text: str, path: tuple[int, ...], answer: str) -> None:
    walk = ref.number_walk(parse_symbols(text))
    assert (walk.path, str(walk.answer), walk.hops) == (path, answer, len(path) - 1)


@pytest.mark.parametrize(
    ("text", "path", "answer"),
    [
        (LETTER_FIGURE_1, (9, 8, 6, 5, 1), "c2"),
        (LETTER_FIGURE_3, (17, 14, 11, 5), "a2"),
        ("ab b7", (2,), "b7"),
        ("ab b1 ab ca", (4, 3, 2), "b1"),  # the first `ab` leads nowhere, the latest does
        ("aa b1 cb", (3, 2), "b1"),
    ],
)
def test_letter_walk(text: str, path: tuple[int, ...], answer: str) -> None:
    walk = ref.letter_walk(parse_pairs(text))
    assert (walk.path, str(walk.answer), walk.hops) == (path, answer, len(path) - 1)


@pytest.mark.parametrize(
    ("function", "text", "expected"),
    [
        (ref.index, "a 1 2 1", "a a a 1"),
        (ref.index, "a b 2 3 1 c 1", "a b a a 1 c c"),
        (ref.index, "a 1 1 2", "a a 1 2"),
        (ref.retrieval, "aa ba a1 ab", "aa aa a1 ba"),
        (ref.retrieval, "aa ba ab b1", "aa aa ba b1"),
        (ref.retrieval, "aa b1 ca db ad", "aa b1 aa b1 db"),
        (ref.retrieval, "aa aa a1 ba", None),
        (ref.retrieval, "ab b1", None),
        (ref.retrieval, "a1 ba cb", "a1 a1 ba"),
        (ref.retrieval, "b1 ab c2 dc", "b1 b1 c2 c2"),
        (ref.first_match_retrieval, "ab b1 cb bb cb", "ab b1 b1 b1 b1"),
        (ref.first_match_retrieval, "aa ba ab", "aa aa ba"),
        (ref.first_match_retrieval, "a1 a2 ba bb", "a1 a2 a1 ba"),
        (ref.reflexive, "aa b1", "aa b1"),
    ],
)
def test_worked_maps(function: Callable[..., tuple[Any, ...]], text: str, expected: str | None) -> None:
    tokens = parse_symbols(text) if function is ref.index else parse_pairs(text)
    if expected is None:
        with pytest.raises(ref.UndefinedError):
            function(tokens)
    else:
        assert show(function(tokens)) == expected


def test_figure_inputs_layer_by_layer() -> None:
    numbers = {NUMBER_FIGURE_1: "1 1 1 1 c", NUMBER_FIGURE_3: "2 2 2 2 n"}
    for text, states in numbers.items():
        tokens, last = parse_symbols(text), []
        for _ in range(5):
            last.append(tokens[-1])
            tokens = ref.index(tokens)
        assert show(last) == states
    pairs_of: list[tuple[str, Callable[..., tuple[Pair, ...]], str]] = [
        (LETTER_FIGURE_1, ref.retrieval, "ig gd de ec c2 c2"),
        (LETTER_FIGURE_3, ref.first_match_retrieval, "eh hc ca a2 a2"),
    ]
    for text, layer, states in pairs_of:
        row, finals = parse_pairs(text), []
        for _ in states.split():
            finals.append(row[-1])
            row = layer(row)
        assert show(finals) == states


@pytest.mark.parametrize(
    ("call", "position", "said"),
    [
        (lambda: ref.index(parse_symbols("a 3 1")), 2, "undefined at position 2: 3 points to position -1"),
        (lambda: ref.index(parse_symbols("a 2")), 2, "undefined at position 2: 2 points to position 0"),
        (lambda: ref.number_walk(parse_symbols("a 2 1")), 2, "points to position 0"),
        (lambda: ref.retrieval(parse_pairs("a1 bc")), 2, "no token up to here has the wanted left letter c"),
        (lambda: ref.retrieval(parse_pairs(LETTER_FIGURE_3)), 10, "left letter b: b2, be"),
        (lambda: ref.letter_walk(parse_pairs("aa")), 1, "wanted left letter a"),
        (lambda: ref.letter_walk(parse_pairs("b1 ab cb b2 da")), None, ""),
        (lambda: ref.letter_walk(parse_pairs("b1 b2 ab da")), 3, "left letter b: b1, b2"),
    ],
)
def test_undefined_names_the_position(call: Callable[[], object], position: int | None, said: str) -> None:
    if position is None:
        call()
        return
    with pytest.raises(ref.UndefinedError) as error:
        call()
    assert error.value.position == position
    assert said in str(error.value)


def test_a_walk_needs_a_token() -> None:
    for walk in (ref.number_walk, ref.letter_walk):
        with pytest.raises(ValueError, match="at least one token"):
            walk(())


@pytest.mark.parametrize(
    ("text", "proper", "strongly", "task_format", "task_input", "path"),
    [
        (LETTER_FIGURE_1, True, True, True, True, True),
        (LETTER_FIGURE_3, False, False, True, True, True),
        ("aa", True, True, True, False, False),
        ("a1", True, True, True, False, True),
        ("a1 ba a2", True, False, False, False, True),
        ("a1 ba a2 ca", False, False, False, False, False),
        ("aa ba a1 ab", True, False, False, False, False),
        ("b1 ab b2 ca", True, False, False, False, False),  # a later b2 breaks the condition
        ("ab b1 ca", False, False, False, False, False),
        ("b1 ab bc ca cb", False, False, True, False, False),
    ],
)
def test_predicates(text: str, proper: bool, strongly: bool, task_format: bool, task_input: bool, path: bool) -> None:
    tokens = parse_pairs(text)
    assert (ref.is_proper(tokens), ref.is_strongly_proper(tokens)) == (proper, strongly)
    assert (ref.is_task_format(tokens), ref.is_letter_task_input(tokens)) == (task_format, task_input)
    assert ref.path_condition(tokens) is path


@pytest.mark.parametrize(
    ("text", "valid", "task_input"),
    [
        (NUMBER_FIGURE_1, True, True),
        (NUMBER_FIGURE_3, True, True),
        ("a 1 2", True, True),
        ("a b 4 1", False, False),
        ("a b 1 1 4 4", True, True),
        ("a b 1 6 3", False, True),  # an integer off the walk may point anywhere
        ("a 1 b 1", True, False),
        ("a b", True, False),
        ("1", False, False),
        ("", True, False),
    ],
)
def test_number_predicates(text: str, valid: bool, task_input: bool) -> None:
    tokens = parse_symbols(text)
    assert (ref.is_index_valid(tokens), ref.is_number_task_input(tokens)) == (valid, task_input)


@pytest.mark.parametrize(
    ("alphabet", "largest", "longest", "counts"),
    [
        (2, 1, 6, (5928, 96, 2172, 1130)),
        (3, 2, 4, (12348, 48, 8022, 5022)),
    ],
)
def test_counts_of_proper_sequences(
    alphabet: int, largest: int, longest: int, counts: tuple[int, int, int, int]
) -> None:
    """How many are proper, have an improper image, are strongly proper, and are in task format."""
    rights: list[Symbol] = [*map(Letter, range(alphabet)), *map(Integer, range(1, largest + 1))]
    types = [Pair(Letter(left), right) for left in range(alphabet) for right in rights]
    rows: list[tuple[Pair, ...]] = []
    prefixes: list[tuple[Pair, ...]] = [()]
    for _ in range(longest):
        # Every prefix of a proper sequence is proper.
        prefixes = [row for prefix in prefixes for token in types if ref.is_proper(row := (*prefix, token))]
        rows += prefixes
    broken = sum(not ref.is_proper(ref.retrieval(row)) for row in rows)
    strong, ordered = sum(map(ref.is_strongly_proper, rows)), sum(map(ref.is_task_format, rows))
    assert (len(rows), broken, strong, ordered) == counts


@given(st.lists(symbols, max_size=8))
def test_index_agrees_with_its_definition(tokens: list[Symbol]) -> None:
    if any(isinstance(token, Integer) and j - token.value < 1 for j, token in enumerate(tokens, 1)):
        assert not ref.is_index_valid(tokens)
        return
    for j, (token, image) in enumerate(zip(tokens, ref.index(tokens), strict=True), 1):
        target = tokens[j - token.value - 1] if isinstance(token, Integer) else token
        assert image == (target if isinstance(target, Letter) else token)


@given(st.lists(pairs, max_size=6))
def test_retrieval_agrees_with_its_definition(tokens: list[Pair]) -> None:
    matches = [
        {other for other in tokens[:j] if other.left == token.right} if token.wanted else {token}
        for j, token in enumerate(tokens, 1)
    ]
    proper = all(len(match) == 1 for match in matches)
    assert ref.is_proper(tokens) is proper
    if proper:
        assert list(ref.retrieval(tokens)) == [*itertools.chain(*matches)]
    whole = [{other for other in tokens if other.left == token.right} for token in tokens if token.wanted]
    assert ref.is_strongly_proper(tokens) is (proper and all(len(match) == 1 for match in whole))


@given(st.lists(pairs, min_size=1, max_size=7))
def test_path_condition_is_the_existence_of_a_chain(tokens: list[Pair]) -> None:
    def chain(position: int) -> bool:
        wanted = tokens[position - 1].wanted
        if wanted is None:
            return True
        matches = {other for other in tokens if other.left == wanted}
        return len(matches) == 1 and any(chain(k) for k in range(1, position) if tokens[k - 1] in matches)

    assert ref.path_condition(tokens) is chain(len(tokens))


@given(st.lists(pairs, min_size=1, max_size=8))
def test_listing_1_and_definition_agree_where_they_must(tokens: list[Pair]) -> None:
    """On proper sequences without tokens that want their own left letter, k = j cannot matter."""
    if ref.is_proper(tokens) and all(token.left != token.right for token in tokens):
        assert ref.first_match_retrieval(tokens) == ref.retrieval(tokens)


@given(seeds, st.integers(1, 6), st.integers(1, 6), st.integers(1, 9), st.integers(1, 40), st.integers(1, 9))
def test_number_task(seed: int, hops: int, letters: int, integers: int, alphabet: int, largest: int) -> None:
    options = {
        "hops": hops,
        "letters": letters,
        "integers": integers,
        "alphabet": alphabet,
        "largest": largest,
    }
    if not hops <= integers <= hops * largest:
        with pytest.raises(InputError, match=f"hops={hops}"):
            number_task(Random(seed), **options)
        return
    tokens = number_task(Random(seed), **options)
    assert tokens == number_task(Random(seed), **options)
    assert ref.is_number_task_input(tokens)
    assert ref.is_index_valid(tokens)
    assert ref.number_walk(tokens).hops == hops
    assert [isinstance(token, Letter) for token in tokens] == [True] * letters + [False] * integers
    for token in tokens:
        assert token.index < alphabet if isinstance(token, Letter) else token.value <= largest
    assert parse_symbols(show(tokens)) == tokens


@given(seeds, st.integers(1, 6), st.integers(1, 6), st.integers(1, 9), st.integers(1, 40), st.integers(1, 9))
def test_letter_task(seed: int, hops: int, targets: int, links: int, alphabet: int, largest: int) -> None:
    options = {"hops": hops, "targets": targets, "links": links, "alphabet": alphabet, "largest": largest}
    if hops > links or hops >= alphabet:
        with pytest.raises(InputError, match=f"hops={hops}"):
            letter_task(Random(seed), **options)
        return
    tokens = letter_task(Random(seed), **options)
    assert tokens == letter_task(Random(seed), **options)
    assert ref.is_letter_task_input(tokens)
    assert ref.path_condition(tokens)
    walk = ref.letter_walk(tokens)
    assert walk.hops == hops
    for position in walk.path[:-1]:
        assert sum(token.left == tokens[position - 1].wanted for token in tokens) == 1
    assert (len(tokens), sum(token.wanted is None for token in tokens)) == (targets + links, targets)
    assert all(letter.index < alphabet for token in tokens for letter in (token.left, token.wanted) if letter)
    assert parse_pairs(show(tokens)) == tokens


def test_number_walks_are_uniform_over_what_the_integers_can_link() -> None:
    """Three hops over 5 integers, steps of at most 2: 5-4-2-L, 5-3-2-L and 5-3-1-L, and nothing else."""
    rng, seen = Random(5), dict[tuple[int, ...], int]()
    for _ in range(3000):
        path = ref.number_walk(number_task(rng, hops=3, letters=4, integers=5, alphabet=3, largest=2)).path
        seen[path[:3]] = seen.get(path[:3], 0) + 1
    assert set(seen) == {(9, 8, 6), (9, 7, 6), (9, 7, 5)}
    # Binomial(3000, 1/3) has a standard deviation of 25.8; six of them are 155.
    assert all(abs(count - 1000) < 155 for count in seen.values())


def test_letter_task_inputs_are_mostly_not_proper() -> None:
    """About one in a hundred is proper, so a decoder that is right on proper inputs only would not do."""
    rng = Random(0)
    proper = sum(ref.is_proper(letter_task(rng, hops=hops)) for hops in range(1, 5) for _ in range(500))
    assert 0 < proper < 2000 * 0.03


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda rng: number_task(rng, hops=0), "hops=0 is below 1"),
        (lambda rng: number_task(rng, hops=2, letters=-3), "letters=-3 is below 1"),
        (lambda rng: number_task(rng, hops=10), "integers=9; raise integers"),
        (
            lambda rng: number_task(rng, hops=2, largest=4),
            "reach back 8 tokens, not past integers=9; raise",
        ),
        (lambda rng: letter_task(rng, hops=10), "links=9; raise links"),
        (lambda rng: letter_task(rng, hops=8), "alphabet=8; raise alphabet"),
        (lambda rng: letter_task(rng, hops=1, targets=0), "targets=0 is below 1"),
        (lambda rng: parse_symbols("a b2 3"), "'b2' at position 2"),
        (lambda rng: parse_symbols("a 0"), "'0' at position 2"),
        (lambda rng: parse_symbols("a -1"), "'-1' at position 2"),
        (lambda rng: parse_pairs("a1 2b"), "'2b' at position 2"),
        (lambda rng: parse_pairs("a"), "'a' at position 1"),
        (lambda rng: parse_pairs("a00"), "'a00' at position 1"),
        (lambda rng: parse_pairs("a\u0661"), "at position 1"),
    ],
)
def test_bad_input_names_the_value_and_the_remedy(call: Callable[[Random], object], said: str) -> None:
    with pytest.raises(InputError) as error:
        call(Random(0))
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_printed_forms() -> None:
    printed = [str(Letter(number)) for number in (0, 25, 26, 51, 52, 119)]
    assert printed == ["a", "z", "a'", "z'", "a''", "p''''"]
    assert len({str(Letter(number)) for number in range(500)}) == 500
    tokens = (Pair(Letter(27), Letter(53)), Pair(Letter(0), Integer(12)))
    assert show(tokens) == "b'b'' a12"
    assert parse_pairs(show(tokens)) == tokens
    assert parse_pairs("C2 B1 FA") == parse_pairs("c2 b1 fa")
    assert len({Letter(1), Integer(1)}) == 2
    for make in (lambda: Letter(-1), lambda: Integer(0)):
        with pytest.raises(ValueError, match="from"):
            make()
