"""What Prometheus reads."""

from django.urls import URLPattern, path

from surveys.metrics import views

urlpatterns: list[URLPattern] = [path("metrics", views.metrics, name="metrics")]
