"""Surveys that give credit; how many receipts of one were redeemed, and never whose."""

from dataclasses import dataclass

from surveys.common.selectors import definition_of, survey_by_code
from surveys.models import CoursePlatform, SpentReceipt, Survey, WaitingScore
from surveys.models.survey import CODE_ALPHABET


def survey_with_credit(code: str) -> Survey | None:
    """Return the survey behind a join code, if it was opened and gives credit."""
    if not set(code.upper()) <= set(CODE_ALPHABET):
        return None
    try:
        survey = survey_by_code(code)
    except Survey.DoesNotExist:
        return None
    return None if survey.is_draft or not definition_of(survey).document.credit else survey


@dataclass(frozen=True, slots=True)
class CreditCounts:
    """Full batches: somebody who reloads the page sees nobody redeem."""

    redeemed: int
    waiting: int
    batch: int


def credit_counts(survey: Survey) -> CreditCounts:
    batch = survey.minimum_n
    redeemed, waiting = (
        rows.objects.filter(survey=survey).count() // batch * batch for rows in (SpentReceipt, WaitingScore)
    )
    return CreditCounts(redeemed=redeemed, waiting=waiting, batch=batch)


def has_platforms() -> bool:
    """Whether a course system is registered."""
    return CoursePlatform.objects.exists()
