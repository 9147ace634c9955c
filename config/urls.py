"""Every url of the product, by app."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from config.health import check_health

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("evalsets.urls")),
    path("", include("labelling.urls")),
    path("", include("scoring.urls")),
    path("people/", include("evalsets.people_urls")),
    path("health/", check_health, name="check_health"),
    path("admin/", admin.site.urls),
]
