"""Urls of the human work, under `sets/<slug>/`."""

from django.urls import URLPattern, path

from labelling.views import grading, progress, rubrics

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
]
