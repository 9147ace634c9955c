"""The publishing page: the checklist first, then freezing."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from evalsets.models import GoldSet, Role
from tests.factories import make_member
from tests.labelling.label_steps import decide, make_labelled_set

pytestmark = pytest.mark.django_db


class Publisher:
    def __init__(self, eval_set, role=Role.LEAD):
        self.eval_set = eval_set
        self.client = Client()
        self.client.force_login(make_member(eval_set, role))
        self.url = reverse("labelling:publish_gold_set", args=[eval_set.slug])

    def open(self, **params):
        return self.client.get(self.url, params).content.decode()

    def publish(self, **data):
        return self.client.post(self.url, {"near": "lower", "notes": ""} | data)


def test_the_checklist_links_to_where_each_point_is_settled():
    eval_set, _ = make_labelled_set((1, 2), (3, 3), (2, None))

    html = Publisher(eval_set).open()

    assert "1 candidate relevant for one annotator and not for another" in html
    assert reverse("labelling:list_disagreements", args=[eval_set.slug]) + "?spread=crossing" in html
    assert "1 of 3 declared double labels are not complete" in html
    assert not GoldSet.objects.exists()


def test_queries_without_a_relevant_label_are_read_as_texts():
    eval_set, candidates = make_labelled_set((1, 1))

    html = Publisher(eval_set).open()

    assert 'id="without-relevant"' in html
    assert candidates[0].query.text in html


def test_unresolved_points_have_to_be_accepted():
    eval_set, _ = make_labelled_set((1, 2), (3, 3))
    publisher = Publisher(eval_set)

    refused = publisher.publish(notes="kept text")
    accepted = publisher.publish(accept="on")

    assert refused.status_code == 422
    assert "kept text" in refused.content.decode()
    assert accepted.status_code == 302
    assert accepted.url == reverse("evalsets:view_gold_set", args=[eval_set.slug, 1])
    assert GoldSet.objects.get().published_by is not None


def test_the_rule_for_labels_one_grade_apart_is_chosen_before_publishing():
    eval_set, _ = make_labelled_set((2, 3), (3, 3))
    publisher = Publisher(eval_set)

    lower, leave_out = publisher.open(), publisher.open(near="leave_out")

    assert "1 candidate on one side of the threshold take the lower grade" in lower
    assert re.search(r'name="near" value="leave_out"', leave_out)
    assert "Decide, or take the lower grade" in leave_out
    publisher.publish(near="leave_out", accept="on")
    assert GoldSet.objects.get().label_count == 1


def test_nothing_new_is_said_and_refused():
    eval_set, _ = make_labelled_set((3, 3))
    publisher = Publisher(eval_set)
    publisher.publish(accept="on")

    html = publisher.open()

    assert "Nothing has changed since" in html
    assert "disabled" in html[html.index("Publish version 2") - 80 :]
    assert publisher.publish(accept="on").status_code == 422


def test_a_second_version_is_published_after_a_decision():
    eval_set, candidates = make_labelled_set((1, 2), (3, 3))
    publisher = Publisher(eval_set)
    publisher.publish(accept="on")
    decide(candidates[0], 2)

    assert publisher.publish(accept="on").url.endswith("/gold/2/")


@pytest.mark.parametrize(("role", "status"), [(Role.ANNOTATOR, 403), (Role.ENGINEER, 403), (Role.ADMINISTRATOR, 302)])
def test_only_leads_and_administrators_publish(role, status):
    eval_set, _ = make_labelled_set((3, 3))

    assert Publisher(eval_set, role).publish(accept="on").status_code == status


def test_the_page_takes_the_same_queries_however_many_labels_there_are(django_assert_max_num_queries):
    for count in (3, 40):
        eval_set, _ = make_labelled_set(*[(2, 3)] * count)
        publisher = Publisher(eval_set)
        with django_assert_max_num_queries(32):
            publisher.open()
