"""The tab of regression on randomized reports: what is asked for, its sentences, and its chart."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import template
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import IntervalChart, IntervalRow, Table, axis_around, log_axis_around
from surveys.numbers.words import (
    decimal,
    p_value,
    p_words,
    spans,
    whole_number,
)
from surveys.questionnaire.asked_question import Item
from surveys.results.figures.adherence import anchors_of, tells_followers
from surveys.results.figures.groups import NO_GROUP
from surveys.results.figures.not_followed import Supposed, Supposition, of_a_regression
from surveys.results.figures.regression.answers import MOST_PREDICTORS, can_be_regressed, regression_of, trait_of
from surveys.results.figures.regression.arms import ArmsOutcome, outcomes_of_arms, regression_of_arms
from surveys.results.figures.regression.battery import MOST_ITEMS, BatteryOutcome, batteries_of, regression_of_battery
from surveys.results.figures.regression.means import has_mean, regression_of_mean
from surveys.results.figures.regression.terms import (
    STANDARD_ERRORS,
    Block,
    Regression,
    RegressionData,
    Term,
    TermTest,
)
from surveys.results.figures.regression.weighted import weighted_regression
from surveys.results.figures.weights import WeightingPlan
from surveys.results.forms import OptionChoice, chosen_item, chosen_option, option_choices
from surveys.results.pages.weights import WeightsQuery, asked_weights
from surveys.results.report import Report
from surveys.results.sections import not_followed
from surveys.results.sections.anchor import followers_words, parse_anchor, telling_nothing
from surveys.results.sections.arms_regression import arms_lines, model_words
from surveys.results.sections.battery import battery_lines, battery_model, battery_title
from surveys.results.sections.regression import (
    fixed_words,
    mean_cells,
    mean_sentence,
    outwards,
    signed_decimal,
    signed_high,
    signed_low,
    term_name,
    who_words,
)
from surveys.results.words import answer_name, never_asked_together

register = template.Library()
register.filter(p_value)
register.filter(p_words)
register.filter(battery_title)
register.filter(signed_decimal)
register.filter(signed_high)
register.filter(signed_low)
register.filter(spans)

# What is asked for, from the query string.


_FEWEST_FIELDS = 2


@dataclass(frozen=True, slots=True)
class RegressionQuery:
    """The answer that is regressed, what on, and by which standard errors."""

    items: Sequence[Item]
    arms: Sequence[ArmsOutcome]  # what two arms tell together, which can be predicted only
    batteries: Sequence[BatteryOutcome]  # several answers of each person, which can be predicted only
    outcome: Item | ArmsOutcome | BatteryOutcome
    options: tuple[OptionChoice, ...]  # the answers to choose from; what is analysed together has one
    option: int | None  # None: the mean of a scale
    predictors: tuple[Item, ...]
    groups: bool
    standard_error: str
    excluded: tuple[Item, ...]  # numbers for their mean
    notices: tuple[str, ...]

    @property
    def fields(self) -> tuple[str, ...]:
        """The keys in the fields for predictors: those chosen and an empty one more, as long as there is room."""
        keys = [item.key for item in self.predictors]
        size = min(MOST_PREDICTORS, max(_FEWEST_FIELDS, len(keys) + 1))
        return tuple(keys + [""] * (size - len(keys)))


def parse_regression(
    query: QueryDict,
    items: Sequence[Item],
    of_arms: Sequence[ArmsOutcome],
    *,
    batteries: Sequence[BatteryOutcome] = (),
    has_groups: bool,
) -> RegressionQuery | None:
    """Read the regression's fields; what is unknown is dropped with a notice. None: there is nothing to regress."""
    usable = [item for item in items if can_be_regressed(item)]
    if not usable:
        return None
    notices: list[str] = []
    all_together: tuple[ArmsOutcome | BatteryOutcome, ...] = (*of_arms, *batteries)
    together = next((each for each in all_together if each.key == query.get("outcome")), None)
    outcome = together or _outcome(query, items, usable, notices)
    if isinstance(outcome, BatteryOutcome):
        outcome = _chosen_items(query, outcome, notices)
    options: tuple[OptionChoice, ...] = ()
    option: int | None = 1
    if isinstance(outcome, Item):
        options = option_choices(outcome)
        if has_mean(outcome):
            options = (*options, OptionChoice(None, _("Mean of the scale points")))
        option = chosen_option(query, outcome, options, notices).code
    kind = query.get("se", STANDARD_ERRORS[0])
    if kind not in STANDARD_ERRORS:
        notices.append(
            _("Standard error “%(kind)s” not found. The standard error from the observed information is used instead.")
            % {"kind": kind[:40]}
        )
        kind = STANDARD_ERRORS[0]
    # A box that is not ticked is not sent: a visitor who comes without a form has not unticked it.
    groups = query.get("groups", "" if "outcome" in query else "1") == "1"
    if groups and not has_groups and "groups" in query:
        notices.append(_("This survey has no groups."))
    return RegressionQuery(
        items=usable,
        arms=of_arms,
        batteries=batteries,
        outcome=outcome,
        options=options,
        option=option,
        predictors=_predictors(query, items, outcome, notices),
        groups=groups and has_groups,
        standard_error=kind,
        excluded=tuple(item for item in items if not can_be_regressed(item)),
        notices=tuple(notices),
    )


def _outcome(query: QueryDict, items: Sequence[Item], usable: list[Item], notices: list[str]) -> Item:
    asked = next((item for item in items if item.key == query.get("outcome")), None)
    if asked is not None and not can_be_regressed(asked):
        notices.append(
            _("Question %(asked)s gives only a mean, so it can’t be predicted. Question %(shown)s is shown instead.")
            % {"asked": asked.key, "shown": usable[0].key}
        )
        return usable[0]
    return chosen_item(query, "outcome", usable, usable[0], notices)


def _chosen_items(query: QueryDict, battery: BatteryOutcome, notices: list[str]) -> BatteryOutcome:
    """Return the battery of the items that are ticked; all of them where nobody could tick any yet."""
    if query.get("of") != battery.key:
        return battery
    ticked = query.getlist("item")
    chosen = battery.of(ticked)
    if chosen is None:
        notices.append(_("Items: choose at least two. All of them are used instead."))
    elif len(chosen.items) < len(ticked):
        notices.append(_("Items: at most %(most)s can be used. The rest are ignored.") % {"most": MOST_ITEMS})
    return chosen or battery


def _predictors(
    query: QueryDict, items: Sequence[Item], outcome: Item | ArmsOutcome | BatteryOutcome, notices: list[str]
) -> tuple[Item, ...]:
    by_key = {item.key: item for item in items}
    predictors: dict[str, Item] = {}
    for key in dict.fromkeys(filter(None, query.getlist("predictor"))):
        item = by_key.get(key)
        if item is None:
            notices.append(_("Predictor: question “%(key)s” not found in this survey.") % {"key": key[:40]})
        elif not can_be_regressed(item):
            notices.append(
                _("Predictor: question %(key)s gives only a mean, so it can’t be a predictor.") % {"key": key}
            )
        elif isinstance(outcome, Item) and item.is_about(outcome):
            notices.append(
                _("Predictor: question %(key)s is the one being predicted, so it is not used.") % {"key": key}
            )
        elif isinstance(outcome, ArmsOutcome) and (item.protects or item.question_number in outcome.numbers):
            notices.append(
                _(
                    "Predictor: question %(key)s is not used. Only groups and other, unprotected questions can "
                    "predict an outcome from two arms."
                )
                % {"key": key}
            )
        elif isinstance(outcome, BatteryOutcome) and (item.protects or item.question_number in outcome.numbers):
            notices.append(
                _(
                    "Predictor: question %(key)s is not used. Only groups and other, unprotected questions can "
                    "predict several answers together."
                )
                % {"key": key}
            )
        elif len(predictors) == MOST_PREDICTORS:
            notices.append(
                _("Predictors: at most %(most)s can be used. The rest are ignored.") % {"most": MOST_PREDICTORS}
            )
            break
        else:
            predictors[key] = item
    return tuple(predictors.values())


# The page.


def build(report: Report) -> dict[str, Any]:
    """Regress the answer asked for on the groups and on the answers asked for."""
    names = report.group_names
    of_arms = outcomes_of_arms(report.stored, report.snapshot)
    items = report.items_with_shares
    batteries = batteries_of(report.definition, items)
    query = parse_regression(report.query, items, of_arms, batteries=batteries, has_groups=bool(names))
    if query is None:
        return {"query": None}
    data = RegressionData(
        report.snapshot,
        report.definition,
        groups={**names, NO_GROUP: _("No group")} if query.groups else None,
        shown_groups=report.separable_groups,
        other_groups=_("Other groups"),
        standard_error=query.standard_error,
        confidence_level=report.options.confidence_level,
    )
    weights, plan = _weights(report)
    context: dict[str, Any] = {"notices": list(query.notices), "weights": weights, "plan": plan}
    if plan and (not isinstance(query.outcome, Item) or query.option is None):
        context["notices"].append(
            _(
                "Weights are not used, because a weighted regression is available only for the odds of one answer to "
                "one question."
            )
        )
    if isinstance(query.outcome, ArmsOutcome):
        answer = query.outcome.answer
        regression = regression_of_arms(data, report.stored, query.outcome, query.predictors)
        context |= {"lines": arms_lines(regression, query.outcome), "model": model_words(query.outcome)}
    elif isinstance(query.outcome, BatteryOutcome):
        answer = query.outcome.answer
        regression = regression_of_battery(data, query.outcome, query.predictors)
        context |= {"battery": query.outcome, "lines": battery_lines(regression, query.outcome)}
        if regression.spread:
            context["model"] = battery_model(regression.spread)
    elif query.option is None:
        answer = query.options[-1].label
        regression = regression_of_mean(data, query.outcome, query.predictors)
        context["notices"] += never_asked_together(report.definition, query.outcome, *query.predictors)
    else:
        answer = answer_name(query.outcome, query.option)
        regression = _of_answers(report, query, query.outcome, context, data, option=query.option)
    chart = coefficient_chart(regression, answer, report.survey.language)
    supposed = supposed_terms(report, query, regression, data)
    return context | {
        "query": query,
        "found": regression,
        "answer": answer,
        "standard_errors": STANDARD_ERRORS,
        "has_groups": bool(names),
        "chart": chart,
        "supposed": supposed,
        "charts": [*([chart] if chart else []), *supposed["charts"]],
    }


def _weights(report: Report) -> tuple[WeightsQuery | None, WeightingPlan | None]:
    """Return the weights that the address has from their page, if any, and what they are if they are to be used."""
    if not (report.can_be_weighted and report.is_final):
        return None, None
    weights, plan = asked_weights(report)
    if not weights.asks:
        return None, None
    return weights, plan if report.query.get("weights") == "1" else None


def _of_answers(
    report: Report,
    query: RegressionQuery,
    outcome: Item,
    context: dict[str, Any],
    data: RegressionData,
    *,
    option: int,
) -> Regression:
    """Regress the answers to one question; add to the context what an anchor says."""
    trait = trait_of(outcome, query.predictors)
    question = report.definition.questions[(trait or outcome).question_number - 1]
    anchors = parse_anchor(report.query, anchors_of(question, report.definition))
    apart = never_asked_together(report.definition, outcome, *query.predictors)
    context["notices"] += [*anchors.notices, *apart]
    context["anchors"] = anchors
    anchor = (anchors.anchor, anchors.known) if anchors.anchor else None
    if plan := context["plan"]:
        if anchor:
            context["notices"].append(
                _("The anchor is not used, because a weighted regression can’t be corrected by an anchor.")
            )
        return weighted_regression(data, plan, outcome, option, query.predictors)
    if anchor and not tells_followers(*anchor):
        context["notices"].append(telling_nothing(*anchor))
        anchor = None
    elif anchor and not trait and any(item.protects for item in query.predictors):
        context["notices"].append(
            _("The anchor is not used, because with an anchor only groups and unprotected questions can be predictors.")
        )
        anchor = None
    regression = regression_of(data, outcome, option, query.predictors, anchor=anchor)
    if anchor and regression.followers:
        shares = regression.followers.share, regression.followers.low, regression.followers.high
        context["followers"] = followers_words(*anchor, *shares)
    return regression


# Words.


_MOST, _LEAST = 1_000.0, 0.001
_FARTHEST = 500.0  # the exponential of more is no float to draw
_STANDARD_ERRORS = {
    "observed": gettext_lazy("observed information"),
    "sandwich": gettext_lazy("sandwich (robust, HC0)"),
    "corrected": gettext_lazy("sandwich (robust, HC1)"),
    "linearized": gettext_lazy("linearization"),
}


@register.filter
def degrees(test: TermTest) -> str:
    """2 for a likelihood-ratio test, and 2, 143 for a test by the F distribution."""
    number = test.degrees_of_freedom
    return ", ".join(map(whole_number, number if isinstance(number, tuple) else [number]))


@register.filter
def standard_error_name(kind: str) -> str:
    return str(_STANDARD_ERRORS[kind])


def odds(coefficient: float | None) -> float:
    """Return the odds ratio of a log odds ratio."""
    return math.exp(min(_FARTHEST, max(-_FARTHEST, coefficient or 0.0)))


@register.filter
def ratio(coefficient: float | None) -> str:
    """2.72 for 1: an odds ratio by its logarithm; a dash where there is none."""
    if coefficient is None:
        return "–"
    value = odds(coefficient)
    if value > _MOST:
        return _("more than 1,000")
    return _("less than 0.001") if value < _LEAST else decimal(value, _digits(value))


@register.filter
def low_odds(term: Term) -> str:
    """Return the lower limit as an odds ratio, rounded down; a dash where there is none."""
    if term.low is None:
        return "–"
    low = odds(term.low)
    return ratio(term.low) if low < _LEAST else outwards(min(low, _MOST), _digits(low), math.floor, 1)


@register.filter
def high_odds(term: Term) -> str:
    """Return the upper limit as an odds ratio, rounded up; a dash where there is none."""
    if term.high is None:
        return "–"
    high = odds(term.high)
    return ratio(term.high) if high > _MOST else outwards(max(high, _LEAST), _digits(high), math.ceil, 1)


@register.simple_tag
def term_sentence(regression: Regression, block: Block, term: Term, answer: str) -> str:
    """Say how many times the odds somebody has, or by how much a mean differs, or that this gives no conclusion."""
    if regression.of_mean:
        return mean_sentence(regression, block, term)
    p = p_words(block.test.p_value) if block.test else ""
    values = {
        "fixed": fixed_words(regression, block),
        "who": who_words(block, term),
        "reference": block.reference,
        "answer": answer,
        "p": p,
    }
    if term.why == "few":
        return _("%(who)s: too few people for an estimate.") % values
    if term.low is None or term.high is None:
        return _("%(who)s: no conclusion, because the reports do not determine the odds ratio.") % values
    words = _group_words(regression, block, term) if block.item is None else _answer_words(regression, block, term)
    return words % (values | {"times": _times(term)})


def _group_words(regression: Regression, block: Block, term: Term) -> str:
    if regression.concludes(block, term):
        return _("%(fixed)s%(who)s has odds of “%(answer)s” that are %(times)s those of the group “%(reference)s”.")
    if regression.only_tested(block, term):
        return _(
            "%(fixed)s%(who)s differs from the group “%(reference)s” in its odds of “%(answer)s” "
            "(likelihood-ratio test, %(p)s), but the size of the difference is not determined."
        )
    if term.excludes_zero and block.test:
        return _(
            "%(fixed)s%(who)s: no conclusion. By the interval alone, its odds of “%(answer)s” would be "
            "%(times)s those of the group “%(reference)s”, but the test of the groups gives %(p)s."
        )
    return _(
        "%(fixed)s%(who)s: no conclusion. Its odds of “%(answer)s” could be %(times)s those of the group "
        "“%(reference)s”."
    )


def _answer_words(regression: Regression, block: Block, term: Term) -> str:
    if regression.concludes(block, term):
        return _("%(fixed)s%(who)s have odds of “%(answer)s” that are %(times)s those of people with “%(reference)s”.")
    if regression.only_tested(block, term):
        return _(
            "%(fixed)s%(who)s differ from people with “%(reference)s” in their odds of “%(answer)s” "
            "(likelihood-ratio test, %(p)s), but the size of the difference is not determined."
        )
    if term.excludes_zero and block.test:
        return _(
            "%(fixed)s%(who)s: no conclusion. By the interval alone, their odds of “%(answer)s” would be "
            "%(times)s those of people with “%(reference)s”, but the test of the question gives %(p)s."
        )
    return _(
        "%(fixed)s%(who)s: no conclusion. Their odds of “%(answer)s” could be %(times)s those of people with "
        "“%(reference)s”."
    )


def _times(term: Term) -> str:
    """Say how many times the odds, with the interval; a limit out of sight is none."""
    low, high = odds(term.low) >= _LEAST, odds(term.high) <= _MOST
    if not (low or high):
        return _("any number of times")
    values = {"low": low_odds(term) if low else "0", "high": high_odds(term) if high else _("no limit")}
    if term.coefficient is None or not _LEAST <= odds(term.coefficient) <= _MOST:
        return (_("at least %(low)s times") if low else _("at most %(high)s times")) % values
    return _("about %(odds)s times (%(low)s to %(high)s)") % (values | {"odds": ratio(term.coefficient)})


def _digits(value: float) -> int:
    """Return how many decimals an odds ratio is written with: two or three digits say enough."""
    if value >= 100:
        return 0
    if value >= 10:
        return 1
    return 2 if value >= 0.1 else 3


# Charts.


_LONGEST_AXIS = 100.0  # odds ratios beyond this, or its inverse, are drawn at the edge


def coefficient_chart(regression: Regression, answer: str, language: str) -> IntervalChart | None:
    """Return the odds ratios, or the differences in means, of all terms with limits to draw, if any has."""
    of_mean = regression.of_mean
    terms = [(block, term) for block in regression.blocks for term in block.terms if _is_drawn(term, of_mean=of_mean)]
    if not terms:
        return None
    written = [(mean_cells if of_mean else odds_cells)(term) for _block, term in terms]
    drawn = [(term.coefficient, term.low, term.high) if of_mean else _odds(term) for _block, term in terms]
    rows = [
        IntervalRow(
            label=term_name(block, term),
            says=term_sentence(regression, block, term, answer),
            value=value,
            point=point,
            low=low,
            high=high,
        )
        for (block, term), (value, *_limits), (point, low, high) in zip(terms, written, drawn, strict=True)
    ]
    ends = [end for places in drawn for end in places if end is not None]
    if of_mean:
        title = caption = _("Differences in means")
        axis = axis_around([0.0, *ends], title=_("points"))
    else:
        title, caption = _("Odds ratios of “%(answer)s”") % {"answer": answer}, _("Odds ratios with their intervals")
        near = (min(_LONGEST_AXIS, max(1 / _LONGEST_AXIS, end)) for end in ends)
        axis = log_axis_around([1.0, *near], title=_("Odds ratio"))
    return IntervalChart(
        name="differences" if of_mean else "odds-ratios",
        title=title,
        text=" ".join(row.says for row in rows),
        table=Table(
            caption=caption,
            headings=(_("Term"), _("Difference") if of_mean else _("Odds ratio"), _("Low"), _("High")),
            rows=tuple((row.label, *cells) for row, cells in zip(rows, written, strict=True)),
        ),
        language=language,
        axis=axis,
        rows=rows,
        reference=0.0 if of_mean else 1.0,
        reference_label=_("no association"),
    )


def _is_drawn(term: Term, *, of_mean: bool) -> bool:
    """Whether a term has limits to draw: a difference in means can have none on either side."""
    if term.low is None or term.high is None:
        return False
    return not of_mean or math.isfinite(term.low + term.high)


def odds_cells(term: Term) -> tuple[str, str, str]:
    """Write an odds ratio and its limits."""
    return ratio(term.coefficient), low_odds(term), high_odds(term)


def _odds(term: Term) -> tuple[float, float, float]:
    """Return an odds ratio and its limits, kept where floats hold them."""
    return odds(term.coefficient), odds(term.low), odds(term.high)


def supposed_terms(
    report: Report, query: RegressionQuery, regression: Regression, data: RegressionData
) -> dict[str, Any]:
    """Return how the odds ratios move if not everyone followed the instructions, found if that is asked for."""
    outcome = query.outcome
    terms = [
        (place, at)
        for place, block in enumerate(regression.blocks)
        for at, term in enumerate(block.terms)
        if term.low is not None
    ]
    can_be_asked = bool(terms) and not (regression.followers or regression.of_mean or regression.weights)
    can_be_asked &= isinstance(outcome, Item)
    can_be_asked &= any(item.chance.reports_on_both for item in (outcome, *query.predictors) if isinstance(item, Item))
    charts = []
    asked = can_be_asked and report.query.get("followed") == "1"
    if asked and isinstance(outcome, Item) and query.option is not None:
        keys = [outcome.key, *(item.key for item in query.predictors)]
        refitted = of_a_regression(data, outcome, query.option, query.predictors)
        for number, (place, at) in enumerate(terms, start=1):
            block = regression.blocks[place]
            rows = [
                _supposed(supposition, fitted, place, at)
                for supposition, fitted in [(Supposition(), regression), *refitted]
            ]
            name = term_name(block, block.terms[at])
            charts.append(
                not_followed.odds_chart(
                    [not_followed.NamedRow(not_followed.of_questions(row.supposition, keys), row) for row in rows],
                    name=f"followed-{number}",
                    title=_("%(name)s, if not everyone followed the instructions") % {"name": name},
                    level=regression.confidence_level,
                    write=_write_odds,
                    concluded=regression.concludes(block, block.terms[at]),
                )
            )
    return not_followed.fold_context(charts, asked=asked, can_be_asked=can_be_asked)


def _supposed(supposition: Supposition, regression: Regression, place: int, at: int) -> Supposed:
    """Return a term of a refitted regression as an odds ratio; not claimed where there is none."""
    term = regression.blocks[place].terms[at] if regression.blocks else None
    if term is None or term.coefficient is None or term.low is None or term.high is None:
        return Supposed(supposition, 1.0, 1.0, 1.0, claimed=False)
    return Supposed(supposition, *_odds(term))


def _write_odds(of: Supposed) -> tuple[str, str, str]:
    return odds_cells(Term("", math.log(of.estimate), None, math.log(of.low), math.log(of.high)))
