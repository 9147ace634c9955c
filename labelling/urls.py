"""Urls of the human work, under `sets/<slug>/`."""

from django.urls import URLPattern

app_name = "labelling"

urlpatterns: list[URLPattern] = []
