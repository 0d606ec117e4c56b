"""Questions of real surveys whose odds a page of the lab can run with: what was asked, never what was answered."""

from dataclasses import dataclass
from fractions import Fraction

from django.contrib.auth.models import AnonymousUser, User

from surveys.answering.selectors import asks_everybody, coin_questions
from surveys.common.selectors import (
    definition_of,
    draft_of,
    survey_by_code,
    survey_for,
    surveys_of,
    surveys_to_release_from,
)
from surveys.models import Budget, Right, Survey
from surveys.models.survey import CODE_ALPHABET
from surveys.privacy.designs import Design
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.definition import Definition

# As many of somebody's newest surveys are offered.
_NEWEST = 20


@dataclass(frozen=True, slots=True)
class OwnQuestion:
    """A yes‑or‑no question of a survey, with the odds that the survey enforces.

    Attributes
    ----------
    definition : Definition
        Of the survey.
    asked : AskedQuestion
        The question: its reports are called as its answers, and none of them proves anything.
    rights : frozenset of Right
        The visitor's rights in the survey; none for a respondent.
    """

    definition: Definition
    asked: AskedQuestion
    rights: frozenset[Right]

    @property
    def design(self) -> Design:
        return self.asked.design

    @property
    def if_yes(self) -> Fraction:
        """The probability that a person who means Yes sends Yes."""
        return self.design.matrix[1][1]

    @property
    def if_no(self) -> Fraction:
        """The probability that a person who means No sends Yes."""
        return self.design.matrix[1][0]

    @property
    def shows_results(self) -> bool:
        """Return whether the visitor may see what was answered, on the pages of the results."""
        return Right.ANALYSE in self.rights


def own_question(*, user: User | AnonymousUser, code: str, number: str) -> OwnQuestion:
    """Return a question of a survey to its team, or to anyone if everybody could answer it now.

    Raises `Survey.DoesNotExist` where there is none for this visitor with which the lab can run.
    """
    if set(code.upper()) <= set(CODE_ALPHABET):
        definition, rights = _definition(user, code)
        for asked in coin_questions(definition):
            if str(asked.number) == number:
                return OwnQuestion(definition, asked, rights)
    raise Survey.DoesNotExist(f"There is no question {number!r} of a survey {code!r} for this visitor.")


def own_questions(user: User | AnonymousUser) -> list[OwnQuestion]:
    """Return the questions that a user can choose from: those of the newest surveys."""
    surveys = surveys_of(user=user).order_by("-created_at", "-pk")[:_NEWEST]
    definitions = [draft_of(survey) for survey in surveys]
    return [OwnQuestion(each, asked, frozenset()) for each in definitions for asked in coin_questions(each)]


def own_budgets(user: User | AnonymousUser) -> list[Budget]:
    """Return the budgets whose ledgers a user may look at: those of the newest surveys."""
    theirs = Budget.objects.filter(survey__in=surveys_to_release_from(user=user), entries__gt=0)
    return list(theirs.select_related("survey").order_by("-survey__created_at", "-pk")[:_NEWEST])


def _definition(user: User | AnonymousUser, code: str) -> tuple[Definition, frozenset[Right]]:
    try:
        survey, rights = survey_for(user=user, code=code)
    except Survey.DoesNotExist:
        survey, rights = survey_by_code(code), frozenset()
        if not asks_everybody(survey):
            raise
    if survey.is_rehearsal:
        raise Survey.DoesNotExist(f"The survey with the code {code!r} is a copy to rehearse with.")
    return definition_of(survey), rights
