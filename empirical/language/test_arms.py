"""Plans: what is removed, what controls carry, and which signs are predicted."""

from __future__ import annotations

import pytest
import torch

from empirical.language.arms import TOLERANCE, Arm, plan
from empirical.language.planes import POSITIONAL, SYMBOLIC, PlaneRoles


def roles(layer: int) -> PlaneRoles:
    """Two heads of 12 planes, the first 4 positional, the 5th mixed, the others symbolic."""
    random = torch.Generator().manual_seed(layer)
    size = torch.rand(2, 12, generator=random, dtype=torch.float64)
    P, S = torch.ones(2, 12), torch.ones(2, 12)
    S[:, :5], P[:, 5:] = 2, 2
    return PlaneRoles(layer, torch.arange(12) < 4, P, S, size / size.sum(1, keepdim=True), size)


CHOSEN = {"previous-token": [(0, 1), (2, 0)], "induction": [(1, 1)]}


def test_all_planes_of_a_role_are_removed_and_controls_carry_as_much() -> None:
    arms = plan(CHOSEN, [roles(layer) for layer in range(3)], draws=4, seed=0)
    assert [(arm.kind, arm.role, len(arm.cuts)) for arm in arms] == [
        ("previous-token", POSITIONAL, 1),
        ("previous-token", POSITIONAL, 1),
        ("previous-token", POSITIONAL, 2),
        ("previous-token", SYMBOLIC, 1),
        ("previous-token", SYMBOLIC, 1),
        ("previous-token", SYMBOLIC, 2),
        ("induction", POSITIONAL, 1),
        ("induction", SYMBOLIC, 1),
    ]
    for arm in arms:
        assert len(arm.controls) == 4 and len(set(arm.controls)) == 4
        for number, cut in enumerate(arm.cuts):
            assert cut.planes == ((1, 2, 3, 4) if arm.role == POSITIONAL else tuple(range(6, 13)))
            for control in arm.controls:
                drawn = control[number]
                assert (drawn.layer, drawn.head) == (cut.layer, cut.head) and drawn.planes != cut.planes
                assert abs(drawn.size - cut.size) <= TOLERANCE * cut.size
                share = roles(cut.layer).size[cut.head, [plane - 1 for plane in drawn.planes]].sum()
                assert drawn.size == pytest.approx(float(share))


def test_plans_are_those_of_their_seed() -> None:
    layers = [roles(layer) for layer in range(3)]
    assert plan(CHOSEN, layers, 3, seed=1) == plan(CHOSEN, layers, 3, seed=1) != plan(CHOSEN, layers, 3, seed=2)


def test_a_plane_that_carries_nearly_all_is_in_every_control() -> None:
    one = roles(0)
    size = torch.full((2, 12), 1e-6, dtype=torch.float64)
    size[:, 0] = 1
    alone = PlaneRoles(0, one.fast & (torch.arange(12) == 0), one.P, one.S, size, size)
    arms = plan({"previous-token": [(0, 0)]}, [alone], draws=3, seed=0)
    assert arms[0].cuts[0].planes == (1,)
    assert all(1 in control[0].planes for control in arms[0].controls)


@pytest.mark.parametrize(
    ("kind", "role", "predicted"),
    [
        ("previous-token", POSITIONAL, {"s_pos": (-1, -1), "s_sym": (1, 1), "loss": (1, 1)}),
        ("previous-token", SYMBOLIC, {"s_pos": (0, 1), "s_sym": (0, -1), "loss": (0, -1)}),
        ("induction", POSITIONAL, {"s_pos": (0, -1), "s_sym": (0, 1), "loss": (0, -1)}),
        ("induction", SYMBOLIC, {"s_pos": (1, 1), "s_sym": (-1, -1), "loss": (1, 1)}),
    ],
)
def test_predictions(kind: str, role: str, predicted: dict[str, tuple[int, int]]) -> None:
    arm = plan({kind: [(0, 0)]}, [roles(0)], 1, 0)[0 if role == POSITIONAL else 1]
    assert arm.role == role
    assert {measure: arm.predicted(measure) for measure in arm.measures} == predicted
    assert Arm(kind, role, arm.cuts * 2, ()).measures == ("loss",)
