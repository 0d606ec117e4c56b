"""The editor's form: a survey with its questions as they are typed, checked, linted and shown as one."""

import re
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, cast
from zoneinfo import ZoneInfo

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.crypto import get_random_string
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from surveys.common.forms import DayField, FieldProblem, MomentField, ZoneSelect, blame, named_message, number_in
from surveys.drafts.figures import (
    USUAL_DIFFERENCE,
    USUAL_SHARE,
    ExpectedComparison,
    ExpectedTwoArms,
    compare_in_arms,
    expected_of,
    models_of,
)
from surveys.drafts.selectors import SURVEY_FIELDS, OtherVersions, others_of
from surveys.drafts.services.surveys import MAX_QUESTIONS, QuestionRefused
from surveys.editor.figures import Dial, NoDial, Remedy, remedy_of, total_epsilon
from surveys.editor.forms import rows as forms_rows
from surveys.editor.forms.arms import ArmRows
from surveys.editor.forms.conditions import Branches, condition_of, deciding_questions
from surveys.editor.forms.question import typed_of
from surveys.editor.forms.rows import MAX_REMOVED, MAX_ROWS, PREFIX, QuestionRow, read_row
from surveys.linting.findings import LintFinding
from surveys.linting.selectors import findings_in
from surveys.linting.subject import LintedSurvey, unfinished
from surveys.models import Survey
from surveys.models.survey import time_zones
from surveys.questionnaire.arms import Arm, answers_in
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.document import COLUMNS, TEXTS, clean_preamble
from surveys.questionnaire.kinds import MAX_OPTIONS, OPTION_LENGTH, find
from surveys.questionnaire.question import QUESTION_COLUMNS, Question

if TYPE_CHECKING:
    _ModelForm = forms.ModelForm[Survey]  # generic for the type checker only
else:
    _ModelForm = forms.ModelForm


# What the editor asks of the questionnaire itself; arms and translations have forms of their own.
_WRITTEN = tuple(name for name in COLUMNS if name not in {"arms", "translations"})


def _written_field(name: str) -> forms.Field:
    column, text = COLUMNS[name], TEXTS.get(name)
    given: dict[str, Any] = {"help_text": text.help} if text else {}
    if text and text.rows > 1:
        given["widget"] = forms.Textarea(attrs={"rows": text.rows})
    if name == "title":
        # Its label is for those who hear it: the title is the headline of the page.
        given["widget"] = forms.TextInput(attrs={"placeholder": gettext_lazy("Title of the survey")})
        given["error_messages"] = {"required": gettext_lazy("Enter a title.")}
    return cast("forms.Field", column.formfield(**given))


_Written = type("_Written", (forms.Form,), {name: _written_field(name) for name in _WRITTEN})


class SurveyForm(_Written, _ModelForm):  # type: ignore[misc, valid-type]  # its fields are those of a list
    """Everything about a survey but its questions."""

    # That of the page, in which what is wrong is listed.
    field_order = (*TEXTS, "language", "expected_n", "expected_share", "minimum_n", "response_cap")
    expected_n = forms.IntegerField(
        label=gettext_lazy("How many people will answer?"),
        min_value=1,
        max_value=10_000_000,
        initial=30,
        help_text=gettext_lazy("Used only for planning, to calculate the expected precision."),
    )
    expected_share = forms.IntegerField(
        label=gettext_lazy("Expected true share, in per cent"),
        min_value=1,
        max_value=99,
        initial=30,
        help_text=gettext_lazy("A guess, used only for planning and not shown to respondents or in results."),
    )
    opens_at = MomentField(label=gettext_lazy("Opens"))
    closes_at = MomentField(label=gettext_lazy("Closes"))
    purge_on = DayField(
        label=gettext_lazy("Destroy all answers on"),
        required=False,
        help_text=gettext_lazy(
            "Respondents see this date. Once the survey is open, you can choose an earlier date but not a later one."
        ),
    )
    language = forms.ChoiceField(
        label=gettext_lazy("Language of the respondents’ pages"),
        choices=settings.RESPONDENTS_LANGUAGES,
        initial=settings.LANGUAGE_CODE,
        help_text=gettext_lazy("This applies to the pages’ own text. Your own text is not translated."),
    )

    class Meta:
        """Columns a survey owner may write."""

        model = Survey
        fields = tuple(name for name in SURVEY_FIELDS if name not in COLUMNS)
        widgets: ClassVar = {"time_zone": ZoneSelect}
        labels: ClassVar = {"time_zone": gettext_lazy("Time zone for these times")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        stored = kwargs.get("instance")
        if stored is not None and stored.document:
            written = stored.questionnaire
            kwargs["initial"] = {name: getattr(written, name) for name in _WRITTEN} | kwargs.get("initial", {})
        super().__init__(*args, **kwargs)
        del self.fields["time_zone"].widget.attrs["maxlength"]  # a select has none
        zone = self["time_zone"].value()
        for name in ("opens_at", "closes_at"):
            times = cast("MomentField", self.fields[name])
            times.zone = ZoneInfo(zone if zone in time_zones() else "UTC")

    def columns(self) -> dict[str, Any]:
        """Return what the service stores."""
        return {name: self.cleaned_data[name] for name in SURVEY_FIELDS if name in self.fields}

    def _post_clean(self) -> None:
        super()._post_clean()
        typed = {name: self.cleaned_data[name] for name in _WRITTEN if name in self.cleaned_data}
        try:
            clean_preamble(typed)
        except ValidationError as refused:
            self.add_error(None, refused)

    @property
    def further_texts(self) -> list[forms.BoundField]:
        """The fields of the texts that stand below the first ones of the page."""
        return [self[name] for name in TEXTS if name not in {"title", "introduction"}]


# The linter's findings about a survey as it stands in the editor.


TypedQuestion = tuple[int, Mapping[str, str], Dial | NoDial]


def typed_findings(
    questions: Iterable[TypedQuestion],
    *,
    typed: Mapping[str, object],
    expected_n: int,
    expected_share: Fraction = USUAL_SHARE,
    others: OtherVersions | None = None,
    groups: int = 0,
    arms: Sequence[Arm] = (),
) -> tuple[LintFinding, ...]:
    """Return what the linter finds in what is typed, the weightiest first.

    `questions` are the number, the fields as typed and the dial of each that stays; `typed` are the survey's own
    fields. A question without any text is not looked at yet.
    """
    minimum_n = number_in(str(typed.get("minimum_n") or "").strip(), most=10**9 - 1)
    return findings_in(
        LintedSurvey(
            questions=tuple(
                _question(number, fields, dial) for number, fields, dial in questions if fields.get("text", "").strip()
            ),
            introduction=_read(typed, "introduction"),
            consent=_read(typed, "consent"),
            support=_read(typed, "support"),
            minimum_n=10 if minimum_n is None else minimum_n,
            expected_n=expected_n,
            expected_share=expected_share,
            others=others,
            groups=groups,
            arms=tuple(arms),
            language=str(typed.get("language") or "en"),
        )
    )


def _question(number: int, fields: Mapping[str, str], dial: Dial | NoDial) -> AskedQuestion:
    # What is longer is refused when it is saved; until then no more of it is read than may be saved.
    text = fields["text"].strip()[: QUESTION_COLUMNS["text"].max_length]
    if isinstance(dial, Dial):
        return replace(dial.question, number=number, text=text)
    kind = fields.get("kind", "")
    traits = find(kind)
    lines = fields.get("options", "").splitlines() if traits and traits.takes_options else []
    return unfinished(
        number,
        text,
        kind=kind,
        options=tuple(line.strip()[:OPTION_LENGTH] for line in lines if line.strip())[: MAX_OPTIONS + 1],
        leave_out=fields.get("leave_out", ""),
        design=fields.get("design", ""),
    )


def _read(typed: Mapping[str, object], name: str) -> str:
    return str(typed.get(name) or "")[: TEXTS[name].longest]


# The editor's form: a survey and its questions, checked and shown as one.


# Of all that have problems so many open themselves; the others tell theirs in their row.
_MOST_OPEN = 3
_ALWAYS_SHOWN = frozenset({"title", "__all__"})
_KEY = re.compile(r"[A-Za-z0-9]{22}")


class SurveyEditor:
    """A survey as it stands in the editor.

    It shows what is stored, or what has been typed so far without complaining about it, which is how rows are added,
    opened and moved; asked whether it `is_valid`, it complains, and hands over drafts.
    """

    def __init__(
        self, survey: SurveyForm, rows: list[QuestionRow], arms: ArmRows, *, revision: int = 0, key: str = ""
    ) -> None:
        self.survey = survey
        self.rows = rows
        self.arms = arms
        # Of the stored survey that is being edited; 0 for a new one, whose form has a key instead.
        self.revision = revision
        self.key = key if _KEY.fullmatch(key) else get_random_string(22)
        self.said = ""
        self._bound: SurveyForm | None = None
        self.changed = False
        self.damage = ""
        self.refused: list[str] = []

    @classmethod
    def stored(cls, survey: Survey | None) -> "SurveyEditor":
        """Show what is in the database; a new survey begins with one empty question, open."""
        rows = [QuestionRow(typed_of(question)) for question in survey.questions] if survey else []
        if not rows:
            rows = [QuestionRow(is_open=True)]
        form = SurveyForm(instance=survey)
        if survey is None:
            # A new draft begins at the top.
            form.fields["title"].widget.attrs["autofocus"] = True
        arms = ArmRows.stored(survey.questionnaire.arms if survey else ())
        return cls(form, rows, arms, revision=survey.revision if survey else 0)

    @classmethod
    def posted(cls, data: QueryDict, survey: Survey | None) -> "SurveyEditor":
        """Take what was sent, as it was typed."""
        count = number_in(data.get(PREFIX, ""), most=MAX_ROWS)
        rows = [read_row(data, index) for index in range(1, (count or 0) + 1)]
        revision = number_in(data.get("revision", ""), most=10**9) or 0
        # Reading what is typed writes it into a copy: the stored survey stays as it is until it is saved.
        arms = ArmRows.posted(data)
        editor = cls(SurveyForm(data, instance=copy(survey)), rows, arms, revision=revision, key=data.get("key", ""))
        editor.changed = True
        for row in rows:
            row.ask_in(row.asked_in(len(arms)), len(arms))
        if count is None or arms.broken:
            editor.damage = _(
                "The questions arrived incomplete, so no question was changed. Open the editor again and "
                "repeat your changes."
            )
        elif any(row.broken for row in rows):
            editor.damage = _("Some of what you entered arrived incomplete. Check your questions.")
        return editor

    def act(self, action: str) -> None:
        branches = Branches(self.rows)
        words = self._fit() if action == "fit" else self.arms.act(self.rows, action)
        if words is None:
            words = forms_rows.act(self.rows, action)
        self.said = " ".join(filter(None, [words, branches.follow(self.rows)]))

    def _fit(self) -> str:
        """Make the answers expected enough: turn the coins that are too private for them, and ask what has room."""
        remedy = self.remedy
        if remedy is None or not remedy.helps:
            return ""
        staying = self.staying
        for place, turn in remedy.turns.items():
            staying[place].retype("truth", str(turn.after.probability))
        for row in staying[remedy.kept :]:
            row.removed, row.is_open = True, False
        # The numbers are computed anew when they are asked for.
        for name in ("dials", "remedy"):
            self.__dict__.pop(name, None)
        turned, dropped = len(remedy.turns), remedy.drops
        done = [
            turned and ngettext("%(turned)s probability changed.", "%(turned)s probabilities changed.", turned),
            dropped and ngettext("%(dropped)s question removed.", "%(dropped)s questions removed.", dropped),
        ]
        return " ".join(words for words in done if words) % {"turned": turned, "dropped": dropped}

    def unfold(self) -> None:
        """Open the first question, and leave the reader at the top of the page."""
        for row in self.rows[:1]:
            row.is_open = True

    def forgive(self) -> None:
        """Show what was typed without complaining about it; `wrong` still says what is."""
        self._bound = self.survey
        self.survey = SurveyForm(instance=self.survey.instance, initial=_raw(self.survey))

    def drop_blank(self) -> None:
        """Drop the questions that nobody has typed anything into."""
        branches = Branches(self.rows)
        self.rows = [row for row in self.rows if not row.is_blank]
        branches.follow(self.rows)

    def is_valid(self) -> bool:
        """Return whether it can be stored; all problems are listed at once."""
        sound = [
            self.survey.is_valid(),
            self.arms.is_valid(),
            not self.damage,
            not any(row.wrong for row in self.staying),
        ]
        if len(self.staying) > MAX_QUESTIONS:
            words = _("A survey can have at most %(most)s questions. Remove some.")
            self.refused.append(words % {"most": MAX_QUESTIONS})
        return all(sound) and not self.refused

    def columns(self) -> dict[str, Any]:
        """Return what the service stores of the survey itself."""
        return {**self.survey.columns(), "arms": self.arms.columns()}

    def drafts(self) -> list[Question]:
        """Return the questions to be stored, in their order."""
        return [row.question for row in self.staying if row.question and not row.wrong]

    def blame(self, error: ValidationError) -> None:
        """Put what a service refused beside the field it names, or above all fields."""
        if isinstance(error, QuestionRefused):
            self.staying[error.number - 1].refuse(error.message_dict)
        else:
            blame(self.survey, error)

    def complain(self) -> None:
        """Show the first questions that have problems open, with the problems beside their fields."""
        opened = 0
        self.arms.complains = True
        for row in self.staying:
            row.complains = bool(row.wrong)
            if row.wrong and opened < _MOST_OPEN:
                row.is_open = True
                opened += 1

    @property
    def staying(self) -> list[QuestionRow]:
        """The questions that were not removed."""
        return [row for row in self.rows if not row.removed]

    @property
    def shown(self) -> list[QuestionRow]:
        """All rows with their numbers: in the form, as people count those that stay, of their dials, and of arms."""
        number = 0
        for index, row in enumerate(self.rows, start=1):
            number += not row.removed
            row.index, row.number = index, 0 if row.removed else number
            row.numbers = self.dials.get(row)
        arms = self.arms.arms
        for row in self.staying:
            asked, quantity = row.asked_in(len(arms)), row.typed["quantity"]
            row.deciding = deciding_questions(row, self.staying)
            row.boxes = [(arm, arm.number in asked) for arm in arms]
            same = [other for other in self.staying if other is not row and other.typed["quantity"] == quantity]
            row.same = [other.number for other in same] if quantity else []
            direct = (other.number for other in same if quantity and row.counts_options and other.asks_directly)
            row.direct = next(direct, 0)
        return self.rows

    @property
    def expected_n(self) -> int:
        """The number of answers to plan for; the usual one while what is typed is none."""
        return self._planned("expected_n")

    @property
    def expected_share(self) -> Fraction:
        """The share to plan for; the usual one while what is typed is none."""
        return Fraction(self._planned("expected_share"), 100)

    def _planned(self, name: str) -> int:
        field = self.survey.fields[name]
        try:
            return int(field.clean(self.survey[name].value()))
        except ValidationError:
            return int(field.initial)

    @cached_property
    def dials(self) -> dict[QuestionRow, Dial | NoDial]:
        """The numbers of each question that stays, with as many answers as come into its arms and to its branch."""
        return {row: self._dial(row) for row in self.staying}

    def _dial(self, row: QuestionRow) -> Dial | NoDial:
        arms, condition = self.arms.arms, condition_of(row, self.staying)
        people = answers_in(arms, row.asked_in(len(arms)), self.expected_n)
        dial = row.dial(n=condition.asked_of(people) if condition else people, share=self.expected_share)
        if isinstance(dial, NoDial) or dial.class_size == self.expected_n:
            return dial
        return replace(dial, people=self.expected_n, question=replace(dial.question, asked_if=condition))

    @cached_property
    def remedy(self) -> Remedy | None:
        """What makes the answers expected enough for every question within this server's level; None where they are."""
        level = settings.EPSILON_LEVEL
        if others := self._others:
            level = max(0.0, level - others.bounded_epsilon)
        # What nobody has typed a text for is not judged yet.
        dials = [dial if row.typed["text"].strip() else NoDial("") for row, dial in self.dials.items()]
        asked = [row.asked_in(len(self.arms)) for row in self.dials]
        arms = [[place for place, arms in enumerate(asked) if arm.number in arms] for arm in self.arms.arms]
        remedy = remedy_of(dials, level=level, arms=arms)
        gone = len(self.rows) - len(self.staying)
        if remedy and remedy.drops and gone + remedy.drops > MAX_REMOVED:
            return replace(remedy, kept=0)
        return remedy

    @cached_property
    def _others(self) -> OtherVersions | None:
        return others_of(self.survey.instance)

    @property
    def proving(self) -> tuple[int, ...]:
        """The numbers of the questions a report to which can prove an answer."""
        return tuple(row.number for row, dial in self.dials.items() if dial.proves)

    @property
    def unprotected(self) -> tuple[int, ...]:
        """The numbers of the questions whose answers are sent as they are."""
        return tuple(row.number for row, dial in self.dials.items() if not dial.protects)

    @property
    def bounded(self) -> tuple[Dial | NoDial, ...]:
        """The questions that stay, without all of those."""
        return tuple(dial for dial in self.dials.values() if dial.protects and not dial.proves)

    @property
    def epsilon(self) -> float | None:
        """The total of the questions whose ε is finite; of several arms that of the one that costs most."""
        if not self.arms:
            return total_epsilon(self.bounded)
        known = [total for total in self.arm_totals if total is not None]
        return max(known) if len(known) == len(self.arms) else None

    @property
    def arm_lines(self) -> list[list[QuestionRow | None]]:
        return self.arms.side_by_side(self.staying)

    @property
    def arm_totals(self) -> list[float | None]:
        return [self._arm_total(number) for number in range(1, len(self.arms) + 1)]

    def _arm_total(self, number: int) -> float | None:
        asked = [dial for row, dial in self.dials.items() if number in row.asked_in(len(self.arms))]
        if asked and not any(dial.protects for dial in asked):
            return 0.0  # in this arm nothing is protected, and nothing costs
        return total_epsilon([dial for dial in asked if dial.protects and not dial.proves])

    @property
    def comparisons(self) -> list[ExpectedComparison]:
        """What the answers expected tell of a difference between the ways in which arms are asked for the same."""
        asked: dict[str, list[AskedQuestion]] = {}
        for row, dial in self.dials.items():
            quantity = row.typed["quantity"]
            if quantity and isinstance(dial, Dial) and len(dial.question.items) == 1 and not dial.range:
                numbered = replace(dial.question, number=row.number, arms=row.asked_in(len(self.arms)))
                asked.setdefault(quantity, []).append(numbered)
        return [
            compare_in_arms(
                self.arms.arms,
                first,
                second,
                n=self.expected_n,
                share=float(self.expected_share),
                difference=USUAL_DIFFERENCE,
                option=expected_of(first, n=self.expected_n, share=self.expected_share).option,
            )
            for alike in asked.values()
            for first, second in combinations(alike, 2)
            if first.first.labels == second.first.labels and not {*first.arms} & {*second.arms}
        ]

    @property
    def two_arms(self) -> list[ExpectedTwoArms]:
        """What pairs of arms tell together that have a model of two shares: each dial takes one of them as known."""
        asked = [
            (replace(dial.question, number=row.number), dial.class_size)
            for row, dial in self.dials.items()
            if isinstance(dial, Dial) and row.typed["quantity"]
        ]
        return [
            ExpectedTwoArms(pair, (n, other_n), self.expected_share)
            for (question, n), (other, other_n) in combinations(asked, 2)
            for pair in models_of(question, [other])
            if pair.identified
        ]

    @property
    def findings(self) -> tuple[LintFinding, ...]:
        return typed_findings(
            ((row.number, row.typed, self.dials[row]) for row in self.shown if not row.removed),
            typed=_raw(self.survey),
            expected_n=self.expected_n,
            expected_share=self.expected_share,
            others=self._others,
            groups=self.survey.instance.groups.count() if self.unprotected and self.survey.instance.pk else 0,
            arms=self.arms.arms,
        )

    @property
    def unfolded(self) -> bool:
        """Whether something is wrong with what is usually folded away."""
        return self.survey.is_bound and bool(self.survey.errors.keys() - _ALWAYS_SHOWN)

    @property
    def wrong(self) -> list[FieldProblem]:
        """What is wrong with fields that can be seen, for a script to say at those that were typed into."""
        bound = self._bound
        lines = [
            FieldProblem(bound[name].id_for_label, str(message))
            for name, messages in (bound.errors.items() if bound else ())
            for message in messages
            if bound and name in bound.fields
        ]
        return lines + [
            FieldProblem(f"id_{PREFIX}-{row.index}-{wrong.name}", wrong.message)
            for row in self.shown
            if row.is_open and not row.removed
            for wrong in row.wrong
        ]

    @property
    def start(self) -> int:
        """The number of the question that is open, where a preview begins."""
        return next((row.number for row in self.shown if row.is_open), 1)

    def problems(self) -> list[FieldProblem]:
        """Return everything wrong, in the order of the page."""
        lines = named_problems(self.survey, otherwise="id_title")
        for form in self.arms.forms if self.arms.complains else ():
            lines += named_problems(form, otherwise="id_title")
        lines += [FieldProblem("questions", message) for message in (*filter(None, [self.damage]), *self.refused)]
        for row in self.shown:
            if not row.removed:
                lines += [
                    FieldProblem(
                        f"id_{PREFIX}-{row.index}-{wrong.name}" if row.is_open else f"open-{row.index}",
                        _("Question %(number)s: %(message)s") % {"number": row.number, "message": wrong.named},
                    )
                    for wrong in row.wrong
                ]
        return lines


def _raw(form: SurveyForm) -> dict[str, Any]:
    """Return every field as it was typed."""
    return {name: form[name].value() for name in form.fields}


def named_problems(form: forms.BaseForm, *, otherwise: str) -> list[FieldProblem]:
    """Return everything wrong with a form, under its field's name; what belongs to no field leads `otherwise`."""
    return [
        FieldProblem(
            form[name].id_for_label if name in form.fields else otherwise, named_message(form, name, str(message))
        )
        for name, messages in form.errors.items()
        for message in messages
    ]
