"""Registers the application with its checks, and the admin site."""

from typing import Any

from django.apps import AppConfig
from django.contrib.admin import apps
from django.core.management import CommandError
from django.db.backends.signals import connection_created
from django.db.models.signals import pre_migrate


class AdministrationConfig(apps.SimpleAdminConfig):
    """Django's admin application with a site of our own, which is loaded when somebody asks for one of its pages."""

    default = False
    default_site = "surveys.common.administration.Administration"


class SurveysConfig(AppConfig):
    name = "surveys"
    verbose_name = "Deniable"

    def ready(self) -> None:
        from surveys import checks  # noqa: F401, PLC0415 - registering is the import's whole effect
        from surveys.accounts.services.sign_in import store_sign_ins_by_hour  # noqa: PLC0415 - models are there only now
        from surveys.accounts.services.sign_up import watch_names  # noqa: PLC0415 - models are there only now
        from surveys.common.services import prepare_statements  # noqa: PLC0415 - models are there only now

        watch_names()
        store_sign_ins_by_hour()
        connection_created.connect(prepare_statements)
        pre_migrate.connect(_refuse_unsuitable, sender=self)


def _refuse_unsuitable(**_kwargs: Any) -> None:
    from surveys.upkeep.selectors.standing import applied_migrations, why_not  # noqa: PLC0415 - models are there only now

    if reason := why_not(applied_migrations()):
        raise CommandError(f"The database here {reason}")
