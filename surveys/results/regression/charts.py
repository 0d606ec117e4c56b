"""The chart of a regression: odds ratios with their intervals."""

from django.utils.translation import gettext as _

from surveys.charts import IntervalChart, IntervalRow, Table, log_axis_around
from surveys.results.regression import words
from surveys.results.regression.figures.terms import Regression, Term

_FARTHEST = 100.0  # odds ratios beyond this, or its inverse, are drawn at the edge


def coefficient_chart(found: Regression, answer: str, language: str) -> IntervalChart | None:
    """Return the odds ratios of all terms that have an interval; None where there are none."""
    rows = [(block, term) for block in found.blocks for term in block.terms if term.low is not None]
    if not rows:
        return None
    drawn = [(block, term, _odds(term)) for block, term in rows]
    values = [value for _block, _term, odds in drawn for value in odds]
    return IntervalChart(
        name="odds-ratios",
        title=_("Odds ratios of “%(answer)s”") % {"answer": answer},
        text=" ".join(words.term_sentence(found, block, term, answer) for block, term in rows),
        table=Table(
            caption=_("Odds ratios with their intervals"),
            headings=(_("Term"), _("Odds ratio"), _("Low"), _("High")),
            rows=tuple(
                (
                    words.term_name(block, term),
                    words.ratio(term.coefficient),
                    words.low_odds(term),
                    words.high_odds(term),
                )
                for block, term in rows
            ),
        ),
        language=language,
        axis=log_axis_around(
            [1.0, *(min(_FARTHEST, max(1 / _FARTHEST, value)) for value in values)], title=_("Odds ratio")
        ),
        rows=[
            IntervalRow(
                label=words.term_name(block, term),
                says=words.term_sentence(found, block, term, answer),
                value=words.ratio(term.coefficient),
                point=point,
                low=low,
                high=high,
            )
            for block, term, (point, low, high) in drawn
        ],
        reference=1.0,
        reference_label=_("no association"),
    )


def _odds(term: Term) -> tuple[float, float, float]:
    """Return an odds ratio and its limits, kept where floats hold them."""
    return words.odds(term.coefficient), words.odds(term.low), words.odds(term.high)
