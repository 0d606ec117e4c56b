"""A share corrected for those who tap at random, by a question whose true answers are known."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from surveys.charts import Table
from surveys.numbers.words import (
    estimate_of_100,
    interval_clause,
    level_words,
    of_100,
    share_with_limits,
    whole_number,
)
from surveys.questionnaire.asked_question import Item
from surveys.results.charts import estimate_cells, estimate_headings
from surveys.results.figures.adherence import (
    AnchoredFinding,
    anchored_finding,
    anchors_of,
)
from surveys.results.figures.questions import QuestionResult
from surveys.results.forms import number_of
from surveys.results.report import Report, method_label
from surveys.results.sections.section import Section


def anchored(report: Report, result: QuestionResult) -> Section:
    """Return the choice of an anchor, and the share corrected by the one that is chosen."""
    chosen = parse_anchor(report.query, anchors_of(result.question, report.definition))
    context: dict[str, Any] = {"anchors": chosen, "source": ANCHOR_SOURCE}
    fold = "results/sections/adherence.html"
    if chosen.anchor is None:
        return Section(context, fold=fold, notices=chosen.notices)
    finding = anchored_finding(
        result.question.first, chosen.anchor, chosen.known, report.snapshot, report.options.wanted
    )
    context |= {
        "title": anchored_title(finding),
        "lines": anchored_words(finding),
        "table": anchored_table(finding) if finding.corrected else None,
        "note": anchored_note(finding, report.options.confidence_level),
    }
    return Section(
        context,
        below="results/sections/anchor.html",
        fold=fold,
        notices=chosen.notices,
        kept=[("anchor", chosen.key), ("known", chosen.written)],
    )


_LONGEST = 40  # characters that are repeated in a notice
ANCHOR_SOURCE = "Atsusaka & Stevenson (2023), Political Analysis 31."


@dataclass(frozen=True, slots=True)
class AnchorQuery:
    """The anchor, none while nobody has chosen one, and how many truly answer Yes to it."""

    items: Sequence[Item]
    anchor: Item | None
    known: Fraction
    written: str  # of 100
    notices: tuple[str, ...]

    @property
    def key(self) -> str:
        """The anchor as the select names it."""
        return self.anchor.key if self.anchor else ""


def parse_anchor(query: QueryDict, anchors: Sequence[Item]) -> AnchorQuery:
    """Read `anchor` and `known`; what is unknown becomes none, and 0 of 100, with a notice that names it."""
    notices: list[str] = []
    wanted = query.get("anchor", "")
    anchor = next((item for item in anchors if item.key == wanted), None)
    if wanted and anchor is None:
        notices.append(
            _("Question “%(key)s” cannot be an anchor for this question. Choose another anchor.")
            % {"key": wanted[:_LONGEST]}
        )
    written = query.get("known", "").strip()[:_LONGEST]
    number = number_of(written) if written else 0.0
    if number is None or not 0 <= number <= 100:
        notices.append(
            _("Known true Yes answers: enter a number from 0 to 100, not “%(given)s”. The value used for now is 0.")
            % {"given": written}
        )
        number, written = 0.0, ""
    known = Fraction(repr(number)) / 100
    return AnchorQuery(anchors, anchor, known, written or "0", tuple(notices))


def anchored_title(finding: AnchoredFinding) -> str:
    """Say the corrected share, or why there is none."""
    if not finding.enough:
        return _("Too few answers")
    attentive, corrected = finding.attentive, finding.corrected
    if attentive is None or corrected is None or not (attentive.claimed and attentive.low > 0):
        return _("This anchor cannot show how many people followed the instructions")
    if corrected.estimate is None or not corrected.claimed:
        return _("No reliable estimate")
    value = estimate_of_100(corrected.estimate, corrected.low, corrected.high)
    return _("Estimate corrected for random taps: %(value)s of 100") % {"value": value}


def anchored_words(finding: AnchoredFinding) -> list[str]:
    """Say who follows the instructions, and the share corrected for the others."""
    if not finding.enough:
        words = ngettext(
            "%(n)s person answered both questions: too few to show results.",
            "%(n)s people answered both questions: too few to show results.",
            finding.n,
        )
        return [words % {"n": whole_number(finding.n)}]
    values = {"number": finding.anchor.key, "known": of_100(finding.known), "label": finding.item.labels[1]}
    attentive, corrected, uncorrected = finding.attentive, finding.corrected, finding.uncorrected
    if attentive is None or corrected is None or uncorrected is None:
        return [telling_nothing(finding.anchor, finding.known)]
    if not attentive.claimed:
        words = _(
            "If the true answer to question %(number)s is Yes for %(known)s of 100, its reports can’t be "
            "explained, however many people followed the instructions. Check the number you entered."
        )
        return [words % values]
    if not attentive.low > 0:
        words = _(
            "If the true answer to question %(number)s is Yes for %(known)s of 100, its reports do not show "
            "that anyone followed the instructions. So any corrected share is possible."
        )
        return [words % values]
    values["attentive"] = interval_clause(attentive.low, attentive.high)
    if not corrected.claimed:
        words = _(
            "Judging by question %(number)s, whose true answer is Yes for %(known)s of 100, %(attentive)s "
            "followed the instructions. But if so, no share of “%(label)s” fits the reports on the question "
            "shown here."
        )
        return [words % values]
    values |= {
        "corrected": share_with_limits(corrected.estimate or 0.0, corrected.low, corrected.high),
        "uncorrected": share_with_limits(uncorrected.estimate or 0.0, uncorrected.low, uncorrected.high),
    }
    words = _(
        "Judging by question %(number)s, whose true answer is Yes for %(known)s of 100, %(attentive)s followed "
        "the instructions and the others tapped at random. Corrected for random taps, the share of “%(label)s” "
        "is %(corrected)s. Without this correction, the share is %(uncorrected)s."
    )
    also = _(
        "The corrected share is the share among people who followed the instructions. It holds for everyone if "
        "following the instructions is unrelated to the true answer."
    )
    return [words % values, also]


def telling_nothing(anchor: Item, known: Fraction) -> str:
    """Say why an anchor cannot tell anything with so many who truly answer Yes."""
    return _(
        "Suppose the true answer to question %(number)s is Yes for %(known)s of 100. Then random taps look the "
        "same as reports by people who follow the instructions. The question is useless as an anchor."
    ) % {"known": of_100(known), "number": anchor.key}


def followers_words(anchor: Item, known: Fraction, share: float, low: float, high: float) -> str:
    """Say what a regression is corrected by."""
    return _(
        "The regression is corrected for random taps. Judging by question %(number)s, whose true answer is Yes "
        "for %(known)s of 100, %(share)s followed the instructions."
    ) % {"number": anchor.key, "known": of_100(known), "share": share_with_limits(share, low, high)}


def anchored_table(finding: AnchoredFinding) -> Table:
    """Return the share of followers, and the share of Yes with and without correction."""
    values = {"label": finding.item.labels[1]}
    rows = (
        (_("People who followed the instructions"), finding.attentive),
        (_("“%(label)s”, corrected") % values, finding.corrected),
        (_("“%(label)s”, uncorrected") % values, finding.uncorrected),
    )
    return Table(
        _("Corrected using an anchor"),
        (pgettext("of people", "Share"), *estimate_headings()),
        tuple((name, *estimate_cells(share)) for name, share in rows if share),
    )


def anchored_note(finding: AnchoredFinding, level: float) -> str:
    """Say how many answered both, and how the intervals were found."""
    if finding.corrected is None:
        return ""
    return _("n = %(n)s people who answered both questions · %(level)s intervals: %(method)s") % {
        "n": whole_number(finding.n),
        "method": method_label(finding.corrected.method),
        "level": level_words(level),
    }
