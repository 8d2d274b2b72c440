"""Inference of a task variable z from the gradient of a model's log-likelihood, its repairs, and its diagnosis.

A model is a function of z: `log_likelihood(z)` takes z of shape (batch, K) and returns ell(z) of shape (batch,), the
data fixed inside. Its weights are frozen (`frozen`). Everything else takes such a function, or what it returned.

Source: arXiv 2407.17356 has the idea of one gradient step and of iterating; the rest is derived in theory.inference.
"""

from constructions.inference.baselines import negative_entropy, negative_pixel_entropy, squared_norm
from constructions.inference.cost import Cost, cost, counted
from constructions.inference.curvature import curvature
from constructions.inference.diagnosis import Diagnosis, diagnose
from constructions.inference.filters import BayesFilter, GradientFilter
from constructions.inference.gradients import frozen, gradient, likelihood_of_every_task, max_entropy
from constructions.inference.iteration import METHODS, Trace, iterate
from constructions.inference.models import (
    AdditiveNet,
    GatedNet,
    bernoulli,
    categorical,
    circumcentre_start,
    gaussian,
    linear,
    log_linear,
    poisson,
    pool,
    tokens,
)
from constructions.inference.offsets import exact_offsets, offsets
from constructions.inference.outside import auroc, ood_scores
from constructions.inference.steps import TIED, classes, one_step, pool_step, project, projection_step

__all__ = [
    "METHODS",
    "TIED",
    "AdditiveNet",
    "BayesFilter",
    "Cost",
    "Diagnosis",
    "GatedNet",
    "GradientFilter",
    "Trace",
    "auroc",
    "bernoulli",
    "categorical",
    "circumcentre_start",
    "classes",
    "cost",
    "counted",
    "curvature",
    "diagnose",
    "exact_offsets",
    "frozen",
    "gaussian",
    "gradient",
    "iterate",
    "likelihood_of_every_task",
    "linear",
    "log_linear",
    "max_entropy",
    "negative_entropy",
    "negative_pixel_entropy",
    "offsets",
    "one_step",
    "ood_scores",
    "poisson",
    "pool",
    "pool_step",
    "project",
    "projection_step",
    "squared_norm",
    "tokens",
]
