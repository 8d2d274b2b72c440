"""All duels; the claims that have none, and the controls that no duel can expose, each with the reason."""

from tests.adversary.duels.angles import ANGLES
from tests.adversary.duels.certificate import CERTIFICATES
from tests.adversary.duels.compact_heads import COMPACT_HEADS
from tests.adversary.duels.compact_networks import COMPACT_NETWORKS
from tests.adversary.duels.curvature import CURVATURE
from tests.adversary.duels.entropic import ENTROPIC
from tests.adversary.duels.exponentiated import EXPONENTIATED
from tests.adversary.duels.gaussian_tasks import GAUSSIAN_TASKS
from tests.adversary.duels.index import INDEX
from tests.adversary.duels.lag_kernels import LAG_KERNELS
from tests.adversary.duels.layers import LAYERS
from tests.adversary.duels.learning import LEARNING
from tests.adversary.duels.linear_pools import LINEAR_POOLS
from tests.adversary.duels.neighbours import NEIGHBOURS
from tests.adversary.duels.phases import PHASES
from tests.adversary.duels.positional import POSITIONAL
from tests.adversary.duels.recency import RECENCY
from tests.adversary.duels.retrieval import RETRIEVAL
from tests.adversary.duels.retrieval_scale import SCALES
from tests.adversary.duels.rounding import ROUNDING
from tests.adversary.duels.scores import SCORES
from tests.adversary.duels.several_planes import PLANES
from tests.adversary.duels.softmax import SOFTMAX
from tests.adversary.duels.weights import WEIGHTS

DUELS = [
    *INDEX,
    *PHASES,
    *PLANES,
    *WEIGHTS,
    *RETRIEVAL,
    *SCALES,
    *SCORES,
    *SOFTMAX,
    *LAYERS,
    *ANGLES,
    *ROUNDING,
    *NEIGHBOURS,
    *POSITIONAL,
    *RECENCY,
    *COMPACT_HEADS,
    *COMPACT_NETWORKS,
    *CERTIFICATES,
    *LAG_KERNELS,
    *LEARNING,
    *GAUSSIAN_TASKS,
    *LINEAR_POOLS,
    *CURVATURE,
    *ENTROPIC,
    *EXPONENTIATED,
]

_IDENTITY = "an identity: two sides that are one number leave nothing to exceed"
_EQUIVALENCE = "an equivalence decided by equality of exact numbers, not by how large one is"
_DISCRETE = "its inputs are sequences of tokens, which the claim enumerates; no real parameter is free"

_PICKED = "which task is picked, decided exactly: no bound"

WITHOUT = {
    "gbi-cost-model": "widths are integers, which the claim enumerates; counts are equalities",
    "gbi-cost-model-informal": "widths are integers, which the claim enumerates; counts are equalities",
    "gbi-eg-max-entropy-bias": f"limits of steps: {_EQUIVALENCE}",
    "gbi-saturation-time": _IDENTITY,
    "gbi-l2-is-sparsemax": "conditions of a maximum and Taylor's formula, as equalities",
    "gbi-l2-is-sparsemax-informal": f"refuted at one gradient: {_IDENTITY}",
    "gbi-multiplicative-gating-linear": _IDENTITY,
    "gbi-two-task-bayes-filter": _IDENTITY,
    "gbi-learning-rate-identity": _EQUIVALENCE,
    "gbi-log-ratio-not-likelihood-informal": f"refuted at one datum: {_IDENTITY}",
    "gbi-pair-error-closed-form": f"probabilities in closed form: {_IDENTITY}",
    "gbi-large-sample-consistency": f"limits over the number of data: {_EQUIVALENCE}",
    "gbi-high-dimension-rescue": "a law, which is an equality; the claim tries its bounds on a grid of d, K and s",
    "gbi-gauss-newton-one-step": _IDENTITY,
    "gbi-hard-gate-zero-forgetting": _IDENTITY,
    "gbi-ood-auroc-two-task": f"a probability in closed form: {_IDENTITY}",
    "gbi-linear-pool-gradient-is-likelihood": _IDENTITY,
    "gbi-natural-gradient-unit-step": _IDENTITY,
    "gbi-softmax-calibration-error-informal": "refuted by one datum; gbi-softmax-calibration-error has the bound",
    "gbi-several-observations-sum-of-posteriors": f"{_IDENTITY}; and {_PICKED}",
    "gbi-ood-linear-pool-no-gain": _IDENTITY,
    "gbi-plug-in-versus-expectation": "of Gaussians an identity, of linear pools Jensen's inequality and no more",
    "gbi-log-linear-master-identity": _IDENTITY,
    "gbi-exactness-iff-equal-offsets": _EQUIVALENCE,
    "gbi-exactness-iff-equal-offsets-informal": f"refuted by one datum; {_PICKED}",
    "gbi-bias-corrected-equals-lli": _IDENTITY,
    "gbi-gaussian-corollary": _IDENTITY,
    "gbi-softmax-lm-corollary": _IDENTITY,
    "gbi-circumcentre-start": _EQUIVALENCE,
    "copy-task-perplexity-printed": "refuted by every constant model: its right side is negative, and bounds nothing",
    "copy-task-length-printed": "refuted by every constant model at N = 1: nothing to search for",
    "copy-task-certain-printed": _IDENTITY,
    "copy-task-gradient-printed": "refuted at the flipped letter, where the distance is sqrt(2) (1 - g): an identity",
    "iso-perplexity": _EQUIVALENCE,
    "finite-precision-collapse": "lengths and precisions are integers, which the claim enumerates",
    "doubt-or-dilemma": _DISCRETE,
    "learned-set-countable": _DISCRETE,
    "any-single-word": _IDENTITY,
    "joint-learnability": f"{_DISCRETE}; leads in logit are equalities of fractions",
    "non-compact-evasions": f"two words, at every length: {_DISCRETE}",
    "layer-norm-loses-zeros": _EQUIVALENCE,
    "argmax-without-margin": f"two words, at every length: {_DISCRETE}",
    "token-positions-discontinuous": _IDENTITY,
    "log-scaling-threshold": "limits over the length; single weights are the duel of softmax-dispersion-bounded-logits",
    "finite-n-obstruction": f"{_EQUIVALENCE}; single weights are the duel of softmax-dispersion-bounded-logits",
    "alibi-discontinuity": _IDENTITY,
    "sliding-window-exact": "which letters are read at all, decided for every letter",
    "isolation": f"{_DISCRETE}; what an output may lose is the duel of basin",
    "isolation-printed": f"refuted by two words: {_DISCRETE}",
    "tail-invariance": f"{_DISCRETE}; what an output may lose is the duel of basin",
    "liminf-not-a-pseudometric": "block ends and short words are integers, which the claim enumerates",
    "sparse-words": f"{_DISCRETE}; what an output may lose is the duel of basin",
    "score-only-obstruction": "on the words of the claim all outputs are near one number: an identity for all weights",
    "recency-isolation": f"{_DISCRETE}; what an output may lose is the duel of basin",
    "positional-retrieves-with-residual": _DISCRETE,
    "positional-retrieves-with-values": _DISCRETE,
    "symbolic-cannot-index": "two inputs on which every such head has one output: an identity for all VAL and F",
    "index-discrepancy-neighbour": "1 - cos theta is one of the gaps, of which the discrepancy is the least",
    "index-feasibility": "hard attention: margins are exact numbers that the claim states as equalities",
    "index-logit": _IDENTITY,
    "index-positivity-condition": _EQUIVALENCE,
    "barbero-basics": "an equality of two minima, term by term an identity; m-frequency-two-sided-gap has the bound",
    "barbero-no-decay": _IDENTITY,
    "men-bm-identity": _IDENTITY,
    "men-longest-length": "the first integer with a property, found by a scan; men-base-set-not-interval has the bound",
    "men-worst-gap-link": _IDENTITY,
    "float-position-collapse": "positions and precisions are integers, which the claim enumerates",
    "retrieval-letter-integer-collision": f"{_DISCRETE}, or beta in both sides of an equivalence, as one function",
    "retrieval-logit": _IDENTITY,
    "retrieval-nope-printed": f"refuted by one input: {_DISCRETE}",
    "retrieval-nope-gap": _DISCRETE,
    "retrieval-repaired": _DISCRETE,
    "retrieval-repaired-logits": _IDENTITY,
    "retrieval-repaired-threshold": "one real parameter, and both sides are one function of it for the worst tokens",
    "rope-relative-logit": _IDENTITY,
    "rope-layouts": _IDENTITY,
    "acting-by-swaps": _IDENTITY,
    "rope-realises-any-logits": "the rank of a matrix, decided exactly",
    "score-blind-spot": _EQUIVALENCE,
    "score-swaps-printed": f"refuted, but no bound: {_EQUIVALENCE}",
    "score-logit-closed-form": _IDENTITY,
    "score-hand-built-heads": _IDENTITY,
    "retrieval-symbolic-printed": f"refuted, but no bound: {_EQUIVALENCE}; retrieval-symbolic-defect has one",
    "one-plane-symbolic-iff-nope": _EQUIVALENCE,
    "nope-symbolic-equal-keys-positional": _IDENTITY,
    "hard-to-soft-printed-gap": "refuted at every head by inputs of length 1, whose gap is 0: nothing to search for",
    "letter-decoder-path-condition": f"{_DISCRETE}; what may be lost is the duel of letter-decoder-excess",
    "letter-decoder-proper": f"{_DISCRETE}; what may be lost is the duel of attention-loss",
    "letter-path-condition": _DISCRETE,
    "retrieval-proper-not-closed": f"refuted by one input: {_DISCRETE}",
    "letter-composition": _DISCRETE,
    "number-decoder-margins": f"{_DISCRETE}; what may be lost is the duel of index-circle-bound",
    "number-task-index-slips": f"refuted by one input: {_DISCRETE}",
    "number-task-last-hop": _DISCRETE,
    "number-composition": _DISCRETE,
    "dyadic-frequencies": "an equality at given frequencies and amplitudes; m-frequency-box-limit has the bound",
    "log-frequencies-suffice": "an existence: the search that it calls for is its own evidence",
    "continuity-qualitative": "an existence, with a share far below the best; continuity-explicit has the bound",
    "rope-gap-certified-scan": "that an algorithm finds a minimum; m-frequency-box-limit has the bound, and the claim "
    "itself searches for the largest rounding error",
}

_LOOSER = "weaker than the claim, so that nothing beats it: the claim refutes it where the bound is not attained"
_OTHER = "about another part of the statement, which is no inequality"

UNREACHED = {
    ("gbi-entropy-objective-concavity", "1 is the best constant"): _LOOSER,
    ("gbi-entropy-objective-contraction", "q < 1 is needed"): _OTHER,
    ("gbi-entropy-objective-contraction", "no 1/(1 - q)"): "false of reflected models; those of the duel are concave",
    ("gbi-curvature-argmax", "a lead of rho/2"): "which task is picked: the claim decides it at one datum",
    ("gbi-hull-failure", "not even a tie"): "false where all gradients are 0, at one datum",
    ("gbi-hull-failure", "likelihoods of any family pick c"): _DISCRETE,
    ("gbi-variance-only-blindness", "g vanishes too"): _OTHER,
    ("gbi-variance-only-blindness", "likelihoods are equal too"): _OTHER,
    ("gbi-variance-only-blindness", "likelihoods differ by one number"): _OTHER,
    ("gbi-recomposition-distance-to-hull", "sigma^2 (1 + 1/n) everywhere"): _OTHER,
    ("gbi-softmax-calibration-error", "TV = 0"): "an equality: no bound to exceed",
    ("gbi-softmax-calibration-error", "softmax(g/K) = r"): "an equality: no bound to exceed",
    ("copy-task-perplexity", "half the length"): "about thresholds, where the bound of the claim is evaluated",
    ("copy-task-perplexity", "half of zeta"): "about logits: the duel of copy-task-sampling",
    ("copy-task-perplexity", "twice epsilon'"): "about thresholds, where the bound of the claim is evaluated",
    ("copy-task-perplexity", "pplx(beta_N) tends to 0"): _OTHER,
    ("copy-task-perplexity", "T copies the flipped bit"): _OTHER,
    ("copy-task-gradient", "one bad term"): "about prefixes, which the claim counts",
    ("margin-separation", "1/lcm for 2/lcm"): _DISCRETE,
    ("margin-separation", "one word per_m for each margin"): _DISCRETE,
    ("margin-separation", "floor(1/(2 delta*))"): _DISCRETE,
    ("lag-kernel-continuity", "M_E <= M_D/(2t)"): "about sets of positions, which the claim enumerates",
    ("basin", "d_H for a decoder that is continuous in M_D"): _DISCRETE,
    ("basin", "as many letters as at n = 63"): "about one detector, at the lengths that the claim tries",
    ("partial-induction-needs-both", "needs two layers"): "a head whose weights see contents; those of the duel do not",
    ("partial-induction-needs-both", "two matches are enough"): _OTHER,
    ("partial-induction-needs-both", "positional heads are blind"): _OTHER,
    ("index-u-shape", "n theta <= 2 pi"): "differs from the claim at single angles only, where steps are equal",
    ("index-u-shape", "f(j + 1)"): _OTHER,
    ("delta-min-continued-fraction", "T = n"): _LOOSER,
    ("delta-min-continued-fraction", "theta rounded to double precision"): "the angles of the duel are doubles",
    ("men-base-set-not-interval", "the middle base of three"): "three integers, tried by the claim",
    ("semantic-flip-sharp-length", "two windows"): _LOOSER,
    ("float-gap-saturation", "a quarter of the spacing"): _LOOSER,
    ("float-gap-saturation", "one length more"): _LOOSER,
    ("retrieval-discrepancy-worst-case", "2n - 2"): _LOOSER,
    ("retrieval-discrepancy-worst-case", "the letter above is the worst"): _LOOSER,
    ("retrieval-discrepancy-worst-case", "length limit rounded down"): _OTHER,
    ("retrieval-discrepancy-worst-case", "length limit omega/theta, where the printed bound vanishes"): _OTHER,
    ("score-sum-bounds", "1 + sech g"): _OTHER,
    ("hard-to-soft-quantitative", "one delta and one D for all coordinates is sharp"): _LOOSER,
    ("m-frequency-two-sided-gap", "attained at all n"): _OTHER,
    ("temperature-best-frequency", "the lattice 2 pi/n"): "about one angle a length: no real parameter is free",
    ("temperature-best-frequency", "c stays at 3"): "about one angle a length: no real parameter is free",
    ("temperature-best-frequency", "u = pi/10 is enough"): "about one angle a length: no real parameter is free",
    ("poisson-tail-averaging", "logarithm to base 2"): _LOOSER,
    ("logs-necessary", "gap <= 4 d"): "of causal networks, whose ratio grows with the length alone: nothing to climb",
    ("logs-necessary", "d = 1/1000 serves all depths"): _OTHER,
    ("temperature-separation", "R1 above ln(n - 1)/2"): _DISCRETE,
}
