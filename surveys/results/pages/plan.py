"""The tab that plans the next survey: how precise and how powerful, by what this one estimates."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django import template
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from surveys.answering.words.designs import quote_answer
from surveys.charts import Axis, Chart, Curve, CurveChart, Mark, Table, axis_around, log_axis_around
from surveys.common.words import range_part
from surveys.drafts.figures import USUAL_DIFFERENCE, ExpectedComparison, compare_in_arms, models_of
from surveys.estimation.two_groups.models import BESIDES
from surveys.numbers.words import (
    chance,
    decimal,
    hundredths,
    level_words,
    percent,
    points,
    whole_number,
    with_unit,
    without_zeros,
)
from surveys.questionnaire import designs
from surveys.questionnaire.asked_question import AskedQuestion, Item
from surveys.questionnaire.kinds import Range
from surveys.results.figures.arms import compare_arms
from surveys.results.figures.plan import (
    HALF_WIDTHS,
    AssumedShare,
    PowerOfTest,
    Precision,
    TwoArmsPrecision,
    Wish,
    assumed_share,
    mean_precision,
    people_asked,
    share_precision,
    share_test,
    two_arms_precision,
)
from surveys.results.figures.questions import counts_of
from surveys.results.figures.two_arms import fit_two_arms, models_shown
from surveys.results.forms import (
    OptionChoice,
    chosen_item,
    chosen_option,
    number_of,
    option_choices,
    whole_number_of,
)
from surveys.results.report import Report
from surveys.results.sections.two_arms import WORDS, model_label
from surveys.results.words import HIGHER_IS_NO_PROOF

register = template.Library()

# What is asked for, from the query string.


ALTERNATIVES = ("two-sided", "one-sided")
_LONGEST = 40  # characters that are repeated in a notice
_MOST = 10**15


@dataclass(frozen=True, slots=True)
class PlanQuery:
    """An answer, the precision wished for, and the difference to be found; None is what nobody typed.

    Shares, differences and the margin of error are between 0 and 1; of a mean the margin of error is a part of the
    range.
    """

    items: Sequence[Item]
    item: Item
    options: tuple[OptionChoice, ...]
    chosen: OptionChoice
    limits: Range | None  # of the number whose mean is planned; None for the share of an answer
    half_width: float | None
    share: float | None
    null: float | None
    difference: float
    n: int | None
    power: float
    alternative: str
    written: dict[str, str]
    notices: tuple[str, ...]

    @property
    def option(self) -> int | None:
        """The answer's code; None for the mean of a number."""
        return self.chosen.code


def parse_plan(query: QueryDict, items: Sequence[Item]) -> PlanQuery:
    """Read the plan's fields; what is unknown or impossible becomes the default, with a notice that names it."""
    notices: list[str] = []
    item = chosen_item(query, "item", items, items[0], notices)
    options = option_choices(item)
    chosen = chosen_option(query, item, options, notices)
    written = {
        name: query.get(name, "").strip()[:_LONGEST]
        for name in ("half_width", "share", "null", "difference", "n", "power")
    }

    def read(
        name: str,
        fits: Callable[[float], bool],
        refusal: str,
        number_in: Callable[[str], float | None] = number_of,
    ) -> float | None:
        text = written[name]
        if not text:
            return None
        number = number_in(text)
        if number is None or not fits(number):
            notices.append(refusal % {"given": text})
            written[name] = ""
            return None
        return number

    limits = item.range if chosen.code is None else None
    half_width = read("half_width", *_half_width_rule(limits))
    inside = _("Share: enter a number from 0.1 to 99.9, not “%(given)s”. This survey’s result is used instead.")
    share = read("share", lambda number: 0.1 <= number <= 99.9, inside)
    null = read(
        "null",
        lambda number: 0 <= number <= 100,
        _("Compared with: enter a number from 0 to 100, not “%(given)s”. Half the share is used."),
    )
    difference = read(
        "difference",
        lambda number: 0 < number <= 100,
        _("Difference: enter a number of points above 0 and up to 100, not “%(given)s”. Ten points are used."),
    )
    n = read(
        "n",
        lambda number: 1 <= number <= _MOST,
        _("People: enter a whole number from 1 to 10¹⁵, not “%(given)s”. The current number is used."),
        whole_number_of,
    )
    target = read(
        "power",
        lambda number: 0 < number < 100,
        _("Power: enter a number above 0 and below 100, not “%(given)s”. 80%% is used."),
    )
    alternative = query.get("alternative", ALTERNATIVES[0])
    if alternative not in ALTERNATIVES:
        notices.append(
            _("Test “%(given)s” not found. The two-sided test is used instead.") % {"given": alternative[:40]}
        )
        alternative = ALTERNATIVES[0]
    return PlanQuery(
        items=items,
        item=item,
        options=options,
        chosen=chosen,
        limits=limits,
        half_width=half_width / float(limits.high - limits.low) if half_width and limits else _hundredth(half_width),
        share=_hundredth(share),
        null=_hundredth(null),
        difference=USUAL_DIFFERENCE if difference is None else difference / 100,
        n=None if n is None else int(n),
        power=0.8 if target is None else target / 100,
        alternative=alternative,
        written=written,
        notices=tuple(notices),
    )


def _half_width_rule(limits: Range | None) -> tuple[Callable[[float], bool], str]:
    if limits:
        widest = float(limits.high - limits.low)
        return lambda number: 0 < number <= widest, _(
            "Margin of error: enter a number above 0 and no larger than the range of the numbers, not “%(given)s”."
        )
    return lambda number: 0 < number <= 100, _(
        "Margin of error: enter a number of points above 0 and up to 100, not “%(given)s”."
    )


def _hundredth(number: float | None) -> float | None:
    return None if number is None else number / 100


# The page.


def build(report: Report) -> dict[str, Any]:
    """Show what a precision and a power need, for the answer asked for."""
    query = parse_plan(report.query, report.items)
    question = report.definition.questions[query.item.question_number - 1]
    counts = counts_of(query.item, report.snapshot)
    n = int(counts.sum())
    context: dict[str, Any] = {
        "query": query,
        "n": n,
        "enough": n >= report.snapshot.minimum_n,
        "of_mean": query.option is None,
        "alternatives": ALTERNATIVES,
        "notices": list(query.notices),
        "loss": question.losses[0],
        "answers": question.answer_count,
        "arm_names": report.definition.arm_names(question),
        "asked_if": question.asked_if,
        "variants": len(report.definition.variants_of(question)),
    }
    if not context["enough"]:
        return context
    level = report.options.confidence_level
    half_widths = (*HALF_WIDTHS, *([query.half_width] if query.half_width is not None else []))
    planned = people_asked(query.n, question, report.definition, report.snapshot) if query.n else n
    context["planned"] = planned
    if query.option is None:
        precision = mean_precision(query.item, planned, now=n, half_widths=half_widths, confidence_level=level)
        return context | _drawn(query, precision, None, None, n)
    assumed = assumed_share(query.item, query.option, counts, query.share)
    precision = share_precision(
        question,
        query.item,
        query.option,
        assumed.share,
        planned,
        now=n,
        half_widths=half_widths,
        confidence_level=level,
    )
    if query.option == 1:
        context["two_arms"] = _two_arms(report, query)
    test = share_test(
        query.item,
        query.option,
        share=assumed.share,
        null=assumed.share / 2 if query.null is None else query.null,
        n=planned,
        now=n,
        alternative=query.alternative,
        target=query.power,
        significance=round(1 - level, 9),
    )
    context |= _compared(report, query, question, assumed.share)
    return context | _drawn(query, precision, assumed, test, n)


def _compared(report: Report, query: PlanQuery, question: AskedQuestion, share: float) -> dict[str, Any]:
    """Return what comparisons with the other designs will tell, of as many respondents as expected in all."""
    everybody = query.n or report.snapshot.n
    comparisons = [
        compare_in_arms(
            report.definition.arms,
            question,
            other,
            n=everybody,
            share=share,
            difference=query.difference,
            option=query.option or 0,
            one_sided=query.alternative == "one-sided",
            significance=round(1 - report.options.confidence_level, 9),
            target=query.power,
        )
        for other in report.definition.variants_of(question)
        if other != question
    ]
    if not comparisons:
        return {}
    plainly = any(not each.protects for each in report.definition.variants_of(question))
    return {"comparisons": comparisons, "compares_plainly": plainly, "no_proof": HIGHER_IS_NO_PROOF}


def _two_arms(report: Report, query: PlanQuery) -> TwoArmsPrecision | None:
    """Return the precision of both arms together, where two of them ask so that they tell more than a share."""
    question = report.definition.questions[query.item.question_number - 1]
    if not models_of(question, report.definition.questions):
        return None
    compared = compare_arms(question, report.stored, report.snapshot, report.options.wanted)
    models = models_shown(question, report.definition, compared) if compared else ()
    arms = next((each for each in models if each.identified), None)
    if not arms or not compared:
        return None
    fit = fit_two_arms(arms, compared, report.options.wanted)
    typed = query.n and sum(
        people_asked(query.n, each, report.definition, report.snapshot) for each in (arms.first, arms.second)
    )
    return two_arms_precision(
        fit,
        report.definition,
        query.share,
        n=typed or sum(fit.n),
        wanted=query.half_width or HALF_WIDTHS[-1],
        confidence_level=report.options.confidence_level,
    )


def _drawn(
    query: PlanQuery, precision: Precision, assumed: AssumedShare | None, test: PowerOfTest | None, n: int
) -> dict[str, Any]:
    charts: list[Chart] = [precision_chart(precision, query.limits, n)]
    if test is not None and not test.no_difference:
        charts.append(power_chart(test, n))
    return {"precision": precision, "assumed": assumed, "test": test, "charts": charts, "drawn": charts}


# Words.


register.filter(chance)

_FIVE_POINTS = 1  # the place of ±5 points among the wishes
_OF_THE_PLAN = {
    "own": gettext_lazy("This survey’s design"),
    "direct": gettext_lazy("Asked directly, not randomized"),
}
_ALTERNATIVES = {"two-sided": gettext_lazy("two-sided"), "one-sided": gettext_lazy("one-sided")}


@register.filter
def design_name(name: str) -> str:
    return str(_OF_THE_PLAN[name] if name in _OF_THE_PLAN else designs.label_of(name))


@register.filter
def alternative_name(alternative: str) -> str:
    return str(_ALTERNATIVES[alternative])


@register.filter
def count_words(n: int | None) -> str:
    """1,476 for 1476; None, which stands for more than there can be, in words."""
    return _("more than 10¹⁵") if n is None else whole_number(n)


def share_words(share: float) -> str:
    """Write a share with a decimal, and one near none or all with two."""
    return percent(share, 2 if 0 < min(share, 1 - share) < 0.01 else 1)


@register.filter
def worth(relative_n: float) -> str:
    """4.6: how many answers are worth one direct answer."""
    return decimal(relative_n, 1)


@register.simple_tag
def plus_minus(half_width: float, limits: Range | None = None) -> str:
    """±35 points, ±4.3 hours: a margin of error, of a mean in the numbers' units."""
    if limits:
        return f"±{range_part(limits, half_width)}"
    return _("±%(points)s points") % {"points": points(half_width)}


@register.simple_tag
def half_width_words(half_width: float, limits: Range | None) -> str:
    """Write a margin of error that is wished for: ±5 points, not ±5.0."""
    if limits:
        value = half_width * float(limits.high - limits.low)
        written = without_zeros(decimal(value, max(1, 3 - math.floor(math.log10(value)))))
        return f"±{with_unit(written, limits.unit)}"
    wanted = 100 * half_width
    # As many decimals as somebody types, and two digits of what is smaller.
    return _("±%(points)s points") % {
        "points": without_zeros(decimal(wanted, max(3, 1 - math.floor(math.log10(wanted)))))
    }


@register.simple_tag
def expectation(precision: Precision, limits: Range | None) -> str:
    """Say what so many answers give, and what ±5 points need."""
    five = precision.wishes[_FIVE_POINTS]
    values = {
        "n": count_words(precision.n),
        "now": plus_minus(precision.half_width, limits),
        "wish": half_width_words(five.half_width, limits) if limits else _("±5"),
        "needed": count_words(five.n),
    }
    words = ngettext(
        "With %(n)s person, expect a margin of error of %(now)s. For %(wish)s, you need %(needed)s people.",
        "With %(n)s people, expect a margin of error of %(now)s. For %(wish)s, you need %(needed)s people.",
        precision.n,
    )
    if five.n is None:
        words = _(
            "With a sample of %(n)s, expect a margin of error of %(now)s. No feasible sample size gives %(wish)s."
        )
    return words % values


@register.simple_tag
def wish_sentence(wish: Wish, limits: Range | None) -> str:
    """Say what the margin of error that was typed needs."""
    values = {"wish": half_width_words(wish.half_width, limits), "needed": count_words(wish.n)}
    if wish.n is None:
        return _("No feasible sample size gives a margin of error of %(wish)s.") % values
    return _("For a margin of error of %(wish)s, you need a sample of %(needed)s.") % values


@register.simple_tag
def price(precision: Precision, limits: Range | None, protects: bool) -> str:
    """Say what randomizing costs, in answers."""
    if not protects:
        return _("This question is not randomized, so no precision is lost.")
    five = precision.wishes[_FIVE_POINTS]
    values = {
        "worth": worth((precision.half_width / precision.direct) ** 2),
        "n": count_words(precision.n),
        "direct": plus_minus(precision.direct, limits),
        "wish": half_width_words(five.half_width, limits),
        "needed": count_words(five.direct),
    }
    words = _(
        "Randomizing has a price. One truthful direct answer is worth %(worth)s reports with this design. "
        "With %(n)s direct answers, expect a margin of error of %(direct)s. For %(wish)s, %(needed)s "
        "direct answers would be enough."
    )
    if limits:
        words = _(
            "Randomizing has a price. One number that is only rounded at random is worth %(worth)s "
            "randomized numbers. With %(n)s numbers that are only rounded, expect a margin of error of "
            "%(direct)s. For %(wish)s, %(needed)s numbers that are only rounded would be enough."
        )
    return words % values


@register.simple_tag
def assumption(assumed: AssumedShare, item: Item, answer: str) -> str:
    """Say which share is planned for, and why."""
    words = {
        "typed": _("This assumes that %(answer)s is the true answer for %(share)s of 100 people, as you entered."),
        "found": _(
            "This assumes that %(answer)s is the true answer for %(share)s of 100 people, as estimated "
            "from this survey."
        ),
        "limited": _(
            "This assumes that %(answer)s is the true answer for %(share)s of 100 people. The estimate itself "
            "is too close to 0 or 100 for the normal approximation."
        ),
        "unknown": _(
            "This assumes that %(answer)s is the true answer for %(share)s of 100 people. There is no reliable "
            "estimate, because respondents probably did not follow the instructions."
        ),
    }
    share = without_zeros(decimal(100 * assumed.share, 2 if 0 < min(assumed.share, 1 - assumed.share) < 0.01 else 1))
    return words[assumed.source] % {"share": share, "answer": quote_answer(answer, item)}


@register.simple_tag
def power_sentence(test: PowerOfTest) -> str:
    """Say how probably the difference is found, and how many answers make that as probable as wanted."""
    values = {
        "share": share_words(test.share),
        "null": share_words(test.null),
        "test": alternative_name(test.alternative),
        "significance": level_words(test.significance),
        "n": count_words(test.n),
        "power": chance(test.normal),
        "target": percent(test.target, 1),
        "needed": count_words(test.needed),
    }
    words = _(
        "If the true share is %(share)s, not %(null)s, a %(test)s test at the %(significance)s level with "
        "a sample of %(n)s detects the difference with probability %(power)s. For a power of %(target)s, "
        "you need a sample of %(needed)s."
    )
    if test.needed is None:
        words = _(
            "If the true share is %(share)s, not %(null)s, a %(test)s test at the %(significance)s level "
            "with a sample of %(n)s detects the difference with probability %(power)s. No feasible sample "
            "size gives a power of %(target)s."
        )
    return words % values


@register.simple_tag
def comparison_sentence(compared: ExpectedComparison) -> str:
    """Say the power of the test between two designs, and how many people the wanted power takes."""
    first, second = compared.divided
    values = {
        "first": compared.first.number,
        "second": compared.second.number,
        "share": share_words(compared.share),
        "other": share_words(compared.other),
        "test": alternative_name("one-sided" if compared.one_sided else "two-sided"),
        "significance": level_words(compared.significance),
        "n": count_words(first + second),
        "of_first": count_words(first),
        "of_second": count_words(second),
        "power": chance(compared.power),
        "target": percent(compared.target, 1),
        "needed": count_words(compared.needed),
    }
    power = (
        _(
            "Suppose the true share is %(share)s in question %(first)s and %(other)s in question %(second)s. A "
            "%(test)s test at the %(significance)s level with a sample of %(n)s (%(of_first)s and "
            "%(of_second)s) then detects the difference with probability %(power)s."
        )
        % values
    )
    needed = (
        _("No feasible sample size gives a power of %(target)s.")
        if compared.needed is None
        else _("For a power of %(target)s you need %(needed)s people.")
    )
    return f"{power} {needed % values}"


@register.simple_tag
def division_sentence(compared: ExpectedComparison) -> str:
    """Say how precise the difference will be, and how the people had better be divided."""
    precise = _("The margin of error of the difference would be %(half_width)s.") % {
        "half_width": plus_minus(compared.half_width)
    }
    if compared.best_share is None:
        return precise
    best = _("You need the fewest people if %(best)s of them are asked question %(first)s.")
    return f"{precise} {best % {'best': percent(compared.best_share), 'first': compared.first.number}}"


@register.simple_tag
def groups_sentence(test: PowerOfTest) -> str:
    """Say the same of two groups of so many each."""
    values = {
        "share": share_words(test.share),
        "null": share_words(test.null),
        "n": count_words(test.n),
        "power": chance(test.two_groups),
        "target": percent(test.target, 1),
        "needed": count_words(test.needed_in_each),
    }
    words = _(
        "With two groups of size %(n)s and true shares of %(share)s and %(null)s, the test detects the "
        "difference with probability %(power)s. For a power of %(target)s, you need two groups of size "
        "%(needed)s."
    )
    if test.needed_in_each is None:
        words = _(
            "With two groups of size %(n)s and true shares of %(share)s and %(null)s, the test detects the "
            "difference with probability %(power)s. No feasible sample size gives a power of %(target)s."
        )
    return words % values


@register.simple_tag
def two_arms_sentence(planned: TwoArmsPrecision) -> str:
    """Say how many answers a model of two arms needs, and what that takes to be so."""
    words = WORDS[planned.arms.model].parameters
    return _(
        "Estimating two shares from both arms (%(model)s) requires more people. A margin of error of %(wish)s "
        "needs a sample of %(needed)s in all. A sample of %(n)s in these arms gives a margin of error of "
        "%(now)s. The assumed shares are %(share)s for “%(first)s” and %(other)s for “%(second)s”."
    ) % {
        "model": model_label(planned.arms),
        "wish": _("±%(points)s points") % {"points": without_zeros(decimal(100 * planned.wanted, 3))},
        "needed": whole_number(planned.needed),
        "n": whole_number(planned.n),
        "now": plus_minus(planned.half_width),
        "share": share_words(planned.share),
        "first": words["prevalence"],
        "other": share_words(planned.other),
        "second": words[BESIDES[planned.arms.model]],
    }


# Charts.


_TABLED = 6  # every so many points of a curve are a row of its table


def precision_chart(precision: Precision, limits: Range | None, n: int) -> CurveChart:
    """Return the margin of error by the number of answers, with a mark where this survey is."""
    direct = _("only rounded at random") if limits else _("asked directly")

    def drawn(half_width: float) -> float:
        # Wider than everything says no less than as wide as everything.
        part = min(1.0, half_width)
        return part * float(limits.high - limits.low) if limits else part

    title = _("Margin of error in percentage points")
    if limits:
        title = _("Margin of error in %(unit)s") % {"unit": limits.unit} if limits.unit else _("Margin of error")
    heights = [drawn(half_width) for _at, half_width, _direct in precision.curve]
    return CurveChart(
        name="precision",
        title=_("More people, more precision"),
        text=expectation(precision, limits),
        table=Table(
            caption=_("Expected margin of error by number of people"),
            headings=(_("People"), _("With this design"), direct[:1].upper() + direct[1:]),
            rows=tuple(
                (count_words(at), plus_minus(width, limits), plus_minus(plain, limits))
                for at, width, plain in _tabled(precision.curve)
            ),
        ),
        x_axis=_people(precision.curve),
        y_axis=axis_around([0.0, *heights], title=title, write=decimal if limits else hundredths),
        curves=(
            Curve(_("with this design"), [(at, drawn(width)) for at, width, _plain in precision.curve]),
            Curve(direct, [(at, drawn(plain)) for at, _width, plain in precision.curve], dash=1),
        ),
        marks=_marks(n, precision.n),
    )


def power_chart(test: PowerOfTest, n: int) -> CurveChart:
    """Return the power by the number of answers, with marks where this survey is and at the power wanted."""
    return CurveChart(
        name="power",
        title=_("Power of the test"),
        text=power_sentence(test),
        table=Table(
            caption=_("Power by number of people (normal approximation)"),
            headings=(_("People"), _("One share against a fixed value"), _("Two groups, each of this size")),
            rows=tuple((count_words(at), chance(one), chance(two)) for at, one, two in _tabled(test.curve)),
        ),
        x_axis=_people(test.curve),
        y_axis=axis_around([0.0, 1.0], title=_("Power (out of 100 surveys)"), write=hundredths),
        curves=(
            Curve(_("one share against a fixed value"), [(at, one) for at, one, _two in test.curve]),
            Curve(_("two groups, each of this size"), [(at, two) for at, _one, two in test.curve], dash=1),
        ),
        marks=(*_marks(n, test.n), Mark(_("target power"), y=test.target)),
    )


def _people(curve: tuple[tuple[int, float, float], ...]) -> Axis:
    return log_axis_around([curve[0][0], curve[-1][0]], title=_("People"))


def _marks(n: int, planned: int) -> tuple[Mark, ...]:
    now = Mark(_("people now: %(n)s") % {"n": count_words(n)}, x=n)
    if planned == n:
        return (now,)
    return now, Mark(_("people planned: %(n)s") % {"n": count_words(planned)}, x=planned)


def _tabled(curve: tuple[tuple[int, float, float], ...]) -> list[tuple[int, float, float]]:
    return [*curve[:-1:_TABLED], curve[-1]]
