"""Whose judgments these are."""

import pytest

from labelling.annotators import get_annotator
from labelling.models import Annotator
from tests.factories import make_eval_set, make_user

pytestmark = pytest.mark.django_db


def test_a_person_is_one_annotator_in_each_eval_set():
    eval_set, user = make_eval_set(), make_user("anna")

    assert get_annotator(eval_set, user) == get_annotator(eval_set, user)
    assert get_annotator(make_eval_set(), user) != get_annotator(eval_set, user)
    assert Annotator.objects.filter(user=user).count() == 2


def test_a_name_that_an_import_brought_stays_with_the_import():
    eval_set = make_eval_set()
    imported = Annotator.objects.create(eval_set=eval_set, name="anna")

    annotator = get_annotator(eval_set, make_user("anna"))

    assert annotator != imported
    assert annotator.name == "anna (2)"
