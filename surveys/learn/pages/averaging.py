"""What asking again and again gives away: new coins average out, kept ones do not."""

from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import Chart, CrowdChart, CrowdRow, Curve, CurveChart, Mark, Table, axis_around, share_axis
from surveys.charts.crowds import Kind
from surveys.estimation.prevalence import estimate_prevalence
from surveys.estimation.tails import at_most
from surveys.estimation.validation import Floats
from surveys.learn.forms import OF_100, Pick, Slider, counted
from surveys.learn.page import Chapter, LabPage, Numbers, SeededChance, Shown, Values
from surveys.numbers.words import chance as chance_words
from surveys.numbers.words import epsilon_at_most, of_100, tenths_of_100, whole_number
from surveys.privacy.designs import Design, forced_response

_MOST = 101
_design = lru_cache(forced_response)


class Averaging(LabPage):
    """One person is asked the same question many times."""

    place = 18
    chapter = Chapter.ATTACKS
    slug = "averaging"
    title = gettext_lazy("What if someone asks you again and again?")
    source = "Erlingsson, Pihur & Korolova 2014; Ding, Kulkarni & Yekhanin 2017"
    controls = {
        "asked": Pick(counted(1, 3, 21, _MOST), initial="21", label=gettext_lazy("Times asked")),
        "coins": Pick(
            {
                "fresh": gettext_lazy("flipped each time"),
                "kept": gettext_lazy("flipped once and kept"),
                "changed": gettext_lazy("kept, but the answer changes"),
            },
            initial="fresh",
            label=gettext_lazy("Coins"),
        ),
        "truth": Slider(
            "10", "90", step="10", initial="50", label=gettext_lazy("How often the true answer is sent"), unit=OF_100
        ),
    }
    watched = "estimate"
    aim = "true_share"

    def numbers(self, values: Values, chance: SeededChance) -> Numbers:
        """Let one person who means Yes answer so often; where the answer changes, it was No for the first half."""
        asked, coins, design = int(values["asked"]), values["coins"], _design(values["truth"] / 100)
        no = asked // 2 if coins == "changed" else 0
        truths = [0] * no + [1] * (asked - no)
        if coins == "fresh":
            reports = chance.reports(design, truths).tolist()
        else:
            # One report for each true answer, drawn when it is first given.
            kept = chance.reports(design, [0, 1]).tolist()
            reports = [kept[truth] for truth in truths]
        sent = sum(reports)
        return {
            "true_share": 1 - no / asked,
            "reports": reports,
            "estimate": float(estimate_prevalence([asked - sent, sent], design).constrained[1]),
            "right": float(_right(design, np.array([asked]))[0]) if coins == "fresh" else design.matrix[1][1],
            "once": design.matrix[1][1],
            "change_shows": _change_shows(design),
            "epsilon": asked * design.epsilon if coins == "fresh" else design.epsilon,
        }

    def show(self, values: Values, numbers: Numbers) -> Shown:
        """Draw all reports, and how often a guess from them is right."""
        reports, coins = numbers["reports"], values["coins"]
        changed, may_change = reports[0] != reports[-1], len(reports) > 1
        figures = {
            "asked": whole_number(len(reports)),
            "sent": whole_number(sum(reports)),
            "right": chance_words(numbers["right"]),
            "once": of_100(numbers["once"]),
            "shows": tenths_of_100(numbers["change_shows"]),
            "epsilon": epsilon_at_most(numbers["epsilon"]),
        }
        if not may_change:
            title = _("Asked once: %(once)s of 100 guesses at the answer are right")
            sentence = _(
                "The phone sends its owner’s true answer only sometimes, so one report leaves doubt (%(epsilon)s)."
            )
        elif coins == "fresh":
            title = _("Asked %(asked)s times: %(right)s of guesses at the answer are right")
            sentence = _("%(sent)s of %(asked)s reports say Yes. Every report adds its ε to the total: %(epsilon)s.")
        elif coins == "kept":
            title = _("Asked %(asked)s times: still only %(once)s of 100 guesses are right")
            sentence = _(
                "The phone sends the same report every time, so further reports reveal nothing new (%(epsilon)s)."
            )
        else:
            title = (
                _("The report changed, so the answer must have changed")
                if changed
                else _("The answer changed, but the reports do not show it")
            )
            sentence = _(
                "The answer changed from No to Yes, and each answer has its own coins. In %(shows)s of 100 "
                "cases the report changes too. A changed report proves that the answer changed, and no ε "
                "limits such proof."
            )
        return Shown(sentence % figures, (_reports(numbers, title % figures), _guesses(values, figures)))


def _right(design: Design, asked: npt.NDArray[np.int64]) -> Floats:
    """Return how often the majority of so many new reports, an odd number, is the true answer."""
    return 1 - at_most((asked - 1) // 2, asked, float(design.matrix[1][1]))


def _change_shows(design: Design) -> Fraction:
    (no_no, no_yes), (yes_no, yes_yes) = design.matrix
    return no_no * yes_yes + yes_no * no_yes


def _reports(numbers: Numbers, title: str) -> Chart:
    reports = numbers["reports"]
    figures = {"sent": whole_number(sum(reports)), "asked": whole_number(len(reports))}
    words = _("Reports in the order sent: %(sent)s of %(asked)s say Yes") % figures
    dots: list[Kind] = ["lit" if report else "ring" for report in reports]
    rows = tuple((whole_number(turn), _("Yes") if report else _("No")) for turn, report in enumerate(reports, 1))
    return CrowdChart(
        name="reports",
        title=title,
        text=words,
        table=Table(words, (_("Round"), _("Report")), rows),
        crowds=(CrowdRow(_("reports from one person say Yes"), words, _("%(sent)s of %(asked)s") % figures, dots),),
        columns=21,
    )


def _guesses(values: Values, figures: dict[str, str]) -> Chart:
    design = _design(values["truth"] / 100)
    times = np.arange(1, _MOST + 1, 2)
    fresh, kept = _right(design, times), float(design.matrix[1][1])
    title = _("Correct guesses at the answer, of 100")
    rows = tuple(
        (whole_number(int(asked)), tenths_of_100(right), tenths_of_100(kept))
        for asked, right in zip(times, fresh, strict=True)
        if asked in {1, 3, 5, 11, 21, 51, _MOST}
    )
    return CurveChart(
        name="guesses",
        title=title,
        text=_(
            "More and more guesses are right with coins flipped each time, but at most %(kept)s of 100 with kept coins"
        )
        % {"kept": tenths_of_100(kept)},
        table=Table(title, (_("Times asked"), _("flipped each time"), _("kept")), rows),
        x_axis=axis_around([0, _MOST], title=_("times asked"), within=(0, _MOST)),
        y_axis=share_axis(),
        curves=(
            Curve(_("flipped each time"), list(zip(times.tolist(), fresh.tolist(), strict=True))),
            Curve(_("flipped once and kept"), [(1, kept), (_MOST, kept)], dash=1),
        ),
        marks=(Mark(_("times asked: %(asked)s") % figures, x=float(values["asked"])),),
    )


PAGE = Averaging()
