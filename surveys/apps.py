"""Registers the application with its checks, and the admin site."""

from django.apps import AppConfig
from django.contrib.admin import apps


class AdministrationConfig(apps.AdminConfig):
    """Django's admin application with a site of our own."""

    default = False
    default_site = "surveys.common.administration.Administration"


class SurveysConfig(AppConfig):
    """Deniable's one application."""

    name = "surveys"
    verbose_name = "Deniable"

    def ready(self) -> None:
        """Import the checks so that `manage.py check` runs them, and watch the names of accounts."""
        from surveys import checks  # noqa: F401, PLC0415 - registering is the import's whole effect
        from surveys.accounts.services.sign_up import watch_names  # noqa: PLC0415 - models are there only now

        watch_names()
