"""Emails that are not sent yet."""

from django.db import models
from django.utils import timezone


class WaitingMail(models.Model):
    """An email, named by its template; the row is deleted when it is sent or given up.

    It holds no link to a password or an account: these are made when the email is.
    """

    kind = models.CharField(max_length=24)
    to = models.CharField(max_length=254)
    language = models.CharField(max_length=10)
    context = models.JSONField()
    made_at = models.DateTimeField(default=timezone.now)
    due_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"{self.kind}, waiting since {self.made_at:%Y-%m-%d %H:%M} UTC"
