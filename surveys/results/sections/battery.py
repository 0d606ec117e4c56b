"""Several answers of each person together: what their odds ratios compare, and how much people differ."""

import math

from django.utils.translation import gettext as _

from surveys.numbers.words import decimal, decimal_outwards, p_words
from surveys.results.figures.regression.battery import BatteryOutcome
from surveys.results.figures.regression.terms import Heterogeneity, Regression


def battery_title(battery: BatteryOutcome) -> str:
    """Name a battery by its questions, or by the one whose options it has."""
    if battery.is_of_questions:
        return _("Yes/no questions together")
    return _("%(number)s. %(title)s – all options together") % {"number": battery.numbers[0], "title": battery.title}


def battery_lines(regression: Regression, battery: BatteryOutcome) -> list[str]:
    """Say what the odds ratios compare, and how much people differ otherwise."""
    spread, lines = regression.spread, list[str]()
    if spread is None:
        return lines
    pair = spread.median_odds_ratio
    high = decimal_outwards(pair.high, 1, math.ceil) if math.isfinite(spread.sigma.high) else _("no limit")
    values = {
        "answer": battery.answer,
        "items": len(battery.items),
        "p": p_words(spread.p_value),
        "times": decimal(pair.value, 1),
        "low": decimal_outwards(pair.low, 1, math.floor),
        "high": high,
    }
    if regression.blocks:
        lines.append(
            _(
                "Each odds ratio applies to all %(items)s items alike. It compares people with the same overall "
                "tendency to “%(answer)s”."
            )
            % values
        )
    if spread.sigma.low > 0:
        lines.append(
            _(
                "People differ in their overall tendency to “%(answer)s”. In a typical pair of people, this alone "
                "makes the odds about %(times)s times as high for one as for the other (%(low)s to %(high)s)."
            )
            % values
        )
    elif math.isfinite(spread.sigma.high):
        lines.append(
            _(
                "It is not clear whether people differ in their overall tendency to “%(answer)s” "
                "(likelihood-ratio test, %(p)s). In a typical pair of people, this alone could make the odds up to "
                "%(high)s times as high for one as for the other."
            )
            % values
        )
    else:
        lines.append(
            _(
                "It is not clear whether people differ in their overall tendency to “%(answer)s”, or how much "
                "(likelihood-ratio test, %(p)s)."
            )
            % values
        )
    return lines


def battery_model(spread: Heterogeneity) -> str:
    """Say what is fitted, with the numbers of how much people differ."""
    values = dict[str, str]()
    for name, number in (("sigma", spread.sigma), ("correlation", spread.intraclass_correlation)):
        high = decimal_outwards(number.high, 2, math.ceil) if math.isfinite(number.high) else "∞"
        values |= {
            name: decimal(number.value, 2),
            f"{name}_low": decimal_outwards(number.low, 2, math.floor),
            f"{name}_high": high,
        }
    return (
        _(
            "The log odds of Yes are fitted by maximum likelihood, with an intercept for each item and a normal random "
            "intercept for each person. The standard deviation of the random intercept is %(sigma)s (%(sigma_low)s to "
            "%(sigma_high)s). The intraclass correlation is %(correlation)s (%(correlation_low)s to "
            "%(correlation_high)s). These intervals invert the likelihood-ratio test, which allows for the boundary "
            "at 0. The odds in a typical pair of people are the median odds ratio (Larsen and Merlo 2005). Each item "
            "must be randomized independently."
        )
        % values
    )
