"""Ending sign-ins: a session whose row is deleted is over, wherever its cookie is."""

import re

from django.contrib.auth.models import User

from surveys.models import SignIn
from surveys.models.sessions import stored_key

_STORED_KEY = re.compile(r"[0-9a-f]{32}")


def sign_out_everywhere(*, user: User, except_key: str | None = None) -> int:
    """End the person's sign-ins, but for the session with this key; return how many there were."""
    others = SignIn.objects.filter(user_id=user.pk)
    if except_key:
        others = others.exclude(pk=stored_key(except_key))
    return others.delete()[0]


def sign_out(*, user: User, sign_in: str) -> bool:
    """End one of the person's sign-ins, known by its stored key; return whether it was there."""
    # PostgreSQL takes no text with a zero byte.
    return bool(_STORED_KEY.fullmatch(sign_in)) and bool(SignIn.objects.filter(user_id=user.pk, pk=sign_in).delete()[0])
