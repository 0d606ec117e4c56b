"""How many give one of several answers."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.models import Mechanism
from surveys.models.asked_question import AskedQuestion
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.designs import Design, against_rest
from surveys.privacy.loss import PrivacyLoss
from surveys.privacy.mechanisms.one_count import OneCount
from surveys.releases.families.counts import CountsOffer
from surveys.releases.families.noise import Source, laplace
from surveys.releases.families.options import Option, read_whole_number
from surveys.releases.families.questions import first_of, several_answers, two_answers, two_limits
from surveys.releases.families.references import CALIBRATED_NOISE, DISCRETE_NOISE, GEOMETRIC_NOISE


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
    read=lambda asked, value: read_whole_number("answer", value, 0, asked.design.k - 1),
    words=lambda asked, code: _("the answer counted: “%(answer)s”") % {"answer": asked.first.labels[int(code)]},
)


class OneCountOffer(CountsOffer[OneCount]):
    """How many give one of several answers, among them "prefer not to say" where it is one."""

    name = Mechanism.ONE_COUNT
    options = (ANSWER,)
    sentence = gettext_lazy(
        "Publishes how many reports there are of one answer compared with all others, with half as "
        "much noise as counts of all answers."
    )
    explanation = gettext_lazy(
        "This mechanism counts the reports that give one particular answer and adds a random whole number, "
        "usually a small one. The total number of answers is public, so subtraction gives the count of all "
        "other answers."
    )
    references = (CALIBRATED_NOISE, GEOMETRIC_NOISE, DISCRETE_NOISE)

    def unsuitable(self, asked: AskedQuestion) -> str:
        """Return why one count says less, or nothing, of this question."""
        return first_of(asked, several_answers, two_limits, two_answers)

    def mechanism(
        self, asked: AskedQuestion, options: Mapping[str, Any], loss: PrivacyLoss, relation: NeighbouringRelation
    ) -> OneCount:
        """Return the noise on the count of this answer's reports."""
        return OneCount(epsilon=loss.epsilon, relation=relation, length=asked.design.m, answer=options["answer"])

    def design(self, asked: AskedQuestion, options: Mapping[str, Any]) -> Design:
        """Return the question read as "is it this answer?"."""
        return against_rest(asked.design, options["answer"])

    def answer_counted(self, options: Mapping[str, Any]) -> int:
        """Return the answer's code."""
        return int(options["answer"])

    def noise(self, mechanism: OneCount) -> list[Source]:
        return [laplace("each count", mechanism.noise)]

    def sensitivity_words(self) -> str:
        return _("%(value)s: change in the count from one changed report (the other count is the rest of the answers)")


OFFER = OneCountOffer()
