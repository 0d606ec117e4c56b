"""How much one person can change a number: a quiz, answered by two neighbouring data sets that attain it."""

from fractions import Fraction

from django.utils.functional import Promise, lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Chart, IntervalChart, IntervalRow, Table, axis_around
from surveys.learn.forms import Pick
from surveys.learn.page import Chapter, LabPage, Numbers, SeededChance, Shown, Values
from surveys.numbers.words import decimal, localized
from surveys.privacy.adjacency import NeighbouringRelation, histogram_sensitivity
from surveys.privacy.mechanisms.total import BoundedTotal

_PEOPLE = 100
_OLDEST = 120
_MEAN_AGE = 40
_POSTCODES = 10_000
_GUESSES = ("1", "1.2", "2", "60", "120")
_RELATIONS = {
    "replace": NeighbouringRelation.REPLACE_ONE,
    "join": NeighbouringRelation.ADD_OR_REMOVE_ONE,
}
_localized = lazy(localized, str)


class SensitivityQuiz(LabPage):
    """Four statistics under two relations; two data sets show the answer."""

    place = 8
    chapter = Chapter.NOISE
    slug = "sensitivity"
    title = gettext_lazy("How much can one person change a number?")
    source = "Dwork, McSherry, Nissim & Smith 2006"
    controls = {
        "what": Pick(
            {
                "eyes": gettext_lazy("counts of eye colours"),
                "postcodes": gettext_lazy("counts of 10,000 postcodes"),
                "ages": gettext_lazy("the sum of ages, 0 to 120"),
                "mean": gettext_lazy("the average age of 100 people"),
            },
            initial="eyes",
            label=gettext_lazy("Published figures"),
        ),
        "relation": Pick(
            {"replace": gettext_lazy("is replaced by someone else"), "join": gettext_lazy("joins or leaves")},
            initial="replace",
            label=gettext_lazy("One person"),
        ),
        "guess": Pick(
            {guess: _localized(Fraction(guess)) for guess in _GUESSES},
            initial="1",
            label=gettext_lazy("Your guess"),
        ),
    }

    def numbers(self, values: Values, chance: SeededChance) -> Numbers:
        """Return the sensitivity, and two neighbours that are as far apart."""
        relation = _RELATIONS[values["relation"]]
        before, after = _neighbours(values["what"], replace=values["relation"] == "replace")
        return {
            "sensitivity": _sensitivity(values["what"], relation),
            "before": before,
            "after": after,
            "apart": sum(abs(new - old) for old, new in zip(before, after, strict=True)),
            "right": Fraction(values["guess"]) == _sensitivity(values["what"], relation),
        }

    def show(self, values: Values, numbers: Numbers) -> Shown:
        figures = {"size": localized(numbers["sensitivity"]), "guess": localized(Fraction(values["guess"]))}
        if numbers["right"]:
            title = _("Right: one person changes the figures by at most %(size)s") % figures
        else:
            title = _("Not %(guess)s: one person can change the figures by %(size)s") % figures
        sentence = str(_BECAUSE[values["what"], values["relation"]])
        return Shown(sentence, (_change(values, numbers, title),))


def _sensitivity(what: str, relation: NeighbouringRelation) -> Fraction:
    """Return how far apart neighbours can be, all changes together."""
    if what in {"eyes", "postcodes"}:
        return Fraction(histogram_sensitivity(relation, length=4 if what == "eyes" else _POSTCODES))
    ages = BoundedTotal(epsilon=Fraction(1), relation=relation, values=tuple(map(Fraction, range(_OLDEST + 1))))
    total = ages.sensitivity.value
    if what == "ages":
        return total
    # With n people and one more, the average moves by |age − average|/(n + 1): most where one person becomes two.
    return total / _PEOPLE if relation is NeighbouringRelation.REPLACE_ONE else total / 2


def _neighbours(what: str, *, replace: bool) -> tuple[list[Fraction], list[Fraction]]:
    """Return what is published of two neighbouring data sets that differ most."""
    moves = -1 if replace else 0
    pairs: dict[str, tuple[list[int], list[int]]] = {
        "eyes": ([5, 3, 1, 1], [5 + moves, 4, 1, 1]),
        "postcodes": ([1, 0], [1 + moves, 1]),
        # The others are 4,000 years old.
        "ages": ([_MEAN_AGE * _PEOPLE], [_MEAN_AGE * _PEOPLE + _OLDEST]),
        "mean": ([0], [_OLDEST // 2]),
    }
    if what == "mean" and replace:
        return [Fraction(_MEAN_AGE)], [_MEAN_AGE + Fraction(_OLDEST, _PEOPLE)]
    before, after = pairs[what]
    return list(map(Fraction, before)), list(map(Fraction, after))


_BECAUSE: dict[tuple[str, str], Promise] = {
    ("eyes", "replace"): gettext_lazy(
        "Someone with blue eyes replaces someone with brown eyes. One count falls by 1, and another "
        "rises by 1. The changes add up to 2."
    ),
    ("eyes", "join"): gettext_lazy("Someone with blue eyes joins: one count rises by 1, and no other count changes."),
    ("postcodes", "replace"): gettext_lazy(
        "Someone moves: one count falls and another rises. The number of other counts does not matter."
    ),
    ("postcodes", "join"): gettext_lazy("Someone in one postcode joins. The other 9,999 counts do not change."),
    ("ages", "replace"): gettext_lazy(
        "A newborn is replaced by someone aged 120. Without a maximum age there would be no limit."
    ),
    ("ages", "join"): gettext_lazy("Someone aged 120 joins. Without a maximum age there would be no limit."),
    ("mean", "replace"): gettext_lazy(
        "A newborn is replaced by someone aged 120, and 120/100 is 1.2. The more people, the smaller the change."
    ),
    ("mean", "join"): gettext_lazy(
        "Here 120/100 is not the limit. If people may join or leave, there need not be 100 of them. If someone "
        "aged 120 joins one newborn, the average rises from 0 to 60."
    ),
}


def _change(values: Values, numbers: Numbers, title: str) -> Chart:
    names = {
        "eyes": (_("brown"), _("blue"), _("green"), _("grey")),
        "postcodes": (_("old postcode"), _("new postcode")),
        "ages": (_("sum of ages"),),
        "mean": (_("average age"),),
    }[values["what"]]
    rows = []
    for name, old, new in zip(names, numbers["before"], numbers["after"], strict=True):
        moved = new - old
        change = ("+" if moved > 0 else "") + decimal(moved, 0 if moved.denominator == 1 else 1)
        limits = _("%(before)s → %(after)s") % {"before": localized(old), "after": localized(new)}
        rows.append(
            IntervalRow(
                name,
                f"{name}: {limits}",
                change,
                float(new),
                float(min(old, new)),
                float(max(old, new)),
                truth=float(old),
                limits=limits,
            )
        )
    ends = [float(number) for number in (*numbers["before"], *numbers["after"])]
    return IntervalChart(
        name="neighbours",
        title=title,
        table=Table(
            title,
            (_("Quantity"), _("Change"), _("Before → after")),
            tuple((row.label, row.value, row.limits) for row in rows),
        ),
        axis=axis_around([0, *ends] if values["what"] != "ages" else ends),
        rows=tuple(rows),
        interval_label=_("change, from the value before to the value after"),
        truth_label=_("before"),
    )


PAGE = SensitivityQuiz()
