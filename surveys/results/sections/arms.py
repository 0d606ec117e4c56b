"""Random arms: their sizes, and what questions that ask for the same say in each."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.charts import Table
from surveys.models.asked_question import AskedQuestion
from surveys.models.definition import Definition
from surveys.numbers.words import (
    decimal,
    estimate_cell,
    p_words,
    percent,
    share_with_limits,
    spans,
    whole_number,
)
from surveys.results.figures.adherence import MirroredArms, mirrored_arms
from surveys.results.figures.arms import ArmComparison, ArmSizes, arm_sizes, compare_arms
from surveys.results.figures.questions import MISFIT, NamedPart, QuestionResult
from surveys.results.report import Report
from surveys.results.sections.section import Section, Summary
from surveys.results.words import HIGHER_IS_NO_PROOF, compared_caption, difference_words, parts, together_words


def section(report: Report, result: QuestionResult) -> Section | None:
    """Return what the questions say that ask for the same, or why they are not compared."""
    question = result.question
    stored = report.stored.questions[question.number - 1]
    others = [other for other in report.stored.variants_of(stored) if other != stored]
    if not others:
        return None
    sizes = arm_sizes(report.definition, report.snapshot)
    context: dict[str, Any] = {"sizes": arm_sizes_words(sizes) if sizes else ""}
    if compared := report.once(comparison_of, question):
        mirrored = report.once(mirrored_with, question)
        context |= {"table": arms_table(compared, report.definition), "lines": arm_words(compared, mirrored)}
    elif not result.enough:
        return None
    else:
        context["lines"] = [uncompared_words(others, report.snapshot.minimum_n)]
    return Section(context, below="results/sections/arms.html")


def summary(report: Report) -> Summary | None:
    """Return how many responded in each arm."""
    sizes = arm_sizes(report.definition, report.snapshot)
    return Summary(notes=[arm_sizes_words(sizes)]) if sizes else None


def comparison_of(report: Report, question: AskedQuestion) -> ArmComparison | None:
    """Compare a question with those that ask for the same in other arms."""
    return compare_arms(question, report.stored, report.snapshot, report.options.wanted)


def mirrored_with(report: Report, question: AskedQuestion) -> MirroredArms | None:
    """Return what it says together with those of the same technique, each with another share of its fact."""
    compared = report.once(comparison_of, question)
    alike = [answer.result for answer in compared.answers] if compared else []
    return mirrored_arms(question, alike, report.options.confidence_level)


def arms_table(compared: ArmComparison, definition: Definition) -> Table:
    """Return what each way of asking says, and of which arms it is."""
    return Table(
        compared_caption(compared),
        (_("Question"), _("Arms"), _("How"), _("Answers"), _("Estimate, of 100")),
        tuple(
            (
                f"{answer.result.question.number}. {answer.result.question.text}",
                definition.arm_names(answer.result.question),
                str(answer.result.question.asked_with.label),
                _answered(answer.result),
                _odd_or(
                    answer.result, estimate_cell(percent(answer.share.estimate), answer.share.low, answer.share.high)
                ),
            )
            for answer in compared.answers
        ),
    )


def _answered(result: QuestionResult) -> str:
    n = whole_number(result.n)
    if not result.missing:
        return n
    return _("%(n)s, %(missing)s left it out") % {"n": n, "missing": whole_number(result.missing)}


def _odd_or(result: QuestionResult, words: str) -> str:
    return _("none to trust") if result.odd else words


def arm_words(compared: ArmComparison, mirrored: MirroredArms | None = None) -> list[str]:
    """Say what the ways of asking differ by, and what they say together."""
    sentences = [difference_words(pair) for pair in compared.differences]
    if len(sentences) > 1:
        sentences.append(_("Each p is of its comparison by itself."))
    if mirrored:
        sentences.append(mirrored_words(mirrored))
    together = compared.together
    if together and (mirrored is None or len(mirrored.questions) < len(compared.answers)):
        sentences.append(together_words(together))
    only_here = _(
        "The answers to question %(number)s are told here only: of all who were asked, beside no other answer."
    )
    sentences += [only_here % {"number": question.number} for question in compared.only_here]
    sentences.append(
        _(
            "Where ways of asking differ, one was not answered as it should be, or not the same people answered, or "
            "their words ask for different things."
        )
    )
    sentences.append(str(HIGHER_IS_NO_PROOF))
    return sentences


def mirrored_words(mirrored: MirroredArms) -> str:
    """Say what both arms say together, and whether some tapped the same whatever is true."""
    values = {
        "numbers": spans([asked.number for asked in mirrored.questions]),
        "share": share_with_limits(mirrored.share, mirrored.low, mirrored.high),
        "statistic": decimal(mirrored.statistic, 2),
        "freedom": mirrored.degrees_of_freedom,
        "p": p_words(mirrored.p_value),
    }
    words = (
        _(
            "Taken together, questions %(numbers)s say %(share)s. Whoever always taps the same pushes these arms "
            "apart, and they are no further apart than chance sets them (G² = %(statistic)s, degrees of freedom: "
            "%(freedom)s, %(p)s)."
        )
        if mirrored.p_value >= MISFIT
        else _(
            "Taken together, questions %(numbers)s would say %(share)s, but these arms are further apart than chance "
            "sets them (G² = %(statistic)s, degrees of freedom: %(freedom)s, %(p)s): some always tap the same, or the "
            "arms are not alike."
        )
    )
    unseen = _("Who taps at random does not show here: that pulls all of these arms alike.")
    return words % values if mirrored.sees_random else f"{words % values} {unseen}"


def uncompared_words(others: Sequence[AskedQuestion], minimum_n: int) -> str:
    """Say why a question is compared with no other that asks for the same."""
    return ngettext(
        "Question %(numbers)s asks for the same and is not compared: fewer than %(minimum)s people answered it or, "
        "without chance, gave one of its answers.",
        "Questions %(numbers)s ask for the same and are not compared: fewer than %(minimum)s people answered each or, "
        "without chance, gave one of its answers.",
        len(others),
    ) % {"numbers": spans([question.number for question in others]), "minimum": minimum_n}


def arm_sizes_words(sizes: ArmSizes) -> str:
    """Say how many responded in each arm, what they were dealt by, and where chance alone hardly does that."""
    values = {
        "sizes": parts([NamedPart(arm.name, size) for arm, size in zip(sizes.arms, sizes.sizes, strict=True)]),
        "weights": ":".join(str(arm.weight) for arm in sizes.arms),
        "p": p_words(sizes.p_value),
    }
    words = _("Responses by arm: %(sizes)s; arms were drawn %(weights)s.") % values
    if not sizes.uneven:
        return words
    warning = _(
        "Chance alone would set them as far from that with %(p)s: people may have left one arm more often, and then "
        "those in the arms are not alike."
    )
    return f"{words} {warning % values}"
