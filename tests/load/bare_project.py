"""A Django project with one view and Django's own applications, to measure ours against."""

from pathlib import Path
from tempfile import gettempdir

import django
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path


def hello(request: HttpRequest) -> HttpResponse:
    return HttpResponse("hello")


urlpatterns = [path("", hello)]
settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": Path(gettempdir()) / "bare.sqlite3"}},
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions"],
    ROOT_URLCONF=__name__,
    SECRET_KEY="of-a-bare-project",
)
django.setup()
application = get_asgi_application()
