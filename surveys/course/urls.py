"""The list of surveys, a survey's own page, and its course from draft to purged."""

from django.urls import URLPattern, path

from surveys.common.on_demand import Views

views = Views("surveys.course.views")

urlpatterns: list[URLPattern] = [
    path("surveys/", views.survey_list, name="survey-list"),
    path("surveys/delete-drafts/", views.drafts_delete, name="drafts-delete"),
    path("surveys/<str:code>/", views.survey_detail, name="survey-detail"),
    path("surveys/<str:code>/open/", views.survey_open, name="survey-open"),
    path("surveys/<str:code>/pause/", views.survey_pause, name="survey-pause"),
    path("surveys/<str:code>/schedule/", views.survey_schedule, name="survey-schedule"),
    path("surveys/<str:code>/next-version/", views.survey_next_version, name="survey-next-version"),
    path("surveys/<str:code>/close/", views.survey_close, name="survey-close"),
    path("surveys/<str:code>/result/show/", views.survey_result_show, name="survey-result-show"),
    path("surveys/<str:code>/result/hide/", views.survey_result_hide, name="survey-result-hide"),
    path("surveys/<str:code>/archive/", views.survey_archive, name="survey-archive"),
    path("surveys/<str:code>/seal/", views.survey_seal, name="survey-seal"),
    path("surveys/<str:code>/purge/", views.survey_purge, name="survey-purge"),
    path("surveys/<str:code>/purge/day/", views.survey_purge_day, name="survey-purge-day"),
    path("surveys/<str:code>/delete/", views.survey_delete, name="survey-delete"),
]
