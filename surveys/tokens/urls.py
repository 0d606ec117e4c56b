"""The page of a survey's access tokens."""

from django.urls import URLPattern, path

from surveys.common.on_demand import Views

views = Views("surveys.tokens.views")

urlpatterns: list[URLPattern] = [path("surveys/<str:code>/tokens/", views.survey_tokens, name="survey-tokens")]
