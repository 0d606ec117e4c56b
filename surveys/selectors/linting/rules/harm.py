"""Words of harm, after which some people need to know where help is."""

import re

from surveys.selectors.linting.subject import LintedQuestion
from surveys.selectors.linting.words import line_of

_HARM = {
    "en": r"\b(?:harass(?:ed|ment|es|ing)?|abus(?:e|ed|ive|ing)|rap(?:e|ed|ing)|assault(?:ed|s)?|suicid(?:e|al)"
    r"|kill (?:yourself|yourselves)|self harm(?:ed|ing)?|hurt yourself|violen(?:t|ce)|bull(?:y|ied|ying)|beaten"
    r"|threatened"
    r"|stalk(?:ed|ing)|eating disorder|depress(?:ed|ion)|overdosed?|domestic violence|unwanted touching|touched you)\b",
    "de": r"\b(?:belästig(?:t|ung|ungen|en)|missbrauch(?:t|en)?|misshandel(?:t|n)|vergewaltig(?:t|ung)|suizid\w{0,10}"
    r"|selbstmord|umbringen|selbst verletzt|selbstverletz\w{0,8}|gewalt|gemobbt|mobbing|mobben|geschlagen"
    r"|bedroht|gestalkt"
    r"|stalking|essstörung|depressi(?:v|on|onen)|überdosis|begrapscht)\b",
    "es": r"\b(?:acos(?:o|ado|ada|ar|aron)|abus(?:o|os|ado|ada|aron)"
    r"|violaci(?:ón|ones)|violad[oa]|agredid[oa]"
    r"|agresi(?:ón|ones)|suicidi(?:o|os)|suicidarte|suicidarse|quitarte la vida|autolesi\w{0,10}|violencia"
    r"|maltrat(?:o|ado|ada)"
    r"|golpead[oa]"
    r"|amenazad[oa]|trastorno alimentario|depresión|deprimid[oa]|sobredosis)\b",
}
_READ = {language: re.compile(pattern) for language, pattern in _HARM.items()}


def word_of_harm(question: LintedQuestion) -> str:
    """Return the word of harm in a question's text or options, or ""."""
    pattern = _READ.get(question.language)
    if pattern is None:
        return ""
    found = pattern.search(line_of(" . ".join((question.text, *question.options))))
    return found[0] if found else ""
