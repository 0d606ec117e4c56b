"""Rules about protection: questions that identify or harm, missing texts, ε, and too few people."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.drafts.figures import expected_of, models_of
from surveys.linting.findings import Level, LintFinding, mend_of
from surveys.linting.subject import LintedSurvey, author_words, clauses_of, language_of, line_of
from surveys.numbers.words import nats, whole_number
from surveys.privacy.designs import total_epsilon
from surveys.questionnaire.asked_question import AskedQuestion
from surveys.questionnaire.kinds import LeaveOut

_THINGS = {
    "en": r"(?:e ?mail(?: address)?|(?:tele|mobile |cell )?phone(?: number)?|(?:mobile|cell) number"
    r"|(?:home |postal |street |e ?mail |ip )?address|post ?code|(?:postal|zip) ?code"
    r"|(?:student|matriculation|enrolment|enrollment|id|identity card|passport|social security|account|staff|pupil)"
    r" (?:number|id)|ssn|iban|date of birth|birth ?date|(?:full |first |last |family |given )?name|surname|forename"
    r"|user ?name|nickname|initials|signature|(?:licence|license|number) plate)",
    "de": r"(?:e ?mail(?: ?adresse)?|mailadresse|(?:wohn)?adresse|anschrift|(?:telefon|handy|mobil)(?:nummer)?"
    r"|(?:matrikel|schüler|studierenden|personal|ausweis|pass|sozialversicherungs|steuer|konto|versicherten)nummer"
    r"|postleitzahl|plz|geburtsdatum|(?:vor|nach|familien|spitz|benutzer|voller )?namen?|iban|kennzeichen|initialen"
    r"|unterschrift)",
    "es": r"(?:nombre(?: completo| y apellidos?)?|apellidos?|correo(?: electrónico)?|e ?mail|dirección(?: postal)?"
    r"|domicilio|(?:número de )?(?:teléfono|móvil|celular|pasaporte|matrícula|dni)|número de (?:estudiante|alumno"
    r"|expediente|cuenta|la seguridad social|identificación|documento)|nie|nif|curp|código postal|fecha de nacimiento"
    r"|nombre de usuario|firma|iniciales)",
}
_OF_WHAT_KIND = {
    "en": r"(?: (?:own|current|exact|complete|legal|real|private|personal|home|school|university|work|main|full)){0,3}",
    "de": r"(?: (?:eigener?|vollständiger?n?|genauer?n?|private|richtigen?r?|echte[nr]?|aktuelle)){0,2}",
    "es": r"",
}
# What may follow a thing that is asked for; “your name for this feeling” is none.
_END = {
    "en": r"(?=$| (?:and|or|please|here|at (?:this|our|the) (?:school|university)|below)\b)",
    "de": r"(?=$| (?:und|oder|bitte|hier|an|ein|ab)\b)",
    "es": r"(?=$| (?:y|o|por favor|aquí|completo|en (?:esta|la) (?:escuela|universidad))\b)",
}
_YOUR = {"en": r"your", "de": r"(?:dein|ihr|euer|eur)(?:e[nmrs]?)?", "es": r"(?:tus?|sus?|vuestr[oa]s?)"}
_ASKED = {
    "en": (
        r"^(?:and )?(?:what|which) (?:is|are|was) {your}{kind} {thing}{end}",
        r"^(?:and )?what's {your}{kind} {thing}{end}",
        r"^(?:please |kindly |then |and |also |now )?(?:enter|give|type|write|state|provide|specify|insert|leave"
        r"|fill in|put(?: in| down)?|write down|type in|tell us|tell me|give us)(?: here"
        r"| please)? {your}{kind} {thing}{end}",
        r"^(?:{your}{kind} )?{thing}$",
        r"^(?:and )?when were you born$",
        r"^(?:and )?(?:what|when) is your birthday$",
        r"^(?:on|what) (?:which|what)? ?(?:day|date) (?:were you born|is your birthday)$",
        r"^(?:in|on) (?:which|what) (?:street|road|house) do you live",
    ),
    "de": (
        r"^(?:und )?(?:was|wie|welche[rs]?) (?:ist|sind|lauten|lautet) {your}{kind} {thing}{end}",
        r"^(?:und |bitte )?(?:gib|gebt|geben sie|nenne?|nennt|nennen sie|schreibe?|schreibt|schreiben sie|trage?"
        r"|tragt|tragen sie|tippe|tippen sie|hinterlasse|hinterlassen sie)(?: (?:bitte|uns|mir|hier|auch)){{0,3}}"
        r" {your}{kind} {thing}{end}",
        r"^(?:{your}{kind} )?{thing}$",
        r"^(?:und )?wie (?:heißt du|heißen sie|heißt ihr)(?: mit (?:vor|nach)namen?)?$",
        r"^(?:und )?wann (?:bist du|sind sie|wurdest du|wurden sie) geboren$",
        r"^(?:und )?wann (?:hast du|haben sie) geburtstag$",
        r"^(?:und )?wann ist (?:dein|ihr) geburtstag$",
        r"^in (?:welcher|welchem) (?:straße|haus|hausnummer) (?:wohnst du|wohnen sie|wohnt ihr)",
    ),
    "es": (
        r"^(?:y )?(?:cuál|cuáles) (?:es|son) {your}{kind} {thing}{end}",
        r"^(?:y |por favor )?(?:escribe|escriba|escribid|indica|indique|introduce|introduzca|pon|ponga|danos|denos"
        r"|dinos|díganos|facilita|facilite|deja|deje|anota|anote)(?: aquí| por favor)? {your}{kind} {thing}{end}",
        r"^(?:{your}{kind} )?{thing}$",
        r"^(?:y )?cómo (?:te llamas|se llama|se llama usted|os llamáis)$",
        r"^(?:y )?cuándo (?:naciste|nació|nació usted|es (?:tu|su) cumpleaños|cumples años|cumple años)$",
        r"^en qué (?:calle|portal|casa|número) (?:vives|vive|vivís)",
    ),
}
_PATTERNS = {
    language: [
        re.compile(
            pattern.format(
                your=_YOUR[language], kind=_OF_WHAT_KIND[language], thing=_THINGS[language], end=_END[language]
            )
        )
        for pattern in patterns
    ]
    for language, patterns in _ASKED.items()
}


def asks_who(survey: LintedSurvey) -> Iterator[LintFinding]:
    """Find questions for a name, an address, a number or a date of birth."""
    for question in survey.questions:
        patterns = _PATTERNS.get(language_of(question.text, survey.language), [])
        asking = (each for each in clauses_of(question.text) if any(pattern.search(each) for pattern in patterns))
        if clause := next(asking, ""):
            yield LintFinding(
                rule="identifier",
                level=Level.PROBLEM,
                what=_("This question asks respondents to identify themselves."),
                why=_(
                    "Randomization hides answers, not identities. Beside a name or a number, the other reports "
                    "belong to a known person, and each of them reveals something about that person."
                ),
                fix=_("Remove the question. To compare groups, give each group its own link."),
                evidence=author_words(question.text, clause),
                numbers=(question.number,),
            )


# Words of harm, after which some people need to know where help is.


def any_of(words: Mapping[str, str]) -> re.Pattern[str]:
    """Return what finds the words of every language: a survey owner may set another one than it is in."""
    return re.compile("|".join(words.values()))


# Hebrew words have short ones before them, written as one: and, (as) that, and one of the, in, to, from, as.
HEBREW_BEFORE = r"\bו?(?:כ?ש)?[הבלמכ]?"
_HARM = {
    "en": r"\b(?:harass(?:ed|ment|es|ing)?|abus(?:e|ed|ive|ing)|rap(?:e|ed|ing)|assault(?:ed|s)?|suicid(?:e|al)"
    r"|kill (?:yourself|yourselves)|self harm(?:ed|ing)?|hurt yourself|violen(?:t|ce)|bull(?:y|ied|ying)|beaten"
    r"|threatened|stalk(?:ed|ing)|eating disorder|depress(?:ed|ion)|overdosed?|domestic violence|unwanted touching"
    r"|touched you|(?:hit|slap(?:ped)?|punch(?:ed)?|kick(?:ed)?|beat) (?:you|your (?:\w+ )?(?:partner|spouse|wife"
    r"|husband|girlfriend|boyfriend|child|children|kids?|son|daughter|parents?|mother|father|brother|sister)|somebody"
    r"|someone|anybody|anyone|another))\b",
    "de": r"\b(?:belästig(?:t|ung|ungen|en)|missbrauch(?:t|en)?|misshandel(?:t|n)|vergewaltig(?:t|ung)|suizid\w{0,10}"
    r"|selbstmord|umbringen|selbst verletzt|selbstverletz\w{0,8}|gewalt|gemobbt|mobbing|mobben|geschlagen|geohrfeigt"
    r"|verprügelt|bedroht|gestalkt|stalking|essstörung|depressi(?:v|on|onen)|überdosis|begrapscht)\b",
    "es": r"\b(?:acos(?:o|ado|ada|ar|aron)|abus(?:o|os|ado|ada|aron)|violaci(?:ón|ones)|violad[oa]|agredid[oa]"
    r"|agresi(?:ón|ones)|suicidi(?:o|os)|suicidarte|suicidarse|quitarte la vida|autolesi\w{0,10}|violencia|maltrat(?:o"
    r"|ado|ada)|golpe(?:ad[oa]|aste|aron|ar)|peg(?:ado|aste|aron|ar) a|amenazad[oa]|trastorno alimentario|depresión"
    r"|deprimid[oa]|sobredosis)\b",
    "he": HEBREW_BEFORE + r"(?:הטרד(?:ה|ות|ת|תם)|הוטרד\w{0,2}|הטריד\w{0,2}|תקיפה|תקיפות|הותקפ\w{1,2}|אונס|נאנס\w{0,2}"
    r"|אנסו?|התעלל\w{0,3}|אלימ(?:ה|ים|ות)|איומים|איימ\w{1,2}|בריונות|הוחרמ\w{1,2}|התאבד\w{0,3}|אובדני\w{0,2}|(?:לפגוע"
    r"|פגעת|פגעתם|פגיעה) בעצמ\w{1,2}|פגיעה עצמית|מכות|הכית(?:ם|ן)?|היכ(?:ית|ו|ה)|הרבצ\w{1,2}|סטיר(?:ה|ות)|הפרע(?:ת"
    r"|ות) אכילה|די?כאון|מדוכא\w{0,2}|מנת יתר|נגעו? בך)\b",
}
_READ = any_of(_HARM)


def word_of_harm(question: AskedQuestion) -> str:
    return first_word(question, _READ)


def first_word(question: AskedQuestion, words: re.Pattern[str]) -> str:
    """Return the first of these words in a question's text, its options or the ends of its scale, or ""."""
    # What answers that are no options are called, as the ends of a scale.
    ends = question.first.labels if question.items and not question.options else ()
    match = words.search(line_of(" . ".join((question.text, *question.options, *ends))))
    return match[0] if match else ""


# Leaving a question about harm out where everybody who sees the reports can see that.


def seen_to_leave_out(question: AskedQuestion) -> Iterator[LintFinding]:
    """Find a question about harm whose missing answers are stored as such."""
    if question.leave_out != LeaveOut.VISIBLY or question.chance.tapped:
        return
    if question.answers.counts_options:
        return
    if word := word_of_harm(question):
        yield LintFinding(
            rule="seen_to_leave_out",
            level=Level.HINT,
            what=_("Each report shows whether this question was skipped."),
            why=_(
                "A skipped question is stored as skipped, without randomization. For a question like this, "
                "skipping may itself be read as an answer."
            ),
            fix=_(
                "Protect skipping, so that “prefer not to say” is one more randomized answer. Protected "
                "skipping needs the coin and spinner design and costs some precision."
            ),
            evidence=author_words(question.text, word),
            sets=mend_of("seen_to_leave_out", question.chance),
        )


# What stands around the questions: an introduction, a consent text, where to find support.


def no_introduction(survey: LintedSurvey) -> Iterator[LintFinding]:
    """Find a survey that does not say what it is about."""
    if not survey.introduction.strip():
        yield LintFinding(
            rule="no_introduction",
            level=Level.HINT,
            what=_("The survey has no introduction."),
            why=_("People answer a sensitive question more readily when they know who is asking, and why."),
            fix=_("Say in two sentences what the survey is about, why you are asking and what happens to the results."),
        )


def no_consent(survey: LintedSurvey) -> Iterator[LintFinding]:
    """Find a survey without a consent text."""
    if not survey.consent.strip():
        yield LintFinding(
            rule="no_consent",
            level=Level.HINT,
            what=_("The survey has no consent text."),
            why=_(
                "Ethics boards and schools usually require a consent text. The text states that participation "
                "is voluntary and names a contact."
            ),
            fix=_(
                "Enter the text under “consent text”. The pages themselves explain what is stored and how "
                "randomization works."
            ),
        )


def no_support(survey: LintedSurvey) -> Iterator[LintFinding]:
    """Find questions about harm in a survey that does not say where help is."""
    if survey.support.strip():
        return
    words = {question.number: word for question in survey.questions if (word := word_of_harm(question))}
    if words:
        yield LintFinding(
            rule="no_support",
            level=Level.WARNING,
            what=_("The survey asks about harm but names no source of support."),
            why=_("Such questions can stir up memories. Some respondents may need somebody to turn to at once."),
            fix=_(
                "Name people, a counselling service or a helpline under “where to find support”. The "
                "receipt shows them."
            ),
            evidence=", ".join(dict.fromkeys(words.values())),
            numbers=tuple(words),
        )


# How much the reports give away: one of them, and all together.


def infinite_epsilon(question: AskedQuestion) -> Iterator[LintFinding]:
    """Find a question one of whose reports proves an answer."""
    if question.proves:
        yield LintFinding(
            rule="infinite_epsilon",
            level=Level.WARNING,
            what=_("A report can prove an answer, so ε is infinite."),
            why=str(question.chance.proof_words),
            fix=str(question.chance.without_proof_words),
            sets=mend_of("infinite_epsilon", question.chance),
        )


def much_in_all(survey: LintedSurvey) -> Iterator[LintFinding]:
    """Find a survey whose questions give away more than the level, together with the other versions of it."""
    others, too_much = survey.others, survey.epsilon > survey.epsilon_cap
    total = total_epsilon([survey.epsilon, others.bounded_epsilon]) if others and not too_much else survey.epsilon
    if not total > survey.epsilon_level:
        return
    if too_much:
        what = _(
            "Too little protection in total (ε %(total)s). This server does not open surveys with a total ε above "
            "%(most)s."
        )
    elif others:
        what = _(
            "Too little protection in total, together with other versions (%(versions)s): ε is %(total)s, above the "
            "warning level of %(level)s."
        )
    else:
        what = _("Too little protection in total (ε %(total)s, above the warning level of %(level)s).")
    values = {
        "versions": _listed([str(number) for number in others.numbers]) if others else "",
        "total": nats(total, short=True),
        "level": nats(survey.epsilon_level, short=True),
        "most": nats(survey.epsilon_cap, short=True),
    }
    asked = [question for question in survey.asked if question.protects and not question.proves]
    costly = sorted(asked, key=lambda question: -question.epsilon)[:3]
    yield LintFinding(
        rule="total_epsilon",
        level=Level.PROBLEM if too_much else Level.WARNING,
        what=what % values,
        why=_(
            "The privacy losses of all reports in a response add up. Together, the reports can make anyone far "
            "surer about the respondent than a single report can."
        ),
        fix=_(
            "Ask fewer questions. Or send the true answer less often and ask more people. The questions that "
            "reveal most: %(questions)s."
        )
        % {
            "questions": _listed(
                [
                    _("question %(number)s (%(epsilon)s)")
                    % {"number": each.number, "epsilon": nats(each.epsilon, short=True)}
                    for each in costly
                ]
            )
        },
        source=_("Basic composition: Dwork & Roth (2014), The Algorithmic Foundations of Differential Privacy, 3.5."),
    )


def _listed(parts: Sequence[str]) -> str:
    return str(get_text_list(list(parts), _("and")))


# Whether as many answers as are expected can tell anything.


def fewer_than_shown(survey: LintedSurvey) -> Iterator[LintFinding]:
    """Find a survey that will never show a result."""
    if survey.expected_n < survey.minimum_n:
        yield LintFinding(
            rule="below_minimum",
            level=Level.PROBLEM,
            what=ngettext(
                "With %(n)s response, no results will ever be shown.",
                "With %(n)s responses, no results will ever be shown.",
                survey.expected_n,
            )
            % {"n": whole_number(survey.expected_n)},
            why=_("To avoid exposing individuals, results appear only once there are %(minimum)s responses.")
            % {"minimum": whole_number(survey.minimum_n)},
            fix=_("Ask more people, or ask several classes in one survey, each with its own link."),
        )


def too_few(survey: LintedSurvey) -> Iterator[LintFinding]:
    """Find the questions to which so many answers support no conclusion, and how many would."""
    by_least: dict[int, list[int]] = {}
    for question in survey.asked:
        n = survey.answers(question)
        expected = expected_of(question, n=n, share=survey.expected_share)
        if expected.too_few:
            # Of several arms so many in all that enough come into those in which it is asked.
            least = math.ceil(Fraction(expected.least * survey.expected_n, n))
            by_least.setdefault(least, []).append(question.number)
    if by_least:
        least = max(by_least)
        yield LintFinding(
            rule="too_few",
            level=Level.WARNING,
            numbers=tuple(sorted(number for numbers in by_least.values() for number in numbers)),
            what=ngettext(
                "With %(n)s response, the result will support no conclusion.",
                "With %(n)s responses, the result will support no conclusion.",
                survey.expected_n,
            )
            % {"n": whole_number(survey.expected_n)},
            why=_(
                "The margin of error (95%) is expected to exceed 25 percentage points or, for a number, a "
                "quarter of its range. The interval then spans more than half the range."
            )
            + _about_branches(survey),
            fix=_(
                "Ask at least %(least)s people. Or send the true answer more often. This protects each person "
                "less, so you may have to ask fewer questions."
            )
            % {"least": whole_number(least)},
        )


def _about_branches(survey: LintedSurvey) -> str:
    if not any(question.asked_if for question in survey.asked):
        return ""
    return " " + _(
        "Some questions are asked only after certain answers to an earlier question. All answers to the "
        "earlier question are assumed to be equally common."
    )


# Whether what is taken to be known of a design is known.


def guessed_share(survey: LintedSurvey) -> Iterator[LintFinding]:
    """Find a question whose innocuous share is a guess that no second arm can do without."""
    asked = survey.asked
    for question in asked:
        if question.is_guess and not any(each.identified for each in models_of(question, asked)):
            yield LintFinding(
                rule="guessed_share",
                level=Level.PROBLEM,
                numbers=(question.number,),
                what=_("The result depends on a guessed share."),
                why=_(
                    "This share is used to subtract Yes answers to the innocuous question. An error of ten "
                    "points in the share shifts the result and makes the odds shown to respondents wrong too."
                ),
                fix=_(
                    "State the source of the share. Or ask the same in a second arm, with the same innocuous "
                    "question, but direct a different share of people to the sensitive question. The two arms "
                    "together give estimates of both shares of Yes answers."
                ),
                source="Greenberg, Abul-Ela, Simmons & Horvitz (1969), JASA 64.",
            )
