"""Regression on randomized reports."""

from typing import Any

from django.utils.translation import gettext as _

from surveys.models.asked_question import Item
from surveys.responses.told import separable_groups
from surveys.results.adherence.figures import anchors_of, tells_followers
from surveys.results.adherence.forms import parse_anchor
from surveys.results.adherence.words import followers_words, telling_nothing
from surveys.results.figures.overview import group_names
from surveys.results.regression.charts import coefficient_chart
from surveys.results.regression.figures.answers import regression_of
from surveys.results.regression.figures.arms import ArmsOutcome, outcomes_of_arms, regression_of_arms
from surveys.results.regression.figures.terms import NO_GROUP, STANDARD_ERRORS, Regression, RegressionData
from surveys.results.regression.forms import RegressionQuery, parse_regression
from surveys.results.regression.words import answer_of, arms_lines, model_words
from surveys.results.views import TabRequest, results_tab
from surveys.results.words.shares import never_asked_together


@results_tab("results/regression/regression.html", of_shares=True)
def survey_results_regression(asked: TabRequest) -> dict[str, Any]:
    """Regress the answer asked for on the groups and on the answers asked for."""
    names = group_names(asked.survey)
    of_arms = outcomes_of_arms(asked.stored, asked.snapshot)
    query = parse_regression(asked.request.GET, asked.items_with_shares, of_arms, has_groups=bool(names))
    if query is None:
        return {"query": None}
    data = RegressionData(
        asked.snapshot,
        asked.definition,
        groups={**names, NO_GROUP: _("No group")} if query.groups else None,
        told=separable_groups(asked.snapshot, asked.definition),
        other_groups=_("Other groups"),
        standard_error=query.standard_error,
        confidence_level=asked.options.confidence_level,
    )
    context: dict[str, Any] = {"notices": list(query.notices)}
    if isinstance(query.outcome, ArmsOutcome):
        found = regression_of_arms(data, asked.stored, query.outcome, query.predictors)
        context |= {"lines": arms_lines(found, query.outcome), "model": model_words(query.outcome)}
    else:
        found = _of_answers(asked, query, query.outcome, context, data)
    answer = answer_of(query.outcome, query.option)
    chart = coefficient_chart(found, answer, asked.survey.language)
    return context | {
        "query": query,
        "found": found,
        "answer": answer,
        "standard_errors": STANDARD_ERRORS,
        "has_groups": bool(names),
        "chart": chart,
        "charts": [chart] if chart else [],
    }


def _of_answers(
    asked: TabRequest,
    query: RegressionQuery,
    outcome: Item,
    context: dict[str, Any],
    data: RegressionData,
) -> Regression:
    """Regress the answers to one question; add to the context what an anchor says."""
    question = asked.definition.questions[outcome.question_number - 1]
    anchors = parse_anchor(asked.request.GET, anchors_of(question, asked.definition))
    apart = never_asked_together(asked.definition, outcome, *query.predictors)
    context["notices"] += [*anchors.notices, *apart]
    anchor = (anchors.anchor, anchors.known) if anchors.anchor else None
    if anchor and not tells_followers(*anchor):
        context["notices"].append(telling_nothing(*anchor))
        anchor = None
    elif anchor and any(item.protects for item in query.predictors):
        context["notices"].append(
            _("With an anchor, groups and answers that are sent as they are can predict, and no others.")
        )
        anchor = None
    found = regression_of(data, outcome, query.option, query.predictors, anchor=anchor)
    context["anchors"] = anchors
    if anchor and found.followers:
        shares = found.followers.share, found.followers.low, found.followers.high
        context["followers"] = followers_words(*anchor, *shares)
    return found
