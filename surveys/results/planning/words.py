"""What a plan says, in sentences that can be read out."""

import math

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from surveys.answering.words.odds import quote_answer
from surveys.common.words import range_part
from surveys.drafts.figures import ExpectedComparison
from surveys.estimation.two_groups import BESIDES
from surveys.models import designs
from surveys.models.asked_question import Item
from surveys.numbers.words import (
    chance,
    decimal,
    level_words,
    percent,
    points,
    whole_number,
    with_unit,
    without_zeros,
)
from surveys.results.planning.figures import AssumedShare, PowerOfTest, Precision, TwoArmsPrecision, Wish
from surveys.results.question.words.two_arms import WORDS, model_label

register = template.Library()
register.filter(chance)

_FIVE_POINTS = 1  # the place of ±5 points among the wishes
_OF_THE_PLAN = {
    "own": gettext_lazy("This survey’s design"),
    "direct": gettext_lazy("Asked directly, without chance"),
}
_ALTERNATIVES = {"two-sided": gettext_lazy("two-sided"), "one-sided": gettext_lazy("one-sided")}


@register.filter
def design_name(name: str) -> str:
    """Return a compared design as people call it."""
    return str(_OF_THE_PLAN[name] if name in _OF_THE_PLAN else designs.label_of(name))


@register.filter
def alternative_name(alternative: str) -> str:
    """Return the sides of a test as people call them."""
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


def plus_minus(half_width: float, item: Item | None = None) -> str:
    """±35 points, ±4.3 hours: a half-width, of a mean in the numbers' units."""
    if item is not None and item.range:
        return f"±{range_part(item.range, half_width)}"
    return _("±%(points)s points") % {"points": points(half_width)}


@register.simple_tag
def half_width_of(half_width: float, item: Item, of_mean: bool) -> str:
    """Write a half-width in the units of what is planned."""
    return plus_minus(half_width, item if of_mean else None)


@register.simple_tag
def half_width_words(half_width: float, item: Item, of_mean: bool) -> str:
    """Write a half-width that is wished for: ±5 points, not ±5.0."""
    if of_mean and item.range:
        value = half_width * float(item.range.high - item.range.low)
        written = without_zeros(decimal(value, max(1, 3 - math.floor(math.log10(value)))))
        return f"±{with_unit(written, item.range.unit)}"
    wanted = 100 * half_width
    # As many decimals as somebody types, and two digits of what is smaller.
    return _("±%(points)s points") % {
        "points": without_zeros(decimal(wanted, max(3, 1 - math.floor(math.log10(wanted)))))
    }


@register.simple_tag
def expectation(precision: Precision, item: Item, of_mean: bool) -> str:
    """Say what so many answers give, and what ±5 points need."""
    five = precision.wishes[_FIVE_POINTS]
    told = {
        "n": count_words(precision.n),
        "now": plus_minus(precision.half_width, item if of_mean else None),
        "wish": half_width_words(five.half_width, item, of_mean) if of_mean else _("±5"),
        "needed": count_words(five.n),
    }
    if five.n is None:
        return _("With %(n)s people expect %(now)s; no number that can be had gives %(wish)s.") % told
    return (
        ngettext(
            "With %(n)s person expect %(now)s; for %(wish)s you need %(needed)s.",
            "With %(n)s people expect %(now)s; for %(wish)s you need %(needed)s.",
            precision.n,
        )
        % told
    )


@register.simple_tag
def wish_sentence(wish: Wish, item: Item, of_mean: bool) -> str:
    """Say what the half-width that was typed needs."""
    told = {"wish": half_width_words(wish.half_width, item, of_mean), "needed": count_words(wish.n)}
    if wish.n is None:
        return _("No number of people that can be had gives %(wish)s.") % told
    return _("For %(wish)s you need %(needed)s people.") % told


@register.simple_tag
def price(precision: Precision, item: Item, of_mean: bool) -> str:
    """Say what chance costs, in answers."""
    if not item.protects:
        return _("No chance is added here, so it costs no precision.")
    five = precision.wishes[_FIVE_POINTS]
    told = {
        "worth": worth((precision.half_width / precision.direct) ** 2),
        "n": count_words(precision.n),
        "direct": plus_minus(precision.direct, item if of_mean else None),
        "wish": half_width_words(five.half_width, item, of_mean),
        "needed": count_words(five.direct),
    }
    if of_mean:
        return (
            _(
                "The price of chance: one number that is only rounded by chance is worth %(worth)s randomized ones. "
                "With %(n)s of them it would be %(direct)s, and %(wish)s would need %(needed)s."
            )
            % told
        )
    return (
        _(
            "The price of chance: one direct and honest answer is worth %(worth)s reports at this design. "
            "With %(n)s direct answers it would be %(direct)s, and %(wish)s would need %(needed)s."
        )
        % told
    )


@register.simple_tag
def assumption(assumed: AssumedShare, item: Item, answer: str) -> str:
    """Say which share is planned for, and why."""
    words = {
        "typed": _("That is if %(share)s of 100 would truly answer %(answer)s, as you typed."),
        "found": _("That is if %(share)s of 100 would truly answer %(answer)s, as estimated here."),
        "limited": _(
            "That is if %(share)s of 100 would truly answer %(answer)s: the estimate is nearer to none or to all, "
            "where no plan by the normal approximation holds."
        ),
        "unknown": _(
            "That is if %(share)s of 100 would truly answer %(answer)s: respondents probably did not follow the "
            "procedure, so there is no estimate to go by."
        ),
    }
    share = without_zeros(decimal(100 * assumed.share, 2 if 0 < min(assumed.share, 1 - assumed.share) < 0.01 else 1))
    return words[assumed.source] % {"share": share, "answer": quote_answer(answer, item)}


@register.simple_tag
def power_sentence(test: PowerOfTest) -> str:
    """Say how probably the difference is found, and how many answers make that as probable as wanted."""
    told = {
        "share": share_words(test.share),
        "null": share_words(test.null),
        "test": alternative_name(test.alternative),
        "significance": level_words(test.significance),
        "n": count_words(test.n),
        "power": chance(test.normal),
        "target": percent(test.target, 1),
        "needed": count_words(test.needed),
    }
    if test.needed is None:
        return (
            _(
                "If the true share is %(share)s and not %(null)s, a %(test)s test at %(significance)s finds that with "
                "probability %(power)s among %(n)s people; no number that can be had makes it %(target)s."
            )
            % told
        )
    return (
        _(
            "If the true share is %(share)s and not %(null)s, a %(test)s test at %(significance)s finds that with "
            "probability %(power)s among %(n)s people; for %(target)s you need %(needed)s."
        )
        % told
    )


@register.simple_tag
def comparison_sentence(compared: ExpectedComparison) -> str:
    """Say how probably two ways of asking are told apart, and how many people make that as probable as wanted."""
    first, second = compared.divided
    told = {
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
    found = (
        _(
            "If question %(first)s finds %(share)s and question %(second)s %(other)s, a %(test)s test at "
            "%(significance)s tells them apart with probability %(power)s among %(n)s people (%(of_first)s and "
            "%(of_second)s)."
        )
        % told
    )
    needed = (
        _("No number that can be had makes it %(target)s.")
        if compared.needed is None
        else _("For %(target)s you need %(needed)s.")
    )
    return f"{found} {needed % told}"


@register.simple_tag
def division_sentence(compared: ExpectedComparison) -> str:
    """Say how precise the difference will be, and how the people had better be divided."""
    precise = _("The difference would be known to %(half_width)s.") % {"half_width": plus_minus(compared.half_width)}
    if compared.best_share is None:
        return precise
    best = _("Fewest are needed where %(best)s of these people are asked question %(first)s.")
    return f"{precise} {best % {'best': percent(compared.best_share), 'first': compared.first.number}}"


@register.simple_tag
def groups_sentence(test: PowerOfTest) -> str:
    """Say the same of two groups of so many each."""
    told = {
        "share": share_words(test.share),
        "null": share_words(test.null),
        "n": count_words(test.n),
        "power": chance(test.two_groups),
        "target": percent(test.target, 1),
        "needed": count_words(test.needed_in_each),
    }
    if test.needed_in_each is None:
        return (
            _(
                "Between two groups of %(n)s each, with %(share)s in one and %(null)s in the other, it finds the "
                "difference with probability %(power)s; no number that can be had makes it %(target)s."
            )
            % told
        )
    return (
        _(
            "Between two groups of %(n)s each, with %(share)s in one and %(null)s in the other, it finds the "
            "difference with probability %(power)s; for %(target)s each needs %(needed)s."
        )
        % told
    )


@register.simple_tag
def two_arms_sentence(planned: TwoArmsPrecision) -> str:
    """Say how many answers a model of two arms needs, and what that takes to be so."""
    words = WORDS[planned.arms.model].parameters
    return _(
        "For two shares from both arms (%(model)s) more is needed: %(wish)s takes %(needed)s people in all, and the "
        "%(n)s in these arms give %(now)s. That is if it is %(share)s for “%(first)s” and %(other)s for “%(second)s”."
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
