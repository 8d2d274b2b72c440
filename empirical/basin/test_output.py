"""Numbers that are certified stay on their side when they become floats."""

from flint import arb, ctx

from empirical.basin.output import _below


def test_lower_bounds_are_rounded_down() -> None:
    with ctx.workprec(128):
        for value in (arb(1) / 3, arb(2) / 3, arb(1) / 7, -arb(1) / 3, arb("0.1 +/- 0.01")):
            found = _below(value)
            assert found is not None and arb(found) <= value.lower() <= arb(found) + abs(value) * arb(2) ** -50
        assert _below(arb("nan")) is None
