"""Frequency use of heads whose use is known, pictures of a plane, and `python -m empirical frequencies`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from constructions.heads import IndexHead
from constructions.reference import Integer, Letter, Symbol
from empirical.__main__ import run
from empirical.capture.heads import LayerHeads
from empirical.frequencies.paper import LETTER, NUMBER, reported
from empirical.frequencies.plane import Plane, plane_of
from empirical.frequencies.use import foremost, mean_id_by_norm, mean_id_by_variance, steepest
from empirical.rotary import Rotary
from empirical.scores.score import score_layer
from empirical.subjects import subject, subjects
from theory.arithmetic.angle import Angle

torch.set_num_threads(1)


def frequencies(*arguments: object) -> int:
    return run(["frequencies", *map(str, arguments)])


def test_numbers_by_hand() -> None:
    """A plane that moves and one that stands still: both carry the logits, the first alone what differs."""
    queries = torch.tensor([2.0, 0.0, 1.0, 0.0]).expand(1, 1, 7, 4)
    keys = torch.tensor([1.0, 0.0, 6.0, 0.0]).expand(1, 1, 7, 4)
    heads = LayerHeads(0, queries, keys, Rotary.adjacent([1.0, 0.0]), 1.0)
    assert mean_id_by_norm(heads).item() == pytest.approx((1 * 2 + 2 * 6) / 8)
    assert mean_id_by_variance(heads).item() == pytest.approx(1)
    size = 2 * torch.arange(7).double().cos().abs().sum() / 7
    assert score_layer(heads).use.mean_id().item() == pytest.approx(float((size + 2 * 6) / (size + 6)))


def test_the_index_head_by_hand_is_all_on_its_plane() -> None:
    """Hand-built Index, beside a plane that does nothing, as a layer: plane 2 of two, and positional."""
    head = IndexHead(3, 3, 7, Angle.parse("2*pi/7"), beta=30.0)
    tokens: list[Symbol] = [Letter(0), Letter(1), Letter(2), Letter(0), Letter(1), Integer(2), Integer(3)]
    x = head.embed(head.ids(tokens))
    nothing = torch.zeros(7, 2, dtype=torch.float64)
    queries, keys = (torch.cat((nothing, x @ weights.T), dim=-1)[None, None] for weights in (head.W_Q, head.W_K))
    heads = LayerHeads(0, queries, keys, Rotary.adjacent([1.0, float(head.angle.real)]), 30.0)
    scores = score_layer(heads)
    assert mean_id_by_norm(heads).item() == mean_id_by_variance(heads).item() == scores.use.mean_id().item() == 2
    assert scores.positional.item() == pytest.approx(1)


def test_foremost_planes() -> None:
    assert foremost([0.1, -0.2, 0.5, 0.3]) == [3, 4, 1]
    assert steepest([{"variation": [0.2, 0.1]}, {"variation": [0.1, 0.4]}])["variation"] == [0.1, 0.4]


def test_what_the_paper_reports() -> None:
    """Only of its own sizes. Its frequencies are those of the rounded numbers at base 10000."""
    assert [reported(subject(name)) for name in ("number-12", "letter-12", "number-4")] == [NUMBER, LETTER, None]
    assert [round(10_000 ** (-(NUMBER[layer] - 1) / 64), 4) for layer in (0, 1, 4, 5)] == [1.0, 0.866, 0.2738, 0.0042]


@pytest.mark.parametrize(("name", "layer"), [("number-4", 1), ("letter-4", 0)])
def test_vectors_of_a_plane_make_the_models_logits(name: str, layer: int) -> None:
    """The products over all planes are the logits whose softmax the model attends with."""
    model = subject(name)
    planes = [plane_of(model, layer, 0, plane, 2, 5) for plane in range(1, 65)]
    products = sum(
        plane.vectors["queries, rotated"].unflatten(0, (2, -1))
        @ plane.vectors["keys, rotated"].unflatten(0, (2, -1)).mT
        for plane in planes
    )
    tokens = model.sequences(2, 5)
    heads = next(found for found in model.model.heads(tokens) if found.layer == layer)
    assert isinstance(products, torch.Tensor) and heads.attention is not None
    torch.testing.assert_close(products[:, -1].softmax(-1).float(), heads.attention[:, 0, -1], rtol=1e-3, atol=1e-5)
    content = planes[0].key_content.unflatten(0, (2, -1))
    expected = torch.where(tokens >= 120, tokens - 119, -1) if name == "number-4" else tokens // 16
    assert torch.equal(content, expected)
    assert planes[0].position.tolist() == [*range(1, 18)] * 2


def test_the_plane_of_the_number_model_is_the_index_construction() -> None:
    """On plane 1 of layer 1 keys are close to one direction, and queries of integers are turned by about -s radians."""
    plane = plane_of(subject("number-4"), 1, 0, 1, 64, 0)
    keys = torch.view_as_complex(plane.vectors["keys"])
    direction = (keys / keys.abs()).mean()
    assert direction.abs() > 0.98
    turned = torch.view_as_complex(plane.vectors["queries"]) / direction
    for s in range(1, 9):
        some = turned[plane.query_content == s]
        unit = (some / some.abs()).mean() * torch.polar(torch.tensor(1.0), torch.tensor(float(s))).to(some.dtype)
        assert unit.real > 0.6, s


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert frequencies("number-4", "--sequences", 8, "--drawn", 2, "--out", tmp_path) == 0
    printed = capsys.readouterr().out
    assert "L1H0" in printed and max(map(len, printed.splitlines())) <= 80
    names = [f"{name}.{kind}" for name in ("frequencies", "plane-number-4-layer-1") for kind in ("png", "svg")]
    assert {path.name for path in tmp_path.iterdir()} == {"frequencies.json", *names}
    data = json.loads((tmp_path / "frequencies.json").read_text())
    assert (data["format"], data["version"]) == ("headproof frequency use", 1)
    heads = data["models"][0]["heads"]
    assert [row["layer"] for row in heads] == [0, 1, 2, 3]
    assert all(row["id_by_size_low"] <= row["id_by_size"] <= row["id_by_size_high"] for row in heads)
    assert heads[1]["foremost_by_variation"][0] == 1 and heads[1]["pure"] == "positional"
    assert sum(heads[1]["size"]) == pytest.approx(1)

    # The same again is answered anew; another request leaves every file as it is.
    before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.suffix != ".svg"}
    same = ["--sequences", 8, "--drawn", 2, "--out", tmp_path]
    assert frequencies("number-4", *same) == 0
    capsys.readouterr()
    for other in (["letter-4", *same], ["number-4", *same, "--seed", 1], ["number-4", *same, "--layer", 2]):
        assert frequencies(*other) == 2
        error = capsys.readouterr().err
        assert "already holds frequencies.json of another request; give another folder" in error
        assert error.count("\n") == 1 and {path: path.read_bytes() for path in before} == before
    assert len(list(tmp_path.iterdir())) == 5


def test_the_layer_that_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[tuple[int, str]] = []

    def draw_plane(plane: Plane, name: str, folder: Path, stem: str) -> list[Path]:
        drawn.append((plane.layer, stem))
        return []

    monkeypatch.setattr("empirical.frequencies.run.draw_use", lambda data, folder: [])
    monkeypatch.setattr("empirical.frequencies.run.draw_plane", draw_plane)
    assert frequencies("number-4", "--sequences", 4, "--drawn", 2, "--layer", 2, "--out", tmp_path) == 0
    assert drawn == [(2, "plane-number-4-layer-2")]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["none"], "there is no model 'none'"),
        (["number-4", "--layer", "4"], "--layer 4 is not of number-4"),
        (["number-4", "--sequences", "1"], "sequences"),
        (["number-4", "--sequences", str(10**11)], "is not in the range"),
        (["number-4", "--drawn", str(10**11)], "is not in the range"),
        (["number-4", "--seed", str(10**30)], "is not in the range"),
    ],
)
def test_bad_requests_are_one_line(
    arguments: list[str], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert frequencies(*arguments, "--out", tmp_path / "out") == 2
    error = capsys.readouterr().err
    assert reason in error and error.count("\n") == 1 and not list(tmp_path.iterdir())


def test_subjects(tmp_path: Path) -> None:
    """By name and by path; kinds are told apart by task and layers."""
    folder = Path(__file__).parents[1] / "checkpoints" / "letter-4"
    one, other = subject(str(folder)), subject(str(folder / "model.json"))
    assert one.name == other.name == "letter-4" and one.card == other.card
    kinds = [each.kind for each in subjects(["number-4", "letter-4"])]
    assert kinds == ["number task, 4 layers", "letter task, 4 layers"]
    assert not torch.equal(one.sequences(4, 0), one.sequences(4, 1))
