"""All rules, and what they find together."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from surveys.common.selectors import definition_of
from surveys.drafts.selectors import others_of
from surveys.linting.findings import LintFinding
from surveys.linting.rules.adherence import (
    nothing_tells_who_follows,
    one_fact_two_shares,
    only_of_own_throws,
)
from surveys.linting.rules.arms import compared_with_nothing
from surveys.linting.rules.lists import few_statements, none_or_all
from surveys.linting.rules.plain import sensitive_and_plain, sensitive_word, singled_out
from surveys.linting.rules.protection import (
    asks_who,
    fewer_than_shown,
    guessed_share,
    infinite_epsilon,
    much_in_all,
    no_consent,
    no_introduction,
    no_support,
    seen_to_leave_out,
    too_few,
)
from surveys.linting.subject import LintedSurvey, lint_subject
from surveys.models.survey import Survey
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.definition import Definition

OnQuestion = Callable[[AskedQuestion], Iterable[LintFinding]]
OnSurvey = Callable[[LintedSurvey], Iterable[LintFinding]]

# Rules that read one question alone.
QUESTION_RULES: tuple[OnQuestion, ...] = (
    infinite_epsilon,
    sensitive_and_plain,
    few_statements,
    none_or_all,
    seen_to_leave_out,
)
SURVEY_RULES: tuple[OnSurvey, ...] = (
    asks_who,
    much_in_all,
    one_fact_two_shares,
    compared_with_nothing,
    singled_out,
    guessed_share,
    fewer_than_shown,
    too_few,
    only_of_own_throws,
    nothing_tells_who_follows,
    no_support,
    no_introduction,
    no_consent,
)


def findings_in(survey: LintedSurvey) -> tuple[LintFinding, ...]:
    """Return what all rules find, the weightiest first; what is said of several questions is said once."""
    findings = [finding for rule in SURVEY_RULES for finding in rule(survey)]
    for question in survey.questions:
        about = (finding for rule in QUESTION_RULES for finding in rule(question))
        findings += [replace(finding, numbers=(question.number,)) for finding in about]
    return tuple(sorted(_together(findings), key=lambda finding: (finding.level, finding.numbers or (0,))))


def _together(findings: Iterable[LintFinding]) -> Iterator[LintFinding]:
    """Join findings that differ in their question only."""
    by_words: dict[LintFinding, list[int]] = {}
    for finding in findings:
        by_words.setdefault(replace(finding, numbers=()), []).extend(finding.numbers)
    for finding, numbers in by_words.items():
        yield replace(finding, numbers=tuple(sorted(set(numbers))))


def sensitive_unprotected(definition: Definition) -> tuple[int, ...]:
    """Return the numbers of the questions that are sensitive and sent as they are."""
    numbers = {
        question.number
        for code in (definition.language, *definition.languages)
        for question in definition.in_language(code).questions
        if not question.protects and not question.answers.counts_options and sensitive_word(question)
    }
    return tuple(sorted(numbers))


# The findings about a stored survey.


def findings_of(survey: Survey) -> tuple[LintFinding, ...]:
    """Return what the linter finds in a survey, the weightiest first."""
    return findings_in(lint_subject(survey, definition_of(survey), others_of(survey)))
