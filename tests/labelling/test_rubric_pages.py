"""The rubric: read by everybody in the eval set, written in versions by leads."""

import pytest
from django.test import Client
from django.urls import reverse

from evalsets.models import Role
from labelling.models import Rubric
from labelling.rubrics import RubricConflictError, get_current_rubric, write_rubric
from tests.factories import make_eval_set, make_member

pytestmark = pytest.mark.django_db


def sign_in(eval_set, role):
    client = Client()
    client.force_login(make_member(eval_set, role))
    return client


def read_form(form):
    return {name: field.value() for name, field in ((name, form[name]) for name in form.fields)}


def test_where_nobody_wrote_a_rubric_ours_is_version_one():
    graded, binary = get_current_rubric(make_eval_set()), get_current_rubric(make_eval_set(scale="binary", threshold=1))

    assert (graded.number, len(graded.definitions)) == (1, 4)
    assert (binary.number, len(binary.definitions)) == (1, 2)


def test_writing_adds_a_version_and_leaves_the_old_one():
    eval_set = make_eval_set()
    first = get_current_rubric(eval_set)

    written = write_rubric(eval_set=eval_set, definitions=first.definitions, guidance="new", after=1, by=None)

    assert get_current_rubric(eval_set) == written
    assert Rubric.objects.get(number=1).guidance == first.guidance


def test_two_leads_do_not_write_over_each_other():
    eval_set = make_eval_set()
    definitions = get_current_rubric(eval_set).definitions
    write_rubric(eval_set=eval_set, definitions=definitions, guidance="first", after=1, by=None)

    with pytest.raises(RubricConflictError, match="Version 2 was written while you edited version 1"):
        write_rubric(eval_set=eval_set, definitions=definitions, guidance="second", after=1, by=None)


def test_definitions_must_be_those_of_the_scale():
    with pytest.raises(ValueError, match="the scale has"):
        write_rubric(eval_set=make_eval_set(), definitions=[{"grade": 0}], guidance="", after=1, by=None)


@pytest.mark.parametrize("role", list(Role))
def test_every_member_reads_the_rubric(role):
    eval_set = make_eval_set()

    html = sign_in(eval_set, role).get(reverse("labelling:view_rubric", args=[eval_set.slug])).content.decode()

    assert "sufficient" in html
    assert ("Write a new version" in html) == (role in {Role.LEAD, Role.ADMINISTRATOR})


def test_a_lead_writes_a_version_by_form():
    eval_set = make_eval_set()
    client, url = sign_in(eval_set, Role.LEAD), reverse("labelling:edit_rubric", args=[eval_set.slug])
    fields = read_form(client.get(url).context["form"])

    response = client.post(
        url, fields | {"label_3": "complete", "guidance": "Read **well**. <script>x</script>"}, follow=True
    )

    html = response.content.decode()
    assert "Version 2 of the rubric is in force" in html
    assert "complete" in html
    assert "<strong>well</strong>" in html
    assert "<script>x" not in html
    old = client.get(reverse("labelling:view_rubric", args=[eval_set.slug]), {"version": "1"}).content.decode()
    assert "Older version" in old


def test_a_lead_who_came_second_keeps_the_text():
    eval_set = make_eval_set()
    client, url = sign_in(eval_set, Role.LEAD), reverse("labelling:edit_rubric", args=[eval_set.slug])
    fields = read_form(client.get(url).context["form"])
    client.post(url, fields | {"guidance": "first"})

    response = client.post(url, fields | {"guidance": "second"})

    assert response.status_code == 409
    assert "second" in response.content.decode()
    assert client.post(url, read_form(response.context["form"])).status_code == 302
    assert get_current_rubric(eval_set).guidance == "second"


def test_a_rubric_without_a_definition_is_refused_in_words():
    eval_set = make_eval_set()
    client, url = sign_in(eval_set, Role.LEAD), reverse("labelling:edit_rubric", args=[eval_set.slug])
    fields = read_form(client.get(url).context["form"])

    response = client.post(url, fields | {"definition_2": ""})

    assert response.status_code == 200
    assert "This field is required" in response.content.decode()
    assert get_current_rubric(eval_set).number == 1


def test_annotators_do_not_write_the_rubric():
    eval_set = make_eval_set()

    response = sign_in(eval_set, Role.ANNOTATOR).get(reverse("labelling:edit_rubric", args=[eval_set.slug]))

    assert response.status_code == 403


@pytest.mark.parametrize("version", ["", "x", "0", "999", "99999999999999999999", "²"])
def test_a_version_that_is_not_there_shows_the_current_one(version):
    eval_set = make_eval_set()
    client = sign_in(eval_set, Role.ANNOTATOR)

    response = client.get(reverse("labelling:view_rubric", args=[eval_set.slug]), {"version": version})

    assert response.status_code == 200
    assert response.context["version"].number == 1
