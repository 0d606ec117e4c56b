"""What one answer reveals: posteriors, what one report says, and the best that any test could do."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any
from urllib.parse import urlencode

from django import template
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from surveys.charts import Axis, Curve, CurveChart, Mark, Region, Table, Tick, axis_around
from surveys.estimation.prevalence import PrevalenceEstimate, estimate_prevalence
from surveys.numbers.words import (
    Units,
    at_most_of_100,
    decimal,
    nats,
    percent,
    readable,
    rough_chance,
    roughly_of_100,
    shortest_decimal,
    tenths_of_100,
    times,
    with_unit,
)
from surveys.questionnaire.asked_question import Item
from surveys.questionnaire.definition import Definition
from surveys.results.figures.privacy import (
    Belief,
    Guesser,
    OneReport,
    belief_of,
    guesser,
    is_mean,
    one_report,
    options_of,
    region_of,
)
from surveys.results.figures.questions import counts_of
from surveys.results.forms import chosen_item, number_of
from surveys.results.report import Report
from surveys.results.words import answer_name, units_of_number

register = template.Library()

# What is asked for, from the query string.


SMALLEST, LARGEST = 0.1, 1000.0
PRIORS = (
    (gettext_lazy("Uniform: all shares are equally likely"), "1", "1"),
    (gettext_lazy("Jeffreys: little is known"), "0.5", "0.5"),
    (pgettext_lazy("prior", "Sceptical: about 10 of 100, rarely more than 30"), "1", "9"),
)


@dataclass(frozen=True, slots=True)
class BayesOptions:
    """The choices, as numbers and as they were written; `notices` say what was asked for and does not exist."""

    item: Item
    option: int
    prior: tuple[float, float]
    written: tuple[str, str]
    beyond: float  # as a share; of a mean, how far up the range
    beyond_written: str  # of 100, or in the number's units
    notices: tuple[str, ...]

    @property
    def options(self) -> tuple[tuple[int, str], ...]:
        """The answers that can be chosen, by code."""
        return tuple((code, self.item.labels[code]) for code in options_of(self.item))

    @property
    def of_mean(self) -> bool:
        """Whether it is a mean that is believed something of."""
        return is_mean(self.item, self.option)

    def query(self, a: str, b: str) -> str:
        """Return the query string that asks the same of another prior."""
        return urlencode({"item": self.item.key, "option": self.option, "a": a, "b": b, "x": self.beyond_written})


def items_believed(definition: Definition) -> tuple[Item, ...]:
    """Return the items whose answers have shares that somebody may believe something of."""
    return tuple(item for item in definition.protected_items if not item.grid)


def parse_bayes(query: QueryDict, definition: Definition) -> BayesOptions:
    """Read `item`, `option`, `a`, `b` and `x`; what is unknown becomes the default, with a notice that names it.

    A form sends in `of` the item that its `option` and `x` were written for: those of another are not meant.
    """
    notices: list[str] = []
    items = items_believed(definition)
    item = chosen_item(query, "item", items, items[0], notices)
    meant = query.get("of", item.key) == item.key
    option = _option(query.get("option") if meant else None, item, notices)
    a, b = (_parameter(name, query.get(name), notices) for name in ("a", "b"))
    low, high = _range(item, option)
    middle = readable(Fraction(round((low + high) / 2, 6)))
    asked = (query.get("x", "").strip() or middle) if meant else middle
    beyond, beyond_written = _number(asked, float(low), float(high)), asked
    if beyond is None:
        notices.append(
            _("x: enter a number from %(low)s to %(high)s, not “%(given)s”. The value used is %(middle)s.")
            % {"low": readable(low), "high": readable(high), "given": asked[:40], "middle": middle}
        )
        beyond, beyond_written = float(middle), middle
    share = (beyond - float(low)) / float(high - low)
    return BayesOptions(
        item=item,
        option=option,
        prior=(a[0], b[0]),
        written=(a[1], b[1]),
        beyond=min(1.0, max(0.0, share)),
        beyond_written=beyond_written,
        notices=tuple(notices),
    )


def _option(asked: str | None, item: Item, notices: list[str]) -> int:
    codes = options_of(item)
    if asked is None or asked in map(str, codes):
        return codes[0] if asked is None else int(asked)
    notices.append(
        _("Question %(item)s has no separate share for “%(option)s”. “%(first)s” is shown instead.")
        % {"item": item.key, "option": asked[:40], "first": item.labels[codes[0]]}
    )
    return codes[0]


def _parameter(name: str, asked: str | None, notices: list[str]) -> tuple[float, str]:
    written = (asked or "").strip() or "1"
    number = _number(written, SMALLEST, LARGEST)
    if number is not None:
        return number, written
    notices.append(
        _("Prior %(name)s: enter a number from %(low)s to %(high)s, not “%(given)s”. The value used is 1.")
        % {
            "name": name,
            "low": shortest_decimal(SMALLEST),
            "high": shortest_decimal(LARGEST),
            "given": written[:40],
        }
    )
    return 1.0, "1"


def _number(written: str, low: float, high: float) -> float | None:
    """Return a number within these limits; None for what is none."""
    number = number_of(written)
    return number if number is not None and low <= number <= high else None


def _range(item: Item, option: int) -> tuple[Fraction, Fraction]:
    """Return the least and the most that can be exceeded: shares are so many of 100."""
    if item.range is not None and is_mean(item, option):
        return item.range.low, item.range.high
    return Fraction(0), Fraction(100)


# The page.


_HALF = Fraction(1, 2)


def build(report: Report) -> dict[str, Any]:
    """Show the posterior, one report and the best guess for the item and the answer asked for."""
    chosen = parse_bayes(report.query, report.definition)
    item, items = chosen.item, items_believed(report.definition)
    counts = counts_of(item, report.snapshot)
    n = int(counts.sum())
    enough = n >= report.snapshot.minimum_n
    estimate = estimate_prevalence(counts, item.design) if enough else None
    belief = (
        belief_of(
            item,
            counts,
            chosen.option,
            prior=chosen.prior,
            confidence_level=report.options.confidence_level,
            beyond=chosen.beyond,
        )
        if estimate and not estimate.misfit
        else None
    )
    evidence, share = _one_report(item, chosen, estimate)
    guess = guesser(item, chosen.option, report.definition.epsilon)
    charts = {
        "posterior": posterior_chart(belief) if belief else None,
        "report": report_chart(evidence, report_words(evidence, chosen.option, share or _HALF), share),
        "guess": guess_chart(guess, len(items), guess_words(guess)),
    }
    return {
        "chosen": chosen,
        "items": items,
        "n": n,
        "enough": enough,
        "misfit": bool(estimate and estimate.misfit),
        "belief": belief,
        "evidence": evidence,
        "share": _HALF if share is None else share,
        "estimated": share is not None,
        "described": _described(item, chosen.option),
        "guess": guess,
        "priors": [(label, a, b, chosen.query(a, b)) for label, a, b in PRIORS],
        "drawn": charts,
        "charts": [chart for chart in charts.values() if chart],
        "notices": list(chosen.notices),
    }


def _one_report(
    item: Item, chosen: BayesOptions, estimate: PrevalenceEstimate | None
) -> tuple[OneReport, Fraction | None]:
    """Return what reports say, and how many of all have the answer, where there is an estimate of that to trust."""
    known = estimate is not None and not estimate.misfit
    shares = estimate.constrained.tolist() if estimate is not None and known else [1.0] * item.design.k
    share = min(Fraction(1), Fraction(shares[chosen.option])) if known and not chosen.of_mean else None
    return one_report(item, chosen.option, shares), share


def _described(item: Item, option: int) -> list[int]:
    """Return the reports that have a sentence: both of two, else that of the answer itself."""
    return [1, 0] if item.design.m == 2 else [option]


# Words.


@register.simple_tag
def value_of(belief: Belief, share: float, further: int = 0) -> str:
    """Write a share as so many of 100, or where it stands for a mean, in the numbers' units.

    It has as many decimals as tell a tenth of the credible interval apart, and so many further ones.
    """
    units = _units(belief)
    apart = units.length * (belief.interval.high - belief.interval.low) / 10
    digits = max(0, min(9, -math.floor(math.log10(apart)))) if apart > 0 else 9
    return with_unit(decimal(units.at(share), digits + further), units.unit)


def beyond_of(belief: Belief) -> str:
    """Write the number that may be exceeded, as exactly as it was given."""
    units = _units(belief)
    return with_unit(shortest_decimal(units.at(belief.beyond)), units.unit)


@register.simple_tag
def belief_words(belief: Belief) -> str:
    """Say what somebody who starts from the prior should believe now."""
    values = {
        "a": shortest_decimal(belief.prior.a),
        "b": shortest_decimal(belief.prior.b),
        "level": percent(belief.interval.confidence_level),
        "low": value_of(belief, belief.interval.low),
        "high": value_of(belief, belief.interval.high),
        "label": answer_name(belief.item, belief.option),
        "chance": rough_chance(belief.probability),
        "beyond": beyond_of(belief),
    }
    words = _(
        "With the prior Beta(%(a)s, %(b)s), the share of people with the true answer “%(label)s” is now "
        "%(low)s to %(high)s of 100 with probability %(level)s. The share is more than %(beyond)s of 100 "
        "with probability %(chance)s."
    )
    if belief.of_mean:
        words = _(
            "With the prior Beta(%(a)s, %(b)s), the mean is now between %(low)s and %(high)s with "
            "probability %(level)s, and above %(beyond)s with probability %(chance)s."
        )
    return words % values


@register.simple_tag
def belief_rows(belief: Belief) -> list[tuple[str, str, str]]:
    """Return the rows of a table: what was believed before, and what is to be believed now."""
    before, after = belief.prior, belief.posterior
    low, high = belief.prior_limits
    more = (
        _("Probability that the mean is above %(beyond)s")
        if belief.of_mean
        else _("Probability that the share is above %(beyond)s of 100")
    )
    shares = (
        (_("Mean"), before.mean, after.mean),
        (_("Median"), before.quantile(0.5), after.median),
        (_("Lower limit"), low, belief.interval.low),
        (_("Upper limit"), high, belief.interval.high),
    )
    return [
        *((name, value_of(belief, old, 1), value_of(belief, new, 1)) for name, old, new in shares),
        (
            more % {"beyond": beyond_of(belief)},
            percent(belief.prior_probability, 1),
            percent(belief.probability, 1),
        ),
    ]


@register.simple_tag
def report_words(evidence: OneReport, report: int, share: Fraction) -> str:
    """Say of how many of those who sent a report the answer is true, if so many of all have it."""
    after = evidence.posterior(share)[report]
    values = {
        "share": roughly_of_100(share),
        "label": answer_name(evidence.item, evidence.option),
        "report": evidence.item.report_labels[report],
        "after": roughly_of_100(after),
    }
    if after is None:
        return _("If “%(label)s” is the true answer for %(share)s of 100 people, nobody reports “%(report)s”.") % values
    if is_mean(evidence.item, evidence.option):
        values["other"] = evidence.item.labels[0]
        return (
            _(
                "Suppose %(share)s of 100 people have the number %(label)s and the others the number "
                "%(other)s. Then of 100 people who reported “%(report)s”, %(after)s have the number %(label)s."
            )
            % values
        )
    return (
        _(
            "If “%(label)s” is the true answer for %(share)s of 100 people, it is the true answer for "
            "%(after)s of 100 people who reported “%(report)s”."
        )
        % values
    )


@register.simple_tag
def proofs(evidence: OneReport) -> list[str]:
    """Say which reports prove the answer, or that it is not the true one."""
    words = {
        True: _("The report “%(report)s” proves that the true answer is “%(label)s”."),
        False: _("The report “%(report)s” proves that the true answer is not “%(label)s”."),
    }
    label = answer_name(evidence.item, evidence.option)
    proven = [(report, evidence.proof(code)) for code, report in enumerate(evidence.item.report_labels)]
    return [words[proof] % {"label": label, "report": report} for report, proof in proven if proof is not None]


@register.filter
def is_finite(epsilon: float) -> bool:
    """Whether a loss is limited."""
    return epsilon != math.inf


@register.filter
def largest_factor(item: Item) -> str:
    """Write the largest factor by which a report of this item changes the odds between two answers."""
    return times(max(Fraction(factor) for factor in item.design.odds))


@register.simple_tag
def guess_rows(guess: Guesser, reports: int) -> list[tuple[str, str, str]]:
    """Return the rows of a table: how often a guess can be right, and by how much more often than by chance."""
    design = guess.item.design.epsilon
    rows: list[tuple[str, float | Fraction]] = [
        (_("This report, by the design’s matrix"), guess.right),
        (_("Any report with ε = %(epsilon)s") % {"epsilon": nats(design)}, guess.right_at_most),
    ]
    if reports > 1:
        values = {"reports": reports, "epsilon": nats(guess.total_epsilon)}
        rows.append((_("All %(reports)s reports together, ε = %(epsilon)s") % values, guess.right_at_most_in_all))
    return [
        (name, at_most_of_100(right), _("%(number)s%%") % {"number": at_most_of_100(2 * right - 1)})
        for name, right in rows
    ]


@register.simple_tag
def guess_words(guess: Guesser) -> str:
    """Say how often a guess from this report is right at most."""
    return _(
        "Suppose “%(option)s” and “%(other)s” are each the true answer for half the people. Then anyone who "
        "uses a report to guess between these two answers is right at most %(right)s of 100 times."
    ) % {
        "option": answer_name(guess.item, guess.option),
        "other": guess.item.labels[guess.other],
        "right": at_most_of_100(guess.right),
    }


@register.simple_tag
def bound_words(guess: Guesser) -> str:
    """Say what ε alone allows, of this report."""
    epsilon = guess.item.design.epsilon
    if epsilon == math.inf:
        return _("A report can prove some answers, so ε is infinite and sets no limit.")
    return _(
        "With ε = %(epsilon)s and any design, anyone who uses a report to guess between two equally likely "
        "answers is right at most %(right)s of 100 times."
    ) % {"epsilon": nats(epsilon), "right": at_most_of_100(guess.right_at_most)}


@register.simple_tag
def total_words(guess: Guesser, reports: int) -> str:
    """Say what ε allows, of all reports of one response together."""
    values = {
        "reports": reports,
        "epsilon": nats(guess.total_epsilon),
        "right": at_most_of_100(guess.right_at_most_in_all),
    }
    words = _(
        "All %(reports)s reports in a response together have ε = %(epsilon)s. Anyone who sees all these "
        "reports and guesses between two equally likely full sets of answers is right at most %(right)s of "
        "100 times."
    )
    if guess.total_epsilon == math.inf:
        words = _(
            "One of the %(reports)s reports in a response can prove an answer, so ε is infinite for the whole response."
        )
    return words % values


def _units(belief: Belief) -> Units:
    """Return the units of a belief: of 100 for a share, and the number's own for a mean."""
    units = units_of_number(belief.item) if belief.of_mean else None
    return units or Units(Fraction(0), Fraction(100), "")


# Charts.


_ROWS = 20
_MARGIN = 4  # so many points beside either end of a curve do not decide how high the drawing is
_MOST_CURVES = 4  # as many as there are dashes
_SHOWN = (0, 1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 100)  # of 100


def posterior_chart(belief: Belief) -> CurveChart:
    """Return the density of the posterior beside that of the prior."""
    low, high = belief.window
    points = belief.curve()
    # At an end either density may be infinite: the drawing is as high as the posterior between them.
    top = 1.1 * max(after for _share, _before, after in points[_MARGIN:-_MARGIN])
    title = _("Mean") if belief.of_mean else _("Of 100 people")
    rows = belief.densities([low + (high - low) * step / _ROWS for step in range(_ROWS + 1)])
    return CurveChart(
        name="posterior",
        title=_("Before and after the reports: “%(label)s”") % {"label": answer_name(belief.item, belief.option)}
        if not belief.of_mean
        else _("Mean before and after the reports"),
        text=belief_words(belief),
        table=Table(
            caption=_("Probability density before and after the reports"),
            headings=(title, _("Before (prior)"), _("After (posterior)")),
            rows=tuple(
                (value_of(belief, share, 0 if (low, high) == (0, 1) else 2), _density(before), _density(after))
                for share, before, after in rows
            ),
        ),
        x_axis=_value_axis(belief, title),
        y_axis=Axis(0, top, (), _("Density")),
        curves=(
            Curve(
                _("after the reports"),
                _line(belief, [(share, after) for share, _before, after in points], top),
                filled=True,
            ),
            Curve(_("before"), _line(belief, [(share, before) for share, before, _after in points], top), dash=1),
        ),
        marks=(
            Mark(_("lower limit"), x=_units(belief).at(belief.interval.low)),
            Mark(_("upper limit"), x=_units(belief).at(belief.interval.high)),
        ),
    )


def report_chart(evidence: OneReport, text: str, estimated: Fraction | None) -> CurveChart:
    """Return what each report makes of a prior, within what ε allows."""
    every = evidence.curves()
    reports = range(len(every)) if len(every) <= _MOST_CURVES else _telling(evidence)
    labels = evidence.item.report_labels
    finite = evidence.design.epsilon != math.inf
    band = evidence.band() if finite else []
    region = (
        Region(
            _("limit at ε = %(epsilon)s") % {"epsilon": nats(evidence.design.epsilon)},
            [(100 * share, 100 * most) for share, _least, most in band]
            + [(100 * share, 100 * least) for share, least, _most in reversed(band)],
        )
        if finite
        else None
    )
    return CurveChart(
        name="report",
        title=_("Evidence about the sender from one report"),
        text=text,
        table=_report_table(evidence),
        x_axis=_hundred(_("Before: people with this true answer, of 100")),
        y_axis=_hundred(_("After: people with this answer, of 100 who sent the report")),
        curves=tuple(
            Curve(
                _("“%(report)s” reported") % {"report": labels[report]},
                [(100 * x, 100 * y) for x, y in every[report]],
                dash=dash,
            )
            for dash, report in enumerate(reports)
        ),
        regions=(region,) if region else (),
        marks=() if estimated is None else (Mark(_("estimated share"), x=100 * float(estimated)),),
    )


def guess_chart(guess: Guesser, reports: int, text: str) -> CurveChart:
    """Return which errors tests of this report, and of all reports of a person, can have."""
    several = reports > 1
    regions = [_region(_("ε = %(epsilon)s, this report"), guess.item.design.epsilon, guess.right_at_most)]
    if several:
        regions.insert(0, _region(_("ε = %(epsilon)s, all reports"), guess.total_epsilon, guess.right_at_most_in_all))
    values = {"option": answer_name(guess.item, guess.option), "other": guess.item.labels[guess.other]}
    vertices = guess.region.vertices
    return CurveChart(
        name="guess",
        title=_("Errors in guessing between “%(option)s” and “%(other)s”") % values,
        text=text,
        table=Table(
            caption=_(
                "The best tests based on this report. All other tests lie on the lines between them or do worse."
            ),
            headings=(
                _("False positives, of 100 people with “%(other)s”") % values,
                _("False negatives, of 100 people with “%(option)s”") % values,
                _("Correct guesses, of 100"),
            ),
            rows=tuple(
                (tenths_of_100(fpr), tenths_of_100(fnr), at_most_of_100(1 - (fpr + fnr) / 2)) for fpr, fnr in vertices
            ),
        ),
        x_axis=_hundred(_("False positives, of 100")),
        y_axis=_hundred(_("False negatives, of 100")),
        curves=(
            Curve(_("tests based on this report"), [(100 * float(fpr), 100 * float(fnr)) for fpr, fnr in vertices]),
            Curve(_("blind guessing"), [(0.0, 100.0), (100.0, 0.0)], dash=2),
        ),
        regions=tuple(regions),
    )


def _region(label: str, epsilon: float, right: float) -> Region:
    return Region(label % {"epsilon": nats(epsilon)}, [(100 * x, 100 * y) for x, y in region_of(right)])


def _report_table(evidence: OneReport) -> Table:
    labels = evidence.item.report_labels
    rows = []
    for share in _SHOWN:
        after = evidence.posterior(Fraction(share, 100))
        rows.append((str(share), *(tenths_of_100(probability) for probability in after)))
    return Table(
        caption=_("People whose true answer is “%(label)s”, of 100 who sent each report")
        % {"label": answer_name(evidence.item, evidence.option)},
        headings=(_("Before, of 100 people"), *(_("“%(report)s” reported") % {"report": label} for label in labels)),
        rows=tuple(rows),
    )


def _telling(evidence: OneReport) -> list[int]:
    """Return the reports that say most for the answer and most against it: more curves cannot be distinguished."""
    after = evidence.posterior(Fraction(1, 2))
    ordered = sorted(range(len(after)), key=lambda report: after[report] or 0, reverse=True)
    return [ordered[0], ordered[1], ordered[-1]]


def _hundred(title: str) -> Axis:
    return Axis(0, 100, tuple(Tick(at, str(at)) for at in (0, 25, 50, 75, 100)), title)


def _value_axis(belief: Belief, title: str) -> Axis:
    low, high = belief.window
    if (low, high) != (0.0, 1.0):
        return axis_around([_units(belief).at(low), _units(belief).at(high)], title=title, write=decimal)
    if not belief.of_mean:
        return _hundred(title)
    ends = [_units(belief).at(share) for share in (0.0, 0.5, 1.0)]
    return Axis(ends[0], ends[-1], tuple(Tick(end, shortest_decimal(end)) for end in ends), title)


def _line(belief: Belief, points: list[tuple[float, float]], top: float) -> list[tuple[float, float]]:
    """Return a density as far as it fits below the top; where none of it does, a line along the top."""
    inside = [(share, density) for share, density in points if density <= top]
    if len(inside) < 2:
        inside = [(points[0][0], top), (points[-1][0], top)]
    units = _units(belief)
    return [(units.at(share), density) for share, density in inside]


def _density(value: float) -> str:
    return "∞" if value == math.inf else decimal(value, 2)
