"""Questions about what people do or did without saying when."""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from surveys.selectors.linting.finding import Finding, Level
from surveys.selectors.linting.subject import LintedQuestion
from surveys.selectors.linting.words import as_written, line_of

_EVER = {
    "en": r"\bever\b",
    "de": r"\b(?:jemals|schon (?:ein)?mal|schon einmal)\b",
    "es": r"\b(?:alguna vez|jamás)\b",
}
_HOW_MUCH = {
    "en": r"\bhow (?:often|many|much)\b.{0,200}\b(?:did|do|have|does|are|were)\b",
    "de": r"\b(?:wie oft|wie viele?|wie häufig)\b.{1,200}",
    "es": r"\b(?:con qué frecuencia|cuánt[ao]s?(?: veces)?)\b.{1,200}",
}
_WHEN = {
    "en": r"\b(?:last|past|this|per|each|every|since|during|today|yesterday|week|weeks|month|months|year|years|day|hour"
    r"|semester|term|school|night|lifetime|usually|typically|normally|right now|currently|at present|ago|when"
    r"|age|old)\b",
    "de": r"\b(?:letzte[nrsm]?|vergangene[nrsm]?|diese[nrsm]?|pro|jede[nrsm]?|seit|während|heute|gestern|wochen?"
    r"|monat(?:en?)?"
    r"|jahr(?:en?)?|tage?|stunde|semester|schuljahr|üblicherweise|normalerweise"
    r"|gewöhnlich|zurzeit"
    r"|derzeit|leben|als|alt|täglich|wöchentlich)\b",
    "es": r"\b(?:últim[ao]s?|pasad[ao]s?|est[ea]|por|al|cada|desde|durante|hoy|ayer|semanas?|mes|meses|años?|día|hora"
    r"|semestre|curso|trimestre|normalmente|habitualmente|actualmente|ahora|vida|cuando|edad)\b",
}
_READ = {
    language: tuple(re.compile(patterns[language]) for patterns in (_EVER, _HOW_MUCH, _WHEN)) for language in _EVER
}


def no_time_frame(question: LintedQuestion) -> Iterator[Finding]:
    """Find “ever”, and amounts without a period."""
    if question.language not in _READ:
        return
    ever, how_much, when = _READ[question.language]
    line = line_of(question.text)
    if found := ever.search(line):
        yield Finding(
            rule="ever",
            level=Level.HINT,
            what=_("“Ever” is a whole life."),
            why=_(
                "What is long past counts like last week, is remembered worse, and older people have had more time. "
                "If you want to know how things are now, or to compare, a period tells more."
            ),
            fix=_("If that is not what you mean, ask for a period: “in the last 12 months”, “this term”."),
            evidence=as_written(question.text, found[0]),
            source="Tourangeau, Rips & Rasinski (2000), The Psychology of Survey Response.",
        )
    elif question.asks_how_much and (found := how_much.search(line)) and not when.search(line):
        yield Finding(
            rule="no_period",
            level=Level.HINT,
            what=_("No period is named."),
            why=_(
                "“How often” or “how much” without a time is a week to one and a year to another: their answers "
                "do not add up."
            ),
            fix=_("Say which time you mean: “in the last 30 days”, “per week”, “this term”."),
            evidence=as_written(question.text, found[0]),
            source="Tourangeau, Rips & Rasinski (2000), The Psychology of Survey Response.",
        )
