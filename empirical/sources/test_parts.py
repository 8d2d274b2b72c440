"""Texts, models and their training against their definitions."""

from __future__ import annotations

import gzip
import math
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from empirical.sources import origins, texts, training
from empirical.sources.networks import SourceModel, build, matched
from empirical.sources.plan import KINDS, Plan, plans
from empirical.sources.texts import Text, cleaned, decoded, encoded
from empirical.sources.training import labelled, train, windows
from empirical.sources.works import means
from theory.errors import InputError

torch.set_num_threads(1)
PLAN = Plan("head", "true", 2, 3, 4, 16)


def text(name: str, letters: str) -> Text:
    return Text(name, encoded(letters), name, len(letters) * 17 // 20)


def given(folder: Path, name: str, content: str | bytes) -> str:
    path = folder / f"{name}.txt"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return f"{name}={path}"


def pair(folder: Path) -> list[str]:
    return [given(folder, "songs", "la la li\n" * 300), given(folder, "sums", "1 + 2 = 3\n" * 300)]


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("\u201cI\u2019m\u201d \u2014 here\u2013there", '"I\'m" -- here-there'),
        ("a\tb\u00e9c\r\nd", "a b c\nd"),
        ("a   b  \n   c", "a b\nc"),
        ("a\n \n\t\n\n\nb\n\nc", "a\n\nb\n\nc"),
        ("\ufeffa\x00\x7f\u20acb", " a b"),
        ("", ""),
    ],
)
def test_cleaning(raw: str, clean: str) -> None:
    assert cleaned(raw) == clean
    assert cleaned(clean) == clean


def test_the_alphabet() -> None:
    every = "\n" + "".join(map(chr, range(32, 127)))
    assert encoded(every).tolist() == list(range(texts.VOCABULARY))
    assert decoded(encoded(every)) == every
    with pytest.raises(InputError, match="clean the text"):
        encoded("caf\u00e9")


def test_files_of_the_user(tmp_path: Path) -> None:
    packed = tmp_path / "packed.gz"
    packed.write_bytes(gzip.compress(b"one two\n" * 400))
    latin = given(tmp_path, "latin", ("caf\u00e9 noir\n" * 200).encode("latin-1"))
    found = texts.sources("full", [f"packed={packed}", latin])
    assert [each.name for each in found] == ["packed", "latin"]
    assert decoded(found[0].letters) == "one two\n" * 400
    assert decoded(found[1].letters).startswith("caf noir\ncaf noir")
    assert [len(each.train) / len(each.letters) for each in found] == pytest.approx([0.85, 0.85], abs=1e-3)
    assert torch.equal(torch.cat((found[0].train, found[0].test)), found[0].letters)
    halves = texts.held_out("full", [latin])[0]
    assert len(halves.train) == len(halves.test) == 900


def test_the_user_s_file_for_a_source_of_the_tier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"first": lambda: "one two\n" * 400, "second": lambda: pytest.fail("it was to be replaced")}
    monkeypatch.setitem(origins.SOURCES, "quick", known)
    found = texts.sources("quick", [given(tmp_path, "second", "three\n" * 400)])
    assert [decoded(each.letters[:4]) for each in found] == ["one ", "thre"]


def test_long_texts_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    long = {name: lambda name=name: f"{name} and so on\n" * 40_000 for name in "ab"}
    monkeypatch.setitem(origins.SOURCES, "full", long)
    monkeypatch.setitem(origins.HELD_OUT, "full", {"c": lambda: "other\n" * 90_000})
    for each in texts.sources("full"):
        assert (len(each.train), len(each.test)) == (170_000, 30_000)
    assert len(texts.held_out("full")[0].letters) == 400_000


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "has 0 letters"),
        (b"too short", "has 9 letters"),
        (b" \n\t" * 9000, "has 0 letters"),
        ("\u4e2d" * 9000, "has 0 letters"),
        ("wide" * 900, "is the only source"),
        (("wide" * 900).encode("utf-16"), "NUL bytes"),
        (b"\x1f\x8b" + b"broken" * 900, "broken gzip"),
        (gzip.compress(b"abc" * 900)[:-9], "broken gzip"),
        (b"a b " * (origins.LIMIT // 4) + b"c", "more than 16 MiB"),
        (gzip.compress(b"a b " * (origins.LIMIT // 4) + b"c", 1), "more than 16 MiB"),
    ],
    ids=["empty", "short", "blank", "foreign", "alone", "utf-16", "no-gzip", "cut-gzip", "large", "bomb"],
)
def test_files_that_are_no_source(tmp_path: Path, content: str | bytes, words: str) -> None:
    with pytest.raises(InputError, match=words) as complaint:
        texts.sources("quick", [given(tmp_path, "own", content)])
    assert "\n" not in str(complaint.value) and "give" in str(complaint.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["own"], "NAME=FILE"),
        (["own="], "NAME=FILE"),
        (["=file"], "NAME=FILE"),
        (["$x$=file"], "NAME=FILE"),
        (["own=absent"], "No such file"),
        (["own=."], "directory"),
        (["own=a\0b"], "cannot be read"),
        (["a=f", "a=g"], "a twice"),
        ([f"t{number}=f" for number in range(33)], "33 texts"),
    ],
)
def test_options_that_are_no_source(options: list[str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        texts.sources("quick", options)
    with pytest.raises(InputError, match=words):
        texts.held_out("quick", options)


def test_one_text_is_not_two(tmp_path: Path) -> None:
    songs, sums = pair(tmp_path)
    with pytest.raises(InputError, match="same text"):
        texts.sources("quick", [songs, f"copy={songs.partition('=')[2]}"])
    learned = texts.sources("quick", [songs, sums])
    texts.refuse_shared(learned, texts.held_out("quick", [given(tmp_path, "other", "not yet seen\n" * 99)]))
    for other in (f"another={songs.partition('=')[2]}", given(tmp_path, "sums", "not yet seen\n" * 99)):
        with pytest.raises(InputError, match="held out and also"):
            texts.refuse_shared(learned, texts.held_out("quick", [other]))


@pytest.mark.parametrize("name", ["kjv", "jargon", "anarchism"])
def test_a_debian_package_that_is_missing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(origins, "DOC", Path("/nowhere"))
    monkeypatch.setattr("shutil.which", lambda program: None)
    with pytest.raises(InputError, match=rf"install the Debian package .*{name}.* --source {name}=FILE"):
        origins.found(name, origins.SOURCES["full"][name], "source")


@pytest.mark.parametrize(
    ("script", "words"), [("exit 3", "exit code 3"), ("exit 0", "exit code 0"), (None, "PermissionError")]
)
def test_a_bible_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None, words: str) -> None:
    program = tmp_path / "bible"
    program.write_text(f"#!/bin/sh\n{script}\n")
    if script is not None:
        program.chmod(0o755)
    monkeypatch.setattr("shutil.which", lambda name: str(program))
    with pytest.raises(InputError, match=words):
        origins.found("kjv", origins.SOURCES["full"]["kjv"], "source")


def test_a_bible_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    def waits(*words: Any, **options: Any) -> Any:
        raise subprocess.TimeoutExpired("bible", options["timeout"])

    monkeypatch.setattr("shutil.which", lambda name: "bible")
    monkeypatch.setattr("subprocess.run", waits)
    with pytest.raises(InputError, match="TimeoutExpired"):
        origins.found("kjv", origins.SOURCES["full"]["kjv"], "source")


def test_verses_lose_their_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bible"
    program.write_text("#!/bin/sh\nprintf 'Genesis 1\\n\\n  1 In the\\n12 begin\\n  2 And 3 men\\n'")
    program.chmod(0o755)
    monkeypatch.setattr("shutil.which", lambda name: str(program))
    assert origins.SOURCES["full"]["kjv"]() == "Genesis 1\n\nIn the\n12 begin\nAnd 3 men\n"


def test_quick_texts_are_on_every_machine() -> None:
    found = [*texts.sources("quick"), *texts.held_out("quick")]
    assert len({each.name for each in found}) == 4
    assert all((len(each.train), len(each.test)) == (40_000, 8000) for each in found[:3])


@pytest.mark.parametrize(("tier", "name", "length"), [("full", "devil", 350_252), ("full", "licences", 182_407)])
def test_lengths_of_texts_of_debian(tier: str, name: str, length: int) -> None:
    """What Debian 12 has."""
    try:
        raw = origins.HELD_OUT[tier][name]()
    except origins.Missing as missing:
        pytest.skip(str(missing))
    assert len(cleaned(raw)) == length


@pytest.mark.parametrize("body", ["lstm", "transformer"])
@pytest.mark.parametrize("mode", ["input", "head", "none"])
def test_models_do_not_look_ahead(mode: str, body: str) -> None:
    torch.manual_seed(0)
    model, letters, z = SourceModel(3, mode, body, 32), torch.randint(96, (2, 9)), torch.rand(2, 3)
    later = letters.clone()
    later[:, 5:] = torch.randint(96, (2, 4))
    first, second = model(letters, z), model(later, z)
    assert first.shape == (2, 9, 96)
    assert torch.allclose(first[:, :5], second[:, :5], atol=1e-6)
    assert not torch.allclose(first[:, 5:], second[:, 5:], atol=1e-3)
    assert torch.allclose(model(letters[1:], z[1:]), first[1:], atol=1e-6)  # windows are apart


@pytest.mark.parametrize("body", ["lstm", "transformer"])
def test_how_z_enters(body: str) -> None:
    torch.manual_seed(0)
    letters, z = torch.randint(96, (4, 7)), torch.rand(4, 3, dtype=torch.float64)
    z = z / z.sum(-1, keepdim=True)
    models = {mode: SourceModel(3, mode, body, 16).double() for mode in ("input", "head", "none")}
    head, vertices = models["head"], torch.eye(3, dtype=torch.float64)
    every = torch.stack([head(letters, vertex.repeat(4, 1)) for vertex in vertices])
    # Rounding of some dozens of products of numbers of size 1 in float64.
    assert torch.allclose(torch.einsum("bk,kbnv->bnv", z, every), head(letters, z), atol=1e-12)
    given_all = models["input"](letters, z)
    mixed = sum(z[:, k, None, None] * models["input"](letters, v.repeat(4, 1)) for k, v in enumerate(vertices))
    assert not torch.allclose(given_all, mixed, atol=1e-6)
    assert torch.equal(models["none"](letters), models["none"](letters, z))
    assert torch.equal(head.states(letters), head.states(letters, z))
    for mode in ("input", "head"):
        for wrong in (None, z[:, :2], z[:2], z.float()):
            with pytest.raises(InputError):
                models[mode](letters, wrong)


def test_a_shift_is_added_to_all_embeddings() -> None:
    torch.manual_seed(0)
    model, letters, shift = SourceModel(2, "none", hidden=8), torch.randint(96, (3, 5)), torch.randn(3, 48)
    moved = model(letters, shift=shift)
    assert torch.allclose(model(letters[:1], shift=shift[0]), moved[:1], atol=1e-6)
    with torch.no_grad():
        model.embedding.weight += shift[2]
    assert torch.allclose(model(letters)[2], moved[2], atol=1e-6)


@pytest.mark.parametrize("hidden", [16, 32, 64, 128, 192, 256])
def test_bodies_of_equal_size(hidden: int) -> None:
    sizes = [
        sum(w.numel() for w in SourceModel(5, "none", body, hidden).parameters()) for body in ("lstm", "transformer")
    ]
    assert sizes[1] == pytest.approx(sizes[0], rel=0.01)
    assert matched(hidden).head_width % 2 == 0


def test_settings_of_a_model_that_there_are_not() -> None:
    for mode, body in (("output", "lstm"), ("head", "gru")):
        with pytest.raises(InputError, match="give input, head or none"):
            SourceModel(2, mode, body)


def test_windows_of_texts() -> None:
    letters = [torch.arange(10), torch.arange(100, 170)]
    found = windows(letters, torch.tensor([0, 1] * 400), 8, torch.Generator().manual_seed(0))
    assert found.shape == (800, 9)
    assert torch.equal(found - found[:, :1], torch.arange(9).expand(800, 9))
    assert set(found[::2, 0].tolist()) == {0, 1}  # the last one ends with the text
    assert set(found[1::2, 0].tolist()) == set(range(100, 162))


def test_labels() -> None:
    sources = torch.arange(4).repeat(500)
    random = torch.Generator().manual_seed(0)
    assert torch.equal(labelled("true", sources, 4, random).argmax(-1), sources)
    shuffled = labelled("shuffled", sources, 4, random)
    assert torch.equal(shuffled.sort(-1).values, torch.tensor([0.0, 0, 0, 1]).expand(2000, 4))
    # Of 2000 labels a quarter is right: 500 with standard deviation 19.4.
    assert abs(int((shuffled.argmax(-1) == sources).sum()) - 500) < 100
    mixtures = labelled("random", sources, 4, random)
    assert torch.allclose(mixtures.sum(-1), torch.ones(2000)) and bool((mixtures > 0).all())
    assert float(mixtures.log().var(-1).mean()) == pytest.approx(1, abs=0.1)


def test_models_of_one_seed_see_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """And every window comes with its source, or with what says nothing of it."""
    both = [text("a", "a" * 400), text("b", "b" * 400)]
    seen = dict[str, list[tuple[Tensor, Tensor | None]]]()

    class Sees(nn.Module):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.weight, self.name = nn.Parameter(torch.zeros(96)), name

        def forward(self, letters: Tensor, z: Tensor | None) -> Tensor:
            seen.setdefault(self.name, []).append((letters, z))
            return self.weight.expand(*letters.shape, 96)

    for kind, plan in plans("quick", 2, 5).items():
        monkeypatch.setattr(training, "build", lambda plan, kind=kind: Sees(kind))
        train(replace(plan, steps=3), both)
    assert seen.keys() == KINDS.keys()
    for steps in zip(*seen.values(), strict=True):
        assert len({tuple(letters[:, 0].tolist()) for letters, _ in steps}) == 1
    letters, told = (torch.cat([each[at] for each in seen["head"]]) for at in (0, 1))  # type: ignore[misc]
    assert torch.equal(told.argmax(-1), letters[:, 0] - int(encoded("a")))
    assert all(z is None for _, z in seen["none"])


@pytest.mark.parametrize("body", ["lstm", "transformer"])
def test_training_repeats_itself_and_learns(body: str) -> None:
    both = [text("a", "ab" * 300), text("b", "cd" * 300)]
    plan = replace(PLAN, body=body, steps=25)
    looked = list[None]()
    first, losses = train(plan, both, lambda: looked.append(None))
    second, again = train(plan, both)
    assert losses == again and len(losses) == len(looked) == 25
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True))
    assert not any(weight.requires_grad for weight in first.parameters()) and not first.training
    # It begins near chance among 96 letters, and learns at least that there are few.
    assert losses[0] > math.log(48) and losses[-1] < math.log(36)
    assert train(replace(plan, seed=4, steps=1), both)[1][0] != losses[0]


def test_first_weights_leave_torch_s_random_state() -> None:
    before = torch.get_rng_state()
    first, second = build(PLAN), build(PLAN)
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(first.readout.weight, second.readout.weight)
    assert bool(((first.gates >= 0.5) & (first.gates <= 1.5)).all())


def test_training_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    both = [text("a", "ab" * 300), text("b", "cd" * 300)]
    with pytest.raises(InputError, match="3 tasks"):
        train(replace(PLAN, tasks=3), both)
    with pytest.raises(InputError, match="more than 64 letters"):
        train(PLAN, [both[0], text("b", "cd" * 30)])

    def broken(plan: Plan) -> SourceModel:
        model = build(plan)
        model.readout.weight.data.fill_(torch.nan)
        return model

    monkeypatch.setattr(training, "build", broken)
    with pytest.raises(InputError, match="the loss is nan at step 0"):
        train(PLAN, both)


def test_means_of_parts() -> None:
    values: Sequence[float] = [1.0, 3.0, 5.0, 7.0, 10.0]
    assert means(values, (0, 2, 4), 2) == [2.0, 6.0, 10.0]
