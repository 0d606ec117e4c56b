"""What privacy does not promise: what is learnt with or without you; and four promises that do not hold."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Chart, CrowdChart, CrowdRow, Table
from surveys.charts.crowds import Kind
from surveys.learn.forms import Pick
from surveys.learn.page import Chapter, LabPage, Numbers, SeededChance, Shown, Values
from surveys.numbers.words import decimal, people_of_100, tenths_of_100, whole_number

_PEOPLE = 1000
_SMOKERS = 0.3
# Of all men (in Canada), how many get lung cancer in their lives: smokers, and those who never smoked regularly.
_RISK, _RISK_OF_OTHERS = 0.172, 0.013
# What anybody may know of a neighbour: years of birth, postcodes, sexes.
_KNOWN = (60, 40, 2)
_ALIKE = 5
_COLUMNS = 40


class Smoking(LabPage):
    """One picture for each promise; you are the last dot, and you smoke."""

    place = 4
    chapter = Chapter.HIDING
    slug = "smoking"
    title = gettext_lazy("If a study finds that smoking kills, does it harm a smoker’s privacy?")
    source = (
        "Dwork & Naor 2010; Sweeney 2002; Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam 2007; risks: "
        "Villeneuve & Mao 1994 (men in Canada)"
    )
    controls = {
        "promise": Pick(
            {
                "learning": gettext_lazy("Nobody learns anything about you"),
                "names": gettext_lazy("Names are removed"),
                "totals": gettext_lazy("Only totals are published"),
                "alike": gettext_lazy("Five people always look alike"),
            },
            initial="learning",
            label=gettext_lazy("Promise"),
        ),
        "you": Pick(
            {"in": gettext_lazy("take part"), "out": gettext_lazy("stay away")},
            initial="in",
            label=gettext_lazy("You"),
        ),
    }
    watched = "found"

    def numbers(self, values: Values, chance: SeededChance) -> Numbers:
        """Draw 1,000 people, and break the promise on them."""
        smoke = chance.generator.random(_PEOPLE) < _SMOKERS
        smoke[-1] = True
        if values["you"] == "out":
            smoke = smoke[:-1]
        numbers: Numbers = {"people": len(smoke), "smokers": int(smoke.sum())}
        return numbers | _BROKEN[values["promise"]](smoke, chance)

    def show(self, values: Values, numbers: Numbers) -> Shown:
        """Draw those about whom something is found."""
        title, sentence = _WORDS[values["promise"]](values, numbers)
        return Shown(sentence, (_crowd(title, values, numbers),))

    def result(self, values: Values) -> tuple[Numbers, Shown]:
        """Publish totals once: what follows from them never varies."""
        return super().result({**values, "times": 1} if values["promise"] == "totals" else values)


def _learn_the_risk(smoke: Any, chance: SeededChance) -> Numbers:  # noqa: ANN401 - an array of truth values
    ill = chance.generator.random(len(smoke)) < np.where(smoke, _RISK, _RISK_OF_OTHERS)
    risk = float(ill[smoke].mean())
    return {
        "found": risk,
        "of_others": float(ill[~smoke].mean()),
        "of_all": float(ill.mean()),
        # Whatever the last one says, or had said.
        "moves": max(abs(risk - float(ill[smoke][:-1].mean())), 1 / (int(smoke.sum()) + 1)),
        "shown": [int(ill[smoke].sum()), int(smoke.sum())],
    }


def _find_by_facts(smoke: Any, chance: SeededChance) -> Numbers:  # noqa: ANN401
    facts = np.ravel_multi_index([chance.generator.integers(many, size=_PEOPLE) for many in _KNOWN], _KNOWN)
    facts = facts[: len(smoke)]
    alone = int((np.bincount(facts) == 1).sum())
    return {"found": alone / len(smoke), "shown": [alone, len(smoke)]}


def _subtract_totals(smoke: Any, _chance: SeededChance) -> Numbers:  # noqa: ANN401
    # Everybody, and everybody but you.
    total, without = int(smoke.sum()), int(smoke[: _PEOPLE - 1].sum())
    return {"found": float(len(smoke) == _PEOPLE), "total": total, "without": without, "shown": [total, len(smoke)]}


def _find_groups_of_one_kind(smoke: Any, _chance: SeededChance) -> Numbers:  # noqa: ANN401
    groups = smoke[: len(smoke) // _ALIKE * _ALIKE].reshape(-1, _ALIKE)
    same = groups.all(axis=1) | ~groups.any(axis=1)
    return {"found": float(same.mean()), "groups": same.tolist(), "shown": [int(same.sum()) * _ALIKE, groups.size]}


_BROKEN = {
    "learning": _learn_the_risk,
    "names": _find_by_facts,
    "totals": _subtract_totals,
    "alike": _find_groups_of_one_kind,
}


def _say_the_risk(values: Values, numbers: Numbers) -> tuple[str, str]:
    figures = {
        "risk": people_of_100(numbers["found"]),
        "before": people_of_100(numbers["of_all"]),
        "moves": decimal(100 * numbers["moves"], 1),
    }
    title = _("Of 100 smokers, %(risk)s fall ill, with or without you") % figures
    sentence = _(
        "Anyone who knows that you smoke now expects a risk of %(risk)s of 100 for you, not %(before)s. Your "
        "own answer changes that risk by at most %(moves)s, so the others’ answers revealed the risk."
    )
    return title, sentence % figures


def _say_the_names(values: Values, numbers: Numbers) -> tuple[str, str]:
    known, people = numbers["shown"]
    title = _("Even without names, %(share)s of 100 people can be found") % {"share": people_of_100(numbers["found"])}
    sentence = _(
        "%(found)s of %(people)s people are the only ones with their year of birth, postcode and sex. Anyone "
        "who knows these three facts about one of them finds that person’s row and reads the rest."
    )
    return title, sentence % {"found": whole_number(known), "people": whole_number(people)}


def _say_the_difference(values: Values, numbers: Numbers) -> tuple[str, str]:
    figures = {"total": whole_number(numbers["total"]), "without": whole_number(numbers["without"])}
    if values["you"] == "out":
        title = _("%(total)s smoke, with or without you, because you are not counted") % figures
        return title, _("You stayed away, so both totals count the same people, and their difference reveals nothing.")
    title = _("%(total)s smoke, but only %(without)s without you, so you smoke") % figures
    return title, _("Each total hides everyone. The difference between the totals is one person’s answer: yours.")


def _say_the_groups(values: Values, numbers: Numbers) -> tuple[str, str]:
    known, people = (whole_number(number) for number in numbers["shown"])
    title = _("The answers of %(found)s people in groups of five are known") % {"found": known}
    sentence = _(
        "Nobody can be distinguished from four others. But where all five say the same, everyone’s answer is "
        "known anyway. This is so for %(found)s of %(people)s people here."
    )
    return title, sentence % {"found": known, "people": people}


_WORDS = {
    "learning": _say_the_risk,
    "names": _say_the_names,
    "totals": _say_the_difference,
    "alike": _say_the_groups,
}


def _crowd(title: str, values: Values, numbers: Numbers) -> Chart:
    filled, many = numbers["shown"]
    counts: Mapping[str, str] = {"found": whole_number(filled), "many": whole_number(many)}
    shown = [place < filled for place in range(many)]
    if values["promise"] == "alike":
        shown = [same for same in numbers["groups"] for _ in range(_ALIKE)]
    dots: list[Kind] = ["yes" if lit else "empty" for lit in shown]
    label = {
        "learning": _("smokers who fell ill"),
        "names": _("people with a unique set of facts"),
        "totals": _("people who smoke (published total)"),
        "alike": _("people in a group of five with the same answer"),
    }[values["promise"]]
    value = _("%(found)s of %(many)s") % counts
    rows = [(label, value)]
    if values["promise"] == "learning":
        rows += [
            (_("fell ill, of 100 smokers"), tenths_of_100(numbers["found"])),
            (_("fell ill, of 100 non-smokers"), tenths_of_100(numbers["of_others"])),
            (_("fell ill, of 100 people, smokers or not"), tenths_of_100(numbers["of_all"])),
        ]
    return CrowdChart(
        name="people",
        title=title,
        table=Table(title, (_("Group"), _("Number of people")), tuple(rows)),
        crowds=(CrowdRow(label, f"{value}: {label}", value, dots),),
        columns=_COLUMNS,
    )


PAGE = Smoking()
