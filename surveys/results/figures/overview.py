"""A survey's results as one frozen object: what pages show and what nobody has to compute again."""

from collections.abc import Mapping
from dataclasses import dataclass

from surveys.models import Group, Mode, Survey
from surveys.models.asked_question import AskedQuestion
from surveys.models.definition import Definition
from surveys.responses.selectors.snapshot import Snapshot
from surveys.responses.told import separable_groups, separable_modes
from surveys.results.figures.intervals import FigureOptions
from surveys.results.figures.items import ItemResult, item_result


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """One question's results: those of its items, which were answered or left out together."""

    question: AskedQuestion
    items: tuple[ItemResult, ...]

    @property
    def first(self) -> ItemResult:
        """The item that stands for all of them where they are alike."""
        return self.items[0]

    @property
    def n(self) -> int:
        """How many answered it."""
        return self.first.n

    @property
    def missing(self) -> int:
        """How many left it out, visibly."""
        return self.first.missing

    @property
    def enough(self) -> bool:
        """Whether enough answered it to show anything else."""
        return bool(self.first.options or self.first.mean)

    @property
    def told(self) -> bool:
        """Whether anything may be told of it, however few answered."""
        of_some = self.question.arms or self.question.asked_if
        return self.question.protects and (not of_some or self.n + self.missing > 0)

    @property
    def odd(self) -> bool:
        """Whether respondents probably did not follow the procedure, in one item at least."""
        return any(item.oddities for item in self.items)

    @property
    def all_odd(self) -> bool:
        """Whether no item has an estimate to trust."""
        return all(item.oddities for item in self.items)


@dataclass(frozen=True, slots=True)
class NamedPart:
    """A part of the responses by its name."""

    name: str
    n: int


@dataclass(frozen=True, slots=True)
class SurveyResults:
    """All that a results page may show: below `minimum_n` the count and nothing else."""

    n: int  # responses in the figures
    received: int  # all responses: the rest waits for the next batch
    minimum_n: int
    method: str
    confidence_level: float
    n_by_mode: tuple[NamedPart, ...]
    n_by_group: tuple[NamedPart, ...]
    questions: tuple[QuestionResult, ...]
    enough: bool  # to show anything but the number of responses

    @property
    def items(self) -> tuple[ItemResult, ...]:
        """The results of all items, in the order of the reports."""
        return tuple(item for question in self.questions for item in question.items)


def results_of(
    definition: Definition,
    snapshot: Snapshot,
    *,
    method: str = "wilson",
    confidence_level: float = 0.95,
    wanted: FigureOptions | None = None,
    groups: Mapping[int, str] | None = None,
) -> SurveyResults:
    """Return the results of all questions; `groups` are names by key, `wanted` says more than a method and a level."""
    wanted = wanted or FigureOptions(method, confidence_level)
    enough = snapshot.enough
    told = separable_groups(snapshot, definition) if enough else frozenset()
    return SurveyResults(
        n=snapshot.n,
        received=snapshot.received,
        minimum_n=snapshot.minimum_n,
        method=wanted.method,
        confidence_level=wanted.confidence_level,
        n_by_mode=parts_by_mode(snapshot, definition, told) if enough else (),
        n_by_group=parts_by_group(snapshot.n_by_group, groups or {}, told),
        questions=tuple(question_result(question, snapshot, wanted) for question in definition.questions)
        if enough
        else (),
        enough=enough,
    )


def question_result(
    question: AskedQuestion, snapshot: Snapshot, wanted: FigureOptions, *, in_full: bool = False
) -> QuestionResult:
    """Return the results of one question."""
    return QuestionResult(
        question, tuple(item_result(question, item, snapshot, wanted, in_full=in_full) for item in question.items)
    )


def group_names(survey: Survey) -> dict[int, str]:
    """Return the names of a survey's groups by primary key."""
    return dict(Group.objects.filter(survey_id=survey.pk).values_list("pk", "name"))


def parts_by_mode(snapshot: Snapshot, definition: Definition, told: frozenset[int]) -> tuple[NamedPart, ...]:
    """Return who added chance, and for how many, where that may be told beside these groups."""
    return tuple(NamedPart(str(Mode(mode).label), n) for mode, n in separable_modes(snapshot, definition, told).items())


def parts_by_group(sizes: Mapping[int, int], names: Mapping[int, str], told: frozenset[int]) -> tuple[NamedPart, ...]:
    """Return the groups that are told apart; of the others not even that anybody came."""
    return tuple(NamedPart(name, sizes.get(key, 0)) for key, name in names.items() if key in told)
