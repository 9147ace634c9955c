"""Urls of the data that an evaluation is made of. Names are `evalsets:verb_noun`; all of one eval set stand under `sets/<slug>/`."""

from django.urls import URLPattern, path

from evalsets.views import eval_sets

app_name = "evalsets"

urlpatterns: list[URLPattern] = [
    path("", eval_sets.list_eval_sets, name="list_eval_sets"),
    path("sets/<slug:slug>/", eval_sets.view_eval_set, name="view_eval_set"),
]
