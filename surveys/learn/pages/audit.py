"""What can be known of a mechanism by running it: a lower bound of its ε."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import inf, log

import numpy as np
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Axis, Bar, BarChart, Chart, IntervalChart, IntervalRow, Table, axis_around, share_axis
from surveys.estimation.intervals.binomial import clopper_pearson
from surveys.learn.forms import MechanismText, Pick, counted
from surveys.learn.page import Chapter, LabPage, Numbers, SeededChance, Shown, Values
from surveys.numbers.words import decimal, level_words, roughly_of_100, tenths_of_100, whole_number
from surveys.privacy.designs import forced_response
from surveys.privacy.mechanisms.laplace import DiscreteLaplace

_LEVEL = 0.999
# Of results that somebody prints the most telling is looked for: each may err so much more seldom, either way.
_LOOKED_AT = 2 * 12
_COINS = forced_response()
_MOST = 2.5
WRITTEN = "written"


@dataclass(frozen=True, slots=True)
class Audited:
    """A mechanism on two neighbours: how probable the event that tells most is on each, and what is promised."""

    label: Promise | str
    on_one: float
    on_other: float
    promised: float | None = None
    event: tuple[int, int, int] = (0, 0, 0)  # of a table: the output, and the two truths

    @property
    def epsilon(self) -> float | None:
        """What it really is: no other event, nor its opposite, is told apart better; None where it is infinite."""
        return log(self.on_one / self.on_other) if self.on_other else None


@lru_cache
def _of_table(rows: tuple[tuple[Fraction, ...], ...]) -> Audited:
    """Find the output and the two truths between which it tells most; of proofs, the most frequent."""
    truths = range(len(rows))
    _odds, on_one, output, one, other = max(
        (rows[one][output] / rows[other][output] if rows[other][output] else inf, rows[one][output], output, one, other)
        for output in range(len(rows[0]))
        for one in truths
        for other in truths
        if one != other and rows[one][output]
    )
    return Audited(_LABELS[WRITTEN], float(on_one), float(rows[other][output]), event=(output, one, other))


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


@lru_cache
def mechanisms() -> Mapping[str, Audited]:
    """Return what can be audited, by name."""

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
    WRITTEN: gettext_lazy("your own"),
}


class Audit(LabPage):
    """A mechanism is run many times on two neighbours, and its ε is bounded from below."""

    place = 22
    chapter = Chapter.ATTACKS
    slug = "audit"
    title = gettext_lazy("Does a mechanism keep the ε that it promises?")
    source = "Clopper & Pearson 1934; Ding, Wang, Wang, Zhang & Kifer 2018; Jagielski, Ullman & Oprea 2020"
    controls = {
        "mechanism": Pick(_LABELS, initial="bytes", label=gettext_lazy("Mechanism")),
        "runs": Pick(
            counted(100, 1000, 10_000, 100_000), initial="10000", label=gettext_lazy("Runs on each neighbour")
        ),
        "written": MechanismText(
            initial="3/4 1/4\n1/4 3/4",
            label=gettext_lazy("Your own mechanism"),
            help_text=gettext_lazy(
                "A line for each truth, with the probabilities of all outputs. Or two lines of what your program "
                "printed for two neighbours: yes no yes, or yes*750 no*250."
            ),
        ),
    }
    watched = "bound"
    aim = "epsilon"

    def numbers(self, values: Values, chance: SeededChance) -> Numbers:
        """Run it so often on each neighbour, and compare how often the event comes."""
        printed = _printed(values)
        if printed:
            return _of_printed(*(tuple(line.items()) for line in printed))
        audited, runs = _audited(values), int(values["runs"])
        counts = chance.generator.binomial(runs, [audited.on_one, audited.on_other])
        # Each limit errs with half of 1 − level, so one of them does with no more than 1 − level.
        low, high = clopper_pearson(counts, runs, _LEVEL)
        return {
            "counts": counts.tolist(),
            "runs": [runs, runs],
            "shares": (counts / runs).tolist(),
            "low": low.tolist(),
            "high": high.tolist(),
            "bound": _lower(low[0], high[1]),
            "level": _LEVEL,
            "on_one": audited.on_one,
            "on_other": audited.on_other,
            "promised": audited.promised,
            "epsilon": audited.epsilon,
            "event": audited.event,
        }

    def show(self, values: Values, numbers: Numbers) -> Shown:
        """Draw the bound beside what was promised, and the two shares that it is from."""
        said = {
            "bound": _downwards(numbers["bound"]),
            "promised": _epsilon(numbers["promised"]),
            "epsilon": _epsilon(numbers["epsilon"]),
            "one": tenths_of_100(numbers["shares"][0]),
            "other": tenths_of_100(numbers["shares"][1]),
            "runs": whole_number(numbers["runs"][0]),
        }
        title, sentence = _found(values, numbers)
        return Shown(sentence % said, (_bound(numbers, title % said, said), _shares(values, numbers)))

    def axis(self, values: Values) -> Axis:
        """Of ε."""
        numbers = self.numbers(values, SeededChance(values["seed"]))
        return axis_around([0, _most(numbers)])

    def write(self, number: float) -> str:
        """In nats, a bound downwards."""
        return decimal(number, 3)


def _printed(values: Values) -> tuple[dict[str, int], dict[str, int]] | None:
    """Return the two lines that somebody's own program printed, where that is what is audited."""
    written = values[WRITTEN]
    return written if values["mechanism"] == WRITTEN and isinstance(written[0], Mapping) else None


def _audited(values: Values) -> Audited:
    name = values["mechanism"]
    return _of_table(values[WRITTEN]) if name == WRITTEN else mechanisms()[name]


Line = tuple[tuple[str, int], ...]


@lru_cache
def _of_printed(one: Line, other: Line) -> Numbers:
    """Find the result that tells two lines apart most for sure; each is held against its part of the error."""
    lines = dict(one), dict(other)
    results = sorted({*lines[0], *lines[1]})
    level = 1 - (1 - _LEVEL) / _LOOKED_AT
    counts = [np.array([line.get(result, 0) for result in results]) for line in lines]
    limits = [clopper_pearson(count, int(count.sum()), level) for count in counts]
    bound, place, first = max(
        (_lower(limits[first][0][place], limits[1 - first][1][place]), place, first)
        for place in range(len(results))
        for first in (0, 1)
    )
    order = (first, 1 - first)
    return {
        "counts": [int(counts[line][place]) for line in order],
        "runs": [int(counts[line].sum()) for line in order],
        "shares": [float(counts[line][place] / counts[line].sum()) for line in order],
        "low": [float(limits[line][0][place]) for line in order],
        "high": [float(limits[line][1][place]) for line in order],
        "bound": bound,
        "level": level,
        "on_one": None,
        "on_other": None,
        "promised": None,
        "epsilon": None,
        "event": (results[place], first + 1, 2 - first),
    }


def _lower(low: float, high: float) -> float:
    return max(0.0, log(low / high)) if low > 0 else 0.0


def _found(values: Values, numbers: Numbers) -> tuple[str, str]:
    """Return the finding and what it means, to be filled in."""
    if numbers["on_one"] is None:
        return _("ε is at least %(bound)s"), _(
            "The result that differs most came %(one)s of 100 times for one neighbour and %(other)s for the other. "
            "Whatever your program is, in 999 of 1,000 such trials ε is at least so large."
        )
    if values["mechanism"] == WRITTEN:
        title = _("ε is %(epsilon)s, and these runs show %(bound)s of it")
        if numbers["epsilon"] is None:
            return title, _(
                "The same output came %(one)s of 100 times for one truth, and never comes for another: seen once, it "
                "is proof. No number of runs shows that."
            )
        return title, _(
            "The same output came %(one)s of 100 times for one truth and %(other)s for another. No output of this "
            "table tells more."
        )
    if numbers["bound"] > numbers["promised"]:
        return _("Caught: ε is at least %(bound)s, not %(promised)s"), _(
            "The same result came %(one)s and %(other)s of 100 times on two neighbours: too far apart."
        )
    return _("Not caught: ε is at least %(bound)s, and %(promised)s was promised"), _(
        "The same result came %(one)s and %(other)s of 100 times on two neighbours. That fits the promise; "
        "%(runs)s runs cannot prove it."
    )


def _most(numbers: Numbers) -> float:
    """Return how far an axis goes that has room for the bound, and for what is true."""
    return max(_MOST, 1.2 * float(numbers["bound"]), float(numbers["epsilon"] or 0))


def _downwards(bound: float) -> str:
    return decimal(int(bound * 100) / 100, 2)


def _epsilon(epsilon: float | None) -> str:
    return "∞" if epsilon is None else decimal(epsilon, 2)


def _bound(numbers: Numbers, title: str, said: dict[str, str]) -> Chart:
    known = [("promised", _("promised")), ("on_one", _("in truth"))]
    rows = (
        (_("at least, by these runs"), said["bound"]),
        *((label, said["epsilon" if name == "on_one" else name]) for name, label in known if numbers[name] is not None),
    )
    most = _most(numbers)
    row = IntervalRow(
        _("ε is at least"),
        title,
        said["bound"],
        None,
        numbers["bound"],
        # Nothing is known upwards.
        2 * most,
        truth=numbers["epsilon"],
    )
    return IntervalChart(
        name="bound",
        title=title,
        text=title,
        table=Table(title, ("ε", _("Value")), rows),
        axis=axis_around([0, most], title="ε"),
        rows=(row,),
        reference=numbers["promised"],
        interval_label=_("%(level)s sure") % {"level": level_words(_LEVEL)},
        reference_label=_("promised"),
        truth_label=_("in truth"),
    )


def _names(values: Values, numbers: Numbers) -> tuple[str, str]:
    """Return what was counted on either neighbour."""
    if values["mechanism"] in {"laplace", "halved"}:
        return _("70 or more, of 70"), _("70 or more, of 69")
    if values["mechanism"] != WRITTEN:
        return _("Yes, where it is true"), _("Yes, where it is not")
    event, *neighbours = numbers["event"]
    if numbers["on_one"] is None:
        one, other = (_("“%(result)s” in line %(line)s") % {"result": event, "line": line} for line in neighbours)
    else:
        said = {"output": whole_number(event + 1)}
        one, other = (
            _("output %(output)s in line %(line)s") % {**said, "line": whole_number(line + 1)} for line in neighbours
        )
    return one, other


def _shares(values: Values, numbers: Numbers) -> Chart:
    names = _names(values, numbers)
    title = _("How often the same result comes on two neighbours, of 100")
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
        text=title,
        table=Table(title, (_("Result"), _("Times"), _("Of 100"), _("at least"), _("at most")), rows),
        axis=share_axis(),
        bars=bars,
        share_label=_("share of the runs"),
    )


PAGE = Audit()
