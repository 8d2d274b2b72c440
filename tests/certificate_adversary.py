"""An adversary of certificates: decoders that are random, trained or built by hand, and pairs of words.

    python -m tests.certificate_adversary --evaluations 100000

An evaluation is one pair of words whose bound(n, D) is below 1; an output further apart than it is a violation, of
which there must be none. Gains are small, so that bounds say something, and every fourth decoder is attacked: of many
pairs the one that comes nearest to its bound is changed letter by letter.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

import click
import numpy as np
import torch
from numpy.typing import NDArray

from constructions.compact.decoder import CompactConfig, CompactDecoder
from empirical.basin.describe import compact
from theory import command_line
from theory.compact.certificate.certificate import Certificate
from theory.compact.certificate.forward import next_letter
from theory.compact.certificate.random_decoders import Draw, random_decoder
from theory.compact.certificate.reference import reference
from theory.compact.certificate.weights import Array, Weights
from theory.compact.words import disagreements
from theory.errors import InputError
from theory.progress import progress_bar

ROUNDING = 1e-13
PAIRS = 40
Words = NDArray[np.int64]


@dataclass
class Tally:
    """What was tried: evaluations, violations and the largest observed/bound, by kind and depth of decoder."""

    evaluations: dict[tuple[str, int], int] = field(default_factory=dict)
    ratios: dict[tuple[str, int], float] = field(default_factory=dict)
    violations: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        return sum(self.evaluations.values())

    def add(self, key: tuple[str, int], observed: Array, bounds: Array, case: str) -> None:
        """Pairs of one decoder; those with a bound of 1 count for nothing."""
        told = bounds < 1
        self.evaluations[key] = self.evaluations.get(key, 0) + int(told.sum())
        if told.any():
            ratio = float((observed[told] / bounds[told]).max())
            self.ratios[key] = max(self.ratios.get(key, 0.0), ratio)
        if (observed[told] > bounds[told] + ROUNDING).any():
            self.violations.append(case)


def decoders(seed: int) -> Iterator[tuple[str, Weights]]:
    """Random ones of depth 1 to 6, and one in 20 that was trained, one in 20 built by hand."""
    random = np.random.default_rng(seed)
    for index in range(10**9):
        if index % 20 == 9:
            yield "trained", trained(seed + index, 1 + (index // 20) % 4)
            continue
        if index % 20 == 19:
            yield "by hand", by_hand(random, index // 20)
            continue
        gain = float(np.exp(random.uniform(np.log(0.02), np.log(0.3))))
        yield "random", random_decoder(random, Draw(1 + index % 6, gain))


def by_hand(random: np.random.Generator, index: int) -> Weights:
    """The reference decoder, and one that copies averages through 1 to 4 layers."""
    if index % 3 == 0:
        return reference(
            "small", "layer" if random.random() < 0.5 else "rms", "rope" if random.random() < 0.5 else "none"
        )
    return averaging(1 + int(random.integers(4)))


def averaging(depth: int) -> Weights:
    """Every layer adds a part of the mean of the states before it, with attention uniform."""
    from theory.compact.certificate.weights import Attention, Block, Norm

    norm = Norm("rms", np.ones(2), 1.0)
    still = np.zeros((1, 2, 2))
    head = Attention(query=still, key=still, value=np.eye(2)[None], output=0.2 * np.eye(2)[None], scale=1.0)
    return Weights(3 * np.eye(2), (Block(norm, head),) * depth, norm, 0.5 * np.eye(2))


def trained(seed: int, depth: int) -> Weights:
    """A small decoder after 60 steps on words with a period, with matrices kept at spectral norm 0.15."""
    torch.manual_seed(seed)
    shape = CompactConfig(letters=2, width=8, layers=depth, heads=2, mlp_width=8, epsilon=1e-1)
    model = CompactDecoder(shape)
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-2)
    periods = torch.tensor([[int(i % (m + 1) == 0) for i in range(1, 34)] for m in range(1, 6)])
    for _ in range(60):
        logits = model(periods[:, :-1])
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), periods[:, 1:].flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        with torch.no_grad():
            for name, weight in model.named_parameters():
                if weight.ndim == 2 and "embedding" not in name:
                    weight.mul_(min(1.0, 0.15 / float(torch.linalg.matrix_norm(weight, 2))))
    return compact(model.double().eval())


def attack(evaluations: int, seed: int, progress: object = None) -> Tally:
    """Try decoders until so many pairs have been evaluated."""
    tally, random = Tally(), np.random.default_rng(seed + 1)
    for number, (kind, weights) in enumerate(decoders(seed)):
        if tally.total >= evaluations:
            break
        certificate = Certificate.of(weights)
        key = (kind, len(weights.blocks))
        for _ in range(2):
            short, long = (4, 100) if kind == "random" else (20, 300)
            n = int(np.exp(random.uniform(np.log(short), np.log(long))))
            k = 1 if random.random() < 0.5 else int(random.integers(1, max(2, n // 8)))
            u, w = _pairs(random, len(weights.embedding), n, k)
            _try(tally, key, certificate, weights, u, w, f"decoder {number}")
            if number % 4 == 0:
                _climb(tally, key, certificate, weights, u, w, random, f"decoder {number}, climbing")
        if callable(progress):
            progress(min(tally.total, evaluations), evaluations)
    return tally


def _pairs(random: np.random.Generator, letters: int, n: int, k: int) -> tuple[Words, Words]:
    from theory.compact.certificate.random_decoders import random_words

    return random_words(random, letters, n, min(k, n - 1), PAIRS)


def _try(
    tally: Tally, key: tuple[str, int], certificate: Certificate, weights: Weights, u: Words, w: Words, case: str
) -> Array:
    observed = np.abs(next_letter(weights, u) - next_letter(weights, w)).max(axis=1)
    found = [
        float(certificate.at_places(u.shape[1], disagreements(x, y)))
        for x, y in zip(u.tolist(), w.tolist(), strict=True)
    ]
    bounds = np.array(found)
    tally.add(key, observed, bounds, case)
    ratios: Array = observed / np.maximum(bounds, 1e-300)
    return ratios


def _climb(
    tally: Tally,
    key: tuple[str, int],
    certificate: Certificate,
    weights: Weights,
    u: Words,
    w: Words,
    random: np.random.Generator,
    case: str,
) -> None:
    """Letters that both words share are changed in both, and the changes that help are kept."""
    ratios = _try(tally, key, certificate, weights, u[:1], w[:1], case)
    best, first, second = float(ratios[0]), u[0], w[0]
    for _ in range(3):
        many, others = np.repeat(first[None], PAIRS, 0), np.repeat(second[None], PAIRS, 0)
        for row in range(PAIRS):
            place = int(random.integers(len(first)))
            if first[place] == second[place]:
                many[row, place] = others[row, place] = random.integers(len(weights.embedding))
        ratios = _try(tally, key, certificate, weights, many, others, case)
        top = int(ratios.argmax())
        if ratios[top] > best:
            best, first, second = float(ratios[top]), many[top], others[top]


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--evaluations", default=100_000, show_default=True, type=click.IntRange(1), help="Pairs with a bound < 1."
)
@click.option("--seed", default=0, show_default=True)
def main(evaluations: int, seed: int) -> None:
    """Attack certificates, and print the largest observed/bound by kind and depth of decoder; exit code 2 if beaten."""
    torch.set_num_threads(1)
    with progress_bar("attacking") as progress:
        tally = attack(evaluations, seed, progress)
    click.echo("decoder  layers  evaluations  largest observed/bound")
    for (kind, depth), count in sorted(tally.evaluations.items()):
        click.echo(f"{kind:8} {depth:6}  {count:11,}  {tally.ratios.get((kind, depth), 0):.4f}")
    click.echo(f"{tally.total:,} evaluations with a bound below 1, {len(tally.violations)} violations")
    if tally.violations:
        raise InputError(f"a certificate is beaten: {tally.violations[0]}")


if __name__ == "__main__":
    sys.exit(command_line.run(main, "python -m tests.certificate_adversary"))
