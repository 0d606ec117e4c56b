"""What can be known of a mechanism by running it: a lower bound of its ε."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import log

import numpy as np
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Axis, Bar, BarChart, Chart, IntervalChart, IntervalRow, Table, axis_around, share_axis
from surveys.estimation.intervals.binomial import clopper_pearson
from surveys.learn.forms import Pick, counted
from surveys.learn.page import Chapter, LabPage, Numbers, SeededChance, Shown, Values
from surveys.numbers.words import decimal, level_words, roughly_of_100, tenths_of_100, whole_number
from surveys.privacy.designs import forced_response
from surveys.privacy.mechanisms.laplace import DiscreteLaplace

_LEVEL = 0.999
_COINS = forced_response()
_MOST = 2.5


@dataclass(frozen=True, slots=True)
class Audited:
    """A mechanism on two neighbours: how probable the most revealing event is on each, and what is promised."""

    label: Promise | str
    on_one: float
    on_other: float
    promised: float

    @property
    def epsilon(self) -> float:
        """What it really is: no other event, nor its opposite, distinguishes them better."""
        return log(self.on_one / self.on_other)


def _by_bytes(truth: int) -> float:
    """Return how probable Yes is where a byte modulo 100 below 75 lets the true answer through, by all 256 bytes."""
    through = sum(byte % 100 < 75 for byte in range(256))
    return (through if truth else 256 - through) / 256


def _forgetful(truth: int) -> float:
    """Return how probable Yes is where one phone in ten forgets to flip."""
    return float(Fraction(9, 10) * _COINS.matrix[1][truth] + Fraction(truth, 10))


def _laplace(label: Promise | str, epsilon: int) -> Audited:
    """Return a count of 70 or 69 with noise, and whether it is 70 or more."""
    noise = DiscreteLaplace(Fraction(epsilon), 1)
    on_one, on_other = noise.at_least(np.array([0, 1])).tolist()
    return Audited(label, on_one, on_other, 1.0)


@cache
def mechanisms() -> Mapping[str, Audited]:
    def of_answers(label: Promise | str, yes: Callable[[int], float]) -> Audited:
        return Audited(label, yes(1), yes(0), _COINS.epsilon)

    return {
        "coins": of_answers(_LABELS["coins"], lambda truth: float(_COINS.matrix[1][truth])),
        "bytes": of_answers(_LABELS["bytes"], _by_bytes),
        "forgetful": of_answers(_LABELS["forgetful"], _forgetful),
        "laplace": _laplace(_LABELS["laplace"], 1),
        "halved": _laplace(_LABELS["halved"], 2),
    }


_LABELS: Mapping[str, Promise | str] = {
    "coins": gettext_lazy("two coins"),
    "bytes": "byte % 100 < 75",
    "forgetful": gettext_lazy("forgets 1 flip in 10"),
    "laplace": gettext_lazy("noise"),
    "halved": gettext_lazy("half the noise"),
}


class Audit(LabPage):
    """A mechanism is run many times on two neighbours, and its ε is bounded from below."""

    place = 22
    chapter = Chapter.ATTACKS
    slug = "audit"
    title = gettext_lazy("Does a mechanism keep the ε it promises?")
    source = "Clopper & Pearson 1934; Ding, Wang, Wang, Zhang & Kifer 2018; Jagielski, Ullman & Oprea 2020"
    controls = {
        "mechanism": Pick(_LABELS, initial="bytes", label=gettext_lazy("Mechanism")),
        "runs": Pick(counted(100, 1000, 10_000, 100_000), initial="10000", label=gettext_lazy("Runs on each data set")),
    }
    watched = "bound"
    aim = "epsilon"

    def numbers(self, values: Values, chance: SeededChance) -> Numbers:
        """Run it so often on each neighbour, and compare how often the event comes."""
        audited, runs = mechanisms()[values["mechanism"]], int(values["runs"])
        counts = chance.generator.binomial(runs, [audited.on_one, audited.on_other])
        # Each limit errs with half of 1 − level, so one of them does with no more than 1 − level.
        low, high = clopper_pearson(counts, runs, _LEVEL)
        return {
            "counts": counts.tolist(),
            "shares": (counts / runs).tolist(),
            "low": low.tolist(),
            "high": high.tolist(),
            "bound": max(0.0, log(low[0] / high[1])) if low[0] > 0 else 0.0,
            "level": _LEVEL,
            "on_one": audited.on_one,
            "on_other": audited.on_other,
            "promised": audited.promised,
            "epsilon": audited.epsilon,
        }

    def show(self, values: Values, numbers: Numbers) -> Shown:
        """Draw the bound beside what was promised, and the two shares that it is from."""
        figures = {
            "bound": _downwards(numbers["bound"]),
            "promised": decimal(numbers["promised"], 2),
            "epsilon": decimal(numbers["epsilon"], 2),
            "one": tenths_of_100(numbers["shares"][0]),
            "other": tenths_of_100(numbers["shares"][1]),
            "runs": whole_number(int(values["runs"])),
        }
        if numbers["bound"] > numbers["promised"]:
            title = _("Caught: ε is at least %(bound)s, not the promised %(promised)s")
            sentence = _(
                "On two neighbouring data sets, the same result came up in %(one)s and %(other)s of 100 runs. "
                "These frequencies do not fit the promise."
            )
        else:
            title = _("Not caught: ε is at least %(bound)s, which fits the promised %(promised)s")
            sentence = _(
                "On two neighbouring data sets, the same result came up in %(one)s and %(other)s of 100 runs. "
                "These frequencies fit the promise, but %(runs)s runs cannot prove it."
            )
        return Shown(sentence % figures, (_bound(numbers, title % figures, figures), _shares(values, numbers)))

    def axis(self, values: Values) -> Axis:
        return axis_around([0, _MOST])

    def write(self, number: float) -> str:
        return decimal(number, 3)


def _downwards(bound: float) -> str:
    return decimal(int(bound * 100) / 100, 2)


def _bound(numbers: Numbers, title: str, figures: dict[str, str]) -> Chart:
    rows = (
        (_("lower bound from these runs"), figures["bound"]),
        (_("promised"), figures["promised"]),
        (_("true value"), figures["epsilon"]),
    )
    row = IntervalRow(
        _("lower bound of ε"),
        title,
        figures["bound"],
        None,
        numbers["bound"],
        # Nothing is known upwards.
        2 * _MOST,
        truth=numbers["epsilon"],
    )
    return IntervalChart(
        name="bound",
        title=title,
        table=Table(title, ("ε", _("Value")), rows),
        axis=axis_around([0, _MOST], title="ε"),
        rows=(row,),
        reference=numbers["promised"],
        interval_label=_("%(level)s confidence") % {"level": level_words(_LEVEL)},
        reference_label=_("promised"),
        truth_label=_("true value"),
    )


def _shares(values: Values, numbers: Numbers) -> Chart:
    names = (
        (_("70 or more, if the count is 70"), _("70 or more, if the count is 69"))
        if values["mechanism"] in {"laplace", "halved"}
        else (_("Yes, if the true answer is Yes"), _("Yes, if the true answer is No"))
    )
    title = _("Frequency of this result on each of two neighbouring data sets, of 100 runs")
    bars = [
        Bar(name, f"{name}: {roughly_of_100(share)}", roughly_of_100(share), share, low, high)
        for name, share, low, high in zip(names, numbers["shares"], numbers["low"], numbers["high"], strict=True)
    ]
    rows = tuple(
        (name, whole_number(number), tenths_of_100(share), tenths_of_100(low), tenths_of_100(high))
        for name, number, share, low, high in zip(
            names, numbers["counts"], numbers["shares"], numbers["low"], numbers["high"], strict=True
        )
    )
    return BarChart(
        name="shares",
        title=title,
        table=Table(title, (_("Result"), _("Count"), _("Of 100"), _("at least"), _("at most")), rows),
        axis=share_axis(),
        bars=bars,
        share_label=_("share of the runs"),
    )


PAGE = Audit()
