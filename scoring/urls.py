"""Urls of scores, under `sets/<slug>/scores/`."""

from django.urls import URLPattern, path

from scoring.views import comparisons, queries, reports

app_name = "scoring"

urlpatterns: list[URLPattern] = [
    path("sets/<slug:slug>/scores/", reports.list_scores, name="list_scores"),
    path("sets/<slug:slug>/scores/report/", reports.view_report, name="view_report"),
    path("sets/<slug:slug>/scores/report/<slug:kind>/", reports.export_report, name="export_report"),
    path("sets/<slug:slug>/scores/query/", queries.view_query_scores, name="view_query_scores"),
    path("sets/<slug:slug>/scores/compare/", comparisons.compare_runs, name="compare_runs"),
]
