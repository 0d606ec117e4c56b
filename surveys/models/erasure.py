"""What is deleted and may still be read from the database's files."""

from django.db import connection, models

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
