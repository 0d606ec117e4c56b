"""The sentences of results: on shares, means and quantiles, the headline of a question, and designs compared."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from django import template
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from surveys.estimation.claims import NumberEstimate
from surveys.numbers.words import (
    Units,
    estimate_of_100,
    estimate_sentence,
    hundredths,
    interval_cell,
    interval_clause,
    interval_sentence,
    limits_of_100,
    p_words,
    percent,
    says_too_little,
    share_of_100,
    sure_sentence,
    sure_words,
    tenths_of_100,
    whole_number,
)
from surveys.questionnaire.asked_question import Item
from surveys.questionnaire.definition import Definition
from surveys.results.figures.arms import ArmComparison, ArmDifference, ArmsTogether
from surveys.results.figures.largest import LargestShare, largest_share
from surveys.results.figures.means import BandsResult, MeanResult, QuantileEstimate, ScaleResult, TopShare
from surveys.results.figures.questions import MISFIT, ItemResult, NamedPart, Oddity, OptionResult, QuestionResult

register = template.Library()


# What results say of shares, in sentences: so many of 100, why there is none, who did not follow the instructions.


# On the question's page and the planner, wherever designs are held against each other.
HIGHER_IS_NO_PROOF = gettext_lazy(
    "A higher estimate is not necessarily better. People who tap at random, or always tap the same answer, can "
    "raise it (Höglinger and Jann, 2018, “More is not always better”, PLoS ONE 13)."
)


def never_asked_together(definition: Definition, *items: Item) -> list[str]:
    """Say so where no respondent is asked all of these."""
    if definition.asks_together(*items):
        return []
    return [_("No arm is asked all of these questions, so nobody answered all of them.")]


@register.simple_tag
def parts(named: Sequence[NamedPart]) -> str:
    """List parts of the responses with their numbers."""
    return ", ".join(_("%(name)s (%(n)s)") % {"name": part.name, "n": part.n} for part in named)


@register.filter
def response_words(result: QuestionResult) -> str:
    """Say how many answered a question and how many left it out."""
    if not result.missing:
        return _("n = %(n)s") % {"n": result.n}
    return ngettext("n = %(n)s, %(missing)s skipped", "n = %(n)s, %(missing)s skipped", result.missing) % {
        "n": result.n,
        "missing": result.missing,
    }


@register.filter
def answered_words(result: QuestionResult) -> str:
    """Say the same in a line of words, below a figure."""
    values = {"n": whole_number(result.n), "missing": whole_number(result.missing)}
    return (_("%(n)s answered, %(missing)s skipped") if result.missing else _("%(n)s answered")) % values


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
            "No interval: %(observed)s of 100 reports say “%(report)s”, fewer than the %(edge)s expected if "
            "nobody’s true answer is “%(label)s”"
        ),
        (True, False): _(
            "No interval: %(observed)s of 100 reports say “%(report)s”, more than the %(edge)s expected if "
            "nobody’s true answer is “%(label)s”"
        ),
        (False, True): _(
            "No interval: %(observed)s of 100 reports say “%(report)s”, fewer than the %(edge)s expected if "
            "everybody’s true answer is “%(label)s”"
        ),
        (False, False): _(
            "No interval: %(observed)s of 100 reports say “%(report)s”, more than the %(edge)s expected if "
            "everybody’s true answer is “%(label)s”"
        ),
    }[nobody, fewer]
    return words % {
        "observed": tenths_of_100(result.observed),
        "report": result.report,
        "edge": tenths_of_100(result.edge),
        "label": result.label,
    }


def limited_to(result: OptionResult) -> str:
    """Describe the raw value beside the limited one: −4 before limiting to 0; nothing where they agree."""
    if not result.limited:
        return ""
    words = {0.0: _("%(raw)s before truncation at 0"), 1.0: _("%(raw)s before truncation at 100")}
    return words.get(result.estimate, _("raw estimate: %(raw)s")) % {"raw": tenths_of_100(result.moment)}


@register.simple_tag
def oddity(odd: Oddity, result: ItemResult) -> str:
    """Say what respondents who follow the instructions cannot have sent."""
    words = {
        (True, True): _(
            "%(count)s of %(n)s reports say “%(label)s”. Because of the innocuous question, about %(edge)s or "
            "more would be expected, whatever the true answers are."
        ),
        (True, False): _(
            "%(count)s of %(n)s reports say “%(label)s”. Because of the innocuous question, about %(edge)s or "
            "less would be expected, whatever the true answers are."
        ),
        (False, True): _(
            "%(count)s of %(n)s reports say “%(label)s”. Because of the randomization, about %(edge)s or more "
            "would be expected, whatever the true answers are."
        ),
        (False, False): _(
            "%(count)s of %(n)s reports say “%(label)s”. Because of the randomization, about %(edge)s or less "
            "would be expected, whatever the true answers are."
        ),
    }[result.item.in_the_head, odd.too_few]
    return words % {
        "count": whole_number(odd.count),
        "n": whole_number(result.n),
        "label": odd.label,
        "edge": share_of_100(odd.edge),
    }


def is_claimed(result: OptionResult, item: ItemResult) -> bool:
    """Whether an estimate and an interval can be shown: not where instructions were not followed or no share fits."""
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
    values = {"name": row_name(result, item), "observed": share_of_100(result.observed)}
    if item.oddities:
        return _("%(name)s: no reliable estimate, reported %(observed)s (randomized)") % values
    if not result.claimed:
        return _("%(name)s: %(why)s") % {**values, "why": outside_words(result)}
    observed = values["observed"] if item.item.reports_are_answers else ""
    estimate = estimate_of_100(result.estimate, result.low, result.high)
    return estimate_sentence(values["name"], estimate, result.low, result.high, observed=observed)


@register.simple_tag
def answer_name(item: Item, option: int) -> str:
    """Name a true answer; of several options, with the option that it is about."""
    return f"{item.option} – {item.labels[option]}" if item.option else item.labels[option]


# What results say of means and quantiles, in their units and in sentences.


def units_of(result: MeanResult | BandsResult | ScaleResult) -> Units:
    """Return in what a result is measured: of a scale, in its points."""
    if isinstance(result, MeanResult):
        return Units(result.range.low, result.range.high, result.range.unit)
    if isinstance(result, BandsResult):
        return Units(result.edges[0], result.edges[-1], result.unit)
    return Units(Fraction(1), Fraction(result.points), "")


def units_of_number(item: Item) -> Units | None:
    """Return the units of the number that an item asks for; None where it asks for none."""
    return Units(item.range.low, item.range.high, item.range.unit) if item.range else None


def mean_name(*, among_those_who_say: bool) -> str:
    return _("Mean among people giving a number") if among_those_who_say else _("Mean")


def mean_words(mean: NumberEstimate, units: Units) -> str:
    """Say what the interval for a mean says, or why there is none."""
    if mean.estimate is None:
        return _("No estimate, because all reports may come from people who prefer not to say.")
    if mean.no_width:
        return _("No interval, because two equal limits would be misleading")
    if mean.outside and mean.method == "wald":
        return (
            _("No interval, because the Wald interval lies outside the possible range, %(low)s to %(high)s.")
            % units.ends
        )
    if mean.outside:
        return _("No interval, because no mean from %(low)s to %(high)s fits the reports.") % units.ends
    return interval_sentence(mean.low, mean.high, units)


def mean_limited(mean: NumberEstimate, units: Units) -> str:
    """Describe the mean before it was limited to the range, where that changed it visibly."""
    if mean.moment is None or mean.estimate is None:
        return ""
    if abs(mean.moment - mean.estimate) < 0.0005 * units.length:
        return ""
    return _("raw estimate: %(raw)s") % {"raw": units.write(mean.moment)}


def mean_says(mean: NumberEstimate, units: Units, *, name: str, trusted: bool) -> str:
    """Describe the row of a mean in words."""
    if not trusted:
        return _("%(name)s: no reliable estimate") % {"name": name}
    if not mean.claimed:
        return _("%(name)s: %(why)s") % {"name": name, "why": mean_words(mean, units)}
    return estimate_sentence(name, units.write(mean.estimate), mean.low, mean.high, units=units)


def quantile_name(probability: float) -> str:
    return {0.25: _("Lower quartile"), 0.5: _("Median"), 0.75: _("Upper quartile")}[probability]


def quantile_words(quantile: QuantileEstimate, units: Units) -> str:
    """Say between which limits of the bands a quartile is."""
    if quantile.value is None:
        return _("No estimate, because all reports may come from people who prefer not to say.")
    return interval_sentence(quantile.low, quantile.high, units)


def bounds_words(bands: BandsResult) -> str:
    """Say what the bands leave open about the mean, whatever the number of answers."""
    if bands.mean_bounds is None:
        return ""
    low, high = bands.mean_bounds
    return _(
        "The mean assumes that all numbers lie at the midpoints of their bands. Their actual positions are "
        "unknown, so with these shares the mean could be anything from %(low)s to %(high)s. The interval "
        "allows for this too. Its lower limit puts all numbers at the lower ends of their bands, and its upper "
        "limit puts them at the upper ends."
    ) % units_of(bands).limits(low, high)


def top_name(top: TopShare, scale: ScaleResult) -> str:
    if top.boxes == 1:
        return _("Top point, %(last)s") % {"last": scale.ends[1]}
    return _("Top two points, %(before)s and %(last)s") % {"before": scale.points - 1, "last": scale.ends[1]}


# A share and its interval as a hundred people.


@dataclass(frozen=True, slots=True)
class PeopleOf100:
    """A hundred dots: the (randomized) reports of Yes, or what the interval leaves possible."""

    lit: float = 0
    ring: float = 0
    yes: int = 0
    may: int = 0
    could: int = 0
    empty: int = 0

    @property
    def likely(self) -> int:
        """How many the estimate says."""
        return self.yes + self.may

    @property
    def most(self) -> int:
        return self.likely + self.could


def people_reported(share: float) -> PeopleOf100:
    """Return the people of whom reports say so, to a tenth, as the share is written beside them."""
    lit = round(100 * share, 1)
    return PeopleOf100(lit=lit, ring=round(100 - lit, 1))


def people_of(option: OptionResult) -> PeopleOf100:
    """Return at least how many, likely how many and at most: rounded outwards, with none likely in a range alone."""
    low = math.floor(round(100 * option.low, 6))
    high = math.ceil(round(100 * option.high, 6))
    wide = says_too_little(option.low, option.high)
    likely = low if wide else min(max(round(100 * option.estimate), low), high)
    return PeopleOf100(yes=low, may=likely - low, could=high - likely, empty=100 - high)


# The finding: a question’s main figure as one sentence, whatever was estimated, and what stands large below it.


@dataclass(frozen=True, slots=True)
class Headline:
    """What is read first; without an estimate only the title, which says so.

    Where the title says that the answers cannot tell, the value is the interval: no estimate stands below it.
    """

    title: str
    value: str = ""
    is_estimate: bool = True
    unit: str = ""
    sure: str = ""
    people: PeopleOf100 | None = None
    origin: str = ""  # how the figure follows from the reports
    alone: str = ""  # the title where no value stands below it, if that is another


_SHARES = (
    *(Fraction(1, whole) for whole in (20, 10, 8, 6, 5, 4, 3)),
    Fraction(2, 5),
    Fraction(1, 2),
    Fraction(3, 5),
    *(Fraction(parts - 1, parts) for parts in (3, 4, 5, 6, 8, 10, 20)),
)
_NEAR = 0.025  # an estimate is “about” a share that is no farther away, nor than a tenth of it
_HARDLY_ANY = 0.005


def finding_of(result: QuestionResult, level: float) -> Headline:
    """Return the finding of a question that enough answered: a mean where one was asked for, else the largest share."""
    if result.all_odd:
        return Headline(_("No reliable estimate"))
    if main := main_mean(result.first):
        return _of_mean(*main, level)
    largest = largest_share(result, level)
    if not largest:
        return Headline(_("No estimate from these reports"))
    option, item = largest.option, largest.item
    answer, low, high = row_name(option, item), option.low, option.high
    wide = says_too_little(low, high)
    sure = sure_words(level) if wide else sure_sentence(level, low, high)
    if choice := choice_words(largest):
        sure = _("%(interval)s (%(choice)s)") % {"interval": sure, "choice": choice}
    return Headline(
        title=share_title(option, answer if item.item.answers.yes_or_no and not item.item.option else quoted(answer)),
        value=interval_cell(low, high) if wide else estimate_of_100(option.estimate, low, high),
        is_estimate=not wide,
        unit=_("of 100"),
        sure=sure,
        people=people_of(option),
        origin=_origin(option, item),
    )


def method_of(result: QuestionResult) -> str:
    """Return the method of the interval below the headline."""
    main = main_mean(result.first)
    return main[0].method if main else result.first.method


_FEW = 3  # other answers that are named


def choice_words(largest: LargestShare) -> str:
    """Say from how many shares the largest was chosen and which could be more common; nothing of a single one."""
    values = {"answers": whole_number(largest.chosen_from)}
    if largest.chosen_from == 1:
        return ""
    if not largest.rivals:
        return _("most common of %(answers)s answers") % values
    words = _("largest of %(answers)s estimates") % values
    names = [quoted(row_name(option, item)) for option, item in largest.rivals]
    others = (
        _("%(others)s could be more common") % {"others": get_text_list(names, _("or"))}
        if len(names) <= _FEW
        else _("%(number)s others could be more common") % {"number": whole_number(len(names))}
    )
    return f"{words}; {others}"


def quoted(answer: str) -> str:
    """Return a survey owner's words as they stand in a sentence."""
    return _("“%(answer)s”") % {"answer": answer}


def share_title(share: OptionResult, answer: str) -> str:
    """Say how many would answer so if asked directly, as roughly as the interval allows."""
    if says_too_little(share.low, share.high):
        return _("These reports cannot show how many people would truthfully answer %(answer)s") % {"answer": answer}
    if share.low < _HARDLY_ANY or share.high > 1 - _HARDLY_ANY:
        values = {"limits": interval_cell(share.low, share.high), "answer": answer}
        return _("%(limits)s of 100 would truthfully answer %(answer)s") % values
    near = min(_SHARES, key=lambda rough: abs(rough - share.estimate))
    far = abs(float(near) - share.estimate)
    tenth = min(share.estimate, 1 - share.estimate) / 10
    if not share.low <= near <= share.high or far > min(_NEAR, tenth):
        value = estimate_of_100(share.estimate, share.low, share.high)
        return _("About %(value)s of 100 would truthfully answer %(answer)s") % {"value": value, "answer": answer}
    if near == Fraction(1, 2):
        return _("About half would truthfully answer %(answer)s") % {"answer": answer}
    words = ngettext(
        "About %(parts)s in %(whole)s would truthfully answer %(answer)s",
        "About %(parts)s in %(whole)s would truthfully answer %(answer)s",
        near.numerator,
    )
    return words % {"parts": near.numerator, "whole": near.denominator, "answer": answer}


def _origin(option: OptionResult, item: ItemResult) -> str:
    """Say how an estimate follows from the reports; nothing where that depends on several shares."""
    code = item.options.index(option)
    row = item.item.design.matrix[code]
    if len({chance for truth, chance in enumerate(row) if truth != code}) > 1:
        return ""
    nobody, everybody = row[1 if code == 0 else 0], row[code]
    values = {
        "count": whole_number(option.count),
        "n": whole_number(item.n),
        "report": option.report,
        "observed": tenths_of_100(option.observed),
        "label": option.label,
        "nobody": tenths_of_100(nobody),
        "everybody": tenths_of_100(everybody),
        "part": percent(option.moment, 1),
    }
    words = _(
        "%(count)s of %(n)s reports say “%(report)s”, which is %(observed)s of 100. If “%(label)s” was "
        "nobody’s true answer, %(nobody)s of 100 would be expected. If it was everybody’s, %(everybody)s would "
        "be expected. %(observed)s is %(part)s of the way from %(nobody)s to %(everybody)s."
    )
    limited = _("No share can be below 0 or above 100 of 100, so the estimates are adjusted to possible shares.")
    return f"{words % values} {limited}" if option.limited else words % values


_Means = tuple[NumberEstimate, Units, str]


def main_mean(item: ItemResult) -> _Means | None:
    """Return the mean that a question asks for, its units, and what it is called; None where none is claimed."""
    for result in (item.mean, item.scale, item.bands):
        if result is None or item.oddities:
            continue
        mean = result if isinstance(result, MeanResult) else result.mean
        if mean.claimed:
            return mean, units_of(result), mean_name(among_those_who_say=result.among_those_who_say)
    return None


def _of_mean(mean: NumberEstimate, units: Units, name: str, level: float) -> Headline:
    wide = says_too_little(mean.low, mean.high, units.length)
    values, bare = {"value": units.write(mean.estimate), "name": name}, Units(units.low, units.high, "")
    return Headline(
        title=_("These reports cannot show the mean") if wide else name,
        value=interval_cell(mean.low, mean.high, bare) if wide else bare.write(mean.estimate),
        is_estimate=not wide,
        unit=units.unit or _("on a scale from %(low)s to %(high)s") % units.ends,
        sure=sure_words(level) if wide else sure_sentence(level, mean.low, mean.high, units),
        alone="" if wide else _("%(name)s: about %(value)s") % values,
    )


@register.filter
def reported_words(item: ItemResult) -> str:
    """Say what was reported, where the reports are not called as the answers."""
    if item.item.reports_are_answers or item.item.grid or not item.item.protects:
        return ""
    return _("%(observed)s of 100 randomized reports are “%(report)s”.") % {
        "observed": tenths_of_100(item.options[1].observed),
        "report": item.options[1].report,
    }


# What designs for the same differ by, and what they say together: on a question’s page and on slides.


def compared_caption(compared: ArmComparison) -> str:
    """Name what stands beside one another."""
    return _("“%(label)s”, by arm") % {"label": compared.label}


def difference_words(pair: ArmDifference, *, tested: bool = True) -> str:
    """Say how much more one design finds than the other; and `tested`, how surely."""
    low, high = pair.interval.low, pair.interval.high
    more, less = (pair.first, pair.second) if pair.point >= 0 else (pair.second, pair.first)
    limits = limits_of_100(*((low, high) if pair.point >= 0 else (-high, -low)))
    words = (
        _(
            "The estimate for question %(more)s is higher than for question %(less)s by %(points)s percentage "
            "points (between %(low)s and %(high)s; test of no difference: %(p)s)."
        )
        if tested
        else _(
            "The estimate for question %(more)s is higher than for question %(less)s by %(points)s percentage "
            "points (between %(low)s and %(high)s)."
        )
    )
    shown = {"points": hundredths(abs(pair.point), 0), "p": p_words(pair.p_value), **limits}
    return words % {"more": more.number, "less": less.number, **shown}


def together_words(together: ArmsTogether) -> str:
    """Say what one share for all designs is, and whether it fits them."""
    fits = (
        _("A common share for these arms would be %(clause)s, which fits their reports (%(p)s).")
        if together.fits >= MISFIT
        else _("A common share for these arms would be %(clause)s, which does not fit their reports (%(p)s).")
    )
    return fits % {"clause": interval_clause(together.low, together.high), "p": p_words(together.fits)}
