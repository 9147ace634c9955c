"""Which measures a page shows, under short names that stand in urls and templates."""

from __future__ import annotations

from scoring.engine.measures import Measure

PERSISTENCE = 0.8
LEAD = ("recall", "ndcg", "precision")
COMPARED = (*LEAD, "rr", "hit")


def shown_measures(*, n: int, k: int, max_grade: int) -> dict[str, Measure]:
    """Recall at the candidate depth `n` beside the measures of the top `k`, then what tells how far they can be trusted."""
    measures = {
        "recall": Measure("R", n),
        "ndcg": Measure("nDCG", k),
        "precision": Measure("P", k),
        "rr": Measure("RR"),
        "hit": Measure("Hit", k),
        "judged": Measure("Judged", k),
        "first_relevant": Measure("FirstRel"),
        "returned_precision": Measure("Pret", k),
        "condensed": Measure("nDCG", k, condensed=True),
        "rbp": Measure("RBP", p=PERSISTENCE),
        "residual": Measure("RBPres", p=PERSISTENCE),
        "ap": Measure("AP"),
        "bpref": Measure("bpref"),
    }
    if max_grade > 1:
        measures["best"] = Measure("Hit", k, rel=max_grade)
    return measures
