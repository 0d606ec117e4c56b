"""Several questions counted together: an outcome, and the predictors that it may go with."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from surveys.numbers.words import whole_number
from surveys.privacy.decimals import float_not_below
from surveys.privacy.learning.domain import MOST_PREDICTORS, RESPONSES_A_CELL, CodedItem, PatternDomain
from surveys.privacy.learning.joint import NoisyJointTable
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.releases.families.noise import Source, on_each_count
from surveys.releases.families.options import Option, Questions, invalid
from surveys.releases.families.plan import RELATION, Plan
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
        problems = [cls.no_outcome(asked, question) for question in asked]
        return problems[0] if all(problems) else ""

    @classmethod
    def parts_of(cls, asked: Sequence[AskedQuestion], options: Mapping[str, Any]) -> tuple[Questions, ...]:
        typed = str(options.get(OUTCOME.name) or "").strip()
        outcome = next((question for question in asked if str(question.number) == typed), None)
        if outcome is None:
            raise invalid(OUTCOME.name, _("For the outcome, enter the number of a question in this release."))
        if why := cls.no_outcome(asked, outcome):
            raise invalid(OUTCOME.name, why)
        if options.get(GROUPS.name) and len(asked) > MOST_PREDICTORS:
            raise invalid(
                GROUPS.name,
                _("Groups count as a predictor too, and there are already six predictors. Choose fewer questions."),
            )
        return ((outcome, *(question for question in asked if question is not outcome)),)

    @classmethod
    def no_outcome(cls, asked: Sequence[AskedQuestion], outcome: AskedQuestion) -> str:
        """Return why one of these questions cannot be the outcome, or ""."""
        why = first_of(outcome, not_saying, _neither_two_nor_numbers)
        return why or rounded_beside(asked, outcome)

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


class TablePlan(JointPlan):
    """Any mechanism that draws the noisy count of every pattern: all else is computed from these for free."""

    uses_delta = True
    needs_no_delta = True
    unit = "answers"
    stored_names: ClassVar = {"noisy_counts": gettext_lazy("Noisy counts")}
    accuracy_sentence = gettext_lazy("With probability %(level)s, the noise moves every count by at most %(amount)s.")
    sensitivity_sentence = gettext_lazy(
        "%(value)s for all counts together (L1 for Laplace noise, squared L2 for Gaussian)"
    )

    @cached_property
    def mechanism(self) -> NoisyJointTable:
        """The noise on the counts; before they are counted, of the fewest responses that there may be."""
        for column in self.columns:
            # What cannot be read off the reports is refused here, and not after the charge.
            _ = column.design.left_inverse
        domain = pattern_domain(self.shape)
        return NoisyJointTable(
            domain=domain,
            n=self.n or RESPONSES_A_CELL * domain.cells,
            epsilon=self.loss.epsilon,
            delta=self.loss.delta,
            relation=RELATION,
        )

    def noise(self) -> list[Source]:
        return on_each_count(self.mechanism)

    def stored(self, output: Any) -> dict[str, Any]:  # noqa: ANN401 - Plan's signature
        return {"noisy_counts": list(output)}

    def restored(self, stored: Mapping[str, Any]) -> tuple[int, ...]:
        return tuple(stored["noisy_counts"])

    @property
    def largest_error(self) -> Fraction:
        """All answers: a count lies between none and that."""
        return Fraction(self.n)

    def answers(self, new: Plan) -> bool:
        """Whether it can be read off it: any of its questions alone or with others; groups if they were the same."""
        return new.groups in {None, self.groups}

    def derived_accuracy(self, new: Plan, confidence_level: float) -> float | None:
        """Return what counts lead to that are sums of the table's, each off by at most so much."""
        summed = Fraction(self.cells, math.prod(column.design.m for column in new.columns))
        of_each = summed * Fraction(self.accuracy(confidence_level).at_most)
        of_counts = new.error_from_counts(of_each, self.n)
        return None if of_counts is None else float_not_below(of_counts)

    def error_from_counts(self, t: Fraction, n: int) -> Fraction:
        """Return the same: these are such counts."""
        return t


def rounded_beside(asked: Sequence[AskedQuestion], outcome: AskedQuestion) -> str:
    """Return why another question than the outcome cannot be beside it, or ""."""
    return next((two for other in asked if other is not outcome and (two := _rounded(other))), "")


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
