"""Two small middlewares: the content security policy, and `Vary` for pages that answer with a fragment to htmx."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

Answer = Callable[[HttpRequest], HttpResponse]


class ContentSecurityPolicyMiddleware:
    """Sends settings.CONTENT_SECURITY_POLICY (directive -> sources) with every answer."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response
        self.policy = "; ".join(
            f"{name} {' '.join(sources)}" for name, sources in settings.CONTENT_SECURITY_POLICY.items()
        )

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", self.policy)
        return response


class VaryOnHtmxMiddleware:
    """A page and its fragment share one url: caches must tell them apart."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        patch_vary_headers(response, ("HX-Request", "HX-Target"))
        return response
