"""Two negatives in one question: people answer the wrong one of them."""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from surveys.selectors.linting.finding import Finding, Level
from surveys.selectors.linting.subject import LintedQuestion
from surveys.selectors.linting.words import as_written, clauses_of

# What begins another thought: a negative on either side of it is no double one.
_JOINTS = {
    "en": r" (?:because|although|though|if|when|while|since|but|unless|so|and|or|before|after|until|except) ",
    "de": r" (?:weil|obwohl|wenn|während|aber|und|oder|sondern|falls|da|bevor|nachdem|bis|außer|damit) ",
    "es": r" (?:porque|aunque|si|cuando|pero|y|e|o|u|mientras|sino|antes|después|hasta|salvo) ",
}
_ASIDES = {
    "en": r"\b(?:whether or not|or not|not only|yes or no|no or yes|not at all)\b",
    "de": r"\b(?:oder nicht|nicht nur|ja oder nein|nein oder ja|gar nicht erst)\b",
    "es": r"\b(?:o no|no solo|no sólo|sí o no|no o sí)\b",
}
_NEGATIVES = {
    "en": r"\b(?:not|never|no|nobody|none|nothing|neither|nowhere|without|cannot|\w{2,12}n't)\b",
    "de": r"\b(?:nicht|nie|niemals|kein(?:e|en|em|er|es)?|niemand(?:en|em)?|nichts|nirgends|nirgendwo|ohne)\b",
    # In Spanish “no … nunca”, “no … nadie” are one negative.
    "es": r"\b(?:no|sin)\b",
}
# They turn a sentence round as well, if they are themselves denied.
_DENIED = {
    "en": r"\b(?:not|never|\w{2,12}n't)\b",
    "de": r"\b(?:nicht|nie|niemals|kein(?:e|en|em|er|es)?)\b",
    "es": r"\b(?:no|nunca|jamás)\b",
}
_TURNING = {
    "en": r"\b(?:disagree|disapprove|deny|denied|oppose|opposed|forbid|impossible|unlikely|untrue|incorrect"
    r"|unnecessary|unacceptable|unwilling|unable|avoid|avoided|refuse|refused)\b",
    "de": r"\b(?:ablehnen|ablehnst|lehnst|lehnen|widersprichst|widersprechen|unmöglich|unwahrscheinlich|unnötig"
    r"|unzulässig|verbieten|vermeiden|vermeidest|vermieden|bestreitest|bestreiten|leugnest|leugnen|unwahr)\b",
    "es": r"\b(?:desacuerdo|imposible|improbable|incorrecto|innecesario|niegas|niega|negado|rechazas|rechaza"
    r"|rechazado|evitas|evita|evitado|prohibir|opones|opone|incapaz|falso)\b",
}
_READ = {
    language: tuple(re.compile(words[language]) for words in (_JOINTS, _ASIDES, _NEGATIVES, _DENIED, _TURNING))
    for language in _JOINTS
}


def double_negative(question: LintedQuestion) -> Iterator[Finding]:
    """Find two negatives in one thought."""
    if question.language not in _READ:
        return
    joints, asides, negatives, denied, turning = _READ[question.language]
    for clause in clauses_of(question.text):
        for part in joints.split(f" {asides.sub(' ', clause)} "):
            words = part.strip()
            if len(negatives.findall(words)) > 1 or (denied.search(words) and turning.search(words)):
                yield Finding(
                    rule="double_negative",
                    level=Level.WARNING,
                    what=_("Two negatives in one question."),
                    why=_(
                        "Many people then answer the opposite of what they mean. Asked in 1992 whether it seems "
                        "“possible or impossible that the extermination of the Jews never happened”, 22 of 100 "
                        "Americans called it possible; asked again without the double negative, 1 of 100."
                    ),
                    fix=_("Ask what happened instead of what did not."),
                    evidence=as_written(question.text, words),
                    source="Smith (1995), Public Opinion Quarterly 59.",
                )
                return
