"""What is said of a report once chance has fallen: how often phones with another answer send the same."""

from fractions import Fraction

from django.utils.translation import gettext as _

from surveys.answering.words.grids import area
from surveys.answering.words.promise import Proof, listed_words, proofs, quote_answer, strong_evidence
from surveys.models.definition import AskedQuestion, Item
from surveys.numbers.words import of_100

_COLUMNS = 25


def told(question: AskedQuestion) -> dict[str, list[str]]:
    """Return for each report how often others send it, what follows, and the path around so many of 100 phones."""
    item = question.first
    proven = {proof.report: proof for proof in proofs(item)}
    others = [] if item.in_the_head else [_with_another_answer(item, report) for report in range(item.design.m)]
    return {
        "tells": [_how_often(item, report) for report in range(item.design.m)],
        "follows": [_what_follows(question, proven.get(_quoted(item, report))) for report in range(item.design.m)],
        "lit": [area(Fraction(0), 100 * share, _COLUMNS) for share in others],
    }


def _with_another_answer(item: Item, report: int) -> Fraction:
    # In every design that a device carries out here, all other truths have the same chance.
    return item.design.matrix[report][report - 1]


def _quoted(item: Item, report: int) -> str:
    return quote_answer(item.report_labels[report], item)


def _how_often(item: Item, report: int) -> str:
    if item.in_the_head:
        when_no, when_yes = item.design.matrix[report]
        values = {"yes": of_100(when_yes), "no": of_100(when_no)}
        return _("Of 100 people who mean Yes, %(yes)s tap this; of 100 who mean No, %(no)s.") % values
    share = _with_another_answer(item, report)
    values = {"report": _quoted(item, report), "share": of_100(share)}
    if item.design.k > 2:
        return _("A phone whose owner means something else sends %(report)s %(share)s of 100 times.") % values
    values["other"] = quote_answer(item.labels[1 - report], item)
    if item.range:
        return _("A phone that rounded to %(other)s sends %(report)s %(share)s of 100 times.") % values
    return _("A phone whose owner means %(other)s sends %(report)s %(share)s of 100 times.") % values


def _what_follows(question: AskedQuestion, proof: Proof | None) -> str:
    """Say what this report proves; that it proves nothing only where no report of the question proves anything."""
    item = question.first
    if proof and proof.truth:
        return _("It proves that your true answer is %(truth)s.") % {"truth": proof.truth}
    if proof:
        return _("It proves that your true answer is not %(others)s.") % {"others": listed_words(proof.ruled_out)}
    if proofs(item):
        return ""
    if strong_evidence(question.items):
        return _("It is no proof, but it can be strong evidence.")
    if item.in_the_head:
        return _("To people who do not know these facts about you it proves nothing.")
    return _("So it proves nothing.")
