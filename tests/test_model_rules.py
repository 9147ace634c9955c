"""Rules of the house that hold for every table, setting and answer, whoever adds the next one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, models, transaction
from django.test import Client
from django.utils import timezone

from evalsets.frozen import Frozen, FrozenError
from evalsets.models import Answer, Document, Query, Role, Run, Snapshot
from tests.factories import make_eval_set, make_member
from tests.frozen_rows import CHANGES, make_frozen_rows

ROOT = Path(__file__).resolve().parent.parent
# Which other app's tables a table may point at.
POINTS_AT = {"evalsets": {"auth"}, "labelling": {"auth", "evalsets"}, "scoring": {"auth", "evalsets"}}


def list_models() -> Iterator[type[models.Model]]:
    for label in POINTS_AT:
        yield from apps.get_app_config(label).get_models()


def list_relations() -> Iterator[tuple[str, models.ForeignKey]]:
    for model in list_models():
        for field in model._meta.get_fields():
            if isinstance(field, models.ForeignKey | models.ManyToManyField):
                yield f"{model.__name__}.{field.name}", field  # type: ignore[misc]


FROZEN = [model for model in list_models() if model.frozen]  # type: ignore[attr-defined]


def test_every_model_says_whether_it_is_frozen() -> None:
    silent = [model.__name__ for model in list_models() if not isinstance(getattr(model, "frozen", None), bool)]

    assert not silent


def test_relations_follow_the_directions_of_imports() -> None:
    astray = [
        name
        for name, field in list_relations()
        if field.related_model._meta.app_label
        not in POINTS_AT[field.model._meta.app_label] | {field.model._meta.app_label}
    ]

    assert not astray


def test_relation_to_another_app_leaves_no_way_back() -> None:
    leaving = [
        name
        for name, field in list_relations()
        if field.related_model._meta.app_label != field.model._meta.app_label and field.remote_field.related_name != "+"
    ]

    assert not leaving


def test_who_did_it_and_when_travel_in_pairs() -> None:
    lonely = [
        name
        for name, field in list_relations()
        if field.name.endswith("_by")
        and field.related_model is User
        and not hasattr(field.model, field.name.removesuffix("_by") + "_at")
    ]

    assert not lonely


def test_every_frozen_model_has_a_change_to_be_refused() -> None:
    assert set(CHANGES) == set(FROZEN), "tests/frozen_rows.py has one line for each frozen model"


@pytest.mark.django_db
def test_frozen_rows_refuse_every_change() -> None:
    make_frozen_rows()

    for model, change in CHANGES.items():
        row = model._base_manager.last()
        assert row is not None, f"{model.__name__}: no row was made"
        [(name, value)] = change.items()
        refuse_update(model, row.pk, change)
        refuse_sql(model, row.pk, name, value)
        model._base_manager.get(pk=row.pk, **{name: getattr(row, name)})


def refuse_update(model: type[models.Model], pk: int, change: dict[str, Any]) -> None:
    """A plain QuerySet, past whatever the model's own manager refuses."""
    rows: models.QuerySet[Any] = models.QuerySet(model).filter(pk=pk)
    with pytest.raises(IntegrityError), transaction.atomic():
        rows.update(**change)


def refuse_sql(model: type[models.Model], pk: int, name: str, value: Any) -> None:
    column: Any = model._meta.get_field(name)
    given = column.get_db_prep_save(value, connection)
    sql = f'UPDATE {model._meta.db_table} SET "{column.column}" = %s WHERE id = %s'
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql, [given, pk])


@pytest.mark.django_db
def test_frozen_models_refuse_before_the_database_does() -> None:
    make_frozen_rows()

    for model in FROZEN:
        if issubclass(model, Frozen):
            row = model._base_manager.last()
            with pytest.raises(FrozenError):
                row.save()  # type: ignore[union-attr]
            with pytest.raises(FrozenError):
                row.delete()  # type: ignore[union-attr]
            with pytest.raises(FrozenError):
                model.objects.all().delete()  # type: ignore[attr-defined]


@pytest.mark.django_db
def test_frozen_parents_take_no_more_children() -> None:
    eval_set = make_frozen_rows()
    late = Query.objects.create(eval_set=eval_set, query_id="late", text="Late?")

    for child in (
        Document(snapshot=eval_set.snapshot, doc_id="late", text_sha256="0" * 64),
        Answer(run=eval_set.runs.get(), query=late),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            child.save()


@pytest.mark.django_db
@pytest.mark.parametrize("model", [Snapshot, Run], ids=lambda model: model.__name__)
def test_record_that_is_being_filled_may_change_until_it_is_frozen(model: Any) -> None:
    eval_set = make_frozen_rows()
    frozen = model.objects.get()
    assert frozen.frozen_at < timezone.now()
    fields = {field.attname: getattr(frozen, field.attname) for field in model._meta.fields if field.name != "id"}
    unfinished = (
        fields | {"number": 9, "frozen_at": None, "sha256": ""} | ({"state": "running"} if model is Run else {})
    )

    row = model.objects.create(**unfinished)
    model.objects.filter(pk=row.pk).update(source="changed")
    row.delete()

    assert model.objects.count() == 1
    assert eval_set.runs.count() == 1


@pytest.mark.django_db
def test_account_of_whoever_imported_and_ran_can_be_deleted() -> None:
    eval_set = make_frozen_rows()
    importer = make_member(eval_set, Role.ENGINEER)
    snapshot = Snapshot.objects.create(corpus=eval_set.corpus, number=9, created_by=importer)
    snapshot.frozen_at, snapshot.sha256 = timezone.now(), "0" * 64
    snapshot.save()

    importer.delete()

    snapshot.refresh_from_db()
    assert snapshot.created_by is None
    assert snapshot.sha256 == "0" * 64


def test_every_setting_of_the_environment_is_documented() -> None:
    read = set()
    for path in [ROOT / "manage.py", *(ROOT / "config").rglob("*.py"), *(ROOT / "evalsets").rglob("*.py")]:
        read |= set(re.findall(r'"((?:PLUMBLINE|DATABASE)_[A-Z_]+)"', path.read_text()))
    if "dj_database_url.config(" in (ROOT / "config" / "settings.py").read_text():
        read.add("DATABASE_URL")
    table = re.findall(r"^\| `([A-Z_]+)` \|", (ROOT / "docs" / "operations.md").read_text(), re.MULTILINE)

    assert sorted(table) == sorted(read)


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["people:sign_in", "page", "fragment", "missing", "export"])
def test_every_answer_carries_the_security_headers(client: Client, path: str) -> None:
    eval_set = make_eval_set()
    client.force_login(make_member(eval_set, Role.ADMINISTRATOR))
    url = eval_set.get_absolute_url()
    paths = {
        "people:sign_in": "/people/sign-in/",
        "page": url,
        "fragment": f"{url}pool/",
        "missing": f"{url}nothing-here/",
        "export": f"{url}agreement/export/json/",
    }

    headers = client.get(paths[path], headers={"HX-Request": "true"} if path == "fragment" else None).headers

    policy = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == policy["script-src"] == policy["style-src"] == "'self'"
    assert policy["object-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'"
    assert policy["form-action"] == "'self'"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert "HX-Request" in headers["Vary"]


def test_cookies_are_kept_from_scripts() -> None:
    assert settings.SESSION_COOKIE_HTTPONLY
    assert settings.SESSION_COOKIE_SAMESITE == "Lax"
