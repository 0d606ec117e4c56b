"""What a draft was at each save: the survey owner can go back."""

from django.conf import settings
from django.db import models

from surveys.models.survey import Survey


class SavedVersion(models.Model):
    """One save of a draft, whole: only what survey owners wrote, never anything that respondents sent."""

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="saved_versions")
    # The draft's revision after this save.
    number = models.PositiveIntegerField()
    document = models.JSONField()
    saved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="saved_versions"
    )
    saved_at = models.DateTimeField(auto_now_add=True)
    # Saved by the editor itself while somebody types: no version of its own, and replaced by that person's next save.
    automatic = models.BooleanField(default=False)

    class Meta:
        ordering = ("-number",)
        constraints = (models.UniqueConstraint(fields=("survey", "number"), name="saved_version_numbered_once"),)

    def __str__(self) -> str:
        return f"{self.survey_id}, {self.number}"
