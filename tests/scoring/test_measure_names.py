"""Measures parse from their names, print as them, and say what they mean."""

import pytest

from scoring.engine.measures import Measure, MeasureError, parse_measure, parse_measures, with_companions
from scoring.engine.registry import KINDS


@pytest.mark.parametrize(
    "name",
    [
        "P@5",
        "Pret@5",
        "R@100",
        "R(rel=2)@50",
        "RR",
        "RR@10",
        "Hit@5",
        "nDCG@10",
        "nDCG(gain='lin')@10",
        "AP@100",
        "AP",
        "bpref",
        "RBP(p=0.8)",
        "RBP(rel=2, p=0.95)@20",
        "RBPres(p=0.8)",
        "Judged@10",
        "FirstRel",
        "CtxCover",
        "condensed(nDCG(gain='exp')@10)",
    ],
)
def test_a_name_parses_and_prints_as_itself(name):
    assert str(parse_measure(name)) == name


@pytest.mark.parametrize(
    ("loose", "name"),
    [
        ("  nDCG( gain=lin ) @ 10 ", "nDCG(gain='lin')@10"),
        ('nDCG(gain="lin")@10', "nDCG(gain='lin')@10"),
        ("RBP", "RBP(p=0.8)"),
        ("condensed( P@5 )", "condensed(P@5)"),
    ],
)
def test_blanks_quotes_and_defaults_are_written_in_one_way(loose, name):
    assert str(parse_measure(loose)) == name


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("ndcg@10", "did you mean nDCG?"),
        ("MRR", "did you mean RR?"),
        ("Recall@5", "did you mean R?"),
        ("Q@5", "The measures are P,"),
        ("P", "P needs a cutoff, for example P@10"),
        ("bpref@5", "takes no cutoff"),
        ("P@0", "has to be 1 or more"),
        ("P@five", "the cutoff 'five' is no whole number"),
        ("P@5.5", "is no whole number"),
        ("P@-1", "is no whole number"),
        ("nDCG(gain='log')@5", "the gain is 'exp' or 'lin'"),
        ("nDCG(rel=2)@5", "nDCG has no parameter rel; it takes gain"),
        ("Judged(rel=1)@5", "it takes no parameters"),
        ("R(rel=0)@5", "threshold has to be 1 or more"),
        ("R(rel=1,rel=2)@5", "gives rel twice"),
        ("R(cut=1)@5", "'cut=1' is no parameter"),
        ("RBP(p=1)", "p lies between 0 and 1"),
        ("RBP(p=much)", "is no number"),
        ("P@5@6", "is no whole number"),
        ("", "is no measure"),
        ("P 5", "is no measure"),
        ("condensed(condensed(P@5))", "condenses twice"),
        ("condensed(CtxCover)", "no condensed form"),
    ],
)
def test_a_name_that_does_not_parse_gets_an_error_that_says_what_would(name, part):
    with pytest.raises(MeasureError) as error:
        parse_measure(name)
    assert part in str(error.value)


def test_a_list_is_parted_by_commas_outside_brackets_and_repeats_are_kept_once():
    names = [str(measure) for measure in parse_measures("nDCG(gain='lin')@10, RR,RBP(rel=2, p=0.5), RR")]
    assert names == ["nDCG(gain='lin')@10", "RR", "RBP(rel=2, p=0.5)"]


def test_an_empty_list_of_measures_is_an_error():
    with pytest.raises(MeasureError, match="no measure was named"):
        parse_measures(" , ")


def test_rank_biased_precision_is_never_shown_without_its_residual():
    names = [str(measure) for measure in with_companions([Measure("RBP", rel=2), Measure("RR")])]
    assert names == ["RBP(rel=2, p=0.8)", "RBPres(rel=2, p=0.8)", "RR"]


@pytest.mark.parametrize("kind", list(KINDS))
def test_every_definition_names_its_parts(kind):
    entry = KINDS[kind]
    measure = Measure(kind, cutoff=None if entry.cutoff == "none" else 7)
    text = measure.definition(2, "exp", unit="section")
    assert text.endswith(".")
    assert "{" not in text
    assert "7" in text or entry.cutoff == "none"


def test_a_definition_says_cutoff_denominator_threshold_and_gain():
    assert Measure("P", 5).definition(2, "exp") == (
        "relevant documents in the top 5, divided by 5; relevant means grade 2 or higher."
    )
    assert "the gain is 2^grade - 1" in Measure("nDCG", 10).definition(2, "exp")
    assert "the gain is the grade itself" in Measure("nDCG", 10, gain="lin").definition(2, "exp")
    assert "grade 3 or higher" in Measure("R", 50, rel=3).definition(2, "exp")
    assert "in the whole list" in Measure("RR").definition(1, "exp")
    assert "in the top 50" in Measure("RR").definition(1, "exp", depth=50)
    assert "unjudged results were taken out" in Measure("P", 5, condensed=True).definition(1, "exp")
