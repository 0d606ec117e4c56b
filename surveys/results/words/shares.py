"""What results say of shares, in sentences: so many of 100, why there is none, who did not follow the procedure."""

from collections.abc import Sequence

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from surveys.models.asked_question import Item
from surveys.models.definition import Definition
from surveys.numbers.words import (
    estimate_sentence,
    interval_sentence,
    percent,
    whole_number,
)
from surveys.results.figures.items import (
    ItemResult,
    Oddity,
    OptionResult,
)
from surveys.results.figures.overview import NamedPart, QuestionResult

register = template.Library()

# On the question's page and the planner, wherever ways of asking are held against each other.
HIGHER_IS_NO_PROOF = gettext_lazy(
    "A higher estimate is no proof of a better one: whoever taps anything, or always the same, can raise it "
    "(Höglinger and Jann, 2018, “More is not always better”, PLoS ONE 13)."
)


def never_asked_together(definition: Definition, *items: Item) -> list[str]:
    """Say so where no respondent is asked all of these."""
    if definition.asks_together(*items):
        return []
    return [_("No arm is asked all of these questions, so nobody answered them together.")]


@register.simple_tag
def parts(found: Sequence[NamedPart]) -> str:
    """List parts of the responses with their numbers."""
    return ", ".join(_("%(name)s (%(n)s)") % {"name": part.name, "n": part.n} for part in found)


@register.filter
def response_words(result: QuestionResult) -> str:
    """Say how many answered a question and how many left it out."""
    if not result.missing:
        return _("n = %(n)s") % {"n": result.n}
    return ngettext("n = %(n)s, %(missing)s left it out", "n = %(n)s, %(missing)s left it out", result.missing) % {
        "n": result.n,
        "missing": result.missing,
    }


@register.filter
def answered_words(result: QuestionResult) -> str:
    """Say the same in a line of words, below a figure."""
    told = {"n": whole_number(result.n), "missing": whole_number(result.missing)}
    return (_("%(n)s answered, %(missing)s skipped") if result.missing else _("%(n)s answered")) % told


def interval_words(result: OptionResult) -> str:
    """Say what the interval says of 100 people, or why there is none."""
    if not result.claimed:
        return outside_words(result)
    return interval_sentence(result.low, result.high)


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
        "count": whole_number(found.count),
        "n": whole_number(result.n),
        "label": found.label,
        "edge": percent(found.edge),
    }


def is_claimed(result: OptionResult, item: ItemResult) -> bool:
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
        return _("%(name)s: %(why)s") % {**told, "why": outside_words(result)}
    observed = told["observed"] if item.reports_are_answers else ""
    return estimate_sentence(told["name"], percent(result.estimate), result.low, result.high, observed=observed)


@register.simple_tag
def answer_name(item: Item, option: int) -> str:
    """Name a true answer; of several options, with the option that it is about."""
    return f"{item.option} – {item.labels[option]}" if item.option else item.labels[option]
