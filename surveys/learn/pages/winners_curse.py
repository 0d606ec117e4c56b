"""What happens to a release that was drawn several times and chosen: its interval promises too much."""

from bisect import bisect_left
from fractions import Fraction
from functools import lru_cache
from math import exp

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from surveys.charts import Chart, CrowdChart, CrowdRow, IntervalChart, IntervalRow, Table, share_axis
from surveys.charts.crowds import Kind
from surveys.estimation.intervals.interval import each_level
from surveys.estimation.released.counts import upper_tail
from surveys.estimation.released.histogram import ReleasedEstimate, estimate_released_histogram
from surveys.estimation.tails import at_most
from surveys.learn.forms import Pick, Slider, counted
from surveys.learn.page import Chapter, LabPage, Numbers, SeededChance, Shown, Values
from surveys.numbers.words import (
    estimate_of_100,
    interval_cell,
    level_words,
    loss_words,
    roughly_of_100,
    tenths_of_100,
    times,
    whole_number,
)
from surveys.privacy.designs import forced_response
from surveys.privacy.mechanisms.laplace import DiscreteLaplace

_N, _SURVEYS, _SHARE, _LEVEL = 300, 100, 0.3, 0.95
_DESIGN = forced_response()
_RATE = float(_DESIGN.offset + _DESIGN.slope * 3 / 10)


@lru_cache(maxsize=256)
def _held(noise: DiscreteLaplace, level: float) -> tuple[int, int]:
    """Return the least and the largest noisy count whose interval holds the truth: they are in neither tail.

    A count beyond what the design can lead to is read as the nearest that it can (`rate_limits`).
    """
    tail = (1 - level) / 2
    least, most = _N * min(_DESIGN.matrix[1]), _N * max(_DESIGN.matrix[1])
    # The larger a count, the less of one tail is left and the more of the other.
    possible = range(int(least), int(most) + 1)
    first = bisect_left(possible, True, key=lambda count: bool(upper_tail(_N - count, _N, noise, 1 - _RATE) >= tail))
    end = bisect_left(possible, True, key=lambda count: bool(upper_tail(count, _N, noise, _RATE) < tail))
    counts = possible[first:end]
    low = -noise.reach if counts[0] == least else counts[0]
    return low, _N + noise.reach if counts[-1] == most else counts[-1]


@lru_cache(maxsize=256)
def coverage_of_best(noise: DiscreteLaplace, level: float, draws: int) -> float:
    """Return how often the interval of the largest of so many draws holds the truth, exactly."""
    low, high = _held(noise, level)
    x = np.arange(_N + 1)
    weights = np.diff(at_most(x, _N, _RATE), prepend=0.0)
    # All draws are below t where each is.
    below_high, below_low = ((1 - noise.at_least(t - x)) ** draws for t in (high + 1, low))
    return float(weights @ (below_high - below_low))


class WinnersCurse(LabPage):
    """Counts drawn again and again, of which the largest is published."""

    place = 16
    chapter = Chapter.ADDING_UP
    slug = "winners-curse"
    title = gettext_lazy("What if you draw again until you like the result?")
    source = "Bonferroni 1936; Goodman 1965; Canonne, Kamath & Steinke 2020"
    controls = {
        "draws": Pick(counted(1, 2, 8, 20), initial="8", label=gettext_lazy("Draws")),
        "epsilon": Slider(
            "0.05", "1", step="0.05", initial="0.1", label=gettext_lazy("ε per draw (a smaller value means more noise)")
        ),
        "level": Pick(
            {"one": gettext_lazy("for one draw"), "all": gettext_lazy("for all draws")},
            initial="one",
            label=gettext_lazy("95 of 100 intervals should be right"),
        ),
    }
    watched = "estimate"
    aim = "true_share"

    def numbers(self, values: Values, chance: SeededChance) -> Numbers:
        """Draw a hundred surveys, each of them so many times, and keep the largest count of each."""
        draws, noise = int(values["draws"]), DiscreteLaplace(values["epsilon"], 1)
        level = each_level(_LEVEL, draws if values["level"] == "all" else 1)
        low, high = _held(noise, level)
        surveys = _SURVEYS if values["times"] == 1 else 1
        reported = chance.generator.binomial(_N, _RATE, surveys)
        drawn = reported[:, None] + chance.noise(noise, (surveys, draws))
        best = drawn.max(axis=1)
        estimate = _estimate(int(best[0]), noise)
        numbers = {
            "true_share": _SHARE,
            "estimate": float(estimate.constrained[1]),
            "level": level,
            "coverage": coverage_of_best(noise, level, draws),
            "total": draws * values["epsilon"],
        }
        if surveys == 1:
            return numbers
        interval = estimate.interval(level)
        return numbers | {
            "held": ((low <= best) & (best <= high)).tolist(),
            "drawn": [float(_estimate(count, noise).constrained[1]) for count in drawn[0].tolist()],
            "low": float(interval.low[1]),
            "high": float(interval.high[1]),
        }

    def show(self, values: Values, numbers: Numbers) -> Shown:
        """Draw which of a hundred intervals hold the truth, and the first of them."""
        draws = int(values["draws"])
        figures = {
            "draws": whole_number(draws),
            "covered": roughly_of_100(numbers["coverage"]),
            "level": level_words(numbers["level"]),
            "total": loss_words(numbers["total"], 0),
            "odds": times(Fraction(exp(numbers["total"]))),
        }
        title = (
            ngettext(
                "With one draw, %(covered)s of 100 intervals contain the true value",
                "With the largest of %(draws)s draws, %(covered)s of 100 intervals contain the true value",
                draws,
            )
            % figures
        )
        if draws == 1:
            sentence = _(
                "Nothing was selected. The draw costs %(total)s, so one report changes anyone’s odds at most "
                "%(odds)s‑fold."
            )
        elif values["level"] == "one":
            sentence = _(
                "Each interval has a confidence level of %(level)s, as if nothing had been selected. All draws "
                "together cost %(total)s, published or not. So one report changes anyone’s odds at most "
                "%(odds)s‑fold."
            )
        else:
            sentence = _(
                "Each interval has a confidence level of %(level)s, so the selected interval is right often "
                "enough. All draws together cost %(total)s, published or not. So one report changes anyone’s "
                "odds at most %(odds)s‑fold."
            )
        return Shown(sentence % figures, (_surveys(numbers, title), _published(numbers, figures)))


def _estimate(count: int, noise: DiscreteLaplace) -> ReleasedEstimate:
    return estimate_released_histogram([_N - count, count], _N, _DESIGN, noise, one_count=True)


def _surveys(numbers: Numbers, title: str) -> Chart:
    held = sum(numbers["held"])
    figures = {
        "held": whole_number(held),
        "all": whole_number(_SURVEYS),
        "covered": roughly_of_100(numbers["coverage"]),
    }
    words = _("Of these %(all)s surveys, %(held)s published an interval that contains the true value") % figures
    rows = (
        (_("intervals that contain the true value, of these %(all)s surveys") % figures, figures["held"]),
        (_("intervals that contain the true value, of 100 surveys in the long run"), figures["covered"]),
    )
    dots: list[Kind] = ["yes" if place < held else "no" for place in range(_SURVEYS)]
    crowd = CrowdRow(
        _("published intervals that contain the true value"),
        words,
        _("%(held)s of %(all)s") % figures,
        dots,
    )
    return CrowdChart(
        name="surveys",
        title=title,
        text=words,
        table=Table(words, (_("Intervals"), _("Surveys")), rows),
        crowds=(crowd,),
        columns=20,
    )


def _published(numbers: Numbers, figures: dict[str, str]) -> Chart:
    low, high, best = numbers["low"], numbers["high"], numbers["estimate"]
    title = _("The first of these surveys publishes an estimate of %(share)s of 100, with the interval %(limits)s") % {
        "share": estimate_of_100(best, low, high),
        "limits": interval_cell(low, high),
    }
    row = IntervalRow(
        _("published"),
        title,
        estimate_of_100(best, low, high),
        best,
        low,
        high,
        truth=numbers["true_share"],
        limits=interval_cell(low, high),
    )
    drawn = [
        (_("draw %(number)s") % {"number": place}, tenths_of_100(share))
        for place, share in enumerate(numbers["drawn"], 1)
    ]
    rows = (
        *drawn,
        (_("published: %(level)s interval") % figures, interval_cell(low, high)),
        (_("true value"), tenths_of_100(_SHARE)),
    )
    return IntervalChart(
        name="published",
        title=title,
        table=Table(title, (_("Estimate"), _("Of 100")), rows),
        axis=share_axis(),
        rows=(row,),
    )


PAGE = WinnersCurse()
