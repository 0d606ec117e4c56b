"""What holds for the names of all accounts, however one is made: at the sign-up, in the admin, by a command."""

from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models.signals import post_save, pre_save
from django.utils.translation import gettext as _

from surveys.models import AccountName
from surveys.models.account_names import check_address, check_name, skeleton


def watch_names() -> None:
    """Look at every account before it is stored: the model is Django's, and signals are the one door to it."""
    # Where a form or a command asks for one, it says so at once.
    User._meta.get_field("username").validators.append(check_name)  # noqa: SLF001
    User._meta.get_field("email").validators.append(check_address)  # noqa: SLF001
    pre_save.connect(_look, sender=User, dispatch_uid="deniable.names.look")
    post_save.connect(_keep, sender=User, dispatch_uid="deniable.names.keep")


def check_free(name: str, *, user: User) -> None:
    """Refuse a name that somebody else has, or that could be taken for theirs."""
    alike = AccountName.objects.filter(skeleton=skeleton(name)).first()
    if alike is not None and alike.user_id != user.pk:
        raise taken()


def taken() -> ValidationError:
    """Return the refusal of a name that is not to be had, to be raised."""
    return ValidationError({"username": _("This username cannot be had: choose another.")})


def _look(instance: User, update_fields: frozenset[str] | None, **_kwargs: Any) -> None:
    if update_fields is None or "email" in update_fields:
        check_address(instance.email or "")
    if update_fields is None or "username" in update_fields:
        check_name(instance.username)
        check_free(instance.username, user=instance)


def _keep(instance: User, created: bool, update_fields: frozenset[str] | None, **_kwargs: Any) -> None:
    if update_fields is not None and "username" not in update_fields:
        return
    try:
        with transaction.atomic():
            AccountName.objects.update_or_create(user=instance, defaults={"skeleton": skeleton(instance.username)})
    except IntegrityError:
        # Of two at once the second: where no transaction takes its account back, this does.
        if created:
            instance.delete()
        raise taken() from None
