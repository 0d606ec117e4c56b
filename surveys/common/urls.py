"""What machines ask: whether it runs, and whether it is ready."""

from django.urls import URLPattern, path

from surveys.common import views

urlpatterns: list[URLPattern] = [
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
]
