"""A survey’s results at one moment, the options that they are asked for with, and the words for interval methods."""

import datetime as dt
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import TypeVar
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.common.selectors import definition_of
from surveys.common.totals import counted_until, may_be_looked_at_again, standing_of
from surveys.estimation.claims import LEVELS, METHODS, FigureOptions, rarely_holds
from surveys.models import State, Survey
from surveys.numbers.words import decimal_outwards, share_of_100, whole_number, without_zero
from surveys.questionnaire.asked_question import AskedQuestion, Item
from surveys.questionnaire.definition import Definition
from surveys.responses.selectors.snapshot import (
    NotKeptError,
    OutdatedError,
    Snapshot,
    WithheldError,
    responses_in_figures,
    snapshot_of,
)
from surveys.responses.told import answered_by_group, is_final, recode, separable_groups
from surveys.results.figures.questions import ItemResult, SurveyResults, group_names, results_of
from surveys.results.forms import whole_number_of

T = TypeVar("T")


_LEVELS = {f"{level:.3f}".removesuffix("0")[1:]: level for level in LEVELS}
_LONGEST_REPEATED = 40  # of what was asked for and does not exist, so much is repeated


@dataclass(frozen=True)
class ResultsOptions:
    """Interval method and confidence level; `notices` say in words what was asked for and does not exist."""

    method: str
    level: str
    notices: tuple[str, ...]
    simultaneous: bool = True
    forged: int | None = None

    @property
    def confidence_level(self) -> float:
        return _LEVELS[self.level]

    @cached_property
    def wanted(self) -> FigureOptions:
        """All options as the figures are computed by them."""
        return FigureOptions(self.method, self.confidence_level, self.simultaneous, self.forged)

    @cached_property
    def query(self) -> str:
        """The options as the query string of an address."""
        parameters = {"method": self.method, "level": self.level}
        if not self.simultaneous:
            parameters["simultaneous"] = "0"
        if self.forged is not None:
            parameters["forged"] = str(self.forged)
        return urlencode(parameters)

    @property
    def query_at_every_look(self) -> str:
        """The same with intervals that hold at every look."""
        return replace(self, method="confidence_sequence").query

    @property
    def method_label(self) -> str:
        return method_label(self.method)

    @property
    def methods(self) -> list[tuple[str, str]]:
        return [(method, method_label(method)) for method in METHODS]

    @property
    def levels(self) -> list[tuple[str, float]]:
        return list(_LEVELS.items())


def parse_options(query: QueryDict) -> ResultsOptions:
    """Read the options of all tabs; what is unknown becomes the default, with a notice that names it."""
    notices = []
    method, level = query.get("method", "wilson"), query.get("level", ".95").removeprefix("0")
    if method not in METHODS:
        notices.append(
            _("Unknown interval method “%(method)s”. Wilson intervals are shown instead.")
            % {"method": method[:_LONGEST_REPEATED]}
        )
        method = "wilson"
    if level in {".8", ".9"}:
        level += "0"
    if level not in _LEVELS:
        notices.append(
            _("Unknown confidence level “%(level)s”. 95%% intervals are shown instead.")
            % {"level": level[:_LONGEST_REPEATED]}
        )
        level = ".95"
    forged, refused = _forged(query.get("forged", ""))
    return ResultsOptions(
        method,
        level,
        (*notices, *refused),
        simultaneous=query.get("simultaneous") != "0",
        forged=forged,
    )


def too_many_forged(options: ResultsOptions, n: int) -> list[str]:
    """Return what is to be said where more reports are taken to be forged than there are."""
    if options.forged is None or options.forged <= n:
        return []
    return [
        _("There are %(n)s answers, and the number of forged reports can’t be larger. Enter a smaller number.")
        % {"n": n}
    ]


def _forged(text: str) -> tuple[int | None, list[str]]:
    """Read how many reports are taken to be forged; nothing stands for one of a hundred."""
    if not text:
        return None, []
    if forged := whole_number_of(text):
        return forged, []
    return None, [
        _("“%(number)s” is not a valid number of forged reports. One report in a hundred is assumed instead.")
        % {"number": text[:_LONGEST_REPEATED]}
    ]


class Refusal(StrEnum):
    """Why a page cannot be shown; results/_refusal.html says it."""

    PURGED = "purged"
    WITHHELD = "withheld"  # it is shown once the survey is closed
    TOO_FEW = "too_few"
    NOTHING_SHOWN = "nothing_shown"
    NO_SHARES = "no_shares"
    NOT_KEPT = "not_kept"


class RefusedError(Exception):
    """What is asked for cannot be shown."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal)
        self.refusal = refusal


class Report:
    """All that pages, projector and receipt read.

    Attributes
    ----------
    survey
        The survey.
    stored
        What was asked, as it is stored.
    query
        What is asked for, from the address.
    """

    def __init__(self, survey: Survey, *, stored: Definition | None = None, query: QueryDict | None = None) -> None:
        self.survey = survey
        self.stored = stored or definition_of(survey)
        self.query = query if query is not None else QueryDict()
        self.standing = standing_of(survey)
        self._computed: dict[tuple[Callable[..., object], int], object] = {}

    def read(self, build: Callable[["Report"], T]) -> tuple["Report", T]:
        """Return what is built of this report, and the report: another one where a fold came in between.

        Raises RefusedError.
        """
        try:
            try:
                return self, build(self)
            except OutdatedError:
                # The next fold is seconds away.
                report = Report(self.survey, stored=self.stored, query=self.query)
                return report, build(report)
        except WithheldError:
            raise RefusedError(Refusal.WITHHELD) from None
        except NotKeptError:
            raise RefusedError(Refusal.NOT_KEPT) from None

    @cached_property
    def options(self) -> ResultsOptions:
        """How figures are to be computed."""
        return parse_options(self.query)

    @cached_property
    def _shown(self) -> tuple[Definition, Snapshot]:
        return recode(self.stored, snapshot_of(self.survey, self.stored))

    @property
    def definition(self) -> Definition:
        """What was asked; of what is not protected, answers that would expose individuals are one."""
        return self._shown[0] if self.stored.withheld_until_closed else self.stored

    @property
    def snapshot(self) -> Snapshot:
        """The responses to draw figures from; read only where there is something to draw."""
        return self._shown[1]

    @property
    def items(self) -> tuple[Item, ...]:
        """The items whose answers are shown, to choose from."""
        return tuple(item for item in self.definition.items if self.snapshot.shows(item.number))

    @property
    def items_with_shares(self) -> tuple[Item, ...]:
        """The items whose answers have shares: of a number whose reports stand for values only the mean is shown."""
        return tuple(item for item in self.items if not item.grid)

    @cached_property
    def group_names(self) -> dict[int, str]:
        """The names of the survey's groups by primary key."""
        return group_names(self.survey)

    @cached_property
    def separable_groups(self) -> frozenset[int]:
        """The groups that may be shown apart, by primary key; 0 is those without one."""
        return separable_groups(self.snapshot, self.definition)

    def answered_by_group(self, question: AskedQuestion) -> dict[int, int]:
        """Return how many of each group answered a question, by the group's primary key."""
        return answered_by_group(question.first, self.snapshot)

    @cached_property
    def results(self) -> SurveyResults:
        return results_of(self.definition, self.snapshot, self.options.wanted, groups=self.group_names)

    @property
    def refusal(self) -> Refusal | None:
        """Why no figure of this survey is shown now, if none is."""
        if self.snapshot.enough:
            return None
        if self.survey.state == State.PURGED:
            return Refusal.PURGED
        return Refusal.WITHHELD if self.snapshot.withheld else Refusal.TOO_FEW

    def require_final(self) -> None:
        """Refuse groups and plain answers while more answers may come."""
        if not self.is_final:
            raise RefusedError(Refusal.WITHHELD)

    @property
    def is_final(self) -> bool:
        """Whether no more answers may come."""
        return is_final(self.snapshot)

    @property
    def can_be_weighted(self) -> bool:
        """Return whether there are unprotected questions or groups: nothing else can be weighted by."""
        return bool(self.stored.unprotected) or bool(self.group_names)

    @property
    def depends_on(self) -> tuple[object, ...]:
        """All that its figures are made of, but for what a visitor asks for; known without reading a single report.

        What was asked is frozen with an opened survey's row, and what was reported is named by how many responses are
        counted: they are only ever added. Of a draft the questions change by themselves. Nothing is in it that no page
        shows, such as who waits in which group: a visitor who asks again can tell whether it has changed.
        """
        row = {name: value for name, value in vars(self.survey).items() if not name.startswith("_")}
        asked = self.stored.version if self.survey.is_draft else ""
        return row, asked, self.counted, self.counted_until

    @property
    def counted(self) -> tuple[object, ...]:
        """What changes whenever more responses may be shown."""
        return self.n, self.standing.received, self.standing.sealing, self.one_look

    @property
    def n(self) -> int:
        """How many responses are in the figures; known without reading a single report."""
        return responses_in_figures(self.survey, self.standing)

    @property
    def one_look(self) -> bool:
        """Whether intervals are to be called those of one look among many."""
        return may_be_looked_at_again(self.survey, self.standing.received) and not self.survey.is_rehearsal

    @cached_property
    def counted_until(self) -> dt.datetime | None:
        """Up to when answers are counted, where housekeeping stands still and some wait for it."""
        return counted_until(self.survey, self.standing)

    def address_of(self, question: AskedQuestion) -> str:
        """Return where a question's results stand in full."""
        address = reverse("survey-results-question", args=[self.survey.code, question.number])
        return f"{address}?{self.options.query}"

    def once(self, compute: Callable[["Report", AskedQuestion], T], question: AskedQuestion) -> T:
        """Return what is computed of a question, the second time without computing it."""
        key = compute, question.number
        if key not in self._computed:
            self._computed[key] = compute(self, question)
        return self._computed[key]  # type: ignore[return-value]  # what this function has returned before


# What the ways of finding an interval are called.


_METHOD_LABELS = {
    "wilson": gettext_lazy("Wilson (score)"),
    "clopper_pearson": gettext_lazy("Clopper–Pearson (exact)"),
    "likelihood_ratio": gettext_lazy("Likelihood ratio"),
    "wald": gettext_lazy("Wald"),
    "confidence_sequence": gettext_lazy("Holds however often you look"),
}


def method_label(method: str) -> str:
    return str(_METHOD_LABELS[method])


# Which interval is shown where the one asked for does not exist and why, and how rarely it may hold.


def method_words(item: ItemResult, wanted: FigureOptions) -> list[str]:
    """Return a sentence for each figure of an item whose interval is by another method than was asked for."""
    figures = []
    if not item.item.grid:
        figures.append(
            (item.method, _("There is no “%(method)s” interval for this design. “%(used)s” is shown instead."))
        )
    if item.mean:
        figures.append((item.mean.method, _mean(among_those_who_say=item.mean.among_those_who_say)))
    if item.scale:
        figures.append((item.scale.mean.method, _mean(among_those_who_say=item.scale.among_those_who_say)))
        figures += [
            (top.share.method, _top(among_those_who_say=item.scale.among_those_who_say)) for top in item.scale.tops
        ]
    if item.bands:
        figures.append((item.bands.mean.method, _mean(among_those_who_say=item.bands.among_those_who_say)))
        figures.append((item.bands.quantile_method, _quantiles(among_those_who_say=item.bands.among_those_who_say)))
    sentences = {
        words % {"method": method_label(wanted.method), "used": method_label(used)}: None
        for used, words in figures
        if used != wanted.method
    }
    return list(sentences)


def coverage_words(item: Item, n: int, method: str, level: float) -> str:
    """Say how rarely an interval from n answers may hold; nothing where that is about as often as it says."""
    coverage = None if item.grid else rarely_holds(item.design, n, method, level)
    if coverage is None:
        return ""
    least, share = coverage
    words = (
        _(
            "With %(n)s answers, intervals by this method contain the true mean in as few as %(least)s of 100 "
            "surveys, instead of the intended %(level)s. Clopper–Pearson intervals never fall below their "
            "stated level."
        )
        if item.range and item.design.k == 2
        else _(
            "Suppose the true share is about %(share)s. With %(n)s answers, intervals by this method then "
            "contain it in as few as %(least)s of 100 surveys, instead of the intended %(level)s. "
            "Clopper–Pearson intervals never fall below their stated level."
        )
    )
    return words % {
        "n": whole_number(n),
        "least": without_zero(decimal_outwards(100 * least, 1, math.floor)),
        "level": without_zero(decimal_outwards(100 * level, 1, math.floor)),
        "share": share_of_100(share),
    }


def simultaneous_words(shares: int, wanted: FigureOptions) -> str:
    """Say whether the intervals of several shares hold together; nothing of a single one."""
    if shares < 2:
        return ""
    if not wanted.simultaneous:
        return _("Each of these intervals is for one share alone, so not all of them need hold simultaneously.")
    return _("The intervals of these %(shares)s shares hold simultaneously (Bonferroni).") % {"shares": shares}


def _mean(*, among_those_who_say: bool) -> str:
    if among_those_who_say:
        return _(
            "There is no “%(method)s” interval for this mean, because the share of people who gave a number is "
            "itself estimated. “%(used)s” is shown instead."
        )
    return _("“%(method)s” intervals are for single shares, not for this mean. “%(used)s” is shown instead.")


def _top(*, among_those_who_say: bool) -> str:
    if among_those_who_say:
        return _(
            "For the shares at the top of the scale, “%(used)s” intervals are shown instead of “%(method)s”. "
            "The reason is that the share of people who gave an answer is itself estimated."
        )
    return _(
        "There are no “%(method)s” intervals for these shares at the top of the scale. “%(used)s” "
        "intervals are shown instead."
    )


def _quantiles(*, among_those_who_say: bool) -> str:
    if among_those_who_say:
        return _(
            "There are no “%(method)s” intervals for the quartiles, because the share of people who gave a "
            "number is itself estimated. “%(used)s” intervals are shown instead."
        )
    return _("There are no “%(method)s” intervals for these quartiles. “%(used)s” intervals are shown instead.")
