"""Refuses to run with settings that would break the promise."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import WARNING, CheckMessage, Error, Tags, register


@register(Tags.security, deploy=True)
def data_directory_is_private(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Warn where other accounts of the machine can look into the directory of the database and the secret key."""
    if not settings.DATA_DIR.exists() or not settings.DATA_DIR.stat().st_mode & 0o077:
        return []
    words = f"Other accounts can look into {settings.DATA_DIR}, where the database and the secret key lie: chmod 700 it"
    return [CheckMessage(WARNING, words, id="deniable.W010")]


@register(Tags.security)
def secret_key_is_not_a_sample(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse the key that `startproject` writes: anybody can guess what it protects."""
    if settings.SECRET_KEY.startswith("django-insecure-") and not settings.DEBUG:
        return [Error("DENIABLE_SECRET_KEY begins with django-insecure-: make a new one", id="deniable.E001")]
    return []


@register(Tags.security)
def every_host_is_named(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse “any host”: a page made for a stranger's Host header would lead there."""
    if "*" in settings.ALLOWED_HOSTS:
        return [Error("DENIABLE_ALLOWED_HOSTS holds *: name the hosts", id="deniable.E002")]
    return []
