"""Letters and words that a model does not have are refused, whether the words are finite or not."""

from types import SimpleNamespace
from typing import Any

import pytest

from empirical.basin.pair import fit, parse
from theory.compact.certificate.reference import reference
from theory.errors import InputError

MODEL: Any = SimpleNamespace(name="model", weights=reference(), context=None)


@pytest.mark.parametrize("words", ["zeros:chi", "0 1 0:1 1 0"])
@pytest.mark.parametrize(
    ("letters", "said"), [((1, 1), "are one token"), ((0, 3), "token 3 is not one"), ((-1, 0), "token -1 is not one")]
)
def test_letters_that_cannot_be_exchanged_are_refused(words: str, letters: tuple[int, int], said: str) -> None:
    fit(parse(words), MODEL, (0, 2))
    with pytest.raises(InputError, match=said):
        fit(parse(words), MODEL, letters)
