"""Respondents: the same pages behind every door of a survey."""

from django.urls import URLPattern, URLResolver, include, path

from surveys.answering.views import check, doors, pages

behind_a_door = [
    path("", pages.answer, name="answer"),
    path("own-coin/", pages.own_coin, name="own-coin"),
    path("server/", pages.server_coin, name="server-coin"),
    path("declined/", pages.declined, name="declined"),
    path("receipt/", pages.receipt, name="receipt"),
]
urlpatterns: list[URLPattern | URLResolver] = [
    path("", doors.landing, name="landing"),
    path("join", doors.join, name="join"),
    path("check/", check.check, name="check"),
    # The pages' own words come before groups: no group can be called like one of them.
    path("s/<str:code>/", include(behind_a_door)),
    path("s/<str:code>/i/<str:token>/", include(behind_a_door)),
    path("s/<str:code>/<str:group>/", include(behind_a_door)),
    path("s/<str:code>/<str:group>/i/<str:token>/", include(behind_a_door)),
]
