"""Questions that are sent as they are: whom their answers single out, and which of them had better be protected."""

from collections.abc import Iterator
from math import comb, prod

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from surveys.linting.findings import Level, LintFinding
from surveys.linting.rules.protection import HEBREW_BEFORE, any_of, first_word, word_of_harm
from surveys.linting.subject import LintedSurvey, author_words
from surveys.numbers.words import spans, whole_number
from surveys.questionnaire.asked_question import AskedQuestion

# Deeds, states and views that people hide; what harms them is found apart.
_HIDDEN = {
    "en": r"\b(?:cheat(?:ed|ing|s)?|plagiari[sz]\w{0,4}|copied|stole|stolen|steal(?:ing)?|shoplift\w{0,3}|theft|fraud"
    r"|brib\w{1,4}|drugs?|cannabis|cocaine|marijuana|doping|alcohol|drunk|heroin|ecstasy|mdma|lsd|weed|joints?"
    r"|sex(?:ual|ually|uality)?|homosexual\w{0,4}|sexual orientation|gay|lesbian|bisexual|queer|trans(?:gender|sexual)"
    r"|gender identity|abortions?|pregnan(?:t|cy)|contracepti\w{1,4}|hiv|aids|stds|an std|religio(?:n|us)|faith"
    r"|atheist|muslims?|islam\w{0,2}|christians?|jew(?:s|ish)?|catholics?|protestants?|hindus?|buddhists?|sikhs?"
    r"|vote[ds]?|party|political|illegal(?:ly)?|crimes?|criminal|arrested|convicted|prison|tax(?:es)?|debts?"
    r"|undocumented|asylum|(?:residen(?:ce|cy)|work) permits?|immigration status|overstay\w{0,3}|affairs?|unfaithful"
    r"|porn\w{0,8}|gambl\w{1,4}|addict\w{0,4}|diagnos\w{1,4}|disabilit(?:y|ies)|disabled|mental|therapy|medication"
    r"|race|ethnic\w{0,4}|union member|income|salary|(?:have|you|ever|i) lied|lied (?:to|about)|falsif\w{1,7}"
    r"|fabricat\w{1,3}|forged?|forgery|(?:paid|pay|hired?) (?:for )?(?:someone|somebody|anyone|anybody|others)"
    r"|ghost ?writ\w{2,4}|essay mills?|dodg(?:e|ed|ing)|fare evasion|evad(?:e|ed|ing)|without (?:a (?:valid )?)?ticket"
    r"|without paying)\b",
    "de": r"\b(?:betrogen|betrug|betrügen|gespickt|spickzettel|abgeschrieben|plagiat\w{0,3}|gestohlen|gestehlt|klauen"
    r"|geklaut|diebstahl|bestech\w{1,5}|drogen?|cannabis|kokain|heroin|ecstasy|gekifft|kiffen|gras geraucht|joints?"
    r"|doping|alkohol|betrunken|sex|sexuell\w{0,2}|sexualität|homosexuell\w{0,2}|schwul|lesbisch|bisexuell|queer"
    r"|trans(?:gender|sexuell)?|geschlechtsidentität|gender ?identität|abtreibung|schwanger\w{0,6}|verhütung|hiv|aids"
    r"|religion|religiös|glauben|konfession|musl?im\w{0,5}|moslems?|islam\w{0,4}|christ(?:en|lich\w{0,2})?|jude|juden"
    r"|jüdin|jüdisch\w{0,2}|katholisch\w{0,2}|evangelisch\w{0,2}|gewählt|wählen|partei|politisch\w{0,2}|illegal\w{0,2}"
    r"|straftat\w{0,2}|vorbestraft|gefängnis|steuern?|schulden|asyl|aufenthalts(?:titel|erlaubnis|genehmigung|status)"
    r"|arbeitserlaubnis|fremdgegangen|porno\w{0,8}|glücksspiel\w{0,2}|sucht|süchtig|diagnos\w{1,5}|behinderung"
    r"|psychisch\w{0,2}|therapie|medikamente?|ethnisch\w{0,2}|gewerkschaft|gelogen|einkommen|gehalt"
    r"|(?:ge)?fälscht\w{0,2}|verfälsch\w{1,3}|fälschen|fälschung(?:en)?|daten erfunden|erfundenen? daten"
    r"|ghostwriter\w{0,3}|schreiben lassen|(?:jemanden|andere) (?:dafür )?bezahlt|jemandem geld|schwarzgefahren"
    r"|schwarzfahren|ohne (?:einen? )?(?:(?:gültigen?|gültiges) )?(?:fahrschein|fahrkarte|ticket)"
    r"|ohne zu (?:be)?zahlen)\b",
    "es": r"\b(?:copiad[oa]|copiaste|trampas?|plagi\w{1,4}|robad[oa]|robar|robo|hurt\w{1,4}|fraude|soborn\w{1,4}"
    r"|drogas?|cannabis|cocaína|marihuana|porros?|fumad[oa] hierba|heroína|éxtasis|dopaje|alcohol|borrach[oa]|sexo"
    r"|sexual(?:es|mente|idad)?|gay|lesbiana|bisexual|homosexual(?:es|idad)?|trans(?:género|exual)?"
    r"|identidad de género|aborto|abortad[oa]|embaraz\w{1,4}|anticonceptiv\w{1,3}|vih|sida|religión|religios[oa]"
    r"|creencias?|musul\w{3,5}|islam\w{0,4}|cristian[oa]s?|judí[oa]s?|católic[oa]s?|evangélic[oa]s?|votad[oa]|votar"
    r"|voto|votaste|votó|partido|polític[oa]s?|ilegal(?:es|mente)?|delitos?|antecedentes|cárcel|prisión|impuestos"
    r"|deudas|asilo|permiso de (?:residencia|trabajo)|sin papeles|infiel|porno\w{0,6}|apuestas|adicci(?:ón|ones)"
    r"|adict[oa]|diagn\w{1,8}|discapacidad|mental(?:es)?|terapia|medicación|étnic[oa]|sindicato|mentido|ingresos"
    r"|sueldo|salario|falsific\w{2,5}|falsead[oa]s?|falsear|(?:datos|resultados) inventados|inventad[oa] datos"
    r"|(?:pagad[oa]|pagaste|pagar) a (?:alguien|otr[oa])|(?:te has|se ha|has) colado|colarte|sin (?:billete|boleto"
    r"|pagar))\b",
    "he": HEBREW_BEFORE + r"(?:רימ(?:ית\w?|ה|ו)|לרמות|רמאות|מרמה|העתק(?:ת|תם|תן|תי|ה|ות)|להעתיק|פלגיאט\w{0,2}"
    r"|גנב\w{0,3}|גניב(?:ה|ות)|לגנוב|הונא(?:ה|ות)|זייפ\w{1,2}|זיו(?:ף|פים)|לזייף|שוחד|סמים|קנאביס|מריחואנה|חשיש|קוקאין"
    r"|הרואין|גראס|אקסטזי|ג'וינט|דופינג|אלכוהול|שיכור\w{0,2}|השתכר\w{1,2}|סקס|יחסי מין|מחל(?:ת|ות) מין|מיני(?:ת|ות|ים)"
    r"|הומו(?:סקסואל\w{0,2})?|לסבי(?:ת|ות)|ביסקסואל\w{0,2}|טרנס(?:ג'נדר\w{0,2}|סקסואל\w{0,2})?|זהות מגדרית|הפל(?:ה|ות)"
    r"|הי?ריון|אמצעי מניעה|hiv|איידס|דת|דתי\w{0,2}|אמונה|אתאיסט\w{0,2}|מוסלמ\w{1,3}|נוצרי\w{0,2}|יהודי\w{0,2}"
    r"|חרדי\w{0,2}|הצבע(?:ת|תם|תן|תי|ה)|להצביע|מפלג(?:ה|ת|ות)|פוליטי\w{0,2}|(?:לא|בלתי) חוקי\w{0,2}|עביר(?:ה|ות)"
    r"|פשע(?:ים)?|פלילי\w{0,2}|נעצר\w{0,2}|הורשע\w{0,2}|כלא|מאסר|מי?סים|מס הכנסה|חובות|מקלט מדיני|מבקשי? מקלט|(?:אשרת"
    r"|היתר) (?:שהייה|עבודה)|בגדת\w?|לבגוד|בגידה|פורנו\w{0,6}|הימור(?:ים)?|הימר\w{0,2}|התמכרות|מכור\w{0,2}"
    r"|אובחנ\w{1,2}|אבחנה|אבחון|נכות|מוגבלות|נכ(?:ה|ים)|נפשי\w{0,2}|פסיכיאטר\w{0,2}|תרופ(?:ה|ות)|אתני\w{0,2}"
    r"|ועד עובדים|שיקר\w{0,2}|לשקר|הכנס(?:ה|ות|תך|תכם)|משכורת\w{0,2}|שכר(?:ך|כם)|שכר (?:חודשי|ברוטו|נטו)"
    r"|שילמת\w? (?:למישה\w{1,2}|לאחר\w{0,2})|(?:כתב|כתבה|כתבו) (?:\w+ )?במקומ\w{1,2}|מתשלום|בלי (?:לשלם|כרטיס)"
    r"|ללא כרטיס)\b",
}
_READ = any_of(_HIDDEN)


def sensitive_word(question: AskedQuestion) -> str:
    """Return the word for which a question had better be protected, or ""."""
    return word_of_harm(question) or first_word(question, _READ)


def sensitive_and_plain(question: AskedQuestion) -> Iterator[LintFinding]:
    """Find a sensitive question whose answers are sent as they are."""
    # What a list of statements gives away is found apart: of its number only none and all.
    if question.protects or question.answers.counts_options or not (word := sensitive_word(question)):
        return
    yield LintFinding(
        rule="sensitive_and_plain",
        level=Level.PROBLEM,
        what=_("This question is sensitive but sent as it is."),
        why=_(
            "Anyone who exports the answers can read each answer beside the same person’s other answers. "
            "People know this, so they may skip the question or give the expected answer."
        ),
        fix=_("Choose a design that randomizes, or remove the question."),
        evidence=author_words(question.text, word),
    )


def singled_out(survey: LintedSurvey) -> Iterator[LintFinding]:
    """Count what plain answers and groups can be together, and say how many people that would single out."""
    asked = [question for question in survey.asked if not question.protects]
    if not asked:
        return
    minimum = survey.minimum_n
    # The arm is shown with what is not protected, so each has combinations of its own.
    arms = [
        (max(1, survey.groups) * prod(each.design.k + each.can_be_left_out for each in here if not each.protects), n)
        for here, n in survey.each_arm
    ]
    n, combinations = survey.expected_n, sum(combinations for combinations, _here in arms)
    alone, few = (
        round(sum(here * _shared_by_fewer(than, here, combinations) for combinations, here in arms))
        for than in (2, minimum)
    )
    values = {
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
            "There are %(combinations)s possible combinations of unprotected details for %(n)s person.",
            "There are %(combinations)s possible combinations of unprotected details for %(n)s people.",
            n,
        )
        % values,
        why=" ".join(
            [
                _(
                    "If all combinations were equally common, about %(alone)s of %(n)s people would have one "
                    "that nobody else has."
                )
                % values,
                _(
                    "About %(few)s would have a combination that fewer than %(minimum)s people share. Results "
                    "and files distinguish such answers only to the extent that at least %(minimum)s people "
                    "share each combination."
                )
                % values,
                # Uneven shares make rare combinations; it cannot be more than everybody.
                *([_("If some combinations are rare, these numbers can be higher.")] if few < n else []),
            ]
        ),
        fix=_("Ask fewer unprotected questions, offer fewer answers, form fewer groups, or ask more people."),
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
