"""Which design suits a question: all of them at one ε, by how precise they are and what they ask."""

import math
from fractions import Fraction
from itertools import groupby

from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from surveys.charts import IntervalChart, IntervalRow, Table, share_axis
from surveys.estimation.planning.comparison import compare_designs
from surveys.estimation.planning.precision import expected_half_width
from surveys.learn.forms import OF_100, Pick, Slider, counted
from surveys.learn.page import Chapter, LabPage, Numbers, SeededChance, Shown, Values
from surveys.numbers.words import points, round_up_exactly, times, whole_number, without_zero
from surveys.privacy.designs import kuk
from surveys.privacy.designs.at_epsilon import half_for
from surveys.privacy.designs.odds import LARGEST_DENOMINATOR, largest_odds

_PEOPLE = 100
_CARDS = 2

_NAMES = {
    "forced_response": gettext_lazy("two coins"),
    "warner": gettext_lazy("Warner"),
    "k_ary": gettext_lazy("coin and spinner (k-ary)"),
    "unrelated_question": gettext_lazy("unrelated question"),
    "crosswise": gettext_lazy("crosswise"),
    "kuk": gettext_lazy("two cards (Kuk)"),
    "optimized_unary": gettext_lazy("one bit per answer (OUE)"),
    "symmetric_unary": gettext_lazy("one bit per answer (SUE)"),
    "triangular": gettext_lazy("triangular"),
    "direct": gettext_lazy("asked directly"),
}
_ASKS = {
    "forced_response": gettext_lazy("flip two coins: give your answer, or what the second coin says"),
    "warner": gettext_lazy("a card says which of two opposite statements to judge"),
    "k_ary": gettext_lazy("flip a coin: give your answer, or the one where a spinner stops"),
    "unrelated_question": gettext_lazy("a device says which of two questions to answer, one of them about a birthday"),
    "crosswise": gettext_lazy(
        "say only whether the answers to two questions are the same, one of them about a birthday"
    ),
    "kuk": gettext_lazy("draw two cards from the deck of your answer and say how many are red"),
    "optimized_unary": gettext_lazy("let the phone randomize"),
    "symmetric_unary": gettext_lazy("let the phone randomize"),
    "triangular": gettext_lazy("say whether both answers are No; “No to both” proves a No"),
    "direct": gettext_lazy("answer directly and trust the survey owner"),
}


class WhichDesign(LabPage):
    """The same protection, bought with different devices."""

    place = 27
    chapter = Chapter.SURVEYS
    slug = "which-design"
    title = gettext_lazy("Which design suits your question?")
    source = "Warner 1965; Kuk 1990; Yu, Tian & Tang 2008; Wang, Blocki, Li & Jha 2017"
    controls = {
        "answers": Pick(counted(2, 4, 16), initial="2", label=gettext_lazy("Answers to choose from")),
        "epsilon": Slider("0.1", "5", step="0.1", initial="1", label=gettext_lazy("Protection (ε)")),
        "share": Slider(
            "1", "50", step="1", initial="30", label=gettext_lazy("True share of the estimated answer"), unit=OF_100
        ),
    }

    def numbers(self, values: Values, _chance: SeededChance) -> Numbers:
        """Compare all designs as results do, and Kuk's two cards beside them."""
        k, epsilon, share = int(values["answers"]), values["epsilon"], float(values["share"] / 100)
        rows = compare_designs(epsilon=epsilon, k=k, n=_PEOPLE, prevalence=share)
        widths = {row.name: row.half_width for row in rows}
        # Each card costs as much as the other; of more than two answers, each is asked for by itself.
        red = half_for(largest_odds(epsilon / (_CARDS * (2 if k > 2 else 1)), 1, LARGEST_DENOMINATOR))
        widths["kuk"] = expected_half_width(n=_PEOPLE, design=kuk(red, 1 - red, _CARDS), prevalence=share)
        protected = sorted((name for name in widths if name != "direct"), key=lambda name: (widths[name], name))
        return {
            "share": share,
            "epsilon": epsilon,
            "half_widths": {name: widths[name] for name in [*protected, "direct"]},
            "k_ary": widths["k_ary"],
        }

    def show(self, values: Values, numbers: Numbers) -> Shown:
        """Draw what each would leave open."""
        widths = numbers["half_widths"]
        least = _points(next(iter(widths.values())))
        best = [name for name, width in widths.items() if name != "direct" and _points(width) == least]
        figures = {
            "best": get_text_list([str(_NAMES[name]) for name in best], _("and")),
            "many": whole_number(len(best)),
            "size": least,
            "direct": _points(widths["direct"]),
            "n": whole_number(_PEOPLE),
            "factor": times(round_up_exactly(Fraction(math.exp(numbers["epsilon"])), 3)),
        }
        title = (
            _("%(many)s designs do equally well: ±%(size)s of 100")
            if len(best) > 2
            else _("Most precise: %(best)s, ±%(size)s of 100")
        )
        sentence = _(
            "With any design at this ε, a report changes anyone’s odds at most %(factor)s‑fold. With %(n)s "
            "people, the margin of error is ±%(size)s of 100 at best. Truthful direct answers would give "
            "±%(direct)s."
        )
        return Shown(sentence % figures, (_chart(numbers, title % figures),))


def _points(half_width: float) -> str:
    return without_zero(points(half_width))


def _chart(numbers: Numbers, title: str) -> IntervalChart:
    share, widths = numbers["share"], numbers["half_widths"]
    # What is as precise stands in one row.
    groups = groupby((name for name in widths if name != "direct"), key=lambda name: _points(widths[name]))
    alike = [list(names) for _, names in groups] + [["direct"]]
    rows = [_row([str(_NAMES[name]) for name in names], share, widths[names[0]]) for names in alike]
    impossible = str(_NAMES["triangular"])
    rows.insert(
        -1, IntervalRow(impossible, _("%(design)s: ε is infinite.") % {"design": impossible}, "ε = ∞", None, None, None)
    )
    cells = [(str(_NAMES[name]), f"±{_points(width)}", str(_ASKS[name])) for name, width in widths.items()]
    cells.insert(-1, (impossible, "ε = ∞", str(_ASKS["triangular"])))
    return IntervalChart(
        name="designs",
        title=title,
        text=" ".join(row.says for row in rows),
        table=Table(title, (_("Design"), _("Margin of error (95%)"), _("Respondents’ task")), tuple(cells)),
        axis=share_axis(),
        rows=rows,
        interval_label=_("expected interval (95%)"),
    )


def _row(names: list[str], share: float, width: float) -> IntervalRow:
    label, size = ", ".join(names), f"±{_points(width)}"
    return IntervalRow(label, f"{label}: {size}.", size, share, share - width, share + width)


PAGE = WhichDesign()
