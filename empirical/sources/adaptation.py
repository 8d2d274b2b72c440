"""One z fitted to a text of no source, weights frozen, and what the fit is worth on windows that it has not seen."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from constructions.inference import iterate, tokens
from constructions.inference.gradients import LogLikelihood
from empirical.sources.evidence import drawn, evidence, losses
from empirical.sources.inference import Found
from empirical.sources.networks import SourceModel
from empirical.sources.plan import WINDOW, Plan, Sizes
from empirical.sources.texts import Text

FIT, CHECK, DIRECTIONS = 3, 4, 5  # numbers of seeds
RATE = 0.1  # of Adam on the logits of z, or on what moves an input
SPREAD = 0.3  # of the fixed directions in which an input is moved


def adapted(model: SourceModel, plan: Plan, texts: Sequence[Text], foreign: Text, sizes: Sizes) -> Found:
    """What z becomes on each held-out text, and the loss before and after.

    Args:
        texts: the held-out ones.
        foreign: a source.

    Where the labels of the training were true, also the loss with every single e_k, and with the z that is fitted to
    the first part of the foreign text.
    """
    told = plan.labels == "true"
    other = path(model, fitted_on(foreign, plan, sizes), sizes)[-1] if told else None
    found: Found = {}
    for text in texts:
        way = path(model, fitted_on(text, plan, sizes), sizes)
        check = checked_on(text, plan, sizes)
        here = _course([losses(model, check, way[step]) for step in noted(sizes)], sizes)
        if other is not None:
            here["single"] = [float(losses(model, check, vertex).mean()) for vertex in torch.eye(model.K)]
            here["foreign"] = float(losses(model, check, other).mean())
        found[text.name] = here | {"z": way[-1].tolist()}
    return {"adapted": found, "foreign": None if other is None else {"name": foreign.name, "z": other.tolist()}}


def moved(model: SourceModel, plan: Plan, texts: Sequence[Text], sizes: Sizes) -> Found:
    """The control of a model that takes no z: a vector that is added to all embeddings is fitted instead.

    "free" moves in all directions, "projected" in K fixed ones, drawn at random.
    """
    width = model.embedding.embedding_dim
    random = torch.Generator().manual_seed(1000 * plan.seed + DIRECTIONS)
    ways = {"free": torch.eye(width), "projected": SPREAD * torch.randn(plan.tasks, width, generator=random)}
    found: Found = {}
    for text in texts:
        windows, check = fitted_on(text, plan, sizes), checked_on(text, plan, sizes)
        found[text.name] = {}
        for name, directions in ways.items():
            shifts = _shifts(model, windows, directions, sizes)
            found[text.name][name] = _course([_shifted_losses(model, check, shift) for shift in shifts], sizes)
    return {"moved": found}


def noted(sizes: Sizes) -> list[int]:
    """The steps of an adaptation after which the loss is measured."""
    return sorted({round(sizes.adaptation * part) for part in (0, 0.5, 1)})


def fitted_on(text: Text, plan: Plan, sizes: Sizes) -> Tensor:
    """Windows of the first part of a text."""
    return drawn(text.train, sizes.adapting, WINDOW, (plan.seed, FIT))


def checked_on(text: Text, plan: Plan, sizes: Sizes) -> Tensor:
    """Windows of the second part."""
    return drawn(text.test, sizes.judged, WINDOW, (plan.seed, CHECK))


def shared(ell: LogLikelihood, count: int) -> LogLikelihood:
    """The log-likelihood of all windows together as a function of one z, (1, K) -> (1,)."""
    return lambda z: ell(z.expand(count, -1)).sum(0, keepdim=True)


def path(model: SourceModel, windows: Tensor, sizes: Sizes) -> Tensor:
    """The shared z before the first and after every step, (steps + 1, K)."""
    ell = shared(evidence(model, windows), len(windows))
    return iterate(ell, 1, model.K, method="adam", steps=sizes.adaptation, rate=RATE).path[:, 0]


def _course(losses: list[Tensor], sizes: Sizes) -> Found:
    """Losses at the noted steps, and the last minus the first on the same windows, with its standard error."""
    change = losses[-1] - losses[0]
    return {
        "noted": noted(sizes),
        "loss": [float(each.mean()) for each in losses],
        "change": float(change.mean()),
        "error": float(change.std()) / len(change) ** 0.5,
    }


def _shifts(model: SourceModel, windows: Tensor, directions: Tensor, sizes: Sizes) -> list[Tensor]:
    """What is added to every embedding at the noted steps, (width,) each."""
    at = torch.zeros(len(directions), requires_grad=True)
    optimizer = torch.optim.Adam([at], lr=RATE)
    found = [torch.zeros(directions.shape[1])]
    for step in range(1, sizes.adaptation + 1):
        optimizer.zero_grad()
        (-_shifted(model, windows, at @ directions)).sum().backward()
        optimizer.step()
        if step in noted(sizes):
            found.append((at @ directions).detach())
    return found


def _shifted(model: SourceModel, windows: Tensor, shift: Tensor) -> Tensor:
    """The log-probability of every window, (B,)."""
    return tokens(lambda letters: model(letters, None, shift), windows[:, 1:])(windows[:, :-1])


@torch.no_grad()
def _shifted_losses(model: SourceModel, windows: Tensor, shift: Tensor) -> Tensor:
    return -_shifted(model, windows, shift) / (windows.shape[1] - 1)
