"""Lessons: what an instructor shows to a class beside a survey, and what phones found in people who do not exist."""

from django.db import models
from django.db.models import Q

from surveys.models.survey import Survey

# As many draws as a page of the lab knows.
LARGEST_FOUND = 9_999


class Lesson(models.Model):
    """Pages of the lab and questions of one survey, in their order, and which of them is shown now.

    No part of the survey's definition: it may change in every state, and nobody's answer depends on it.
    """

    survey = models.OneToOneField(Survey, on_delete=models.CASCADE, related_name="lesson", primary_key=True)
    # Minutes, and a page with its controls or a question by its number: surveys.lessons reads and writes them.
    steps = models.JSONField(default=list)
    # From 1; 0 while phones join, nothing while the lesson is not given.
    at = models.PositiveSmallIntegerField(null=True)

    def __str__(self) -> str:
        return f"{self.survey_id}, {len(self.steps)}"


class LessonFinding(models.Model):
    """The seed from which a phone drew made-up people: a whole number, which says nothing about the phone's owner.

    Its key is all of it, so neither an order nor how often it was sent is kept.
    """

    pk = models.CompositePrimaryKey("lesson_id", "step", "seed")
    lesson = models.ForeignKey(Lesson, on_delete=models.CASCADE, db_index=False, related_name="findings")
    step = models.PositiveSmallIntegerField()
    seed = models.PositiveSmallIntegerField()

    class Meta:
        constraints = (
            models.CheckConstraint(condition=Q(seed__gte=1, seed__lte=LARGEST_FOUND), name="lesson_finding_is_a_draw"),
        )

    def __str__(self) -> str:
        return f"{self.step}: {self.seed}"
