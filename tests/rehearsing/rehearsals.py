"""Rehearsals for tests, made through the real service, and everything that belongs to a survey."""

from fractions import Fraction
from typing import Any

from django.apps import apps
from django.contrib.auth.models import User

from surveys.common.selectors import definition_of
from surveys.models import Rehearsal, Survey
from surveys.models.simulated import TrueShares
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.rehearsing.services import start, step

TENTH = Fraction(1, 10)


def falling(question: AskedQuestion) -> TrueShares:
    """Return other shares for each answer, none of them what chance alone would give, and a tenth who leave it out."""
    k = question.design.k - question.protects_leaving_out
    answers = tuple(Fraction(2 * (k - code), k * (k + 1)) for code in range(k))
    leaves = question.protects_leaving_out or question.can_be_left_out
    return TrueShares((answers,) * len(question.items), TENTH if leaves else Fraction(0))


def rehearse(survey: Survey, user: User | None = None, respondents: int = 40) -> Rehearsal:
    shares = [falling(question) for question in definition_of(survey).questions]
    return start(survey=survey, user=user or survey.owner, respondents=respondents, shares=shares)


def finished(rehearsal: Rehearsal) -> Rehearsal:
    finished = step(rehearsal=rehearsal, seconds=60)
    assert finished is not None
    assert finished.is_complete
    return finished


def rows_of(survey: Survey) -> dict[str, list[dict[str, Any]]]:
    """Return every row of every table that belongs to a survey, and the survey's own."""
    rows = {"survey": list(Survey.objects.filter(pk=survey.pk).values())}
    for model in apps.get_app_config("surveys").get_models():
        for field in model._meta.fields:
            # Copies belong to nobody else's rows: they are surveys of their own.
            if field.related_model is Survey and model is not Survey:
                theirs = model.objects.filter(**{field.name: survey.pk})  # type: ignore[attr-defined]
                rows[f"{model.__name__}.{field.name}"] = sorted(theirs.values(), key=str)
    return rows
