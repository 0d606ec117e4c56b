"""What two lists of statements say together, in sentences and one table."""

import math
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from surveys.charts import IntervalRow, Table
from surveys.estimation.claims import has_no_width
from surveys.estimation.diagnostics import LEVEL
from surveys.estimation.list_experiment.combined import CombinedListEstimate
from surveys.estimation.list_experiment.denial import DenialEstimate
from surveys.estimation.list_experiment.design_effect import DesignEffectTest
from surveys.estimation.list_experiment.double import DoubleListEstimate
from surveys.estimation.list_experiment.types import ListEstimate
from surveys.estimation.list_experiment.welch import WelchEstimate
from surveys.numbers.words import (
    interval_cell,
    level_words,
    limits_of_100,
    p_below,
    p_words,
    spans,
    tenths_of_100,
)
from surveys.questionnaire.lists import ListPair, pairs_of
from surveys.results.charts import estimate_row
from surveys.results.figures.arms import arm_sizes
from surveys.results.figures.lists import ListComparison, compare_lists, difference_of_lists
from surveys.results.figures.questions import QuestionResult
from surveys.results.report import Report
from surveys.results.sections.arms import arm_sizes_words
from surveys.results.sections.section import Line, Section, Summary
from surveys.results.sections.two_arms import outcome_of_arms
from surveys.results.words import quoted


def section(report: Report, result: QuestionResult) -> Section | None:
    """Return what both lists say together, on the page of each."""
    stored = report.stored.questions[result.question.number - 1]
    if not report.stored.arms or not (compared := compare_lists(stored, report.stored, report.snapshot)):
        return None
    level, sizes = report.options.confidence_level, arm_sizes(report.definition, report.snapshot)
    words = list_words(compared, level, report.snapshot.minimum_n)
    context = {"words": words, "sizes": arm_sizes_words(sizes) if sizes else ""}
    return Section(context, above="results/sections/lists.html", outcome=outcome_of_arms(report, stored))


def summary(report: Report) -> Summary | None:
    """Return a row a pair of lists in the place of both: one of them alone says nothing of the statement."""
    pairs = pairs_of(report.stored) if report.stored.arms else ()
    if not pairs:
        return None
    level = report.options.confidence_level
    return Summary(
        rows=[
            _line(difference_of_lists(pair, report.stored, report.snapshot), report.address_of(pair.treatment), level)
            for pair in pairs
        ],
        replaces=frozenset(number for pair in pairs for number in (pair.control.number, pair.treatment.number)),
    )


def _line(compared: ListComparison, link: str, level: float) -> Line:
    """Return the row of a sensitive statement: the difference of two lists."""
    pair, estimate = compared.pair, compared.estimate
    asked, level = quoted(pair.sensitive), compared.level(level)
    numbers = spans(sorted([pair.control.number, pair.treatment.number]))
    detail = _("Lists in questions %(numbers)s") % {"numbers": numbers}
    none = IntervalRow(asked, "", "–", None, None, None, claimed=False, link=link)
    limits = compared.limits(estimate.difference, level) if estimate else None
    if estimate is None or limits is None or (compared.effect and compared.effect.suspicious):
        why = _("No reliable estimate")
        if estimate is None:
            why = _("Too few responses")
        elif limits is None:
            why = _("Within each arm, everyone sent the same number")
        return replace(none, says=f"{asked}: {why}", detail=f"{detail} · {why}"), (asked, "–", why, "–")
    point = compared.rounded(estimate.point)
    value, written = tenths_of_100(point), interval_cell(*limits)
    if compared.step:
        values = {"level": level_words(level), "step": compared.step}
        detail += " · " + _("%(level)s interval, in steps of %(step)s of 100") % values
    says = f"{asked}: {value} ({written}). {detail}"
    row = estimate_row(asked, says, point, limits, claimed=True, detail=detail, link=link)
    if row.point is not None:
        row = replace(row, value=value)  # in the steps of its interval
    return row, (asked, _("true"), value, written)


@dataclass(frozen=True, slots=True)
class ListWords:
    """The finding, in a sentence or two; its table, and what else is to be known of it."""

    finding: tuple[str, ...]
    table: Table | None = None
    notes: tuple[str, ...] = ()


def list_words(compared: ListComparison, level: float, minimum_n: int) -> ListWords:
    """Say what two lists tell, or why they tell nothing."""
    estimate, effect = compared.estimate, compared.effect
    if estimate is None or effect is None:
        too_few = _("Too few people answered one of the lists. Each list needs at least %(minimum)s answers.")
        return ListWords((too_few % {"minimum": minimum_n},))
    level = compared.level(level)
    finding = [_finding(compared, estimate, level), *_beyond_words(compared, estimate, level)]
    if compared.denial:
        notes = [_effect_words(effect), _types_words(estimate, compared.denial, level)]
    else:
        finding.append(_hidden_words(minimum_n, compared.step, level))
        # The p-value itself would be one estimate more.
        notes = [_suspicious_words(p_below(LEVEL, 2))] if effect.suspicious else []
    if compared.combined:
        notes += _direct_words(compared.combined)
    if compared.mirror and compared.double:
        notes.append(_double_words(compared.mirror, compared.double))
    notes.append(
        _(
            "This estimate assumes that the sensitive statement does not change how people count the others, "
            "and that nobody for whom it is true denies it."
        )
    )
    if compared.likelihood:
        notes.append(
            _(
                "Beta-binomial maximum likelihood also assumes a distribution for the innocuous counts. If its "
                "estimate differs widely from the difference in means, rely on the difference in means."
            )
        )
    return ListWords(
        tuple(finding),
        _table(compared, estimate, level),
        tuple(note for note in notes if note),
    )


def _finding(compared: ListComparison, estimate: ListEstimate, level: float) -> str:
    values = {"statement": compared.pair.sensitive, "share": tenths_of_100(compared.rounded(estimate.point))}
    limits = compared.limits(estimate.difference, level)
    if limits is None:
        return (
            _(
                "“%(statement)s”: about %(share)s of 100 people. There is no interval, because within each arm "
                "everyone sent the same number."
            )
            % values
        )
    return _("“%(statement)s”: about %(share)s of 100 people (%(level)s confidence interval: %(low)s to %(high)s).") % {
        **values,
        "level": level_words(level),
        **limits_of_100(*limits),
    }


def _beyond_words(compared: ListComparison, estimate: ListEstimate, level: float) -> tuple[str, ...]:
    """Say what an estimate means that no share can be."""
    point = compared.rounded(estimate.point)
    low, high = compared.limits(estimate.difference, level) or (point, point)
    if low > 1 or high < 0:
        return (
            _(
                "No share can lie in this range, and random assignment alone rarely produces such a result. "
                "The longer list probably changed what people counted, or some people did not count as "
                "instructed."
            ),
        )
    if 0 <= point <= 1:
        return ()
    return (
        _(
            "A share cannot have this value, but a difference between two randomly assigned groups can. "
            "Consider only the part of the interval between 0 and 100."
        ),
    )


def _effect_words(effect: DesignEffectTest) -> str:
    if math.isnan(effect.p_value):
        return ""
    if effect.suspicious:
        return _suspicious_words(p_words(effect.p_value))
    return _(
        "The test finds no sign that the sensitive statement changed how people counted the others (%(p)s). "
        "With few people, the test can miss such a change."
    ) % {"p": p_words(effect.p_value)}


def _suspicious_words(p: str) -> str:
    return _(
        "The estimated shares of some groups are significantly below zero (%(p)s). The sensitive statement "
        "probably changed how people counted the other statements, so do not rely on the estimate."
    ) % {"p": p}


def _types_words(estimate: ListEstimate, denial: DenialEstimate, level: float) -> str:
    values = {
        "ceiling": tenths_of_100(estimate.ceiling),
        "floor": tenths_of_100(estimate.floor),
        "largest": tenths_of_100(denial.largest),
    }
    words = _(
        "All statements are true for about %(ceiling)s of 100 people (ceiling), and only the sensitive one for "
        "%(floor)s of 100 (floor). People who fear that their number exposes them may deny the sensitive "
        "statement. If everyone who could deny this statement did so, the true share would be %(largest)s of "
        "100."
    )
    bounds = denial.bounds_interval(level)
    error = denial.lowest_standard_error
    if has_no_width(bounds.method, bounds.low, bounds.high, error, outside=bounds.outside):
        return words % values
    chance = _(
        "Allowing for such denial and for random error, the share is between %(low)s and %(high)s."
    ) % limits_of_100(bounds.low, bounds.high)
    return f"{words % values} {chance}"


def _hidden_words(minimum_n: int, step: int, level: float) -> str:
    return _(
        "Fewer than %(minimum)s people gave one of the numbers. Therefore, only the difference is shown, "
        "always with %(level)s confidence and in steps of %(step)s of 100. More detail would reveal how many "
        "people gave which number."
    ) % {"minimum": minimum_n, "level": level_words(level), "step": step}


def _direct_words(combined: CombinedListEstimate) -> list[str]:
    sentences = [
        _(
            "Lists and direct answers are combined. Everyone who says Yes directly counts as a Yes. The lists "
            "estimate how many of the others hide a Yes (%(hidden)s of every 100)."
        )
        % {"hidden": tenths_of_100(combined.among_no.point)}
    ]
    if not math.isnan(combined.false_yes_p_value):
        sentences.append(
            _(
                "Among people who say Yes directly, the lists give an estimate of %(share)s of 100. The test "
                "of the null hypothesis that the statement is true for all these people gives %(p)s."
            )
            % {"share": tenths_of_100(combined.among_yes.point), "p": p_words(combined.false_yes_p_value)}
        )
    if not math.isnan(combined.effect_on_direct_p_value):
        sentences.append(
            _(
                "The share of direct Yes answers differs by %(points)s percentage points (longer list minus "
                "shorter list). The test of the null hypothesis that the list changed no direct answer gives "
                "%(p)s."
            )
            % {
                "points": tenths_of_100(combined.effect_on_direct.point),
                "p": p_words(combined.effect_on_direct_p_value),
            }
        )
    return sentences


def _double_words(mirror: ListPair, double: DoubleListEstimate) -> str:
    values = {
        "numbers": spans(sorted([mirror.control.number, mirror.treatment.number])),
        "share": tenths_of_100(double.by_b.point),
        "points": tenths_of_100(abs(double.apart.point)),
        "p": p_words(double.apart_p_value),
    }
    if math.isnan(double.apart_p_value):
        return ""
    return (
        _(
            "The lists in questions %(numbers)s, given to the same people with the arms swapped, give an "
            "estimate of %(share)s of 100. The two estimates differ by %(points)s percentage points (null "
            "hypothesis that they are equal: %(p)s)."
        )
        % values
    )


def _table(compared: ListComparison, estimate: ListEstimate, level: float) -> Table:
    rows = [
        (
            _("Difference in means (Welch)"),
            tenths_of_100(compared.rounded(estimate.point)),
            _cell(compared, estimate.difference, level),
        )
    ]
    if not compared.step:
        rows.append((_("Maximum likelihood, any distribution"), tenths_of_100(estimate.constrained), _("none")))
    if fit := compared.likelihood:
        interval = fit.prevalence_interval(level)
        rows.append(
            (
                _("Maximum likelihood, beta-binomial"),
                tenths_of_100(fit.prevalence),
                interval_cell(interval.low, interval.high),
            )
        )
    if double := compared.double:
        rows.append(
            (_("Both pairs of lists (Welch)"), tenths_of_100(double.point), _cell(compared, double.mean, level))
        )
    if combined := compared.combined:
        both = combined.interval(level)
        rows += [
            (_("Lists and direct answers"), tenths_of_100(combined.point), interval_cell(both.low, both.high)),
            (_("Direct answers alone"), tenths_of_100(combined.direct.point), _cell(compared, combined.direct, level)),
        ]
    return Table(
        _("“%(statement)s”, by method") % {"statement": compared.pair.sensitive},
        (_("Method"), _("Of 100"), _("%(level)s interval") % {"level": level_words(level)}),
        tuple(rows),
    )


def _cell(compared: ListComparison, estimate: WelchEstimate, level: float) -> str:
    limits = compared.limits(estimate, level)
    return interval_cell(*limits) if limits else _("none")
