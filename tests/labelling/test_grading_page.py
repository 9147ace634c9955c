"""The grading page, as a page with plain forms and as fragments for htmx."""

import re
import uuid

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from evalsets.models import Candidate, Contribution, EvalSet, Pool, Query, Role
from evalsets.models.corpora import sha256_of
from labelling.annotators import get_annotator
from labelling.models import Judgment, Seat
from labelling.plans import declare_plan
from labelling.queue import take_next
from tests.factories import make_eval_set, make_member, make_query, make_user
from tests.labelling.queue_steps import make_seated_set

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


class Grader:
    """A member's browser, with what the grading page's form holds."""

    def __init__(self, eval_set: EvalSet, role: Role = Role.ANNOTATOR):
        self.eval_set = eval_set
        self.user = make_member(eval_set, role)
        self.client = Client()
        self.client.force_login(self.user)

    def url(self, name: str, *args):
        return reverse(f"labelling:{name}", args=[self.eval_set.slug, *args])

    def open(self, **query):
        return self.client.get(self.url("view_queue"), query)

    def send(self, page, url: str = "", headers=None, **fields):
        return self.client.post(url or self.url("judge_candidate"), read_form(page) | fields, headers=headers)


def read_form(page) -> dict[str, str]:
    names = ("candidate", "request_id", "rubric", "context_opened", "seconds")
    html = page.content.decode()
    return {name: re.search(rf'name="{name}" value="([^"]*)"', html)[1] for name in names}


@pytest.fixture
def eval_set():
    return make_seated_set(queries=2, per_query=3, rate=0.5)


def test_the_page_shows_query_need_passage_and_progress(eval_set):
    Query.objects.update(information_need="How long a copy is kept.", expected_scope="retention")

    html = Grader(eval_set).open().content.decode()

    assert "What is the answer to" in html
    assert "How long a copy is kept." in html
    assert "retention" in html
    assert "The answer is here." in html
    assert "0 of 3 in this query" in html
    assert "0 of 6 by you" in html


def test_a_plain_form_is_answered_with_a_redirect_to_the_next(eval_set):
    grader = Grader(eval_set)

    response = grader.send(grader.open(), grade="3", note="clear", seconds="4.21", context_opened="1")

    assert (response.status_code, response.url) == (302, grader.url("view_queue"))
    judgment = Judgment.objects.get()
    assert (judgment.grade, judgment.note, judgment.seconds, judgment.context_opened) == (3, "clear", 4.2, True)
    assert judgment.rubric.number == 1
    assert "1 of 3 in this query" in grader.open().content.decode()


def test_htmx_is_answered_with_the_next_card_alone(eval_set):
    grader = Grader(eval_set)
    page = grader.open()

    response = grader.send(page, headers=HTMX, grade="2")

    html = response.content.decode()
    assert response.status_code == 200
    assert html.strip().startswith('<div id="card"')
    assert "<html" not in html
    assert read_form(response)["candidate"] != read_form(page)["candidate"]
    assert "HX-Request" in response.headers["Vary"]


def test_next_and_submit_take_a_constant_number_of_queries(django_assert_max_num_queries):
    for queries, per_query in ((2, 3), (40, 20)):
        grader = Grader(make_seated_set(queries=queries, per_query=per_query, rate=0.5))
        page = grader.open()
        with django_assert_max_num_queries(34):
            page = grader.send(page, headers=HTMX, grade="2")


def test_a_double_click_counts_once(eval_set):
    grader = Grader(eval_set)
    page = grader.open()

    grader.send(page, headers=HTMX, grade="2")
    grader.send(page, headers=HTMX, grade="2")

    assert Judgment.objects.count() == 1


@pytest.mark.parametrize("fields", [{}, {"grade": "7"}, {"cannot_judge": "bored"}, {"grade": "1", "note": "x" * 2001}])
def test_what_is_no_judgment_is_said_and_nothing_typed_is_lost(eval_set, fields):
    grader = Grader(eval_set)
    page = grader.open()

    response = grader.send(page, headers=HTMX, **{"note": "typed"} | fields)

    assert response.status_code == 422
    assert 'role="alert"' in response.content.decode()
    assert fields.get("note", "typed") in response.content.decode()
    assert read_form(response)["candidate"] == read_form(page)["candidate"]
    assert not Judgment.objects.exists()


def test_a_request_id_that_is_none_is_refused(eval_set):
    grader = Grader(eval_set)

    response = grader.send(grader.open(), grade="1", request_id="no uuid")

    assert response.status_code == 422
    assert "Nothing was kept" in response.content.decode()


def test_a_request_id_that_somebody_used_answers_conflict(eval_set):
    first, second = Grader(eval_set), Grader(eval_set)
    used = read_form(page := first.open())["request_id"]
    first.send(page, grade="1")

    response = second.send(second.open(), headers=HTMX, grade="2", request_id=used)

    assert response.status_code == 409
    assert "same request" in response.content.decode()


def test_the_handle_of_somebody_else_is_not_found(eval_set):
    first, second = Grader(eval_set), Grader(eval_set)

    assert second.send(first.open(), grade="1").status_code == 404
    assert not Judgment.objects.exists()


@pytest.mark.parametrize("handle", ["", "1", "1-x", "9" * 40 + "-x", "²-x", "x-y", "%00"])
def test_a_made_up_handle_is_not_found(eval_set, handle):
    grader = Grader(eval_set)

    assert grader.send(grader.open(), grade="1", candidate=handle).status_code == 404


def test_undo_brings_the_candidate_back_with_what_was_said(eval_set):
    grader = Grader(eval_set)
    page = grader.open()
    following = grader.send(page, headers=HTMX, grade="1", note="a thought")
    undo_url = grader.url("undo_judgment", Judgment.objects.get().request_id)
    assert undo_url in following.content.decode()

    response = grader.client.post(undo_url, headers=HTMX)

    html = response.content.decode()
    assert read_form(response)["candidate"] == read_form(page)["candidate"]
    assert "a thought" in html
    assert re.search(r'value="1" data-key="1" aria-pressed="true"', html)
    assert not Judgment.objects.live().exists()


def test_undo_works_as_a_plain_form(eval_set):
    grader = Grader(eval_set)
    page = grader.open()
    grader.send(page, grade="1")

    response = grader.client.post(grader.url("undo_judgment", Judgment.objects.get().request_id), follow=True)

    assert read_form(response)["candidate"] == read_form(page)["candidate"]


def test_undo_takes_a_post(eval_set):
    grader = Grader(eval_set)
    grader.send(grader.open(), grade="1")

    assert grader.client.get(grader.url("undo_judgment", Judgment.objects.get().request_id)).status_code == 405


def test_one_goes_back_and_changes_and_comes_to_the_queue_again(eval_set):
    grader = Grader(eval_set)
    page = grader.open()
    following = grader.send(page, headers=HTMX, grade="1")
    review_url = grader.url("review_judgment", Judgment.objects.get().request_id)
    assert review_url in following.content.decode()

    review = grader.client.get(review_url)
    response = grader.send(review, review_url, headers=HTMX, grade="3")

    assert "Changing what you judged" in review.content.decode()
    assert read_form(review)["candidate"] == read_form(page)["candidate"]
    assert "It was 1, now it is 3." in response.content.decode()
    assert read_form(response)["candidate"] == read_form(following)["candidate"]
    assert [judgment.grade for judgment in Judgment.objects.live()] == [3]


def test_the_address_of_a_changed_judgment_leads_to_what_stands_now(eval_set):
    grader = Grader(eval_set)
    grader.send(grader.open(), grade="1")
    url = grader.url("review_judgment", Judgment.objects.get().request_id)
    grader.send(grader.client.get(url), url, grade="3")

    assert re.search(r'value="3" data-key="3" aria-pressed="true"', grader.client.get(url).content.decode())


def test_nobody_looks_at_the_judgments_of_somebody_else(eval_set):
    first, second = Grader(eval_set), Grader(eval_set)
    first.send(first.open(), grade="1", note="my own note")
    request_id = Judgment.objects.get().request_id

    assert second.client.get(second.url("review_judgment", request_id)).status_code == 404
    assert second.client.post(second.url("undo_judgment", request_id)).status_code == 404
    assert "my own note" not in second.client.get(second.url("list_judged")).content.decode()
    assert "my own note" in first.client.get(first.url("list_judged")).content.decode()


def test_a_judgment_that_nobody_gave_is_not_found(eval_set):
    grader = Grader(eval_set)

    assert grader.client.get(grader.url("review_judgment", uuid.uuid4())).status_code == 404


def test_the_list_of_judgments_takes_few_queries(eval_set, django_assert_max_num_queries):
    grader = Grader(eval_set)
    for _ in range(6):
        grader.send(grader.open(), grade="1")

    with django_assert_max_num_queries(12):
        grader.client.get(grader.url("list_judged"))


def test_the_end_is_said_as_it_is(eval_set):
    grader = Grader(eval_set)
    for _ in range(6):
        grader.send(grader.open(), grade="1")

    html = grader.open().content.decode()

    assert "Nothing left to grade" in html
    assert "You have graded 6 of 6 candidates" in html


def test_what_others_hold_is_said():
    eval_set = make_seated_set(queries=1, per_query=1)
    Grader(eval_set).open()

    assert "The rest is in other hands" in Grader(eval_set).open().content.decode()


def test_an_eval_set_without_a_pool_says_so():
    assert "Nothing to grade yet" in Grader(make_eval_set()).open().content.decode()


def test_a_late_grade_is_kept_and_said():
    eval_set = make_seated_set(queries=1, per_query=1)
    late, other = Grader(eval_set), Grader(eval_set)
    page = late.open()
    Seat.objects.update(leased_until=timezone.now())
    other.open()

    response = late.send(page, headers=HTMX, grade="0")

    assert "kept as an extra label" in response.content.decode()
    assert Judgment.objects.get().seat is None


def test_wider_context_works_without_scripts(eval_set):
    assert 'data-context="wide"' in Grader(eval_set).open(wide="1").content.decode()


def make_telling_set() -> EvalSet:
    """Candidates whose row numbers, ids and contributions can be recognised wherever they come out."""
    eval_set = make_eval_set()
    query = make_query(eval_set)
    pool = Pool.objects.create(eval_set=eval_set, number=1, strategy="secretpooling", depth=20, candidate_count=4)
    for rank in range(1, 5):
        text = f"Passage {'abcd'[rank - 1]}."
        candidate = Candidate.objects.create(
            pk=900_000 + rank,
            query=query,
            doc_id=f"secretdoc{rank}",
            own_text=text,
            text_sha256=sha256_of(text),
            pool=pool,
        )
        Contribution.objects.create(candidate=candidate, run=None, score=0.87654)
    declare_plan(eval_set=eval_set, rate=0.5, seed="secretseed", by=None)
    return eval_set


@pytest.mark.parametrize("role", [Role.ANNOTATOR, Role.LEAD, Role.ADMINISTRATOR])
def test_nothing_but_the_blind_part_of_a_candidate_reaches_the_page(role):
    eval_set = make_telling_set()
    peer = Grader(eval_set)
    peer.send(peer.open(), grade="1", note="a peer's note")
    grader = Grader(eval_set, role)
    hidden = ("0.87654", "secret", "a peer", peer.user.username, "90000", "double", "twice")
    fields = {"csrfmiddlewaretoken", "candidate", "request_id", "rubric", "seconds", "context_opened"}

    pages = [grader.open()]
    while "Nothing left" not in pages[-1].content.decode():
        pages.append(grader.send(pages[-1], headers=HTMX, grade="2"))
    pages += [grader.client.get(grader.url("list_judged")), grader.client.get(grader.url("view_rubric"))]

    assert len(pages) >= 5
    for page in pages:
        html = page.content.decode()
        assert [word for word in hidden if word in html[html.find('<main id="main"') :]] == []
        assert set(re.findall(r'type="hidden" name="(\w+)"', html)) <= fields


def test_pages_of_both_seats_of_a_double_label_differ_in_nothing_that_tells(eval_set):
    eval_set = make_seated_set(queries=1, per_query=1, rate=1.0)
    pages = [Grader(eval_set).open().content.decode() for _ in range(2)]
    single = Grader(make_seated_set(queries=1, per_query=1, rate=0.0)).open().content.decode()

    shapes = [re.sub(r"[0-9a-f]{32}|[0-9a-f-]{36}|\d+|csrf\w+", "", strip_tokens(page)) for page in [*pages, single]]

    assert shapes[0] == shapes[1] == shapes[2]


def strip_tokens(html: str) -> str:
    return re.sub(r'(?:value="|x-csrftoken": ")[A-Za-z0-9]{64}"|person\w+|set-\w+|Set \w+', "", html)


def test_hostile_passages_and_queries_are_shown_as_text(eval_set):
    hostile = '# Head\n\n<script>alert(1)</script> <img src=x onerror=alert(2)> [x](javascript:alert(3))\n\n|a|b|\n|-|-|\n|1|"><b>|'
    Query.objects.update(text="<script>alert(4)</script>")
    Candidate.objects.update(own_text=hostile, source_document=None)

    html = Grader(eval_set).open().content.decode()

    desk = html[html.index('<main id="main"') : html.index("</main>")]
    assert "<script>alert" not in desk
    assert "<img" not in desk
    assert "&lt;script&gt;alert(4)" in desk
    assert 'href="javascript' not in desk


def test_grading_needs_the_right_and_membership(eval_set):
    engineer = Grader(eval_set, Role.ENGINEER)
    outsider = Client()
    outsider.force_login(make_user())

    assert engineer.open().status_code == 403
    assert outsider.get(engineer.url("view_queue")).status_code == 404


def test_a_grade_of_somebody_signed_out_leads_to_signing_in(eval_set):
    grader = Grader(eval_set)
    page = grader.open()
    grader.client.logout()

    response = grader.send(page, grade="1")

    assert response.status_code == 302
    assert "sign-in" in response.url
    assert take_next(annotator=get_annotator(eval_set, grader.user), at=timezone.now()) is not None
