"""What two counts give away that one does not: the answer of the person who came between them."""

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Bar, BarChart, Chart, CrowdChart, CrowdRow, Table, share_axis
from surveys.charts.crowds import Kind
from surveys.learn.forms import Pick, Slider
from surveys.learn.page import Chapter, LabPage, Numbers, SeededChance, Shown, Values
from surveys.numbers.words import charge, tenths_of_100, times, whole_number
from surveys.privacy.accounting.hypothesis_testing import posterior_bound
from surveys.privacy.designs import forced_response
from surveys.privacy.mechanisms.laplace import DiscreteLaplace
from surveys.privacy.randomness import draw_report

_PEOPLE, _YES, _BATCH = 100, 70, 10
_HALF = Fraction(1, 2)
_COINS = forced_response()
_bound = lru_cache(posterior_bound)
_BELIEVED = [_COINS.matrix[report][1] / sum(_COINS.matrix[report]) for report in (0, 1)]
_GUARDS: Mapping[str, Promise] = {
    "none": gettext_lazy("nothing"),
    "batches": gettext_lazy("batches"),
    "coins": gettext_lazy("coins"),
    "noise": gettext_lazy("noise"),
}
_SIGNAL: tuple[Kind, Kind] = ("yes", "no")
_CHANCE: tuple[Kind, Kind] = ("lit", "ring")


class Differencing(LabPage):
    """A class is counted, one more person answers, and it is counted again."""

    place = 17
    chapter = Chapter.ATTACKS
    slug = "differencing"
    title = gettext_lazy("What do two harmless counts reveal together?")
    source = "Denning, Denning & Schwartz 1979; Dwork, McSherry, Nissim & Smith 2006"
    controls = {
        "guard": Pick(_GUARDS, initial="none", label=gettext_lazy("Newcomer’s protection")),
        "answer": Pick(
            {"yes": gettext_lazy("Yes"), "no": gettext_lazy("No")},
            initial="yes",
            label=gettext_lazy("Newcomer’s answer"),
        ),
        "epsilon": Slider(
            "0.1", "3", step="0.1", initial="1", label=gettext_lazy("ε of the noise (a smaller value hides more)")
        ),
    }
    watched = "believed"
    aim = "answer"

    def numbers(self, values: Values, chance: SeededChance) -> Numbers:
        """Count before and after in every way; of each, how likely it makes the newcomer’s Yes that was an even bet.

        The observer knows how all the others are counted, but for noise: nobody can know more.
        """
        answer, noise = int(values["answer"] == "yes"), DiscreteLaplace(values["epsilon"], 1)
        report = draw_report(_COINS, answer, chance.randbelow)
        before, after = (noise.add_noise([count], chance.randbelow)[0] for count in (_YES, _YES + answer))
        counts = {
            "none": (_YES, _YES + answer),
            "batches": (_YES, _YES),
            "coins": (_YES, _YES + report),
            "noise": (before, after),
        }
        yes, no = (noise.probability(after - count) for count in (_YES + 1, _YES))
        beliefs: dict[str, Fraction | float] = {
            "none": answer,
            "batches": _HALF,
            "coins": _BELIEVED[report],
            "noise": yes / (yes + no),
        }
        return {
            "answer": answer,
            "counts": counts,
            "beliefs": beliefs,
            "believed": float(beliefs[values["guard"]]),
            "most_believed": _bound(_HALF, values["epsilon"]),
        }

    def show(self, values: Values, numbers: Numbers) -> Shown:
        """Draw both counts, and what each guard leaves of certainty."""
        guard = values["guard"]
        before, after = numbers["counts"][guard]
        most = max(_BELIEVED) if guard == "coins" else numbers["most_believed"]
        figures = {
            "before": whole_number(before),
            "after": whole_number(after),
            "most": tenths_of_100(most),
            "odds": times(Fraction(most) / (1 - Fraction(most))),
            "epsilon": charge(values["epsilon"]),
            "batch": whole_number(_BATCH),
        }
        title, sentence = _words(guard, yes=bool(numbers["answer"]))
        return Shown(sentence % figures, (_counts(guard, numbers, title % figures), _beliefs(numbers)))


def _words(guard: str, *, yes: bool) -> tuple[str, str]:
    if guard == "none":
        return (
            _("%(before)s becomes %(after)s, so the newcomer said Yes")
            if yes
            else _("The count stays at %(before)s with one more person in class, so the newcomer said No"),
            _("Each count alone identifies nobody. Together, the counts reveal one person’s answer."),
        )
    if guard == "batches":
        return _("%(before)s stays %(before)s, because nobody new is counted yet"), _(
            "New answers are counted %(batch)s at a time. Until a full batch has arrived, Yes and No are as "
            "likely as before."
        )
    if guard == "coins":
        return _("%(before)s becomes %(after)s, but the coins may explain the change"), _(
            "Only randomized reports are counted. Even for someone who knows all other answers, a probability "
            "of 50 in 100 for Yes rises to at most %(most)s. The odds change at most %(odds)s‑fold."
        )
    return _("%(before)s becomes %(after)s, but the noise may explain the change"), _(
        "Each count has its own noise at ε = %(epsilon)s. Even for someone who knows all other answers, a "
        "probability of 50 in 100 for Yes rises to at most %(most)s. The odds change at most %(odds)s‑fold."
    )


def _counts(guard: str, numbers: Numbers, title: str) -> Chart:
    people = (_PEOPLE, _PEOPLE + (guard != "batches"))
    names = (_("said Yes before"), _("said Yes after one more person joined"))
    yes, no = _CHANCE if guard in {"coins", "noise"} else _SIGNAL
    crowds, rows = [], []
    for count, of, name in zip(numbers["counts"][guard], people, names, strict=True):
        figures = {"count": whole_number(count), "people": whole_number(of)}
        dots: list[Kind] = [yes if place < count else no for place in range(of)]
        value = _("%(count)s of %(people)s") % figures
        crowds.append(CrowdRow(name, f"{name}: {value}", value, dots))
        rows.append((name, figures["count"], figures["people"]))
    return CrowdChart(
        name="counts",
        title=title,
        text="; ".join(crowd.says for crowd in crowds),
        table=Table(title, (_("When"), _("Yes"), _("People")), tuple(rows)),
        crowds=crowds,
        columns=12,
    )


def _beliefs(numbers: Numbers) -> Chart:
    title = _("Probability of the newcomer’s Yes after both counts, if it was 50 of 100 before")
    rows = [(str(_GUARDS[guard]), tenths_of_100(share), float(share)) for guard, share in numbers["beliefs"].items()]
    bars = [Bar(name, f"{name}: {value}", value, share) for name, value, share in rows]
    table = Table(title, (_("Protected by"), _("Of 100")), tuple(row[:2] for row in rows))
    return BarChart(
        name="beliefs",
        title=title,
        table=table,
        axis=share_axis(),
        bars=bars,
        share_label=_("probability of Yes afterwards, of 100"),
    )


PAGE = Differencing()
