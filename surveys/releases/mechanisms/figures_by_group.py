"""Figures of one question in the groups that another's answers make: shares or means of all groups in one charge."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from surveys.charts import Axis, IntervalChart, IntervalRow, Table, share_axis
from surveys.estimation.intervals.binomial import normal_quantile
from surveys.estimation.learning.by_group import estimate_released_groups, expect_group_precision
from surveys.models import Mechanism
from surveys.numbers.words import (
    estimate_of_100,
    estimate_sentence,
    interval_cell,
    percent,
    percent_limits,
    three_digits,
    whole_number,
)
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.releases.families.counts import level_of_each
from surveys.releases.families.figure import Figure, NumberScale, high_of, low_of, raw_of, value_of
from surveys.releases.families.finding import CONFIDENCE_LEVEL, Finding, SyntheticPeople, finite, noisy_counts_table
from surveys.releases.families.joint import OUTCOME, TablePlan, rounded_beside
from surveys.releases.families.model import released_table, table_key, values_of
from surveys.releases.families.plan import CALIBRATED_NOISE, DISCRETE_NOISE
from surveys.releases.families.questions import not_saying, reported_numbers, unit_of
from surveys.releases.families.synthetic import synthetic_people

SHARES = NumberScale(Fraction(0), Fraction(1), "")
"""What shares lie between."""


def _words(plan: "FiguresByGroupPlan", _number: int) -> str:
    outcome, groups = plan.questions
    words = {"outcome": outcome.text, "groups": groups.text}
    patterns = ngettext("%(number)s pattern of reports", "%(number)s patterns of reports", plan.cells)
    return _("%(questions)s; %(patterns)s") % {
        "questions": _("figures of “%(outcome)s” by the answers to “%(groups)s”") % words,
        "patterns": patterns % {"number": whole_number(plan.cells)},
    }


@dataclass(frozen=True, slots=True)
class GroupFigure:
    """A figure of one group.

    Attributes
    ----------
    group : str
        The answer that makes the group.
    answer : str
        The answer whose share it is; "" for a mean.
    figure : Figure
        The number with its interval; those of all groups hold at once.
    """

    group: str
    answer: str
    figure: Figure

    @property
    def name(self) -> str:
        if not self.answer:
            return self.group
        return _("“%(answer)s” in “%(group)s”") % {"answer": self.answer, "group": self.group}

    @property
    def is_vague(self) -> bool:
        """Return whether only its interval is shown."""
        return self.figure.value is None or self.figure.is_vague

    @property
    def says(self) -> str:
        """Return the number in words: of 100 people for a share, in its unit for a mean."""
        figure = self.figure
        if not self.answer:
            return value_of(figure)
        if figure.value is None:
            return interval_cell(figure.low, figure.high)
        return estimate_of_100(figure.value, figure.low, figure.high)

    @property
    def row(self) -> IntervalRow:
        if not self.answer:
            return self.figure.row(self.name)
        low, high = self.figure.low, self.figure.high
        return IntervalRow(
            label=self.name,
            says=estimate_sentence(self.name, self.says, low, high),
            value=interval_cell(low, high) if self.is_vague else self.says,
            point=None if self.is_vague else self.figure.value,
            low=low,
            high=high,
        )

    @property
    def cells(self) -> tuple[str, ...]:
        figure = self.figure
        if not self.answer:
            return (self.name, value_of(figure), low_of(figure), high_of(figure), raw_of(figure))
        return (self.name, percent(figure.value, 1), *percent_limits(figure.low, figure.high), percent(figure.raw, 1))


@dataclass(frozen=True, slots=True)
class GroupSize:
    """The share of people in one group, with its interval."""

    group: str
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ByGroup(Finding):
    """Figures of all groups, read off one published table.

    Attributes
    ----------
    outcome, by : str
        The question whose figures these are, and the one whose answers are the groups.
    figures : tuple of GroupFigure
        Of each group in turn.
    sizes : tuple of GroupSize
        How many people are in each group.
    counts : tuple of (str, int)
        Each pattern of reports, and its published count.
    """

    outcome: str
    by: str
    figures: tuple[GroupFigure, ...]
    sizes: tuple[GroupSize, ...]
    counts: tuple[tuple[str, int], ...]

    family = "by_group"
    second_follows = False

    @property
    def is_mean(self) -> bool:
        return not self.figures[0].answer

    @property
    def is_uninformative(self) -> bool:
        """Whether every interval leaves all but everything possible."""
        return all(one.figure.is_uninformative for one in self.figures)

    @property
    def ends(self) -> tuple[GroupFigure, GroupFigure] | None:
        """The groups with the largest and the smallest of one figure, if both are shown; intervals hold at once."""
        answer = self.figures[-1].answer
        shown = [one for one in self.figures if one.answer == answer and not one.is_vague]
        if len(shown) < 2:
            return None
        ranked = sorted(shown, key=lambda one: one.figure.value or 0.0)
        return ranked[-1], ranked[0]

    @property
    def title(self) -> str:
        if self.ends is None:
            return _("Figures of “%(outcome)s” by group") % {"outcome": self.outcome}
        most, least = self.ends
        words = {"answer": most.answer, "most": most.group, "least": least.group, "some": most.says, "less": least.says}
        if self.is_mean:
            return _("Mean: about %(some)s in “%(most)s”, %(less)s in “%(least)s”") % words
        return _("“%(answer)s”: about %(some)s of 100 in “%(most)s”, %(less)s in “%(least)s”") % words

    @property
    def note(self) -> str:
        return _(
            "The groups are people’s true answers to “%(groups)s”, as far as the reports show them. All intervals "
            "hold simultaneously with about 95%% confidence, by the normal approximation. They allow for both the "
            "respondents’ coins and the noise of this release."
        ) % {"groups": self.by}

    def numbers(self) -> dict[str, Any]:
        first = self.figures[0].figure.scale
        return {
            "what": "mean" if self.is_mean else "share",
            "outcome": self.outcome,
            "by": self.by,
            "unit": first.unit,
            "possible": [str(first.low), str(first.high)],
            "intervals": "all at once (Bonferroni)",
            "figures": [
                {
                    "group": one.group,
                    "answer": one.answer or None,
                    "raw": one.figure.raw,
                    "value": one.figure.value,
                    "low": one.figure.low,
                    "high": one.figure.high,
                }
                for one in self.figures
            ],
            "groups": [
                {"group": size.group, "share": size.share, "low": size.low, "high": size.high} for size in self.sizes
            ],
        }

    @property
    def _axis(self) -> Axis:
        return self.figures[0].figure.axis if self.is_mean else share_axis(_("Of 100 people"))

    def chart(self, name: str) -> IntervalChart:
        title = _("Estimated means by group") if self.is_mean else _("Estimated true answers by group")
        return self.interval_chart(name, title=title, axis=self._axis, rows=[one.row for one in self.figures])

    def tables(self) -> list[Table]:
        headings = (_("Group"), _("Estimate"), _("Low"), _("High"), _("Raw estimate"))
        sizes = tuple((one.group, percent(one.share, 1), *percent_limits(one.low, one.high)) for one in self.sizes)
        return [
            Table(_("Released and derived values"), headings, tuple(one.cells for one in self.figures)),
            Table(_("People in each group"), (_("Group"), _("Share"), _("Low"), _("High")), sizes),
            noisy_counts_table(self.counts),
        ]


class FiguresByGroupPlan(TablePlan):
    """The table of two questions' reports: figures of the one in each group that the other makes are read off it."""

    name = Mechanism.FIGURES_BY_GROUP
    synthesizes = True
    fields = (replace(OUTCOME, words=_words),)
    sentence = gettext_lazy(
        "Publishes the shares of each answer to one question, or the mean of a number, in each group of people with "
        "the same answer to another question."
    )
    explanation = gettext_lazy(
        "This mechanism counts how often each pair of reports occurred and adds a random whole number to each count. "
        "Each person is in only one group, so all groups together cost no more than one. The figures are computed "
        "only from the published counts and allow for the randomization of both questions."
    )
    references = (
        CALIBRATED_NOISE,
        DISCRETE_NOISE,
        ("McSherry (2009)", "Privacy integrated queries, SIGMOD."),
        ("Fieller (1954)", "Some problems in interval estimation, J. Royal Statistical Society B 16."),
    )

    @classmethod
    def unsuitable_together(cls, asked: Sequence[AskedQuestion]) -> str:
        """Return why one of them does not suit, or that there must be two."""
        why = next((why for question in asked if (why := cls.unsuitable(question))), "")
        if not why and len(asked) != 2:
            return _("Choose two questions: one for the figures, and one whose answers are the groups.")
        return why or super().unsuitable_together(asked)

    @classmethod
    def no_outcome(cls, asked: Sequence[AskedQuestion], outcome: AskedQuestion) -> str:
        """Return why the figures cannot be of this question, or ""."""
        return not_saying(outcome) or rounded_beside(asked, outcome)

    def read(self, output: Mapping[str, Any]) -> ByGroup:
        counts = self.restored(output)
        outcome, groups = self.columns
        values = values_of(self.question)
        found = estimate_released_groups(released_table(table_key(self, counts)), values or None)
        answers = [""] if values else list(outcome.labels)
        # Of two answers one share says both.
        rows = [1] if len(answers) == 2 else range(len(answers))
        level = level_of_each((len(rows) + 1) * len(groups.labels), self.level())
        limits, sizes = found.interval(level), found.size_interval(level)
        scale = self._scale
        figures = tuple(
            GroupFigure(
                label,
                answers[row],
                Figure(
                    raw=finite(float(found.point[row, place])),
                    value=finite(float(found.constrained[row, place])),
                    low=float(limits.low[row, place]),
                    high=float(limits.high[row, place]),
                    scale=scale,
                    among_those_who_say=False,
                ),
            )
            for place, label in enumerate(groups.labels)
            for row in rows
        )
        shares = found.table.constrained.sum(axis=0)
        patterns = [" · ".join(pair) for pair in product(outcome.report_labels, groups.report_labels)]
        return ByGroup(
            outcome=outcome.text,
            by=groups.text,
            figures=figures,
            sizes=tuple(
                GroupSize(label, *map(float, numbers))
                for label, *numbers in zip(groups.labels, shares, sizes.low, sizes.high, strict=True)
            ),
            counts=tuple(zip(patterns, counts, strict=True)),
        )

    def synthetic(self, output: Mapping[str, Any]) -> SyntheticPeople:
        return synthetic_people(self, self.restored(output))

    @property
    def _scale(self) -> NumberScale:
        if not values_of(self.question):
            return SHARES
        numbers = reported_numbers(self.question)
        return NumberScale(numbers.low, numbers.high, unit_of(self.question))

    @cached_property
    def _expected_errors(self) -> tuple[float, float, float]:
        """Standard errors where all combinations of true answers are equally common: of the least precise figure.

        Of this release, of the same without its noise, and of direct answers.
        """
        designs = tuple(column.design for column in self.columns)
        truths = np.full([design.k for design in designs], 1 / math.prod(design.k for design in designs))
        mechanism = self.mechanism
        values = values_of(self.question) or None
        errors = expect_group_precision(truths, values, n=self.n, designs=designs, noise=mechanism.noise)
        released, without_noise, direct = (float(each.max()) for each in errors)
        return released, without_noise, direct

    def expected_half_widths(self, confidence_level: float) -> tuple[float, ...]:
        """Return that of the least precise figure."""
        return (normal_quantile(confidence_level) * self._expected_errors[0],)

    def expectation_says(self) -> str:
        """Say it of the least precise figure: in percentage points for shares."""
        scale = 1.0 if values_of(self.question) else 100.0
        widths = [three_digits(scale * normal_quantile(CONFIDENCE_LEVEL) * error) for error in self._expected_errors]
        words = dict(zip(("released", "without", "direct"), widths, strict=True))
        if values_of(self.question):
            return (
                _(
                    "If all combinations of true answers were equally common, the 95%% margin of error of each "
                    "group’s mean would be at most about ±%(released)s. The margin would be ±%(without)s without "
                    "this noise and ±%(direct)s with direct answers."
                )
                % words
            )
        return (
            _(
                "If all combinations of true answers were equally common, the 95%% margin of error of each group’s "
                "shares would be at most about ±%(released)s percentage points. The margin would be ±%(without)s "
                "without this noise and ±%(direct)s with direct answers."
            )
            % words
        )


PLAN = FiguresByGroupPlan
