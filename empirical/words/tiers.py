"""Which decoders a study trains: a quick tier that shows all parts at work, and the full one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from constructions.compact.decoder import CompactConfig
from empirical.sweep.run import Work
from empirical.words.catalogue import ENTRIES
from empirical.words.copying import CopyPlan
from empirical.words.plan import Plan
from empirical.words.rounding import Rounding
from empirical.words.works import Copying, Pairs, Scaling

ENCODINGS = ("none", "rope", "sinusoidal", "learned", "flags", "alibi", "window")
PARTS = ("pairs", "scaling", "copy", "precision")
WINDOW = 8
CAP = 0.5  # content logits range over less than 1, so that the exponent c is at most the length factor


@dataclass(frozen=True)
class Tier:
    """Sizes of a study.

    Attributes:
        entries, encodings: of the pairs and families; each is trained with each.
        length: of the training; margins are measured up to `longest`.
        steps: of a training on words; `copy_steps` of one on copying.
        factors: length factors of the scaling, by word; None and a cap is a fixed range of logits.
        doublings: margins of the scaling are counted up to 2^doublings.
        prompts: numbers of bits of the prompts that are copied.
        family: margins on per_1 .. per_family are measured where such words are learned.
        rounded: the longest words that go through float32 and bfloat16.
    """

    entries: tuple[str, ...]
    encodings: tuple[str, ...]
    length: int
    longest: int
    steps: int
    copy_steps: int
    factors: dict[str, tuple[tuple[float | None, float | None], ...]]
    doublings: int
    prompts: tuple[int, ...]
    family: int
    rounded: int


def _capped(*factors: float) -> tuple[tuple[float | None, float | None], ...]:
    """Length factor and cap of each setting: no factor with three ranges of logits, then factors under one cap."""
    return ((None, CAP), (None, 2.0), (None, None), *((factor, CAP) for factor in factors))


TIERS = {
    "quick": Tier(
        ("0, chi", "per1, per2"), ("rope", "flags"), 16, 64, 12, 12, {"chi": ((0.5, CAP),)}, 40, (4, 8, 16), 3, 64
    ),
    "full": Tier(
        tuple(ENTRIES),
        ENCODINGS,
        128,
        1024,
        400,
        2000,
        {"chi": _capped(0.25, 0.5, 0.75, 0.9, 1.25, 1.5, 3.0), "sq": _capped(0.2, 0.3, 0.4, 0.6, 0.75, 1.5)},
        200,
        (4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256),
        12,
        1024,
    ),
}


def works(tier: Tier, parts: Sequence[str], seeds: Sequence[int]) -> list[Work]:
    """All runs of these parts, those that need the models of others behind them."""
    found: list[Work] = []
    if "pairs" in parts:
        found += [
            _pairs(tier, entry, name, seed) for entry in tier.entries for name in tier.encodings for seed in seeds
        ]
    if "scaling" in parts:
        found += [
            _scaling(tier, word, factor, cap, seed)
            for word, settings in tier.factors.items()
            for factor, cap in settings
            for seed in seeds
        ]
    copies = [Copying(CopyPlan(steps=tier.copy_steps, seed=seed), tier.prompts) for seed in seeds]
    if "copy" in parts:
        found += copies
    if "precision" in parts:
        found += [Rounding(copy, tier.rounded) for copy in copies]
    return found


def _pairs(tier: Tier, entry: str, encoding: str, seed: int) -> Pairs:
    table = {"learned": tier.length, "flags": tier.longest}.get(encoding)
    model = CompactConfig(
        letters=2,
        width=32,
        layers=2,
        heads=2,
        mlp_width=64,
        encoding="learned" if encoding == "flags" else encoding,
        max_length=table,
        window=WINDOW if encoding == "window" else None,
    )
    plan = Plan(
        entry, ENTRIES[entry], model, flags=encoding == "flags", length=tier.length, steps=tier.steps, seed=seed
    )
    return Pairs(plan, tier.longest, tier.family if "per2" in plan.words else 0)


def _scaling(tier: Tier, word: str, factor: float | None, cap: float | None, seed: int) -> Scaling:
    model = CompactConfig(
        letters=2,
        width=32,
        layers=1,
        heads=2,
        mlp_width=64,
        encoding="learned",
        max_length=2 * tier.length,
        softcap=cap,
        log_scaling=factor,
    )
    base = Plan(f"0, {word}", ("0", word), model, flags=True, length=tier.length, steps=tier.steps)
    return Scaling(replace(base, seed=seed), tier.doublings)
