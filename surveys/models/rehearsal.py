"""Rehearsals: simulated respondents in a copy of a survey that is thrown away."""

from django.db import models

from surveys.models.simulated import People, TrueShares
from surveys.models.survey import State, Survey


class Rehearsal(models.Model):
    """How far a rehearsal has come, and what is true of the people in it.

    Nobody else's truth is ever stored; these people are simulated, and what is true of them somebody chose. The copy
    belongs to the person who rehearses.
    """

    # The copy, never the survey that it was made of.
    survey = models.OneToOneField(Survey, on_delete=models.CASCADE, related_name="rehearsal", primary_key=True)
    # For each question what is to be true of the whole class, and of whom it is true who has not answered yet.
    shares = models.JSONField()
    left = models.JSONField()
    respondents = models.PositiveIntegerField()
    sent = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=models.Q(sent__lte=models.F("respondents")), name="rehearsal_sends_no_more_than_asked"
            ),
        )

    def __str__(self) -> str:
        return f"{self.sent} of {self.respondents}"

    @property
    def true_shares(self) -> list[TrueShares]:
        """What was chosen, question by question."""
        return [TrueShares.read(stored) for stored in self.shares]

    @property
    def people_left(self) -> list[People]:
        """Who has not answered yet, question by question."""
        return [People.read(stored) for stored in self.left]

    @property
    def is_complete(self) -> bool:
        """Whether everybody has answered and the copy is closed, as the survey will be at its end."""
        return self.survey.state == State.CLOSED
