"""Regression on randomized reports."""

from typing import Any

from django.utils.translation import gettext as _

from surveys.responses.selectors.small_numbers import separable_groups
from surveys.results.adherence.figures import anchors_of, tells_followers
from surveys.results.adherence.forms import parse_anchor
from surveys.results.adherence.words import followers_words, telling_nothing
from surveys.results.figures.overview import group_names
from surveys.results.regression.charts import coefficient_chart
from surveys.results.regression.figures import NO_GROUP, STANDARD_ERRORS, regression_of
from surveys.results.regression.forms import parse_regression
from surveys.results.views import TabRequest, results_tab
from surveys.results.words import never_asked_together


@results_tab("results/regression/regression.html", of_shares=True)
def survey_results_regression(asked: TabRequest) -> dict[str, Any]:
    """Regress the answer asked for on the groups and on the answers asked for."""
    names = group_names(asked.survey)
    query = parse_regression(asked.request.GET, asked.items_with_shares, has_groups=bool(names))
    if query is None:
        return {"query": None}
    question = asked.definition.questions[query.outcome.question_number - 1]
    anchors = parse_anchor(asked.request.GET, anchors_of(question, asked.definition))
    apart = never_asked_together(asked.definition, query.outcome, *query.predictors)
    notices = [*query.notices, *anchors.notices, *apart]
    anchor = (anchors.anchor, anchors.known) if anchors.anchor else None
    if anchor and not tells_followers(*anchor):
        notices.append(telling_nothing(*anchor))
        anchor = None
    elif anchor and any(item.protects for item in query.predictors):
        notices.append(_("With an anchor, groups and answers that are sent as they are can predict, and no others."))
        anchor = None
    groups = {**names, NO_GROUP: _("No group")} if query.groups else None
    found = regression_of(
        asked.snapshot,
        query.outcome,
        query.option,
        query.predictors,
        groups,
        told=separable_groups(asked.snapshot, asked.definition),
        other_groups=_("Other groups"),
        standard_error=query.standard_error,
        confidence_level=asked.options.confidence_level,
        anchor=anchor,
    )
    if not found.problem and not anchor and found.standard_error != query.standard_error:
        notices.append(_("This model’s expected information is not computed. The observed one is shown."))
    chart = coefficient_chart(found, query.outcome, query.option, asked.survey.language)
    return {
        "query": query,
        "found": found,
        "standard_errors": STANDARD_ERRORS,
        "has_groups": bool(names),
        "anchors": anchors,
        "followers": followers_words(*anchor, found.followers.share, found.followers.low, found.followers.high)
        if anchor and found.followers
        else "",
        "chart": chart,
        "charts": [chart] if chart else [],
        "notices": notices,
    }
