"""People who do not follow the rules: what the estimate becomes, when the alarm goes, and what forgers could do."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Axis, Chart, Curve, CurveChart, IntervalChart, IntervalRow, Mark, Region, Table, Tick
from surveys.estimation.poisoning import poisoning_band
from surveys.estimation.prevalence import PrevalenceEstimate, estimate_prevalence
from surveys.estimation.tails import at_most
from surveys.learn.forms import OF_100, Pick, Slider, counted
from surveys.learn.page import Chapter, LabPage, Numbers, SeededChance, Shown, Values
from surveys.numbers.words import interval_cell, rough_chance, sure_words, tenths_of_100, whole_number
from surveys.privacy.designs import forced_response

_DESIGN = forced_response()
_TRUE = 0.3
_MOST = 60
_LEVEL = 0.95
# How often each of them sends Yes.
_SENDS_YES = {"no": 0.0, "yes": 1.0, "random": 0.5}


class NotFollowing(LabPage):
    """Some of a class do what they like."""

    place = 28
    chapter = Chapter.SURVEYS
    slug = "not-following"
    title = gettext_lazy("What if people do not follow the instructions?")
    source = "Clark & Desharnais 1998; Cheu, Smith & Ullman 2021"
    controls = {
        "how": Pick(
            {
                "no": gettext_lazy("always No"),
                "yes": gettext_lazy("always Yes"),
                "random": gettext_lazy("at random"),
            },
            initial="no",
            label=gettext_lazy("Reports from people not following the instructions"),
        ),
        "share": Slider(
            "0",
            str(_MOST),
            step="5",
            initial="20",
            label=gettext_lazy("People not following the instructions"),
            unit=OF_100,
        ),
        "people": Pick(counted(20, 100, 1000), initial="100", label=gettext_lazy("People")),
    }
    watched = "estimate"
    aim = "true_share"

    def numbers(self, values: Values, chance: SeededChance) -> Numbers:
        """Let some answer as they like, and look at the reports as results do."""
        n, sends_yes = int(values["people"]), _SENDS_YES[values["how"]]
        breaking, mean_yes = round(n * values["share"] / 100), round(n * _TRUE)
        followed = chance.reports(_DESIGN, [1] * mean_yes + [0] * (n - mean_yes))
        sent = followed.copy()
        sent[chance.generator.permutation(n)[:breaking]] = chance.generator.random(breaking) < sends_yes
        return {
            "true_share": mean_yes / n,
            **_read(int(sent.sum()), n, breaking),
            "honest": _undone(followed.sum() / n),
            **_on_average(n, breaking, sends_yes),
        }

    def show(self, values: Values, numbers: Numbers) -> Shown:
        """Draw what the estimate is on average, how often the alarm goes, and where forgers could bring it."""
        figures = {
            "share": whole_number(int(values["share"])),
            "truth": tenths_of_100(numbers["true_share"]),
            "estimate": tenths_of_100(numbers["estimate"]),
            "chance": rough_chance(numbers["alarm_chance"]),
            "low": tenths_of_100(numbers["band_low"]),
            "high": tenths_of_100(numbers["band_high"]),
        }
        title = (
            _("A true share of %(truth)s of 100 looks like %(estimate)s, and the alarm is raised")
            if numbers["alarm"]
            else _("A true share of %(truth)s of 100 looks like %(estimate)s, and no alarm is raised")
        ) % figures
        sentence = _(
            "If %(share)s of 100 people do not follow the instructions, the alarm is raised in %(chance)s of "
            "surveys. If everyone in this survey had followed the instructions, the estimate would have been "
            "between %(low)s and %(high)s."
        )
        return Shown(sentence % figures, (_curves(values, numbers, title), _this_survey(numbers, title)))

    def axis(self, values: Values) -> Axis:
        """Shares, and what no share can be."""
        return _axis()


def _estimate(yes: int, n: int) -> PrevalenceEstimate:
    return estimate_prevalence([n - yes, yes], _DESIGN)


# Many draws have the same number of Yes.
@lru_cache(maxsize=1024)
def _read(yes: int, n: int, breaking: int) -> Numbers:
    """Return what results say of so many Yes, and where forgers could have brought them from."""
    estimate = _estimate(yes, n)
    interval, band = estimate.interval(_LEVEL), poisoning_band(estimate, breaking)
    return {
        "estimate": float(estimate.point[1]),
        "low": float(interval.low[1]),
        "high": float(interval.high[1]),
        "band_low": float(band.low[1]),
        "band_high": float(band.high[1]),
        "alarm": estimate.misfit.suspicious,
    }


@lru_cache(maxsize=256)
def _on_average(n: int, breaking: int, sends_yes: float) -> Numbers:
    """Return what happens with this share of people who break the rules, and with any other."""
    shares = [part / 100 for part in range(0, _MOST + 1, 5)]
    return {
        "alarm_chance": _alarm_chance(n, breaking, sends_yes),
        "expected": _expected(breaking / n, sends_yes),
        "shares": shares,
        "expected_curve": [_expected(share, sends_yes) for share in shares],
        "alarm_curve": [_alarm_chance(n, round(n * share), sends_yes) for share in shares],
    }


def _reported(share: float, sends_yes: float) -> float:
    """Return how probable a Yes is."""
    followed = float(_DESIGN.offset) + float(_DESIGN.slope) * _TRUE
    return (1 - share) * followed + share * sends_yes


def _expected(share: float, sends_yes: float) -> float:
    return _undone(_reported(share, sends_yes))


def _undone(sent: float) -> float:
    """Return what so large a share of Yes means on average."""
    return float((sent - float(_DESIGN.offset)) / float(_DESIGN.slope))


@lru_cache
def _silent(n: int) -> tuple[int, int]:
    """Return the fewest and the most Yes of n at which the alarm is silent."""
    low, silent = -1, n // 2
    while silent - low > 1:
        middle = (low + silent) // 2
        low, silent = (middle, silent) if _estimate(middle, n).misfit else (low, middle)
    # Yes and No have the same edges.
    return silent, n - silent


def _alarm_chance(n: int, breaking: int, sends_yes: float) -> float:
    """Return how often the alarm is raised, for any group of people."""
    fewest, most = _silent(n)
    counts, followers = np.arange(breaking + 1), n - breaking
    of_breakers = np.diff(at_most(counts, breaking, sends_yes), prepend=0.0) if breaking else np.ones(1)
    probability = _reported(0, 0)
    below = at_most(fewest - 1 - counts, followers, probability)
    above = 1 - at_most(most - counts, followers, probability)
    return float(np.clip(of_breakers @ (below + above), 0, 1))


def _axis(title: str = "") -> Axis:
    return Axis(-0.5, 1, tuple(Tick(at / 100, tenths_of_100(at / 100)) for at in (-50, 0, 50, 100)), title)


def _curves(values: Values, numbers: Numbers, title: str) -> Chart:
    shares: Sequence[float] = numbers["shares"]
    expected, alarms = (list(zip(shares, numbers[name], strict=True)) for name in ("expected_curve", "alarm_curve"))
    # Beyond the axis nothing is drawn.
    reach = 2 * shares[-1]
    corners = [(0.0, _TRUE), (shares[-1], min(1.0, _TRUE + reach)), (shares[-1], max(-0.5, _TRUE - reach))]
    if _TRUE + reach > 1:
        corners.insert(1, ((1 - _TRUE) / 2, 1.0))
    if _TRUE - reach < -0.5:
        corners.append(((_TRUE + 0.5) / 2, -0.5))
    rows = tuple(
        (tenths_of_100(share), tenths_of_100(estimate), tenths_of_100(alarm))
        for share, estimate, alarm in zip(shares, numbers["expected_curve"], numbers["alarm_curve"], strict=True)
    )
    ticks = tuple(Tick(at / 100, str(at)) for at in range(0, _MOST + 1, 20))
    return CurveChart(
        name="breaking",
        title=title,
        table=Table(
            title, (_("People not following the instructions"), _("Average estimate"), _("Surveys with an alarm")), rows
        ),
        x_axis=Axis(0, _MOST / 100, ticks, _("people not following the instructions, of 100")),
        y_axis=_axis(_("of 100")),
        curves=(Curve(_("estimate"), expected), Curve(_("surveys with an alarm"), alarms, dash=1)),
        regions=(Region(_("range that forged reports can reach"), corners),),
        marks=(Mark(_("now"), x=float(values["share"] / 100)), Mark(_("true value"), y=_TRUE)),
    )


def _this_survey(numbers: Numbers, title: str) -> Chart:
    low, high = numbers["low"], numbers["high"]
    estimated = IntervalRow(
        _("this survey"),
        title,
        tenths_of_100(numbers["estimate"]),
        numbers["estimate"],
        low,
        high,
        truth=numbers["true_share"],
        limits=interval_cell(low, high),
    )
    band = interval_cell(numbers["band_low"], numbers["band_high"])
    forged = IntervalRow(
        _("if everyone followed the instructions"),
        band,
        "",
        None,
        numbers["band_low"],
        numbers["band_high"],
        limits=band,
    )
    rows = (
        (_("estimate"), estimated.value),
        (sure_words(_LEVEL), estimated.limits),
        (_("if everyone followed the instructions"), band),
        (_("true value"), tenths_of_100(numbers["true_share"])),
    )
    return IntervalChart(
        name="survey",
        title=title,
        text=f"{title}. {band}",
        table=Table(title, (_("Quantity"), _("Of 100")), rows),
        axis=_axis(),
        rows=(estimated, forged),
    )


PAGE = NotFollowing()
