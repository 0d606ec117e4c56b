"""What results say of shares, in sentences: so many of 100, why there is none, who did not follow the procedure."""

from collections.abc import Sequence

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.common.intervals import estimate_sentence, interval_sentence
from surveys.common.numbers import percent, whole
from surveys.selectors.results.items import ItemResult, Oddity, OptionResult
from surveys.selectors.results.overview import Part, QuestionResult

register = template.Library()


@register.simple_tag
def parts(found: Sequence[Part]) -> str:
    """List parts of the responses with their numbers."""
    return ", ".join(_("%(name)s (%(n)s)") % {"name": part.name, "n": part.n} for part in found)


@register.filter
def answered(result: QuestionResult) -> str:
    """Say how many answered a question and how many left it out."""
    if not result.missing:
        return _("n = %(n)s") % {"n": result.n}
    return ngettext("n = %(n)s, %(missing)s left it out", "n = %(n)s, %(missing)s left it out", result.missing) % {
        "n": result.n,
        "missing": result.missing,
    }


def interval_words(result: OptionResult) -> str:
    """Say what the interval says of 100 people, or why there is none."""
    if not result.claimed:
        return none_words(result)
    return interval_sentence(result.low, result.high)


def none_words(result: OptionResult) -> str:
    """Say why there is no interval."""
    return no_width_words() if result.no_width else outside_words(result)


def no_width_words() -> str:
    """Say that a method takes reports that do not vary for certainty, which they are not."""
    return _(
        "No interval by this method: it would be a single number, as if that were certain; choose Wilson’s instead"
    )


def outside_words(result: OptionResult) -> str:
    """Say what chance alone gives where no share fits the reports: 0 or 1 would be claimed for sure."""
    nobody, fewer = result.moment < 0, result.observed < result.edge
    words = {
        (True, True): _(
            "No interval: %(observed)s of the reports say “%(report)s”, "
            "fewer than the %(edge)s that chance gives if nobody’s true answer is “%(label)s”"
        ),
        (True, False): _(
            "No interval: %(observed)s of the reports say “%(report)s”, "
            "more than the %(edge)s that chance gives if nobody’s true answer is “%(label)s”"
        ),
        (False, True): _(
            "No interval: %(observed)s of the reports say “%(report)s”, "
            "fewer than the %(edge)s that chance gives if everybody’s true answer is “%(label)s”"
        ),
        (False, False): _(
            "No interval: %(observed)s of the reports say “%(report)s”, "
            "more than the %(edge)s that chance gives if everybody’s true answer is “%(label)s”"
        ),
    }[nobody, fewer]
    return words % {
        "observed": percent(result.observed),
        "report": result.report,
        "edge": percent(result.edge),
        "label": result.label,
    }


def limited_to(result: OptionResult) -> str:
    """Describe the raw value beside the limited one: −4% before limiting to 0; nothing where they agree."""
    if not result.limited:
        return ""
    words = {0.0: _("%(raw)s before limiting to 0"), 1.0: _("%(raw)s before limiting to 100%%")}
    return words.get(result.estimate, _("%(raw)s before limiting")) % {"raw": percent(result.moment, 1)}


@register.simple_tag
def oddity(found: Oddity, result: ItemResult) -> str:
    """Say what respondents who follow the procedure cannot have sent."""
    words = {
        (True, True): _(
            "%(count)s of %(n)s reports say “%(label)s”, but whatever the truth is, "
            "the innocuous question should make it about %(edge)s or more of them."
        ),
        (True, False): _(
            "%(count)s of %(n)s reports say “%(label)s”, but whatever the truth is, "
            "the innocuous question should make it about %(edge)s or less of them."
        ),
        (False, True): _(
            "%(count)s of %(n)s reports say “%(label)s”, but whatever the truth is, "
            "chance should make it about %(edge)s or more of them."
        ),
        (False, False): _(
            "%(count)s of %(n)s reports say “%(label)s”, but whatever the truth is, "
            "chance should make it about %(edge)s or less of them."
        ),
    }[result.item.in_the_head, found.too_few]
    return words % {
        "count": whole(found.count),
        "n": whole(result.n),
        "label": found.label,
        "edge": percent(found.edge),
    }


def claimed(result: OptionResult, item: ItemResult) -> bool:
    """Whether an estimate and an interval can be shown: not where the procedure was not followed or no share fits."""
    return not item.oddities and result.claimed


def row_name(result: OptionResult, item: ItemResult) -> str:
    """Name a row of a chart: of several options, by the option that it is about."""
    option = item.item.option
    if not option:
        return result.label
    # Of an option's answers, Yes is what it is about.
    return option if result.label == item.item.labels[1] else f"{option} – {result.label}"


def option_says(result: OptionResult, item: ItemResult) -> str:
    """Describe a row of a chart in words."""
    told = {
        "name": row_name(result, item),
        "observed": percent(result.observed),
    }
    if item.oddities:
        return _("%(name)s: no estimate to trust; with chance added %(observed)s") % told
    if not result.claimed:
        return _("%(name)s: %(why)s") % {**told, "why": none_words(result)}
    observed = told["observed"] if item.reports_are_answers else ""
    return estimate_sentence(told["name"], percent(result.estimate), result.low, result.high, observed=observed)
