"""Encodings and components whose position data are not compact, and what is outside of the theorem."""

from __future__ import annotations

from fractions import Fraction

from theory.arithmetic import ball
from theory.arithmetic.ball import Real
from theory.compact.encodings.encoding import Encoding, Verdict
from theory.compact.evasions.factors import logarithmic, stepped, stretched, trained_logarithm
from theory.compact.lag_kernels.sliding_window import window_reach

RECENCY, LOG, OUTSIDE = Verdict.RECENCY, Verdict.LOG, Verdict.OUTSIDE
LEAST_SLOPE = Fraction(1, 256)

ROWS = (
    Encoding(
        "alibi",
        "ALiBi: a bias linear in the lag",
        "BLOOM, MPT, Baichuan-13B",
        "-m (i - j), unbounded",
        RECENCY,
        "recency: what lies further back than R of order (Delta + ln(1/eps))/m moves the output by less than eps",
        "arXiv 2108.12409",
        constants=(("q = e^-m at the least slope 2^-8", lambda: ball.exp(-LEAST_SLOPE)),),
    ),
    Encoding(
        "kerple-log",
        "KERPLE: a bias logarithmic in the lag",
        "KERPLE models",
        "-r1 ln(1 + r2 (i - j)), unbounded",
        RECENCY,
        "isolation for every r1 (lag-kernel-continuity); r1 < 1: one layer stays continuous in d_H, with modulus "
        "O(e^Delta x^(1 - r1)); r1 >= 1: not; r1 <= 1: not recency-continuous either",
        "arXiv 2205.09921",
    ),
    Encoding(
        "sliding-window",
        "a window of W tokens in all layers",
        "Mistral 7B v0.1",
        "a mask",
        RECENCY,
        "exact: the output depends on the last R = L (W - 1) + 1 tokens only (sliding-window-exact)",
        "arXiv 2310.06825",
        constants=(("R of 32 layers at W = 4096", lambda: Real.of(window_reach(32, 4096))),),
    ),
    Encoding(
        "chunked",
        "attention inside chunks",
        "Llama 4 in layers with RoPE (8192)",
        "a mask",
        RECENCY,
        "isolation (lag-kernel-continuity); a layer looks back by less than a chunk",
        "the released code of Llama 4",
    ),
    Encoding(
        "hybrid-windows",
        "windows or chunks in some layers, whole attention in others",
        "Gemma 2 and 3, gpt-oss, Llama 4 without tuning",
        "masks, and rotations or none",
        RECENCY,
        "isolation (lag-kernel-continuity), continuity in the one-sided density of changes",
        "derived here",
    ),
    Encoding(
        "forget-gates",
        "forgetting attention: sums of ln f_t(x), f_t in [f_min, f_max] within (0, 1)",
        "forgetting Transformers",
        "depend on tokens, and decay",
        RECENCY,
        "recency: mass at lag r and beyond is at most e^Delta f_max^r/(1 - f_max), as for ALiBi",
        "arXiv 2503.02130",
    ),
    Encoding(
        "log-length",
        "logits times ln of the length, or of the position of the query",
        "hand-built recognisers",
        "ln n, unbounded",
        LOG,
        "log-scaling-threshold; exponents of layers add up where the factor is of the total length",
        "arXiv 2202.12172",
        factor=logarithmic(),
    ),
    Encoding(
        "ssmax",
        "scalable softmax: logits times s ln(number of keys)",
        "SSMax models",
        "s ln i, unbounded",
        LOG,
        "log-scaling-threshold with c = s Delta; the factor is shown at s = 1",
        "arXiv 2501.19399",
        factor=logarithmic(),
    ),
    Encoding(
        "qwen-logn",
        "logits times ln(i)/ln(m) beyond the trained length m",
        "Qwen-7B (logn_attn)",
        "ln i/ln m, unbounded; its table stops at 32767",
        LOG,
        "log-scaling-threshold with c = Delta/ln m",
        "arXiv 2309.16609",
        factor=trained_logarithm(2048),
        constants=(
            ("ln m at m = 2048", lambda: ball.log(2048)),
            ("ln m at m = 8192", lambda: ball.log(8192)),
        ),
    ),
    Encoding(
        "llama4-tuning",
        "temperature tuning of layers without positions",
        "Llama 4, layers without RoPE",
        "1 + 0.1 ln(floor(i/8192) + 1), unbounded",
        LOG,
        "log-scaling-threshold with c = 0.1 Delta",
        "the released code of Llama 4",
        factor=stepped(),
        constants=tuple(
            (f"factor at i = {i}", lambda i=i: stepped().at(i))  # type: ignore[misc]
            for i in (131072, 1048576, 10485760)
        ),
    ),
    Encoding(
        "total-length-factor",
        "logits times 0.1 ln(n/L) + 1 of the total length",
        "dual-chunk inference of long contexts",
        "unbounded",
        LOG,
        "log-scaling-threshold: c = 0.1 Delta in each layer, and layers add up",
        "the released code",
        factor=stretched(32768),
    ),
    Encoding(
        "yarn-recomputed",
        "YaRN's factor recomputed at s = n/L, on queries and keys",
        "inference that recomputes it",
        "(0.1 ln(n/L) + 1)^2, unbounded",
        Verdict.EVADES,
        "logits grow faster than ln n, so that the exponent is infinite where Delta > 0",
        "derived here",
        factor=stretched(4096, power=2),
    ),
    Encoding(
        "sink-and-window",
        "a window beside tokens that are always visible",
        "StreamingLLM",
        "a mask; the sinks keep a weight",
        Verdict.EVADES,
        "evades for words that differ on a sink (non-compact-evasions, E9); isolation among words with equal sinks",
        "arXiv 2309.17453",
    ),
    Encoding(
        "top-k-experts",
        "routing to the best experts",
        "Mixtral, DeepSeek, Llama 4, gpt-oss",
        "layers are not continuous at ties",
        OUTSIDE,
        "the continuity theorem does not apply; such layers can evade (non-compact-evasions, E7)",
        "derived here",
    ),
    Encoding(
        "top-k-keys",
        "attention to the best keys, chosen by an indexer",
        "DeepSeek V3.2",
        "the choice is not continuous",
        OUTSIDE,
        "the continuity theorem does not apply; such attention can evade (non-compact-evasions, E8)",
        "derived here",
    ),
    Encoding(
        "cope",
        "CoPE: positions count gates",
        "CoPE models",
        "depend on tokens",
        OUTSIDE,
        "one changed token can move a constant share of logits (token-positions-discontinuous)",
        "arXiv 2405.18719",
    ),
)
