"""The measures' formulas. Each takes the lists and the labels of many queries and gives one value per query.

Sources: precision, recall, reciprocal rank and average precision as in trec_eval; nDCG after Järvelin and
Kekäläinen (2002) with the discount log2(rank + 1) from rank 1 on, and the exponential gain of Burges et al.
(2005); bpref after Buckley and Voorhees (2004) in trec_eval's later form, whose denominator is min(R, N);
rank-biased precision and its residual after Moffat and Zobel (2008).

A query without a relevant unit has no defined value in a measure that needs one: the answer there is NaN.
"""

from dataclasses import dataclass

import numpy as np

from scoring.engine.arrays import UNJUDGED, Flags, Floats, GoldGrades, Ints, RankedGrades, divide


@dataclass(frozen=True)
class Terms:
    """What a formula needs beside the data; `lists` has been condensed and cut already."""

    lists: RankedGrades
    gold: GoldGrades
    cutoff: int | None
    threshold: int
    gain: str
    p: float
    max_grade: int
    graded_gain: bool = True

    def relevant(self) -> Flags:
        """Which entries of the lists are relevant; unjudged ones are not."""
        return self.lists.grade >= self.threshold

    def relevant_labels(self) -> Ints:
        """R: labelled relevant units of each query."""
        return self.gold.count_at_least(self.threshold)

    def where_defined(self, values: Floats) -> Floats:
        """The values, with NaN for each query that has no relevant label."""
        return np.where(self.relevant_labels() > 0, values, np.nan)


def gains(grade: Ints, gain: str) -> Floats:
    """The gain of each grade: 2^grade - 1 for `exp`, the grade itself for `lin`; 0 for an unjudged unit."""
    judged = np.maximum(grade, 0).astype(np.float64)
    return np.exp2(judged) - 1.0 if gain == "exp" else judged


def precision(terms: Terms) -> Floats:
    """Relevant in the top k / k."""
    assert terms.cutoff is not None
    return terms.where_defined(terms.lists.count(terms.relevant()) / float(terms.cutoff))


def precision_of_returned(terms: Terms) -> Floats:
    """Relevant in the top k / min(k, returned); 0 for an empty list."""
    found = terms.lists.count(terms.relevant())
    return terms.where_defined(divide(found, terms.lists.returned(), otherwise=0.0))


def recall(terms: Terms) -> Floats:
    """Relevant in the top N / R."""
    return divide(terms.lists.count(terms.relevant()), terms.relevant_labels(), otherwise=np.nan)


def first_relevant_rank(terms: Terms) -> Floats:
    """The rank of the first relevant unit; NaN where there is none in the list."""
    ranks = np.full(terms.lists.queries, np.inf)
    relevant = terms.relevant()
    np.minimum.at(ranks, terms.lists.query[relevant], terms.lists.rank[relevant])
    return np.where(np.isfinite(ranks), ranks, np.nan)


def reciprocal_rank(terms: Terms) -> Floats:
    """1 / rank of the first relevant unit; 0 where there is none in the list."""
    return terms.where_defined(np.nan_to_num(1.0 / first_relevant_rank(terms), nan=0.0))


def hit(terms: Terms) -> Floats:
    """1 if any of the top k is relevant, else 0."""
    return terms.where_defined((terms.lists.count(terms.relevant()) > 0).astype(np.float64))


def ndcg(terms: Terms) -> Floats:
    """Discounted gain of the list over that of the best possible list of the query's labels, both cut at k."""
    lists, gold = terms.lists, terms.gold
    found = lists.total(gains(lists.grade, terms.gain) / np.log2(lists.rank + 1.0))
    within = np.ones(len(gold.query), dtype=bool) if terms.cutoff is None else gold.position <= terms.cutoff
    worth = gains(gold.grade[within], terms.gain) / np.log2(gold.position[within] + 1.0)
    best = np.bincount(gold.query[within], weights=worth, minlength=gold.queries)
    # Both sums run in the order of the ranks, so a perfect list divides equal numbers; other orders can exceed 1 by one bit.
    return np.minimum(divide(found, best, otherwise=np.nan), 1.0)


def average_precision(terms: Terms) -> Floats:
    """The precision at each relevant unit's rank, summed over the list and divided by R."""
    relevant = terms.relevant()
    at_each = np.where(relevant, terms.lists.running(relevant) / terms.lists.rank, 0.0)
    return divide(terms.lists.total(at_each), terms.relevant_labels(), otherwise=np.nan)


def bpref(terms: Terms) -> Floats:
    """Mean over R of 1 - min(judged irrelevant units above, R) / min(R, N), judged units only."""
    lists = terms.lists
    relevant = terms.relevant()
    irrelevant = (lists.grade != UNJUDGED) & ~relevant
    wanted = terms.relevant_labels()
    unwanted = terms.gold.count_below(terms.threshold)
    above = np.minimum(lists.running(irrelevant), wanted[lists.query])
    penalty = divide(above, np.minimum(wanted, unwanted)[lists.query], otherwise=0.0)
    return divide(lists.total(np.where(relevant, 1.0 - penalty, 0.0)), wanted, otherwise=np.nan)


def rank_biased_precision(terms: Terms) -> Floats:
    """(1 - p) times the sum of g p^(rank-1); g is (2^grade - 1)/(2^max - 1), or 0/1 at a threshold of its own."""
    lists = terms.lists
    graded = gains(lists.grade, "exp") / (2.0**terms.max_grade - 1.0)
    worth = graded if terms.graded_gain else terms.relevant().astype(np.float64)
    return terms.where_defined((1.0 - terms.p) * lists.total(worth * terms.p ** (lists.rank - 1.0)))


def rank_biased_residual(terms: Terms) -> Floats:
    """What rank-biased precision could still gain: the weight of unjudged units and of everything below the list.

    A query without any result gets 0, as it does in every measure.
    """
    lists = terms.lists
    unjudged = (lists.grade == UNJUDGED).astype(np.float64)
    unseen = (1.0 - terms.p) * lists.total(unjudged * terms.p ** (lists.rank - 1.0))
    returned = lists.returned()
    return terms.where_defined(np.where(returned > 0, unseen + terms.p ** returned.astype(np.float64), 0.0))


def judged(terms: Terms) -> Floats:
    """Labelled units in the top k / min(k, returned); 0 for an empty list."""
    labelled = terms.lists.count(terms.lists.grade != UNJUDGED)
    return divide(labelled, terms.lists.returned(), otherwise=0.0)
