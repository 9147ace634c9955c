"""Every kind of measure, once: its parameters, its stage, its bounds, its formula and its words."""

from collections.abc import Callable
from dataclasses import dataclass

from scoring.engine import formulas
from scoring.engine.arrays import Floats
from scoring.engine.formulas import Terms

CANDIDATES = "candidates"
FINAL = "final"
CONTEXT = "context"
STAGES = (CANDIDATES, FINAL, CONTEXT)

GAINS = ("exp", "lin")
GAIN_WORDS = {"exp": "2^grade - 1", "lin": "the grade itself"}


@dataclass(frozen=True)
class Kind:
    """One kind of measure.

    `cutoff` is "required", "optional" or "none"; `parameters` are the names it takes in brackets; `stage` is the
    list that it reads in a run that records several; `words` is its definition with {places} for cutoff, threshold
    and the rest. `compute` is None for the one kind that reads texts instead of ranks.
    """

    name: str
    cutoff: str
    parameters: frozenset[str]
    stage: str
    compute: Callable[[Terms], Floats] | None
    words: str
    low: float = 0.0
    high: float = 1.0
    condensable: bool = True


def _kind(name: str, cutoff: str, parameters: str, stage: str, compute: Callable[[Terms], Floats], words: str) -> Kind:
    return Kind(name, cutoff, frozenset(parameters.split()), stage, compute, words)


_KINDS = (
    _kind(
        "P", "required", "rel", FINAL, formulas.precision, "relevant {units} in the top {cutoff}, divided by {cutoff}"
    ),
    _kind(
        "Pret",
        "required",
        "rel",
        FINAL,
        formulas.precision_of_returned,
        "relevant {units} in the top {cutoff}, divided by the number of results examined (at most {cutoff}); 0 for an empty list",
    ),
    _kind(
        "R",
        "required",
        "rel",
        CANDIDATES,
        formulas.recall,
        "distinct relevant {units} in the top {cutoff}, divided by all relevant {units} labelled for the query; "
        "recall against the labelled pool",
    ),
    _kind(
        "RR",
        "optional",
        "rel",
        FINAL,
        formulas.reciprocal_rank,
        "1 divided by the rank of the first relevant {unit} {within}; 0 if there is none",
    ),
    _kind("Hit", "required", "rel", FINAL, formulas.hit, "1 if any of the top {cutoff} {units} is relevant, else 0"),
    _kind(
        "nDCG",
        "optional",
        "gain",
        FINAL,
        formulas.ndcg,
        "sum of gain / log2(rank + 1) {within}, divided by the same sum over all labelled {units} of the query in their best order; "
        "the gain is {gain_words}",
    ),
    _kind(
        "AP",
        "optional",
        "rel",
        CANDIDATES,
        formulas.average_precision,
        "precision at the rank of each relevant {unit} {within}, summed and divided by all relevant {units} labelled for the query",
    ),
    _kind(
        "bpref",
        "none",
        "rel",
        CANDIDATES,
        formulas.bpref,
        "over judged {units} only: the mean over the R relevant of 1 - min(judged irrelevant above it, R) / min(R, judged irrelevant); "
        "a relevant {unit} that was not retrieved adds 0",
    ),
    _kind(
        "RBP",
        "optional",
        "p rel",
        FINAL,
        formulas.rank_biased_precision,
        "(1 - {p}) times the sum of g * {p}^(rank - 1) {within}, where g is {rbp_gain}; a lower bound, see its residual",
    ),
    _kind(
        "RBPres",
        "optional",
        "p rel",
        FINAL,
        formulas.rank_biased_residual,
        "how much RBP(p={p}) could rise if every unjudged {unit} {within}, and everything below the list, were of the highest grade",
    ),
    _kind(
        "Judged",
        "required",
        "",
        FINAL,
        formulas.judged,
        "labelled {units} in the top {cutoff}, divided by the number of results examined (at most {cutoff}); 0 for an empty list",
    ),
    Kind(
        name="FirstRel",
        cutoff="optional",
        parameters=frozenset({"rel"}),
        stage=FINAL,
        compute=formulas.first_relevant_rank,
        words="rank of the first relevant {unit} {within}; empty if there is none",
        low=1.0,
        high=float("inf"),
    ),
    Kind(
        name="CtxCover",
        cutoff="none",
        parameters=frozenset(),
        stage=CONTEXT,
        compute=None,
        words="gold evidence spans whose text stands in one of the passages that reached the model, divided by the query's gold "
        "evidence spans (white space and letter case do not count)",
        condensable=False,
    ),
)

KINDS: dict[str, Kind] = {kind.name: kind for kind in _KINDS}

# Names that people know from other tools, for the error that says what to type here.
OTHER_NAMES = {
    "precision": "P",
    "recall": "R",
    "mrr": "RR",
    "recip_rank": "RR",
    "map": "AP",
    "success": "Hit",
    "hitrate": "Hit",
    "rr": "RR",
    "ndcg_cut": "nDCG",
    "numret": "Judged",
}
