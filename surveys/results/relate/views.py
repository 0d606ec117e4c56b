"""Relating two questions."""

from typing import Any

from surveys.charts import Chart
from surveys.results.relate.charts import among_chart, joint_chart
from surveys.results.relate.figures import relation_of
from surveys.results.relate.forms import parse_relate
from surveys.results.views import TabRequest, results_tab


@results_tab("results/relate/relate.html", of_shares=True)
def survey_results_relate(asked: TabRequest) -> dict[str, Any]:
    """Show what the answers to one question have to do with those to another."""
    chosen = parse_relate(asked.request.GET, asked.items_with_shares)
    if chosen is None:
        return {"chosen": None}
    relation = relation_of(chosen.a, chosen.b, asked.snapshot, asked.options.wanted)
    language = asked.definition.language
    drawn: dict[str, Chart] = {"joint": joint_chart(relation, language)} if relation.cells else {}
    if among := among_chart(relation, language):
        drawn["among"] = among
    return {
        "chosen": chosen,
        "relation": relation,
        "reported_rows": list(zip(chosen.a.report_labels, relation.reported, strict=False)),
        "drawn": drawn,
        "charts": list(drawn.values()),
        # Of a number only not saying it is an answer; the ends that chance rounded it to are none.
        "first_answer": "2:" if chosen.b.range else "0:",
        "answers": chosen.b.labels[2:] if chosen.b.range else chosen.b.labels,
        "notices": list(chosen.notices),
    }
