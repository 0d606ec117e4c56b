"""One question as pages show it: its charts and what is said below them."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from surveys.charts import Chart
from surveys.common.numbers import percent
from surveys.forms.results.options import ResultsOptions
from surveys.selectors.results.items import ItemResult
from surveys.selectors.results.overview import QuestionResult
from surveys.templatetags.results.forged_words import forged_words
from surveys.templatetags.results.mean_words import bounds_words
from surveys.templatetags.results.method_words import coverage_words, method_words, simultaneous_words
from surveys.views.results.mean_charts import mean_charts
from surveys.views.results.share_charts import shares_chart


@dataclass(frozen=True, slots=True)
class ShownQuestion:
    """A question's results as charts and sentences; none where too few answered it."""

    result: QuestionResult
    charts: tuple[Chart, ...] = ()
    raw: str = ""  # the reports, where they are not called as the answers
    forged: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def shown_question(result: QuestionResult, options: ResultsOptions, language: str) -> ShownQuestion:
    """Return what is shown of a question."""
    if not result.enough:
        return ShownQuestion(result)
    level = options.confidence_level
    shares = shares_chart(result, level=level, language=language)
    charts = [chart for item in result.items for chart in mean_charts(item, level=level)]
    # The mean is what was asked where chance first rounded the number; elsewhere the distribution comes first.
    charts = [*charts, shares] if shares and result.first.mean else [shares, *charts] if shares else charts
    return ShownQuestion(
        result,
        tuple(charts),
        _raw(result.first),
        tuple(forged_words(result)),
        tuple(_notes(result, options)),
    )


def _raw(item: ItemResult) -> str:
    if item.reports_are_answers:
        return ""
    return _("With chance added, %(observed)s of the reports say “%(report)s”.") % {
        "observed": percent(item.options[1].observed),
        "report": item.options[1].report,
    }


def _notes(result: QuestionResult, options: ResultsOptions) -> list[str]:
    first = result.first
    notes = method_words(first, options.wanted)
    together = len(result.items) * (first.item.design.k if first.item.design.k > 2 else 1)
    notes.append(simultaneous_words(together, options.wanted))
    if not first.oddities:
        notes.append(coverage_words(first.item, first.n, first.method, options.wanted.each(together)))
    if first.too_few_say:
        notes.append(_("About so few people say anything here that nothing is told of them alone."))
    if first.scale and not first.oddities:
        notes.append(_("The mean takes the points as numbers the same distance apart."))
    if first.bands and not first.oddities:
        notes.append(bounds_words(first.bands))
    if first.bands and first.bands.below and first.bands.simultaneous:
        notes.append(_("Those of the shares below the limits hold all at once among themselves."))
    if first.options[0].standard_error is None:
        notes.append(_("A single answer has no standard error."))
    return [note for note in notes if note]
