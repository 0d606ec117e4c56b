"""The doors to releases and to the ledger, and what a release says: everything after the draw is arithmetic."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from django.db.models import BigIntegerField, F, OuterRef, Q, QuerySet, Subquery, Sum

from surveys.estimation import estimate_released_histogram
from surveys.models import Kind, Question, Release, State, Survey
from surveys.models.definition import AskedQuestion, Definition, Item
from surveys.models.release import MICRO
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.selectors.release_terms import CONFIDENCE_LEVEL, Terms, rounded_up
from surveys.selectors.responses import answered_count
from surveys.selectors.surveys import definition_of


@dataclass(frozen=True, slots=True)
class Estimate:
    """One true answer, as far as a released histogram tells; all but `raw` are shares between 0 and 1.

    Attributes
    ----------
    label : str
        The answer.
    noisy_count : int
        The released count of reports; it may be negative or exceed n.
    reported : float
        Its share of n, limited to 0 and 1.
    raw : float
        The unbiased estimate of the share of people whose true answer this is; it may leave 0 and 1.
    share : float
        The same, all answers together limited to what shares can be.
    low, high : float
        The confidence interval.
    """

    label: str
    noisy_count: int
    reported: float
    raw: float
    share: float
    low: float
    high: float

    @property
    def says_nothing(self) -> bool:
        """Whether the interval leaves everything possible."""
        return self.low < 0.005 and self.high > 0.995

    @property
    def per_hundred(self) -> int:
        """The share, of 100 people."""
        return round(100 * self.share)

    @property
    def low_per_hundred(self) -> int:
        """The lower limit, rounded down so that rounding never narrows the interval."""
        return math.floor(100 * self.low)

    @property
    def high_per_hundred(self) -> int:
        """The upper limit, rounded up."""
        return math.ceil(100 * self.high)


@dataclass(frozen=True)
class Reading:
    """A release as pages show it: computed from the stored row and the frozen design, from nothing else."""

    release: Release
    definition: Definition
    terms: Terms

    @property
    def item(self) -> Item:
        """The question's channel."""
        return self.terms.item

    @property
    def relation(self) -> NeighbouringRelation:
        """What the guarantee calls neighbours."""
        return NeighbouringRelation[self.release.relation]

    @property
    def chosen(self) -> str:
        """The answer that the exponential mechanism chose."""
        return self.item.labels[int(self.release.output["index"])]

    @cached_property
    def estimates(self) -> tuple[Estimate, ...]:
        """Shares of the true answers with intervals that cover the respondents' coins and the noise; or none."""
        if not self.terms.is_histogram:
            return ()
        found = estimate_released_histogram(
            self.release.output["noisy_counts"],
            self.terms.n,
            self.item.design,
            self.terms.laplace,
            one_count=self.terms.is_one_count,
        )
        interval = found.interval(self.level_of_each)
        return tuple(
            Estimate(
                label=label,
                noisy_count=int(found.noisy_counts[code]),
                reported=_limited(float(found.noisy_counts[code]) / self.terms.n),
                raw=float(found.point[code]),
                share=_limited(float(found.constrained[code])),
                low=float(interval.low[code]),
                high=float(interval.high[code]),
            )
            for code, label in enumerate(self.item.labels)
        )

    @property
    def level_of_each(self) -> float:
        """The level of each interval by itself, so that all of them hold at once with `CONFIDENCE_LEVEL` (Bonferroni).

        People read off the largest of several answers, so the level must survive that choice. Two answers are one.
        """
        k = self.item.design.k
        return CONFIDENCE_LEVEL if k == 2 else 1 - (1 - CONFIDENCE_LEVEL) / k

    @property
    def headline(self) -> Estimate:
        """The one estimate for a sentence: of Yes, or of the answer that seems the most common."""
        if self.item.kind == Kind.YES_NO:
            return self.estimates[1]
        return max(self.estimates, key=lambda estimate: estimate.share)


def _limited(share: float) -> float:
    return min(1.0, max(0.0, share))


def published_release(release_id: str) -> Release:
    """Return a release that everybody may see; any other does not exist (raises `Release.DoesNotExist`)."""
    return Release.objects.select_related("survey").get(pk=release_id, published=True)


def ledger() -> QuerySet[Release]:
    """Return every charge, newest first, with `spent_so_far` and `left_after` of its survey's budget, in millionths."""
    upto = (
        Release.objects.filter(survey_id=OuterRef("survey_id"))
        .filter(Q(created_at__lt=OuterRef("created_at")) | Q(created_at=OuterRef("created_at"), pk__lte=OuterRef("pk")))
        .order_by()
        .values("survey_id")
        .annotate(total=Sum("micro_epsilon"))
        .values("total")
    )
    return (
        Release.objects.select_related("survey__budget", "question", "created_by")
        .annotate(spent_so_far=Subquery(upto, output_field=BigIntegerField()))
        .annotate(left_after=F("survey__budget__total_micro_epsilon") - F("spent_so_far"))
        .order_by("-created_at", "-pk")
    )


def releasable_questions() -> QuerySet[Question]:
    """Return the questions of opened surveys that have a budget, newest survey first."""
    return (
        Question.objects.exclude(survey__state=State.DRAFT)
        .filter(survey__budget__isnull=False)
        .select_related("survey__budget")
        .order_by("-survey__created_at", "survey_id", "position")
    )


def is_releasable(question: AskedQuestion) -> bool:
    """Whether one person's report is one answer to the question, so that counts of reports are counts of answers."""
    item = question.first
    return len(question.items) == 1 and item.range is None and item.report_labels == item.labels


def spent_on(question: Question) -> Fraction:
    """Return the central ε of all releases of one question together."""
    total = Release.objects.filter(question_id=question.pk).aggregate(total=Sum("micro_epsilon"))["total"]
    return Fraction(total or 0, MICRO)


def answer_count(survey: Survey, item: Item) -> int:
    """Return how many responses do not leave the item out: a public number, whatever they report."""
    return answered_count(survey, item.number)


def reading_of(release: Release) -> Reading:
    """Return what a release says."""
    definition = definition_of(release.survey)
    item = definition.items[release.parameters["item"]]
    terms = Terms(item=item, mechanism=release.mechanism, epsilon=Fraction(release.parameters["epsilon"]), n=release.n)
    return Reading(release=release, definition=definition, terms=terms)


def document_of(reading: Reading) -> dict[str, Any]:
    """Return a release as JSON holds it; exact numbers are texts such as "1/2"."""
    release, terms, design = reading.release, reading.terms, reading.item.design
    return {
        "id": release.pk,
        "survey": reading.definition.title,
        "question": reading.item.text,
        "labels": list(reading.item.labels),
        "released_on": release.created_at.date().isoformat(),
        "mechanism": release.mechanism,
        "epsilon": release.parameters["epsilon"],
        "delta": "0",
        "epsilon_of_all_releases_so_far": release.parameters["spent"],
        "neighbouring_relation": reading.relation.name,
        "sensitivity": release.parameters["sensitivity"],
        "n": release.n,
        "design": {
            "name": design.name,
            "content_hash": release.parameters["content_hash"],
            "rows": "reports",
            "columns": "true answers",
            "matrix": [[str(entry) for entry in row] for row in design.matrix],
        },
        "output": release.output,
        "estimates": [
            {
                "label": estimate.label,
                "share": round(estimate.share, 6),
                "raw": round(estimate.raw, 6),
                "low": round(estimate.low, 6),
                "high": round(estimate.high, 6),
            }
            for estimate in reading.estimates
        ],
        "confidence_level": CONFIDENCE_LEVEL,
        "intervals": "each" if reading.item.design.k == 2 else "all at once (Bonferroni)",
        "accuracy": {
            "answers": rounded_up(terms.accuracy.answers, 6),
            "percentage_points": rounded_up(terms.accuracy.points, 6),
        },
        # JSON has no infinity: null stands for a report that can prove an answer.
        "epsilon_of_one_report": rounded_up(terms.local_epsilon, 9) if terms.local_epsilon < math.inf else None,
        "epsilon_for_the_truth": rounded_up(terms.truth_epsilon, 9),
    }
