"""Says to load balancers and containers whether this process can answer."""

from django.contrib.auth.decorators import login_not_required
from django.db import connection
from django.http import HttpRequest, HttpResponse


@login_not_required
def check_health(request: HttpRequest) -> HttpResponse:
    """Answer 200 once the database has answered; its absence ends as 500."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return HttpResponse("ok\n", content_type="text/plain")
