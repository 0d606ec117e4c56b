"""Two questions in one: nobody knows which of them was answered."""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from surveys.selectors.linting.finding import Finding, Level
from surveys.selectors.linting.subject import LintedQuestion
from surveys.selectors.linting.words import as_written, clauses_of

_IRREGULAR = (
    r"been|bought|brought|broken|chosen|done|drunk|driven|eaten|fallen|felt|forgotten|found|fought|given|gone|had|heard"
    r"|hidden|hit|hurt|kept|known|left|lent|lied|lost|made|met|paid|put|read|ridden|said|seen|sent|shown|slept|sold"
    r"|spent|stolen|sworn|taken|taught|thrown|told|used|won|worn|written"
)
_DONE = rf"(?:\w{{3,20}}ed|{_IRREGULAR})"
_PARTICIPLE = (
    r"(?:(?:ab|an|auf|aus|ein|mit|vor|zu|weg|nach|hin|los|um|unter|weiter|zurück)?ge(?!gen\b|stern\b|sund)[a-zäöüß]{3,20}"
    r"(?:t|en)|(?:be|ver|er|zer|ent)[a-zäöüß]{4,20}(?:t|en))"
)
_HECHO = r"(?:\w{2,20}[ai]do|hecho|dicho|visto|escrito|roto|puesto|abierto|vuelto|muerto)"
_TWO = {
    "en": re.compile(
        rf"\b(?:have|has|had|were|are) (?:you|anyone|anybody|somebody)(?: ever| already"
        rf"| also)? {_DONE}\b.{{0,120}}? (?:and|or)"
        rf"(?: also| then| even)? {_DONE} "
        r"|^(?:do|did) you .{1,160} (?:and|or) (?:do|did|have|are|would) you\b"
    ),
    # Participles are in lower case, unlike the nouns that look like them: the text is read as it is written.
    "de": re.compile(
        rf"^(?:Hast|Haben|Habt|Bist|Sind)\b.{{0,200}}? {_PARTICIPLE} (?:und|oder) (?:.{{0,80}} )??{_PARTICIPLE}\W*$"
    ),
    "es": re.compile(
        rf"^(?:alguna vez )?(?:has?|habéis|han)(?: usted)?(?: alguna vez)? {_HECHO}\b.{{0,120}}? (?:y|e|o|u)"
        rf"(?: también| luego)?(?: has?)? {_HECHO}\b"
    ),
}


def two_questions(question: LintedQuestion) -> Iterator[Finding]:
    """Find two deeds joined in a question that takes one answer."""
    pattern = _TWO.get(question.language)
    if pattern is None or not question.has_fixed_answers:
        return
    german = question.language == "de"
    texts = (question.text.replace("¿", " ").strip(),) if german else clauses_of(question.text)
    found = next(filter(None, map(pattern.search, texts)), None)
    if found:
        yield Finding(
            rule="double_barrelled",
            level=Level.HINT,
            what=_("This may be two questions in one."),
            why=_("Who did one of the two has no true answer, and nobody can tell which of them was counted."),
            fix=_("If they are two deeds, ask about each. If they are two words for one, keep the plainer."),
            evidence=as_written(question.text, found[0]),
            source="Dillman, Smyth & Christian (2014), Internet, Phone, Mail, and Mixed-Mode Surveys.",
        )
