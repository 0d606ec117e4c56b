"""Questions: what is asked, and the exact parameters of its design."""

from collections.abc import Mapping
from copy import copy

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models import Q
from django.utils import translation
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from surveys.models import designs, kinds
from surveys.models.designs import DesignName
from surveys.models.kinds import Kind, LeaveOut, prefer_not_to_say
from surveys.models.survey import Survey
from surveys.models.texts import check_line, same_text
from surveys.numbers.words import with_commas
from surveys.privacy.designs import Design, named
from surveys.privacy.designs.grid import even_grid

# Beyond it a report all but gives the answer away (odds change 400-fold), whatever the page says about coins.
LARGEST_EPSILON = 6


class Question(models.Model):
    """One question with the exact parameters of its randomized-response design."""

    survey = models.ForeignKey(Survey, on_delete=models.CASCADE, related_name="questions")
    position = models.PositiveSmallIntegerField(_("position"))
    kind = models.CharField(_("kind"), max_length=12, choices=Kind.choices, default=Kind.YES_NO)
    text = models.CharField(_("text"), max_length=500, validators=[check_line])
    options = models.JSONField(_("options"), default=list, blank=True)
    # What else this kind and this design need, by the names of `kinds.details_of`; numbers as integer pairs.
    details = models.JSONField(default=dict, blank=True)
    design = models.CharField(_("design"), max_length=20, choices=DesignName.choices, default=designs.USUAL.name)
    parameters = models.JSONField(_("parameters"), default=dict, blank=True)
    leave_out = models.CharField(_("skipping"), max_length=9, choices=LeaveOut.choices, default=LeaveOut.VISIBLY)
    accepts_infinite = models.BooleanField(
        _("allow a report to prove the answer"),
        default=False,
        help_text=_("Needed only if ε is infinite. The promise then states what such a report proves."),
    )

    random_order = models.BooleanField(_("show the options in random order"), default=False)
    # {"question": …, "answers": […]}: whom it is asked, by an earlier question's number, from 1, and codes of its
    # answers; empty where everybody is.
    asked_if = models.JSONField(_("asked of some people only"), default=dict, blank=True)
    # The numbers of the arms in which it is asked; none named are all.
    arms = models.JSONField(_("arms"), default=list, blank=True)
    # Questions of one number, above 0, ask for the same thing, each in arms of its own, and are compared. The column of
    # PostgreSQL holds no larger one.
    quantity = models.PositiveSmallIntegerField(_("quantity"), default=0, validators=[MaxValueValidator(32_767)])

    class Meta:
        """Rules that also hold for raw SQL."""

        verbose_name = _("question")
        verbose_name_plural = _("questions")
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(fields=("survey", "position"), name="question_position_unique_in_survey"),
            models.CheckConstraint(condition=Q(kind__in=Kind.values), name="question_kind_known"),
            models.CheckConstraint(condition=Q(design__in=DesignName.values), name="question_design_known"),
            models.CheckConstraint(condition=Q(leave_out__in=LeaveOut.values), name="question_leave_out_known"),
        )

    def __str__(self) -> str:
        return self.text

    @property
    def traits(self) -> kinds.QuestionKind:
        """What its kind says of itself, asked with its design; raises ValueError where there is no such kind."""
        return kinds.traits_of(self.kind, self.design)

    @property
    def asked_with(self) -> designs.AskedDesign:
        """What its design says of itself; raises ValueError where there is no such design."""
        return designs.named(self.design)

    @property
    def asks_directly(self) -> bool:
        """Return whether it is an unprotected Yes/No question, which may stand beside a list that asks for the same."""
        return self.traits.yes_or_no and not self.asked_with.protects

    @property
    def texts(self) -> dict[str, str]:
        """What the survey owner wrote and respondents read, by field; the options are one text, a line each."""
        written = {"text": self.text, "options": "\n".join(self.options), **self.details}
        return {name: text for name, text in written.items() if isinstance(text, str) and text.strip()}

    def translated(self, survey: Survey, words: Mapping[str, str]) -> "Question":
        """Return a copy in the language of that survey; what is not translated stays as it is written.

        So do options that a document has in another number of lines: no answer could be identified by its place.
        """
        texts = {name: words.get(text, text) for name, text in self.texts.items()}
        question = copy(self)
        question.survey = survey
        question.text = texts.pop("text", self.text)
        options = texts.pop("options", "").split("\n")
        question.options = options if len(options) == len(self.options) else list(self.options)
        question.details = self.details | texts
        return question

    @property
    def labels(self) -> tuple[str, ...]:
        """What the true answers of one item are called, by code, in the language in force."""
        answers, limits = self.traits.labels(self.options, self.details), self.traits.range(self.details)
        if limits and (size := self.asked_with.grid_size(self.parameters)):
            return limits.labels(even_grid(limits.low, limits.high, size))
        return (*answers, prefer_not_to_say()) if self.leave_out == LeaveOut.PROTECTED else answers

    @property
    def randomizer(self) -> Design:
        """The design matrix of each item; raises ValueError naming the parameter when the stored ones make none."""
        return named(self.design, parameters=self.parameters, k=len(self.labels))

    def clean(self) -> None:
        """Refuse what could not be asked, naming the field."""
        suitable = kinds.suitable_designs(self.kind)
        if suitable:
            self.traits.check_options(self.options)
        if self.design not in suitable:
            raise ValidationError(
                {
                    "design": gettext("Choose one of these designs for this kind of question: %(designs)s.")
                    % {"designs": ", ".join(str(designs.named(name).label) for name in suitable)}
                }
            )
        if self.leave_out == LeaveOut.PROTECTED and not self.traits.hides_leaving_out:
            raise ValidationError(
                {
                    "leave_out": gettext(
                        "“Prefer not to say” is not an answer to this kind of question. Choose another way to skip."
                    )
                }
            )
        if self.random_order and not self.traits.takes_options:
            raise ValidationError(
                {
                    "random_order": gettext(
                        "This kind of question has no options of its own. Remove the options, or turn off random order."
                    )
                }
            )
        if self.leave_out == LeaveOut.PROTECTED and not self.asked_with.hides_leaving_out:
            raise ValidationError(
                {"leave_out": gettext("This design cannot protect “prefer not to say”. Choose “Coin, then spinner”.")}
            )
        kinds.check_details(self.kind, self.design, self.details)
        self._check_limits()
        if not isinstance(self.parameters, dict):
            raise ValidationError(
                {"parameters": gettext("The design’s parameters must be an object of integer pairs.")}
            )
        try:
            design = self.randomizer
        except ValueError as error:
            raise ValidationError({"parameters": str(error)}) from error
        if self.asked_with.only_yes_or_no and design.m > 2:
            raise ValidationError(
                {
                    "parameters": gettext(
                        "Let respondents draw only one card, because this question’s reports are Yes and No."
                    )
                }
            )
        if self.asked_with.protects:
            self._check_protection(design)
        elif len(self.labels) > self.asked_with.most_answers:
            raise ValidationError(
                {
                    "design": gettext(
                        "An unprotected question can have at most %(most)s answers. Use fewer answers or "
                        "choose another design."
                    )
                    % {"most": self.asked_with.most_answers}
                }
            )
        self._check_labels()

    def _check_limits(self) -> None:
        limits = self.traits.range(self.details)
        if limits and (refused := self.asked_with.refused_limits(self.parameters, limits.low, limits.steps)):
            raise ValidationError(refused)

    def _check_labels(self) -> None:
        """Refuse an option that reads as one of the pages' own words beside it, such as “Prefer not to say”."""
        with translation.override(self.survey.language if hasattr(self, "survey") else translation.get_language()):
            labels = self.labels
        if len({same_text(label) for label in labels}) < len(labels):
            raise ValidationError({"options": gettext("Two answers would read the same. Change one.")})

    def _check_protection(self, design: Design) -> None:
        if all(entry in {0, 1} for row in design.matrix for entry in row):
            raise ValidationError(
                {
                    "parameters": gettext(
                        "With these probabilities nothing is random, and every report is the true answer. "
                        "Choose other probabilities."
                    )
                }
            )
        if design.epsilon == float("inf"):
            if self.traits.one_true:
                # What one report proves of an option, several prove of the answer.
                words = gettext(
                    "With these probabilities a report can prove the answer (ε is infinite). Choose "
                    "other probabilities."
                )
                raise ValidationError({"parameters": words})
            if not self.accepts_infinite:
                raise ValidationError(
                    {
                        "accepts_infinite" if self.asked_with.acceptance else "parameters": gettext(
                            "With these probabilities a report can prove the answer (ε is infinite). Choose "
                            "other probabilities, or accept that a report can be proof."
                        )
                    }
                )
        elif (epsilon := self.traits.losses(design)[0].epsilon) > LARGEST_EPSILON:
            raise ValidationError(
                {
                    "parameters": gettext(
                        "With these probabilities a report almost proves the answer: ε would be %(epsilon).2f, "
                        "and the maximum is %(most)s. Randomize more."
                    )
                    % {"epsilon": epsilon, "most": LARGEST_EPSILON}
                }
            )
        if design.denominator > kinds.LARGEST_DENOMINATOR:
            raise ValidationError(
                {
                    "parameters": gettext("Enter probabilities with a common denominator of at most %(most)s.")
                    % {"most": with_commas(kinds.LARGEST_DENOMINATOR)}
                }
            )
