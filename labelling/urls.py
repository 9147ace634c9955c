"""Urls of the human work, under `sets/<slug>/`."""

from django.urls import URLPattern, path

from labelling.views import adjudication, agreement, grading, plans, progress, publishing, rubrics

app_name = "labelling"

urlpatterns: list[URLPattern] = [
    path("sets/<slug:slug>/grade/", grading.view_queue, name="view_queue"),
    path("sets/<slug:slug>/grade/judge/", grading.judge_candidate, name="judge_candidate"),
    path("sets/<slug:slug>/grade/judged/", grading.list_judged, name="list_judged"),
    path("sets/<slug:slug>/grade/judged/<uuid:request_id>/", grading.review_judgment, name="review_judgment"),
    path("sets/<slug:slug>/grade/judged/<uuid:request_id>/undo/", grading.undo_judgment, name="undo_judgment"),
    path("sets/<slug:slug>/rubric/", rubrics.view_rubric, name="view_rubric"),
    path("sets/<slug:slug>/rubric/edit/", rubrics.edit_rubric, name="edit_rubric"),
    path("sets/<slug:slug>/progress/", progress.view_progress, name="view_progress"),
    path("sets/<slug:slug>/double-labels/", plans.edit_plan, name="edit_plan"),
    path("sets/<slug:slug>/agreement/", agreement.view_agreement, name="view_agreement"),
    path("sets/<slug:slug>/agreement/candidates/", agreement.list_compared, name="list_compared"),
    path("sets/<slug:slug>/agreement/export/<str:kind>/", agreement.export_agreement, name="export_agreement"),
    path("sets/<slug:slug>/adjudication/", adjudication.list_disagreements, name="list_disagreements"),
    path("sets/<slug:slug>/adjudication/<int:pk>/", adjudication.adjudicate, name="adjudicate"),
    path("sets/<slug:slug>/adjudication/<int:pk>/flag/", adjudication.flag_query, name="flag_query"),
    path("sets/<slug:slug>/adjudication/flags/<int:pk>/resolve/", adjudication.resolve_flag, name="resolve_flag"),
    path("sets/<slug:slug>/gold/publish/", publishing.publish_gold_set, name="publish_gold_set"),
]
