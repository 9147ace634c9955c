"""The eval set, and the people in it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Count, F, Max, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce
from django.urls import reverse

from evalsets.models.corpora import Corpus, Snapshot

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User


class Unit(models.TextChoices):
    DOCUMENT = "document", "document"
    SECTION = "section", "section"


class Scale(models.TextChoices):
    GRADED = "graded", "graded 0-3"
    BINARY = "binary", "binary 0-1"


class Gain(models.TextChoices):
    EXP = "exp", "exponential, 2^grade - 1"
    LIN = "lin", "linear, the grade itself"


class Role(models.TextChoices):
    ANNOTATOR = "annotator", "annotator"
    ENGINEER = "engineer", "engineer"
    LEAD = "lead", "lead"
    ADMINISTRATOR = "administrator", "administrator"


class EvalSetQuerySet(models.QuerySet["EvalSet"]):
    def visible_to(self, user: User | AnonymousUser) -> EvalSetQuerySet:
        """Eval sets that the user is a member of (a superuser sees all)."""
        if user.is_superuser:
            return self
        return self.filter(memberships__user=user.pk) if user.pk else self.none()

    def with_role_of(self, user: User | AnonymousUser) -> EvalSetQuerySet:
        """Annotate each with `my_role`, the user's role in it (a superuser who is no member administers it)."""
        mine = Membership.objects.filter(eval_set=OuterRef("pk"), user=user.pk).values("role")
        return self.annotate(my_role=Coalesce(Subquery(mine), Value(str(Role.ADMINISTRATOR))))

    def with_counts(self) -> EvalSetQuerySet:
        """Annotate each with `query_count`, `pool_size` and `last_gold` (the number of the newest gold set or None)."""
        # Subqueries, because joins of queries, candidates and gold sets would multiply each other.
        of_set = EvalSet.objects.filter(pk=OuterRef("pk")).order_by().values("pk")
        return self.select_related("corpus").annotate(
            query_count=Subquery(of_set.annotate(n=Count("queries")).values("n")),
            pool_size=Subquery(of_set.annotate(n=Count("queries__candidates")).values("n")),
            last_gold=Subquery(of_set.annotate(n=Max("gold_sets__number")).values("n")),
        )


class EvalSet(models.Model):
    """A corpus, its queries, the unit that is labelled, the relevance threshold, and the two depths N and k."""

    frozen: ClassVar[bool] = False

    slug = models.SlugField(max_length=80, unique=True)
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    corpus = models.ForeignKey(Corpus, on_delete=models.PROTECT, related_name="eval_sets")
    snapshot = models.ForeignKey(Snapshot, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    unit = models.CharField(max_length=20, choices=Unit.choices, default=Unit.SECTION)
    scale = models.CharField(max_length=20, choices=Scale.choices, default=Scale.GRADED)
    threshold = models.PositiveSmallIntegerField(default=2, help_text="The lowest grade that counts as relevant.")
    gain = models.CharField(max_length=10, choices=Gain.choices, default=Gain.EXP)
    depth_n = models.PositiveIntegerField(
        default=50, help_text="N: how many candidates are retrieved before reranking."
    )
    depth_k = models.PositiveIntegerField(default=5, help_text="k: how many results reach the model.")
    is_demo = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")

    objects: ClassVar[models.Manager[EvalSet]] = EvalSetQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(condition=Q(unit__in=Unit.values), name="eval_set_unit_known"),
            models.CheckConstraint(
                condition=Q(scale=Scale.GRADED, threshold__range=(1, 3)) | Q(scale=Scale.BINARY, threshold=1),
                name="eval_set_threshold_on_scale",
                violation_error_message="The threshold is a grade of the scale: 1 to 3, or 1 when grades are binary.",
            ),
            models.CheckConstraint(condition=Q(gain__in=Gain.values), name="eval_set_gain_known"),
            models.CheckConstraint(
                condition=Q(depth_k__gte=1, depth_n__gte=F("depth_k")),
                name="eval_set_depths_in_order",
                violation_error_message="k is at least 1 and at most N.",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("evalsets:view_eval_set", args=[self.slug])

    @property
    def grades(self) -> range:
        """The grades of the scale, lowest first."""
        return range(4) if self.scale == Scale.GRADED else range(2)


class Membership(models.Model):
    """One person's one role in one eval set."""

    frozen: ClassVar[bool] = False

    eval_set = models.ForeignKey(EvalSet, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    role = models.CharField(max_length=20, choices=Role.choices)
    added_at = models.DateTimeField(auto_now_add=True)
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        ordering = ["eval_set_id", "user__username"]
        constraints = [
            models.UniqueConstraint(fields=["eval_set", "user"], name="membership_one_role_a_person"),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="membership_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user} is {self.role} in {self.eval_set}"


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def open(self, at: datetime) -> InvitationQuerySet:
        """Invitations that can still be accepted."""
        return self.filter(accepted_at__isnull=True, revoked_at__isnull=True, expires_at__gt=at)


class Invitation(models.Model):
    """A link that makes whoever opens it first a member. Only the hash of its token is kept."""

    frozen: ClassVar[bool] = False

    eval_set = models.ForeignKey(EvalSet, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=20, choices=Role.choices)
    note = models.CharField(max_length=200, blank=True, help_text="For whom it is.")
    token_sha256 = models.CharField(max_length=64, unique=True)
    invited_at = models.DateTimeField(auto_now_add=True)
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[models.Manager[Invitation]] = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-invited_at"]
        constraints = [models.CheckConstraint(condition=Q(role__in=Role.values), name="invitation_role_known")]

    def __str__(self) -> str:
        return f"invitation to {self.eval_set} as {self.role}"
