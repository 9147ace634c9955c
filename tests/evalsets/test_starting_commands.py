"""Starting an eval set, its people and its retrievers from the command line."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from evalsets.models import EvalSet, Retriever, Role
from tests.factories import make_eval_set, make_user

pytestmark = pytest.mark.django_db


def test_eval_set_is_started_with_what_was_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    make_user("ada")

    call_command(
        "create_eval_set", "cran", "--unit", "document", "--depth-n", "100", "--administrator", "ada", "--json"
    )

    made = EvalSet.objects.get(slug="cran")
    assert (made.unit, made.depth_n, made.threshold, made.corpus.slug) == ("document", 100, 2, "cran")
    assert made.memberships.get().role == Role.ADMINISTRATOR
    assert json.loads(capsys.readouterr().out)["corpus"] == "cran"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["taken"], "is taken"),
        (["not a slug"], "slug"),
        (["x", "--depth-n", "3", "--depth-k", "9"], "k is 9"),
        (["x", "--scale", "binary", "--threshold", "2"], "threshold is 1"),
        (["x", "--corpus", "nowhere"], "no corpus 'nowhere'"),
        (["x", "--administrator", "nobody"], "no account 'nobody'"),
    ],
)
def test_eval_set_that_cannot_be_is_refused_with_exit_code_2(arguments: list[str], words: str) -> None:
    make_eval_set(slug="taken")

    with pytest.raises(CommandError, match=words) as caught:
        call_command("create_eval_set", *arguments)

    assert caught.value.returncode == 2
    assert EvalSet.objects.count() == 1


def test_member_is_added_and_a_new_account_gets_a_password_that_works(capsys: pytest.CaptureFixture[str]) -> None:
    eval_set = make_eval_set()

    with pytest.raises(CommandError, match="no account ana"):
        call_command("add_member", eval_set.slug, "ana", "lead")
    call_command("add_member", eval_set.slug, "ana", "lead", "--create", "--json")
    call_command("add_member", eval_set.slug, "ana", "engineer")

    made: dict[str, Any] = json.loads(capsys.readouterr().out.split("}")[0] + "}")
    assert User.objects.get(username="ana").check_password(made["password"])
    assert eval_set.memberships.get().role == Role.ENGINEER


def test_retriever_is_added_with_its_configuration(capsys: pytest.CaptureFixture[str]) -> None:
    eval_set = make_eval_set()

    call_command("create_retriever", eval_set.slug, "Small chunks", "bm25", "--config", '{"size": 80}')

    assert Retriever.objects.get(slug="small-chunks").config["size"] == 80


@pytest.mark.parametrize(
    ("config", "words"),
    [("{", "no JSON"), ("[]", "JSON object"), ('{"size": "many"}', "size"), ('{"speed": 9}', "speed")],
)
def test_configuration_that_makes_no_sense_is_refused(config: str, words: str) -> None:
    eval_set = make_eval_set()

    with pytest.raises(CommandError, match=words) as caught:
        call_command("create_retriever", eval_set.slug, "Any", "bm25", "--config", config)

    assert caught.value.returncode == 2
    assert not Retriever.objects.exists()
