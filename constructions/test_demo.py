import json
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import cos, pi, tanh
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from constructions import heads
from constructions.compact.detectors import content_times_log
from constructions.compact.learners import joint
from constructions.decoder import Decoder
from constructions.demo import compact, inference, session
from constructions.demo.__main__ import HEADING, run
from constructions.demo.compact import learned_together
from constructions.demo.demonstrations import DEMONSTRATIONS
from constructions.demo.inference import inferred
from constructions.demo.inputs import Settings, parse_input
from constructions.demo.model_table import rows
from constructions.demo.model_text import short
from constructions.demo.request import COMPACT, CONSTRUCTIONS, INFERENCE, MODELS, Request
from constructions.inference import AdditiveNet, BayesFilter, exact_offsets
from constructions.reference import is_index_valid, is_proper, number_walk, path_condition
from constructions.rope_head import RopeHead
from theory.arithmetic.ball import Real
from theory.claims import discover
from theory.rope.models.config import published_models

SMALL = ("--length", "6", "--alphabet", "3", "--integers", "3")
CONFIG: dict[str, Any] = {
    "model_type": "llama",
    "max_position_embeddings": 64,
    "hidden_size": 16,
    "num_attention_heads": 2,
    "rope_theta": 100.0,
}


def config(folder: Path, **changes: object) -> str:
    path = folder / "config.json"
    path.write_text(json.dumps(CONFIG | changes))
    return str(path)


@pytest.fixture
def shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Runs the demo and returns what it prints; the exit code must be the one that is expected."""
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments: str, code: int = 0) -> str:
        found = run(arguments)
        out, err = capsys.readouterr()
        assert (found, err) == (code, ""), err
        return out

    return call


def test_names_are_those_of_constructions_and_claims() -> None:
    assert tuple(DEMONSTRATIONS) == CONSTRUCTIONS
    found = [find() for demonstration in DEMONSTRATIONS.values() for find in demonstration.counterexamples]
    named = {demonstration.claim for demonstration in DEMONSTRATIONS.values()} | {each.claim for each in found}
    shown = learned_together()
    named |= {shown.together.claim, *(rival.claim for rival in shown.rivals)}
    steps = inferred()
    named |= {steps.hull.claim, steps.pool_claim, steps.curved.claim, steps.filtered.claim}
    named |= {each.claim for each in steps.shares}
    assert named <= discover().keys()


@pytest.mark.parametrize("task", CONSTRUCTIONS)
def test_each_construction(shown: Callable[..., str], task: str) -> None:
    text = shown("--task", task, *SMALL)
    assert text.startswith(HEADING)
    assert DEMONSTRATIONS[task].title in text
    assert "agrees" in text and "100 random inputs of this kind: all agree" in text
    assert "on every input: holds" in text.replace("\n            ", " ")
    assert "Every output is that of the reference" in text
    assert not any(word in text for word in ("WRONG", "VIOLATED", "NOT"))
    assert "\x1b" not in text


def test_everything_as_json(shown: Callable[..., str]) -> None:
    data = json.loads(shown("--json"))
    assert (data["format"], data["version"], data["passed"], data["figures"]) == ("headproof-demo", 1, True, [])
    assert tuple(data["constructions"]) == CONSTRUCTIONS
    for found in data["constructions"].values():
        assert found["output"] == found["expected"] and found["passed"] and found["wrong"] == []
        assert len(found["tokens"]) == 17 <= found["guaranteed length"]
        assert all(layer["attention on the target"] >= 0.75 for layer in found["layers"])
        for layer in found["layers"]:
            assert sum(layer["attention of the last query"]) == pytest.approx(1)
            assert layer["gap"]["outcome"] == "holds"
            assert layer["gap"]["observed"] >= layer["gap"]["on every input at least"]["midpoint"] - 1e-12
    assert [len(data["constructions"][task]["layers"]) for task in CONSTRUCTIONS] == [1, 1, 1, 1, 4, 4]
    assert len(data["counterexamples"]) == 3 and all(found["passed"] for found in data["counterexamples"].values())
    assert data["counterexamples"]["index-discrepancy-printed"]["gap"]["observed"] == pytest.approx(1.5)
    assert data["compact"]["passed"] and data["inference"]["passed"]
    assert len({row["model"] for row in data["models"]}) >= 8


def test_compact_decoders(shown: Callable[..., str]) -> None:
    text = " ".join(shown("--task", COMPACT).split())
    assert "Wrong after 255 letters" in text and "Wrong after 7 letters" in text
    assert "Right at every length tried, with margin 0.529896" in text and "from n = 2^36 - 1 on" in text
    assert "every gap and margin is within its certified bounds" in text and "VIOLATED" not in text
    data = json.loads(shown("--task", COMPACT, "--json"))
    assert data["constructions"] == {} and data["models"] == [] and data["passed"]
    together, detectors = data["compact"]["learned together"], data["compact"]["detectors on the powers of two"]
    assert [margin["observed"] for margin in together["margins"]] == pytest.approx([tanh(2.5)] * 2)
    assert [margin["observed"] for margin in together["per cent changed"].values()] == pytest.approx(
        [0.941375538, 0.761594156, 0.244918662]
    )
    assert [found["wrong after"][:1] for found in detectors.values()] == [[255], [7], []]
    for found in detectors.values():
        assert found["wrong after"] == found["predicted"] and found["least margin on 0^w"] == pytest.approx(tanh(0.25))
        assert set(found["wrong after"]) <= {2**j - 1 for j in range(1, 15)}
        assert [int(n) for n in found["margins"]] == [2**j - 1 for j in range(1, 15)]


def test_inference_by_one_gradient(shown: Callable[..., str]) -> None:
    text = " ".join(shown("--task", INFERENCE).split())
    assert "unequal 34.6 45.1 20.3 71.8 6.5 21.6 71.8 6.5 21.6 biased" in text
    assert "the likelihoods choose the task between the others at 39, g at none: holds" in text
    assert "0.156948 of 0.232229, as certified: holds" in text and "VIOLATED" not in text
    data = json.loads(shown("--task", INFERENCE, "--json"))
    assert data["constructions"] == {} and data["compact"] is None and data["passed"]
    found = data["inference"]
    assert [model["diagnosis"] for model in found["models"].values()] == ["exact", "biased", "blind", "biased"]
    for model in found["models"].values():
        step, corrected, posterior = (
            [share["observed"] for share in model[kind]] for kind in ("step", "corrected", "posterior")
        )
        assert corrected == pytest.approx(posterior, abs=1e-14) and sum(step) == pytest.approx(1)
        assert (step == pytest.approx(posterior, abs=1e-14)) == (model["diagnosis"] != "biased")
    pooled = [share["observed"] for share in found["pool"]["posterior"]]
    assert pooled == pytest.approx([2 / 17, 5 / 17, 1 / 17, 9 / 17])


def test_text_fits_the_screen(shown: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    for width in (80, 120):
        monkeypatch.setenv("COLUMNS", str(width))
        lines = shown().splitlines()
        assert max(map(len, lines)) <= width
        assert all(line == line.rstrip() for line in lines)
    assert any(line.startswith("GPT-J 6B") for line in lines)


def test_seeds(shown: Callable[..., str]) -> None:
    first, again, other = (shown("--task", "index", "--seed", seed) for seed in ("5", "5", "6"))
    assert first == again != other
    # An input does not depend on what else is shown.
    assert first.splitlines()[4] in shown("--task", "reflexive", "--task", "index", "--seed", "5")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--task", "index", "--angle", "1"), "theta = 1 rad per position"),
        (
            ("--task", "number-task", "--angle", "rope(base=10000,d=128,k=2)"),
            "theta = 10**(15/16)/10 = 0.866 rad per position",
        ),
        (("--task", "retrieval-printed", "--angle", "1/1000"), "theta = 1/1000 = 0.001 rad per position"),
        (("--task", "index", "--length", "30"), "up to 30 tokens"),
        (("--task", "letter-task", "--hops", "2"), "layer 2 %"),
        (("--task", "number-task", "--hops", "6"), "layer 6 %"),
        (("--task", "index", "--alphabet", "30", "--length", "9", "--seed", "3"), "'"),
        (("--task", "index", "--integers", "1"), "  1\n"),
        (("--task", "index", "--dtype", "float32"), "tokens in float32"),
        (("--task", "letter-task", "--dtype", "float16", "--length", "9"), "tokens in float16"),
        (("--task", "index", "--dtype", "bfloat16", "--length", "3"), "tokens in bfloat16"),
        (("--task", "index", "--length", "2"), "up to 2 tokens"),
        (("--task", "index", "--length", "200"), "position"),
    ],
    ids=" ".join,
)
def test_options(shown: Callable[..., str], arguments: tuple[str, ...], expected: str) -> None:
    text = shown(*arguments)
    assert expected in text or expected in " ".join(text.split())


def test_tokens_of_the_user(shown: Callable[..., str]) -> None:
    text = shown("--input", "n h n v 1 3 2")
    assert "Number task" in text and "Index head" in text and "Retrieval" not in text.replace("Retrieval layers", "")
    assert re.search(r"output +v; the reference says v", text)
    assert re.search(r"output +c2;", shown("--task", "letter-task", "--input", "C2 B1 A3 FA EC DE HF GD IG"))
    assert "logit gap" not in shown("--task", "retrieval-repaired", "--input", "a1 a1 a2")


def test_given_inputs_keep_the_alphabet_that_was_asked_for() -> None:
    found, names = session.read(Request(text="z 1", alphabet=26, tasks=("index",)))
    assert (found.letters, found.integers, found.length, names) == (26, 8, 2, ["index"])
    found, _ = session.read(Request(text="z 1 9", tasks=("reflexive",)))
    assert (found.letters, found.integers, found.length) == (26, 9, 3)
    assert parse_input("ab a1", {"symbols", "pairs"})[0] is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--length", "0"), ("length 0", "2 or more")),
        (("--length", "-3"), ("length -3", "2 or more")),
        (("--length", "1"), ("length 1", "2 or more")),
        (("--length", "5000"), ("length 5000", "2048")),
        (("--length", "two"), ("two", "--help")),
        (("--angle", "2*pi"), ("2*pi", "multiple of 2 pi")),
        (("--angle", "0"), ("angle 0", "multiple of 2 pi")),
        (("--angle", "nan"), ("nan", "exact number")),
        (("--angle", "pi", "--task", "index"), ("index", "length=17", "another angle")),
        (("--angle", "1", "--task", "retrieval-printed"), ("angle=1", "2*pi/272")),
        (("--alphabet", "1"), ("alphabet 1", "2 or more")),
        (("--alphabet", "1000000", "--task", "index"), ("alphabet 1000000", "1000,", "give fewer")),
        (("--integers", "1000", "--task", "letter-task"), ("integers 1000", "8064 tokens", "give fewer")),
        (("--integers", "0"), ("integers 0", "1 or more")),
        (("--hops", "17"), ("hops 17", "1 to 16")),
        (("--hops", "8", "--task", "letter-task"), ("hops=8", "raise alphabet")),
        (("--dtype", "float8"), ("float8", "bfloat16")),
        (("--dtype", "bfloat16", "--task", "index"), ("index", "bfloat16", "longest length that can be guaranteed is")),
        (("--task", "indx"), ("indx", "retrieval-printed")),
        (("--lenght", "3"), ("--lenght", "--help")),
        (("--config", "no-such.json"), ("no-such.json", "config.json")),
        (("--input", ""), ("no tokens",)),
        (("--input", "a b ?"), ("'?'", "position 3")),
        (("--input", "ab c2", "--task", "index"), ("'ab'", "number-task token")),
        (("--input", "a b 1", "--task", "letter-task"), ("'a'", "letter-task token")),
        (("--input", "n h n v 6 3 2"), ("position 5", "position -1")),
        (("--input", "a1 a2 ba", "--task", "retrieval-repaired"), ("position 3", "a1, a2")),
        (("--input", "a1 ba a2 cb", "--task", "letter-task"), ("a1 ba a2 cb", "two different pairs")),
        (("--input", "v a 1", "--alphabet", "3"), ("token v", "larger alphabet")),
        (("--input", "a b 1", "--length", "2"), ("3 tokens", "length=3")),
        (("--task", "models", "--length", "1"), ("length 1", "2 or more")),
        (("--task", "compact", "--input", "a b 1"), ("'a'",)),
        (("--task", "inference", "--input", "a b 1"), ("'a'",)),
    ],
    ids=" ".join,
)
def test_bad_input(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    assert run(arguments) == 2
    err = capsys.readouterr().err
    assert err.startswith("error: ") and err.count("\n") == 1
    assert all(word in err for word in words), err


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"model_type": "gpt2"}, ("gpt2", "no RoPE")),
        ({"hidden_size": 18}, ("rotary width 9", "even")),
    ],
    ids=str,
)
def test_bad_config(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, object], words: tuple[str, ...]
) -> None:
    assert run(("--config", config(tmp_path, **changes))) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and all(word in err for word in words), err


def test_config_alone_and_beside_others(shown: Callable[..., str], tmp_path: Path) -> None:
    path = config(tmp_path)
    alone = json.loads(shown("--config", path, "--json"))
    assert alone["constructions"] == {} and [row["length"] for row in alone["models"]] == [64]
    longer = json.loads(shown("--config", path, "--length", "100", "--json"))["models"]
    assert [row["length"] for row in longer] == [100]
    both = json.loads(shown("--config", path, "--task", "models", "--json"))["models"]
    assert both[0] == alone["models"][0] and len(both) > 8
    assert "config.json" in shown("--config", path)


def test_files(shown: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    small = ("--task", "index", "--task", "letter-task", "--task", "retrieval-printed", *SMALL)
    assert "No files were written" in shown(*small)
    assert list(tmp_path.iterdir()) == []

    text = shown(*small, "--out", "new/figures")
    names = {"attention-heads", "attention-letter-task", "gap-index", "gap-retrieval"}
    written = {path.name: path.read_bytes() for path in (tmp_path / "new" / "figures").iterdir()}
    assert set(written) == {f"{name}.{kind}" for name in names for kind in ("png", "svg")}
    assert all(name in text for name in written)
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
    for name, content in written.items():
        assert content.startswith(b"\x89PNG" if name.endswith("png") else b"<?xml")

    shown(*small, "--out", "new/figures")
    assert {path.name: path.read_bytes() for path in (tmp_path / "new" / "figures").iterdir()} == written


def test_figure_of_models(shown: Callable[..., str], tmp_path: Path) -> None:
    data = json.loads(shown("--config", config(tmp_path), "--out", str(tmp_path / "out"), "--json"))
    assert data["figures"] == [str(tmp_path / "out" / f"models.{kind}") for kind in ("png", "svg")]
    assert all(Path(path).stat().st_size > 1000 for path in data["figures"])


@pytest.mark.parametrize("task", [COMPACT, INFERENCE])
def test_figures_of_what_is_fixed(shown: Callable[..., str], tmp_path: Path, task: str) -> None:
    data = json.loads(shown("--task", task, "--out", str(tmp_path), "--json"))
    assert data["figures"] == [str(tmp_path / f"{task}.{kind}") for kind in ("png", "svg")]
    first = [Path(path).read_bytes() for path in data["figures"]]
    shown("--task", task, "--out", str(tmp_path))
    assert [Path(path).read_bytes() for path in data["figures"]] == first
    assert all(len(content) > 1000 for content in first)


def test_out_is_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = config(tmp_path)
    assert run(("--task", "index", *SMALL, "--out", path)) == 2
    assert "is a file" in capsys.readouterr().err
    assert json.loads(Path(path).read_text()) == CONFIG
    assert run(("--task", "index", *SMALL, "--out", f"{path}/below")) == 2
    assert "cannot be made" in capsys.readouterr().err


def test_a_failed_figure_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib.figure import Figure

    def full(self: Figure, path: Path, **options: object) -> None:
        path.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Figure, "savefig", full)
    assert run(("--task", "index", *SMALL, "--out", str(tmp_path))) == 2
    assert list(tmp_path.iterdir()) == []


def wrong_head(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values of the Index head that copy nothing."""
    build = heads.IndexHead.__init__

    def broken(self: heads.IndexHead, *args: Any, **options: Any) -> None:
        build(self, *args, **options)
        self.W_V.zero_()

    monkeypatch.setattr(heads.IndexHead, "__init__", broken)


def wrong_logits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Logits off by a relative 1e-9: outputs stay right, but gaps are not what is certified."""
    logits = RopeHead.logits

    def broken(self: RopeHead, x: Tensor) -> Tensor:
        return logits(self, x) * (1 + 1e-9)

    monkeypatch.setattr(RopeHead, "logits", broken)


def wrong_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A decoder that is right on the input shown, and always says the same in a batch."""
    answers = Decoder.answers

    def broken(self: Decoder[Any], ids: Tensor) -> Tensor:
        return answers(self, ids) if len(ids) == 1 else torch.zeros(len(ids), dtype=torch.long)

    monkeypatch.setattr(Decoder, "answers", broken)


def growing_detector(monkeypatch: pytest.MonkeyPatch) -> None:
    """A detector whose logits grow where they are said to be bounded: it never errs."""
    monkeypatch.setattr(compact, "bounded", lambda delta: content_times_log())


def changed_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gates that are wider than is said: the words are learned all the same, with other margins."""
    monkeypatch.setattr(compact, "joint", lambda *words, gain, apart: joint(*words, gain=gain, apart=apart + 1e-6))


def wrong_offsets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Offsets of the second model that are too large by a part in a billion."""
    calls = iter(range(100))

    def broken(*arguments: Any, **options: Any) -> Tensor:
        return exact_offsets(*arguments, **options) * (1 + 1e-9 * (next(calls) == 1))

    monkeypatch.setattr(inference, "exact_offsets", broken)


def between_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """The task between the others, whatever the scores are."""
    monkeypatch.setattr(inference, "classes", lambda scores: torch.ones(len(scores), dtype=torch.int64))


def wrong_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step of another rate."""
    monkeypatch.setattr(inference, "pool_step", lambda g: 1 / 4 + (g - 1) / 3)


def another_net(monkeypatch: pytest.MonkeyPatch) -> None:
    """A net with another hidden function."""
    monkeypatch.setattr(inference, "AdditiveNet", lambda V, U, W: AdditiveNet(V, U, W, torch.sin))


def unequal_filters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hazards that are the chance of a switch in one and of a redraw in the other."""
    monkeypatch.setattr(inference, "BayesFilter", lambda hazard, K: BayesFilter(hazard / 2, K))


def weak_attention(monkeypatch: pytest.MonkeyPatch) -> None:
    """A head that attends to its target with less than it promises, though the output is still right."""
    weights = RopeHead.weights

    def broken(self: RopeHead, x: Tensor) -> Tensor:
        return 0.3 * weights(self, x) + 0.7 / x.shape[-2]

    monkeypatch.setattr(RopeHead, "weights", broken)


@pytest.mark.parametrize(
    ("task", "fault", "word"),
    [
        ("index", wrong_head, "WRONG"),
        ("index", wrong_logits, "VIOLATED"),
        ("letter-task", wrong_answers, "100 WRONG, first on"),
        ("reflexive", weak_attention, "VIOLATED"),
    ],
)
def test_a_broken_construction(
    shown: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    task: str,
    fault: Callable[[pytest.MonkeyPatch], None],
    word: str,
) -> None:
    fault(monkeypatch)
    text = shown("--task", task, *SMALL, code=1)
    assert word in text and f"NOT AS PROVED: {task}" in text
    data = json.loads(shown("--task", task, *SMALL, "--json", code=1))
    assert data["passed"] is False and data["constructions"][task]["passed"] is False


@pytest.mark.parametrize(
    ("task", "fault"),
    [
        (COMPACT, growing_detector),
        (COMPACT, changed_share),
        (INFERENCE, wrong_offsets),
        (INFERENCE, between_the_others),
        (INFERENCE, wrong_pool),
        (INFERENCE, unequal_filters),
        (INFERENCE, another_net),
    ],
)
def test_what_is_not_as_proved(
    shown: Callable[..., str], monkeypatch: pytest.MonkeyPatch, task: str, fault: Callable[[pytest.MonkeyPatch], None]
) -> None:
    fault(monkeypatch)
    text = shown("--task", task, code=1)
    assert text.count("VIOLATED") == 1 and f"NOT AS PROVED: {task}" in text


def test_a_counterexample_that_does_not_show(shown: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    decode = heads.RetrievalHead.decode

    def keeps(self: heads.RetrievalHead, tokens: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(tokens) if len(tokens) == 3 else decode(self, tokens)

    monkeypatch.setattr(heads.RetrievalHead, "decode", keeps)
    text = shown("--task", "retrieval-printed", *SMALL, code=1)
    assert "NOT SEEN" in text and "NOT AS PROVED: retrieval-letter-integer-collision" in text


@pytest.mark.parametrize("length", [2, 3, 7, 40])
def test_random_inputs_are_of_their_kind(length: int) -> None:
    for letters, integers, seed in ((2, 1, 1), (3, 5, 2), (8, 8, 3)):
        settings = Settings(length=length, letters=letters, integers=integers, seed=seed)
        rng = settings.rng("test")
        for _ in range(20):
            assert is_index_valid(settings.index_input(rng))
            assert is_proper(settings.retrieval_input(rng)) and is_proper(settings.retrieval_input(rng, True))
            assert path_condition(settings.letter_input(rng))
            walk = number_walk(settings.number_input(rng))
            assert walk.hops == min(4, length - 1)
            assert {len(tokens(rng)) for tokens in (settings.index_input, settings.letter_input)} == {length}


def test_rows_against_a_scan() -> None:
    for model in published_models()[:3]:
        for row in rows(model, letters=5, length=300):
            angles = [float(plane.real) for plane in row.planes]
            gaps = [min(1 - cos(t * angle) for t in range(1, 300)) for angle in angles]
            assert [float(gap) for gap in row.gaps] == pytest.approx(gaps, abs=1e-12)
            assert row.best == 1 + gaps.index(max(gaps))
            step, slow = 2 * pi / 5, min(angles)
            assert (2 * row.limit - 3) * slow < step <= (2 * row.limit - 1) * slow
            places = ((s, r) for s in range(300) for r in (298, 299) if s != r)
            worst = min(cos(s * slow) - cos(r * slow - step) for s, r in places)
            assert row.symbolic_gap is not None and float(row.symbolic_gap) == pytest.approx(worst, abs=1e-12)


def test_sliding_layers_have_rows_of_their_window() -> None:
    lengths = {
        model.name: [(row.length, row.sliding) for row in rows(model, letters=8)]
        for model in published_models()
        if model.name.startswith(("Gemma", "Llama 2"))
    }
    assert lengths == {
        "Llama 2 7B": [(4096, False)],
        "Gemma 2 9B": [(8192, False), (4096, True)],
        "Gemma 3 4B": [(131072, False), (1024, True)],
    }


def test_slowest_plane_too_fast_for_the_alphabet() -> None:
    found, _ = session.read(Request())
    model = published_models()[0]
    row = next(rows(model, letters=10**6, length=10))
    assert (row.limit, row.symbolic_gap, row.symbolic_beta) == (1, None, None) and found.letters == 8


@pytest.mark.parametrize(
    ("value", "nearest", "up"),
    [
        (Fraction(1, 8), "0.125", "0.125"),
        (Fraction(12341), "12300", "12400"),
        (Fraction(12351, 10**8), "1.24e-4", "1.24e-4"),
        (Fraction(12341, 10**8), "1.23e-4", "1.24e-4"),
        (Fraction(2 * 10**7), "2.00e7", "2.00e7"),
        (Fraction(123, 100) + Fraction(1, 10**60), "1.23", "1.24"),
    ],
)
def test_rounding(value: Fraction, nearest: str, up: str) -> None:
    assert (short(Real.of(value)), short(Real.of(value), up=True), short(None)) == (nearest, up, "-")


def test_help_names_every_option_and_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(("--help",)) == 0
    text = capsys.readouterr().out
    assert "python -m constructions.demo --task index" in text
    options = ("task", "length", "angle", "alphabet", "integers", "hops", "dtype", "seed", "input", "config", "out")
    assert all(f"--{option}" in text for option in options)
    assert all(name in text for name in (*CONSTRUCTIONS, COMPACT, MODELS))


def test_first_line_is_early_and_a_closed_pipe_is_no_error() -> None:
    light = "import sys, constructions.demo.__main__; print({'torch', 'sympy', 'matplotlib'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", light], capture_output=True, text=True, check=True).stdout == "set()\n"
    command = [sys.executable, "-m", "constructions.demo", "--task", "index"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline() == HEADING + "\n"
        process.stdout.close()
        assert process.stderr.read() == ""
