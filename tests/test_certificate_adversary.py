"""A share of the adversary of certificates; `python -m tests.certificate_adversary` is the whole of it."""

import numpy as np

from tests.certificate_adversary import Tally, attack, averaging, trained
from theory.compact.certificate.certificate import Certificate


def test_no_certificate_is_beaten() -> None:
    found = attack(1_500, seed=1)
    assert found.total >= 1_500 and not found.violations
    assert 0.05 < max(found.ratios.values()) <= 1


def test_a_violation_is_noticed_and_an_empty_bound_counts_for_nothing() -> None:
    tally = Tally()
    tally.add(("random", 1), np.array([0.2, 0.2, 0.9]), np.array([0.3, 0.1, 1.0]), "a case")
    assert tally.total == 2 and tally.violations == ["a case"] and tally.ratios[("random", 1)] == 2


def test_trained_and_hand_built_decoders_have_bounds_that_say_something() -> None:
    for weights in (trained(0, 2), averaging(3)):
        assert float(Certificate.of(weights).at_places(100, [1])) < 1
