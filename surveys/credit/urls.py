"""What a receipt is for, and a survey's page of the credit that it gives."""

from django.urls import URLPattern, path

from surveys.common.on_demand import Views

views = Views("surveys.credit.views")

urlpatterns: list[URLPattern] = [
    path("credit/<str:code>/", views.credit, name="credit"),
    path("surveys/<str:code>/credit/", views.survey_credit, name="survey-credit"),
]
