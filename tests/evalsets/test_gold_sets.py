"""Gold set versions in the database: the same content in, out and elsewhere, and nothing changed on the way."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from hypothesis import given, settings
from hypothesis.extra.django import TestCase

from evalsets.frozen import FrozenError
from evalsets.gold.archive import write_archive
from evalsets.gold.canonical import canonical_lines, checksum
from evalsets.gold.checking import GoldContentError
from evalsets.gold_sets import (
    GoldSetChangedError,
    GoldSetError,
    GoldSetExistsError,
    describe_substance,
    export_gold_set,
    import_gold_set,
    list_changes,
    read_gold_set,
    store_gold_set,
)
from evalsets.models import GoldLabel, GoldQuery, GoldSet
from tests.evalsets.gold_contents import contents, label, small_content
from tests.factories import make_eval_set
from tests.labelling.queue_steps import NOON

pytestmark = pytest.mark.django_db


def store(content, eval_set=None):
    return store_gold_set(eval_set=eval_set or make_eval_set(), content=content, by=None, at=NOON)


def bring(data, eval_set=None):
    return import_gold_set(eval_set=eval_set or make_eval_set(), data=data, by=None, at=NOON)


def slip_in(gold_set, content):
    """Add a label to a version past everything that publishes; nothing in a database forbids new rows."""
    return GoldLabel.objects.create(
        gold_set=gold_set, query_id="q1", doc_id="slipped in", grade=3, provenance="single", content=content
    )


class RoundTrips(TestCase):
    @given(contents())
    @settings(max_examples=40, deadline=None)
    def test_odd_content_survives_the_database(self, content):
        gold_set = store(content)

        found = read_gold_set(GoldSet.objects.get(pk=gold_set.pk))

        assert list(canonical_lines(found)) == list(canonical_lines(content))

    @given(contents())
    @settings(max_examples=25, deadline=None)
    def test_an_export_imported_elsewhere_has_the_same_checksum_and_bytes(self, content):
        gold_set = store(content)
        data = export_gold_set(gold_set)

        other = bring(data)

        assert other.sha256 == gold_set.sha256
        assert export_gold_set(other) == data


def test_versions_are_numbered_in_their_eval_set():
    eval_set = make_eval_set()

    numbers = [store(small_content(version=version), eval_set).number for version in (1, 2)]

    assert numbers == [1, 2]
    assert store(small_content()).number == 1


def test_an_import_takes_the_next_number_and_keeps_its_own_header():
    eval_set = make_eval_set()
    store(small_content(), eval_set)

    gold_set = bring(write_archive(small_content(version=7)), eval_set)

    assert (gold_set.number, gold_set.header["version"], gold_set.imported) == (2, 7, True)


def test_the_same_content_twice_says_so():
    eval_set = make_eval_set()
    data = export_gold_set(store(small_content(), eval_set))

    with pytest.raises(GoldSetExistsError, match="is here already: it is version 1"):
        bring(data, eval_set)
    assert eval_set.gold_sets.count() == 1


def test_a_changed_byte_is_refused_and_nothing_is_kept():
    data = bytearray(write_archive(small_content()))
    position = data.index(b"gold.jsonl") + 40
    data[position] ^= 1

    with pytest.raises(GoldSetChangedError, match="Nothing was imported"):
        bring(bytes(data))
    assert not GoldSet.objects.exists()
    assert not GoldQuery.objects.exists()


def test_a_file_that_is_no_gold_set_is_refused():
    with pytest.raises(GoldSetError, match="not a whole zip file") as error:
        bring(b"q1 0 d1 2\n")
    assert not isinstance(error.value, GoldSetChangedError)


def test_content_that_is_no_gold_set_is_not_stored():
    content = small_content(threshold=9)

    with pytest.raises(GoldContentError, match="threshold is 9"):
        store(content)


@pytest.mark.parametrize("model", [GoldSet, GoldQuery, GoldLabel])
def test_a_version_cannot_be_changed(model):
    store(small_content())
    row = model.objects.first()

    with pytest.raises(FrozenError):
        row.save()
    with pytest.raises(FrozenError):
        model.objects.all().delete()
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"UPDATE {model._meta.db_table} SET id = id")


def test_a_version_that_was_changed_past_all_guards_is_not_exported():
    gold_set = store(small_content())
    slip_in(gold_set, label("q1", "slipped in", "", 3))

    with pytest.raises(GoldSetChangedError, match="is not what was published"):
        export_gold_set(GoldSet.objects.get(pk=gold_set.pk))


def test_substance_leaves_out_number_notes_and_time():
    first = small_content()

    assert describe_substance(first) == describe_substance(small_content(version=2, notes="x", published_at="later"))
    assert describe_substance(first) != describe_substance(small_content(threshold=1))


def test_changes_are_what_came_went_and_got_another_grade():
    old, new = small_content(), small_content()
    new.labels[:] = [new.labels[0] | {"grade": 1}, new.labels[2], label("q2", "terms", "", 0)]

    found = [(one["doc_id"], one["section_id"], one["old"], one["new"]) for one in list_changes(old, new)]

    assert found == [("retention", "how-long", 3, 1), ("retention", "where", 1, None), ("terms", "", None, 0)]


def test_the_commands_carry_a_gold_set_from_one_eval_set_to_another(tmp_path, capsys):
    here, there = make_eval_set(), make_eval_set()
    gold_set = store(small_content(), here)
    path = tmp_path / "gold.zip"

    call_command("export_gold", here.slug, "1", str(path), "--json")
    exported = json.loads(capsys.readouterr().out)
    call_command("import_gold", there.slug, str(path), "--json")
    imported = json.loads(capsys.readouterr().out)

    assert exported["sha256"] == imported["sha256"] == gold_set.sha256 == checksum(small_content())
    assert (imported["eval_set"], imported["number"], imported["labels"]) == (there.slug, 1, 3)


def test_the_commands_end_with_the_codes_that_scripts_read(tmp_path):
    eval_set = make_eval_set()
    path, changed = tmp_path / "gold.zip", tmp_path / "changed.zip"
    data = write_archive(small_content())
    path.write_bytes(data)
    at = data.index(b"gold.jsonl") + 40
    changed.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    call_command("import_gold", eval_set.slug, str(path))

    cases = [
        (("import_gold", eval_set.slug, str(changed)), 4),
        (("import_gold", eval_set.slug, str(path)), 2),
        (("import_gold", eval_set.slug, str(tmp_path / "none.zip")), 2),
        (("import_gold", "nowhere", str(path)), 2),
        (("export_gold", eval_set.slug, "9", str(tmp_path / "out.zip")), 2),
        (("export_gold", eval_set.slug, "1", str(tmp_path / "no" / "folder.zip")), 2),
    ]
    for command, code in cases:
        with pytest.raises(CommandError) as error:
            call_command(*command)
        assert error.value.returncode == code, command
    assert not (tmp_path / "out.zip").exists()


def test_an_export_does_not_leave_half_a_file(tmp_path):
    eval_set = make_eval_set()
    slip_in(store(small_content(), eval_set), {})
    path = tmp_path / "gold.zip"

    with pytest.raises(CommandError) as error:
        call_command("export_gold", eval_set.slug, "1", str(path))

    assert error.value.returncode == 4
    assert list(tmp_path.iterdir()) == []
