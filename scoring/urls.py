"""Urls of scores, under `sets/<slug>/scores/`."""

from django.urls import URLPattern

app_name = "scoring"

urlpatterns: list[URLPattern] = []
