"""The pages of published gold sets."""

import hashlib
import io
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from evalsets.gold.archive import write_archive
from evalsets.gold.canonical import GoldContent
from evalsets.gold_sets import store_gold_set
from evalsets.models import GoldLabel, GoldSet, Role
from tests.evalsets.gold_contents import HEADER, label, query, small_content
from tests.factories import make_eval_set, make_member
from tests.labelling.queue_steps import NOON

pytestmark = pytest.mark.django_db


def store(eval_set, content=None, **fields):
    return store_gold_set(eval_set=eval_set, content=content or small_content(), by=None, at=NOON, **fields)


def browser(eval_set, role=Role.ENGINEER):
    client = Client()
    client.force_login(make_member(eval_set, role))
    return client


def open_page(eval_set, name, *args, role=Role.ENGINEER, **params):
    return browser(eval_set, role).get(reverse(f"evalsets:{name}", args=[eval_set.slug, *args]), params)


def send_file(eval_set, data, role=Role.LEAD):
    url = reverse("evalsets:import_gold_set", args=[eval_set.slug])
    return browser(eval_set, role).post(url, {"file": SimpleUploadedFile("gold.zip", data)})


def test_versions_are_listed_latest_first():
    eval_set = make_eval_set()
    store(eval_set)
    store(eval_set, small_content(version=2))

    html = open_page(eval_set, "list_gold_sets").content.decode()

    assert html.index("Version 2") < html.index("Version 1")
    assert "0.742" in html


def test_an_empty_list_says_who_publishes():
    eval_set = make_eval_set()

    assert "A lead publishes the first version" in open_page(eval_set, "list_gold_sets").content.decode()
    assert "See the checklist" in open_page(eval_set, "list_gold_sets", role=Role.LEAD).content.decode()


def test_the_card_says_what_the_version_holds_and_stands_on():
    eval_set = make_eval_set()
    gold_set = store(eval_set, small_content(notes="For the release."))

    html = open_page(eval_set, "view_gold_set", 1).content.decode()

    assert gold_set.sha256 in html
    assert "2 of them relevant" in html
    assert "0.742" in html
    assert "0.610 to 0.830" in html
    assert "adjudicated" in html
    assert "holdout" in html
    assert "For the release." in html
    assert "retention \u203a how-long" in html
    assert "What does it cost?" in html


def test_the_card_shows_changes_since_the_version_before():
    eval_set = make_eval_set()
    store(eval_set)
    content = small_content(version=2)
    content.labels[0]["grade"] = 0
    store(eval_set, content)

    html = open_page(eval_set, "view_gold_set", 2).content.decode()

    assert "Changed since version 1" in html
    assert "1 label<" in html


def test_a_card_of_a_bare_header_opens_too():
    eval_set = make_eval_set()
    bare = {
        key: HEADER[key] for key in ("format", "version", "unit", "scale", "threshold", "gain", "depth_n", "depth_k")
    }
    store(eval_set, GoldContent(header=bare, queries=[query("q1")], labels=[label("q1", "d1")]), imported=True)

    assert open_page(eval_set, "view_gold_set", 1).status_code == 200
    assert open_page(eval_set, "list_gold_sets").status_code == 200


def test_the_card_takes_the_same_queries_however_large_the_version_is(django_assert_max_num_queries):
    for count in (2, 60):
        eval_set = make_eval_set()
        queries = [query(f"q{number}") for number in range(count)]
        labels = [label(one["query_id"], f"d{number}") for one in queries for number in range(3)]
        store(eval_set, GoldContent(header=HEADER, queries=queries, labels=labels))
        client = browser(eval_set)
        with django_assert_max_num_queries(14):
            client.get(reverse("evalsets:view_gold_set", args=[eval_set.slug, 1]))


def test_the_export_is_the_same_bytes_every_time():
    eval_set = make_eval_set()
    store(eval_set)

    first, second = (open_page(eval_set, "export_gold_set", 1) for _ in range(2))

    assert first.content == second.content == write_archive(small_content())
    assert first["Content-Disposition"] == f'attachment; filename="{eval_set.slug}-gold-1.zip"'
    assert first["Content-Type"] == "application/zip"


def test_a_version_that_was_changed_is_not_exported():
    eval_set = make_eval_set()
    gold_set = store(eval_set)
    extra = label("q1", "slipped in")
    GoldLabel.objects.create(
        gold_set=gold_set, query_id="q1", doc_id="slipped in", grade=0, provenance="single", content=extra
    )

    response = open_page(eval_set, "export_gold_set", 1)

    assert response.status_code == 409
    assert "is not what was published" in response.content.decode()


def test_an_export_is_imported_elsewhere_under_its_checksum():
    here, there = make_eval_set(), make_eval_set()
    gold_set = store(here)
    data = open_page(here, "export_gold_set", 1).content

    response = send_file(there, data)

    assert response.url == reverse("evalsets:view_gold_set", args=[there.slug, 1])
    imported = there.gold_sets.get()
    assert (imported.sha256, imported.imported) == (gold_set.sha256, True)
    assert "published elsewhere as version 1 of Handbook" in open_page(there, "view_gold_set", 1).content.decode()


@pytest.mark.parametrize(
    ("change", "status", "words"),
    [
        (lambda data: data[:-100], 422, "Nothing was imported"),
        (lambda data: data.replace(b"gold.jsonl", b"gold.jsonm", 1), 409, "Nothing was imported"),
        (lambda data: b"query 0 doc 1\n", 422, "not a whole zip file"),
    ],
)
def test_a_damaged_or_foreign_file_is_refused_in_words(change, status, words):
    eval_set = make_eval_set()

    response = send_file(eval_set, change(write_archive(small_content())))

    assert response.status_code == status
    assert words in response.content.decode()
    assert not GoldSet.objects.exists()


def test_the_same_content_twice_says_so():
    eval_set = make_eval_set()
    data = write_archive(small_content())
    send_file(eval_set, data)

    response = send_file(eval_set, data)

    assert response.status_code == 422
    assert "This content is here already: it is version 1" in response.content.decode()


def test_a_file_over_the_limit_is_refused(settings):
    settings.UPLOAD_LIMIT_BYTES = 100
    eval_set = make_eval_set()

    assert send_file(eval_set, write_archive(small_content())).status_code == 422


def test_no_file_is_said():
    eval_set = make_eval_set()
    response = browser(eval_set, Role.LEAD).post(reverse("evalsets:import_gold_set", args=[eval_set.slug]), {})

    assert response.status_code == 422


@pytest.mark.parametrize(
    ("role", "read", "bring"), [(Role.ANNOTATOR, 403, 403), (Role.ENGINEER, 200, 403), (Role.LEAD, 200, 302)]
)
def test_who_reads_and_who_brings_gold_sets(role, read, bring):
    eval_set = make_eval_set()
    store(eval_set)

    for name, args in (("list_gold_sets", ()), ("view_gold_set", (1,)), ("export_gold_set", (1,))):
        assert open_page(eval_set, name, *args, role=role).status_code == read
    assert send_file(eval_set, write_archive(small_content(version=5)), role).status_code == bring


def test_texts_of_a_foreign_gold_set_are_escaped():
    eval_set = make_eval_set()
    content = small_content(notes="<b>bold</b>")
    content.queries[0]["text"] = "<script>alert(1)</script>"
    store(eval_set, content)

    html = open_page(eval_set, "view_gold_set", 1).content.decode()

    assert "<script>alert" not in html
    assert "<b>bold</b>" not in html


def test_the_checksum_is_over_the_canonical_lines():
    eval_set = make_eval_set()
    gold_set = store(eval_set)

    data = open_page(eval_set, "export_gold_set", 1).content

    lines = zipfile.ZipFile(io.BytesIO(data)).read("gold.jsonl")
    assert hashlib.sha256(lines).hexdigest() == gold_set.sha256
