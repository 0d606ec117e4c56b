"""Random arms: their sizes, and what questions that ask for the same say in each."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.charts import Table
from surveys.numbers.words import (
    decimal,
    estimate_cell,
    p_words,
    share_with_limits,
    spans,
    whole_number,
)
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.definition import Definition
from surveys.results.figures.adherence import MirroredArms, mirrored_arms
from surveys.results.figures.arms import ArmComparison, ArmSizes, arm_sizes, compare_arms
from surveys.results.figures.questions import MISFIT, NamedPart, QuestionResult
from surveys.results.report import Report
from surveys.results.sections.not_followed import FOLD, fold_context, of_a_question
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
        context |= fold_context(of_a_question(question, compared, report.options.wanted))
    elif not result.enough:
        return None
    else:
        context["lines"] = [uncompared_words(others, report.snapshot.minimum_n)]
    charts = context.get("charts", ())
    fold = FOLD if charts else ""
    return Section(context, below="results/sections/arms.html", fold=fold, charts=charts)


def summary(report: Report) -> Summary | None:
    """Return how many responded in each arm."""
    sizes = arm_sizes(report.definition, report.snapshot)
    return Summary(notes=[arm_sizes_words(sizes)]) if sizes else None


def comparison_of(report: Report, question: AskedQuestion) -> ArmComparison | None:
    """Compare a question with those that ask for the same in other arms."""
    return compare_arms(question, report.stored, report.snapshot, report.options.wanted)


def mirrored_with(report: Report, question: AskedQuestion) -> MirroredArms | None:
    """Return what it says together with those of the same design, each with another share of its fact."""
    compared = report.once(comparison_of, question)
    alike = [answer.result for answer in compared.answers] if compared else []
    return mirrored_arms(question, alike, report.options.confidence_level)


def arms_table(compared: ArmComparison, definition: Definition) -> Table:
    """Return what each design says, and of which arms it is."""
    return Table(
        compared_caption(compared),
        (_("Question"), _("Arms"), _("Design"), _("Answers"), _("Estimate, of 100")),
        tuple(
            (
                f"{answer.result.question.number}. {answer.result.question.text}",
                definition.arm_names(answer.result.question),
                str(answer.result.question.chance.label),
                _answered(answer.result),
                _odd_or(answer.result, estimate_cell(answer.share.estimate, answer.share.low, answer.share.high)),
            )
            for answer in compared.answers
        ),
    )


def _answered(result: QuestionResult) -> str:
    n = whole_number(result.n)
    if not result.missing:
        return n
    return _("%(n)s (%(missing)s skipped)") % {"n": n, "missing": whole_number(result.missing)}


def _odd_or(result: QuestionResult, words: str) -> str:
    return _("not reliable") if result.odd else words


def arm_words(compared: ArmComparison, mirrored: MirroredArms | None = None) -> list[str]:
    """Say what the designs differ by, and what they say together."""
    sentences = [difference_words(pair) for pair in compared.differences]
    if compared.chosen_from > 1:
        words = _(
            "“%(label)s” is compared because its estimates are largest. The intervals and p-values allow for this "
            "choice among %(answers)s answers (Bonferroni)."
        )
        sentences.insert(0, words % {"label": compared.label, "answers": whole_number(compared.chosen_from)})
    if len(compared.differences) > 1:
        sentences.append(_("The p-values are not adjusted for multiple comparisons."))
    if mirrored:
        sentences.append(mirrored_words(mirrored))
    together = compared.together
    if together and (mirrored is None or len(mirrored.questions) < len(compared.answers)):
        sentences.append(together_words(together))
    only_here = _(
        "The answers to question %(number)s are shown only here, for all respondents together and with no "
        "other answers beside them."
    )
    sentences += [only_here % {"number": question.number} for question in compared.only_here]
    sentences.append(
        _(
            "Possible reasons for different results in the arms: a question was not answered as intended, the "
            "people in the arms differ, or the wordings ask for different things."
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
            "Together, questions %(numbers)s give %(share)s. People who always tap the same answer would make "
            "these arms differ. But the arms do not differ significantly (G² = %(statistic)s, degrees of "
            "freedom: %(freedom)s, %(p)s)."
        )
        if mirrored.p_value >= MISFIT
        else _(
            "Together, questions %(numbers)s would give %(share)s, but these arms differ significantly (G² = "
            "%(statistic)s, degrees of freedom: %(freedom)s, %(p)s). Some people probably always tap the same "
            "answer, or the arms are not comparable."
        )
    )
    unseen = _("This test cannot detect random taps, because they shift all of these arms equally.")
    return words % values if mirrored.sees_random else f"{words % values} {unseen}"


def uncompared_words(others: Sequence[AskedQuestion], minimum_n: int) -> str:
    """Say why a question is compared with no other that asks for the same."""
    return ngettext(
        "Question %(numbers)s asks for the same thing but is not compared. Either fewer than %(minimum)s "
        "people answered it, or it is unprotected and too few people gave one of its answers.",
        "Questions %(numbers)s ask for the same thing but are not compared. Either fewer than %(minimum)s "
        "people answered each question, or it is unprotected and too few people gave one of its answers.",
        len(others),
    ) % {"numbers": spans([question.number for question in others]), "minimum": minimum_n}


def arm_sizes_words(sizes: ArmSizes) -> str:
    """Say how many responded in each arm, what they were dealt by, and where chance alone hardly does that."""
    values = {
        "sizes": parts([NamedPart(arm.name, size) for arm, size in zip(sizes.arms, sizes.sizes, strict=True)]),
        "weights": ":".join(str(arm.weight) for arm in sizes.arms),
        "p": p_words(sizes.p_value),
    }
    words = _("Responses by arm: %(sizes)s. Planned ratio: %(weights)s.") % values
    if not sizes.uneven:
        return words
    warning = _(
        "With random assignment, the responses rarely differ this much from the planned ratio (%(p)s). More "
        "people may have dropped out of one arm than out of another. If so, the arms are not comparable."
    )
    return f"{words} {warning % values}"
