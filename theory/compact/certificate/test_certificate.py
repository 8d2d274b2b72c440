"""Certificates: soundness against runs, lengths against scans, and what is refused."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from constructions.compact.decoder import CompactDecoder
from theory.compact.certificate import reference as nets
from theory.compact.certificate.certificate import Certificate
from theory.compact.certificate.forward import next_letter, traces
from theory.compact.certificate.random_decoders import Draw, random_decoder, random_words
from theory.compact.certificate.reference import reference
from theory.compact.certificate.trials import layer_steps, seen_oscillation
from theory.compact.certificate.weights import Mlp, Norm, Weights
from theory.compact.words import POWERS, SQUARES, ZEROS, Infinite, disagreements, periodic
from theory.errors import InputError
from theory.evidence import Constructed
from theory.ledger import Submissions

SMALL = Certificate.of(reference())


def test_the_reference_decoder_is_the_constructed_one(ledger: Submissions) -> None:
    words = list(product(range(3), repeat=4))
    cases = []
    for gains in ("small", "default"):
        for norm, encoding in (("rms", "rope"), ("layer", "none")):
            model = CompactDecoder.reference(gains, norm=norm, encoding=encoding)
            weights = reference(gains, norm, encoding)
            ours = next_letter(weights, np.array(words))
            with torch.no_grad():
                theirs = model.next_letter(torch.tensor(words)).numpy()
            assert np.abs(ours - theirs).max() < 1e-14
            certificate = Certificate.of(weights)
            for i, j in combinations(range(0, len(words), 2 if gains == "small" else 5), 2):
                u, w = words[i], words[j]
                if u[-1] == w[-1]:
                    bound = float(certificate.at_places(4, disagreements(u, w)))
                    cases.append((f"{gains} {norm} {encoding} {u} {w}", np.abs(theirs[i] - theirs[j]).max() <= bound))
    ledger.submit("certificate-soundness", Constructed("reference decoder, words of 4 letters", cases))


def test_anchors_of_outputs() -> None:
    for gains, word, wanted in (
        ("small", [0] * 5, (0.506352653915, 0.455395454987, 0.038251891098)),
        ("small", [0, 1, 2, 1, 0], (0.467181949466, 0.495301717348, 0.037516333186)),
        ("default", [0] * 5, (0.706393640205, 0.244547799409, 0.049058560386)),
        ("default", [0, 1, 2, 1, 0], (0.537713518900, 0.424404183019, 0.037882298082)),
    ):
        assert next_letter(reference(gains), np.array([word]))[0] == pytest.approx(wanted, abs=1e-12)


def test_a_long_word_moves_less() -> None:
    words = np.zeros((3, 1000), dtype=np.int64)
    words[1, 0] = words[2, 998] = 1
    base, first, late = next_letter(reference(), words)
    assert np.abs(base - first).max() == pytest.approx(4.87824218e-5, rel=1e-8)
    assert np.abs(base - late).max() == pytest.approx(6.02428047e-5, rel=1e-8)


def test_the_length_of_the_default_decoder() -> None:
    found = Certificate.of(reference("default")).sufficient_length(1, Fraction(1, 10))
    assert found.length == pytest.approx(310445361876, rel=1e-9)


@pytest.mark.parametrize("depth", [0, 1, 2, 3, 4, 6])
@pytest.mark.parametrize("seed", range(3))
def test_random_decoders_stay_within_all_their_bounds(depth: int, seed: int) -> None:
    random = np.random.default_rng([depth, seed])
    weights = random_decoder(random, Draw(depth, float(random.uniform(0.05, 1))))
    certificate = Certificate.of(weights)
    for n, k in ((5, 1), (24, 3)):
        u, w = random_words(random, weights.letters, n, k, 6)
        apart = np.abs(next_letter(weights, u) - next_letter(weights, w)).max(axis=1)
        for row, gap in enumerate(apart):
            places = disagreements(u[row].tolist(), w[row].tolist())
            at = certificate.at_places(n, places)
            assert gap <= float(at) + 1e-13
            if not weights.by_lag:
                assert at <= certificate.at_distance(n, len(places))
        first, second = list(traces(weights, u)), list(traces(weights, w))
        for index, trace in enumerate(first):
            bounds = certificate.constants.layers[index]
            shortest = np.linalg.norm(trace.before, axis=-1).min()
            assert shortest >= float(bounds.rho) - 1e-12
            if weights.blocks[index].attention.slopes is None:
                for head, seen in enumerate(seen_oscillation(trace)):
                    assert seen <= float(certificate.constants.oscillations[index][head]) + 1e-12
        if not weights.by_lag:
            for seen, most in layer_steps(certificate.constants, first, second):
                assert (seen <= most + 1e-12).all()


@pytest.mark.parametrize("capped", [False, True])
def test_no_letter_is_less_probable_than_said(capped: bool) -> None:
    ratios = []
    for seed in range(40):
        random = np.random.default_rng([7, seed])
        drawn = random_decoder(random, Draw(1, 0.05))
        bias = 2 * random.standard_normal(drawn.letters)
        weights = replace(drawn, unembedding_bias=bias, softcap=0.5 if capped else None)
        outputs = next_letter(weights, random.integers(0, weights.letters, (8, 6)))
        least = float(Certificate.of(weights).constants.least_probability)
        assert 0 < least <= outputs.min()
        ratios.append(least / outputs.min())
    assert max(ratios) > 0.5  # for two letters it is nearly met


@given(st.integers(2, 10**6), st.integers(1, 10), st.sampled_from([Fraction(1, 10), Fraction(1, 1000)]))
def test_a_sufficient_length_is_one_and_the_letter_before_may_not_be(n: int, k: int, eps: Fraction) -> None:
    enough = SMALL.sufficient_length(k, eps).length
    assert enough is not None
    assert float(SMALL.at_distance(max(enough, k + 1), k)) <= eps * (1 + 1e-12)
    if enough - 1 > k:
        assert float(SMALL.at_distance(enough - 1, k)) > eps * (1 - 1e-9)
    if n > enough and n > k:
        assert float(SMALL.at_distance(n, k)) <= eps


@pytest.mark.parametrize("word", [POWERS, SQUARES], ids=str)
@pytest.mark.parametrize("eps", [Fraction(1, 5), Fraction(1, 20), Fraction(1, 50)])
def test_lengths_for_infinite_words_by_a_scan(word: Infinite, eps: Fraction) -> None:
    found = SMALL.sufficient_length_of(ZEROS, word, eps).length
    assert found is not None
    above = [n for n in range(2, 2 * found + 50) if float(SMALL.modulus(Fraction(word.nonzero(n), n))) > eps]
    assert found == max(above) + 1


def test_words_that_stay_apart_are_never_covered() -> None:
    assert SMALL.sufficient_length_of(ZEROS, periodic(5), Fraction(1, 10)).logarithm is None
    assert str(SMALL.sufficient_length_of(periodic(2), periodic(3), Fraction(1, 10))) == "never"
    # Words so sparse that their share of ones is below any that can be met on the way.
    for word in (periodic(99_998), periodic(10**9)):
        assert SMALL.sufficient_length_of(ZEROS, word, Fraction(1, 10**12)).logarithm is None


def test_squares_are_covered_at_a_level_of_hundreds_of_digits() -> None:
    found = SMALL.sufficient_length_of(ZEROS, SQUARES, Fraction(1, 10**600)).logarithm
    assert found is not None  # K(n) = sqrt n, so that N* is nearly 1/delta^2
    assert 2 * 600 * math.log(10) < float(found) < 2 * 606 * math.log(10)


def test_lengths_that_cannot_be_written_out() -> None:
    """Logits times 10^6 in both layers: e^Delta overflows every float."""
    weights = reference()
    blocks = [replace(b, attention=replace(b.attention, scale=b.attention.scale * 1e6)) for b in weights.blocks]
    certificate = Certificate.of(replace(weights, blocks=tuple(blocks)))
    delta = sum(max(float(x) for x in layer) for layer in certificate.constants.oscillations)
    found = certificate.sufficient_length(1, Fraction(1, 10))
    assert found.length is None and found.logarithm is not None
    assert delta * 0.9 < float(found.logarithm) < delta * 1.1 + 200
    assert str(found).startswith("10^")
    for word in (POWERS, SQUARES):
        reach = certificate.sufficient_length_of(ZEROS, word, Fraction(1, 10)).logarithm
        assert reach is not None and reach > found.logarithm
    larger = [replace(b, attention=replace(b.attention, scale=b.attention.scale * 1e18)) for b in weights.blocks]
    assert str(Certificate.of(replace(weights, blocks=tuple(larger))).sufficient_length(1, 1)).startswith("10^(10^1")


def test_norms_of_queries_and_keys_stretch_what_is_short() -> None:
    own = Norm("rms", np.full(2, 0.5), 1e-6)
    weights = nets.tiny(np.eye(2), query=1e-4 * nets.IDENTITY, key=1e-4 * nets.IDENTITY, query_norm=own, key_norm=own)
    head = Certificate.of(weights).constants.layers[0].constants.heads[0]
    slope = 1e-4 * 0.5 / 1e-6**0.5  # of a query in the normed state
    nu = 1 / (9 / 2 + 1e-5) ** 0.5
    assert float(head.query) == pytest.approx(2**-0.5 * nu * slope * 0.5 * 2**0.5, rel=1e-6)
    assert float(head.key) == pytest.approx(float(head.query))
    assert float(head.oscillation) == pytest.approx(2 * 2**-0.5 * (0.5 * 2**0.5) ** 2)


def test_a_cap_bounds_delta() -> None:
    weights = reference("default")
    blocks = [replace(b, attention=replace(b.attention, softcap=0.5)) for b in weights.blocks]
    certificate = Certificate.of(replace(weights, blocks=tuple(blocks)))
    assert all(float(x) == 1 for layer in certificate.constants.oscillations for x in layer)


def _with(weights: Weights, **attention: object) -> Weights:
    block = weights.blocks[0]
    changed = replace(block, attention=replace(block.attention, **attention))  # type: ignore[arg-type]
    return replace(weights, blocks=(changed, *weights.blocks[1:]))


def _mlp(weights: Weights, **mlp: object) -> Weights:
    block = weights.blocks[0]
    assert block.mlp is not None
    changed = replace(block, mlp=replace(block.mlp, **mlp))  # type: ignore[arg-type]
    return replace(weights, blocks=(changed, *weights.blocks[1:]))


BAD = {
    "blocks.0.attention.query is NaN": lambda w: _with(w, query=w.blocks[0].attention.query * np.nan),
    "embedding is NaN or infinite": lambda w: replace(w, embedding=w.embedding * np.inf),
    "norm has epsilon = 0": lambda w: replace(w, norm=Norm("rms", np.ones(8), 0.0)),
    "2 experts": lambda w: _mlp(w, experts=2),
    "the activation 'relu-squared'": lambda w: _mlp(w, activation="relu-squared"),
    "blocks.0 is post-norm": lambda w: replace(w, blocks=(replace(w.blocks[0], arrangement="post-norm"),)),
    "encoding 'log-scaling' is not compact": lambda w: replace(w, encoding="log-scaling"),
    "encoding 'wavelet' is unknown": lambda w: replace(w, encoding="wavelet"),
    "logits times 2 ln i is not compact": lambda w: replace(w, scaling="logits times 2 ln i"),
    "slopes favour the far past": lambda w: _with(w, slopes=np.array([-1.0, 0.0])),
    "output temperature 0.0": lambda w: replace(w, temperature=0.0),
    "shape": lambda w: _with(w, output=np.zeros((2, 8, 3))),
    "a norm 'group'": lambda w: replace(w, norm=Norm("group", np.ones(8), 1e-5)),
    "softcap is 0": lambda w: replace(w, softcap=0.0),
    "has no norm before it": lambda w: replace(w, blocks=(replace(w.blocks[0], mlp_norm=None),)),
    "a bound is NaN or infinite": lambda w: replace(w, unembedding=np.sign(w.unembedding) * 1.7e308),
}


@pytest.mark.parametrize("what", BAD)
def test_no_certificate_is_said_in_one_line_that_names_it(what: str) -> None:
    with pytest.raises(InputError) as raised:
        Certificate.of(BAD[what](reference()))
    text = str(raised.value)
    assert what in text and text.startswith("no certificate: ") and "\n" not in text


def test_words_outside_of_the_theorem_are_refused_by_its_hypothesis() -> None:
    for refused, what in (
        (lambda: SMALL.at_places(5, [5]), "last"),
        (lambda: SMALL.at_places(5, [6]), "outside"),
        (lambda: SMALL.at_distance(5, 5), "last"),
        (lambda: SMALL.radius(0), "positive"),
        (lambda: SMALL.sufficient_length(0, 1), "k >= 1"),
        (lambda: Certificate.of(_with(reference(), window=3)).at_distance(5, 1), "lag"),
    ):
        with pytest.raises(InputError, match=what):
            refused()


def test_a_window_is_bounded_by_the_density_near_the_end() -> None:
    weights = _with(reference(), window=3)
    certificate = Certificate.of(weights)
    assert certificate.at_places(40, [1]) == SMALL.modulus(Fraction(1, 40))
    assert certificate.at_places(40, [39]) == SMALL.modulus(Fraction(1, 2))


def test_without_layers_only_the_last_letter_counts() -> None:
    weights = replace(reference(), blocks=())
    assert float(Certificate.of(weights).at_places(9, [1, 4])) == 0


def test_a_plain_mlp_and_a_bias_are_in_the_bounds() -> None:
    mlp = Mlp("gelu", up=nets.waves(4, 2, 3, 1.0), down=nets.waves(2, 4, 4, 1.0), down_bias=np.array([0.5, 0.0]))
    weights = nets.tiny(np.eye(2), mlp, value=nets.IDENTITY, output=0.1 * nets.IDENTITY)
    constants = Certificate.of(weights).constants
    up, down = (np.linalg.svd(m, compute_uv=False)[0] for m in (mlp.up, mlp.down))
    assert float(constants.layers[0].mlp_inner) == pytest.approx(1.12890414519 * up * down, rel=1e-9)
    most = np.abs(mlp.down) @ (math.sqrt(2) * np.linalg.norm(mlp.up, axis=1))
    shorter = float(constants.layers[0].rho) - 0.1 * math.sqrt(2) - np.linalg.norm(most) - 0.5
    assert float(constants.rho) == pytest.approx(shorter, rel=1e-9)
