"""A release as pages show it: what each part says and costs, and which of several draws of a question it is.

Showing one of several draws is a choice, and what it says must survive that. With k draws of a question, each of whose
bounds is wrong with a probability of at most α/k, none of them is wrong with a probability of 1 − α at least
(Bonferroni), whichever is shown, and however it was chosen. Where all of them are shown nobody has chosen, and each
stands for itself. Every charged release of the question is a draw, whatever mechanism made it and whenever: the later
ones as well, because the one that is shown may have been waited for.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from surveys.common.selectors import definition_of
from surveys.models import ExactFigures, Release, ReleasePart
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.designs import total_epsilon
from surveys.privacy.loss import PrivacyLoss
from surveys.questionnaire.definition import Definition
from surveys.releases.families.finding import Finding
from surveys.releases.families.plan import Plan, Terms
from surveys.releases.ledger.selectors import AllVersions, TruthLoss, all_versions, truth_loss
from surveys.releases.mechanisms import PLANS


@dataclass(frozen=True, slots=True)
class Draw:
    """One charged release of a question."""

    release: str
    mechanism: str
    published: bool


@dataclass(frozen=True, slots=True)
class Draws:
    """All draws of one question in the order of the ledger, and which of them this one is.

    Attributes
    ----------
    number : int
        Of this draw, from 1.
    all : tuple of Draw
        Each draw, this one among them.
    """

    number: int
    all: tuple[Draw, ...]

    @property
    def total(self) -> int:
        return len(self.all)

    @property
    def siblings(self) -> tuple[tuple[int, Draw], ...]:
        return tuple((number, draw) for number, draw in enumerate(self.all, 1) if number != self.number)

    @property
    def chosen_from(self) -> int:
        """Among how many draws somebody may have chosen those that are shown: 1 where all of them are."""
        return 1 if all(draw.published for draw in self.all) else self.total


def draws_of(release: Release) -> Mapping[int, Draws]:
    """Return the draws of what each part of a charged release is about, by its question's number.

    Whatever counted that question's reports is a draw of it, jointly with others or not; and of several questions
    together whatever counted two of them, as either shows how they are associated.
    """
    parts = {part.question: set(part.questions) for part in release.parts.all()}
    rows = ReleasePart.objects.filter(release__survey_id=release.survey_id, release__entry__isnull=False)
    in_order = rows.select_related("release").order_by("release__entry__number")
    by_question: dict[int, list[Draw]] = defaultdict(list)
    for part in in_order:
        drawn, counted = part.release, part.questions
        for question, together in parts.items():
            if question in counted or len(together.intersection(counted)) > 1:
                by_question[question].append(Draw(drawn.pk, drawn.mechanism, drawn.published))
    return {question: Draws(_place(release, draws), tuple(draws)) for question, draws in by_question.items()}


def _place(release: Release, draws: Iterable[Draw]) -> int:
    return next(number for number, draw in enumerate(draws, 1) if draw.release == release.pk)


# A release as pages show it: computed from the stored rows and the frozen design, from nothing else.


@dataclass(frozen=True)
class PartReading:
    """What one part says, beside the plan by which it was drawn."""

    part: ReleasePart
    plan: Plan
    draws: Draws

    @cached_property
    def finding(self) -> Finding:
        return self.plan.read(self.part.output)

    @property
    def truth(self) -> TruthLoss:
        return truth_loss(self.plan.local_epsilon, self.plan.loss).capped


@dataclass(frozen=True)
class ReadRelease:
    release: Release
    definition: Definition
    parts: tuple[PartReading, ...]

    @property
    def terms(self) -> Terms:
        return Terms(self.definition, tuple(part.plan for part in self.parts))

    @property
    def relation(self) -> NeighbouringRelation:
        return NeighbouringRelation[self.release.relation]

    @property
    def groups_apart(self) -> bool:
        """Whether groups are counted apart, so that neighbours are only those that tell the same groups apart."""
        return self.terms.groups_apart

    @property
    def exact_figures(self) -> str:
        """Whether figures without this noise reached people with the code: before the draw, since, or not."""
        drawn, now = self.release.exact_figures, self.release.survey.exact_figures
        if drawn == ExactFigures.SHOWN:
            return "shown_before"
        return "shown_since" if now == ExactFigures.SHOWN else "not_shown"

    @property
    def spent(self) -> PrivacyLoss:
        """What all releases of the survey had cost together after this one."""
        return PrivacyLoss(self.release.entry.spent_epsilon, self.release.entry.spent_delta)

    @property
    def unprotected(self) -> bool:
        """Whether answers that were sent as they are are counted in it."""
        return any(part.plan.unprotected for part in self.parts)

    @property
    def truth(self) -> TruthLoss:
        """What the release reveals about the true answers of one response to all of its questions together."""
        local = total_epsilon(part.plan.local_epsilon for part in self.parts)
        return truth_loss(local, PrivacyLoss(self.release.epsilon, self.release.delta)).capped

    @property
    def truth_so_far(self) -> TruthLoss:
        """What all releases up to and including this one tell about all true answers of one response together."""
        return truth_loss(self.definition.epsilon_of_truths, self.spent).capped

    @cached_property
    def versions(self) -> AllVersions | None:
        """The same together with the releases of other versions before this one."""
        return all_versions(self.release.survey, self.definition, self.spent, before=self.release.entry.pk)


def reading_of(release: Release, draws: Mapping[int, Draws] | None = None) -> ReadRelease:
    """Return what a release says, beside these draws of its questions; as they are now if not given."""
    definition = definition_of(release.survey)
    asked = {question.number: question for question in definition.questions}
    mechanism, beside = PLANS[release.mechanism], draws_of(release) if draws is None else draws
    return ReadRelease(
        release=release,
        definition=definition,
        parts=tuple(
            PartReading(
                part=part,
                plan=mechanism.of_part(part, asked, beside[part.question].chosen_from),
                draws=beside[part.question],
            )
            for part in release.parts.all()
        ),
    )
