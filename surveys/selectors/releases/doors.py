"""The doors to releases: which there are, which everybody may see, what may be released."""

from fractions import Fraction

from django.db.models import QuerySet, Sum

from surveys.models import Question, Release, ReleasePart, State, Survey
from surveys.models.definition import Item
from surveys.models.units import MICRO
from surveys.selectors.responses import answered_count


def charged_releases() -> QuerySet[Release]:
    """Return every release that the ledger has charged, newest first, with what pages show of it."""
    return (
        Release.objects.filter(entry__isnull=False)
        .select_related("survey__budget", "created_by", "entry")
        .prefetch_related("parts__question")
        .order_by("-created_at", "-entry__number", "-pk")
    )


def published_release(release_id: str) -> Release:
    """Return a release that everybody may see; any other does not exist (raises `Release.DoesNotExist`)."""
    return charged_releases().get(pk=release_id, published=True)


def published_releases(survey: Survey) -> QuerySet[Release]:
    """Return the releases of a survey that everybody may see, newest first."""
    return charged_releases().filter(survey_id=survey.pk, published=True)


def releasable_questions() -> QuerySet[Question]:
    """Return the questions of opened surveys that have a budget and are not sealed or purged, newest survey first."""
    return (
        Question.objects.exclude(survey__state__in=(State.DRAFT, State.SEALED, State.PURGED))
        .filter(survey__budget__isnull=False)
        .select_related("survey__budget")
        .order_by("-survey__created_at", "survey_id", "position")
    )


def spent_on(question: Question) -> Fraction:
    """Return the central ε of all releases of one question together."""
    charged = ReleasePart.objects.filter(question_id=question.pk, release__entry__isnull=False)
    spent = charged.aggregate(spent=Sum("micro_epsilon"))["spent"]
    return Fraction(spent or 0, MICRO)


def answer_count(survey: Survey, item: Item) -> int:
    """Return how many responses in the figures do not leave the item out: a public number, whatever they report.

    While more may come it changes by batches: else it would tell whether the last person left the item out.
    """
    return answered_count(survey, item.number)
