"""Words about a report once it is drawn: how often phones with another answer send the same."""

from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _

from surveys.answering.words.designs import Proof, listed_words, odds_factor, proofs, quote_answer, strong_evidence
from surveys.answering.words.grids import area
from surveys.numbers.words import of_100
from surveys.questionnaire.asked_question import AskedQuestion, Item

_COLUMNS = 20


def report_words(question: AskedQuestion, *, alone: bool = True) -> dict[str, Any]:
    """Return for each report whether it may differ, how often others send it, what follows, and the path around them.

    That one answer proves nothing is said of a question that stands alone; of several the review says it of all.
    """
    item = question.first
    proven = {proof.report: proof for proof in proofs(item)}
    others = [] if item.tapped else [_with_another_answer(item, report) for report in range(item.design.m)]
    return {
        "differs": _may_differ(item),
        "often": [_how_often(item, report) for report in range(item.design.m)],
        "follows": [
            _what_follows(question, report, proven.get(_quoted(item, report)), alone=alone)
            for report in range(item.design.m)
        ],
        "lit": [_dots(item, report, share) for report, share in enumerate(others)],
    }


def _may_differ(item: Item) -> str:
    """Say that the report may be another answer, where each can lead to it; in the same words whatever was chosen."""
    if item.tapped or not item.protects or proofs(item):
        return ""
    return _("This may not be what you chose. That is what protects you.")


def _with_another_answer(item: Item, report: int) -> Fraction:
    # In every design that a device carries out here, all other true answers have the same probability.
    return min(item.design.matrix[report]) if item.grid else item.design.matrix[report][report - 1]


def _dots(item: Item, report: int, share: Fraction) -> dict[str, str]:
    """Return the path of people whose coins make them send this, and both sorts of dots: who sends No is a ring."""
    says_no = item.answers.yes_or_no and report == 0
    chance, rest = ("ring", "empty") if says_no else ("lit", "other")
    return {"chance": chance, "rest": rest, "path": area(Fraction(0), 100 * share, _COLUMNS)}


def _quoted(item: Item, report: int) -> str:
    return quote_answer(item.report_labels[report], item)


def _how_often(item: Item, report: int) -> tuple[str, str]:
    """Return the number that stands out, and the rest of its sentence."""
    if not item.protects:
        return "", _("This answer is sent as it is.")
    if item.in_the_head and item.grid:
        row = item.design.matrix[report]
        values = {"report": _quoted(item, report), "here": of_100(max(row)), "there": of_100(min(row))}
        return "", str(item.chance.grid_words.alone) % values
    if item.in_the_head:
        when_no, when_yes = item.design.matrix[report]
        values = {"yes": of_100(when_yes), "no": of_100(when_no)}
        return "", _(
            "Of 100 people whose true answer is Yes, %(yes)s send this report. Of 100 whose true "
            "answer is No, %(no)s do."
        ) % values
    values = {"report": _quoted(item, report)}
    if item.grid:
        rest = str(item.chance.grid_words.alone)
    elif item.answers.one_true:
        rest = (
            _("phones send Yes for an option their owner didn’t choose.")
            if report
            else _("phones send No for the option their owner chose.")
        )
    elif item.design.k > 2:
        rest = _("phones send %(report)s when their owner means something else.")
    else:
        values["other"] = quote_answer(item.labels[1 - report], item)
        rest = (
            _("phones send %(report)s when they rounded their owner’s number to %(other)s.")
            if item.range
            else _("phones send %(report)s when their owner means %(other)s.")
        )
    # Both stand in one sentence, the share before the rest.
    share = _("%(share)s of 100") % {"share": of_100(_with_another_answer(item, report))}
    return share, rest % values


def _what_follows(question: AskedQuestion, report: int, proof: Proof | None, *, alone: bool) -> str:
    """Say what this report proves; that it proves nothing only where no report of the question proves anything."""
    item = question.first
    if not item.protects:
        return item.answers.what_it_shows(report, item.design.k)
    if proof and proof.truth:
        return _("This report proves that your true answer is %(truth)s.") % {"truth": proof.truth}
    if proof:
        return _("This report proves that your true answer is not %(others)s.") % {
            "others": listed_words(proof.ruled_out)
        }
    if proofs(item):
        return ""
    if strong_evidence(question.losses):
        return _("This report is no proof, but it can be strong evidence.")
    return _that_it_proves_nothing(question) if alone else _whose_number(item)


def _whose_number(item: Item) -> str:
    """Say of a number drawn at random that it is nobody’s own."""
    if item.tapped or not item.grid:
        return ""
    return _("Nobody’s own number is sent. Only the mean of all reports comes close to the true mean.")


def _that_it_proves_nothing(question: AskedQuestion) -> str:
    if len(question.losses) > 1:
        words = _("One answer is no proof: the odds about you change at most %(factor)s‑fold.")
    elif question.in_the_head:
        words = _(
            "To people who don’t know your answers to the harmless questions, this report is no proof. It "
            "changes their odds about you at most %(factor)s‑fold."
        )
    else:
        words = _("So this report is no proof. It changes the odds about you at most %(factor)s‑fold.")
    return words % {"factor": odds_factor(question.losses[:1])}
