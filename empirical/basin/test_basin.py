"""The command on small decoders: its certificate holds, its figures and JSON are there, and bad input is one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from constructions.compact.decoder import CompactConfig, CompactDecoder
from empirical.__main__ import run
from empirical.basin import describe
from empirical.basin import measure as measure_module
from empirical.basin.describe_transformers import hugging_face
from empirical.basin.measure import measure
from empirical.basin.measured import Plan
from empirical.basin.pair import Pair, parse, prefix
from empirical.basin.placements import PLACEMENTS, changed, places
from empirical.basin.subject import Subject, open_subject
from empirical.capture.conftest import TINY, config
from empirical.capture.hugging_face import HuggingFace
from empirical.checkpoint import save
from empirical.decoder import Decoder
from empirical.decoder_config import DecoderConfig
from empirical.lock import alone
from theory.compact.certificate.certificate import Certificate
from theory.compact.certificate.estimate import estimate, see
from theory.compact.certificate.forward import next_letter
from theory.compact.words import POWERS, ZEROS
from theory.errors import InputError


def save_compact(path: Path, model: CompactDecoder, **changes: Any) -> Path:
    from dataclasses import asdict

    save(path, model.float().state_dict(), {"compact_decoder": {**asdict(model.config), **changes}})
    return path


@pytest.fixture(scope="module")
def card(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_compact(tmp_path_factory.mktemp("reference") / "model.json", CompactDecoder.reference())


ENCODINGS: dict[str, dict[str, Any]] = {
    "none": {},
    "rope": {},
    "sinusoidal": {},
    "learned": {"max_length": 40},
    "alibi": {},
    "window": {"window": 5},
}


@pytest.mark.parametrize("norm", ["rms", "layer"])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_decoder_on_words_is_described(encoding: str, norm: str) -> None:
    torch.manual_seed(0)
    shape = CompactConfig(
        letters=4, width=8, layers=2, heads=2, key_heads=1, mlp_width=6, encoding=encoding, norm=norm, softcap=2.0,
        output_temperature=0.7, **ENCODINGS[encoding],
    )  # fmt: skip
    model = CompactDecoder(shape).double().eval()
    words = torch.randint(0, 4, (5, 30))
    weights = describe.compact(model)
    assert np.abs(next_letter(weights, words.numpy()) - model.next_letter(words).detach().numpy()).max() < 1e-13
    certificate = Certificate.of(weights)
    assert certificate.constants.by_lag == (encoding in ("alibi", "window"))
    if encoding in ("sinusoidal", "learned"):
        first = model.embed(torch.arange(4).repeat(4, 10)[:, :40]).detach()
        assert float(certificate.constants.layers[0].rho) <= float(first.norm(dim=-1).min())


def test_a_decoder_of_ours_is_described() -> None:
    torch.manual_seed(1)
    model = Decoder(DecoderConfig(9, layers=3, width=8, heads=2, without_rope=(1,))).double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    words = torch.randint(0, 9, (4, 12))
    found = next_letter(describe.decoder(model), words.numpy())
    assert np.abs(found - model(words).softmax(-1).detach().numpy()).max() < 1e-13


@pytest.mark.parametrize("name", TINY)
def test_every_family_is_described_and_certified(name: str, tiny: Callable[[str], Any]) -> None:
    model = tiny(name)
    weights = hugging_face(HuggingFace(model))
    words = torch.randint(0, 50, (2, 30), generator=torch.Generator().manual_seed(3))
    with torch.no_grad():
        theirs = model(input_ids=words, use_cache=False).logits[:, -1].double().softmax(-1).numpy()
    assert np.abs(next_letter(weights, words.numpy()) - theirs).max() < 1e-4
    found = Certificate.of(weights).sufficient_length(1, Fraction(1, 10)).logarithm
    assert found is not None and float(found) > 1


@pytest.fixture(scope="session")
def tiny() -> Callable[[str], Any]:
    transformers = pytest.importorskip("transformers")

    def build(name: str) -> Any:
        kind, changes = TINY[name]
        model = transformers.AutoModelForCausalLM.from_config(config(kind, **changes))
        generator = torch.Generator().manual_seed(0)
        for parameter in model.parameters():
            parameter.data.normal_(0, 0.3, generator=generator)
        return model.eval()

    return build


def test_what_is_measured_lies_within_what_is_certified(card: Path) -> None:
    subject = open_subject(str(card))
    certificate = Certificate.of(subject.weights)
    for found in measure(subject, Pair(ZEROS, POWERS), (0, 1), Plan(longest=64, influence=4)):
        assert [at.n for at in found.lengths] == [8, 16, 32, 64]
        for at in found.lengths:
            assert at.noise == 0
            for c in at.changes:
                assert c.distance <= float(certificate.at_distance(at.n, c.k)) + 1e-12
                assert c.distance / 2 <= c.variation <= 3 * c.distance / 2 + 1e-15
                assert c.moved == (c.margin < 0)
            for i, moved in enumerate(at.influence, start=1):
                assert moved <= float(certificate.at_places(at.n, [i])) + 1e-12
        assert found.slope("earliest") == pytest.approx(-1, abs=0.1)
        assert found.collapse("earliest", 0.01) in (8, 16)


def test_an_estimate_is_below_the_certificate_and_here_above_what_is_seen(card: Path) -> None:
    subject = open_subject(str(card))
    certificate = Certificate.of(subject.weights)
    words = np.random.default_rng(0).integers(0, 3, (20, 24))
    sight = see(subject.weights, [words], seed=0)
    guess = estimate(subject.weights, certificate.constants, sight)
    for n, k in ((24, 1), (1000, 3)):
        assert guess.at_distance(n, k) <= certificate.at_distance(n, k)
    assert guess.at_distance(24, 1) > 0
    for seen, bounds in zip(sight.oscillations, certificate.constants.oscillations, strict=True):
        assert all(x <= float(bound) for x, bound in zip(seen, bounds, strict=True))
    assert not isinstance(guess, Certificate)


def test_places_of_changes() -> None:
    generator = torch.Generator().manual_seed(0)
    word = torch.tensor([1, 0, 0, 1, 0, 0, 0, 1])
    influence = torch.tensor([0.1, 0.5, 0.2, 0.9, 0.0, 0.3, 0.4])
    wanted = {
        "earliest": [0, 1, 2],
        "latest": [4, 5, 6],
        "spread": [1, 3, 5],
        "adversarial": [1, 3, 6],
        "erase": None,
    }
    for kind, expected in wanted.items():
        found = places(kind, word, 3, influence, generator)
        assert (None if found is None else found.tolist()) == expected
    assert places("erase", word, 2, None, generator).tolist() == [0, 3]  # type: ignore[union-attr]
    for kind in PLACEMENTS:
        for k in range(9):
            where = places(kind, word, k, influence, generator)
            if where is None:
                continue
            other = changed(word, where, kind, (0, 1))
            assert 7 not in where.tolist() and len(other) == 8
            assert (other != word).nonzero()[:, 0].tolist() == where.tolist()


def test_the_command_writes_everything_or_nothing(
    card: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    arguments = ["basin", str(card), "--longest", "32", "--threads", "1"]
    assert run([*arguments, "--out", str(out)]) == 0
    text = capsys.readouterr().out
    assert all(len(line) <= 80 for line in text.splitlines())
    flat = " ".join(text.split())
    assert "certified: from length 36 on this model cannot tell 0^w from chi" in flat
    assert "(no certificate: seen on samples)" in flat and "Delta^" in flat and "ln n = 3.47" in flat
    data = json.loads((out / "basin.json").read_text())
    assert (data["format"], data["version"]) == ("headproof basin", 1)
    assert data["certificate"]["lengths"]["one letter"]["length"] == "6"
    assert data["certificate"]["Lambda"] == pytest.approx(0.555, abs=1e-3)
    kinds = {f"{name}.{kind}" for name in ("distance", "influence", "radius", "logits") for kind in ("png", "svg")}
    assert {path.name for path in out.iterdir()} == {"basin.json", *kinds}
    assert run([*arguments, "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again == data
    assert run([*arguments, "--out", str(out)]) == 0
    capsys.readouterr()
    before = (out / "basin.json").read_bytes()
    for more in (["--longest", "16"], ["--words", "zeros:squares"], ["--epsilon", "0.05"], ["--letters", "0,2"]):
        assert run([*arguments, *more, "--out", str(out)]) == 2
        error = capsys.readouterr().err
        assert "already holds basin.json of another request; give another folder" in error and error.count("\n") == 1
        assert (out / "basin.json").read_bytes() == before and len(list(out.iterdir())) == 9
    with alone(out):
        assert run([*arguments, "--out", str(out)]) == 2
    assert "is in use by another run" in capsys.readouterr().err


def test_a_run_that_was_killed_goes_on_from_its_lengths(
    card: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("empirical.basin.figures.draw", lambda report, folder: [])
    arguments = ["basin", str(card), "--longest", "16", "--threads", "1", "--out"]
    assert run([*arguments, str(tmp_path / "whole")]) == 0
    done: list[int] = []

    def counted(*of: Any) -> Any:
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(of[2])
        return measured_at(*of)

    measured_at = measure_module._of_length
    monkeypatch.setattr(measure_module, "_of_length", counted)
    assert run([*arguments, str(tmp_path / "killed")]) == 130
    assert len(list((tmp_path / "killed" / ".parts").iterdir())) == 3
    done = done[:2]  # one more may be measured
    assert run([*arguments, str(tmp_path / "killed")]) == 0
    assert done == [8, 16, 16]
    assert (tmp_path / "killed" / "basin.json").read_bytes() == (tmp_path / "whole" / "basin.json").read_bytes()
    assert not (tmp_path / "killed" / ".parts").exists()
    # Parts of another request are not taken for its own.
    (tmp_path / "killed" / "basin.json").unlink()
    done.clear()
    assert run([*arguments, str(tmp_path / "killed"), "--seed", "1"]) == 130
    done.clear()
    assert run([*arguments, str(tmp_path / "killed"), "--seed", "2"]) == 130 and done == [8, 16, 8]


def test_two_finite_words(card: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["basin", str(card), "--words", "0 1 2 0 1 2 0 1 2 1:0 1 0 0 1 2 0 1 2 1", "--threads", "1"]) == 0
    flat = " ".join(capsys.readouterr().out.split())
    assert "10 letters, 1 differ" in flat and "measured on 0 1 2 0" in flat


def test_a_window_is_told_to_look_at_the_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    torch.manual_seed(0)
    shape = CompactConfig(letters=2, width=8, layers=1, heads=1, mlp_width=4, encoding="window", window=4)
    path = save_compact(tmp_path / "model.json", CompactDecoder(shape))
    assert run(["basin", str(path), "--longest", "8"]) == 0
    assert "keys are weighed by their lag" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ("0 1 1:0 1", "words of one length"),
        ("0 1 1:0 1 0", "share the last letter"),
        ("0 1 7:0 2 7", "token 7 is not one of the 3"),
        (":0 1", "an empty word"),
        ("0 1", "is not two words"),
        ("0 1:zeros", "one infinite and one finite"),
        ("zeros:0^w", "the same word twice"),
        ("per3:per_3", "the same word twice"),
        ("0 x:0 1", "no word"),
        ("0 1 2:0 1 2", "the same word twice"),
    ],
)
def test_bad_words_are_one_line(
    card: Path, words: str, what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run(["basin", str(card), "--words", words, "--out", str(out)]) == 2
    error = capsys.readouterr().err
    assert what in error and error.count("\n") == 1 and not out.exists()


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--epsilon", "0"], "not in (0, 1]"),
        (["--epsilon", "2"], "not in (0, 1]"),
        (["--epsilon", "x"], ""),
        (["--seed", str(10**30)], "is not in the range"),
        (["--letters", "0"], "not two token numbers"),
        (["--letters", "0,x"], "'x', which is no number"),
        (["--letters", "0,99999999999999999999"], "99999999999999999999, which is too large"),
        (["--letters", "1,1"], "are one token"),
        (["--letters", "0,9"], "token 9"),
    ],
)
def test_bad_options_are_one_line(
    card: Path, options: list[str], what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["basin", str(card), *options]) == 2
    error = capsys.readouterr().err
    assert what in error and error.count("\n") == 1


def test_models_without_a_certificate_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = CompactDecoder.reference()
    nan = CompactDecoder.reference()
    with torch.no_grad():
        nan.layers[1].key.weight[0, 0] = torch.nan
    cases = {
        "blocks.1.attention.key is NaN": save_compact(tmp_path / "nan.json", nan),
        "log_scaling=1.0": save_compact(tmp_path / "log.json", model, log_scaling=1.0),
        "does not exist": tmp_path / "nothing",
    }
    for what, path in cases.items():
        out = tmp_path / "out"
        assert run(["basin", str(path), "--out", str(out)]) == 2
        error = capsys.readouterr().err
        assert what in error and error.count("\n") == 1 and not out.exists()


def test_a_model_that_is_not_what_its_weights_say_is_refused() -> None:
    from empirical.basin.subject import _as_described

    model = CompactDecoder.reference().double()
    subject = Subject("other", "0" * 64, describe.compact(model), lambda w: -model(w)[:, -1], None)
    with pytest.raises(InputError, match="answers otherwise"):
        _as_described(subject)
    _as_described(replace(subject, run=lambda w: model(w)[:, -1]))


def test_words_as_they_are_typed() -> None:
    assert parse("zeros:chi") == Pair(ZEROS, POWERS)
    assert parse("1, 2 3:4 5 3") == Pair((1, 2, 3), (4, 5, 3))
    assert parse("1 2 3:4 5 3").places == (1, 2)
    assert parse("0^w:sq") == parse("zeros:squares") and parse("1^w:powers") == parse("ones:chi")
    assert prefix(parse("per2:zeros").first, 7, (5, 6)).tolist() == [5, 5, 6, 5, 5, 6, 5]


def test_every_command_has_its_line_of_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["basin", "--help"]) == 0
    assert "certified, estimated, and measured" in " ".join(capsys.readouterr().out.split())
