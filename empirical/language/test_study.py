"""A study of a tiny model with random weights: what is removed, in which order files are written, and resuming."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from empirical.__main__ import run as main
from empirical.capture.conftest import config
from empirical.language import study
from empirical.language.arms import Arm, Cut, plan
from empirical.language.records import Outcomes, read_predictions, write_predictions
from empirical.language.repeated import attention_of_kinds, loss, repeated_tokens
from empirical.lock import alone
from theory.errors import InputError

transformers = pytest.importorskip("transformers")

from empirical.capture.hugging_face import HuggingFace  # noqa: E402
from empirical.language.ablation import measure, removed, without_planes  # noqa: E402
from empirical.scores.settings import Settings  # noqa: E402

SMALL = study.Request(sequences=3, half=6, heads=2, draws=2)
CHANGES: dict[str, dict[str, Any]] = {
    "llama": {},
    "gptj": {"rotary_dim": 8},
    "gemma2": {"head_dim": 16, "final_logit_softcapping": 0.01},
}


def drawn(model_type: str = "llama") -> Any:
    model = transformers.AutoModelForCausalLM.from_config(config(model_type, **CHANGES[model_type]))
    generator = torch.Generator().manual_seed(0)
    for parameter in model.parameters():
        parameter.data.normal_(0, 0.3, generator=generator)
    return model


@pytest.fixture(scope="module", params=[*CHANGES])
def model(request: pytest.FixtureRequest) -> HuggingFace:
    return HuggingFace(drawn(request.param))


def test_tokens_are_random_and_repeated() -> None:
    tokens = repeated_tokens(5, 7, 5000, seed=1)
    assert tokens.shape == (5, 14) and tokens[:, :7].equal(tokens[:, 7:])
    assert int(tokens.min()) >= 1000 and int(repeated_tokens(50, 9, 50, 0).min()) == 25
    assert not tokens.equal(repeated_tokens(5, 7, 5000, seed=2))


@pytest.mark.parametrize(("sequences", "half", "words"), [(1, 5, "gives no interval"), (2, 2, "too short")])
def test_too_few_tokens(sequences: int, half: int, words: str) -> None:
    with pytest.raises(InputError, match=words):
        repeated_tokens(sequences, half, 50, 0)


def test_kinds_are_the_attention_of_the_model(model: HuggingFace) -> None:
    tokens = repeated_tokens(2, 5, model.vocabulary, 0)
    for seen in model.observe(tokens, torch.arange(10)):
        assert seen.heads.attention is not None
        found = attention_of_kinds(seen.heads)
        for kind, back in (("previous-token", 1), ("induction", 4)):
            direct = torch.stack([seen.heads.attention[:, :, i, i - back] for i in range(5, 10)]).mean((0, 1))
            assert torch.allclose(found[kind], direct.double(), atol=1e-5)


def test_loss_is_that_of_the_library(model: HuggingFace) -> None:
    tokens = repeated_tokens(2, 5, model.vocabulary, 0)
    labels = tokens.clone()
    labels[:, :6] = -100
    for row, found in enumerate(loss(model, tokens).tolist()):
        with torch.inference_mode():
            expected = model.model(input_ids=tokens[row : row + 1], labels=labels[row : row + 1]).loss
        assert found == pytest.approx(float(expected), rel=1e-5)


def test_planes_are_removed_from_one_head_only(model: HuggingFace) -> None:
    tokens = repeated_tokens(2, 5, model.vocabulary, 0)
    cut = Cut(0, 1, (1, 3), 0.0, 0.0)
    plain = list(model.heads(tokens))
    with removed(model, [cut]):
        cut_heads = list(model.heads(tokens))
    expected = plain[0].queries.clone()
    expected[:, 1, :, plain[0].rotary.pairs[[0, 2]].flatten()] = 0
    assert cut_heads[0].queries.equal(expected) and cut_heads[0].keys.equal(plain[0].keys)
    assert without_planes(plain[0], cut).queries[:, 0].equal(expected[:, 1])
    assert not cut_heads[1].queries.equal(plain[1].queries)
    assert next(iter(model.heads(tokens))).queries.equal(plain[0].queries)  # and they are back afterwards


def test_a_removed_plane_counts_for_nothing(model: HuggingFace) -> None:
    tokens = repeated_tokens(2, 5, model.vocabulary, 0)
    layers = {heads.layer: heads for heads in model.heads(tokens)}
    every = Cut(1, 0, tuple(range(1, layers[1].rotary.planes + 1)), 1.0, 1.0)
    found = measure(model, tokens, layers, [every], Settings())
    if layers[1].queries.shape[-1] == 2 * layers[1].rotary.planes:  # no other coordinates
        assert found["s_pos"] == pytest.approx([1, 1]) and found["s_sym"] == pytest.approx([1, 1])
    assert set(measure(model, tokens, layers, [every, replace(every, layer=0)], Settings())) == {"loss"}


def test_predictions_are_there_before_anything_is_removed(
    model: HuggingFace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def measured(*args: Any) -> dict[str, list[float]]:
        arms = read_predictions(tmp_path / "predictions.json")
        asked.append(args[3])
        assert any(args[3] in (arm.cuts, *arm.controls) for arm in arms)
        return measure(*args)

    monkeypatch.setattr(study, "measure", measured)
    monkeypatch.setattr("empirical.language.arms.TRIES", 200)
    settings = Settings()
    observed = study.observe(model, SMALL, settings)
    answers = study.ablate(model, observed, SMALL, settings, tmp_path, {"seed": 0})
    arms = read_predictions(tmp_path / "predictions.json")
    runs = sum(1 + len(arm.controls) for arm in arms)
    assert len(asked) == runs and len(answers) == sum(len(arm.measures) for arm in arms)

    # Interrupted in the middle of a line: what is there is kept, the rest is measured again, and all is the same.
    outcomes = tmp_path / "outcomes.jsonl"
    whole = outcomes.read_bytes()
    outcomes.write_bytes(whole[: len(whole) * 2 // 3])
    kept = outcomes.read_bytes().count(b"\n")
    asked.clear()
    assert study.ablate(model, observed, SMALL, settings, tmp_path, {"seed": 0}) == answers
    assert len(asked) == whole.count(b"\n") - kept < runs
    assert outcomes.read_bytes() == whole

    with pytest.raises(InputError, match=r"predictions\.json holds other predictions, and outcomes may be known"):
        study.ablate(model, observed, SMALL, settings, tmp_path, {"seed": 1})
    (tmp_path / "predictions.json").unlink()
    with pytest.raises(InputError, match=r"outcomes\.jsonl is there without the predictions"):
        study.ablate(model, observed, SMALL, settings, tmp_path, {"seed": 0})


def test_the_command(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    drawn("llama").save_pretrained(tmp_path / "model")
    out = tmp_path / "out"
    monkeypatch.setattr("empirical.language.arms.TRIES", 200)
    capfd.readouterr()
    words = ["language", str(tmp_path / "model"), "--out", str(out), "--sequences", "2", "--half", "4"]
    assert main([*words, "--heads", "1", "--draws", "1"]) == 0
    printed = capfd.readouterr()
    assert "planes removed" in printed.out and "correlation over heads" in printed.out
    for line in printed.err.splitlines():
        assert Path(line.removeprefix("wrote ")).stat().st_size > 0
    study_data = json.loads((out / "study.json").read_bytes())
    assert study_data["verdicts"]
    for model in ("trained", "random_weights"):
        assert len(study_data[model]["correlations"]) == 6 and len(study_data[model]["balance"]["median"]) == 4
    before = {path: path.read_bytes() for path in out.iterdir()}
    assert main([*words, "--heads", "1", "--draws", "2"]) == 2
    assert "already holds predictions.json of another request; give another folder" in capfd.readouterr().err
    (out / "predictions.json").rename(tmp_path / "predictions.json")
    assert main([*words, "--heads", "1", "--draws", "2"]) == 2
    assert "already holds study.json of another request; give another folder" in capfd.readouterr().err
    assert main([*words, "--heads", "1", "--draws", "1"]) == 2
    assert "is there without the predictions" in capfd.readouterr().err
    (tmp_path / "predictions.json").rename(out / "predictions.json")
    with alone(out):
        assert main([*words, "--heads", "1", "--draws", "1"]) == 2
    assert "is in use by another run" in capfd.readouterr().err
    assert {path: path.read_bytes() for path in out.iterdir()} == before
    fresh = ["language", str(tmp_path / "model"), "--out", str(tmp_path / "fresh")]
    assert main([*fresh, "--half", "2"]) == 2
    assert capfd.readouterr().err.startswith("error: a half of 2 tokens is too short")
    for name in ("--sequences", "--half", "--heads", "--draws", "--seed"):
        assert main([*fresh, name, str(10**17)]) == 2
        error = capfd.readouterr().err
        assert "is not in the range" in error and error.count("\n") == 1 and not (tmp_path / "fresh").exists()


def test_the_command_prints_what_it_writes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("empirical.language.run.run", lambda *of: ({"half": of[1].half}, "a text", [tmp_path / "f"]))
    words = ["language", "model", "--half", "7", "--out", str(tmp_path)]
    assert main(words) == 0
    assert capsys.readouterr() == ("a text\n", f"wrote {tmp_path / 'f'}\n")
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"half": 7}


def test_files_that_are_no_predictions(tmp_path: Path) -> None:
    path = tmp_path / "predictions.json"
    for content in ("", "[]", '{"format": "headproof plane ablation", "version": 1}'):
        path.write_text(content)
        with pytest.raises(InputError, match="holds no predictions"):
            read_predictions(path)
    path.write_text('{"format": "headproof plane ablation", "version": 2}')
    with pytest.raises(InputError, match="version 2; make it anew"):
        read_predictions(path)


def test_predictions_and_outcomes_come_back(tmp_path: Path) -> None:
    arm = Arm("induction", "symbolic", (Cut(1, 2, (3, 4), 0.5, 0.25),), ((Cut(1, 2, (5,), 0.5, 0.1),),))
    write_predictions(tmp_path / "p.json", [arm], {})
    assert read_predictions(tmp_path / "p.json") == [arm]
    outcomes = Outcomes(tmp_path / "o.jsonl")
    outcomes.put("a", {"loss": [0.1, 1e-17]})
    assert Outcomes(tmp_path / "o.jsonl").found == {"a": {"loss": [0.1, 1e-17]}}
    assert plan({"induction": []}, [], 1, 0) == []
    for line in (b"{\n", b"[]\n", b"{}\n"):
        (tmp_path / "o.jsonl").write_bytes(line)
        with pytest.raises(InputError, match=r"o\.jsonl holds no outcomes"):
            Outcomes(tmp_path / "o.jsonl")
