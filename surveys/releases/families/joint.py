"""Several questions counted together: an outcome, and the predictors that it may go with."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from surveys.numbers.words import whole_number
from surveys.privacy.learning.domain import MOST_PREDICTORS, RESPONSES_A_CELL, CodedItem, PatternDomain
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.releases.families.options import Option, Questions, invalid
from surveys.releases.families.plan import Plan
from surveys.releases.families.questions import first_of, has_numbers, not_saying, several_answers


def _field(questions: Sequence[AskedQuestion]) -> forms.TypedChoiceField:
    return forms.TypedChoiceField(
        label=gettext_lazy("Outcome"),
        required=False,
        choices=[("", _("Choose the outcome")), *((str(asked.number), asked.text) for asked in questions)],
        coerce=int,
        empty_value=None,
        help_text=gettext_lazy("The question to be explained by the other questions."),
        error_messages={"invalid_choice": gettext_lazy("Choose one of the questions.")},
    )


def _words(plan: "JointPlan", _number: int) -> str:
    _outcome, *predictors = plan.questions
    words = {"outcome": plan.question.text, "predictors": ", ".join(f"“{question.text}”" for question in predictors)}
    patterns = plan.cells
    return _("%(questions)s; %(patterns)s") % {
        "questions": _("outcome “%(outcome)s”, predictors %(predictors)s") % words,
        "patterns": ngettext("%(number)s pattern of reports", "%(number)s patterns of reports", patterns)
        % {"number": whole_number(patterns)},
    }


OUTCOME = Option(
    name="outcome",
    place=0,
    needs=gettext_lazy("which question is the outcome"),
    help="the number of the question that is to be explained by the others",
    field=_field,
    read=lambda questions, _value: questions[0].number,
    words=_words,
)


def _groups_field(_questions: Sequence[AskedQuestion]) -> forms.TypedChoiceField:
    return forms.TypedChoiceField(
        label=gettext_lazy("Groups"),
        required=False,
        choices=[("", _("Count groups together")), ("1", _("Count groups separately"))],
        coerce=int,
        empty_value=None,
        help_text=gettext_lazy(
            "The link that each person used, as an additional predictor. Links with fewer answers than this "
            "survey’s minimum for results are combined into one group, as on the results pages."
        ),
    )


def _read_groups(_questions: Questions, value: object) -> int:
    if str(value).strip() != "1":
        raise invalid("groups", _("Enter 1 to count groups separately, or leave this field empty."))
    return 1


def _groups_words(plan: Plan, _counted_apart: int) -> str:
    names = ", ".join(f"“{name}”" for name in plan.groups.names) if plan.groups else ""
    return _(
        "groups as another predictor: %(groups)s. Groups are not randomized, so only this release’s ε protects them"
    ) % {"groups": names}


GROUPS = Option(
    name="groups",
    place=5,
    needs=gettext_lazy("whether groups are counted separately"),
    help="1 to take the survey's groups as one more predictor",
    field=_groups_field,
    read=_read_groups,
    words=_groups_words,
    needed=False,
)


def _proving(asked: AskedQuestion) -> str:
    # Of what is not protected nobody was promised more than the noise.
    if asked.epsilon < math.inf or not asked.protects:
        return ""
    return _(
        "A report on “%(question)s” can prove an answer (its local ε is infinite). In small cells, only the "
        "noise would protect that answer."
    ) % {"question": asked.text}


class JointPlan(Plan):
    """Any mechanism that counts the patterns of reports to several questions: all of them are one part."""

    fields: ClassVar[tuple[Option, ...]] = (OUTCOME,)
    predictors_at_least: ClassVar[int] = 1
    unsuitable_if = (several_answers, _proving)

    @classmethod
    def unsuitable_together(cls, asked: Sequence[AskedQuestion]) -> str:
        """Return why one of them does not suit, there are too few or too many, or none can be the outcome."""
        if why := super().unsuitable_together(asked):
            return why
        least, most = cls.predictors_at_least + 1, MOST_PREDICTORS + 1
        if not least <= len(asked) <= most:
            return _("Choose %(least)s to %(most)s questions, one of them as the outcome.") % {
                "least": least,
                "most": most,
            }
        problems = [_no_outcome(asked, question) for question in asked]
        return problems[0] if all(problems) else ""

    @classmethod
    def parts_of(cls, asked: Sequence[AskedQuestion], options: Mapping[str, Any]) -> tuple[Questions, ...]:
        typed = str(options.get(OUTCOME.name) or "").strip()
        outcome = next((question for question in asked if str(question.number) == typed), None)
        if outcome is None:
            raise invalid(OUTCOME.name, _("For the outcome, enter the number of a question in this release."))
        if why := _no_outcome(asked, outcome):
            raise invalid(OUTCOME.name, why)
        if options.get(GROUPS.name) and len(asked) > MOST_PREDICTORS:
            raise invalid(
                GROUPS.name,
                _("Groups count as a predictor too, and there are already six predictors. Choose fewer questions."),
            )
        return ((outcome, *(question for question in asked if question is not outcome)),)

    @property
    def counts_groups(self) -> bool:
        return GROUPS.name in self.options

    def too_few(self) -> str:
        """Return why there is less than one answer in five for each pattern."""
        needed = self.cells * RESPONSES_A_CELL
        if self.n >= needed:
            return ""
        return _(
            "Together, these questions have %(patterns)s patterns of reports. Counting these patterns needs "
            "%(needed)s responses that skip none of the questions, but there are %(n)s. Choose fewer "
            "questions, or wait for more answers."
        ) % {"patterns": whole_number(self.cells), "needed": whole_number(needed), "n": whole_number(self.n)}

    @property
    def shape(self) -> tuple[int, ...]:
        """How many reports each question has, the outcome first, and how many groups are shown separately."""
        return tuple(column.design.m for column in self.columns)

    @property
    def cells(self) -> int:
        return math.prod(self.shape)


def _no_outcome(asked: Sequence[AskedQuestion], outcome: AskedQuestion) -> str:
    why = first_of(outcome, not_saying, _neither_two_nor_numbers)
    return why or next((two for other in asked if other is not outcome and (two := _rounded(other))), "")


def pattern_domain(shape: tuple[int, ...]) -> PatternDomain:
    """Return the public domain of all patterns of so many reports each."""
    outcome, *predictors = (CodedItem(name=f"{place}", codes=codes) for place, codes in enumerate(shape))
    return PatternDomain(outcome=outcome, predictors=tuple(predictors))


def _neither_two_nor_numbers(asked: AskedQuestion) -> str:
    if has_numbers(asked) or asked.design.k == 2:
        return ""
    return _(
        "“%(question)s” cannot be the outcome. Choose an outcome with exactly two answers, or with numbers as answers."
    ) % {"question": asked.text}


def _rounded(asked: AskedQuestion) -> str:
    if asked.first.range is None:
        return ""
    return _(
        "Numbers given for “%(question)s” are randomly rounded to one of two ends, so this question "
        "can be the outcome but not a predictor."
    ) % {"question": asked.text}
