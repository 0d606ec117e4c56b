"""The linter's findings about a survey as it stands in the editor."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction

from django.conf import settings

from surveys.forms.authoring.dial import Dial, NoDial
from surveys.models.kinds import MAX_OPTIONS, OPTION_LENGTH, find
from surveys.selectors.editions import OtherVersions
from surveys.selectors.expected import USUAL_SHARE
from surveys.selectors.linting import Finding, LintedQuestion, LintedSurvey, findings_in
from surveys.selectors.linting.languages import language_of
from surveys.selectors.linting.subject import linted_question

# What is longer is refused when it is saved; until then no more of it is read than may be saved.
_LONGEST_QUESTION, _LONGEST_TEXT = 500, 2000
TypedQuestion = tuple[int, Mapping[str, str], Dial | NoDial]


def typed_findings(
    questions: Iterable[TypedQuestion],
    *,
    typed: Mapping[str, object],
    expected_n: int,
    expected_share: Fraction = USUAL_SHARE,
    others: OtherVersions | None = None,
) -> tuple[Finding, ...]:
    """Return what the linter finds in what is typed, the weightiest first.

    `questions` are the number, the fields as typed and the dial of each that stays; `typed` are the survey's own
    fields. A question without any text is not looked at yet.
    """
    language = str(typed.get("language") or "en")
    return findings_in(
        LintedSurvey(
            questions=tuple(
                _question(number, fields, dial, language)
                for number, fields, dial in questions
                if fields.get("text", "").strip()
            ),
            introduction=_read(typed, "introduction"),
            consent=_read(typed, "consent"),
            support=_read(typed, "support"),
            minimum_n=_whole(typed.get("minimum_n"), 10),
            expected_n=expected_n,
            expected_share=expected_share,
            epsilon_level=settings.EPSILON_LEVEL,
            epsilon_cap=settings.EPSILON_CAP,
            others=others,
        )
    )


def _question(number: int, fields: Mapping[str, str], dial: Dial | NoDial, language: str) -> LintedQuestion:
    text = fields["text"].strip()[:_LONGEST_QUESTION]
    if isinstance(dial, Dial):
        return linted_question(replace(dial.question, number=number, text=text), language)
    kind = fields.get("kind", "")
    traits = find(kind)
    lines = fields.get("options", "").splitlines() if traits and traits.takes_options else []
    return LintedQuestion(
        number=number,
        text=text,
        kind=kind,
        options=tuple(line.strip()[:OPTION_LENGTH] for line in lines if line.strip())[: MAX_OPTIONS + 1],
        leave_out=fields.get("leave_out", ""),
        design=fields.get("design", ""),
        language=language_of(text, language),
    )


def _read(typed: Mapping[str, object], name: str) -> str:
    return str(typed.get(name) or "")[:_LONGEST_TEXT]


def _whole(typed: object, otherwise: int) -> int:
    text = str(typed or "").strip()
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else otherwise
