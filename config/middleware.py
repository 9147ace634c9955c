"""Small middlewares: the content security policy, `Vary` for pages that answer htmx with a fragment, sign-in under htmx."""

from collections.abc import Callable
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url
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


class HtmxSignInMiddleware:
    """Keeps the sign-in page out of fragments when a session has ended under htmx.

    What would only have been looked at leads the whole page to sign-in and back. What was sent is answered 401, so that
    the page stays with what was typed and says that one has to sign in again.
    """

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        sign_in = resolve_url(settings.LOGIN_URL)
        if not (request.headers.get("HX-Request") and response.headers.get("Location", "").startswith(sign_in)):
            return response
        if request.method not in {"GET", "HEAD"}:
            return HttpResponse(status=401)
        came_from = urlsplit(request.headers.get("HX-Current-URL", "")).path or "/"
        return HttpResponse(headers={"HX-Redirect": f"{sign_in}?{urlencode({'next': came_from})}"})
