"""The addresses of the lab."""

from django.urls import URLPattern, path

from surveys.common.on_demand import Views

views = Views("surveys.learn.views")

urlpatterns: list[URLPattern] = [
    path("learn/", views.lab, name="lab"),
    path("learn/<slug:slug>/", views.lab_page, name="lab-page"),
    path("learn/<slug:slug>/picture/", views.lab_picture, name="lab-picture"),
    path("learn/<slug:slug>.json", views.lab_numbers, name="lab-numbers"),
]
