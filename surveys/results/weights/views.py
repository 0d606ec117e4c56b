"""Estimates weighted to what is known of the population."""

from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from surveys.responses.selectors.snapshot import NotToldError
from surveys.responses.told import final, separable_groups
from surveys.results.figures.overview import group_names
from surveys.results.views import TabRequest, results_tab
from surveys.results.weights.charts import weights_charts
from surveys.results.weights.figures import GroupCategories, WeightingPlan, weighted_results
from surveys.results.weights.forms import WeightsQuery, parse_weights


def can_be_weighted(asked: TabRequest) -> bool:
    """Whether anything is asked without chance, or there are groups: nothing else can be weighted by."""
    return bool(asked.stored.unprotected) or bool(group_names(asked.survey))


def asked_weights(asked: TabRequest) -> tuple[WeightsQuery, WeightingPlan]:
    """Return what the query string asks for, and what is computed by it where it can be."""
    names, wanted = group_names(asked.survey), asked.options.wanted
    told = separable_groups(asked.snapshot, asked.definition)
    groups = GroupCategories.of(asked.snapshot, told, names, without=_("No group"), others=_("Other groups"))
    query = parse_weights(asked.request.GET, asked.items, asked.snapshot, groups, has_groups=bool(names))
    largest = float(query.largest) if query.largest else None
    wanted = replace(wanted, method="agresti_coull", simultaneous=False)
    return query, WeightingPlan(query.known, query.role, largest, groups, wanted)


@results_tab("results/weights/weights.html")
def survey_results_weights(asked: TabRequest) -> dict[str, Any]:
    """Show questions without weights and with those that meet the shares asked for."""
    if can_be_weighted(asked) and not final(asked.snapshot):
        raise NotToldError
    query, plan = asked_weights(asked)
    context: dict[str, Any] = {
        "query": query,
        "has_groups": bool(group_names(asked.survey)),
        "can_be_weighted": can_be_weighted(asked),
        "untold": [item.question_number for item in asked.definition.items if not asked.snapshot.tells(item.number)],
        "notices": list(query.notices),
    }
    if not query.asks:
        return context
    results = weighted_results(asked.definition, asked.snapshot, plan)
    return context | {"results": results, "charts": weights_charts(results, asked.survey.language)}
