"""Agreement from the database: which labels are compared, and that real data gives the published values."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from labelling.agreement import SEED, measure_agreement
from labelling.judging import undo
from labelling.models import AnnotatorKind, Judgment
from labelling.rubrics import get_current_rubric, write_rubric
from tests.factories import make_eval_set
from tests.labelling.label_frames import chorus, labels_of_pairs, oracle
from tests.labelling.label_steps import decide, import_frame, label_candidate, labels_of, make_labelled_set
from tests.labelling.queue_steps import NOON, make_annotator

pytestmark = pytest.mark.django_db


def pairs_of_oracle():
    """Two people on ten candidates, with the value that only independent first labels give."""
    group = oracle("O06_adjudication_exclusion")
    return list(zip(group["X"], group["Y"], strict=True)), group["alpha_ordinal"]


def alpha_of(eval_set):
    return measure_agreement(eval_set).report.alpha.ordinal.coefficient.value


def test_labels_given_in_the_queue_give_the_reference_value():
    pairs, expected = pairs_of_oracle()
    eval_set, _ = make_labelled_set(*pairs)

    assert alpha_of(eval_set) == pytest.approx(expected, abs=1e-6)


def test_a_decision_of_a_lead_is_no_third_label():
    pairs, expected = pairs_of_oracle()
    eval_set, candidates = make_labelled_set(*pairs)
    for candidate, (first, second) in zip(candidates, pairs, strict=True):
        if first != second:
            decide(candidate, max(first, second))

    assert alpha_of(eval_set) == pytest.approx(expected, abs=1e-6)


def test_a_correction_does_not_raise_agreement():
    pairs, expected = pairs_of_oracle()
    eval_set, candidates = make_labelled_set(*pairs)
    for candidate in candidates:
        first, second = labels_of(candidate)
        if first.grade != second.grade:
            label_candidate(candidate, second.annotator, first.grade)

    assert alpha_of(eval_set) == pytest.approx(expected, abs=1e-6)


def test_a_label_that_was_undone_was_never_submitted():
    pairs, expected = pairs_of_oracle()
    eval_set, candidates = make_labelled_set(*pairs[:-1], (pairs[-1][0], None))
    annotator = labels_of(candidates[0]).last().annotator
    slip = label_candidate(candidates[-1], annotator, 3)
    undo(judgment=slip, annotator=annotator, at=NOON)
    label_candidate(candidates[-1], annotator, pairs[-1][1])

    assert alpha_of(eval_set) == pytest.approx(expected, abs=1e-6)


def test_single_labels_and_cannot_judge_change_nothing():
    pairs, expected = pairs_of_oracle()
    eval_set, _ = make_labelled_set(*pairs, (3, None), (2, "unreadable"), ("unclear_query", 0))

    agreement = measure_agreement(eval_set)

    assert agreement.report.alpha.ordinal.coefficient.value == pytest.approx(expected, abs=1e-6)
    assert agreement.report.totals.n_units == 10
    assert agreement.report.totals.n_single_labelled == 3


def test_labels_of_a_file_whose_judges_are_unknown_are_left_out():
    eval_set = make_eval_set()
    import_frame(eval_set, labels_of_pairs([(0, 3)] * 12), kind=AnnotatorKind.FILE)

    assert measure_agreement(eval_set).report.totals.n_labels == 0


def test_labels_under_another_version_of_the_rubric_are_not_compared():
    eval_set, candidates = make_labelled_set((2, None), (1, 1))
    rubric = get_current_rubric(eval_set)
    write_rubric(eval_set=eval_set, definitions=rubric.definitions, guidance="Anew.", after=rubric.number, by=None)
    label_candidate(candidates[0], labels_of(candidates[1]).last().annotator, 0)

    agreement = measure_agreement(eval_set)

    assert [one.candidate_pk for one in agreement.comparisons] == [candidates[1].pk]
    assert agreement.set_aside == 1


def test_labels_on_another_text_are_not_compared():
    eval_set, candidates = make_labelled_set((2, None))
    candidates[0].text_sha256 = "ab" * 32
    candidates[0].save()
    label_candidate(candidates[0], make_annotator(eval_set), 0)

    assert measure_agreement(eval_set).comparisons == ()


def test_a_retired_query_takes_its_labels_out():
    eval_set, candidates = make_labelled_set((2, 1), (0, 0), queries=2)
    query = candidates[0].query
    query.retired_at = NOON
    query.save()

    assert [one.candidate_pk for one in measure_agreement(eval_set).comparisons] == [candidates[1].pk]


def test_agreement_is_interim_until_the_declared_double_labels_are_complete():
    eval_set, candidates = make_labelled_set((2, 1), (0, None), (3, 3))

    before = measure_agreement(eval_set).double_set
    label_candidate(candidates[1], make_annotator(eval_set), 0)
    after = measure_agreement(eval_set).double_set

    assert (before.declared, before.complete, before.is_interim) == (3, 2, True)
    assert (after.share, after.is_interim) == (1.0, False)


def test_no_pair_is_said_and_no_error():
    report = measure_agreement(make_eval_set()).report

    assert report.alpha.ordinal.coefficient.value is None
    assert "No candidate has labels from two people yet" in report.notices[0].words


def test_real_ratings_of_three_people_give_the_published_values():
    eval_set = make_eval_set()
    import_frame(eval_set, chorus())

    report = measure_agreement(eval_set).report

    assert report.totals.n_units == 3188
    assert report.totals.n_queries == 135
    assert report.alpha.nominal.coefficient.value == pytest.approx(0.6426, abs=1e-4)
    assert report.alpha.ordinal.coefficient.value == pytest.approx(0.7695, abs=1e-4)
    assert report.alpha.interval.coefficient.value == pytest.approx(0.7708, abs=1e-4)
    assert report.fleiss.value == pytest.approx(0.6426, abs=1e-4)
    expected = {
        ("1", "2"): (3188, 0.8215, 0.6820, 0.7631, 0.7990, 0.7803),
        ("1", "3"): (3188, 0.7973, 0.6458, 0.7315, 0.7755, 0.7268),
        ("2", "3"): (3188, 0.7713, 0.6013, 0.6925, 0.7374, 0.7032),
    }
    for pair in report.by_pair:
        kappas = (pair.kappa, pair.kappa_linear, pair.kappa_quadratic, pair.kappa_binary)
        found = (pair.n_units, pair.exact, *(kappa.value for kappa in kappas))
        assert found == pytest.approx(expected[pair.first[-1], pair.second[-1]], abs=1e-4)


def run_command(*args):
    out = io.StringIO()
    call_command("agreement", *args, stdout=out)
    return out.getvalue()


def test_the_command_says_the_value_and_what_it_stands_on():
    pairs, _ = pairs_of_oracle()
    eval_set, _ = make_labelled_set(*pairs, (1, None))

    text = run_command(eval_set.slug)

    assert "alpha, ordinal" in text
    assert "0.6169" in text
    assert "interim: 10 of 11 declared double labels are complete" in text


def test_the_command_gives_everything_as_json():
    pairs, expected = pairs_of_oracle()
    eval_set, _ = make_labelled_set(*pairs)

    found = json.loads(run_command(eval_set.slug, "--json"))

    assert found["report"]["alpha"]["ordinal"]["coefficient"]["value"] == pytest.approx(expected, abs=1e-6)
    assert found["double_set"] == {"declared": 10, "complete": 10, "share": 1.0, "interim": False}
    assert found["report"]["seed"] == SEED


def test_the_command_refuses_an_unknown_eval_set():
    with pytest.raises(CommandError, match="no eval set 'nowhere'") as error:
        run_command("nowhere")
    assert error.value.returncode == 2


def test_submissions_are_read_in_one_query(django_assert_num_queries):
    eval_set, _ = make_labelled_set((1, 2), (0, 0), (3, 2))
    assert Judgment.objects.count() == 6

    # The submissions, and three counts of the double-labelled candidates.
    with django_assert_num_queries(3):
        measure_agreement(eval_set)
