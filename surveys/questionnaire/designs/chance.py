"""What a randomized response design says of itself; all code for designs asks here, and names none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, Self

from django.core.exceptions import ValidationError
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from surveys.privacy.designs import Design, DesignFamily
from surveys.privacy.designs.grid import LARGEST_REPORTS

_HALF = Fraction(1, 2)
_Words = Promise | str
Stored = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class GridWords:
    """Sentences about the most revealing report, “%(label)s”, which is likeliest where a number rounds to %(number)s.

    %(here)s of 100 send it whose number is so, and %(there)s of 100 others.
    """

    here: Promise  # above the dots of the one, and of the other
    there: Promise
    alone: Promise  # after “%(there)s of 100”, where a device randomizes: phones that send %(report)s by that alone
    of_report: Promise  # with how many reports this holds for
    shares: Promise  # the two probabilities in one sentence
    dial_here: Promise  # the shortest
    dial_there: Promise
    # Where a device randomizes: to experts, with the two probabilities exactly; in one line; by a server, of
    # %(points)s values, where %(first)s to %(last)s can be stored.
    of_matrix: Promise | str = ""
    line: Promise | str = ""
    stored: Promise | str = ""


@dataclass(frozen=True)
class Chance:
    """How answers are randomized, here by a device or a person's own coins.

    The fields are what the survey owner wrote besides the parameters. Without any they stand for the design itself.
    """

    name: ClassVar[str]
    label: ClassVar[_Words]
    # Its matrices: `matrices.name` is its own name.
    matrices: ClassVar[DesignFamily]
    # Who it is from: as the methods page cites it, and the works that are listed there.
    citation: ClassVar[str] = ""
    references: ClassVar[tuple[tuple[str, str], ...]] = ()

    # Whether the answer is randomized, so that a report has an ε to add up; else it is sent as it is.
    protects: ClassVar[bool] = True
    # Whether what is tapped is the report: no device takes part, and it can be changed until it is sent.
    tapped: ClassVar[bool] = False
    # Whether an innocuous fact replaces the coins; what is tapped is then something about two answers.
    in_the_head: ClassVar[bool] = False
    # Whether its reports stand for numbers, so that it is for the mean of a number alone.
    for_numbers: ClassVar[bool] = False
    # What is said of such reports.
    grid_words: ClassVar[GridWords]
    # Whether only questions are asked with it whose answers are Yes and No.
    only_yes_or_no: ClassVar[bool] = False
    # Whether one of its reports proves something whatever its parameters.
    always_proves: ClassVar[bool] = False
    # Whether a report says something about two answers together, so that one tapped at random reads like any other.
    reports_on_both: ClassVar[bool] = False
    # Whether with its fact turned round, a share of 1 − p for p, it protects as much and is as precise.
    fact_turns: ClassVar[bool] = False
    # In a picture of a hundred people: how to draw those whose true answer (Yes, No) decided their report.
    drawn_as: ClassVar[tuple[str, str]] = ("yes", "no")
    without_proof: ClassVar[str] = ""  # the design that asks for the same and proves nothing
    proof_words: ClassVar[_Words] = _(
        "Anyone who sees the report that proves an answer knows that answer. Only the other report stays "
        "deniable. The promise to respondents states this, and some respondents may not answer."
    )
    without_proof_words: ClassVar[_Words] = _(
        "Give each side of the second coin, or each field of the spinner, a share above 0."
    )

    # Where a report proves something the survey owner has to accept that in these words, under this heading; without
    # them such parameters are refused.
    acceptance: ClassVar[_Words] = ""
    acceptance_words: ClassVar[_Words] = ""

    # What two arms asked with it tell together where their parameters differ: a name in `two_groups.models.MODELS`.
    two_arms: ClassVar[str] = ""
    # Of its details those that may be left empty.
    may_be_empty: ClassVar[frozenset[str]] = frozenset()

    # With fair coins, as they are stored.
    usual_parameters: ClassVar[Stored] = {}
    # The editor's field in which each parameter is typed, the one that protection turns on first.
    typed_in: ClassVar[Mapping[str, str]]
    # What else the survey owner writes, with the most characters that each may have.
    details: ClassVar[Mapping[str, int]] = {}

    # In one or two sentences, with its parameters.
    sentence: ClassVar[_Words]
    # To a class: how many reports say this by chance alone.
    by_chance: ClassVar[_Words] = _(
        "Of 100 reports, %(floor)s are “%(report)s” purely at random, whatever the true answers are."
    )
    # Whether a share of the reports is random whatever the true answer is, and the others are the true answer.
    chance_stands_apart: ClassVar[bool] = False

    def of(self, details: Mapping[str, Any]) -> Self:
        """Return it with what somebody wrote, which has been checked."""
        return replace(self, **{name: details[name] for name in self.details})

    @property
    def for_any_k(self) -> bool:
        """Whether there may be any number of answers."""
        return self.matrices.for_any_k and not self.for_numbers

    @property
    def hides_leaving_out(self) -> bool:
        """Return whether one more answer can be a protected “prefer not to say”."""
        return self.for_any_k and self.protects

    @property
    def fields(self) -> frozenset[str]:
        """The names of the editor's fields that it needs."""
        acceptance = frozenset({"accepts_infinite"}) if self.acceptance else frozenset()
        return acceptance | frozenset(self.typed_in.values()) | self.details.keys()

    @property
    def main_field(self) -> str:
        """The field beside which unsuitable parameters are refused."""
        return next(iter(self.typed_in.values()), "design")

    def grid_size(self, stored: Stored) -> int:
        """Return how many values a number is rounded to, where its reports stand for values; 0 where for answers."""
        size = stored.get("grid")
        return size if self.for_numbers and isinstance(size, int) and 2 <= size <= LARGEST_REPORTS else 0

    def usual_grid(self, steps: int) -> int:
        """Return how many values numbers in so many steps are usually rounded to, where reports stand for values."""
        size: int = self.usual_parameters["grid"]
        return size

    def refused_limits(self, stored: Stored, low: Fraction, steps: int) -> dict[str, str]:
        """Return why numbers from this one on, in so many steps, cannot be asked with it, by field."""
        return {}

    def usual(self, k: int) -> Design:
        """Return the matrix for k answers with fair coins."""
        return self.matrices.read(k, self.usual_parameters)

    def procedure(self, design: Design, labels: Sequence[str]) -> str:
        """Describe how an answer is randomized, with the exact probabilities."""
        return str(self.sentence) % {**dict(design.exact_parameters), "label": labels[1], "reports": design.m}

    def check(self, design: Design, answers: int) -> None:
        """Refuse a matrix, or a number of answers, that it cannot be asked with."""
        if self.only_yes_or_no and design.m > 2:
            raise ValidationError(
                {
                    "parameters": gettext(
                        "Let respondents draw only one card, because this question’s reports are Yes and No."
                    )
                }
            )

    def keeps_every_answer(self, truth: Fraction | None) -> bool:
        """Whether keeping the true answer with this probability leaves nothing to chance."""
        return truth == 1

    def report_labels(self, labels: tuple[str, ...]) -> tuple[str, ...]:
        """Return what each report is called, from what the true answers are."""
        return labels

    def check_details(self, details: Mapping[str, Any]) -> None:
        """Refuse texts that do not go together, naming the field."""

    def end_weights(self, design: Design) -> tuple[Fraction, Fraction]:
        """Return with which weights the Yes-rate of an arm mixes the two shares of its model of two arms."""
        raise NotImplementedError

    def asks_as(self, other: "Chance") -> bool:
        """Whether two arms ask so that one model can be of both."""
        return True

    @property
    def guessed(self) -> str:
        """The name of the parameter that is no known share, so that only two arms tell anything; or ""."""
        return ""

    def stored(self, typed: Mapping[str, Any], answers: int) -> dict[str, Any]:
        """Return the parameters as they are stored; raises ValidationError naming the field."""
        return {parameter: self._share(typed, field) for parameter, field in self.typed_in.items()}

    def shares(self, stored: Stored) -> dict[str, Sequence[Sequence[int]]]:
        """Return the shares to write into each field, as they are stored."""
        return {field: [stored[parameter]] for parameter, field in self.typed_in.items()}

    @staticmethod
    def _weights(typed: Mapping[str, Any], field: str, answers: int) -> list[list[int]]:
        """Return one share an answer, or nothing where none is typed."""
        shares = typed[field]
        if not shares:
            return []
        if len(shares) != answers:
            words = gettext(
                "Enter one share for each of the %(answers)s answers (you entered %(given)s), or leave the field empty."
            )
            raise ValidationError({field: words % {"answers": answers, "given": len(shares)}})
        if sum(shares) != 1:
            words = gettext("The shares must add up to 1, but yours add up to %(sum)s.")
            raise ValidationError({field: words % {"sum": sum(shares)}})
        return [list(share.as_integer_ratio()) for share in shares]

    @staticmethod
    def _whole_number(typed: Mapping[str, Any], field: str, usual: int, least: int, most: int) -> int:
        number: int = usual if typed.get(field) is None else typed[field]
        if not least <= number <= most:
            words = gettext("Enter a whole number from %(least)s to %(most)s.") % {"least": least, "most": most}
            raise ValidationError({field: words})
        return number

    def _share(self, typed: Mapping[str, Any], field: str) -> list[int]:
        share = typed[field]
        if not isinstance(share, Fraction):
            raise ValidationError({field: gettext("Enter a probability, such as 1/2.")})
        if share == self.matrices.useless == _HALF:
            raise ValidationError(
                {
                    field: gettext(
                        "With probability 1/2, the reports reveal nothing. Enter another probability, such as 3/4."
                    )
                }
            )
        return list(share.as_integer_ratio())
