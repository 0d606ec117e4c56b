"""How many give one of several answers."""

from collections.abc import Sequence
from functools import cached_property
from itertools import zip_longest

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.models import Mechanism
from surveys.privacy.designs import Design, against_rest
from surveys.privacy.mechanisms.one_count import OneCount
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.releases.families.counts import CountsPlan
from surveys.releases.families.options import Option, read_whole_number
from surveys.releases.families.plan import CALIBRATED_NOISE, DISCRETE_NOISE, GEOMETRIC_NOISE, RELATION
from surveys.releases.families.questions import several_answers, two_answers, two_limits


def _field(questions: Sequence[AskedQuestion]) -> forms.TypedChoiceField:
    """Return a field of the answers by code, of several questions those with the same code together."""
    codes = zip_longest(*(asked.first.labels for asked in questions), fillvalue="–")
    answers = [(str(code), " / ".join(dict.fromkeys(labels))) for code, labels in enumerate(codes)]
    return forms.TypedChoiceField(
        label=gettext_lazy("Answer"),
        required=False,
        choices=[("", _("Choose an answer")), *answers],
        coerce=int,
        empty_value=None,
        error_messages={"invalid_choice": gettext_lazy("Choose one of the answers.")},
    )


ANSWER = Option(
    name="answer",
    place=1,
    needs=gettext_lazy("which answer to count"),
    help="the answer's code, from 0",
    field=_field,
    read=lambda questions, value: read_whole_number("answer", value, 0, questions[0].design.k - 1),
    words=lambda plan, code: _("the answer counted: “%(answer)s”") % {"answer": plan.question.first.labels[int(code)]},
)


class OneCountPlan(CountsPlan):
    """How many give one of several answers, among them "prefer not to say" where it is one."""

    name = Mechanism.ONE_COUNT
    fields = (ANSWER,)
    sentence = gettext_lazy(
        "Publishes how many reports there are of one answer compared with all others, with half as "
        "much noise as counts of all answers."
    )
    explanation = gettext_lazy(
        "This mechanism counts the reports that give one particular answer and adds a random whole number, "
        "usually a small one. The total number of answers is public, so subtraction gives the count of all "
        "other answers."
    )
    unsuitable_if = (several_answers, two_limits, two_answers)
    sensitivity_sentence = gettext_lazy(
        "%(value)s: change in the count from one changed report (the other count is the rest of the answers)"
    )
    references = (CALIBRATED_NOISE, GEOMETRIC_NOISE, DISCRETE_NOISE)

    @cached_property
    def mechanism(self) -> OneCount:
        return OneCount(
            epsilon=self.loss.epsilon, relation=RELATION, length=self.question.design.m, answer=self.options["answer"]
        )

    @property
    def design(self) -> Design:
        """The question read as "is it this answer?"."""
        return against_rest(self.question.design, self.options["answer"])

    @property
    def answer_counted(self) -> int:
        return int(self.options["answer"])


PLAN = OneCountPlan
