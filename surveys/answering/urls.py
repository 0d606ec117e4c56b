"""Respondents: the same pages behind every door of a survey."""

from django.urls import URLPattern, URLResolver, path

from surveys.answering.views import check, doors, pages

# The pages' own words come before groups: no group can be called like one of them.
_DOORS = (
    "s/<str:code>/",
    "s/<str:code>/i/<str:token>/",
    "s/<str:code>/<str:group>/",
    "s/<str:code>/<str:group>/i/<str:token>/",
)
_PAGES = (
    ("", pages.answer, "answer"),
    ("own-coin/", pages.own_coin, "own-coin"),
    ("server/", pages.server_coin, "server-coin"),
    ("receipt/", pages.receipt, "receipt"),
)
urlpatterns: list[URLPattern | URLResolver] = [
    *(path(door + end, page, name=name) for door in _DOORS for end, page, name in _PAGES),
    path("", doors.landing, name="landing"),
    path("join", doors.join, name="join"),
    path("check/", check.check, name="check"),
]
