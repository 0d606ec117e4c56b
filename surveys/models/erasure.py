"""What is deleted and may still be read from the database's files."""

from django.db import models

from surveys.models.survey import Survey


class Erasure(models.Model):
    """A deletion that the files have not followed yet; it is written with the deletion, so that both or neither happen.

    It goes when a search of the files would find nothing of what was deleted.
    """

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="erasures")
    # Whether the files are to be written anew, or only SQLite's journal is to be emptied.
    rewriting = models.BooleanField()

    def __str__(self) -> str:
        return "files" if self.rewriting else "journal"
