"""Invitations, roles, and signing in."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from evalsets.models import EvalSet, Invitation, Membership, Role
from evalsets.people import PeopleError, accept_invitation, change_role, invite, remove_member, revoke_invitation
from tests.factories import make_eval_set, make_member, make_user

pytestmark = pytest.mark.django_db

GOOD_PASSWORD = "correct horse battery staple"


def make_invitation(role: Role = Role.LEAD, days: int = 7) -> tuple[EvalSet, Invitation, str]:
    eval_set = make_eval_set()
    by = make_member(eval_set, Role.ADMINISTRATOR)
    invitation, token = invite(eval_set=eval_set, role=role, by=by, at=timezone.now(), days=days)
    return eval_set, invitation, token


def link(token: str) -> str:
    return reverse("people:accept_invitation", args=[token])


def test_newcomer_makes_an_account_by_the_link_and_is_a_member(client: Client) -> None:
    eval_set, _invitation, token = make_invitation()

    answer = client.post(
        link(token), {"username": "ana", "password": GOOD_PASSWORD, "again": GOOD_PASSWORD}, follow=True
    )

    assert answer.redirect_chain == [(eval_set.get_absolute_url(), 302)]
    assert Membership.objects.get(user__username="ana").role == Role.LEAD


def test_opening_the_link_changes_nothing(client: Client) -> None:
    _eval_set, invitation, token = make_invitation()

    assert client.get(link(token)).status_code == 200

    invitation.refresh_from_db()
    assert invitation.accepted_at is None


def test_signed_in_person_joins_by_one_button(client: Client) -> None:
    eval_set, _invitation, token = make_invitation()
    client.force_login(make_user("ana"))

    client.post(reverse("people:join", args=[token]))

    assert eval_set.memberships.filter(user__username="ana", role=Role.LEAD).exists()


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"username": "ana", "password": GOOD_PASSWORD, "again": "other"}, "again"),
        ({"username": "ana", "password": "12345678", "again": "12345678"}, "password"),
        ({"username": "ANA taken", "password": GOOD_PASSWORD, "again": GOOD_PASSWORD}, "username"),
        ({"username": "Taken", "password": GOOD_PASSWORD, "again": GOOD_PASSWORD}, "username"),
    ],
)
def test_account_that_cannot_be_made_says_which_field_and_uses_nothing_up(
    client: Client, form: dict[str, str], field: str
) -> None:
    make_user("taken")
    _eval_set, invitation, token = make_invitation()

    answer = client.post(link(token), form)

    assert field in answer.context["form"].errors
    invitation.refresh_from_db()
    assert invitation.accepted_at is None


def test_link_is_good_for_one_person() -> None:
    _eval_set, _invitation, token = make_invitation()
    accept_invitation(token=token, user=make_user(), at=timezone.now())

    with pytest.raises(PeopleError, match="used already"):
        accept_invitation(token=token, user=make_user(), at=timezone.now())


def test_member_who_opens_a_link_does_not_use_it_up() -> None:
    eval_set, invitation, token = make_invitation()
    member = make_member(eval_set, Role.ANNOTATOR)

    with pytest.raises(PeopleError, match=r"member of .* already"):
        accept_invitation(token=token, user=member, at=timezone.now())

    invitation.refresh_from_db()
    assert invitation.accepted_at is None
    assert eval_set.memberships.get(user=member).role == Role.ANNOTATOR


def test_expired_withdrawn_and_invented_links_say_why(client: Client) -> None:
    now = timezone.now()
    _set, withdrawn, withdrawn_token = make_invitation()
    revoke_invitation(invitation=withdrawn, at=now)
    _set, expired, expired_token = make_invitation()
    Invitation.objects.filter(pk=expired.pk).update(expires_at=now - timedelta(days=1))

    for token, words in [(withdrawn_token, "withdrawn"), (expired_token, "ran out"), ("invented", "does not exist")]:
        answer = client.get(link(token))
        assert answer.status_code == 410
        assert words in answer.content.decode()


def test_token_is_shown_once_and_kept_nowhere(client: Client) -> None:
    eval_set = make_eval_set()
    client.force_login(make_member(eval_set, Role.ADMINISTRATOR))

    answer = client.post(
        reverse("evalsets:invite_member", args=[eval_set.slug]), {"role": "lead", "note": "Ana", "days": 7}
    )

    shown = answer.context["link"]
    assert shown in answer.content.decode()
    assert shown not in client.get(reverse("evalsets:list_members", args=[eval_set.slug])).content.decode()
    assert shown.rstrip("/").rsplit("/", 1)[1] not in str(Invitation.objects.values_list().get())


def test_last_administrator_stays() -> None:
    eval_set = make_eval_set()
    only = eval_set.memberships.get(user=make_member(eval_set, Role.ADMINISTRATOR))

    with pytest.raises(PeopleError, match="last administrator"):
        remove_member(membership=only)
    with pytest.raises(PeopleError, match="last administrator"):
        change_role(membership=only, role=Role.LEAD)

    second = eval_set.memberships.get(user=make_member(eval_set, Role.ADMINISTRATOR))
    remove_member(membership=only)
    assert list(eval_set.memberships.all()) == [second]


def test_member_of_another_eval_set_cannot_be_changed_through_this_one(client: Client) -> None:
    eval_set, elsewhere = make_eval_set(), make_eval_set()
    client.force_login(make_member(eval_set, Role.ADMINISTRATOR))
    other = elsewhere.memberships.get(user=make_member(elsewhere, Role.ANNOTATOR))

    answer = client.post(reverse("evalsets:change_role", args=[eval_set.slug, other.pk]), {"role": "lead"})

    assert answer.status_code == 404
    other.refresh_from_db()
    assert other.role == Role.ANNOTATOR


def test_sign_in_is_paused_after_ten_wrong_passwords(client: Client) -> None:
    make_user("ana")
    for _ in range(10):
        answer = client.post(reverse("people:sign_in"), {"username": "ana", "password": "wrong"})

    assert answer.status_code == 429
    assert "Sign-in is paused" in answer.content.decode()
    again = client.post(reverse("people:sign_in"), {"username": "ana", "password": "a pass phrase"})
    assert again.status_code == 429


def test_sign_in_does_not_lead_to_another_site(client: Client) -> None:
    make_user("ana")

    answer = client.post(
        reverse("people:sign_in"), {"username": "ana", "password": "a pass phrase", "next": "https://example.org/"}
    )

    assert answer.headers["Location"] == "/"


def test_ended_session_under_htmx_leads_the_whole_page_to_sign_in(client: Client) -> None:
    eval_set = make_eval_set()

    answer = client.get(
        eval_set.get_absolute_url(), headers={"HX-Request": "true", "HX-Current-URL": "http://testserver/sets/x/grade/"}
    )

    assert answer.status_code == 200
    assert answer.headers["HX-Redirect"] == "/people/sign-in/?next=%2Fsets%2Fx%2Fgrade%2F"


def test_what_is_sent_by_htmx_after_the_session_ended_is_refused_and_the_page_stays(client: Client) -> None:
    eval_set = make_eval_set()

    answer = client.post(reverse("labelling:judge_candidate", args=[eval_set.slug]), headers={"HX-Request": "true"})

    assert answer.status_code == 401
    assert "HX-Redirect" not in answer.headers


def test_changed_password_is_asked_for_next_time(client: Client) -> None:
    user = make_user("ana")
    client.force_login(user)
    form = {"old_password": "a pass phrase", "new_password1": GOOD_PASSWORD, "new_password2": GOOD_PASSWORD}

    client.post(reverse("people:change_password"), form)

    assert User.objects.get(pk=user.pk).check_password(GOOD_PASSWORD)


def test_administrator_starts_an_eval_set_and_administers_it(client: Client) -> None:
    existing = make_eval_set()
    user = make_member(existing, Role.ADMINISTRATOR)
    client.force_login(user)
    form = {
        "name": "Policies",
        "slug": "policies",
        "corpus": "",
        "unit": "document",
        "scale": "binary",
        "threshold": 1,
        "gain": "lin",
        "depth_n": 100,
        "depth_k": 8,
    }

    client.post(reverse("evalsets:create_eval_set"), form)

    made = EvalSet.objects.get(slug="policies")
    assert (made.unit, made.scale, made.threshold, made.gain, made.depth_n, made.depth_k) == (
        "document",
        "binary",
        1,
        "lin",
        100,
        8,
    )
    assert made.memberships.get().role == Role.ADMINISTRATOR
    assert made.corpus.slug == "policies"


def test_corpus_of_strangers_cannot_be_taken(client: Client) -> None:
    mine, theirs = make_eval_set(), make_eval_set()
    client.force_login(make_member(mine, Role.ADMINISTRATOR))
    form = {
        "name": "Spy",
        "slug": "spy",
        "corpus": theirs.corpus.pk,
        "unit": "document",
        "scale": "graded",
        "threshold": 2,
        "gain": "exp",
        "depth_n": 50,
        "depth_k": 5,
    }

    answer = client.post(reverse("evalsets:create_eval_set"), form)

    assert "corpus" in answer.context["form"].errors
    assert not EvalSet.objects.filter(slug="spy").exists()


def test_list_of_eval_sets_takes_the_same_number_of_queries_whatever_its_length(
    client: Client, django_assert_num_queries: object
) -> None:
    first = make_eval_set()
    user = make_member(first, Role.LEAD)
    client.force_login(user)
    for _ in range(5):
        Membership.objects.create(eval_set=make_eval_set(), user=user, role=Role.ENGINEER)

    with django_assert_num_queries(4):  # type: ignore[operator]  # session, user, may they create, the list
        answer = client.get(reverse("evalsets:list_eval_sets"))

    assert len(answer.context["rows"]) == 6


@pytest.mark.django_db(transaction=True)
def test_of_many_who_open_one_link_at_once_one_gets_in() -> None:
    eval_set, _invitation, token = make_invitation()
    people = [make_user() for _ in range(6)]

    def join(user: User) -> bool:
        try:
            accept_invitation(token=token, user=user, at=timezone.now())
        except PeopleError:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(6) as pool:
        joined = list(pool.map(join, people))

    assert joined.count(True) == 1
    assert eval_set.memberships.filter(role=Role.LEAD).count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_administrators_who_remove_each_other_at_once_leave_one() -> None:
    eval_set = make_eval_set()
    memberships = [eval_set.memberships.get(user=make_member(eval_set, Role.ADMINISTRATOR)) for _ in range(2)]

    def remove(membership: Membership) -> bool:
        try:
            remove_member(membership=membership)
        except PeopleError:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(2) as pool:
        removed = list(pool.map(remove, memberships))

    assert sorted(removed) == [False, True]
    assert eval_set.memberships.count() == 1
