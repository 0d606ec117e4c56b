"""Questions whose answer says who somebody is: chance in the other answers does not hide that."""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from surveys.selectors.linting.finding import Finding, Level
from surveys.selectors.linting.subject import LintedQuestion
from surveys.selectors.linting.words import as_written, clauses_of

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


def asks_who(question: LintedQuestion) -> Iterator[Finding]:
    """Find a question for a name, an address, a number or a date of birth."""
    for clause in clauses_of(question.text):
        if any(pattern.search(clause) for pattern in _PATTERNS.get(question.language, [])):
            yield Finding(
                rule="identifier",
                level=Level.PROBLEM,
                what=_("This asks who somebody is."),
                why=_(
                    "Chance hides what is answered, not who answers: with a name or a number beside them, the other "
                    "reports belong to somebody, and each of them tells something about that person."
                ),
                fix=_("Leave the question out. To compare groups, give each group a link of its own."),
                evidence=as_written(question.text, clause),
            )
            return
