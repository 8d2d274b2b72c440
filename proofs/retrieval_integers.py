"""Queries with an integer: where the Retrieval head fails, and three repairs of it: proofs.retrieval_margin."""

from __future__ import annotations

from fractions import Fraction

from proofs import retrieval_repair_cases as cases
from proofs.companion import Companion, Table
from theory.arithmetic.angle import Angle
from theory.arithmetic.ball import Real
from theory.evidence import Enumeration, Identity
from theory.rope.index.window import angle_of
from theory.rope.retrieval.collision import collision_count, retrieval_letter_integer_collision
from theory.rope.retrieval.collision_order import collision_constant, retrieval_collision_order
from theory.rope.retrieval.collision_scale import retrieval_collision_threshold, same_letter_gaps
from theory.rope.retrieval.discrepancy import retrieval_discrepancy_worst_case
from theory.rope.retrieval.nope import retrieval_nope_gap, retrieval_nope_printed
from theory.rope.retrieval.repaired_gaps import retrieval_repaired
from theory.rope.retrieval.repaired_logits import INTEGERS, SECOND
from theory.rope.retrieval.repaired_scale import retrieval_repaired_threshold
from theory.rope.retrieval.repairs import REPAIRS, r2_integer, r3_integer, r3_letter
from theory.rope.retrieval.residual import retrieval_repaired_residual
from theory.rope.retrieval.softmax import retrieval_softmax_threshold, worst_inputs
from theory.rope.scale import scale_threshold
from theory.symbols import omega

LETTERS, NUMBERS, LENGTH, SHARE = 8, 8, 17, Fraction(99, 100)


def integers(proof: Companion) -> None:
    """Tokens that share the left letter of the query, with and without rotation."""
    proof.section("7. Queries with an integer")
    proof.say(
        """A query with an integer asks for itself, and the head looks for its left letter. But other tokens may have
        this left letter too: an input is proper as long as nobody asks for the letter. The output of the head is the
        mean of the tokens, weighted by the attention that they receive. The margin of an answer is its own share minus
        the largest share of another token; it is read off correctly if the margin is positive."""
    )
    count = {name: result.value for name, result in collision_count(2, 2, 4).items()}
    proof.step(
        """At θ = 0 all keys with the left letter of the query have the logit 1, and so share the attention equally,
        whatever the inverse temperature:""",
        Table(("input", "answer", "its share", "margin"), cases.collisions()),
        f"""So a query with an integer is answered correctly by hard attention exactly if its token occurs more often
        than any other token with its left letter. Under softmax, tokens with another letter, κ steps away, count too,
        each of them exp(-β(1-cos(κω))) times. Of the {count["proper"]:,} proper inputs of up to 4 tokens with two
        letters and two integers, {count["wrong"]} are not answered correctly.""",
        Enumeration("these margins", cases.collision_margins()),
        retrieval_nope_printed,
        retrieval_letter_integer_collision,
    )
    proof.step(
        f"""A positive angle makes the query's own key the only one with the logit 1. But a token with the same left
        letter t places before it is only 1 - cos(tθ) = 2 sin(tθ/2)² ≤ t²θ²/2 below. (Lemma 2: sin(u)² ≤ u², because
        u - sin(u) and u + sin(u) are 0 for u = 0 and nowhere fall.) Now take the input a1 ... a1 a2 of length n. The
        tokens a1 together receive at least the sum of exp(-xt²) over t = 1, ..., n - 1 times the attention of a2, where
        x = βθ²/2. The answer is read off only if that sum is less than 1, that is, if x exceeds the number x_n at which
        it is 1. These numbers grow with n, from x_3 ≈ {float(collision_constant(3)):.4f} on. The printed theorem
        assumes θ < ω/(2n) = π/(An). So it takes an inverse temperature β > 2(An/π)²x_n, of the same order n² as for a
        head that attends by position.""",
        Identity("gap of the same letter, through the maps", cases.same_letter()),
        retrieval_collision_order,
    )


def repairs(proof: Companion) -> None:
    """R1, R2 and R3, their gaps, and the temperatures that they need."""
    proof.section("8. Three repairs")
    proof.say(
        """Theorem 3 [retrieval-repaired]. Each of the following three heads, at θ = 0 in all planes, answers every
        query of every proper input, and no length shrinks its gaps. For queries with a right letter R1 and R2 have the
        gap 1 - cos(ω) of Theorem 2."""
    )
    proof.step(
        """R1 adds to the output r ≥ 1 times the query, if the query has an integer. Let w be the share of its token in
        the attention. No key has a larger logit than the query's own, so w ≥ 1/n. The answer has the coordinate r + w,
        and no other one exceeds 1 - w. So the margin is at least r - 1 + 2/n, at every inverse temperature, even at
        β = 0. Queries with a right letter are treated as before.""",
        retrieval_repaired_residual,
    )
    proof.step(
        """R2 has a second plane. There the integer i of a key or query stands at the angle iω_I with ω_I = 2π/I, and a
        token with a right letter has nothing. Of a query with an integer, the logit of its own token is 2. Below it are
        the tokens of the same letter with a right letter, those of the next letter with the same integer, and those of
        the same letter with the next integer, in this order by""",
        *r2_integer(omega, SECOND, INTEGERS),
        """Every other token lies below one of these or level with it, since further letters and integers have smaller
        cosines. So the gap is the least of the three, the third being left out if there is only one integer.""",
        Identity("three differences of logits", cases.second_plane()),
    )
    proof.step(
        """R3 stays with one plane and divides the sector of each letter into I + 1 slots, the first for tokens with a
        right letter and one for each integer. So all slots stand ω/(I+1) apart. A query with an integer points at the
        slot of its own token, which no other token shares, and the next slot is lower by""",
        r3_integer(omega, SECOND, INTEGERS)[0],
        """A query with a right letter points at the middle of the wanted sector. Its worst match is in the last slot,
        I/2 slots from the middle, and its best rival in the first slot beyond, I/2 + 1 slots from it. The difference of
        the two cosines is""",
        r3_letter(omega, SECOND, INTEGERS)[0],
        Identity("two differences of logits", cases.slots()),
    )
    proof.step("So Theorem 3 is proved.", retrieval_repaired)
    proof.step(
        """From gaps to temperatures. If the logits of all other tokens are at least δ below that of the answer, then
        n - 1 of them have at most (n-1)exp(-βδ) times the weight of one copy of the answer. So β > ln(n-1)/δ is enough.
        For the repaired heads it is also necessary, where the answer has to be found by attention alone, because one
        token may stand in all other places.""",
        retrieval_repaired_threshold,
    )
    proof.step(
        f"""A comparison. With {LETTERS} letters, {NUMBERS} integers and n = {LENGTH}, softmax answers all queries of a
        kind at every inverse temperature above the following ones, and at none below. For the printed head they come
        from the worst inputs, which are known too.""",
        Table(("head", "right letter", "integer"), _temperatures()),
        retrieval_softmax_threshold,
        retrieval_collision_threshold,
    )


def _temperatures() -> list[tuple[str, ...]]:
    """The inverse temperatures that suffice, by head and kind of query."""
    rest, turned = angle_of(Fraction(0)), angle_of(SHARE / LETTERS / (2 * LENGTH))
    rows: list[tuple[str, ...]] = [
        ("as printed, θ = 0", _letter_threshold(rest), "none"),
        (
            f"as printed, θ = {float(SHARE)}ω/(2n)",
            _letter_threshold(turned),
            _threshold(same_letter_gaps(LENGTH, turned)),
        ),
    ]
    for name, repair in REPAIRS.items():
        gaps = [repair.gap(LETTERS, NUMBERS, integer_query) for integer_query in (False, True)]
        rows.append((name, *("any" if gap is None else _threshold([gap] * (LENGTH - 1)) for gap in gaps)))
    return rows


def _letter_threshold(angle: Angle) -> str:
    return max((_threshold(gaps) for gaps in worst_inputs(LETTERS, LENGTH, angle)), key=float)


def _threshold(gaps: list[Real]) -> str:
    return f"{float(scale_threshold(gaps)):.2f}"


def limits(proof: Companion) -> None:
    """What is not shown."""
    proof.section("9. What this does not show")
    proof.not_shown(
        retrieval_discrepancy_worst_case,
        retrieval_nope_gap,
        retrieval_letter_integer_collision,
        retrieval_collision_order,
        retrieval_repaired,
        retrieval_repaired_threshold,
    )
