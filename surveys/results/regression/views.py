"""Regression on randomized reports."""

from typing import Any

from django.utils.translation import gettext as _

from surveys.responses.selectors.small_numbers import separable_groups
from surveys.results.figures.overview import group_names
from surveys.results.regression.charts import coefficient_chart
from surveys.results.regression.figures import NO_GROUP, STANDARD_ERRORS, regression_of
from surveys.results.regression.forms import parse_regression
from surveys.results.views import TabRequest, results_tab


@results_tab("results/regression/regression.html", of_shares=True)
def survey_results_regression(asked: TabRequest) -> dict[str, Any]:
    """Regress the answer asked for on the groups and on the answers asked for."""
    names = group_names(asked.survey)
    query = parse_regression(asked.request.GET, asked.items_with_shares, has_groups=bool(names))
    if query is None:
        return {"query": None}
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
    )
    notices = list(query.notices)
    if not found.problem and found.standard_error != query.standard_error:
        notices.append(_("This model’s expected information is not computed. The observed one is shown."))
    chart = coefficient_chart(found, query.outcome, query.option, asked.survey.language)
    return {
        "query": query,
        "found": found,
        "standard_errors": STANDARD_ERRORS,
        "has_groups": bool(names),
        "chart": chart,
        "charts": [chart] if chart else [],
        "notices": notices,
    }
