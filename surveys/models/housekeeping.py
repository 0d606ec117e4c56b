"""What waits for housekeeping, deletions and emails, and when it last ran."""

from django.db import connection, models
from django.utils import timezone

from surveys.models.survey import Survey


def leaves_a_log() -> bool:
    """Whether the database keeps a log of what was written, beside its tables, that no program can empty."""
    return connection.vendor == "postgresql"


class Erasure(models.Model):
    """A deletion that the files have not followed yet; it is written with the deletion, so that both or neither happen.

    It goes when a search of the files would find nothing of what was deleted; on PostgreSQL, of the tables' files.
    """

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="erasures")
    # Whether the files are to be written anew, or only SQLite's journal is to be emptied.
    rewriting = models.BooleanField()

    def __str__(self) -> str:
        return "files" if self.rewriting else "journal"


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


class LastRun(models.Model):
    """When a job of housekeeping last came to its end."""

    job = models.CharField(max_length=12, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.job}: {self.at:%Y-%m-%d %H:%M:%S} UTC"
