"""How many receipts of a survey were redeemed, and never whose."""

from dataclasses import dataclass

from surveys.models import CoursePlatform, SpentReceipt, Survey, WaitingScore


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
