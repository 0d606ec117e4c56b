"""The addresses of a survey's groups and invitations."""

from django.urls import URLPattern, path

from surveys.common.on_demand import Views

views = Views("surveys.sharing.views")

urlpatterns: list[URLPattern] = [
    path("surveys/<str:code>/groups/", views.survey_groups, name="survey-groups"),
    path("surveys/<str:code>/invitations/", views.survey_invitations, name="survey-invitations"),
    path("surveys/<str:code>/invitations/emails/", views.survey_invitations_mail, name="survey-invitations-mail"),
    path("surveys/<str:code>/invitations/csv/", views.survey_invitations_csv, name="survey-invitations-csv"),
]
