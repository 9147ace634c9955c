"""Models that refuse to change. The database refuses too, by the triggers that `evalsets.triggers` makes."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn, TypeVar

from django.db import models

ModelT = TypeVar("ModelT", bound=models.Model)


class FrozenError(Exception):
    """Somebody tried to change or delete a record that is frozen."""


class FrozenQuerySet(models.QuerySet[ModelT]):
    """Rows of a frozen model are added, never changed or deleted in bulk."""

    def update(self, **kwargs: Any) -> NoReturn:
        raise FrozenError(f"{self.model._meta.verbose_name_plural} are frozen and cannot be updated")

    def delete(self) -> NoReturn:
        raise FrozenError(f"{self.model._meta.verbose_name_plural} are frozen and cannot be deleted")


class Frozen(models.Model):
    """A record that is complete when it is written: it is never updated or deleted."""

    frozen: ClassVar[bool] = True
    objects: ClassVar[models.Manager[Any]] = FrozenQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise FrozenError(f"{self._meta.verbose_name} {self.pk} is frozen and cannot be changed")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise FrozenError(f"{self._meta.verbose_name} {self.pk} is frozen and cannot be deleted")


class FrozenOnceComplete(models.Model):
    """A record that is filled over some time and frozen by setting `frozen_at`; until then it may be thrown away."""

    frozen: ClassVar[bool] = True
    frozen_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            self._refuse_if_frozen("changed")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        self._refuse_if_frozen("deleted")
        return super().delete(*args, **kwargs)

    def _refuse_if_frozen(self, what: str) -> None:
        if self.pk and type(self)._default_manager.filter(pk=self.pk, frozen_at__isnull=False).exists():
            raise FrozenError(f"{self._meta.verbose_name} {self.pk} is frozen and cannot be {what}")
