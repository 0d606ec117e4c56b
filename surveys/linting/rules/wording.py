"""Two questions in one: nobody knows which of them was answered."""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from surveys.linting.findings import Level, LintFinding
from surveys.linting.subject import LintedQuestion, author_words, clauses_of, line_of

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


def two_questions(question: LintedQuestion) -> Iterator[LintFinding]:
    """Find two deeds joined in a question that takes one answer."""
    pattern = _TWO.get(question.language)
    if pattern is None or not question.has_fixed_answers:
        return
    german = question.language == "de"
    texts = (question.text.replace("¿", " ").strip(),) if german else clauses_of(question.text)
    found = next(filter(None, map(pattern.search, texts)), None)
    if found:
        yield LintFinding(
            rule="double_barrelled",
            level=Level.HINT,
            what=_("This may be two questions in one."),
            why=_("Who did one of the two has no true answer, and nobody can tell which of them was counted."),
            fix=_("If they are two deeds, ask about each. If they are two words for one, keep the plainer."),
            evidence=author_words(question.text, found[0]),
            source="Dillman, Smyth & Christian (2014), Internet, Phone, Mail, and Mixed-Mode Surveys.",
        )


# Wording that tells people which answer is expected of them, or takes something for granted.


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


def leads(question: LintedQuestion) -> Iterator[LintFinding]:
    """Find wording that leads, and wording that takes for granted."""
    aside = _SET_APART.search(question.text.lower())
    for clause in clauses_of(question.text):
        pattern = _EXPECTS.get(question.language)
        if found := aside or (pattern.search(clause) if pattern else None):
            yield LintFinding(
                rule="leading",
                level=Level.WARNING,
                what=_("This wording says which answer is expected."),
                why=_(
                    "People follow it, whatever they think or did: the share then measures the wording. No amount of "
                    "answers and no chance added mends that."
                ),
                fix=_("Name both sides, or ask plainly what somebody did or thinks."),
                evidence=author_words(question.text, found[0].strip(" ,")),
                source="Schuman & Presser (1981), Questions and Answers in Attitude Surveys.",
            )
            return
        if (pattern := _GRANTS.get(question.language)) and (found := pattern.search(clause)):
            yield LintFinding(
                rule="presupposes",
                level=Level.HINT,
                what=_("This may take for granted what not everybody did."),
                why=_("Who never did it can answer neither Yes nor No truthfully."),
                fix=_("First ask whether, or say what those answer to whom it does not apply."),
                evidence=author_words(question.text, found[0]),
            )
            return


# Two negatives in one question: people answer the wrong one of them.


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
_NEGATIONS = {
    language: tuple(re.compile(words[language]) for words in (_JOINTS, _ASIDES, _NEGATIVES, _DENIED, _TURNING))
    for language in _JOINTS
}


def double_negative(question: LintedQuestion) -> Iterator[LintFinding]:
    """Find two negatives in one thought."""
    if question.language not in _NEGATIONS:
        return
    joints, asides, negatives, denied, turning = _NEGATIONS[question.language]
    for clause in clauses_of(question.text):
        for part in joints.split(f" {asides.sub(' ', clause)} "):
            words = part.strip()
            if len(negatives.findall(words)) > 1 or (denied.search(words) and turning.search(words)):
                yield LintFinding(
                    rule="double_negative",
                    level=Level.WARNING,
                    what=_("Two negatives in one question."),
                    why=_(
                        "Many people then answer the opposite of what they mean. Asked in 1992 whether it seems "
                        "“possible or impossible that the extermination of the Jews never happened”, 22 of 100 "
                        "Americans called it possible; asked again without the double negative, 1 of 100."
                    ),
                    fix=_("Ask what happened instead of what did not."),
                    evidence=author_words(question.text, words),
                    source="Smith (1995), Public Opinion Quarterly 59.",
                )
                return


# Questions about what people do or did without saying when.


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
_TIME_FRAMES = {
    language: tuple(re.compile(patterns[language]) for patterns in (_EVER, _HOW_MUCH, _WHEN)) for language in _EVER
}


def no_time_frame(question: LintedQuestion) -> Iterator[LintFinding]:
    """Find “ever”, and amounts without a period."""
    if question.language not in _TIME_FRAMES:
        return
    ever, how_much, when = _TIME_FRAMES[question.language]
    line = line_of(question.text)
    if found := ever.search(line):
        yield LintFinding(
            rule="ever",
            level=Level.HINT,
            what=_("“Ever” is a whole life."),
            why=_(
                "What is long past counts like last week, is remembered worse, and older people have had more time. "
                "If you want to know how things are now, or to compare, a period tells more."
            ),
            fix=_("If that is not what you mean, ask for a period: “in the last 12 months”, “this term”."),
            evidence=author_words(question.text, found[0]),
            source="Tourangeau, Rips & Rasinski (2000), The Psychology of Survey Response.",
        )
    elif question.asks_how_much and (found := how_much.search(line)) and not when.search(line):
        yield LintFinding(
            rule="no_period",
            level=Level.HINT,
            what=_("No period is named."),
            why=_(
                "“How often” or “how much” without a time is a week to one and a year to another: their answers "
                "do not add up."
            ),
            fix=_("Say which time you mean: “in the last 30 days”, “per week”, “this term”."),
            evidence=author_words(question.text, found[0]),
            source="Tourangeau, Rips & Rasinski (2000), The Psychology of Survey Response.",
        )


# What is hard to read on a phone.


# Some six lines of a phone's width; the answers should be seen with the question.
LONGEST_TEXT = 220
LONGEST_OPTION = 70
_CAPITALS = re.compile(r"\b[^\W\d_a-zà-ÿ]{5,}(?:\W{1,3}[^\W\d_a-zà-ÿ]{2,}){1,40}\b")


def long_text(question: LintedQuestion) -> Iterator[LintFinding]:
    """Find a question that fills a phone's screen."""
    if len(question.text) > LONGEST_TEXT:
        yield LintFinding(
            rule="long_text",
            level=Level.HINT,
            what=_("The question is long: %(length)s characters.") % {"length": len(question.text)},
            why=_("On a phone its end and its answers do not fit on one screen, and people answer what they remember."),
            fix=_("Say in the introduction what belongs to all questions; keep this one below %(most)s characters.")
            % {"most": LONGEST_TEXT},
        )


def long_options(question: LintedQuestion) -> Iterator[LintFinding]:
    """Find an option that takes several lines."""
    for option in question.options:
        if len(option) > LONGEST_OPTION:
            yield LintFinding(
                rule="long_option",
                level=Level.HINT,
                what=_("An option is long."),
                why=_(
                    "Options of several lines are compared badly; the first and the short ones are taken more often."
                ),
                fix=_("Say it in a few words."),
                evidence=option,
            )
            return


def all_capitals(question: LintedQuestion) -> Iterator[LintFinding]:
    """Find several words in capitals; a single one, or an abbreviation, is emphasis."""
    if found := _CAPITALS.search(question.text):
        yield LintFinding(
            rule="capitals",
            level=Level.HINT,
            what=_("Several words are in capitals."),
            why=_("They read slowly and sound like shouting; some screen readers spell them letter by letter."),
            fix=_("Write them as usual."),
            evidence=found[0],
        )
