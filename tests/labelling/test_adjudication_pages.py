"""The pages of decisions: the list, one candidate, flags; as pages with plain forms and as fragments for htmx."""

import re
import uuid

import pytest
from django.test import Client
from django.urls import reverse

from evalsets.models import Query, Role
from labelling.models import Adjudication, Annotator, QueryFlag
from tests.factories import make_member
from tests.labelling.label_steps import decide, label_candidate, make_labelled_set
from tests.labelling.queue_steps import make_annotator

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


class Lead:
    """A lead's browser, with what the decision page's form holds."""

    def __init__(self, eval_set, user=None):
        self.eval_set = eval_set
        self.user = user or make_member(eval_set, Role.LEAD)
        self.client = Client()
        self.client.force_login(self.user)

    def url(self, name, *args):
        return reverse(f"labelling:{name}", args=[self.eval_set.slug, *args])

    def list(self, **params):
        return self.client.get(self.url("list_disagreements"), params)

    def open(self, candidate, **params):
        return self.client.get(self.url("adjudicate", candidate.pk), params)

    def decide(self, page, candidate, headers=None, query="", **fields):
        sent = read_form(page) | {"reason": "misread", "remark": ""} | fields
        return self.client.post(self.url("adjudicate", candidate.pk) + query, sent, headers=headers)


def read_form(page):
    html = page.content.decode()
    return {name: re.search(rf'name="{name}" value="([^"]*)"', html)[1] for name in ("request_id", "after")}


@pytest.fixture
def disputed():
    return make_labelled_set((0, 3), (1, 2), (2, 3), (3, 3))


def test_the_list_shows_real_texts_with_their_grades_the_gravest_first(disputed):
    eval_set, candidates = disputed
    Query.objects.update(text="how long are copies kept?")

    html = Lead(eval_set).list().content.decode()

    listed = [int(pk) for pk in re.findall(r'texts__text" href="[^"]*/adjudication/(\d+)/', html)]
    assert listed == [candidate.pk for candidate in candidates[:3]]
    assert html.count("how long are copies kept?") == 3
    assert "on both sides of the threshold" in html
    assert "Settle 3" in html


def test_the_list_is_narrowed_by_its_url_and_says_so(disputed):
    eval_set, (_far, _crossing, near, _same) = disputed

    html = Lead(eval_set).list(spread="near").content.decode()

    assert html.count('class="texts__text"') == 1
    assert f"/adjudication/{near.pk}/?spread=near" in html
    assert "Take away: one grade apart" in html


def test_settled_ones_stand_under_their_own_tab(disputed):
    eval_set, (far, *_others) = disputed
    decide(far, 3)

    lead = Lead(eval_set)

    assert f"/adjudication/{far.pk}/" not in lead.list().content.decode()
    assert "decided: 3" in lead.list(state="settled").content.decode()


def test_the_list_takes_the_same_queries_however_long_it_is(django_assert_max_num_queries):
    for count in (3, 40):
        eval_set, _ = make_labelled_set(*[(0, 3)] * count, queries=3)
        lead = Lead(eval_set)
        with django_assert_max_num_queries(16):
            assert lead.list().status_code == 200


def test_both_labels_and_notes_stand_side_by_side_without_names():
    eval_set, (candidate,) = make_labelled_set((None, None))
    first, second = make_annotator(eval_set, "anna-the-first"), make_annotator(eval_set, "bert-the-second")
    label_candidate(candidate, first, 1, note="only on the topic")
    label_candidate(candidate, second, 3, note="the table says it")

    html = Lead(eval_set).open(candidate).content.decode()

    assert "only on the topic" in html
    assert "the table says it" in html
    assert "First label" in html
    assert "Second label" in html
    assert "The answer is here." in html
    assert "It crosses the threshold" in html
    for annotator in Annotator.objects.all():
        assert annotator.name not in html


def test_a_plain_form_is_answered_with_a_redirect_to_the_next(disputed):
    eval_set, (far, crossing, *_others) = disputed
    lead = Lead(eval_set)

    response = lead.decide(lead.open(far), far, grade="3", remark="The table answers it.")

    assert (response.status_code, response.url) == (302, lead.url("adjudicate", crossing.pk))
    decision = Adjudication.objects.get()
    assert (decision.grade, decision.reason_code, decision.reason) == (3, "misread", "The table answers it.")
    assert decision.adjudicated_by == lead.user


def test_htmx_is_answered_with_the_next_card_and_its_url(disputed):
    eval_set, (far, crossing, *_others) = disputed
    lead = Lead(eval_set)

    response = lead.decide(lead.open(far), far, headers=HTMX, grade="0")

    html = response.content.decode()
    assert response.status_code == 200
    assert html.strip().startswith('<div id="card"')
    assert "<html" not in html
    assert response["HX-Push-Url"] == lead.url("adjudicate", crossing.pk)
    assert "2 disagreements left" in html


def test_the_last_decision_leads_on_to_publishing():
    eval_set, (only,) = make_labelled_set((0, 3))
    lead = Lead(eval_set)
    page = lead.open(only)

    html = lead.decide(page, only, headers=HTMX, grade="3").content.decode()

    assert "Every disagreement is settled" in html
    assert reverse("labelling:publish_gold_set", args=[eval_set.slug]) in html


def test_what_the_list_was_narrowed_to_is_kept_on_the_way(disputed):
    eval_set, (far, crossing, *_others) = disputed
    lead = Lead(eval_set)

    response = lead.decide(lead.open(far, spread="crossing"), far, query="?spread=crossing", grade="1")

    assert response.url == lead.url("adjudicate", crossing.pk) + "?spread=crossing"


def test_cannot_settle_is_a_decision(disputed):
    eval_set, (far, *_others) = disputed
    lead = Lead(eval_set)

    lead.decide(lead.open(far), far, outcome="cannot_settle", reason="ambiguous_query")

    decision = Adjudication.objects.get()
    assert (decision.outcome, decision.grade) == ("cannot_settle", None)


@pytest.mark.parametrize(
    "fields",
    [{}, {"grade": "7"}, {"grade": "2", "reason": ""}, {"grade": "2", "outcome": "cannot_settle"}, {"grade": "x"}],
)
def test_what_is_no_decision_is_said_and_nothing_typed_is_lost(disputed, fields):
    eval_set, (far, *_others) = disputed
    lead = Lead(eval_set)

    response = lead.decide(lead.open(far), far, headers=HTMX, **{"remark": "typed before"} | fields)

    assert response.status_code == 422
    assert 'role="alert"' in response.content.decode()
    assert "typed before" in response.content.decode()
    assert not Adjudication.objects.exists()


def test_the_second_of_two_leads_is_told_and_the_first_decision_stands(disputed):
    eval_set, (far, *_others) = disputed
    first, second = Lead(eval_set), Lead(eval_set)
    page = second.open(far)
    first.decide(first.open(far), far, grade="3")

    response = second.decide(page, far, headers=HTMX, grade="0", remark="no, it is not")

    html = response.content.decode()
    assert response.status_code == 409
    assert "has decided for grade 3 since you opened" in html
    assert "no, it is not" in html
    assert Adjudication.objects.get().grade == 3


def test_a_decision_can_be_changed_by_a_new_one(disputed):
    eval_set, (far, *_others) = disputed
    lead = Lead(eval_set)
    lead.decide(lead.open(far), far, grade="3")

    page = lead.open(far)
    lead.decide(page, far, grade="0")

    assert "A new decision replaces it." in page.content.decode()
    assert list(Adjudication.objects.order_by("pk").values_list("grade", "live")) == [(3, False), (0, True)]


def test_a_double_click_counts_once(disputed):
    eval_set, (far, *_others) = disputed
    lead = Lead(eval_set)
    page = lead.open(far)

    answers = [lead.decide(page, far, headers=HTMX, grade="3") for _ in range(2)]

    assert [answer.status_code for answer in answers] == [200, 200]
    assert Adjudication.objects.count() == 1


def test_a_lead_who_labelled_the_candidate_is_told_and_refused():
    eval_set, (candidate,) = make_labelled_set((1, None))
    lead = Lead(eval_set)
    label_candidate(candidate, Annotator.objects.create(eval_set=eval_set, user=lead.user, name="the lead"), 3)

    page = lead.open(candidate)
    response = lead.decide(page, candidate, grade="3")

    assert "You labelled this candidate yourself" in page.content.decode()
    assert 'name="grade"' not in page.content.decode()
    assert response.status_code == 403
    assert not Adjudication.objects.exists()


def test_a_query_is_flagged_with_the_remark_and_can_be_unflagged(disputed):
    eval_set, (far, crossing, *_others) = disputed
    lead = Lead(eval_set)

    response = lead.client.post(lead.url("flag_query", far.pk), {"remark": "Two readings."})

    flag = QueryFlag.objects.get()
    assert response.url == lead.url("adjudicate", crossing.pk)
    assert (flag.query, flag.reason, flag.flagged_by) == (far.query, "Two readings.", lead.user)
    assert "Two readings." in lead.list().content.decode()
    lead.client.post(lead.url("resolve_flag", flag.pk))
    assert "No query is flagged." in lead.list().content.decode()


def test_a_candidate_of_another_eval_set_is_not_there(disputed):
    _eval_set, (far, *_others) = disputed
    other, _ = make_labelled_set((0, 3))

    assert Lead(other).open(far).status_code == 404


def test_hostile_notes_are_escaped():
    eval_set, (candidate,) = make_labelled_set((1, None))
    label_candidate(candidate, make_annotator(eval_set), 3, note="<script>alert(1)</script>")

    assert "<script>alert" not in Lead(eval_set).open(candidate).content.decode()


@pytest.mark.parametrize(
    ("role", "status"), [(Role.ANNOTATOR, 403), (Role.ENGINEER, 403), (Role.LEAD, 200), (Role.ADMINISTRATOR, 200)]
)
def test_only_leads_and_administrators_decide(disputed, role, status):
    eval_set, (far, *_others) = disputed
    member = Lead(eval_set, make_member(eval_set, role))

    assert member.list().status_code == status
    assert member.open(far).status_code == status
    sent = {"grade": "3", "reason": "other", "request_id": str(uuid.uuid4())}
    posted = member.client.post(member.url("adjudicate", far.pk), sent)
    assert posted.status_code == (302 if status == 200 else 403)


def test_an_outsider_does_not_learn_that_it_is_there(disputed):
    eval_set, (far, *_others) = disputed
    other, _ = make_labelled_set((0, 3))
    outsider = Lead(eval_set, make_member(other, Role.LEAD))

    assert outsider.list().status_code == 404
    assert outsider.open(far).status_code == 404


def test_flags_are_taken_and_given_by_post_only(disputed):
    eval_set, (far, *_others) = disputed
    lead = Lead(eval_set)

    assert lead.client.get(lead.url("flag_query", far.pk)).status_code == 405
    assert lead.client.get(lead.url("resolve_flag", 1)).status_code == 405
