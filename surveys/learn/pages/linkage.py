"""What a table without names gives away: the people who are alone in it with what others know."""

from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Bar, BarChart, Chart, CrowdChart, CrowdRow, Table, share_axis
from surveys.charts.crowds import Kind
from surveys.estimation.validation import Floats
from surveys.learn.forms import Pick, counted
from surveys.learn.page import Chapter, LabPage, Numbers, SeededChance, Shown, Values
from surveys.numbers.words import of_100, times, whole_number
from surveys.privacy.designs import forced_response

# A town of twenty postcodes, the largest twenty times as large as the smallest.
_POSTCODES = np.arange(1, 21) / 210
# What is known besides the postcode, and how many values all of that can have.
_KNOWN = {
    "postcode": (gettext_lazy("postcode"), 1),
    "year": (gettext_lazy("+ year of birth"), 60),
    "sex": (gettext_lazy("+ sex"), 60 * 2),
    "day": (gettext_lazy("+ birthday"), 60 * 2 * 365),
}
_WELL_PAID = 0.3


class Linkage(LabPage):
    """A table of salaries without names, and somebody who knows a few facts of everybody."""

    place = 19
    chapter = Chapter.ATTACKS
    slug = "linkage"
    title = gettext_lazy("Who are you in a table without names?")
    source = "Sweeney 2000; Golle 2006; Barbaro & Zeller 2006 (AOL); Narayanan & Shmatikov 2008 (Netflix)"
    controls = {
        "known": Pick(
            {name: label for name, (label, _values) in _KNOWN.items()},
            initial="sex",
            label=gettext_lazy("Known about you"),
        ),
        "people": Pick(counted(100, 300, 1000), initial="1000", label=gettext_lazy("People in the table")),
        "salary": Pick(
            {"plain": gettext_lazy("as it is"), "chance": gettext_lazy("a randomized report")},
            initial="plain",
            label=gettext_lazy("Salary"),
        ),
    }
    watched = "alone_share"
    aim = "expected"

    def numbers(self, values: Values, chance: SeededChance) -> Numbers:
        """Draw the people of a town, and see who shares what is known with nobody."""
        people, inner, generator = int(values["people"]), _KNOWN[values["known"]][1], chance.generator
        place = np.searchsorted(_POSTCODES.cumsum()[:-1], generator.random(people), side="right")
        _rows, group, size = np.unique(
            place * inner + generator.integers(inner, size=people), return_inverse=True, return_counts=True
        )
        alone: npt.NDArray[np.bool_] = size[group] == 1
        numbers = {"alone_share": float(alone.mean()), "expected": float(_expected(people)[values["known"]])}
        if values["times"] > 1:
            return numbers
        paid = (generator.random(people) < _WELL_PAID).astype(np.int64)
        design = forced_response()
        reports = chance.reports(design, paid.tolist())
        return numbers | {
            "alone": alone.tolist(),
            "reports": reports.tolist(),
            "found": int(alone.sum()),
            "expected_by_known": _expected(people),
            "odds": max(design.odds),
        }

    def show(self, values: Values, numbers: Numbers) -> Shown:
        """Draw who is alone, and how many are with more or less known."""
        figures = {
            "found": whole_number(numbers["found"]),
            "people": whole_number(len(numbers["alone"])),
            "odds": times(numbers["odds"]),
        }
        if not numbers["found"]:
            title = _("Nobody is unique in the table")
            sentence = _(
                "Several of these %(people)s people fit all that is known, so no row can be identified as yours."
            )
        elif values["salary"] == "plain":
            title = _("People who are unique in the table: %(found)s of %(people)s")
            sentence = _(
                "Anyone who knows these facts about one of these people finds the only matching row and reads "
                "the salary there. No name was needed."
            )
        else:
            title = _("Rows found: %(found)s, but no row proves a salary")
            sentence = _(
                "The row says only “well paid” or not, randomized with two coins. This report changes anyone’s "
                "odds about the salary at most %(odds)s‑fold, no matter who finds the row."
            )
        return Shown(sentence % figures, (_people(values, numbers, title % figures), _by_known(numbers)))


@lru_cache
def _expected(people: int) -> dict[str, float]:
    """Return the share that is expected to be alone, by what is known: Σ p(1 − p)^(n−1) over all values it can have."""

    def share(cells: Floats, inner: int) -> float:
        return float(inner * (cells * (1 - cells) ** (people - 1)).sum())

    return {name: share(_POSTCODES / inner, inner) for name, (_label, inner) in _KNOWN.items()}


def _people(values: Values, numbers: Numbers, title: str) -> Chart:
    plain, alone, reports = values["salary"] == "plain", numbers["alone"], numbers["reports"]
    figures = {"found": whole_number(numbers["found"]), "people": whole_number(len(alone))}
    rows = [
        (_("unique"), figures["found"]),
        (_("not unique"), whole_number(len(alone) - numbers["found"])),
    ]
    if not plain:
        paid = sum(report for one, report in zip(alone, reports, strict=True) if one)
        rows += [(_("unique, and the report says “well paid”"), whole_number(paid))]
    # Who is found stands first.
    order = sorted(zip(alone, reports, strict=True), reverse=True)
    dots: list[Kind] = [
        "empty" if not one else "yes" if plain else "lit" if report else "ring" for one, report in order
    ]
    words = _("People who are unique in the table: %(found)s of %(people)s") % figures
    return CrowdChart(
        name="people",
        title=title,
        text=words,
        table=Table(words, (_("Group"), _("People")), tuple(rows)),
        crowds=(CrowdRow(_("people found"), words, _("%(found)s of %(people)s") % figures, dots),),
        columns=10 if len(dots) <= 100 else 40,
    )


def _by_known(numbers: Numbers) -> Chart:
    title = _("Unique people, of 100, by the facts known about them")
    rows = [
        (str(_KNOWN[name][0]), of_100(Fraction(share)), share) for name, share in numbers["expected_by_known"].items()
    ]
    return BarChart(
        name="known",
        title=title,
        table=Table(title, (_("Known"), _("Of 100")), tuple(row[:2] for row in rows)),
        axis=share_axis(),
        bars=[Bar(name, f"{name}: {value}", value, share) for name, value, share in rows],
        share_label=_("unique people, of 100"),
    )


PAGE = Linkage()
