"""Questions that are sent as they are: whom their answers single out, and which of them had better be protected."""

import re
from collections.abc import Iterator
from math import comb, prod

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.linting.findings import Level, LintFinding
from surveys.linting.rules.protection import first_word, word_of_harm
from surveys.linting.subject import LintedQuestion, LintedSurvey, author_words
from surveys.numbers.words import spans, whole_number

# Deeds, states and views that people hide; what harms them is found apart.
_HIDDEN = {
    "en": r"\b(?:cheat(?:ed|ing|s)?|plagiari[sz]\w{0,4}|copied|stole|stolen|steal(?:ing)?|shoplift\w{0,3}|theft"
    r"|fraud|brib\w{1,4}|drugs?|cannabis|cocaine|marijuana|doping|alcohol|drunk|sex(?:ual|ually|uality)?"
    r"|sexual orientation|gay|lesbian|bisexual|transgender|abortions?|pregnan(?:t|cy)|contracepti\w{1,4}|hiv"
    r"|aids|std|religio(?:n|us)|faith|atheist|vote[ds]?|party|political|illegal(?:ly)?|crimes?|criminal"
    r"|arrested|convicted|prison|tax(?:es)?|debts?|undocumented|asylum|affairs?|unfaithful|porn\w{0,8}"
    r"|gambl\w{1,4}|addict\w{0,4}|diagnos\w{1,4}|disabilit(?:y|ies)|disabled|mental|therapy|medication|race"
    r"|ethnic\w{0,4}|union member|lied|income|salary)\b",
    "de": r"\b(?:betrogen|betrug|betrügen|gespickt|spickzettel|abgeschrieben|plagiat\w{0,3}|gestohlen|gestehlt"
    r"|klauen|geklaut|diebstahl|bestech\w{1,5}|drogen?|cannabis|kokain|doping|alkohol|betrunken|sex"
    r"|sexuell\w{0,2}|sexualität|schwul|lesbisch|bisexuell|trans|abtreibung|schwanger\w{0,6}|verhütung|hiv"
    r"|aids|religion|religiös|glauben|konfession|gewählt|wählen|partei|politisch\w{0,2}|illegal\w{0,2}"
    r"|straftat\w{0,2}|vorbestraft|gefängnis|steuern?|schulden|asyl|fremdgegangen|porno\w{0,8}"
    r"|glücksspiel\w{0,2}|sucht|süchtig|diagnos\w{1,5}|behinderung|psychisch\w{0,2}|therapie|medikamente?"
    r"|ethnisch\w{0,2}|gewerkschaft|gelogen|schwarzgefahren|einkommen|gehalt)\b",
    "es": r"\b(?:copiad[oa]|copiaste|trampas?|plagi\w{1,4}|robad[oa]|robar|robo|hurt\w{1,4}|fraude|soborn\w{1,4}"
    r"|drogas?|cannabis|cocaína|marihuana|dopaje|alcohol|borrach[oa]|sexo|sexual(?:es|mente|idad)?|gay"
    r"|lesbiana|bisexual|trans|aborto|abortad[oa]|embaraz\w{1,4}|anticonceptiv\w{1,3}|vih|sida|religión"
    r"|religios[oa]|creencias?|votad[oa]|votar|voto|votaste|votó|partido|polític[oa]s?|ilegal(?:es|mente)?"
    r"|delitos?|antecedentes|cárcel|prisión|impuestos|deudas|asilo|infiel|porno\w{0,6}|apuestas|adicci(?:ón"
    r"|ones)|adict[oa]|diagn\w{1,8}|discapacidad|mental(?:es)?|terapia|medicación|étnic[oa]|sindicato|mentido"
    r"|ingresos|sueldo|salario)\b",
}
_READ = {language: re.compile(pattern) for language, pattern in _HIDDEN.items()}


def sensitive_word(question: LintedQuestion) -> str:
    """Return the word for which a question had better be protected, in its text or its options, or ""."""
    return word_of_harm(question) or first_word(question, _READ)


def sensitive_and_plain(question: LintedQuestion) -> Iterator[LintFinding]:
    """Find a sensitive question whose answers are sent as they are."""
    # What a list of statements gives away is found apart: of its number only none and all.
    if question.protects or question.counts_options or not (word := sensitive_word(question)):
        return
    yield LintFinding(
        rule="sensitive_and_plain",
        level=Level.PROBLEM,
        what=_("This is sensitive, and it is sent as it is."),
        why=_(
            "Whoever exports the answers reads each of them, beside the other answers of the same person. People know "
            "it, and leave the question out or say what is expected."
        ),
        fix=_("Choose a way of adding chance, or leave the question out."),
        evidence=author_words(question.text, word),
    )


def singled_out(survey: LintedSurvey) -> Iterator[LintFinding]:
    """Count what plain answers and groups can be together, and say how many people that would single out."""
    asked = [question.asked for question in survey.questions if question.asked and not question.protects]
    if not asked:
        return
    minimum = survey.minimum_n
    # The arm is told with what is not protected, so each has combinations of its own.
    arms = [
        (max(1, survey.groups) * prod(each.design.k + each.can_be_left_out for each in here if not each.protects), n)
        for here, n in survey.each_arm
    ]
    n, combinations = survey.expected_n, sum(combinations for combinations, _here in arms)
    alone, few = (
        round(sum(here * _shared_by_fewer(than, here, combinations) for combinations, here in arms))
        for than in (2, minimum)
    )
    told = {
        "n": whole_number(n),
        "combinations": whole_number(combinations),
        "numbers": spans([each.number for each in asked]),
        "groups": whole_number(survey.groups),
        "alone": whole_number(alone),
        "few": whole_number(few),
        "minimum": whole_number(minimum),
    }
    yield LintFinding(
        rule="singled_out",
        level=Level.WARNING if few else Level.HINT,
        numbers=tuple(each.number for each in asked),
        what=ngettext(
            "What is not protected makes %(combinations)s combinations, for %(n)s person.",
            "What is not protected makes %(combinations)s combinations, for %(n)s people.",
            n,
        )
        % told,
        why=" ".join(
            [
                _("If all of them were equally common, about %(alone)s of %(n)s would have one that nobody else has.")
                % told,
                _(
                    "About %(few)s would share theirs with fewer than %(minimum)s: results and files tell such answers "
                    "apart only as far as at least %(minimum)s people share each combination."
                )
                % told,
            ]
        ),
        fix=_("Ask fewer plain questions, give them fewer answers, make fewer groups, or ask more people."),
        evidence="",
        source=_("Sweeney (2002), k-anonymity: a model for protecting privacy, IJUFKS 10."),
    )


def _shared_by_fewer(than: int, n: int, combinations: int) -> float:
    """Return how probably somebody's combination is one of fewer than so many people, all being equally common."""
    share, others = 1 / combinations, n - 1
    return min(
        1.0,
        sum(
            comb(others, count) * share**count * (1 - share) ** (others - count)
            for count in range(min(than - 1, others + 1))
        ),
    )
