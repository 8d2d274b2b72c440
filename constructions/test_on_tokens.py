"""What is said where a dtype cannot carry a length: the longest that it can carry."""

import re

import pytest
import sympy
import torch

from constructions.on_tokens import temperature
from theory.arithmetic.angle import Angle
from theory.errors import InputError
from theory.rope.softmax.attention_loss import Guarantee
from theory.rope.softmax.guarantees import index_guarantee


@pytest.mark.parametrize("guarantee", [index_guarantee(), index_guarantee(Angle(sympy.Integer(1)))])
def test_the_length_that_is_offered_is_the_longest(guarantee: Guarantee) -> None:
    with pytest.raises(InputError, match="give length <= ") as refused:
        temperature(guarantee, 10**4, torch.float16)
    found = re.search(r"give length <= (\d+)", str(refused.value))
    assert found is not None
    assert temperature(guarantee, int(found[1]), torch.float16) >= 1
    with pytest.raises(InputError):
        temperature(guarantee, int(found[1]) + 1, torch.float16)
