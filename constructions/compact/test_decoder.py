from typing import Any

import pytest
import torch
from torch import Tensor, nn

from constructions.compact.decoder import CompactConfig, CompactDecoder
from theory.errors import InputError

SIZES: dict[str, Any] = dict(letters=3, width=8, layers=2, heads=2, mlp_width=16)
REFERENCE: dict[tuple[str, tuple[int, ...]], tuple[float, ...]] = {
    ("small", (0, 0, 0, 0, 0)): (0.506352653915, 0.455395454987, 0.038251891098),
    ("small", (0, 1, 2, 1, 0)): (0.467181949466, 0.495301717348, 0.037516333186),
    ("default", (0, 0, 0, 0, 0)): (0.706393640205, 0.244547799409, 0.049058560386),
    ("default", (0, 1, 2, 1, 0)): (0.537713518900, 0.424404183019, 0.037882298082),
}
ENCODED: dict[str, dict[str, Any]] = {  # with the position data that each needs
    "none": {},
    "rope": {},
    "sinusoidal": {},
    "learned": {"max_length": 9},
    "alibi": {"slopes": (0.5, 0.0)},
    "window": {"window": 2},
}


def random_decoder(**settings: Any) -> CompactDecoder:
    torch.manual_seed(0)
    return CompactDecoder(CompactConfig(**(SIZES | settings))).double()


@pytest.mark.parametrize(("gains", "word"), REFERENCE)
def test_the_reference_decoder_has_its_outputs(gains: str, word: tuple[int, ...]) -> None:
    probabilities = CompactDecoder.reference(gains).next_letter(torch.tensor([word]))
    torch.testing.assert_close(
        probabilities, torch.tensor([REFERENCE[gains, word]], dtype=torch.float64), rtol=0, atol=1e-12
    )


@torch.no_grad()
def test_after_one_letter_repeated_the_reference_decoder_predicts_the_same_at_every_length() -> None:
    outputs = CompactDecoder.reference()(torch.zeros(1, 300, dtype=torch.int64))[0].softmax(-1)
    assert float((outputs - outputs[0]).abs().max()) < 1e-14


@pytest.mark.parametrize("norm", ["rms", "layer"])
@pytest.mark.parametrize("encoding", ENCODED)
@torch.no_grad()
def test_a_decoder_is_its_definition_query_by_query(encoding: str, norm: str) -> None:
    """Attention once more, one query and one key at a time, on plain vectors."""
    settings = dict(encoding=encoding, norm=norm, key_heads=1, log_scaling=0.7, softcap=0.4, **ENCODED[encoding])
    model = random_decoder(**settings)
    words = torch.tensor([[0, 2, 1, 1, 0, 2, 2]])
    for layer in model.layers:
        layer.query.weight *= 4

    def norm_of(x: Tensor, gain: nn.Module) -> Tensor:
        if norm == "layer":
            x = x - x.mean()
        return gain.get_parameter("weight") * x / torch.sqrt((x * x).mean() + 1e-5)

    def turned(x: Tensor, t: int) -> Tensor:
        angles = t * torch.tensor([1.0, 1e-2], dtype=torch.float64)
        pairs = torch.complex(x[:2], x[2:]) * torch.polar(torch.ones_like(angles), angles)
        return torch.cat((pairs.real, pairs.imag)) if encoding == "rope" else x

    xs = [model.embedding.weight[w] for w in words[0]]
    for t, x in enumerate(xs):
        if encoding == "sinusoidal":
            angles = [t * 10000 ** (-2 * (k // 2) / 8) for k in range(8)]
            code = [torch.sin, torch.cos] * 4
            xs[t] = x + torch.stack(
                [f(torch.tensor(a, dtype=torch.float64)) for f, a in zip(code, angles, strict=True)]
            )
        if encoding == "learned":
            xs[t] = x + model.positions.weight[t]
    for layer in model.layers:
        ys, new = [norm_of(x, layer.norm1) for x in xs], []
        for i, x in enumerate(xs):
            mixed = []
            for head in range(2):
                q = turned((layer.query.weight @ ys[i])[4 * head : 4 * head + 4], i)
                seen = [j for j in range(i + 1) if encoding != "window" or i - j < 2]
                scores = []
                for j in seen:
                    s = q @ turned(layer.key.weight @ ys[j], j) / 2
                    s = 0.4 * torch.tanh(s / 0.4) * 0.7 * torch.log(torch.tensor(i + 1.0, dtype=torch.float64))
                    scores.append(s - (0.5, 0.0)[head] * (i - j) * (encoding == "alibi"))
                weights = torch.stack(scores).softmax(0)
                mixed.append(sum(p * (layer.value.weight @ ys[j]) for p, j in zip(weights, seen, strict=True)))
            z = x + layer.output.weight @ torch.cat(mixed)
            y = norm_of(z, layer.norm2)
            gate = layer.gate.weight @ y
            new.append(z + layer.down.weight @ (gate * gate.sigmoid() * (layer.up.weight @ y)))
        xs = new
    expected = torch.stack([model.unembedding.weight @ norm_of(x, model.norm) for x in xs])
    torch.testing.assert_close(model(words)[0], expected, rtol=1e-12, atol=1e-13)


def test_each_query_head_reads_the_key_head_of_its_group() -> None:
    model = random_decoder(heads=4, key_heads=2, encoding="none")
    q, k, v = model.layers[0].heads(model.embed(torch.tensor([[0, 1, 2]])))
    assert q.shape == k.shape == v.shape == (1, 4, 3, 2)
    assert torch.equal(k[:, 0], k[:, 1]) and torch.equal(k[:, 2], k[:, 3]) and not torch.equal(k[:, 1], k[:, 2])


@pytest.mark.parametrize("encoding", ENCODED)
def test_later_letters_change_nothing_before_them(encoding: str) -> None:
    model = random_decoder(encoding=encoding, **ENCODED[encoding])
    u, w = torch.tensor([[0, 1, 2, 0, 1]]), torch.tensor([[0, 1, 2, 2, 2]])
    torch.testing.assert_close(model(u)[:, :3], model(w)[:, :3], rtol=0, atol=1e-14)
    assert not torch.allclose(model(u)[:, 3:], model(w)[:, 3:], atol=1e-6)


def test_the_output_temperature_divides_the_logits() -> None:
    words = torch.tensor([[0, 1, 2]])
    warm, cold = random_decoder(output_temperature=2.0), random_decoder()
    torch.testing.assert_close(2 * warm(words), cold(words))
    torch.testing.assert_close(cold.next_letter(words), cold(words)[:, 2].softmax(-1))


def test_the_parameters_have_their_names() -> None:
    names = dict(random_decoder(encoding="learned", max_length=5, key_heads=1).named_parameters())
    assert {name: tuple(weight.shape) for name, weight in names.items() if not name.startswith("blocks.1.")} == {
        "embedding.weight": (3, 8),
        "positions.weight": (5, 8),
        "blocks.0.norm1.weight": (8,),
        "blocks.0.query.weight": (8, 8),
        "blocks.0.key.weight": (4, 8),
        "blocks.0.value.weight": (4, 8),
        "blocks.0.output.weight": (8, 8),
        "blocks.0.norm2.weight": (8,),
        "blocks.0.gate.weight": (16, 8),
        "blocks.0.up.weight": (16, 8),
        "blocks.0.down.weight": (8, 16),
        "norm.weight": (8,),
        "unembedding.weight": (3, 8),
    }


BAD_CONFIGS: list[tuple[dict[str, Any], str]] = [
    (dict(letters=1), "letters=1"),
    (dict(layers=-1), "layers=-1"),
    (dict(width=9), "width=9"),
    (dict(heads=4, key_heads=3), "key_heads=3"),
    (dict(key_heads=0), "key_heads=0"),
    (dict(norm="batch"), "norm='batch'"),
    (dict(epsilon=0.0), "epsilon=0.0"),
    (dict(epsilon=float("nan")), "epsilon=nan"),
    (dict(softcap=-1.0), "softcap=-1.0"),
    (dict(base=float("inf")), "base=inf"),
    (dict(log_scaling=float("nan")), "log_scaling=nan"),
    (dict(encoding="cope"), "encoding='cope'"),
    (dict(width=6), "3 wide"),
    (dict(width=7, heads=1, encoding="sinusoidal"), "width=7"),
    (dict(encoding="window"), "window=None"),
    (dict(encoding="window", window=0), "window=0"),
    (dict(encoding="learned"), "max_length=None"),
    (dict(window=3), "no use for window"),
    (dict(slopes=(1.0, 1.0)), "no use for slopes"),
    (dict(encoding="alibi", slopes=(1.0,)), "1 slopes for 2 heads"),
    (dict(encoding="alibi", slopes=(1.0, -1.0)), "slopes="),
]


@pytest.mark.parametrize(("settings", "named"), BAD_CONFIGS)
def test_a_bad_config_is_refused_in_one_line(settings: dict[str, Any], named: str) -> None:
    with pytest.raises(InputError) as caught:
        CompactConfig(**(SIZES | settings))
    assert named in str(caught.value) and "\n" not in str(caught.value)


BAD_WORDS = [
    (torch.zeros(5, dtype=torch.int64), "(5,)"),
    (torch.zeros(1, 5), "float32"),
    (torch.full((1, 5), torch.nan), "float32"),
    (torch.zeros(1, 0, dtype=torch.int64), "(1, 0)"),
    (torch.tensor([[0, 3]]), "letter 3"),
    (torch.tensor([[-1, 0]]), "letter -1"),
    (torch.zeros(1, 10, dtype=torch.int64), "length 10"),
]


@pytest.mark.parametrize(("words", "named"), BAD_WORDS)
def test_bad_words_are_refused_in_one_line(words: Tensor, named: str) -> None:
    with pytest.raises(InputError) as caught:
        random_decoder(encoding="learned", max_length=9)(words)
    assert named in str(caught.value) and "\n" not in str(caught.value)


@torch.no_grad()
def test_a_weight_that_is_not_a_number_is_not_passed_on() -> None:
    model = random_decoder()
    model.layers[1].down.weight[0, 0] = torch.nan
    with pytest.raises(InputError, match="not finite"):
        model(torch.tensor([[0, 1]]))


def test_unknown_gains_are_refused() -> None:
    with pytest.raises(InputError, match="gains='large'"):
        CompactDecoder.reference("large")
