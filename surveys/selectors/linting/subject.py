"""What the linter reads: a survey, stored or as it stands in the editor."""

import math
from dataclasses import dataclass
from fractions import Fraction

from surveys.models import designs
from surveys.models.definition import AskedQuestion, Definition
from surveys.models.designs import Technique
from surveys.models.kinds import QuestionKind, find
from surveys.models.survey import Survey
from surveys.privacy.designs import total_epsilon
from surveys.selectors.editions import OtherVersions
from surveys.selectors.expected import USUAL_SHARE
from surveys.selectors.linting.languages import language_of


@dataclass(frozen=True, slots=True)
class LintedQuestion:
    """One question; `asked` is None while it is not finished."""

    number: int
    text: str
    kind: str = "yes_no"
    options: tuple[str, ...] = ()
    leave_out: str = "visibly"
    design: str = ""
    language: str = "en"  # the author's words are in, as they read
    proves: bool = False  # one of its reports can prove an answer
    asked: AskedQuestion | None = None

    @property
    def traits(self) -> QuestionKind | None:
        """What its kind says of itself; None while no kind is chosen."""
        return find(self.kind)

    @property
    def asked_with(self) -> Technique | None:
        """What its design says of itself; None while none is chosen."""
        return designs.find(self.design)

    @property
    def one_option_each(self) -> bool:
        """Whether each person is to find one of the author's options true."""
        return self.traits is not None and self.traits.takes_options and not self.traits.several

    @property
    def has_fixed_answers(self) -> bool:
        """Whether the answers are not of the author's wording."""
        return self.traits is not None and not self.traits.takes_options

    @property
    def asks_how_much(self) -> bool:
        """Whether an answer says more than Yes or No, so that it can be an amount."""
        return self.traits is not None and not self.traits.yes_or_no


@dataclass(frozen=True, slots=True)
class LintedSurvey:
    """What stands around the questions, and what is expected."""

    questions: tuple[LintedQuestion, ...]
    introduction: str = ""
    consent: str = ""
    support: str = ""
    minimum_n: int = 10
    expected_n: int = 30
    expected_share: Fraction = USUAL_SHARE
    epsilon_level: float = 4.0
    epsilon_cap: float = 12.0  # none above it is opened
    others: OtherVersions | None = None  # that somebody may have answered as well

    @property
    def epsilon(self) -> float:
        """The sum over the questions that are finished; one that proves something has none, and is found apart."""
        asked = (question.asked for question in self.questions if question.asked)
        return total_epsilon(each.epsilon for each in asked if each.epsilon < math.inf)


def linted_question(asked: AskedQuestion, language: str) -> LintedQuestion:
    """Return a finished question as the linter reads it."""
    labels = asked.first.labels
    options: tuple[str, ...] = ()
    if asked.traits.several:
        options = tuple(item.option for item in asked.items)
    elif asked.traits.takes_options:
        # Where “prefer not to say” is the last label it is the page's own.
        options = labels[:-1] if asked.protects_leaving_out else labels
    return LintedQuestion(
        number=asked.number,
        text=asked.text,
        kind=asked.kind,
        options=options,
        leave_out=asked.leave_out,
        design=asked.design.name,
        language=language_of(asked.text, language),
        proves=asked.epsilon == math.inf,
        asked=asked,
    )


def linted(
    survey: Survey,
    definition: Definition,
    *,
    epsilon_level: float,
    epsilon_cap: float,
    others: OtherVersions | None = None,
) -> LintedSurvey:
    """Return a stored survey as the linter reads it."""
    return LintedSurvey(
        questions=tuple(linted_question(asked, survey.language) for asked in definition.questions),
        introduction=survey.introduction,
        consent=survey.consent,
        support=survey.support,
        minimum_n=survey.minimum_n,
        expected_n=survey.expected_n,
        expected_share=Fraction(survey.expected_share, 100),
        epsilon_level=epsilon_level,
        epsilon_cap=epsilon_cap,
        others=others,
    )
