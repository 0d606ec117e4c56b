"""Comparing groups."""

from typing import Any

from django.utils.translation import gettext as _

from surveys.responses.selectors.snapshot import NotToldError
from surveys.responses.told import final, separable_groups
from surveys.results.figures.overview import group_names
from surveys.results.groups.charts import difference_chart, group_chart
from surveys.results.groups.figures import GroupMeasure, group_results
from surveys.results.groups.forms import parse_groups
from surveys.results.views import TabRequest, results_tab
from surveys.results.words.methods import coverage_words
from surveys.results.words.shares import never_asked_together


@results_tab("results/groups/groups.html", of_shares=True)
def survey_results_groups(asked: TabRequest) -> dict[str, Any]:
    """Show one answer in each group that is large enough, and the differences of all pairs."""
    names, told = group_names(asked.survey), separable_groups(asked.snapshot, asked.definition)
    if (names or asked.stored.unprotected) and not final(asked.snapshot):
        raise NotToldError
    chosen = parse_groups(asked.request.GET, asked.items_with_shares, asked.definition, any_groups=bool(names))
    together = [chosen.item, chosen.by] if chosen.by else [chosen.item]
    compared = GroupMeasure(chosen.item, chosen.option, asked.options.wanted, chosen.adjustment)
    results = group_results(compared, asked.snapshot, told, names, without=_("Without a group"), by=chosen.by)
    drawn = {}
    # One part alone is compared with nothing: the overview has all that may be said.
    if len(results.parts) > 1:
        drawn["groups"] = group_chart(results)
        if results.pairs:
            drawn["differences"] = difference_chart(results)
    # Of the means of those who say their number nothing is known of how often the intervals hold.
    binomial = not compared.of_a_mean or chosen.item.design.k == 2
    claimed = [part.n for part in results.parts if part.claimed and binomial]
    level = compared.wanted.confidence_level
    return {
        "chosen": chosen,
        "results": results,
        # The smallest group's interval holds least often.
        "coverage": coverage_words(compared.item, min(claimed), compared.wanted.method, level) if claimed else "",
        "has_groups": bool(names),
        "any_groups": bool(names) or chosen.by is not None,
        "drawn": drawn,
        "charts": list(drawn.values()),
        "notices": [*chosen.notices, *never_asked_together(asked.definition, *together)],
    }
