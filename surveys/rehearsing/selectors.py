"""What a rehearsal shows: how far it is, and the truth of the simulated people beside what is estimated."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from django.contrib.auth.models import AnonymousUser, User

from surveys.common.selectors import definition_of
from surveys.estimation.claims import FigureOptions, NumberEstimate
from surveys.models import Rehearsal, Survey
from surveys.models.simulated import People, people_of
from surveys.questionnaire.definition import Definition
from surveys.responses.selectors.snapshot import snapshot_of
from surveys.results.figures.means import MeanResult, ScaleResult
from surveys.results.figures.questions import ItemResult, OptionResult, QuestionResult, results_of


@dataclass(frozen=True, slots=True)
class TrueFigure:
    """What is estimated of an item, and what is true of it."""

    item: ItemResult
    estimate: NumberEstimate
    truth: float

    @property
    def claimed(self) -> bool:
        """Whether there is an estimate with an interval to hold the truth against."""
        return self.estimate.claimed and not self.item.oddities

    @property
    def holds(self) -> bool:
        """Whether the interval holds the truth."""
        return self.claimed and self.estimate.low <= self.truth <= self.estimate.high


@dataclass(frozen=True, slots=True)
class TrueOption(TrueFigure):
    """The share of one answer."""

    estimate: OptionResult


@dataclass(frozen=True, slots=True)
class TrueMean(TrueFigure):
    """The mean of those who say a number, or a point of a scale."""

    of: MeanResult | ScaleResult


@dataclass(frozen=True, slots=True)
class TruthComparison:
    """All that a rehearsal has to show at its end."""

    definition: Definition
    confidence_level: float
    n: int
    minimum_n: int
    # Of each question its result, and its figures beside what is true: means first, none where too few answered it.
    questions: tuple[tuple[QuestionResult, tuple[TrueFigure, ...]], ...]

    @property
    def enough(self) -> bool:
        """Whether so many answered that results show more than their number."""
        return self.n >= self.minimum_n

    @property
    def claimed(self) -> int:
        """How many intervals there are."""
        return sum(figure.claimed for figure in self._figures)

    @property
    def holding(self) -> int:
        return sum(figure.holds for figure in self._figures)

    @property
    def _figures(self) -> Iterator[TrueFigure]:
        for _result, figures in self.questions:
            yield from figures


def rehearsal_of(*, user: User | AnonymousUser, survey: Survey) -> Rehearsal | None:
    """Return what this person rehearses of this survey."""
    rehearsals = Rehearsal.objects.filter(survey__owner_id=user.pk, survey__rehearsal_of_id=survey.pk)
    return rehearsals.select_related("survey").first()


def same_questions(rehearsal: Rehearsal, definition: Definition) -> bool:
    """Whether the survey still asks what the copy asks: a draft may have been saved meanwhile."""
    copied, now = (each.content for each in (definition_of(rehearsal.survey), definition))
    return all(copied.get(name) == now.get(name) for name in ("questions", "arms"))


def comparison_of(rehearsal: Rehearsal) -> TruthComparison:
    """Return the usual results of everybody in a complete rehearsal, each with what is true."""
    wanted, definition = FigureOptions(), definition_of(rehearsal.survey)
    results = results_of(definition, snapshot_of(rehearsal.survey, definition), wanted)
    everybody = (
        people_of(question, shares, rehearsal.respondents)
        for question, shares in zip(definition.questions, rehearsal.true_shares, strict=True)
    )
    return TruthComparison(
        definition=definition,
        confidence_level=wanted.confidence_level,
        n=results.n,
        minimum_n=results.minimum_n,
        # Without results no question has one.
        questions=tuple(
            (result, tuple(_figures_of(result, people)))
            for result, people in zip(results.questions, everybody, strict=False)
        ),
    )


def _figures_of(result: QuestionResult, people: People) -> Iterator[TrueFigure]:
    if not result.enough:
        return
    for place, item in enumerate(result.items):
        if (mean := _true_mean(item, people.answers[place])) is not None:
            yield mean
    for place, item in enumerate(result.items):
        yield from (TrueOption(item, item.options[code], people.share(place, code)) for code in item.shown_codes)


def _true_mean(item: ItemResult, answers: tuple[int, ...]) -> TrueMean | None:
    """Return a mean beside what is true, where a mean is estimated and somebody has one."""
    if item.mean and item.item.range:
        values = item.item.grid.truths if item.item.grid else (item.item.range.low, item.item.range.high)
        estimate: NumberEstimate = item.mean
        of: MeanResult | ScaleResult = item.mean
    elif item.scale:
        values = tuple(map(Fraction, range(1, item.scale.points + 1)))
        estimate, of = item.scale.mean, item.scale
    else:
        return None
    people = answers[: len(values)]
    if not any(people):
        return None
    total = sum((value * number for value, number in zip(values, people, strict=True)), Fraction(0))
    return TrueMean(item, estimate, float(total / sum(people)), of)
