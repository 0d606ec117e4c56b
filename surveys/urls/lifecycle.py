"""The list of surveys, a survey's own page, and its course from draft to purged."""

from django.urls import URLPattern, path

from surveys.views.course import detail, ending, lifecycle, listing

urlpatterns: list[URLPattern] = [
    path("surveys/", listing.survey_list, name="survey-list"),
    path("surveys/<str:code>/", detail.survey_detail, name="survey-detail"),
    path("surveys/<str:code>/open/", lifecycle.survey_open, name="survey-open"),
    path("surveys/<str:code>/pause/", lifecycle.survey_pause, name="survey-pause"),
    path("surveys/<str:code>/schedule/", lifecycle.survey_schedule, name="survey-schedule"),
    path("surveys/<str:code>/next-version/", lifecycle.survey_next_version, name="survey-next-version"),
    path("surveys/<str:code>/close/", lifecycle.survey_close, name="survey-close"),
    path("surveys/<str:code>/archive/", lifecycle.survey_archive, name="survey-archive"),
    path("surveys/<str:code>/seal/", ending.survey_seal, name="survey-seal"),
    path("surveys/<str:code>/purge/", ending.survey_purge, name="survey-purge"),
    path("surveys/<str:code>/delete/", ending.survey_delete, name="survey-delete"),
]
