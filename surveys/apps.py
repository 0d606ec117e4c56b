"""Registers the application and its checks."""

from django.apps import AppConfig


class SurveysConfig(AppConfig):
    """Deniable's one application."""

    name = "surveys"
    verbose_name = "Deniable"

    def ready(self) -> None:
        """Import the checks so that `manage.py check` runs them."""
        from surveys import checks  # noqa: F401, PLC0415 - registering is the import's whole effect
