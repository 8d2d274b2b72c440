"""Reading behind a shared prefix gives what the decoder gives on the whole input."""

from __future__ import annotations

import pytest
import torch

from empirical.decoder import Decoder
from empirical.decoder_config import DecoderConfig
from empirical.lengths.reading import read, read_prefix

torch.set_num_threads(1)


def decoder(**settings: object) -> Decoder:
    torch.manual_seed(1)
    model = Decoder(DecoderConfig(11, width=16, **settings)).double().eval()  # type: ignore[arg-type]
    for weight in model.parameters():
        weight.data = torch.randn_like(weight) / weight.shape[-1] ** 0.5
    return model


@pytest.mark.parametrize(
    "settings",
    [
        {"layers": 1},
        {"layers": 3, "heads": 2},
        {"layers": 2, "frequencies": (1.0, 0.3)},
        {"layers": 3, "without_rope": (1,)},
    ],
    ids=str,
)
def test_as_the_whole_input(settings: dict[str, object]) -> None:
    """Logits and attention, for all first parts of one prefix, none included."""
    model = decoder(**settings)
    tokens = torch.randint(11, (4, 5), generator=torch.Generator().manual_seed(2))
    prefix = torch.randint(11, (9,), generator=torch.Generator().manual_seed(3))
    known = read_prefix(model, prefix)
    for m in (0, 1, 4, 9):
        whole = torch.cat((prefix[:m].expand(4, -1), tokens), dim=1)
        reading = read(model, known, m, tokens)
        with torch.no_grad():
            torch.testing.assert_close(reading.logits, model(whole), rtol=0, atol=1e-12)
        attention = torch.stack(
            [heads.attention[:, :, -1, m:].sum(-1) for heads in model.heads(whole) if heads.attention is not None]
        )
        torch.testing.assert_close(reading.kept, attention, rtol=0, atol=1e-12)
    torch.testing.assert_close(read(model, None, 0, tokens).logits, read(model, known, 0, tokens).logits)


def test_another_prefix_is_another_input() -> None:
    model = decoder(layers=2)
    tokens = torch.zeros(1, 3, dtype=torch.int64)
    one, two = (read(model, read_prefix(model, torch.full((6,), token)), 6, tokens).logits for token in (1, 2))
    assert not torch.allclose(one, two)
