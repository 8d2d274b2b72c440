"""All that is measured on one trained decoder, with the classifiers of its seed beside it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch import Tensor

from constructions.inference import classes, frozen, offsets
from empirical.correlation import centred, correlation
from empirical.images import inference
from empirical.images.data import Images
from empirical.images.inference import Evidence
from empirical.images.networks import Autoencoder, Classifier
from empirical.images.outside import areas, probabilities
from empirical.images.outside import scores as outside_scores

TRAIN, INSIDE, DOUBLE, POINTS = 4_000, 2_000, 200, 60  # at most so many images
LOWEST, HIGHEST = -3.0, 5.0  # standard deviations, of the pictures that are kept
Found = dict[str, Any]


def measure(
    model: Autoencoder,
    classifiers: Sequence[Classifier],
    train: Images,
    test: Images,
    outside: Mapping[str, Images],
    look: Callable[[], object] = lambda: None,
) -> Found:
    """Accuracies of all rules, what the gradient has to do with likelihoods, and AUROC on other images.

    Args:
        model: a decoder and its encoder; its weights are frozen here.
        classifiers: the first is compared as the classifier, all of them as the ensemble.
        train: for the constant offsets, TRAIN of them at most; their labels are not used.
        test: labelled; the first INSIDE of them stand against other images.
        outside: images that are of no class, by the name of their set.
        look: called every now and then; may raise.

    Returns plain data. Raises InputError for test images without labels.
    """
    labels = test.known
    model, classifiers = frozen(model), [frozen(each) for each in classifiers]
    learned = inference.evidence(model, train.first(TRAIN).pixels, look)
    found = inference.evidence(model, test.pixels, look)
    constant = offsets(learned.gradient, learned.likelihoods)
    z = inference.iterated(model, test.pixels, look)
    scores = inference.scores(found, constant, learned.offsets[0], z)
    each = probabilities(classifiers, test.pixels)
    compared = {"classifier": each[0], "ensemble": each.mean(0), **scores}
    return {
        "images": len(test.pixels),
        "accuracy": inference.accuracies(compared, labels),
        "ties": inference.ties(scores),
        "agreement": inference.agreement(found.gradient, found.likelihoods),
        "correlation": correlation(centred(found.gradient), centred(found.likelihoods)),
        "unlike likelihoods": {
            name: inference.unlike(scores[name], found.likelihoods)
            for name in ("one-step", "constant offsets", "offsets of one image", "offsets of the image")
        },
        "identity": float(found.identity.abs().max()),
        "identity in float64": _in_float64(model, test.pixels[:DOUBLE]),
        "offsets": inference.variation(found.offsets),
        "spread": inference.spread(model, test.pixels),
        "reconstruction": inference.reconstruction(model, test.pixels, labels),
        "auroc": _areas(model, classifiers, test.pixels, found, outside, look),
        "points": points(found),
        "pictures": pictures(model, test, scores),
    }


def _in_float64(model: Autoencoder, pixels: Tensor) -> float:
    """The largest entry of g - B - ell, centred, without the rounding of float32."""
    precise = copy.deepcopy(model).double()
    return float(inference.evidence(precise, pixels.double()).identity.abs().max())


def _areas(
    model: Autoencoder,
    classifiers: Sequence[Classifier],
    pixels: Tensor,
    found: Evidence,
    others: Mapping[str, Images],
    look: Callable[[], object],
) -> dict[str, dict[str, float]]:
    if not others:
        return {}
    first = Evidence(**{name: values[:INSIDE] for name, values in vars(found).items()})
    inside = outside_scores(model, classifiers, pixels[:INSIDE], first, look)
    theirs = {}
    for name, images in others.items():
        evidence = inference.evidence(model, images.pixels, look)
        theirs[name] = outside_scores(model, classifiers, images.pixels, evidence, look)
    return areas(inside, theirs)


def points(found: Evidence) -> dict[str, list[float]]:
    """Of the first images: g, g - B and ell of every class, each less its mean over classes."""
    g, B, ell = (each[:POINTS] for each in (found.gradient, found.offsets, found.likelihoods))
    chosen = {"gradient": g, "corrected": g - B, "likelihoods": ell}
    return {name: _rounded(centred(each).flatten()) for name, each in chosen.items()}


def pictures(model: Autoencoder, test: Images, scores: Mapping[str, Tensor]) -> list[Found]:
    """Two test images with their K decodings: the first that one step gets right, the first that only likelihoods do.

    Pixels are bytes in hexadecimal, 0 for LOWEST and 255 for HIGHEST.
    """
    one, all_ = (classes(scores[name]) == test.known for name in ("one-step", "likelihoods"))
    kept = []
    for chosen in (one & all_, ~one & all_):
        if chosen.any():
            at = int(chosen.nonzero()[0])
            kept.append(
                {
                    "image": at,
                    "label": int(test.known[at]),
                    "side": test.side,
                    "pixels": hexadecimal(test.pixels[at]),
                    "decodings": [hexadecimal(each) for each in inference.decodings(model, test.pixels[at, None])[0]],
                    **{
                        name: _rounded(centred(scores[name][at, None])[0])
                        for name in ("one-step", "offsets of the image", "likelihoods")
                    },
                }
            )
    return kept


def hexadecimal(pixels: Tensor) -> str:
    """Pixels (D,) as bytes."""
    level = (pixels.clamp(LOWEST, HIGHEST) - LOWEST) * (255 / (HIGHEST - LOWEST))
    return bytes(level.round().int().tolist()).hex()


def levels(text: str) -> list[float]:
    """The pixels of `hexadecimal`, up to rounding."""
    return [LOWEST + byte * (HIGHEST - LOWEST) / 255 for byte in bytes.fromhex(text)]


def _rounded(values: Tensor) -> list[float]:
    return [round(value, 3) for value in values.tolist()]
