"""Measures of information flow where it is known: hand-written decoders, made-up attention, random weights."""

from __future__ import annotations

import json
import signal
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any, cast

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from constructions.decoder import Decoder as HandBuilt
from constructions.decoder import letter_decoder, number_decoder
from empirical.__main__ import run
from empirical.checkpoint import save_model
from empirical.checkpoints import trained
from empirical.decoder import Block, Decoder
from empirical.decoder_config import DecoderConfig
from empirical.flow.ablation import Arm, Removals, arms
from empirical.flow.attention import attention_rows, between_links
from empirical.flow.lens import lens_rows
from empirical.flow.output import report
from empirical.flow.study import measured, streams
from empirical.flow.walks import walks
from empirical.subjects import subject
from empirical.tasks.batch import Batch
from empirical.tasks.letter import LetterTask
from empirical.tasks.number import NumberTask
from empirical.training.test_resume import die_at, start
from theory.errors import InputError

torch.set_num_threads(1)

NUMBER = NumberTask(letters=6, integers=5, targets=4, links=4, hops=3)
LETTER = LetterTask(alphabet=5, integers=3, targets=4, links=4, hops=3)
TASKS = pytest.mark.parametrize("task", [NUMBER, LETTER], ids=["number", "letter"])


@TASKS
def test_walks_go_from_link_to_link(task: NumberTask | LetterTask) -> None:
    batch = task.generate(60, 1, prepended=2)
    for some in walks(task, batch):
        assert (some.places[:, 0] == batch.tokens.shape[1] - 1).all() and some.targets == 6
        assert torch.equal(some.places[:, -1], batch.positions[some.rows] - 1)
        assert torch.equal(some.link(some.hops), batch.answers[some.rows])
        for number in range(some.hops):
            here, there = some.link(number), some.link(number + 1)
            if isinstance(task, NumberTask):
                step = here - task.letters + 1
                assert torch.equal(some.places[:, number] - step, some.places[:, number + 1])
            else:
                assert torch.equal(here % 8, there // 8)  # the right letter of one is the left letter of the next


def test_walks_of_other_lengths_are_refused() -> None:
    batch = NUMBER.generate(6, 0)
    with pytest.raises(InputError, match="hops where the batch says"):
        list(walks(NUMBER, Batch(batch.tokens, batch.answers, 4 - batch.hops, batch.positions)))


@given(st.integers(0, 2**32 - 1), st.integers(1, 3))
def test_attention_between_links_against_loops(seed: int, heads: int) -> None:
    batch = LETTER.generate(7, seed)
    attention = torch.rand(7, heads, 9, 9, generator=torch.Generator().manual_seed(seed))
    for some in walks(LETTER, batch):
        found = between_links(attention, some)
        assert found.shape == (len(some), heads, some.hops + 1, some.hops + 1)
        for at, row in enumerate(some.rows.tolist()):
            for k, query in enumerate(some.places[at].tolist()):
                for j, key in enumerate(some.places[at].tolist()):
                    assert torch.equal(found[at, :, k, j], attention[row, :, query, key])


def test_uniform_attention_is_no_flow() -> None:
    batch = NUMBER.generate(40, 0)
    uniform = torch.ones(9, 9, dtype=torch.float64).tril()
    uniform = (uniform / uniform.sum(-1, keepdim=True)).expand(40, 1, 9, 9)
    rows = list(attention_rows([uniform], list(walks(NUMBER, batch))))
    assert rows and all(row["attention"] == pytest.approx(row["uniform"]) for row in rows)


def seen(decoder: HandBuilt[Any], tokens: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    """Attention (sequences, 1, n, n) of each layer, and the streams before and after them."""
    stream = decoder.embed(tokens)
    attention, after = [], [stream]
    for layer in decoder.layers:
        attention.append(cast(Any, layer).head.weights(stream.chunk(2, dim=-1)[0])[:, None])
        stream = layer(stream)
        after.append(stream)
    return attention, after


@pytest.mark.parametrize(
    ("task", "decoder"),
    [(NUMBER, number_decoder(6, 5, 9, 3)), (LETTER, letter_decoder(5, 3, 9, 3))],
    ids=["number", "letter"],
)
def test_hand_built_decoders_take_one_link_a_layer(task: NumberTask | LetterTask, decoder: HandBuilt[Any]) -> None:
    """Number: each link looks at the next until it holds the answer; letter: at what holds the token that it wants."""
    batch = task.generate(90, 2)
    some = list(walks(task, batch))
    attention, after = seen(decoder, batch.tokens)
    number = isinstance(task, NumberTask)
    lost = float(decoder.guarantee.tolerated)
    for row in attention_rows(attention, some):
        left = row["hops"] - row["from"]
        if left == 0 or not (number or row["layer"] == 0):
            continue
        # After l layers, the links with at most l hops to go hold the answer, and look at themselves.
        expected = row["from"] + (left > row["layer"])
        assert row["attention"] == pytest.approx(float(row["to"] == expected), abs=lost)
        assert row["low"] <= row["attention"] <= row["high"]
    for row in lens_rows(after, lambda stream: stream @ decoder.W_U.T, some):
        known = row["depth"] >= row["of"] - row["at"]
        if row["of"] == row["hops"]:
            assert row["share_of_all"] == row["share"] == known
        elif not number and row["at"] == 0:
            # A letter decoder holds the link that it has reached, and so passes through all of them.
            assert row["share"] == pytest.approx(float(row["depth"] == row["of"]), abs=0.2)


def random_model(task: NumberTask | LetterTask, layers: int = 2, heads: int = 2, spread: float = 1) -> Decoder:
    torch.manual_seed(0)
    model = Decoder(DecoderConfig(task.vocabulary_size, layers=layers, heads=heads, width=16)).eval()
    for weight in model.parameters():
        weight.data.mul_(spread)
    return model


@TASKS
def test_random_weights_show_no_flow(task: NumberTask | LetterTask) -> None:
    model, batch = random_model(task), task.generate(300, 3)
    some = list(walks(task, batch))
    with torch.no_grad():
        for row in attention_rows((cast(Tensor, heads.attention) for heads in model.heads(batch.tokens)), some):
            assert row["attention"] == pytest.approx(row["uniform"], abs=0.01)
        found = list(lens_rows(streams(model, batch.tokens), lambda x: model.unembedding(model.norm(x)), some))
    apart = [row["share"] - row["chance"] for row in found if row["at"] != row["of"]]
    assert max(map(abs, apart)) < 0.25 and abs(sum(apart) / len(apart)) < 0.06  # 100 walks of each, few of them alike
    for arm in arms(model):
        assert all(row["accuracy"] < 0.3 for row in Removals(model, batch).rows(arm))


def test_streams_end_where_the_model_answers() -> None:
    model, batch = random_model(LETTER, spread=10), LETTER.generate(20, 0)
    with torch.no_grad():
        last = list(streams(model, batch.tokens))[-1]
        assert torch.allclose(model.unembedding(model.norm(last[:, -1])), model(batch.tokens), atol=1e-4)


def answers(model: Decoder, tokens: Tensor) -> Tensor:
    with torch.no_grad():
        return model(tokens).argmax(-1)


def test_a_head_set_to_zero_is_one_without_its_output_weights() -> None:
    model, batch = random_model(LETTER, spread=10), LETTER.generate(200, 0)
    before = answers(model, batch.tokens)
    assert torch.equal(Removals(model, batch).answers(Arm()), before)
    for layer, head in ((0, 0), (0, 1), (1, 1)):
        found = Removals(model, batch).answers(Arm((layer,), head, "zero", "all"))
        other = random_model(LETTER, spread=10)
        cast(Block, other.blocks[layer]).attention.output.weight.data[:, 8 * head : 8 * head + 8] = 0
        assert torch.equal(found, answers(other, batch.tokens)) and not torch.equal(found, before)
    assert torch.equal(answers(model, batch.tokens), before)  # no hook stays


def test_means_of_sequences_that_agree_change_nothing() -> None:
    model, one = random_model(LETTER, spread=10), LETTER.generate(1, 0)
    batch = Batch(*(values.repeat_interleave(5, 0) for values in vars(one).values()))
    for arm in arms(model):
        if arm.by == "mean":
            assert torch.equal(Removals(model, batch).answers(arm), answers(model, batch.tokens))


def test_means_are_taken_at_each_position() -> None:
    model, batch = random_model(LETTER), LETTER.generate(300, 0)  # more than go through the model at once
    layer = next(iter(model.heads(batch.tokens)))
    block = cast(Block, model.blocks[0])
    with torch.no_grad():
        values = block.attention.by_head(block.attention.value(block.norm(model.embedding(batch.tokens))))
        expected = (cast(Tensor, layer.attention) @ values).transpose(1, 2).flatten(-2).mean(0)
    means = Removals(model, batch).means
    assert torch.allclose(means[0], expected, atol=1e-6) and means[1].shape == (1, 16)


def test_removals_at_some_tokens_are_of_these_alone() -> None:
    """The last layer has but the last token; before it, both removals together are that at all tokens."""
    model, batch = random_model(LETTER, spread=10), LETTER.generate(200, 0)
    removals = Removals(model, batch)
    rest = {tokens: removals.answers(Arm((1,), 0, "zero", tokens)) for tokens in ("all", "last", "earlier")}
    assert torch.equal(rest["all"], rest["last"])
    assert torch.equal(rest["earlier"], answers(model, batch.tokens)) and not torch.equal(rest["all"], rest["earlier"])
    first = {tokens: removals.answers(Arm((0,), 0, "zero", tokens)) for tokens in ("all", "last", "earlier")}
    assert len({tuple(found.tolist()) for found in first.values()}) == 3


def test_the_trained_number_model_takes_one_hop_a_layer() -> None:
    """Without the heads from layer l on, walks of up to l hops are right and longer ones are not."""
    model, _ = trained("number-4")
    batch = NumberTask().generate(120, 5)
    removals = Removals(model, batch)
    for layer in (1, 2):
        for row in removals.rows(Arm(tuple(range(layer, 4)))):
            assert (row["accuracy"] > 0.8) if row["hops"] <= layer else (row["accuracy"] < 0.2)
    some = list(walks(NumberTask(), batch))
    rows = attention_rows((cast(Tensor, heads.attention) for heads in model.heads(batch.tokens)), some)
    second = [row for row in rows if row["layer"] == 1 and row["to"] == row["from"] + 1]
    assert len(second) == 10 and all(row["attention"] > 0.95 for row in second)


@pytest.fixture
def card(tmp_path: Path) -> Path:
    path = tmp_path / "model" / "model.json"
    path.parent.mkdir()
    save_model(path, random_model(LETTER), {"plan": {"task": {"name": "letter", **asdict(LETTER)}}})
    return path


def test_killed_runs_end_alike(card: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("empirical.flow.output.draw", lambda *_: [])
    report(str(card), 12, 0, tmp_path / "whole")
    out = tmp_path / "killed"

    def work(operation: int) -> None:
        die_at(operation)
        report(str(card), 12, 0, out)

    for operation in count(20, 15):
        process = start(lambda: work(operation))  # noqa: B023
        process.join()
        if process.exitcode != -signal.SIGKILL:
            break
    assert process.exitcode == 0 and operation > 20
    assert [path.name for path in out.iterdir()] == ["flow.json"]
    assert (out / "flow.json").read_bytes() == (tmp_path / "whole" / "flow.json").read_bytes()


def test_command(card: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert run(["flow", str(card.parent), "--sequences", "9", "--json", "--out", str(out)]) == 0
    data = json.loads(capsys.readouterr().out)
    assert json.loads((out / "flow.json").read_text()) == data
    assert {path.name for path in out.iterdir()} == {
        "flow.json",
        *(f"{name}.{kind}" for name in ("flow", "flow-measures") for kind in ("png", "svg")),
    }
    assert data["format"] == "headproof information flow" and data["version"] == 1
    assert {row["hops"] for row in data["accuracy"]} == {1, 2, 3}
    assert data["model"] == "model" and data["sha256"] == json.loads(card.read_text())["sha256"]
    assert measured(subject(str(card)), 9, 0, None).lens == data["lens"]
    same = ["flow", str(card.parent), "--sequences", "9", "--out", str(out)]
    assert run(same) == 0
    before, _ = (out / "flow.json").read_bytes(), capsys.readouterr()
    for more in (["--seed", "1"], ["--sequences", "10"], ["--tau", "0.5"]):
        assert run([*same, *more]) == 2
        error = capsys.readouterr().err
        assert "already holds flow.json of another request; give another folder" in error and error.count("\n") == 1
        assert (out / "flow.json").read_bytes() == before and len(list(out.iterdir())) == 5
    bare = tmp_path / "bare.json"
    save_model(bare, random_model(LETTER), {})
    other = tmp_path / "other.json"
    save_model(other, random_model(LETTER), {"plan": {"task": {"name": "number", **asdict(NUMBER)}}})
    for arguments, expected in [
        ([str(tmp_path / "none")], "there is no model"),
        ([str(bare)], "names no task that it was trained on"),
        ([str(other)], "has a vocabulary of 40, its task another"),
        ([str(card), "--sequences", "5"], "sequences=5 is below 6"),
        ([str(card), "--sequences", str(10**11)], "is not in the range"),
        ([str(card), "--seed", "-1"], "-1 is not in the range"),
        ([str(card), "--seed", str(10**30)], "is not in the range"),
        ([str(card), "--threads", str(10**9)], "is not in the range"),
        ([str(card), "--tau", "0"], "tau=0.0"),
    ]:
        assert run(["flow", *arguments]) == 2
        error = capsys.readouterr().err
        assert expected in error and error.count("\n") == 1
