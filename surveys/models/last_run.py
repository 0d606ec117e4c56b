"""When housekeeping last ran."""

from django.db import models


class LastRun(models.Model):
    """When a job of housekeeping last came to its end."""

    job = models.CharField(max_length=12, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.job}: {self.at:%Y-%m-%d %H:%M:%S} UTC"
