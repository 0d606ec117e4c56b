"""Why noise on the best price, the most common answer or a median is the wrong noise: choose by score instead."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from statistics import fmean

from django.utils.dates import WEEKDAYS
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Axis, Bar, BarChart, Table, share_axis
from surveys.learn.forms import Pick, counted
from surveys.learn.page import Chapter, LabPage, Numbers, SeededChance, Shown, Values
from surveys.numbers.words import decimal, tenths_of_100, whole_number
from surveys.privacy.adjacency import NeighbouringRelation
from surveys.privacy.designs import direct
from surveys.privacy.mechanisms.choice import Choice
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from surveys.privacy.mechanisms.most_common import MostCommon
from surveys.privacy.mechanisms.price import BestPrice
from surveys.privacy.mechanisms.quantile import Quantile, QuantileScore

_EPSILON = Fraction(1)
_PRICES = tuple(Fraction(cents, 100) for cents in (50, 100, 101, 200, 300, 301, 302))
_REPLACE_ONE = NeighbouringRelation.REPLACE_ONE


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is best for a group, of every four people so many for each candidate."""

    choice: Choice[Fraction] | Choice[int]
    of_four: tuple[int, ...]
    written: Callable[[int], str | Promise]
    worth: Callable[[Fraction, int], Fraction]
    """From a score and how many people there are to a share of the best possible."""


_WANTED = {
    "price": Wanted(
        BestPrice(epsilon=_EPSILON, relation=_REPLACE_ONE, design=direct(len(_PRICES)), prices=_PRICES),
        (0, 3, 0, 0, 0, 1, 0),
        lambda place: decimal(_PRICES[place], 2),
        lambda revenue, people: revenue / people,
    ),
    "day": Wanted(
        MostCommon(epsilon=_EPSILON, relation=_REPLACE_ONE, design=direct(5)),
        (0, 2, 0, 1, 1),
        lambda place: WEEKDAYS[place],
        lambda votes, people: 2 * votes / people,
    ),
    "median": Wanted(
        Quantile(
            epsilon=_EPSILON,
            relation=_REPLACE_ONE,
            design=direct(6),
            share=Fraction(1, 2),
            score=QuantileScore.DISTANCE,
        ),
        (0, 1, 2, 0, 0, 1),
        whole_number,
        lambda distance, people: 1 + 2 * distance / people,
    ),
}


class Auction(LabPage):
    """A best answer, published with noise on it or chosen by the exponential mechanism."""

    place = 10
    chapter = Chapter.NOISE
    slug = "auction"
    title = gettext_lazy("Why not just add noise to the best price?")
    source = "McSherry & Talwar 2007"
    controls = {
        "what": Pick(
            {
                "price": gettext_lazy("price that earns the most"),
                "day": gettext_lazy("day that suits the most people"),
                "median": gettext_lazy("median number of hours"),
            },
            initial="price",
            label=gettext_lazy("Goal"),
        ),
        "how": Pick(
            {"noise": gettext_lazy("noise on the answer"), "choice": gettext_lazy("random choice by score")},
            initial="noise",
            label=gettext_lazy("Protected by"),
        ),
        "people": Pick(counted(4, 40, 400), initial="400", label=gettext_lazy("People")),
    }
    watched = "worth_drawn"

    def numbers(self, values: Values, chance: SeededChance) -> Numbers:
        """Publish an answer by the product's own mechanisms, and compute how likely every answer was."""
        what, people = values["what"], int(values["people"])
        worths, by_noise, by_choice = _worths_and_chances(what, people)
        wanted, best = _WANTED[what], worths.index(max(worths))
        if values["how"] == "noise":
            drawn = min(max(0, best + _noise(what).sample(chance.randbelow)), len(worths) - 1)
        else:
            drawn = wanted.choice.selection.choose(_scores(what, people), chance.randbelow)
        return {
            "worths": worths,
            "chances": by_noise if values["how"] == "noise" else by_choice,
            "drawn": drawn,
            "worth_drawn": worths[drawn],
            "by_noise": _expected(worths, by_noise),
            "by_choice": _expected(worths, by_choice),
        }

    def show(self, values: Values, numbers: Numbers) -> Shown:
        """Draw how good each answer is, and how likely."""
        figures = {
            "drawn": _WANTED[values["what"]].written(numbers["drawn"]),
            "worth": tenths_of_100(numbers["worth_drawn"]),
            "kept": tenths_of_100(numbers["by_noise" if values["how"] == "noise" else "by_choice"]),
        }
        title = (
            _("If the best answer is worth 100, an answer with noise is worth about %(kept)s on average")
            if values["how"] == "noise"
            else _("If the best answer is worth 100, an answer chosen by score is worth about %(kept)s on average")
        ) % figures
        sentence = _("This time the answer is %(drawn)s, worth %(worth)s if the best answer is worth 100.") % figures
        return Shown(f"{sentence} {_otherwise(values)}", (_picture(values, numbers, title),))

    def result(self, values: Values) -> tuple[Numbers, Shown]:
        """Of many draws, say what they keep on average."""
        numbers, shown = super().result(values)
        if values["times"] == 1:
            return numbers, shown
        figures = {"times": values["times"], "mean": tenths_of_100(fmean(numbers["draws"]))}
        title = _("If the best answer is worth 100, the average of %(times)s draws is worth %(mean)s") % figures
        return numbers, Shown(_otherwise(values), (replace(shown.charts[0], title=title),))

    def axis(self, values: Values) -> Axis:
        return share_axis(_("worth, if the best answer is worth 100"))


@lru_cache
def _scores(what: str, people: int) -> tuple[Fraction, ...]:
    wanted = _WANTED[what]
    return wanted.choice.scores([people // 4 * each for each in wanted.of_four])


def _noise(what: str) -> DiscreteLaplace:
    # One person can move the best answer from one end of the list to the other.
    return DiscreteLaplace(_EPSILON, len(_WANTED[what].of_four) - 1)


@lru_cache
def _worths_and_chances(what: str, people: int) -> tuple[list[Fraction], list[float], list[float]]:
    wanted, scores, noise = _WANTED[what], _scores(what, people), _noise(what)
    worths = [wanted.worth(score, people) for score in scores]
    best, last = worths.index(max(worths)), len(worths) - 1
    by_noise = [noise.probability_of_kept(place, best, last) for place in range(last + 1)]
    return worths, by_noise, list(wanted.choice.selection.probabilities(scores))


def _expected(worths: Sequence[Fraction], chances: Sequence[float]) -> float:
    return sum(float(worth) * chance for worth, chance in zip(worths, chances, strict=True))


def _otherwise(values: Values) -> str:
    """Return what the other way keeps."""
    worths, by_noise, by_choice = _worths_and_chances(values["what"], int(values["people"]))
    if values["how"] == "noise":
        kept = tenths_of_100(_expected(worths, by_choice))
        return _("With the same ε, an answer chosen by score is worth about %(kept)s on average.") % {"kept": kept}
    kept = tenths_of_100(_expected(worths, by_noise))
    return _("With the same ε, an answer with noise is worth about %(kept)s on average.") % {"kept": kept}


def _picture(values: Values, numbers: Numbers, title: str) -> BarChart:
    labels = [str(_WANTED[values["what"]].written(place)) for place in range(len(numbers["worths"]))]
    rows = [
        (label, tenths_of_100(worth), tenths_of_100(chance))
        for label, worth, chance in zip(labels, numbers["worths"], numbers["chances"], strict=True)
    ]
    bars = [
        Bar(
            label,
            _("%(label)s: worth %(worth)s of 100, drawn in %(chance)s of 100 draws")
            % {"label": label, "worth": worth, "chance": chance},
            worth,
            float(numbers["worths"][place]),
            raw=numbers["chances"][place],
            limits=_("drawn") if place == numbers["drawn"] else "",
        )
        for place, (label, worth, chance) in enumerate(rows)
    ]
    return BarChart(
        name="answers",
        title=title,
        table=Table(title, (_("Answer"), _("Worth, of 100"), _("Drawn, of 100")), tuple(rows)),
        axis=share_axis(),
        bars=bars,
        share_label=_("worth (the best answer: 100)"),
        raw_label=_("times drawn, of 100"),
    )


PAGE = Auction()
