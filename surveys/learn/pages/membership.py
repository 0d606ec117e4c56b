"""What averages of many traits give away: who was in the study."""

from fractions import Fraction
from functools import lru_cache
from math import inf

import numpy as np
import numpy.typing as npt
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Axis, Bar, BarChart, Chart, CrowdChart, CrowdRow, Table, axis_around, share_axis
from surveys.charts.crowds import Kind
from surveys.estimation.validation import Floats
from surveys.learn.forms import Pick, counted
from surveys.learn.page import Chapter, LabPage, Numbers, SeededChance, Shown, Values
from surveys.numbers.words import charge, hundredths, tenths_of_100, whole_number
from surveys.privacy.accounting.hypothesis_testing import best_advantage
from surveys.privacy.adjacency import Counted, NeighbouringRelation, histogram_sensitivity
from surveys.privacy.mechanisms.laplace import DiscreteLaplace

_TESTED = 50
_bound = lru_cache(best_advantage)
_LARGEST, _TRAITS = 1000, 500


@lru_cache
def _rates(traits: int) -> tuple[npt.NDArray[np.uint8], Floats]:
    """Return how many of 256 people have each trait, between 26 and 230, and its share; the same for everybody."""
    of_256 = SeededChance(_TRAITS).generator.integers(26, 231, size=traits).astype(np.uint8)
    return of_256, of_256 / 256


class MembershipInference(LabPage):
    """A study publishes averages, and somebody tests for each person whether they were in it."""

    place = 21
    chapter = Chapter.ATTACKS
    slug = "membership"
    title = gettext_lazy("Can averages reveal that you took part?")
    source = "Homer and others 2008; Dwork, Smith, Steinke, Ullman & Vadhan 2015; Kairouz, Oh & Viswanath 2015"
    controls = {
        "people": Pick(counted(_TESTED, 200, _LARGEST), initial="50", label=gettext_lazy("People in the study")),
        "traits": Pick(counted(10, 100, _TRAITS), initial=str(_TRAITS), label=gettext_lazy("Averages published")),
        "epsilon": Pick(
            {"none": gettext_lazy("none"), "3": "ε = 3", "1": "ε = 1"}, initial="none", label=gettext_lazy("Noise")
        ),
    }
    watched = "advantage"

    def numbers(self, values: Values, chance: SeededChance) -> Numbers:
        """Test fifty people of the study and fifty others by how near they are to its averages."""
        people, traits, generator = int(values["people"]), int(values["traits"]), chance.generator
        of_256, rates = _rates(traits)
        tested = generator.integers(256, size=(2 * _TESTED, traits), dtype=np.uint8) < of_256
        counts = tested[:_TESTED].sum(axis=0) + generator.binomial(people - _TESTED, rates)
        if values["epsilon"] != "none":
            changed = histogram_sensitivity(NeighbouringRelation.REPLACE_ONE, Counted.BITS, traits)
            noise = DiscreteLaplace(Fraction(values["epsilon"]), changed)
            counts = counts + chance.noise(noise, (traits,))
        away = counts / people - rates
        # Of somebody in the study this is Σ p(1 − p)/n on average, of anybody else 0: half of it is the cut.
        named = (tested @ away.astype(np.float32)) - rates @ away > (rates * (1 - rates)).sum() / people / 2
        hits, alarms = int(named[:_TESTED].sum()), int(named[_TESTED:].sum())
        epsilon = inf if values["epsilon"] == "none" else int(values["epsilon"])
        return {
            "named": named.tolist(),
            "hits": hits,
            "alarms": alarms,
            "advantage": (hits - alarms) / _TESTED,
            "allowed": 1.0 if epsilon == inf else _bound(epsilon),
        }

    def show(self, values: Values, numbers: Numbers) -> Shown:
        """Draw who is named, in the study and not, and what ε allows."""
        figures = {
            "hits": whole_number(numbers["hits"]),
            "alarms": whole_number(numbers["alarms"]),
            "tested": whole_number(_TESTED),
            "traits": whole_number(int(values["traits"])),
            "people": whole_number(int(values["people"])),
            "allowed": tenths_of_100(numbers["allowed"]),
        }
        title = _("The test flags %(hits)s of %(tested)s members and %(alarms)s of %(tested)s non-members") % figures
        if values["epsilon"] == "none":
            sentence = _(
                "Each of %(traits)s exact averages of %(people)s people is slightly closer to the traits of "
                "everyone in the study. Anyone who knows a person’s traits can add up these small differences."
            )
        else:
            sentence = _(
                "All %(traits)s averages share %(epsilon)s. On average, any test flags at most %(allowed)s "
                "more of 100 members than of 100 non-members."
            )
            figures["epsilon"] = "ε = " + charge(int(values["epsilon"]))
        return Shown(sentence % figures, (_people(numbers, title), _advantage(numbers)))

    def axis(self, values: Values) -> Axis:
        """Differences of two shares."""
        return axis_around([-0.5, 1], write=hundredths)


def _people(numbers: Numbers, title: str) -> Chart:
    crowds, rows = [], []
    for name, named in ((_("members flagged"), numbers["hits"]), (_("non-members flagged"), numbers["alarms"])):
        value = _("%(named)s of %(tested)s") % {"named": whole_number(named), "tested": whole_number(_TESTED)}
        dots: list[Kind] = ["yes" if place < named else "no" for place in range(_TESTED)]
        crowds.append(CrowdRow(name, f"{name}: {value}", value, dots))
        rows.append((name, whole_number(named), whole_number(_TESTED)))
    return CrowdChart(
        name="people",
        title=title,
        table=Table(title, (_("Group"), _("Flagged"), _("Tested")), tuple(rows)),
        crowds=crowds,
    )


def _advantage(numbers: Numbers) -> Chart:
    title = _("Members flagged minus non-members flagged, of 100")
    rows = (
        (_("by this test"), tenths_of_100(numbers["advantage"]), max(0.0, numbers["advantage"])),
        (_("at most, by any test"), tenths_of_100(numbers["allowed"]), numbers["allowed"]),
    )
    return BarChart(
        name="advantage",
        title=title,
        table=Table(title, (_("Test"), _("Of 100")), tuple(row[:2] for row in rows)),
        axis=share_axis(),
        bars=[Bar(name, f"{name}: {value}", value, share) for name, value, share in rows],
        share_label=_("members flagged minus non-members flagged, of 100"),
    )


PAGE = MembershipInference()
