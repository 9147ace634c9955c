"""The agreement page, the candidates behind its figures, and the plan of double labels."""

import json

import pytest
from django.test import Client
from django.urls import reverse

from evalsets.formats.delimited import read_table
from evalsets.formats.problems import Found
from evalsets.models import Role
from labelling.models import DoubleLabelPlan
from labelling.plan_costs import list_costs
from labelling.plans import declare_plan, get_plan
from labelling.sampling import commitment, expected_half_width
from tests.factories import make_eval_set, make_member
from tests.labelling.label_frames import chorus
from tests.labelling.label_steps import decide, import_frame, labels_of, make_labelled_set

pytestmark = pytest.mark.django_db

# Ten candidates with an ordinal alpha of 0.6169, four of them differing, three across the threshold.
PAIRS = [(0, 0), (0, 1), (1, 1), (2, 2), (3, 3), (3, 2), (2, 2), (1, 3), (0, 0), (2, 0)]


def open_as(eval_set, name, role=Role.LEAD, args=(), **params):
    client = Client()
    client.force_login(make_member(eval_set, role))
    return client.get(reverse(f"labelling:{name}", args=[eval_set.slug, *args]), params)


def html_of(*args, **params):
    response = open_as(*args, **params)
    assert response.status_code == 200
    return response.content.decode()


def test_figures_stand_with_what_they_are_counted_over():
    eval_set, _ = make_labelled_set(*PAIRS, queries=5)

    html = html_of(eval_set, "view_agreement")

    assert "0.617" in html
    assert "10 candidates of 5 queries, 2 annotators" in html
    assert "0.600" in html
    assert "0.800" in html
    assert "95 % interval" in html
    assert "Preliminary: 10 candidates" in html
    assert "Typical for graded relevance" in html


def test_nothing_to_compare_is_said_in_words():
    html = html_of(make_eval_set(), "view_agreement")

    assert "Agreement cannot be computed." in html


def test_the_same_grade_everywhere_is_said_in_words_and_never_as_a_number():
    eval_set, _ = make_labelled_set(*[(2, 2)] * 12)

    html = html_of(eval_set, "view_agreement")

    assert "one key" in html
    assert "1.000" in html  # raw agreement, which is defined
    assert "nan" not in html.lower().replace("financ", "")


def test_few_candidates_show_counts_and_no_coefficient():
    eval_set, _ = make_labelled_set((1, 2), (3, 3))

    html = html_of(eval_set, "view_agreement")

    assert "2 candidates with two labels: showing counts only." in html


def test_an_unfinished_double_set_makes_it_interim():
    eval_set, _ = make_labelled_set(*PAIRS, (1, None))

    html = html_of(eval_set, "view_agreement")

    assert "Interim: 10 of 11 declared double labels are complete" in html


def test_each_figure_links_to_the_candidates_behind_it():
    eval_set, candidates = make_labelled_set(*PAIRS, queries=5)
    base = reverse("labelling:list_compared", args=[eval_set.slug])

    html = html_of(eval_set, "view_agreement")

    pair = "-".join(str(one.annotator_id) for one in labels_of(candidates[0]).order_by("annotator__name"))
    for link in ("?spread=crossing", "?grades=1-3", "?grades=0-1", f"?pair={pair}", f"?query={candidates[0].query_id}"):
        assert f'href="{base}{link}"' in html, link


@pytest.mark.parametrize(
    ("params", "count"),
    [
        ({}, 10),
        ({"spread": "crossing"}, 2),
        ({"spread": "same"}, 6),
        ({"grades": "2-3"}, 1),
        ({"grades": "2-2"}, 2),
        ({"grades": "0-3"}, 0),
    ],
)
def test_the_list_behind_a_figure_holds_just_those(params, count):
    eval_set, _ = make_labelled_set(*PAIRS, queries=5)

    assert html_of(eval_set, "list_compared", **params).count('class="texts__text"') == count


def test_a_decision_changes_nothing_in_the_list_behind_a_figure():
    eval_set, candidates = make_labelled_set(*PAIRS)
    decide(candidates[1], 3)

    assert html_of(eval_set, "list_compared", grades="0-1").count('class="texts__text"') == 1


def test_queries_sort_by_url():
    eval_set, candidates = make_labelled_set((0, 3), (1, 2), (0, 0), (3, 3), queries=2)
    first, second = candidates[0].query.text, candidates[2].query.text

    down = html_of(eval_set, "view_agreement", sort="-crossing")
    up = html_of(eval_set, "view_agreement", sort="crossing")

    assert down.index(first) < down.index(second)
    assert up.index(second) < up.index(first)


def test_tags_have_their_own_figures():
    eval_set, candidates = make_labelled_set(*PAIRS, queries=5)
    for candidate in candidates:
        candidate.query.tags = ["price & terms"]
        candidate.query.save()

    html = html_of(eval_set, "view_agreement")

    assert "price &amp; terms" in html
    assert html_of(eval_set, "list_compared", tag="price & terms").count('class="texts__text"') == 10


def test_export_as_json_and_csv():
    eval_set, _ = make_labelled_set(*PAIRS, (1, None))

    report = json.loads(open_as(eval_set, "export_agreement", args=["json"]).content)
    table = read_table(open_as(eval_set, "export_agreement", args=["csv"]).content.decode(), Found())

    assert report["totals"]["n_units"] == 10
    assert len(table.rows) == 20
    assert table.columns == ["query_id", "doc_id", "section_id", "annotator", "grade"]
    assert open_as(eval_set, "export_agreement", args=["pdf"]).status_code == 404


def test_real_ratings_are_shown_with_the_published_values(django_assert_max_num_queries):
    eval_set = make_eval_set()
    import_frame(eval_set, chorus())

    with django_assert_max_num_queries(35):
        html = html_of(eval_set, "view_agreement")

    for value in ("0.643", "0.770", "0.771", "3188 candidates of 135 queries, 3 annotators"):
        assert value in html, value


@pytest.mark.parametrize(("role", "status"), [(Role.ANNOTATOR, 403), (Role.ENGINEER, 403), (Role.LEAD, 200)])
def test_annotators_see_nothing_of_agreement(role, status):
    eval_set, _ = make_labelled_set(*PAIRS)

    for name in ("view_agreement", "list_compared", "edit_plan"):
        assert open_as(eval_set, name, role).status_code == status


# The plan.


def post_plan(eval_set, **data):
    client = Client()
    client.force_login(make_member(eval_set, Role.LEAD))
    return client.post(reverse("labelling:edit_plan", args=[eval_set.slug]), data)


def test_a_share_is_declared_in_percent_and_its_seed_is_not_shown():
    eval_set, _ = make_labelled_set((None, None))

    response = post_plan(eval_set, rate="35", seed="between us")

    assert response.status_code == 302
    plan = DoubleLabelPlan.objects.get(eval_set=eval_set)
    assert (plan.rate, plan.seed) == (0.35, "between us")
    html = html_of(eval_set, "edit_plan")
    assert "between us" not in html
    assert commitment("between us") in html


def test_without_a_seed_one_is_drawn():
    eval_set = make_eval_set()

    post_plan(eval_set, rate="10", seed="")

    assert len(get_plan(eval_set).seed) == 32


def test_the_default_is_a_fifth():
    eval_set = make_eval_set()

    assert "20 %" in html_of(eval_set, "edit_plan")


@pytest.mark.parametrize("rate", ["", "x", "-1", "101", "nan"])
def test_what_is_no_share_is_refused(rate):
    eval_set = make_eval_set()

    assert post_plan(eval_set, rate=rate).status_code == 422
    assert get_plan(eval_set).rate == 0.2


def test_the_first_label_locks_the_plan():
    eval_set, _ = make_labelled_set((2, None))

    html = html_of(eval_set, "edit_plan")
    response = post_plan(eval_set, rate="50")

    assert "Locked" in html
    assert "Declare another share" not in html
    assert response.status_code == 409
    assert "was locked by the first judgment" in response.content.decode()
    assert get_plan(eval_set).rate == 1.0


def test_what_a_share_buys_is_computed_from_the_pool():
    declare_plan(eval_set=(eval_set := make_eval_set()), rate=0.2, seed="s", by=None)
    costs = {cost.rate: cost for cost in list_costs(1000, get_plan(eval_set).rate)}

    assert costs[0.2].units == 200
    assert costs[0.2].declared
    assert costs[0.2].best == pytest.approx(expected_half_width(200, spread=0.42))
    assert costs[0.2].worst == pytest.approx(expected_half_width(200, spread=0.92))
    assert list_costs(0, 0.2)[0].best is None
