"""Wording that tells people which answer is expected of them, or takes something for granted."""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from surveys.selectors.linting.finding import Finding, Level
from surveys.selectors.linting.subject import LintedQuestion
from surveys.selectors.linting.words import as_written, clauses_of

_THINK = r"(?:agree|think|believe|feel|find|say|consider|want|wish|know)"
_EXPECTED = {
    "en": rf"^(?:and |but |so )?(?:don't|wouldn't|won't|shouldn't) (?:you|we)(?: all| also)? {_THINK}\b"
    rf"|^(?:and |but |so )?(?:do|would|should) (?:you|we)(?: all| also)? not {_THINK}\b"
    r"|^(?:isn't|wasn't|aren't|wouldn't|shouldn't) (?:it|this|that|these|there) "
    r"|\b(?:everybody|everyone|we all|anybody|anyone) (?:knows?|agrees?|thinks?)\b"
    r"|\bas (?:you|we all|everybody|everyone) knows?\b|\bit is (?:well known|obvious|clear) that\b"
    r"|\b(?:most|all|many) (?:people|experts|teachers|students|scientists) (?:agree|think|say|believe|know)\b"
    r"|\bexperts agree\b|\b(?:obviously|surely|undoubtedly|needless to say)\b"
    r"|\bof course(?=$| (?:you|it|we|they|he|she|this|that|nobody|everybody|everyone|not)\b)",
    "de": r"\b(?:findest|finden|meinst|meinen|glaubst|glauben|denkst|denken) (?:du|sie|ihr) (?:denn )?nicht auch\b"
    r"|^(?:und |aber )?(?:wäre|ist|war|sollte|wären|sind) (?:es|das|dies|man|wir) (?:denn )?nicht\b"
    r"|\bnicht auch der (?:meinung|ansicht)\b|\b(?:stimmst du|stimmen sie) (?:mir|uns) zu\b|\b(?:jeder|jede"
    r"|jedermann) weiß\b"
    r"|\bwie (?:jeder|jede|wir alle|alle|man|du|sie) (?:weiß|wissen|weißt)\b|\bwir alle wissen\b"
    r"|\b(?:bekanntlich|selbstverständlich|zweifellos|offensichtlich|bekanntermaßen|zweifelsohne)\b"
    r"|\b(?:die meisten|alle|viele) (?:menschen|leute|fachleute|lehrkräfte|forscher)? ?(?:finden|meinen|sagen"
    r"|glauben|wissen)\b"
    r"|^(?:du|sie|ihr) (?:hast|haben|habt|bist|sind) (?:doch|ja)(?: wohl)?\b|\bdoch (?:wohl|sicher)\b",
    "es": r"^(?:y |pero )?no (?:crees?|creen|cree usted|piensas?|piensan|opinas?|te parece|le parece|les "
    "parece|estás de"
    r" acuerdo|está de acuerdo)\b|^no (?:es|sería|debería|deberíamos|te gustaría|le gustaría) (?:verdad|cierto"
    r"|obvio|mejor"
    r"|evidente|justo|bueno|lógico|usted|acaso|que)\b"
    r"|\b(?:todo el mundo|todos|cualquiera) (?:sabe|sabemos|saben)\b|\bcomo (?:todos sabemos|es sabido|sabes|sabe)\b"
    r"|\b(?:obviamente|evidentemente|indudablemente|naturalmente|por supuesto|sin duda|desde luego)\b"
    r"|\b(?:está claro|es obvio|es evidente|es bien sabido) que\b"
    r"|\b(?:la mayoría de (?:la gente|las personas|los expertos)|los expertos) (?:cree|piensa|opina|dice|creen"
    r"|piensan)\b",
}
_GRANTED = {
    "en": r"^(?:have|has|did|when did|why have) you (?:ever |already |finally )?(?:stopped|stop|quit|given up) "
    r"\w{3,30}ing\b"
    r"|^why (?:do|did|don't|didn't|are|aren't|have|haven't) you\b",
    "de": r"^(?:hast du|haben sie) (?:schon |endlich |bereits )?aufgehört\b|^warum "
    r"(?:hast|haben|bist|sind|tust|machst|machen) (?:du|sie)\b",
    "es": r"^has? (?:ya |por fin |usted )?dejado de \w{3,30}[aei]r\b|^por qué (?:no "
    ")?(?:has|ha|haces|hace|eres|es|mientes|copias)\b",
}
# “of course materials” is no such word.
_SET_APART = re.compile(r",\s?of course\b|\bof course\s?,")
_EXPECTS = {language: re.compile(pattern) for language, pattern in _EXPECTED.items()}
_GRANTS = {language: re.compile(pattern) for language, pattern in _GRANTED.items()}


def leads(question: LintedQuestion) -> Iterator[Finding]:
    """Find wording that leads, and wording that takes for granted."""
    aside = _SET_APART.search(question.text.lower())
    for clause in clauses_of(question.text):
        pattern = _EXPECTS.get(question.language)
        if found := aside or (pattern.search(clause) if pattern else None):
            yield Finding(
                rule="leading",
                level=Level.WARNING,
                what=_("This wording says which answer is expected."),
                why=_(
                    "People follow it, whatever they think or did: the share then measures the wording. No amount of "
                    "answers and no chance added mends that."
                ),
                fix=_("Name both sides, or ask plainly what somebody did or thinks."),
                evidence=as_written(question.text, found[0].strip(" ,")),
                source="Schuman & Presser (1981), Questions and Answers in Attitude Surveys.",
            )
            return
        if (pattern := _GRANTS.get(question.language)) and (found := pattern.search(clause)):
            yield Finding(
                rule="presupposes",
                level=Level.HINT,
                what=_("This may take for granted what not everybody did."),
                why=_("Who never did it can answer neither Yes nor No truthfully."),
                fix=_("First ask whether, or say what those answer to whom it does not apply."),
                evidence=as_written(question.text, found[0]),
            )
            return
