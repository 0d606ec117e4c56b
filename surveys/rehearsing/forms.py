"""What is to be true of simulated people: a form with the fields that each kind of question needs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.common.forms import UNSAID, FieldProblem, NumberField, PercentField, PercentsField
from surveys.models import Survey
from surveys.models.simulated import TrueShares, spread_people
from surveys.numbers.words import readable, typed_percent, with_unit
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.definition import Definition
from surveys.questionnaire.kinds import LeaveOut
from surveys.rehearsing.services import FEWEST, MOST

# Below DATA_UPLOAD_MAX_NUMBER_FIELDS. With more answers, those of a question are typed in one line.
_MOST_FIELDS = 400
PRESETS = {
    "even": gettext_lazy("Equal shares"),
    "falling": gettext_lazy("Falling shares"),
    "first": gettext_lazy("All on the first answer"),
}


@dataclass(frozen=True, slots=True)
class QuestionFields:
    """The fields of one question, as the page shows them."""

    question: AskedQuestion
    fields: tuple[forms.BoundField, ...]
    leaving: forms.BoundField | None
    in_a_line: bool

    @property
    def shared(self) -> bool:
        """Whether the fields share one whole."""
        return _shares_one_whole(self.question)

    @property
    def labels(self) -> tuple[str, ...]:
        """The answers that share one whole."""
        return _labels(self.question)

    @property
    def ends(self) -> str:
        """The numbers that a mean may lie between, in words; empty where no mean is asked for."""
        limits = self.question.first.range
        if limits is None:
            return ""
        return _("%(low)s to %(high)s") % {
            "low": limits.shown["low"],
            "high": with_unit(limits.shown["high"], limits.unit),
        }


class RehearsalForm(forms.Form):
    """How many simulated people answer, and what is true of them, question by question."""

    respondents = forms.IntegerField(
        label=gettext_lazy("Simulated respondents"),
        min_value=FEWEST,
        max_value=MOST,
        error_messages={"required": gettext_lazy("Enter how many people should answer.")},
    )

    def __init__(self, definition: Definition, data: Mapping[str, Any] | None = None, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        self.definition, self.in_a_line = definition, _in_a_line(definition)
        self._titles = {"respondents": ""}
        for question in definition.questions:
            for name, title, field in _fields(question, in_a_line=self.in_a_line):
                self.fields[name] = field
                self._titles[name] = title

    @property
    def asked_for(self) -> list[QuestionFields]:
        return [
            QuestionFields(
                question,
                tuple(self[name] for name in _names(question, in_a_line=self.in_a_line)),
                self[_leaving(question)] if _leaving(question) in self.fields else None,
                in_a_line=self.in_a_line and _shares_one_whole(question),
            )
            for question in self.definition.questions
        ]

    @property
    def problems(self) -> list[FieldProblem]:
        """Everything that is wrong, each with the question that it is about."""
        return [
            FieldProblem(
                self[name if name in self.fields else "respondents"].id_for_label, self._named(name, str(message))
            )
            for name, messages in self.errors.items()
            for message in messages
        ]

    @property
    def shares(self) -> list[TrueShares]:
        """What is to be true, question by question, once the form is valid."""
        return [self.cleaned_data[f"q{question.number}"] for question in self.definition.questions]

    def clean(self) -> dict[str, Any]:
        """Put together what is to be true of each question, or say what keeps its shares from adding up."""
        cleaned = super().clean() or {}
        for question in self.definition.questions:
            names = _names(question, in_a_line=self.in_a_line)
            if self.errors.keys() & {*names, _leaving(question)}:
                continue
            try:
                given = [cleaned[name] for name in names]
                answers = _answers(question, given[0] if self.in_a_line and _shares_one_whole(question) else given)
            except ValueError as error:
                self.add_error(names[0], str(error))
            else:
                cleaned[f"q{question.number}"] = TrueShares(answers, cleaned.get(_leaving(question)) or Fraction(0))
        return cleaned

    def _named(self, name: str, message: str) -> str:
        title = self._titles.get(name)
        return _("%(field)s: %(message)s") % {"field": title, "message": message} if title else message


def first_guess(survey: Survey, definition: Definition) -> dict[str, str]:
    """Return what the form holds at first: the number and the share of Yes that the survey is planned for."""
    typed = {"respondents": str(min(MOST, max(FEWEST, survey.expected_n)))}
    in_a_line = _in_a_line(definition)
    for question in definition.questions:
        limits, names = question.first.range, _names(question, in_a_line=in_a_line)
        if limits:
            mean = limits.low + (limits.high - limits.low) * Fraction(survey.expected_share, 100)
            typed[names[0]] = readable(Fraction(round(mean, 6)))
        elif _shares_one_whole(question):
            typed |= preset(definition, question, "falling")
        else:
            typed |= dict.fromkeys(names, str(survey.expected_share))
        typed[_leaving(question)] = "0"
    return typed


def initial_fields(definition: Definition, respondents: int, shares: list[TrueShares]) -> dict[str, str]:
    """Return what the form held for what was chosen."""
    typed = {"respondents": str(respondents)}
    in_a_line = _in_a_line(definition)
    for question, chosen in zip(definition.questions, shares, strict=True):
        limits, names = question.first.range, _names(question, in_a_line=in_a_line)
        if limits:
            reached = sum((share * code for code, share in enumerate(chosen.answers[0])), Fraction(0))
            high = reached / question.first.cells
            typed[names[0]] = str(limits.low + (limits.high - limits.low) * high)
        elif _shares_one_whole(question):
            one = [yes for _no, yes in chosen.answers] if question.answers.one_true else chosen.answers[0]
            typed |= _filled_in(question, [typed_percent(share) for share in one], in_a_line=in_a_line)
        else:
            typed |= dict(zip(names, (typed_percent(item[1]) for item in chosen.answers), strict=True))
        typed[_leaving(question)] = typed_percent(chosen.leaving)
    return typed


def preset(definition: Definition, question: AskedQuestion, name: str) -> dict[str, str]:
    """Return the shares of answers that share one whole, filled in at once; {} where there is no such preset."""
    k = len(_labels(question))
    weights = {"even": [0] * k, "falling": list(range(k, 0, -1)), "first": [1] + [0] * (k - 1)}.get(name)
    if weights is None or not _shares_one_whole(question):
        return {}
    percents = [100 * weight // max(1, sum(weights)) for weight in weights]
    percents[0] += 100 - sum(percents)
    texts = [""] * k if name == "even" else [str(percent) for percent in percents]
    return _filled_in(question, texts, in_a_line=_in_a_line(definition))


def _filled_in(question: AskedQuestion, texts: list[str], *, in_a_line: bool) -> dict[str, str]:
    names = _names(question, in_a_line=in_a_line)
    if in_a_line:
        texts = [" ".join(text or UNSAID for text in texts)]
    return dict(zip(names, texts, strict=True))


def _in_a_line(definition: Definition) -> bool:
    """Whether there are too many answers for each to have a field."""
    fields = sum(len(_names(question, in_a_line=False)) + 1 for question in definition.questions)
    return fields > _MOST_FIELDS


def _names(question: AskedQuestion, *, in_a_line: bool) -> list[str]:
    """Return the names of a question's fields, but for that of leaving it out."""
    if not _shares_one_whole(question):
        return [f"q{question.number}-{place}" for place in range(len(question.items))]
    if in_a_line:
        return [f"q{question.number}-shares"]
    return [f"q{question.number}-{code}" for code in range(len(_labels(question)))]


def _leaving(question: AskedQuestion) -> str:
    return f"q{question.number}-leaving"


def _shares_one_whole(question: AskedQuestion) -> bool:
    """Whether each person has one of its answers, or of its options."""
    return question.answers.one_of_list or question.answers.one_true


def _labels(question: AskedQuestion) -> tuple[str, ...]:
    """Return what people can have one of, besides “prefer not to say”."""
    if question.answers.one_true:
        return tuple(item.option for item in question.items)
    return question.first.labels[: question.design.k - question.protects_leaving_out]


def _fields(question: AskedQuestion, *, in_a_line: bool) -> Iterator[tuple[str, str, forms.Field]]:
    """Yield the name of each field, what it is called in the list of problems, and the field."""
    number = _("Question %(number)s") % {"number": question.number}
    missing = {"required": _("Enter a number.")}
    for place, name in enumerate(_names(question, in_a_line=in_a_line)):
        if question.first.range:
            mean = NumberField(label=_("Mean"), error_messages=missing)
            mean.widget.attrs["inputmode"] = "decimal"
            yield name, number, mean
        elif _shares_one_whole(question) and in_a_line:
            yield name, number, PercentsField(label=_("Shares"), number=len(_labels(question)), required=False)
        elif _shares_one_whole(question):
            label = _labels(question)[place]
            yield name, _titled(number, label), PercentField(label=label, required=False)
        else:
            option = question.items[place].option
            title = _titled(number, option) if option else number
            yield name, title, PercentField(label=option or question.first.labels[1], error_messages=missing)
    if question.leave_out != LeaveOut.NO:
        label = (
            _("People who prefer not to say, in per cent")
            if question.protects_leaving_out
            else _("People who skip the question, in per cent")
        )
        title = _("%(question)s, skipped") % {"question": number}
        yield _leaving(question), title, PercentField(label=label, required=False)


def _titled(question: str, answer: str) -> str:
    return _("%(question)s, “%(answer)s”") % {"question": question, "answer": answer}


def _answers(question: AskedQuestion, typed: list[Fraction | None]) -> tuple[tuple[Fraction, ...], ...]:
    """Return the shares of each item's answers; raises ValueError in words for people."""
    if _shares_one_whole(question):
        shares = _shared(typed)
        return tuple((1 - yes, yes) for yes in shares) if question.answers.one_true else (shares,)
    given = [share or Fraction(0) for share in typed]
    limits = question.first.range
    if limits is None:
        return tuple((1 - yes, yes) for yes in given)
    if not limits.low <= given[0] <= limits.high:
        raise ValueError(_("Enter a mean from %(low)s (the smallest number) to %(high)s (the largest).") % limits.shown)
    high = (given[0] - limits.low) / (limits.high - limits.low)
    return (spread_people(high, question.first.cells),)


def _shared(typed: list[Fraction | None]) -> tuple[Fraction, ...]:
    """Return shares of one whole: what is empty shares the rest."""
    together = sum((share for share in typed if share is not None), Fraction(0))
    empty = typed.count(None)
    values = {"together": typed_percent(together)}
    if together > 1:
        raise ValueError(_("These shares add up to %(together)s. Reduce them to 100 or less in total.") % values)
    if together < 1 and not empty:
        raise ValueError(
            _("These shares add up to %(together)s, not 100. Change them, or leave one empty to give it the rest.")
            % values
        )
    return tuple((1 - together) / empty if share is None else share for share in typed)
