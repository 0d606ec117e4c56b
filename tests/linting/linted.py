"""The rules that read one question alone, applied to a text."""

from surveys.linting.selectors import QUESTION_RULES
from surveys.linting.subject import LintedQuestion, language_of


def asked(text: str, language: str = "en", kind: str = "yes_no", options: tuple[str, ...] = ()) -> set[str]:
    read = LintedQuestion(number=1, text=text, kind=kind, options=options, language=language_of(text, language))
    return {finding.rule for rule in QUESTION_RULES for finding in rule(read)}
