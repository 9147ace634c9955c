"""Importing on the page: choose, look, settle what is open, import; nothing is written before."""

from __future__ import annotations

import gzip
import json
import zipfile
from io import BytesIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from evalsets.importing.uploads import KEPT_FOR, forget_abandoned
from evalsets.models import Document, EvalSet, Import, ImportState, Job, JobState, Query, Role, Run, Snapshot, Upload
from labelling.models import Judgment
from tests.evalsets.import_steps import count_rows, make_empty_set, make_set
from tests.factories import make_member
from tests.shared_data import shared_data

pytestmark = pytest.mark.django_db(transaction=True)


class Person:
    """Somebody at the pages of imports."""

    def __init__(self, eval_set: EvalSet, role: Role = Role.ENGINEER) -> None:
        self.eval_set = eval_set
        self.client = Client()
        self.client.force_login(make_member(eval_set, role))

    def url(self, name: str, *args: Any) -> str:
        return reverse(f"evalsets:{name}", args=[self.eval_set.slug, *args])

    def send(self, kind: str, *files: tuple[str, bytes | str]) -> Any:
        sent = [SimpleUploadedFile(name, data.encode() if isinstance(data, str) else data) for name, data in files]
        return self.client.post(self.url("start_import", kind), {"file": sent})

    def choose(self, **options: str) -> Import:
        item = Import.objects.latest("pk")
        self.client.post(self.url("view_import", item.pk), options)
        item.refresh_from_db()
        return item

    def page(self) -> str:
        response = self.client.get(self.url("view_import", Import.objects.latest("pk").pk))
        assert response.status_code == 200
        return response.content.decode()

    def confirm(self) -> Import:
        item = Import.objects.latest("pk")
        response = self.client.post(self.url("confirm_import", item.pk))
        assert response.status_code == 302
        item.refresh_from_db()
        return item


@pytest.fixture
def person() -> Person:
    return Person(make_set({"q1": "one", "q2": "two"}))


TWO_DOCUMENTS = '{"_id": "d1", "text": "first"}\n{"_id": "d2", "text": "second"}\n'
DISAGREEING = "q1 Q0 d3 1 0.11 a\nq1 Q0 d2 2 0.42 a\n"


def test_documents_are_shown_first_and_written_when_they_are_confirmed(person: Person) -> None:
    person.send("documents", ("corpus.jsonl", TWO_DOCUMENTS))

    page = person.page()
    assert "Import 2 documents" in page
    assert "first" in page
    assert not Document.objects.exists()

    item = person.confirm()

    assert item.state == ImportState.DONE
    person.eval_set.refresh_from_db()
    assert person.eval_set.snapshot == Snapshot.objects.get()
    assert Document.objects.count() == 2
    assert not Upload.objects.exists()
    assert "2 documents" in person.page()


def test_new_snapshot_is_only_kept_when_one_says_so(person: Person) -> None:
    person.send("documents", ("first.jsonl", TWO_DOCUMENTS))
    person.confirm()
    person.send("documents", ("corpus.jsonl", TWO_DOCUMENTS))
    person.choose(use="no")

    person.confirm()

    person.eval_set.refresh_from_db()
    assert person.eval_set.snapshot == Snapshot.objects.get(number=1)
    assert Snapshot.objects.complete().count() == 2


def test_several_markdown_files_become_one_snapshot(person: Person) -> None:
    person.send("documents", ("a.md", "# A\ntext of a\n"), ("b.md", "# B\ntext of b\n"))

    item = person.confirm()

    assert item.state == ImportState.DONE
    assert sorted(Document.objects.values_list("doc_id", flat=True)) == ["a.md", "b.md"]


def test_several_other_files_are_imports_of_their_own(person: Person) -> None:
    response = person.send("queries", ("a.tsv", "a\tfirst\n"), ("b.tsv", "b\tsecond\n"))

    assert response["Location"] == person.url("list_imports")
    assert Import.objects.filter(state=ImportState.READY).count() == 2
    assert "a.tsv" in person.client.get(response["Location"]).content.decode()


def test_zip_of_a_folder_and_packed_files_are_read(person: Person) -> None:
    folder = BytesIO()
    with zipfile.ZipFile(folder, "w") as archive:
        archive.writestr("guides/backup.md", "# Backup\nEvery night.\n")
        archive.writestr("start.md", "# Start\nHere.\n")
    person.send("documents", ("handbook.zip", folder.getvalue()))
    person.confirm()
    person.send("queries", ("queries.jsonl.gz", gzip.compress(b'{"_id": "x", "text": "packed"}\n')))
    person.confirm()

    assert set(Document.objects.values_list("doc_id", flat=True)) == {"guides/backup.md", "start.md"}
    assert Query.objects.get(query_id="x").text == "packed"


def test_problem_that_two_choices_would_settle_offers_both_as_buttons(person: Person) -> None:
    person.send("run", ("a.run", DISAGREEING))

    page = person.page()
    assert 'name="order" value="rank"' in page
    assert 'name="order" value="score"' in page
    assert "confirm" not in page

    item = person.choose(order="score")
    assert item.state == ImportState.READY
    person.confirm()

    results = Run.objects.get().answers.get().results.order_by("rank")
    assert list(results.values_list("doc_id", flat=True)) == ["d2", "d3"]


def test_values_that_are_no_grades_are_given_a_meaning_on_the_page(person: Person) -> None:
    person.send("labels", ("l.csv", "query_id,doc_id,grade\nq1,d1,good\nq1,d2,bad\nq2,d1,unrateable\n"))

    page = person.page()
    assert "good (1)" in page
    item = Import.objects.get()
    values = [one["value"] for one in item.preview["unmapped"]]
    chosen = {"good": "3", "bad": "0", "unrateable": "cannot_judge"}
    person.choose(meanings="1", **{f"value-{number}": chosen[value] for number, value in enumerate(values)})
    person.confirm()

    assert sorted(Judgment.objects.values_list("grade", flat=True), key=str) == [0, 3, None]


def test_meanings_given_in_two_steps_add_up(person: Person) -> None:
    person.send("labels", ("l.csv", 'query_id,doc_id,grade\nq1,d1,good\nq1,d2,"bad, really"\n'))

    person.choose(mapping="good=3")
    item = person.choose(mapping=json.dumps({"bad, really": "0"}))

    assert item.state == ImportState.READY


def test_choice_of_another_format_drops_what_that_format_does_not_take(person: Person) -> None:
    person.send("labels", ("l.txt", "q1 d1 3\n"))

    person.choose(columns="doc_id=x")
    item = person.choose(format="three_columns")

    assert item.state == ImportState.READY
    assert item.options == {"format": "three_columns"}


def test_all_problems_are_counted_a_hundred_shown_and_all_in_the_file(person: Person) -> None:
    person.send("labels", ("l.csv", "query_id,doc_id,grade\n" + "".join(f"q1,d{n},x\n" for n in range(250))))

    page = person.page()
    assert "250 problems, the first 100 shown" in page
    item = Import.objects.get()
    exported = person.client.get(person.url("export_problems", item.pk)).content.decode()
    assert len(exported.splitlines()) == 251


def test_problem_inside_an_archive_names_the_file(person: Person) -> None:
    folder = BytesIO()
    with zipfile.ZipFile(folder, "w") as archive:
        archive.writestr("good.md", "# Good\n")
        archive.writestr("guides/bad.md", "---\nlifecycle: rotten\n---\n# Bad\n")
    person.send("documents", ("handbook.zip", folder.getvalue()))

    page = person.page()

    assert "guides/bad.md" in page
    assert "rotten" in page


def test_second_click_on_import_changes_nothing(person: Person) -> None:
    person.send("queries", ("a.tsv", "a\tfirst\n"))
    person.confirm()
    before = count_rows()

    item = person.confirm()

    assert item.state == ImportState.DONE
    assert count_rows() == before


def test_what_changed_since_the_preview_is_found_when_it_is_confirmed(person: Person) -> None:
    person.send("run", ("a.run", "q1 Q0 d1 1 2.0 a\n"))
    Query.objects.filter(query_id="q1").delete()
    before = count_rows()

    item = person.confirm()

    assert item.state == ImportState.REFUSED
    assert count_rows() == before
    assert "q1" in person.page()


def test_given_up_import_keeps_nothing_but_its_line(person: Person) -> None:
    person.send("queries", ("a.tsv", "a\tfirst\n"))
    item = Import.objects.get()

    person.client.post(person.url("cancel_import", item.pk))

    item.refresh_from_db()
    assert item.state == ImportState.CANCELLED
    assert not Upload.objects.exists()
    assert person.confirm().state == ImportState.CANCELLED
    assert "given up" in person.page()


def test_file_over_the_limit_and_empty_file_are_refused_with_the_limit(person: Person, settings: Any) -> None:
    settings.UPLOAD_LIMIT_BYTES = 1024 * 1024

    large = person.send("queries", ("a.tsv", b"a\tb\n" * 400_000))
    empty = person.send("queries", ("a.tsv", b""))

    assert large.status_code == empty.status_code == 422
    assert "the limit is 1 MB" in large.content.decode()
    assert "empty" in empty.content.decode()
    assert not Import.objects.exists()
    assert not Upload.objects.exists()


def test_file_without_rows_is_not_imported(person: Person) -> None:
    person.send("queries", ("a.csv", "id,query\n"))

    assert Import.objects.get().state == ImportState.REFUSED
    assert "at least one row" in person.page()


def test_file_with_nul_and_broken_bytes_shows_its_problem(person: Person) -> None:
    for data in (b"a\0b\tc\n", b"\xff\xfea\tb\n", b"\xc3\x28\tb\n"):
        person.send("queries", ("a.tsv", data))

        assert Import.objects.latest("pk").state == ImportState.REFUSED
        assert "encoding" in person.page()


def test_hostile_names_and_values_are_text_on_the_page(person: Person) -> None:
    person.send(
        "labels", ("<script>x</script>.csv", "query_id,doc_id,grade\nq1,<script>y</script>,<script>z</script>\n")
    )

    page = person.page()

    assert "<script>x" not in page
    assert "<script>y" not in page
    assert "<script>z" not in page


def test_large_file_is_read_and_written_by_a_job_with_progress(person: Person) -> None:
    lines = "".join(json.dumps({"_id": f"d{n}", "text": f"text {n} " * 40}) + "\n" for n in range(6000))
    assert len(lines) > 2 * 1024 * 1024

    person.send("documents", ("corpus.jsonl", lines))
    assert Job.objects.get(kind="preview_import").state == JobState.DONE
    item = person.confirm()

    job = Job.objects.get(kind="apply_import")
    assert (job.state, job.done, job.total) == (JobState.DONE, 6000, 6000)
    assert item.state == ImportState.DONE
    assert Snapshot.objects.get().job == job
    assert Document.objects.count() == 6000


def test_job_asked_by_htmx_is_a_fragment_and_reloads_the_page_that_it_leads_to(person: Person) -> None:
    url = person.url("list_imports")
    job = Job.objects.create(kind="x", title="Work", eval_set=person.eval_set, next_url=url, state=JobState.RUNNING)
    headers = {"HX-Request": "true", "HX-Current-URL": f"http://testserver{url}"}

    running = person.client.get(person.url("view_job", job.pk), headers=headers)
    Job.objects.update(state=JobState.DONE)
    done = person.client.get(person.url("view_job", job.pk), headers=headers)
    page = person.client.get(person.url("view_job", job.pk))

    assert b"<html" not in running.content
    assert b"every 2s" in running.content
    assert "HX-Refresh" not in running
    assert done["HX-Refresh"] == "true"
    assert b"<html" in page.content


def test_waiting_job_is_stopped_at_once(person: Person) -> None:
    job = Job.objects.create(kind="x", title="Work", eval_set=person.eval_set)

    person.client.post(person.url("cancel_job", job.pk))

    job.refresh_from_db()
    assert job.state == JobState.CANCELLED


def test_uploads_that_nobody_imports_are_forgotten_after_two_weeks(person: Person) -> None:
    person.send("queries", ("a.tsv", "a\tfirst\n"))
    Upload.objects.update(uploaded_at=timezone.now() - KEPT_FOR)

    assert forget_abandoned(at=timezone.now()) == 1

    assert Import.objects.get().state == ImportState.CANCELLED
    assert not Upload.objects.exists()


def test_import_of_another_eval_set_is_not_there(person: Person) -> None:
    person.send("queries", ("a.tsv", "a\tfirst\n"))
    other = Person(make_empty_set("other"))

    for name in ("view_import", "export_problems"):
        assert other.client.get(other.url(name, Import.objects.get().pk)).status_code == 404


def test_list_of_imports_asks_as_often_for_many_as_for_one(person: Person, django_assert_max_num_queries: Any) -> None:
    for number in range(12):
        person.send("queries", (f"{number}.tsv", f"x{number}\ttext {number}\n"))

    with django_assert_max_num_queries(12):
        person.client.get(person.url("list_imports"))


@pytest.mark.parametrize(
    ("kind", "name"),
    [("quepid", "43-quepid-book.json"), ("retrieval_log", "48-retrieval-log.jsonl")],
)
def test_books_and_logs_make_their_queries_by_one_button(person: Person, kind: str, name: str) -> None:
    person.send(kind, (name, shared_data("messy", name).read_bytes()))
    assert 'name="unknown_queries" value="create"' in person.page()

    person.choose(unknown_queries="create")

    assert person.confirm().state == ImportState.DONE
